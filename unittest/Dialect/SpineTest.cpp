//===- SpineTest.cpp - tests of the spine dialect's C++ interface ---------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Dialect/Spine/IR/Spine.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

TEST(SpineDialect, ScratchHasDefaultAlignment) {
  MLIRContext context;
  context.loadDialect<spine::SpineDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "%0 = spine.scratch {id = 3 : i64, bytes = 128 : i64} : !llvm.ptr",
      &context);
  ASSERT_TRUE(module);
  auto scratch = *module->getOps<spine::ScratchOp>().begin();
  EXPECT_EQ(scratch.getId(), 3u);
  EXPECT_EQ(scratch.getBytes(), 128u);
  EXPECT_EQ(scratch.getAlignment(), 64u);
  EXPECT_FALSE(scratch.getName());
}

TEST(SpineDialect, ScratchAllocates) {
  MLIRContext context;
  context.loadDialect<spine::SpineDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "%0 = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr",
      &context);
  ASSERT_TRUE(module);
  auto scratch = *module->getOps<spine::ScratchOp>().begin();
  // An allocation must be neither merged with an equal one nor moved.
  EXPECT_TRUE(hasEffect<MemoryEffects::Allocate>(scratch));
  EXPECT_FALSE(isMemoryEffectFree(scratch));
}

} // namespace
