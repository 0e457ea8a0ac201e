//===- ProductLoop.cpp - loops that accumulate a product ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The usual GEMM walks over the reduced dimension in a loop and adds one
// product of tiles per iteration. Taken literally, every iteration reads and
// writes the whole accumulator and visits a short piece of each row of the left
// operand. Here several iterations are taken together: first the right operands
// of all of them are packed, then each group of rows runs through the
// iterations with its results in registers and its memory read in order.
//
// The scalar part of the loop's body (offsets, advanced block pointers) is
// cheap and is simply lowered twice.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// Packed columns of one group of iterations: at most this many bytes, and at
/// most this many elements of the reduced dimension.
static constexpr int64_t kPackedBytes = 64 * 1024;
static constexpr int64_t kPackedDepth = 512;

/// The product if the loop does nothing but accumulate one.
linalg::LinalgOp Lowering::accumulatedProduct(scf::ForOp op) {
  if (op.getUnsignedCmp())
    return {};
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  linalg::LinalgOp product;
  for (auto [argument, value] :
       llvm::zip(op.getRegionIterArgs(), yield.getResults())) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    auto candidate = value.getDefiningOp<linalg::LinalgOp>();
    if (product || !candidate ||
        !isa<linalg::MatmulOp>(candidate.getOperation()) ||
        candidate.getDpsInits()[0] != argument || !argument.hasOneUse() ||
        !value.hasOneUse() || candidate->getBlock() != op.getBody())
      return {};
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    if (element.isF16() || element.isBF16())
      return {};
    product = candidate;
  }
  if (!product)
    return {};
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (&nested == product)
      continue;
    bool writes =
        writesMemory(&nested) || isa<triton::PrintOp, triton::AssertOp>(nested);
    bool buffered = llvm::any_of(nested.getResults(), [&](Value v) {
      return isa<RankedTensorType>(v.getType()) && placement.needsBuffer(v);
    });
    if (writes || buffered || nested.getNumRegions() > 1 ||
        (nested.getNumRegions() == 1 && !isa<linalg::LinalgOp>(nested)))
      return {};
  }
  return product;
}

static bool isZeroTile(Value tile) {
  if (auto fill = tile.getDefiningOp<linalg::FillOp>())
    tile = fill.getInputs()[0];
  return matchPattern(tile, m_AnyZeroFloat()) || matchPattern(tile, m_Zero());
}

