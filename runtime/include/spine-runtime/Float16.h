//===- Float16.h - rounding to 16-bit floating point ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_FLOAT16_H
#define SPINE_RUNTIME_FLOAT16_H

#include <cstdint>
#include <cstring>

namespace spine::rt {

/// Rounds to the nearest value of a 16-bit format with the given number of
/// exponent bits, ties to even, in one step: going through fp32 first would
/// round twice.
template <unsigned ExponentBits> uint16_t roundToFloat16(double value) {
  constexpr int mantissaBits = 15 - ExponentBits;
  constexpr int maxExponent = (1 << (ExponentBits - 1)) - 1;
  constexpr int minExponent = 1 - maxExponent;
  constexpr uint16_t infinity = ((1u << ExponentBits) - 1) << mantissaBits;

  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint16_t sign = static_cast<uint16_t>(bits >> 48) & 0x8000;
  int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024) {
    if (!mantissa)
      return sign | infinity;
    // Keeps the upper payload bits of a NaN and makes it quiet.
    return sign | infinity | (1u << (mantissaBits - 1)) |
           static_cast<uint16_t>(mantissa >> (52 - mantissaBits));
  }
  if (exponent > maxExponent)
    return sign | infinity;
  if (exponent == -1023)
    return sign; // zero or far below the smallest subnormal

  mantissa |= uint64_t(1) << 52;
  int drop = 52 - mantissaBits;
  if (exponent < minExponent)
    drop += minExponent - exponent;
  if (drop > 53)
    return sign;
  uint64_t kept = mantissa >> drop;
  uint64_t rest = mantissa & ((uint64_t(1) << drop) - 1);
  uint64_t half = uint64_t(1) << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // A carry out of the mantissa moves into the exponent, which is right, up to
  // and including infinity.
  if (exponent < minExponent)
    return sign | static_cast<uint16_t>(kept);
  uint64_t biased = static_cast<uint64_t>(exponent - minExponent);
  return sign | static_cast<uint16_t>((biased << mantissaBits) + kept);
}

inline uint16_t roundToHalf(double value) { return roundToFloat16<5>(value); }
inline uint16_t roundToBFloat(double value) { return roundToFloat16<8>(value); }

} // namespace spine::rt

#endif // SPINE_RUNTIME_FLOAT16_H
