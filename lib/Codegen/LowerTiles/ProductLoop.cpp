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

/// A group of iterations has at most this many elements of the reduced
/// dimension (and its packed columns at most target.packedBytes).
static constexpr int64_t kPackedDepth = 256;
/// Rows of the right operand that are packed for all columns before the next:
/// few enough for the processor to follow the memory that each is read from.
static constexpr int64_t kRowsPackedTogether = 8;

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

/// Lowers the loop's body, with `product` in the place of the product.
bool Lowering::lowerIteration(const ProductLoop &plan, Value number,
                              ValueRange carried,
                              std::function<void()> product) {
  scf::ForOp op = plan.op;
  Location loc = op.getLoc();
  Type type = op.getInductionVar().getType();
  if (type.isIndex())
    number = arith::IndexCastOp::create(b, loc, type, number);
  else if (!type.isInteger(64))
    number = arith::TruncIOp::create(b, loc, type, number);
  scalars.map(op.getInductionVar(), number);
  bindAllCarried(op.getRegionIterArgs(), carried);
  productOverride = {plan.product, std::move(product)};
  bool lowered = succeeded(lowerBlock(*op.getBody()));
  productOverride = {};
  hasFailed |= !lowered;
  return lowered;
}

/// A loop over the iterations of a group: lowers the body with `product`
/// standing for the product. `product` gets the rows packed before it, and the
/// values carried for itself, which it replaces; it returns the rows it uses.
/// Returns the rows of all iterations, what the loop carries, and those values.
SmallVector<Value> Lowering::runIterations(const ProductLoop &plan,
                                           ValueRange own, ProductFn product) {
  scf::ForOp op = plan.op;
  ValueRange carried = plan.group.carried;
  Location loc = op.getLoc();
  SmallVector<Value> inits{constant(0, loc)};
  llvm::append_range(inits, carried);
  llvm::append_range(inits, own);
  auto loop = scf::ForOp::create(b, loc, plan.group.first, plan.group.last,
                                 plan.step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Value packedRows = arguments.front(), rows = constant(0, loc);
  SmallVector<Value> state(arguments.drop_front(1 + carried.size()));
  bool lowered =
      lowerIteration(plan, loop.getInductionVar(),
                     arguments.drop_front().take_front(carried.size()),
                     [&] { rows = product(packedRows, state); });
  SmallVector<Value> yielded{addI(packedRows, rows, loc)};
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  lowered = lowered && succeeded(appendAllCarried(yield.getResults(), yielded));
  hasFailed |= !lowered;
  llvm::append_range(yielded, state);
  if (lowered)
    scf::YieldOp::create(b, loc, yielded);
  return SmallVector<Value>(loop.getResults());
}

/// `rows` rows of columns `panel` of the packed right operands, from `row` on.
Buffer Lowering::packedPanel(const ProductLoop &plan, Value panel, Value row,
                             int64_t rows, Location loc) {
  int64_t width = plan.blocking.packed;
  Value start =
      addI(mulI(panel, constant(plan.groupDepth(), loc), loc), row, loc);
  Buffer view = plan.packed;
  view.shape = {rows, width};
  view.pointer =
      elementAddress(plan.packed.pointer,
                     mulI(start, constant(plan.packed.strideOf(0), loc), loc),
                     plan.packed.elementType, loc);
  return view;
}

/// Packs the right operands of a group of iterations, unless they are kept from
/// another program. Returns what the loop carries behind the group.
SmallVector<Value> Lowering::packGroup(ProductLoop &plan) {
  if (plan.keptLeft.operand || plan.keptRight.slots) {
    SmallVector<Value> after = identifyGroup(plan);
    if (!plan.keptRight.slots) {
      packRight(plan, {});
    } else {
      plan.packed.pointer = plan.keptRight.address;
      doIf(plan.keptRight.isMissing, plan.op->getLoc(),
           [&] { packRight(plan, {}); });
    }
    return after;
  }
  SmallVector<Value> runs;
  if (mayUseRuns(plan))
    runs = startRuns(plan);
  SmallVector<Value> after = packRight(plan, runs);
  plan.group.packedRows = after.front();
  finishRuns(plan, ArrayRef(after).take_back(runs.size()));
  return llvm::to_vector(
      ArrayRef(after).drop_front().take_front(plan.group.carried.size()));
}

/// Packs a few rows of all columns at a time, so that rows are read to their
/// end, and records `runs`.
SmallVector<Value> Lowering::packRight(ProductLoop &plan, ValueRange runs) {
  Location loc = plan.op->getLoc();
  int64_t width = plan.blocking.packed;
  auto pack = [&](Value packedRow, SmallVectorImpl<Value> &state) {
    // Columns that are contiguous, or read as vectors, are read to their end.
    bool byRows =
        plan.panels > 1 && (target.stridedLanes || !isByColumns(plan.rhs));
    int64_t rows = byRows ? kRowsPackedTogether : plan.depth;
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    auto packRows = [&](Value row, Value end) {
      Value into = addI(packedRow, row, loc);
      buildLoop(loc, constant(0, loc), constant(plan.panels, loc), 1,
                [&](Value panel) {
                  packOperand(
                      plan.rhs, packedPanel(plan, panel, into, rows, loc),
                      Value(), row, mulI(panel, constant(width, loc), loc), end,
                      Value(), loc);
                });
    };
    if (rows >= plan.depth) // LLVM would take a loop here for one of two turns.
      packRows(constant(0, loc), reduction);
    else
      buildLoop(loc, constant(0, loc), reduction, rows, [&](Value row) {
        packRows(row,
                 minI(subI(reduction, row, loc), constant(rows, loc), loc));
      });
    if (!state.empty())
      recordRun(plan, packedRow, reduction, state);
    if (!plan.blocking.onTiles)
      return reduction;
    buildLoop(loc, constant(0, loc), constant(plan.panels, loc), 1,
              [&](Value panel) {
                finishRight(
                    packedPanel(plan, panel, packedRow, plan.packedDepth, loc),
                    reduction, loc);
              });
    return wholeSteps(plan.blocking, reduction, loc);
  };
  return runIterations(plan, runs, pack);
}

/// Adds a group of iterations to the sums of one block of results.
SmallVector<Value> Lowering::multiplyGroup(const ProductLoop &plan,
                                           const Blocking &blocking,
                                           Value panel, Value inPanel,
                                           Value row, Value validRows,
                                           ValueRange sums) {
  Location loc = plan.op->getLoc();
  auto columns = [&](Value packedRow, int64_t rows) {
    return columnsFrom(packedPanel(plan, panel, packedRow, rows, loc), inPanel,
                       loc);
  };
  // Both operands are packed without gaps: all iterations are one.
  if (plan.left.rows)
    return multiplyBlock(rowsOfChunk(plan, row, loc),
                         columns(constant(0, loc), plan.groupDepth()),
                         SmallVector<Value>(sums), blocking,
                         plan.group.packedRows, loc);
  auto multiply = [&](Value packedRow, SmallVectorImpl<Value> &state) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    RowPanel rows = leftRows(plan.lhs, plan.packedLeft, Value(), row, validRows,
                             reduction, loc,
                             /*mayBeInPlace=*/!plan.runs.table.pointer);
    SmallVector<Value> next = multiplyBlock(
        rows, columns(packedRow, plan.depth), state, blocking, reduction, loc);
    llvm::copy(next, state.begin());
    return wholeSteps(plan.blocking, reduction, loc);
  };
  auto byIterations = [&] {
    // Behind runs there are only blocks at the tensor's edges.
    llvm::SaveAndRestore<bool> scope(isCold, isCold || plan.runs.table.pointer);
    SmallVector<Value> all = runIterations(plan, sums, multiply);
    return SmallVector<Value>(ArrayRef(all).take_back(sums.size()));
  };
  if (!plan.runs.table.pointer)
    return byIterations();
  auto byRuns = [&] {
    auto packed = [&](Value packedRow) {
      return columns(packedRow, plan.groupDepth());
    };
    return multiplyInPlace(plan, blocking, panel, row, sums, packed);
  };
  Value inPlace = likely(readsRuns(plan, row, loc), loc);
  return chooseAll(inPlace, sums.getTypes(), loc, byRuns, byIterations);
}