/// A loop over some of the iterations: lowers the body with `product` standing
/// for the product, and returns what the iterations carry. `product` gets the
/// number of rows packed so far, and the values carried for itself, which it
/// replaces.
SmallVector<Value> Lowering::runIterations(
    scf::ForOp op, Operation *productOp, Value from, Value to, Value step,
    int64_t depth, ValueRange carried, ValueRange own,
    function_ref<void(Value, SmallVectorImpl<Value> &)> product) {
  Location loc = op.getLoc();
  SmallVector<Value> inits{constant(0, loc)};
  llvm::append_range(inits, carried);
  llvm::append_range(inits, own);
  auto loop = scf::ForOp::create(b, loc, from, to, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value packedRows = loop.getRegionIterArgs()[0];
  ValueRange parts =
      loop.getRegionIterArgs().drop_front().take_front(carried.size());
  SmallVector<Value> state(
      loop.getRegionIterArgs().drop_front(1 + carried.size()));

  Value variable = loop.getInductionVar();
  Type type = op.getInductionVar().getType();
  if (type.isIndex())
    variable = arith::IndexCastOp::create(b, loc, type, variable);
  else if (!type.isInteger(64))
    variable = arith::TruncIOp::create(b, loc, type, variable);
  scalars.map(op.getInductionVar(), variable);
  for (Value argument : op.getRegionIterArgs())
    bindCarried(argument, parts);

  productOverride = {productOp, [&] { product(packedRows, state); }};
  bool lowered = succeeded(lowerBlock(*op.getBody()));
  productOverride = {};
  SmallVector<Value> yielded{addI(packedRows, constant(depth, loc), loc)};
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  for (Value value : yield.getResults())
    lowered = lowered && succeeded(appendCarried(value, yielded));
  hasFailed |= !lowered;
  llvm::append_range(yielded, state);
  if (lowered)
    scf::YieldOp::create(b, loc, yielded);
  return SmallVector<Value>(loop.getResults().drop_front());
}

FailureOr<bool> Lowering::lowerProductLoop(scf::ForOp op) {
  linalg::LinalgOp product = accumulatedProduct(op);
  if (!product)
    return false;
  Location loc = op.getLoc();
  Value lhs = product.getDpsInputs()[0], rhs = product.getDpsInputs()[1];
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  Type element = type.getElementType();
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t depth = cast<RankedTensorType>(lhs.getType()).getDimSize(1);
  Blocking blocking = chooseBlocking(target, rows, columns, depth, element);
  int64_t width = blocking.columns();
  int64_t iterations = std::min(
      kPackedBytes / (depth * columns * (element.getIntOrFloatBitWidth() / 8)),
      kPackedDepth / depth);
  if (iterations < 2 || columns % width)
    return false;

  unsigned position = 0;
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
    if (isa<RankedTensorType>(argument.getType()))
      position = i;
  Value init = op.getInitArgs()[position];
  bool zero = isZeroTile(init);
  SmallVector<Buffer> carriedTiles;
  if (zero)
    carriedTiles.push_back(makeBuffer(type, loc, "accumulator"));
  else if (failed(startCarriedTiles(op, op.getInitArgs(),
                                    op.getRegionIterArgs(), carriedTiles)))
    return failure();
  Buffer out = carriedTiles.front();
  buffers[op.getRegionIterArgs()[position]] = out;
  buffers[product->getResult(0)] = out;
  buffers[op.getResult(position)] = out;

  SmallVector<Value> inits;
  for (Value value : op.getInitArgs())
    if (failed(appendCarried(value, inits)))
      return failure();
  Value low = toI64(lowered(op.getLowerBound()), loc);
  Value high = toI64(lowered(op.getUpperBound()), loc);
  Value step = toI64(lowered(op.getStep()), loc);
  if (zero) {
    // Without an iteration nothing writes the accumulator.
    Value none =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, low, high);
    doIf(none, loc, [&] { materialise(init, out); });
  }

  int64_t panels = columns / width;
  Buffer packed =
      makeBuffer({panels * iterations * depth, width}, element, loc, "dot.rhs");
  Buffer packedLeft =
      makeBuffer({blocking.rows, depth}, element, loc, "dot.lhs");
  Value groupStep = mulI(step, constant(iterations, loc), loc);
  auto groups = scf::ForOp::create(b, loc, low, high, groupStep, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    if (inits.empty())
      groups.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(groups.getBody());
    Value first = groups.getInductionVar();
    Value last = minI(addI(first, groupStep, loc), high, loc);
    ValueRange carried = groups.getRegionIterArgs();
    auto panelAt = [&](Value panel, Value row) {
      Buffer view = packed;
      view.shape = {depth, width};
      Value start =
          addI(mulI(panel, constant(iterations * depth, loc), loc), row, loc);
      view.pointer = elementAddress(
          packed.pointer, mulI(start, constant(width, loc), loc), element, loc);
      return view;
    };

    SmallVector<Value> after = runIterations(
        op, product, first, last, step, depth, carried, {},
        [&](Value row, SmallVectorImpl<Value> &) {
          Value reduction = reductionEnd(lhs, rhs, depth, loc);
          buildLoop(loc, constant(0, loc), constant(panels, loc), 1,
                    [&](Value panel) {
                      packColumns(rhs, panelAt(panel, row), Value(),
                                  mulI(panel, constant(width, loc), loc),
                                  reduction, loc);
                    });
        });

    auto block = [&](Value panel, Value row, int64_t height) {
      SmallVector<Value> sums, addresses;
      Value column = mulI(panel, constant(width, loc), loc);
      blockOfResults(out, Value(), row, column, height, blocking, addresses);
      Value fromZero;
      if (zero)
        fromZero =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, first, low);
      sums = loadResults(addresses, element, blocking.lanes, fromZero, loc);
      Buffer left = packedLeft;
      left.shape[0] = height;
      SmallVector<Value> all =
          runIterations(op, product, first, last, step, depth, carried, sums,
                        [&](Value packedRow, SmallVectorImpl<Value> &state) {
                          Value reduction = reductionEnd(lhs, rhs, depth, loc);
                          RowPanel panelRows = leftRows(lhs, left, Value(), row,
                                                        height, reduction, loc);
                          SmallVector<Value> next =
                              multiplyRows(panelRows, panelAt(panel, packedRow),
                                           state, height, reduction, loc);
                          llvm::copy(next, state.begin());
                        });
      for (auto [sum, address] :
           llvm::zip(ArrayRef(all).take_back(sums.size()), addresses))
        store(sum, address, loc);
    };
    int64_t whole = rows / blocking.rows * blocking.rows;
    buildLoop(
        loc, constant(0, loc), constant(panels, loc), 1, [&](Value panel) {
          buildLoop(loc, constant(0, loc), constant(whole, loc), blocking.rows,
                    [&](Value row) { block(panel, row, blocking.rows); });
          if (whole != rows)
            block(panel, constant(whole, loc), rows - whole);
        });
    scf::YieldOp::create(b, loc, after);
  }
  ValueRange parts = groups.getResults();
  for (Value result : op.getResults())
    bindCarried(result, parts);
  return !hasFailed ? FailureOr<bool>(true) : FailureOr<bool>(failure());
}
