//===- Print.cpp - tl.device_print ----------------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/KernelSupport.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace spine::rt;

static std::vector<int64_t> parseShape(const char *text) {
  std::vector<int64_t> shape;
  while (text && *text) {
    char *end = nullptr;
    long long size = std::strtoll(text, &end, 10);
    if (end == text)
      break;
    shape.push_back(size > 0 ? size : 1);
    text = *end ? end + 1 : end;
  }
  return shape;
}

/// Appends "(i, j)", each index as wide as the largest one of its dimension.
static void appendIndices(std::string &line, const std::vector<int64_t> &shape,
                          int64_t linear) {
  std::vector<int64_t> indices(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    indices[d] = linear % shape[d];
    linear /= shape[d];
  }
  line += '(';
  for (size_t d = 0; d < shape.size(); ++d) {
    int width = 0;
    for (int64_t size = shape[d] - 1; size > 0; size /= 10)
      ++width;
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%s%*" PRId64, d ? ", " : "", width,
                  indices[d]);
    line += buffer;
  }
  line += ')';
}

static void appendValue(std::string &line, PrintKind kind, int32_t bits,
                        bool hex, int64_t payload) {
  // Wide enough for the largest double printed with %f.
  char buffer[400];
  if (kind == PrintKind::Float) {
    double value;
    std::memcpy(&value, &payload, sizeof(value));
    std::snprintf(buffer, sizeof(buffer), "%f", value);
  } else if (kind == PrintKind::Pointer) {
    std::snprintf(buffer, sizeof(buffer), "0x%016" PRIx64,
                  static_cast<uint64_t>(payload));
  } else if (hex) {
    uint64_t value = static_cast<uint64_t>(payload);
    if (bits > 0 && bits < 64)
      value &= (uint64_t(1) << bits) - 1;
    std::snprintf(buffer, sizeof(buffer), "0x%0*" PRIx64, (bits + 3) / 4,
                  value);
  } else if (kind == PrintKind::Unsigned) {
    std::snprintf(buffer, sizeof(buffer), "%" PRIu64,
                  static_cast<uint64_t>(payload));
  } else {
    std::snprintf(buffer, sizeof(buffer), "%" PRId64, payload);
  }
  line += buffer;
}

void spine_rt_print(const char *prefix, const char *shape, int32_t x, int32_t y,
                    int32_t z, int32_t operand, int32_t operands,
                    int64_t linearIndex, int32_t kind, int32_t bits,
                    int32_t hex, int64_t payload) {
  std::string line;
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer),
                "pid (%" PRId32 ", %" PRId32 ", %" PRId32 ")", x, y, z);
  line = buffer;
  if (operands > 0) {
    line += " idx ";
    appendIndices(line, parseShape(shape), linearIndex);
  }
  line += prefix ? prefix : "";
  if (operands > 1)
    line += "(operand " + std::to_string(operand) + ") ";
  if (operands > 0)
    appendValue(line, static_cast<PrintKind>(kind), bits, hex != 0, payload);
  line += '\n';
  // One call each, so that lines of different threads do not mix; flushed, so
  // that they are there when the program dies of the next access.
  flockfile(stdout);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  funlockfile(stdout);
}
