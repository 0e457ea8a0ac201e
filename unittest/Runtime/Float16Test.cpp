//===- Float16Test.cpp - tests of rounding to 16-bit formats --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/Float16.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace spine::rt;

namespace {

/// The value of a finite 16-bit pattern.
template <unsigned ExponentBits> double decode(uint16_t bits) {
  constexpr int mantissaBits = 15 - ExponentBits;
  constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  int exponent = (bits & 0x7fff) >> mantissaBits;
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double value = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                               : std::ldexp(mantissa + (1 << mantissaBits),
                                            exponent - bias - mantissaBits);
  return bits & 0x8000 ? -value : value;
}

/// Every value, the middle between it and the next one (a tie), and the doubles
/// right beside the middle.
template <unsigned ExponentBits> void checkAll() {
  constexpr uint16_t infinity = ((1u << ExponentBits) - 1)
                                << (15 - ExponentBits);
  auto round = roundToFloat16<ExponentBits>;
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    double low = decode<ExponentBits>(bits);
    // What lies beyond the largest finite value rounds as if the next power of
    // two were a value.
    double high = decode<ExponentBits>(bits + 1);
    double middle = low + (high - low) / 2;
    auto next = static_cast<uint16_t>(bits + 1);
    ASSERT_EQ(round(low), bits);
    ASSERT_EQ(round(-low), bits | 0x8000);
    ASSERT_EQ(round(middle), bits & 1 ? next : bits);
    ASSERT_EQ(round(std::nextafter(middle, low)), bits);
    ASSERT_EQ(round(std::nextafter(middle, high)), next);
  }
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(round(inf), infinity);
  EXPECT_EQ(round(-inf), infinity | 0x8000);
  EXPECT_EQ(round(1e300), infinity);
  EXPECT_EQ(round(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(round(-1e-300), 0x8000);
  uint16_t nan = round(std::numeric_limits<double>::quiet_NaN());
  EXPECT_GT(nan & 0x7fff, infinity);
}

TEST(Float16, half) { checkAll<5>(); }
TEST(Float16, bfloat) { checkAll<8>(); }

} // namespace
