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
static constexpr int64_t kPackedDepth = 256;

/// The product if the loop accumulates one and holds no buffers.
linalg::LinalgOp Lowering::productOf(scf::ForOp op) {
  linalg::LinalgOp product = accumulatedProduct(op);
  if (!product)
    return {};
  bool buffered = false;
  for (Operation &nested : op.getBody()->without_terminator())
    for (Value result : nested.getResults())
      buffered |= &nested != product &&
                  isa<RankedTensorType>(result.getType()) &&
                  placement.needsBuffer(result);
  return buffered ? linalg::LinalgOp() : product;
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
  bindAllCarried(op.getRegionIterArgs(), parts);

  productOverride = {productOp, [&] { product(packedRows, state); }};
  bool lowered = succeeded(lowerBlock(*op.getBody()));
  productOverride = {};
  SmallVector<Value> yielded{addI(packedRows, constant(depth, loc), loc)};
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  lowered = lowered && succeeded(appendAllCarried(yield.getResults(), yielded));
  hasFailed |= !lowered;
  llvm::append_range(yielded, state);
  if (lowered)
    scf::YieldOp::create(b, loc, yielded);
  return SmallVector<Value>(loop.getResults().drop_front());
}

/// Columns `panel` of the packed right operands, from row `row` on.
Buffer Lowering::packedPanel(const ProductLoop &plan, Value panel, Value row,
                             Location loc) {
  int64_t width = plan.blocking.packed;
  Value start = addI(
      mulI(panel, constant(plan.iterations * plan.depth, loc), loc), row, loc);
  Buffer view = plan.packed;
  view.shape = {plan.depth, width};
  view.pointer = elementAddress(plan.packed.pointer,
                                mulI(start, constant(width, loc), loc),
                                plan.packed.elementType, loc);
  return view;
}

/// Packs the right operands of the iterations [first, last). Returns what the
/// loop carries behind them.
SmallVector<Value> Lowering::packGroup(const ProductLoop &plan, Value first,
                                       Value last, ValueRange carried) {
  Location loc = plan.op->getLoc();
  int64_t width = plan.blocking.packed;
  auto pack = [&](Value row, SmallVectorImpl<Value> &) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    buildLoop(
        loc, constant(0, loc), constant(plan.panels, loc), 1, [&](Value panel) {
          Value column = mulI(panel, constant(width, loc), loc);
          packOperand(plan.rhs, packedPanel(plan, panel, row, loc), Value(),
                      constant(0, loc), column, reduction, Value(), loc);
        });
  };
  return runIterations(plan.op, plan.product, first, last, plan.step,
                       plan.depth, carried, {}, pack);
}

/// Runs one block of results through the iterations [first, last).
void Lowering::multiplyGroup(const ProductLoop &plan, Value first, Value last,
                             ValueRange carried, Value panel, Value inPanel,
                             Value row) {
  Location loc = plan.op->getLoc();
  Value column =
      addI(mulI(panel, constant(plan.blocking.packed, loc), loc), inPanel, loc);
  SmallVector<Value> addresses;
  blockOfResults(plan.out, Value(), row, column, plan.blocking, addresses);
  Value fromZero;
  if (plan.startsFromZero)
    fromZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, first,
                                     plan.low);
  SmallVector<Value> sums =
      loadResults(plan.out, addresses, plan.blocking, fromZero, loc);
  Value valid = validRows(plan.blocking, row, loc);
  auto multiply = [&](Value packedRow, SmallVectorImpl<Value> &state) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    RowPanel rows = plan.left.rows
                        ? rowsOfChunk(plan, packedRow, row, loc)
                        : leftRows(plan.lhs, plan.packedLeft, Value(), row,
                                   valid, reduction, loc);
    Buffer columns =
        columnsFrom(packedPanel(plan, panel, packedRow, loc), inPanel, loc);
    SmallVector<Value> next =
        multiplyBlock(rows, columns, state, plan.blocking, reduction, loc);
    llvm::copy(next, state.begin());
  };
  SmallVector<Value> all =
      runIterations(plan.op, plan.product, first, last, plan.step, plan.depth,
                    carried, sums, multiply);
  ArrayRef<Value> results = ArrayRef(all).take_back(sums.size());
  auto keep = [&] {
    storeResults(plan.out, addresses, plan.blocking, results, loc);
  };
  if (!streams(plan.op))
    return keep();
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, last, plan.high);
  doIf(
      isLast, loc,
      [&] {
        storeStreamedBlock({row, column}, valid, plan.blocking, results,
                           plan.edge, loc);
      },
      keep);
}

/// Runs all blocks of results of one panel, of the rows of a chunk up to `end`,
/// through the iterations.
void Lowering::multiplyPanel(const ProductLoop &plan, Value first, Value last,
                             ValueRange carried, Value panel, Value end) {
  Location loc = plan.op->getLoc();
  forEachBlock(plan.blocking, loc, [&](Value inPanel) {
    buildLoop(loc, plan.left.first, end, plan.blocking.rows, [&](Value row) {
      multiplyGroup(plan, first, last, carried, panel, inPanel, row);
    });
  });
}

