//===- TileAxesTest.cpp - which dimensions of tiles belong together -------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/TileAxes.h"
#include "mlir/Parser/Parser.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::spine;

namespace {

/// Parses one function. Values are found by the name in their location.
class TileAxesTest : public ::testing::Test {
protected:
  TileAxesTest() {
    context.loadDialect<triton::TritonDialect, arith::ArithDialect,
                        math::MathDialect, scf::SCFDialect>();
  }

  void parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    module->walk([&](triton::FuncOp op) { function = op; });
    axes.emplace(function);
    function->walk([&](Operation *op) {
      for (Value value : op->getResults())
        note(value);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value value : block.getArguments())
            note(value);
    });
  }

  void note(Value value) {
    if (auto name = value.getLoc()->findInstanceOf<NameLoc>())
      values[name.getName().getValue()] = value;
  }

  unsigned axis(StringRef name, unsigned dim) {
    auto found = axes->getAxis(values.lookup(name), dim);
    EXPECT_TRUE(found.has_value()) << name.str() << " " << dim;
    return found.value_or(~0u);
  }
  const TileAxes::Axis &get(StringRef name, unsigned dim) {
    return axes->getAxes()[axis(name, dim)];
  }
  std::string obstacle(StringRef name, unsigned dim) {
    auto &found = get(name, dim).obstacle;
    return found ? found->reason : "";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *function = nullptr;
  std::optional<TileAxes> axes;
  llvm::StringMap<Value> values;
};

TEST_F(TileAxesTest, Elementwise) {
  parse(R"(tt.func @f(%p: !tt.ptr<f32>, %q: tensor<8x4x!tt.ptr<f32>>) {
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
    %a = tt.load %s : tensor<8x4x!tt.ptr<f32>> loc("a")
    %b = tt.load %s : tensor<8x4x!tt.ptr<f32>> loc("b")
    %c = arith.negf %a : tensor<8x4xf32> loc("c")
    tt.store %s, %c : tensor<8x4x!tt.ptr<f32>>
    tt.return
  })");
  EXPECT_EQ(axis("a", 0), axis("c", 0));
  EXPECT_EQ(axis("a", 1), axis("c", 1));
  EXPECT_NE(axis("a", 0), axis("a", 1));
  // Both are loaded through one tensor of pointers, made of a scalar.
  EXPECT_NE(axis("a", 0), axis("b", 0));
  EXPECT_EQ(get("a", 0).size, 8);
  EXPECT_EQ(get("a", 0).writers.size(), 1u);
  EXPECT_TRUE(get("b", 0).writers.empty());
  EXPECT_TRUE(get("a", 0).isParallel());
  EXPECT_EQ(get("a", 1).describe(), "dimension 1 of 'a' (8x4xf32)");
}

TEST_F(TileAxesTest, ViewsAndBroadcasts) {
  parse(R"(tt.func @f(%p: tensor<8x!tt.ptr<f32>>, %x: !tt.ptr<f32>) {
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %a = tt.load %s : tensor<8x!tt.ptr<f32>> loc("a")
    %e = tt.expand_dims %a {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32> loc("e")
    %b = tt.broadcast %e : tensor<8x1xf32> -> tensor<8x16xf32> loc("b")
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32> loc("t")
    %r = tt.reshape %t : tensor<16x8xf32> -> tensor<16x2x4xf32> loc("r")
    %k = tt.reshape %t : tensor<16x8xf32> -> tensor<16x1x8xf32> loc("k")
    tt.return
  })");
  EXPECT_EQ(axis("a", 0), axis("b", 0));
  EXPECT_EQ(axis("a", 0), axis("t", 1));
  EXPECT_EQ(axis("b", 1), axis("t", 0));
  EXPECT_FALSE(axes->getAxis(values.lookup("e"), 1).has_value());
  // The first dimension survives both reshapes, the second one only one.
  EXPECT_EQ(axis("t", 0), axis("r", 0));
  EXPECT_EQ(axis("t", 1), axis("k", 2));
  EXPECT_NE(axis("t", 1), axis("r", 1));
  EXPECT_EQ(obstacle("t", 1),
            "a reshape merges it with another dimension or divides it");
  EXPECT_EQ(obstacle("t", 0), "");
}

