//===- TargetDescription.cpp - what a target can do, as data --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/TargetDescription.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir::spine;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;

bool TargetDescription::isRISCV() const {
  return llvm::Triple(triple).isRISCV();
}

namespace {

/// A field that holds a number, with the least value that makes sense.
struct NumberField {
  StringRef name;
  int64_t TargetDescription::*member;
  int64_t least;
  bool powerOfTwo;
};

constexpr NumberField numberFields[] = {
    {"vector_bits", &TargetDescription::vectorBits, 32, true},
    {"vector_registers", &TargetDescription::vectorRegisters, 1, false},
    {"prefetch_rows", &TargetDescription::prefetchRows, 0, false},
    {"kept_bytes", &TargetDescription::keptBytes, 0, false},
    {"strided_lanes", &TargetDescription::stridedLanes, 0, false},
    {"widens_f16", &TargetDescription::widensF16, 0, false},
    {"widens_bf16", &TargetDescription::widensBF16, 0, false},
    {"tiles_bf16", &TargetDescription::tilesBF16, 0, false},
    {"scratchpad_bytes", &TargetDescription::scratchpadBytes, 1, false},
    {"reserve_bytes", &TargetDescription::reserveBytes, 0, false},
    {"alignment", &TargetDescription::alignment, 1, true},
    {"granule_bytes", &TargetDescription::granuleBytes, 1, true},
    {"cores", &TargetDescription::cores, 1, false},
    {"l1d_bytes", &TargetDescription::l1DataBytes, 0, false},
    {"l2_bytes", &TargetDescription::l2Bytes, 0, false},
    {"l3_bytes", &TargetDescription::l3Bytes, 0, false},
};

struct TextField {
  StringRef name;
  std::string TargetDescription::*member;
};

constexpr TextField textFields[] = {
    {"name", &TargetDescription::name},
    {"triple", &TargetDescription::triple},
    {"cpu", &TargetDescription::cpu},
    {"features", &TargetDescription::features},
    {"abi", &TargetDescription::abi},
    {"qemu_cpu", &TargetDescription::qemuCPU},
    {"core_model", &TargetDescription::coreModel},
};

template <typename... Args>
Error makeError(const char *format, const Args &...args) {
  return createStringError("target description: " +
                           llvm::formatv(format, args...).str());
}

Error readNumber(const llvm::json::Value &value, const NumberField &field,
                 TargetDescription &target) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number)
    return makeError("'{0}' must be an integer", field.name);
  if (*number < field.least)
    return makeError("'{0}' must be at least {1}, got {2}", field.name,
                     field.least, *number);
  if (field.powerOfTwo && (*number & (*number - 1)))
    return makeError("'{0}' must be a power of two, got {1}", field.name,
                     *number);
  target.*field.member = *number;
  return Error::success();
}

Error readMatrixUnits(const llvm::json::Value &value,
                      TargetDescription &target) {
  const llvm::json::Array *units = value.getAsArray();
  if (!units)
    return makeError("'matrix_units' must be an array");
  target.matrixUnits.clear();
  for (const llvm::json::Value &element : *units) {
    llvm::json::Path::Root root("matrix_units");
    llvm::json::ObjectMapper map(element, root);
    MatrixUnit unit;
    if (!map || !map.map("input", unit.input) ||
        !map.map("accumulator", unit.accumulator) || !map.map("m", unit.m) ||
        !map.map("k", unit.k) || !map.map("n", unit.n) ||
        std::min({unit.m, unit.k, unit.n}) < 1)
      return makeError("each of 'matrix_units' needs 'input', 'accumulator' "
                       "and positive 'm', 'k', 'n'");
    target.matrixUnits.push_back(std::move(unit));
  }
  return Error::success();
}

Error readSources(const llvm::json::Value &value, TargetDescription &target) {
  const llvm::json::Object *sources = value.getAsObject();
  if (!sources)
    return makeError("'sources' must be an object of texts");
  for (const auto &[key, text] : *sources) {
    std::optional<StringRef> string = text.getAsString();
    if (!string)
      return makeError("'sources' must be an object of texts");
    target.sources[key.str()] = string->str();
  }
  return Error::success();
}

Error readField(StringRef key, const llvm::json::Value &value,
                TargetDescription &target) {
  for (const NumberField &field : numberFields)
    if (key == field.name)
      return readNumber(value, field, target);
  for (const TextField &field : textFields) {
    if (key != field.name)
      continue;
    std::optional<StringRef> text = value.getAsString();
    if (!text)
      return makeError("'{0}' must be a text", key);
    target.*field.member = text->str();
    return Error::success();
  }
  if (key == "matrix_units")
    return readMatrixUnits(value, target);
  if (key == "sources")
    return readSources(value, target);
  if (key == "host" || key == "comment")
    return Error::success();
  return makeError("unknown field '{0}'", key);
}

} // namespace

llvm::Expected<TargetDescription> TargetDescription::parse(StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return makeError("not valid JSON: {0}", toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeError("must be a JSON object");

  bool isHost = object->getBoolean("host").value_or(false);
  TargetDescription target = isHost ? getHost() : TargetDescription();
  for (const auto &[key, field] : *object)
    if (Error error = readField(key, field, target))
      return std::move(error);

  for (StringRef required : {"name", "triple", "cpu", "scratchpad_bytes"})
    if (!isHost && !object->get(required))
      return makeError("'{0}' is missing", required);
  if (target.reserveBytes >= target.scratchpadBytes)
    return makeError("'reserve_bytes' ({0}) leaves nothing of "
                     "'scratchpad_bytes' ({1})",
                     target.reserveBytes, target.scratchpadBytes);
  return target;
}

std::string TargetDescription::toJSON() const {
  llvm::json::Object object;
  for (const TextField &field : textFields)
    object[field.name] = this->*field.member;
  for (const NumberField &field : numberFields)
    object[field.name] = this->*field.member;
  llvm::json::Array units;
  for (const MatrixUnit &unit : matrixUnits)
    units.push_back(llvm::json::Object{{"input", unit.input},
                                       {"accumulator", unit.accumulator},
                                       {"m", unit.m},
                                       {"k", unit.k},
                                       {"n", unit.n}});
  object["matrix_units"] = std::move(units);
  llvm::json::Object sourceTexts;
  for (const auto &[key, text] : sources)
    sourceTexts[key] = text;
  object["sources"] = std::move(sourceTexts);
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str();
}
