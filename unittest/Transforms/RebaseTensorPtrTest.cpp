//===- RebaseTensorPtrTest.cpp - rebasing changes no access ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "RandomKernel.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "spine-triton/Transforms/Passes.h"
#include "spine-triton/Transforms/TileWindow.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::spine;
using namespace mlir::spine::test;

namespace {

void loadDialects(MLIRContext &context) {
  context.loadDialect<triton::TritonDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, scf::SCFDialect>();
}

//===----------------------------------------------------------------------===//
// The formula against enumeration
//===----------------------------------------------------------------------===//

/// What a one-dimensional access reaches: element -> address in elements.
std::vector<std::optional<int64_t>> reach(int64_t base, int64_t extent,
                                          int64_t stride, int64_t offset,
                                          int64_t size, bool checked) {
  std::vector<std::optional<int64_t>> addresses;
  for (int64_t i = 0; i < size; ++i) {
    bool isInside = !checked || (offset + i >= 0 && offset + i < extent);
    addresses.push_back(isInside ? std::optional(base + (offset + i) * stride)
                                 : std::nullopt);
  }
  return addresses;
}

class TileWindow : public ::testing::Test {
protected:
  TileWindow() {
    loadDialects(context);
    module = ModuleOp::create(UnknownLoc::get(&context));
    body = module->getBody();
    base = body->addArgument(
        triton::PointerType::get(Float32Type::get(&context), 1),
        UnknownLoc::get(&context));
  }

  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIntOp::create(builder, builder.getUnknownLoc(), value,
                                        64);
  }

  int64_t valueOf(Value value) {
    IntegerAttr attribute;
    EXPECT_TRUE(matchPattern(value, m_Constant(&attribute)));
    return attribute.getValue().getSExtValue();
  }

  void check(int64_t offset, int64_t extent, int64_t stride, int64_t size,
             bool checked) {
    body->clear();
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    PointerDescription whole{base,
                             {constant(builder, extent)},
                             {constant(builder, stride)},
                             {constant(builder, offset)}};
    PointerDescription window =
        emitTileWindow(builder, builder.getUnknownLoc(), whole, {size},
                       llvm::SmallBitVector(1, checked));
    int64_t step = 0;
    if (auto moved = window.base.getDefiningOp<triton::AddPtrOp>())
      step = valueOf(moved.getOffset());
    int64_t newExtent = valueOf(window.extents[0]);
    EXPECT_GE(newExtent, 0);
    EXPECT_LE(newExtent, size);
    EXPECT_EQ(reach(0, extent, stride, offset, size, checked),
              reach(step, newExtent, valueOf(window.strides[0]),
                    valueOf(window.offsets[0]), size, checked))
        << "offset " << offset << " extent " << extent << " stride " << stride
        << " size " << size << " checked " << checked;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Block *body;
  Value base;
};

TEST_F(TileWindow, SmallCases) {
  for (int64_t size : {1, 2, 4, 8})
    for (int64_t extent = -2; extent <= 11; ++extent)
      for (int64_t offset = -2 * size - 1; offset <= extent + size; ++offset)
        for (int64_t stride : {-3, 0, 1, 5})
          for (bool checked : {false, true})
            check(offset, extent, stride, size, checked);
}

TEST_F(TileWindow, ExtremeCases) {
  int64_t far = int64_t(1) << 40;
  for (int64_t offset : {-far, far, int64_t(INT32_MIN), int64_t(INT32_MAX)})
    for (int64_t extent :
         {INT64_MIN, int64_t(-1), int64_t(0), far - 1, far + 3, INT64_MAX})
      for (bool checked : {false, true})
        check(offset, extent, 3, 16, checked);
}

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

std::vector<int64_t> randomArguments(std::mt19937 &random) {
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  std::vector<int64_t> arguments;
  for (unsigned i = 0; i < RandomKernel::numPointers; ++i)
    arguments.push_back((i + 1) << 20);
  for (unsigned i = 0; i < RandomKernel::numLong; ++i)
    arguments.push_back(random() % 8 ? between(-2, 20)
                                     : between(-1, 1) * (int64_t(1) << 40));
  for (unsigned i = 0; i < RandomKernel::numInt; ++i)
    arguments.push_back(random() % 8 ? between(-9, 12)
                                     : between(-1, 1) * INT32_MAX);
  arguments.push_back(between(0, 3));
  for (unsigned i = 0; i < RandomKernel::numFlags; ++i)
    arguments.push_back(between(0, 1));
  return arguments;
}

FunctionOpInterface getKernel(ModuleOp module) {
  return *module.getOps<FunctionOpInterface>().begin();
}

/// The kernel rebased, the text before and after being equal in what they do.
void expectSameAccesses(unsigned seed, bool canonicalize) {
  MLIRContext context;
  loadDialects(context);
  std::string text = RandomKernel(seed).write();
  OwningOpRef<ModuleOp> before =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(before) << text;
  if (canonicalize) {
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ASSERT_TRUE(succeeded(passes.run(*before))) << text;
  }
  OwningOpRef<ModuleOp> after = before->clone();
  PassManager passes(&context);
  passes.addPass(createSpineRebaseTensorPtr());
  ASSERT_TRUE(succeeded(passes.run(*after))) << text;
  after->walk([&](triton::AdvanceOp) { ADD_FAILURE() << text; });

  std::mt19937 random(seed);
  for (unsigned run = 0; run < 8; ++run) {
    std::vector<int64_t> arguments = randomArguments(random);
    auto expected = Interpreter().run(getKernel(*before), arguments);
    auto found = Interpreter().run(getKernel(*after), arguments);
    ASSERT_TRUE(expected.has_value() && found.has_value()) << text;
    ASSERT_TRUE(*expected == *found) << text;
  }
}

TEST(RebaseTensorPtr, RandomKernelsAccessTheSame) {
  for (unsigned seed = 0; seed < 250 && !::testing::Test::HasFailure(); ++seed)
    expectSameAccesses(seed, /*canonicalize=*/false);
}

TEST(RebaseTensorPtr, CanonicalRandomKernelsAccessTheSame) {
  for (unsigned seed = 1000; seed < 1100 && !::testing::Test::HasFailure();
       ++seed)
    expectSameAccesses(seed, /*canonicalize=*/true);
}

} // namespace
