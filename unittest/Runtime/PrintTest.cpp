//===- PrintTest.cpp - tests of tl.device_print ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/KernelSupport.h"
#include "gtest/gtest.h"
#include <cstring>

namespace {

int64_t bitsOf(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(Print, lines) {
  testing::internal::CaptureStdout();
  spine_rt_print(" x: ", "16,200", 1, 2, 3, 0, 1, 3 * 200 + 7, 0, 32, 0, -5);
  spine_rt_print(" x: ", "", 0, 0, 0, 1, 2, 0, 2, 32, 0, bitsOf(1.5));
  spine_rt_print(" x: ", "4", 0, 0, 0, 0, 1, 3, 1, 64, 0, -1);
  spine_rt_print(" x: ", "4", 0, 0, 0, 0, 1, 3, 0, 16, 1, -1);
  spine_rt_print(" p: ", "", 0, 0, 0, 0, 1, 0, 3, 64, 0, 0x1234);
  spine_rt_print(" hello", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "pid (1, 2, 3) idx ( 3,   7) x: -5\n"
            "pid (0, 0, 0) idx () x: (operand 1) 1.500000\n"
            "pid (0, 0, 0) idx (3) x: 18446744073709551615\n"
            "pid (0, 0, 0) idx (3) x: 0xffff\n"
            "pid (0, 0, 0) idx () p: 0x0000000000001234\n"
            "pid (0, 0, 0) hello\n");
}

} // namespace
