//===- KernelSymbols.cpp - functions that kernels may call ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Code generation calls helpers for conversions that the CPU has no instruction
// for. A process need not export them (older compiler libraries lack some), so
// the ones for 16-bit floating point are defined here.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/Float16.h"
#include "spine-runtime/KernelSupport.h"
#include <cmath>

using namespace spine::rt;

namespace {

#if defined(__FLT16_MANT_DIG__)
using HalfResult = _Float16;
#else
#error "spine-triton needs a compiler that has _Float16"
#endif
using BFloatResult = __bf16;

template <typename To> To fromBits(uint16_t bits) {
  To value;
  static_assert(sizeof(value) == sizeof(bits));
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

HalfResult singleToHalf(float value) {
  return fromBits<HalfResult>(roundToHalf(value));
}
HalfResult doubleToHalf(double value) {
  return fromBits<HalfResult>(roundToHalf(value));
}
BFloatResult singleToBFloat(float value) {
  return fromBits<BFloatResult>(roundToBFloat(value));
}
BFloatResult doubleToBFloat(double value) {
  return fromBits<BFloatResult>(roundToBFloat(value));
}

float halfToSingle(HalfResult half) {
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  float value;
  if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  // NaN and infinity keep the largest exponent, everything else is re-biased.
  uint32_t wide = exponent == 0x1f ? 0xff : exponent + (127 - 15);
  uint32_t result = sign | (wide << 23) | (mantissa << 13);
  std::memcpy(&value, &result, sizeof(value));
  return value;
}

using Int128 = __int128;
using UInt128 = unsigned __int128;
Int128 divide(Int128 a, Int128 b) { return a / b; }
UInt128 divideUnsigned(UInt128 a, UInt128 b) { return a / b; }
Int128 remainder(Int128 a, Int128 b) { return a % b; }
UInt128 remainderUnsigned(UInt128 a, UInt128 b) { return a % b; }

template <typename Function> void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

const KernelSymbol symbols[] = {
    {"spine_rt_assert", addressOf(&spine_rt_assert)},
    {"spine_rt_print", addressOf(&spine_rt_print)},
    {"__truncsfhf2", addressOf(&singleToHalf)},
    {"__gnu_f2h_ieee", addressOf(&singleToHalf)},
    {"__truncdfhf2", addressOf(&doubleToHalf)},
    {"__extendhfsf2", addressOf(&halfToSingle)},
    {"__gnu_h2f_ieee", addressOf(&halfToSingle)},
    {"__truncsfbf2", addressOf(&singleToBFloat)},
    {"__truncdfbf2", addressOf(&doubleToBFloat)},
    {"__divti3", addressOf(&divide)},
    {"__udivti3", addressOf(&divideUnsigned)},
    {"__modti3", addressOf(&remainder)},
    {"__umodti3", addressOf(&remainderUnsigned)},
};

} // namespace

const KernelSymbol *spine::rt::getKernelSymbols(size_t &count) {
  count = sizeof(symbols) / sizeof(symbols[0]);
  return symbols;
}
