//===- PlanScratchpadTest.cpp - tests of the layout of the arena ----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The example-based tests of the pass are in test/Codegen/PlanScratchpad; here
// it plans many random sets of buffers.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;

namespace {

/// A buffer of a straight-line function: made at step `first`, used at `last`.
struct Live {
  int64_t bytes, alignment;
  int first, last;
  int64_t offset = -1;

  bool meets(const Live &other) const {
    return first <= other.last && other.first <= last;
  }
  int64_t end() const { return offset + bytes; }
};

class PlanScratchpad : public testing::Test {
protected:
  PlanScratchpad() {
    context.loadDialect<func::FuncDialect, LLVM::LLVMDialect,
                        spine::SpineDialect>();
  }

  /// Plans the buffers and fills in their offsets. Returns the bytes of arena.
  int64_t plan(MutableArrayRef<Live> buffers, int steps) {
    OpBuilder b(&context);
    Location loc = b.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    b.setInsertionPointToStart(module->getBody());
    Type pointer = LLVM::LLVMPointerType::get(&context);
    auto function = func::FuncOp::create(b, loc, "kernel",
                                         b.getFunctionType({pointer}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());

    // A use is a load that is marked with the buffer's number. In each step all
    // new buffers are made before the uses.
    SmallVector<Value> addresses(buffers.size());
    for (int step = 0; step < steps; ++step) {
      for (auto [i, buffer] : llvm::enumerate(buffers))
        if (buffer.first == step)
          addresses[i] = spine::ScratchOp::create(
              b, loc, pointer, i, buffer.bytes, buffer.alignment, StringAttr(),
              IntegerAttr());
      for (auto [i, buffer] : llvm::enumerate(buffers))
        if (buffer.last == step)
          LLVM::LoadOp::create(b, loc, b.getI8Type(), addresses[i])
              ->setAttr("buffer", b.getI64IntegerAttr(i));
    }
    func::ReturnOp::create(b, loc);

    PassManager passes(&context);
    passes.addPass(spine::createSpinePlanScratchpad());
    EXPECT_TRUE(succeeded(passes.run(*module)));
    function.walk([&](LLVM::LoadOp load) {
      auto index = load->getAttrOfType<IntegerAttr>("buffer").getInt();
      auto address = load.getAddr().getDefiningOp<LLVM::GEPOp>();
      ASSERT_TRUE(address);
      EXPECT_EQ(address.getBase(), function.getArgument(0));
      buffers[index].offset = address.getRawConstantIndices()[0];
    });
    return function->getAttrOfType<IntegerAttr>("spine.arena_bytes").getInt();
  }

  MLIRContext context;
};

TEST_F(PlanScratchpad, LiveBuffersNeverShareBytes) {
  std::mt19937 random(20240229);
  auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    int steps = number(1, 30);
    SmallVector<Live> buffers(number(1, 24));
    for (Live &buffer : buffers) {
      buffer.bytes = number(0, 5) ? number(1, 5000) : 0;
      buffer.alignment = int64_t(1) << number(0, 12);
      buffer.first = number(0, steps - 1);
      buffer.last = number(buffer.first, steps - 1);
    }
    int64_t arena = plan(buffers, steps);

    int64_t sum = 0;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", buffer " << i);
      EXPECT_GE(buffer.offset, 0);
      EXPECT_EQ(buffer.offset % buffer.alignment, 0);
      EXPECT_LE(buffer.end(), arena);
      sum += llvm::alignTo(buffer.bytes, buffer.alignment) + buffer.alignment;
      for (const Live &other : ArrayRef(buffers).drop_front(i + 1))
        if (buffer.meets(other))
          EXPECT_TRUE(buffer.end() <= other.offset ||
                      other.end() <= buffer.offset);
    }
    EXPECT_LE(arena, sum);
  }
}

TEST_F(PlanScratchpad, ChainOfBuffersNeedsTwo) {
  // Each buffer is used when the next one is there: two places are enough.
  SmallVector<Live> buffers;
  for (int i = 0; i < 50; ++i)
    buffers.push_back({/*bytes=*/256, /*alignment=*/64, i, i + 1});
  EXPECT_EQ(plan(buffers, 52), 512);
}

TEST_F(PlanScratchpad, LargeBufferIsPlacedFirst) {
  SmallVector<Live> buffers{{64, 64, 0, 3}, {4096, 64, 1, 3}, {64, 64, 2, 3}};
  EXPECT_EQ(plan(buffers, 4), 4096 + 128);
  EXPECT_EQ(buffers[1].offset, 0);
}

} // namespace
