//===- VectorBytes.h - bytes of a vector register ---------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_VECTORBYTES_H
#define SPINE_RUNTIME_VECTORBYTES_H

#include <cstdint>
#if defined(__riscv)
#include <sys/auxv.h>
#endif

namespace spine::rt {

/// Bytes of a vector register of the core that this thread runs on; 0 if it has
/// none, or if their size is no property of the core.
inline uint32_t getVectorBytes() {
#if defined(__riscv)
  constexpr unsigned long vectorBit = 1ul << ('v' - 'a');
  if (!(getauxval(AT_HWCAP) & vectorBit))
    return 0;
  unsigned long bytes;
  // The register `vlenb` by number: the assembler need not know vectors.
  __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
  return static_cast<uint32_t>(bytes);
#else
  return 0;
#endif
}

} // namespace spine::rt

#endif // SPINE_RUNTIME_VECTORBYTES_H
