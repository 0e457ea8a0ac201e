//===- Exchange.cpp - blocks whose rows and columns are exchanged ---------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// An operand whose contiguous dimension is not that of the panel it is packed
// into would be stored element by element. Instead squares of it are exchanged
// in registers: vectors along the one dimension are loaded, and vectors along
// the other stored. The last block of a dimension begins early enough to end
// with it, so what is inside needs no masks. Targets with strided stores need
// none of this.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

/// Shorter vectors are not worth an exchange.
static constexpr int64_t kLeastSide = 4;

/// In squares of all sides, the upper right quarter and the lower left one are
/// exchanged.
void spine::transposeSquares(OpBuilder &b, MutableArrayRef<Value> vectors,
                             Location loc) {
  int64_t n = vectors.size();
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getDimSize(0);
  for (int64_t side = n / 2; side > 0; side /= 2)
    for (int64_t i = 0; i < n; ++i) {
      if (i & side)
        continue;
      SmallVector<int64_t> first, second;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        bool isRight = lane & side;
        first.push_back(isRight ? lanes + lane - side : lane);
        second.push_back(isRight ? lanes + lane : lane + side);
      }
      Value upper = vectors[i], lower = vectors[i + side];
      vectors[i] = vector::ShuffleOp::create(b, loc, upper, lower, first);
      vectors[i + side] =
          vector::ShuffleOp::create(b, loc, upper, lower, second);
    }
}

Value spine::rowOfSquares(OpBuilder &b, ArrayRef<Value> vectors, int64_t lane,
                          Location loc) {
  int64_t n = vectors.size(), inSquare = lane % n;
  return vector::ExtractStridedSliceOp::create(
      b, loc, vectors[inSquare], ArrayRef<int64_t>{lane - inSquare},
      ArrayRef<int64_t>{n}, ArrayRef<int64_t>{1});
}

/// The load that `tile` comes from by operations that read nothing else.
static triton::LoadOp onlyLoadOf(Value tile,
                                 const DenseMap<Value, Buffer> &buffers) {
  while (!buffers.count(tile)) {
    if (auto load = tile.getDefiningOp<triton::LoadOp>())
      return load;
    auto op = tile.getDefiningOp<linalg::LinalgOp>();
    if (!op || op.getNumDpsInputs() != 1)
      return {};
    tile = op.getDpsInputs()[0];
  }
  return {};
}

std::optional<Lowering::Exchange>
Lowering::planExchange(Value operand, const Buffer &panel, int dim) {
  if (dim != 0 || target.stridedLanes || isCold)
    return std::nullopt;
  triton::LoadOp load = onlyLoadOf(operand, buffers);
  auto access = load ? accesses.find(load) : accesses.end();
  if (access == accesses.end())
    return std::nullopt;
  Exchange exchange{access->second, 0, 0};
  exchange.rows = std::min(lanesFor(panel.shape, dim, panel.elementType),
                           target.lanesOf(panel.elementType));
  int64_t columns = llvm::bit_floor<uint64_t>(panel.shape[1]);
  // Half of the registers hold the block.
  int64_t registers = llvm::bit_floor(target.vectorRegisters / 2);
  exchange.columns = std::min({exchange.rows, columns, registers});
  if (exchange.columns < kLeastSide)
    return std::nullopt;
  return exchange;
}

/// Whether `size` elements are at least one block; null if they always are.
Value Lowering::holdsBlock(Value size, int64_t block, Location loc) {
  std::optional<int64_t> known = constantOf(size);
  if (known && *known >= block)
    return {};
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size,
                               constant(block, loc));
}

/// Runs `body` for blocks of `size` elements that cover those up to `end`,
/// which are at least one block. The last one begins early enough to end there.
void Lowering::coverByBlocks(Value end, int64_t size, Location loc,
                             function_ref<void(Value)> body) {
  std::optional<int64_t> known = constantOf(end);
  Value last;
  if (!known || *known % size) {
    // Where `end` turns out to be less, this is code that never runs; it should
    // not be seen to leave the panel.
    Value zero = constant(0, loc);
    last = maxI(subI(end, constant(size, loc), loc), zero, loc);
  }
  auto block = [&](Value i) { body(last ? minI(i, last, loc) : i); };
  buildLoop(loc, constant(0, loc), end, size, block, /*mayUnroll=*/false);
}

void Lowering::packBlock(const Exchange &exchange, const Buffer &panel,
                         Value row, Value column,
                         function_ref<Value(const Point &)> element,
                         Location loc) {
  Cache local;
  llvm::SaveAndRestore<Cache *> scope(cache, &local);
  SmallVector<Value> vectors;
  for (int64_t j = 0; j < exchange.columns; ++j) {
    Point point{{row, addI(column, constant(j, loc), loc)}, 0, exchange.rows};
    vectors.push_back(shaped(element(point), point, loc));
  }
  transposeSquares(b, vectors, loc);
  for (int64_t i = 0; i < exchange.rows; ++i) {
    Point point{
        {addI(row, constant(i, loc), loc), column}, 1, exchange.columns};
    storeBuffer(panel, point, rowOfSquares(b, vectors, i, loc), loc);
  }
}

void Lowering::packByExchange(const Exchange &exchange, const Buffer &panel,
                              Value inside, ArrayRef<Value> extent,
                              function_ref<Value(const Point &)> element,
                              function_ref<void()> otherwise, Location loc) {
  Value fits = andI(inside, holdsBlock(extent[0], exchange.rows, loc), loc);
  fits = andI(fits, holdsBlock(extent[1], exchange.columns, loc), loc);
  auto blocks = [&] {
    llvm::SaveAndRestore<bool> scope(isUnchecked, true);
    coverByBlocks(extent[1], exchange.columns, loc, [&](Value column) {
      coverByBlocks(extent[0], exchange.rows, loc, [&](Value row) {
        packBlock(exchange, panel, row, column, element, loc);
      });
    });
  };
  doIf(likely(fits, loc), loc, blocks, otherwise);
}