/// Runs one block of results through a group of iterations.
void Lowering::updateBlock(const ProductLoop &plan, const Blocking &blocking,
                           Value panel, Value inPanel, Value row) {
  Location loc = plan.op->getLoc();
  const ProductLoop::Group &group = plan.group;
  Value column =
      addI(mulI(panel, constant(blocking.packed, loc), loc), inPanel, loc);
  Value first = bufferAddress(plan.out, {row, column}, loc);
  Value fromZero;
  if (plan.startsFromZero)
    fromZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     group.first, plan.low);
  SmallVector<Value> sums =
      loadResults(plan.out, first, blocking, fromZero, loc);
  Value valid = validRows(blocking, row, loc);
  prefetchPart(plan, panel, inPanel, row);
  SmallVector<Value> results =
      multiplyGroup(plan, blocking, panel, inPanel, row, valid, sums);
  auto keep = [&] { storeResults(plan.out, first, blocking, results, loc); };
  if (!streams(plan.op))
    return keep();
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                       group.last, plan.high);
  doIf(
      isLast, loc,
      [&] {
        storeStreamedBlock({row, column}, valid, blocking, results, plan.edge,
                           loc);
      },
      keep);
}

/// Runs the rows of a chunk, up to `end`, of all columns through a group of
/// iterations.
void Lowering::multiplyChunk(const ProductLoop &plan, Value end) {
  Location loc = plan.op->getLoc();
  auto panel = [&](Value panel) {
    forEachBlock(plan.blocking, loc, [&](Value inPanel, const Blocking &size) {
      buildLoop(
          loc, plan.left.first, end, size.rows,
          [&](Value row) { updateBlock(plan, size, panel, inPanel, row); },
          /*mayUnroll=*/false);
    });
  };
  buildLoop(loc, constant(0, loc), constant(plan.panels, loc), 1, panel,
            /*mayUnroll=*/false);
}

