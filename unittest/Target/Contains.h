//===- Contains.h - expectations about texts --------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_UNITTEST_TARGET_CONTAINS_H
#define SPINE_TRITON_UNITTEST_TARGET_CONTAINS_H

#include "gtest/gtest.h"
#include <string>

inline testing::AssertionResult contains(const std::string &text,
                                         const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

#endif // SPINE_TRITON_UNITTEST_TARGET_CONTAINS_H