/// Multiplies the rows of a chunk, up to `end`, with all columns.
void Lowering::multiplyChunk(const ProductLoop &plan, Value first, Value last,
                             ValueRange carried, Value end) {
  Location loc = plan.op->getLoc();
  buildLoop(loc, constant(0, loc), constant(plan.panels, loc), 1,
            [&](Value panel) {
              multiplyPanel(plan, first, last, carried, panel, end);
            });
}

/// Sizes and buffers, if it is worth taking iterations together.
std::optional<Lowering::ProductLoop>
Lowering::planProductLoop(scf::ForOp op, linalg::LinalgOp product) {
  ProductLoop plan;
  plan.op = op;
  plan.product = product;
  plan.lhs = product.getDpsInputs()[0];
  plan.rhs = product.getDpsInputs()[1];
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  Type element = type.getElementType();
  int64_t columns = type.getDimSize(1);
  plan.depth = cast<RankedTensorType>(plan.lhs.getType()).getDimSize(1);
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
    if (isa<RankedTensorType>(argument.getType()))
      plan.position = i;
  plan.startsFromZero = isZeroTile(op.getInitArgs()[plan.position]);
  plan.blocking = blockingOf(product, /*mayOverhang=*/plan.startsFromZero);
  plan.panels = columns / plan.blocking.packed;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  plan.iterations = std::min(kPackedBytes / (plan.depth * columns * bytes),
                             kPackedDepth / plan.depth);
  if (plan.iterations < 2 || columns % plan.blocking.packed)
    return std::nullopt;
  return plan;
}

LogicalResult Lowering::startProductLoop(ProductLoop &plan) {
  scf::ForOp op = plan.op;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(plan.product->getResult(0).getType());
  Value init = op.getInitArgs()[plan.position];
  SmallVector<Buffer> tiles;
  if (plan.startsFromZero) {
    // Room for a last block of rows that stands over the end.
    tiles.push_back(makeScratch(
        op.getRegionIterArgs()[plan.position],
        /*isTemporary=*/false, {plan.blocking.paddedRows(), type.getDimSize(1)},
        type.getElementType(), plan.product->getLoc(), "accumulator"));
    tiles.back().shape[0] = type.getDimSize(0);
  } else if (failed(startCarriedTiles(op, op.getInitArgs(),
                                      op.getRegionIterArgs(), tiles)))
    return failure();
  plan.out = tiles.front();
  buffers[op.getRegionIterArgs()[plan.position]] = plan.out;
  buffers[plan.product->getResult(0)] = plan.out;
  buffers[op.getResult(plan.position)] = plan.out;

  plan.low = toI64(lowered(op.getLowerBound()), loc);
  plan.high = toI64(lowered(op.getUpperBound()), loc);
  plan.step = toI64(lowered(op.getStep()), loc);
  if (streams(op)) {
    stream->isTaken = true;
  } else if (plan.startsFromZero) {
    // Without an iteration nothing writes the accumulator.
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                       plan.low, plan.high);
    doIf(none, loc, [&] { materialise(init, plan.out); });
  }
  Value result = plan.product->getResult(0);
  plan.packed = makeTemporary(
      result,
      {plan.panels * plan.iterations * plan.depth, plan.blocking.packed},
      type.getElementType(), loc, "dot.rhs");
  plan.packedLeft = makeTemporary(result, {plan.blocking.rows, plan.depth},
                                  type.getElementType(), loc, "dot.lhs");
  plan.edge = makeEdgeBuffer(op.getResult(plan.position), plan.blocking,
                             type.getElementType(), loc);
  return failure(hasFailed);
}

FailureOr<bool> Lowering::lowerProductLoop(scf::ForOp op) {
  linalg::LinalgOp product = productOf(op);
  std::optional<ProductLoop> found;
  if (product)
    found = planProductLoop(op, product);
  if (!found)
    return false;
  ProductLoop &plan = *found;
  SmallVector<Value> inits;
  if (failed(startProductLoop(plan)) ||
      failed(appendAllCarried(op.getInitArgs(), inits)))
    return failure();

  Location loc = op.getLoc();
  Value groupStep = mulI(plan.step, constant(plan.iterations, loc), loc);
  // The last group stores the results, so one is needed even if it is empty.
  Value end = plan.high;
  if (streams(op))
    end = maxI(end, addI(plan.low, constant(1, loc), loc), loc);
  auto groups = scf::ForOp::create(b, loc, plan.low, end, groupStep, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    if (inits.empty())
      groups.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(groups.getBody());
    Value first = groups.getInductionVar();
    Value last = minI(addI(first, groupStep, loc), plan.high, loc);
    ValueRange carried = groups.getRegionIterArgs();
    SmallVector<Value> after = packGroup(plan, first, last, carried);
    plan.left = planLeftChunk(plan);
    Value rows = constant(plan.blocking.m, loc);
    int64_t step = plan.left.rows ? plan.left.rows : plan.blocking.m;
    buildLoop(loc, constant(0, loc), rows, step, [&](Value chunk) {
      plan.left.first = chunk;
      if (plan.left.rows)
        packLeftChunk(plan, first, last, carried);
      Value end = minI(addI(chunk, constant(step, loc), loc), rows, loc);
      multiplyChunk(plan, first, last, carried, end);
    });
    scf::YieldOp::create(b, loc, after);
  }
  bindAllCarried(op.getResults(), groups.getResults());
  if (hasFailed)
    return failure();
  return true;
}
