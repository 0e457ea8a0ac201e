//===- ResidencyTest.cpp - the report of the residency analysis -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Residency.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::spine;

namespace {

class Residency : public ::testing::Test {
protected:
  Residency() {
    context.loadDialect<triton::TritonDialect, arith::ArithDialect,
                        math::MathDialect, scf::SCFDialect>();
  }
  ModuleOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module);
    return *module;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *kernel = R"(
tt.func @kernel(%p: !tt.ptr<tensor<64xf32>>, %q: !tt.ptr<tensor<128xf16>>) {
  %a = tt.load %p : !tt.ptr<tensor<64xf32>> loc("first")
  %b = tt.load %q : !tt.ptr<tensor<128xf16>>
  tt.store %q, %b : !tt.ptr<tensor<128xf16>>
  %c = arith.negf %a : tensor<64xf32> loc("last")
  tt.store %p, %c : !tt.ptr<tensor<64xf32>>
  tt.return
})";

TEST_F(Residency, ReportsTiles) {
  std::vector<ResidencyReport> reports = analyzeKernelResidency(parse(kernel));
  ASSERT_EQ(reports.size(), 1u);
  const ResidencyReport &report = reports.front();
  EXPECT_EQ(report.function, "kernel");
  EXPECT_EQ(report.peakBytes, 512);
  EXPECT_TRUE(report.fits(512));
  EXPECT_FALSE(report.fits(511));
  ASSERT_EQ(report.tiles.size(), 3u);

  const ResidentTile &first = report.tiles[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_TRUE(first.isVariable);
  EXPECT_EQ(first.role, TileRole::Loaded);
  EXPECT_EQ(first.bytes, 256);
  EXPECT_EQ(first.getFirstPoint(), 0u);
  EXPECT_EQ(first.getLastPoint(), 3u);

  const ResidentTile &second = report.tiles[1];
  EXPECT_EQ(second.name, "tt.load");
  EXPECT_FALSE(second.isVariable);
  EXPECT_EQ(second.getLastPoint(), 2u);
  EXPECT_EQ(report.tiles[2].role, TileRole::Stored);
  // The largest first; among equals, in the program's order.
  EXPECT_EQ(report.liveAtPeak, (std::vector<unsigned>{0, 1}));
}

/// A policy is one function: with one that packs nothing nothing is needed.
TEST_F(Residency, OtherPolicies) {
  ModuleOp module = parse(kernel);
  ResidencyOptions options;
  auto nothing = [](Value) { return TileRole::None; };
  options.policy = nothing;
  EXPECT_EQ(analyzeKernelResidency(module, options).front().peakBytes, 0);
  auto loads = [](Value value) {
    return value.getDefiningOp<triton::LoadOp>() ? TileRole::Loaded
                                                 : TileRole::None;
  };
  options.policy = loads;
  EXPECT_EQ(analyzeKernelResidency(module, options).front().tiles.size(), 2u);
}

TEST_F(Residency, BytesOfElements) {
  auto bytes = [&](Type element) {
    return getDenseBytes(RankedTensorType::get({3, 5}, element));
  };
  EXPECT_EQ(bytes(IntegerType::get(&context, 1)), 15);
  EXPECT_EQ(bytes(IntegerType::get(&context, 64)), 120);
  EXPECT_EQ(bytes(BFloat16Type::get(&context)), 30);
  EXPECT_EQ(bytes(Float8E5M2Type::get(&context)), 15);
}

/// A loop of several dots by hand.
std::string unrolled(int count) {
  std::string body;
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i), m = std::to_string(i + 1);
    body += "%a" + n +
            " = tt.load %p : !tt.ptr<tensor<16x16xf32>>\n"
            "%b" +
            n +
            " = tt.load %p : !tt.ptr<tensor<16x16xf32>>\n"
            "%e" +
            n + " = math.exp %a" + n +
            " : tensor<16x16xf32>\n"
            "%d" +
            n + " = tt.dot %e" + n + ", %b" + n +
            ", %zero : tensor<16x16xf32> * tensor<16x16xf32> -> "
            "tensor<16x16xf32>\n"
            "%c" +
            m + " = arith.addf %c" + n + ", %d" + n + " : tensor<16x16xf32>\n";
  }
  return "tt.func @dots(%p: !tt.ptr<tensor<16x16xf32>>) {\n"
         "%zero = arith.constant dense<0.0> : tensor<16x16xf32>\n"
         "%c0 = arith.constant dense<1.0> : tensor<16x16xf32>\n" +
         body + "tt.store %p, %c" + std::to_string(count) +
         " : !tt.ptr<tensor<16x16xf32>>\n"
         "tt.return\n}";
}