TEST_F(TileAxesTest, ProductsAndReductions) {
  parse(R"(tt.func @f(%x: !tt.ptr<f32>) {
    %sa = tt.splat %x : !tt.ptr<f32> -> tensor<2x8x4x!tt.ptr<f32>>
    %sb = tt.splat %x : !tt.ptr<f32> -> tensor<2x4x16x!tt.ptr<f32>>
    %a = tt.load %sa : tensor<2x8x4x!tt.ptr<f32>> loc("a")
    %b = tt.load %sb : tensor<2x4x16x!tt.ptr<f32>> loc("b")
    %z = arith.constant dense<0.0> : tensor<2x8x16xf32>
    %d = tt.dot %a, %b, %z : tensor<2x8x4xf32> * tensor<2x4x16xf32> -> tensor<2x8x16xf32> loc("d")
    %m = "tt.reduce"(%d) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<2x8x16xf32>) -> tensor<2x16xf32> loc("m")
    tt.return
  })");
  EXPECT_EQ(axis("a", 0), axis("b", 0)); // batch
  EXPECT_EQ(axis("a", 0), axis("m", 0));
  EXPECT_EQ(axis("a", 1), axis("d", 1)); // M
  EXPECT_EQ(axis("b", 2), axis("d", 2)); // N
  EXPECT_EQ(axis("b", 2), axis("m", 1));
  EXPECT_EQ(axis("a", 2), axis("b", 1)); // K
  ASSERT_EQ(get("a", 2).reducers.size(), 1u);
  EXPECT_TRUE(isa<triton::DotOp>(get("a", 2).reducers.front()));
  ASSERT_EQ(get("d", 1).reducers.size(), 1u);
  EXPECT_TRUE(isa<triton::ReduceOp>(get("d", 1).reducers.front()));
  EXPECT_TRUE(get("b", 2).isParallel());
}

/// Loops and conditionals hand axes on; block pointers have those of the tile
/// that they address; what is made of scalars links nothing.
TEST_F(TileAxesTest, ControlFlow) {
  parse(R"(tt.func @f(%x: !tt.ptr<f32>, %n: i64, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %z = arith.constant dense<0.0> : tensor<8x8xf32>
    %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xf32>>
    %r:2 = scf.for %i = %c0 to %c4 step %c4 iter_args(%acc = %z, %q = %p) -> (tensor<8x8xf32>, !tt.ptr<tensor<8x8xf32>>) : i32 {
      %a = tt.load %q : !tt.ptr<tensor<8x8xf32>> loc("a")
      %y = scf.if %c -> tensor<8x8xf32> {
        scf.yield %a : tensor<8x8xf32>
      } else {
        scf.yield %z : tensor<8x8xf32>
      } loc("y")
      %s = arith.addf %acc, %y : tensor<8x8xf32> loc("s")
      %next = tt.advance %q, [%c0, %c4] : <tensor<8x8xf32>> loc("next")
      scf.yield %s, %next : tensor<8x8xf32>, !tt.ptr<tensor<8x8xf32>>
    } loc("r")
    tt.store %p, %r#0 : !tt.ptr<tensor<8x8xf32>>
    tt.return
  })");
  EXPECT_EQ(axis("a", 0), axis("s", 0));
  EXPECT_EQ(axis("a", 0), axis("y", 0));
  EXPECT_EQ(axis("a", 1), axis("next", 1));
  EXPECT_NE(axis("s", 0), axis("s", 1));
  EXPECT_EQ(get("s", 1).writers.size(), 1u);
}

TEST_F(TileAxesTest, Obstacles) {
  parse(R"(tt.func @f(%x: !tt.ptr<f32>, %i: tensor<8x8xi32>) {
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
    %a = tt.load %s : tensor<8x4x!tt.ptr<f32>> loc("a")
    %c = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.scan.return %w : f32
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %b = tt.load %s : tensor<8x4x!tt.ptr<f32>> loc("b")
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
    %z = arith.constant dense<0.0> : tensor<8x8xf32>
    %d = tt.dot %b, %t, %z : tensor<8x4xf32> * tensor<4x8xf32> -> tensor<8x8xf32> loc("d")
    %j = tt.join %d, %z : tensor<8x8xf32> -> tensor<8x8x2xf32> loc("j")
    %l = tt.load %s {isVolatile = true} : tensor<8x4x!tt.ptr<f32>> loc("l")
    tt.return
  })");
  EXPECT_EQ(obstacle("a", 0), "a scan runs along it");
  EXPECT_EQ(obstacle("a", 1), "");
  EXPECT_EQ(obstacle("d", 0), "dimensions 0 and 1 of one tile would have to be "
                              "cut together here");
  EXPECT_EQ(obstacle("b", 1), "");
  EXPECT_EQ(obstacle("j", 2), "tiles are joined along it");
  EXPECT_EQ(obstacle("l", 0), "it is loaded volatile");
}

TEST_F(TileAxesTest, MadeOfScalars) {
  parse(R"(tt.func @f(%x: !tt.ptr<f32>, %n: i32) {
    %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %s = tt.splat %n : i32 -> tensor<8xi32>
    %c = arith.cmpi slt, %r, %s : tensor<8xi32> loc("c")
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %q = tt.addptr %p, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc("q")
    %a = tt.load %q, %c : tensor<8x!tt.ptr<f32>> loc("a")
    %d = arith.negf %a : tensor<8xf32> loc("d")
    tt.return
  })");
  EXPECT_TRUE(isMadeOfScalars(values.lookup("c")));
  EXPECT_TRUE(isMadeOfScalars(values.lookup("q")));
  EXPECT_FALSE(isMadeOfScalars(values.lookup("a")));
  EXPECT_FALSE(isMadeOfScalars(values.lookup("d")));
}

} // namespace
