//===- KernelSupport.h - functions that kernels call ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_KERNELSUPPORT_H
#define SPINE_RUNTIME_KERNELSUPPORT_H

#include <cstddef>
#include <cstdint>

extern "C" {

/// Records that an assertion failed in program (x, y, z) and abandons the
/// launch. Does not return.
[[noreturn]] void spine_rt_assert(const char *message, const char *file,
                                  const char *function, int32_t line, int32_t x,
                                  int32_t y, int32_t z);

/// Prints one element of one operand of `tl.device_print` as a line of its own.
/// `shape` is the tile's shape, "16,32", or empty for a scalar; `linearIndex`
/// counts row-major. `kind` is a spine::rt::PrintKind. The payload holds an
/// integer or pointer extended to 64 bits, or the bits of a double. With
/// `operands` 0 the line has the prefix only.
void spine_rt_print(const char *prefix, const char *shape, int32_t x, int32_t y,
                    int32_t z, int32_t operand, int32_t operands,
                    int64_t linearIndex, int32_t kind, int32_t bits,
                    int32_t hex, int64_t payload);
}

namespace spine::rt {

enum class PrintKind : int32_t {
  Signed = 0,
  Unsigned = 1,
  Float = 2,
  Pointer = 3
};

/// A function that kernels may call, by name.
struct KernelSymbol {
  const char *name;
  void *address;
};

/// The functions above and the compiler's own helpers (conversions to 16-bit
/// floating point, 128-bit division), which need not be visible in the process.
const KernelSymbol *getKernelSymbols(size_t &count);

} // namespace spine::rt

#endif // SPINE_RUNTIME_KERNELSUPPORT_H