/// The number of iterations does not change what is live; with more tiles than
/// fit the first words of a set, too.
TEST_F(Residency, UnrollingChangesNothing) {
  int64_t bytes = 0;
  for (int count : {2, 20, 200}) {
    ResidencyReport report =
        analyzeKernelResidency(parse(unrolled(count))).front();
    EXPECT_EQ(report.peakBytes, report.arenaBytes);
    if (bytes != 0)
      EXPECT_EQ(report.peakBytes, bytes) << count;
    bytes = report.peakBytes;
  }
  EXPECT_LE(bytes, 4 * 1024);
}

/// What is too large to be added up does not fit.
TEST_F(Residency, HugeTiles) {
  constexpr const char *huge = R"(
tt.func @bounded(%p: !tt.ptr<tensor<1099511627776xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1099511627776xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1099511627776xf32>>
  tt.return
}
tt.func @uncounted(%p: !tt.ptr<tensor<1099511627776x131072xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1099511627776x131072xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1099511627776x131072xf32>>
  tt.return
})";
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<ResidencyReport> reports = analyzeKernelResidency(parse(huge));
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_TRUE(reports[0].fits(int64_t(1) << 42));
  EXPECT_FALSE(reports[0].fits((int64_t(1) << 42) - 1));
  ASSERT_TRUE(reports[1].unbounded);
  EXPECT_EQ(reports[1].unbounded->reason,
            "tile 'tt.load' has more than 2^45 bytes");
  EXPECT_FALSE(reports[1].fits(most));
  EXPECT_FALSE(reports[1].dependsOnArguments(most));
  EXPECT_EQ(reports[1].tiles[0].denseBytes, int64_t(1) << 59);
}

/// Tiles that take turns in a loop each count with their own strides.
TEST_F(Residency, MirroredTilesOfOneLoop) {
  constexpr const char *turns = R"(
tt.func @turns(%x: !tt.ptr<f32> {tt.divisibility = 64 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c1024 = arith.constant 1024 : i64
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %q = tt.make_tensor_ptr %x, [%c16, %c16], [%c1024, %c64], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x8xf32>>
  %r = scf.for %i = %c0 to %n step %i1 iter_args(%t = %a) -> tensor<16x8xf32> : i32 {
    tt.store %p, %t : !tt.ptr<tensor<16x8xf32>>
    %b = tt.load %q : !tt.ptr<tensor<16x8xf32>>
    scf.yield %b : tensor<16x8xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<16x8xf32>>
  tt.return
})";
  ResidencyOptions options;
  options.policy = placeStageMirrored;
  ResidencyReport report =
      analyzeKernelResidency(parse(turns), options).front();
  // Each element of the second tile is in a granule of its own.
  EXPECT_TRUE(llvm::any_of(report.tiles, [](const ResidentTile &tile) {
    return tile.placement == TilePlacement::Mirrored && tile.bytes == 128 * 64;
  }));
  EXPECT_GE(report.arenaBytes, 128 * 64);
}

TEST_F(Residency, DescriptorsAreFetchedAhead) {
  constexpr const char *loop = R"(
tt.func @loop(%d: !tt.tensordesc<tensor<16x16xf32>>, %p: !tt.ptr<tensor<16x16xf32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x16xf32>> -> tensor<16x16xf32>
    tt.store %p, %a : !tt.ptr<tensor<16x16xf32>>
  } {tt.num_stages = 3 : i32}
  tt.return
})";
  ResidencyReport report = analyzeKernelResidency(parse(loop)).front();
  ASSERT_EQ(report.tiles.size(), 1u);
  EXPECT_EQ(report.tiles[0].copies, 3);
  EXPECT_EQ(report.arenaBytes, 3 * 1024);
}

/// A function that calls itself cannot be bounded. (The verifier rejects it;
/// the analysis must not rely on that.)
TEST_F(Residency, RecursionIsUnbounded) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  Location loc = builder.getUnknownLoc();
  auto function = triton::FuncOp::create(builder, loc, "again",
                                         builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  triton::CallOp::create(builder, loc, "again", TypeRange(), ValueRange());
  triton::ReturnOp::create(builder, loc, ValueRange());
  std::vector<ResidencyReport> reports = analyzeKernelResidency(*module);
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_TRUE(reports.front().unbounded);
  EXPECT_EQ(reports.front().unbounded->reason,
            "the function that is called here calls itself");
  EXPECT_FALSE(reports.front().fits(1 << 30));
}

} // namespace