/// Packs and multiplies chunk after chunk, or all rows where they lie.
void Lowering::multiplyChunks(ProductLoop &plan) {
  Location loc = plan.op->getLoc();
  Value rows = constant(plan.blocking.m, loc);
  int64_t step = plan.left.rows ? plan.left.rows : plan.blocking.m;
  buildLoop(loc, constant(0, loc), rows, step, [&](Value chunk) {
    plan.left.first = chunk;
    if (plan.left.rows)
      packLeftChunk(plan);
    multiplyChunk(plan, minI(addI(chunk, constant(step, loc), loc), rows, loc));
  });
}

/// Runs all rows through a group of iterations, behind which the loop carries
/// `after`.
void Lowering::multiplyAll(ProductLoop &plan, ValueRange after) {
  auto packed = [&] {
    plan.left = planLeftChunk(plan);
    planPrefetch(plan, after);
    multiplyChunks(plan);
  };
  if (!mayReadColumns(plan))
    return packed();
  // A chunk that is kept is not found by groups that have packed none: the
  // number of columns is part of its key.
  Location loc = plan.op->getLoc();
  doIf(hasFewColumns(plan, loc), loc, [&] { multiplyChunks(plan); }, packed);
}

/// Whether blocks of the usual two vectors have so many groups of columns that
/// rows of the left operand are copied for them.
static bool hasManyColumns(const Blocking &blocking) {
  return blocking.n >= kManyPanels * 2 * blocking.lanes;
}

/// The most elements of the reduced dimension in a group, so that the packed
/// columns of a block stay in the first-level cache: of four vectors fewer, and
/// fewer still beside packed rows.
static int64_t mostDepth(const Blocking &blocking) {
  if (blocking.alongColumns || blocking.vectors <= 2)
    return kPackedDepth;
  return hasManyColumns(blocking) ? kPackedDepth / 2 : kPackedDepth * 3 / 4;
}

/// Makes blocks of four vectors by four rows, of as many results as the usual
/// ones of two by eight: a multiply-add then takes 0.5 loads instead of 0.63,
/// and half as many rows have to be followed. That pays where rows are read in
/// place, and where columns are packed, not where many rows are copied.
static void widenBlocks(Blocking &blocking, const VectorTarget &target,
                        Value lhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  int64_t columns = 4 * blocking.lanes;
  bool hasRoom = target.vectorBits == 512 && target.vectorRegisters >= 32 &&
                 !target.loadsScalars();
  if (!hasRoom || !type.getElementType().isF32() || blocking.transposed ||
      blocking.onTiles || blocking.vectors != 2 || blocking.rows != 8 ||
      blocking.n % columns)
    return;
  int dim = contiguousDim(lhs);
  if (dim < 0 || (dim == 0) != hasManyColumns(blocking))
    return;
  Blocking wide = blocking;
  wide.vectors = wide.rows = 4;
  wide.packed = columns;
  if (wide.k * 2 <= mostDepth(wide)) // Else no iterations would go together.
    blocking = wide;
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
  plan.blocking = blockingForStore(
      op, blockingOf(product, /*mayOverhang=*/plan.startsFromZero));
  widenBlocks(plan.blocking, target, plan.lhs);
  plan.panels = columns / plan.blocking.packed;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (plan.blocking.inParts)
    bytes *= 2;
  plan.packedDepth = wholeSteps(plan.blocking, plan.depth);
  // What is kept is not in the arena, and the deeper a group is, the less often
  // results are read and written.
  int64_t room = target.packedBytes * (mayKeep(plan, plan.rhs) ? 2 : 1);
  plan.iterations = std::min(room / (plan.packedDepth * columns * bytes),
                             mostDepth(plan.blocking) / plan.packedDepth);
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
  Type operand = operandType(plan.product);
  plan.packedLeft = makePackedLeft(plan.blocking.rows, plan.packedDepth,
                                   plan.blocking, operand, loc, "dot.lhs");
  int64_t packedRows = plan.panels * plan.groupDepth();
  plan.packed = {Value(), operand, {packedRows, plan.blocking.packed}};
  planKept(plan);
  if (!plan.keptRight.slots)
    plan.packed = makePackedRight(packedRows, plan.blocking.packed,
                                  plan.blocking, operand, loc);
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
  forbidUnrolling(groups);
  {
    OpBuilder::InsertionGuard guard(b);
    if (inits.empty())
      groups.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(groups.getBody());
    ProductLoop::Group &group = plan.group;
    group.loop = groups;
    group.first = groups.getInductionVar();
    group.last = minI(addI(group.first, groupStep, loc), plan.high, loc);
    group.carried = groups.getRegionIterArgs();
    SmallVector<Value> after = packGroup(plan);
    multiplyAll(plan, after);
    scf::YieldOp::create(b, loc, after);
  }
  bindAllCarried(op.getResults(), groups.getResults());
  if (hasFailed)
    return failure();
  return true;
}
