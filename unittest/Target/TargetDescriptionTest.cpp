//===- TargetDescriptionTest.cpp - tests of target descriptions -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/TargetDescription.h"
#include "Contains.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir::spine;

namespace {

std::string errorOf(llvm::StringRef json) {
  auto target = TargetDescription::parse(json);
  return target ? "" : llvm::toString(target.takeError());
}

TargetDescription readFile(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(SPINE_TARGETS_FOLDER) +
                                            "/" + name.str() + ".json");
  EXPECT_TRUE(bool(buffer)) << name.str();
  auto target = TargetDescription::parse((*buffer)->getBuffer());
  if (target)
    return *target;
  ADD_FAILURE() << llvm::toString(target.takeError());
  return {};
}

TEST(TargetDescription, a100) {
  TargetDescription target = readFile("spacemit-a100");
  EXPECT_EQ(target.name, "spacemit-a100");
  EXPECT_EQ(target.vectorBits, 1024);
  EXPECT_EQ(target.scratchpadBytes, 393216);
  EXPECT_EQ(target.cores, 8);
  EXPECT_TRUE(target.isRISCV());
  ASSERT_EQ(target.matrixUnits.size(), 4u);
  EXPECT_EQ(target.matrixUnits[0].input, "int8");
  EXPECT_EQ(target.matrixUnits[0].k, 16);
  EXPECT_FALSE(target.sources["scratchpad_bytes"].empty());
}

TEST(TargetDescription, x60) {
  TargetDescription target = readFile("spacemit-x60");
  EXPECT_EQ(target.vectorBits, 256);
  EXPECT_EQ(target.scratchpadBytes, 131072);
  EXPECT_EQ(target.cores, 4);
  EXPECT_EQ(target.cpu, "spacemit-x60");
}

TEST(TargetDescription, host) {
  TargetDescription target = readFile("host");
  EXPECT_EQ(target.name, "host");
  EXPECT_FALSE(target.cpu.empty());
  EXPECT_GE(target.cores, 1);
  EXPECT_GE(target.vectorBits, 128);
  EXPECT_GT(target.scratchpadBytes, 0);
  // Complete: reading it again asks for nothing and changes nothing.
  auto again = TargetDescription::parse(target.toJSON());
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(again->toJSON(), target.toJSON());
  EXPECT_EQ(again->features, target.features);
}

TEST(TargetDescription, hostWithOtherNumbers) {
  auto target = TargetDescription::parse(
      R"({"name": "host", "host": true, "scratchpad_bytes": 4096})");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->scratchpadBytes, 4096);
  EXPECT_EQ(target->triple, TargetDescription::getHost().triple);
}

TEST(TargetDescription, errors) {
  EXPECT_TRUE(contains(errorOf("{"), "target description: not valid JSON"));
  EXPECT_TRUE(contains(errorOf("[]"), "must be a JSON object"));
  EXPECT_TRUE(contains(errorOf("{}"), "'name' is missing"));
  EXPECT_TRUE(contains(errorOf(R"({"name": 1})"), "'name' must be a text"));
  EXPECT_TRUE(contains(errorOf(R"({"vector_bits": "x"})"),
                       "'vector_bits' must be an integer"));
  EXPECT_TRUE(contains(errorOf(R"({"vector_bits": 100})"),
                       "'vector_bits' must be a power of two, got 100"));
  EXPECT_TRUE(contains(errorOf(R"({"cores": 0})"),
                       "'cores' must be at least 1, got 0"));
  EXPECT_TRUE(contains(errorOf(R"({"colour": 0})"), "unknown field 'colour'"));
  EXPECT_TRUE(contains(errorOf(R"({"matrix_units": 0})"),
                       "'matrix_units' must be an array"));
  EXPECT_TRUE(contains(errorOf(R"({"matrix_units": [{"m": 1}]})"),
                       "each of 'matrix_units' needs"));
  EXPECT_TRUE(contains(errorOf(R"({"sources": {"x": 1}})"),
                       "'sources' must be an object of texts"));
  EXPECT_TRUE(contains(errorOf(R"({"host": true, "reserve_bytes": 64,
                          "scratchpad_bytes": 64})"),
                       "'reserve_bytes' (64) leaves nothing"));
}

} // namespace
