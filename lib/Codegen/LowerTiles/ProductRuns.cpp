//===- ProductRuns.cpp - left operands read over several iterations -------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Each block of results of a product's loop runs through all iterations of a
// group. Finding out where an iteration's rows are and whether all of them can
// be read in place takes dozens of instructions, as many as multiplying a few
// elements of the reduction. So this is done once per group, while the right
// operands are packed: a table says where the left operands are, and what
// follows in memory on the iteration before is one run with it. In the usual
// GEMM the whole group is one run. Iterations of a few steps whose number is
// known, like the rows of a small filter, are runs of their own: their code has
// no loop.
//
// Blocks some of whose rows are outside in any iteration do not use the table:
// their rows are packed, iteration by iteration.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// With so many groups of columns, those behind the first have a loop of their
/// own: they find the rows in the cache.
static constexpr int64_t kPanelsInCache = 4;

/// What the table has for a run: the address of its first element, and where in
/// the packed reduction it begins and ends.
enum RunField { kAddress, kBegin, kEnd, kNumFields };

/// What is carried through the iterations while runs are found.
enum RunState { kCount, kLowRow, kHighRow, kStart, kFirst, kNumStates };

bool Lowering::mayUseRuns(const ProductLoop &plan) {
  auto load = plan.lhs.getDefiningOp<triton::LoadOp>();
  Type element = plan.packed.elementType;
  return load && !isCold && !buffers.count(plan.lhs) &&
         !plan.blocking.onTiles &&
         getElementTypeOrSelf(load.getType()) == element;
}

SmallVector<Value> Lowering::startRuns(const ProductLoop &plan) {
  Location loc = plan.op->getLoc();
  SmallVector<Value> state(kNumStates, constant(0, loc));
  state[kHighRow] = constant(plan.blocking.m, loc);
  return state;
}

Value Lowering::runField(const ProductLoop &plan, Value run, int field,
                         Location loc) {
  return bufferAddress(plan.runs.table, {run, constant(field, loc)}, loc);
}

/// Whether a value is the same in all iterations of the loop being built.
static bool isInvariant(Value value, scf::ForOp groups) {
  return !groups->isAncestor(value.getParentRegion()->getParentOp());
}

/// Narrows the rows that can be read in place to those of this iteration.
void Lowering::narrowRows(ProductLoop &plan, const BlockAccess &access,
                          Value reduction, MutableArrayRef<Value> state) {
  Location loc = plan.op->getLoc();
  plan.runs.isChecked = plan.blocking.m % plan.blocking.rows != 0;
  if (access.high[0]) {
    plan.runs.isChecked = true;
    // A constant in the common case, in which it is not carried at all.
    if (!isConstantValue(access.low[0], 0))
      state[kLowRow] = maxI(state[kLowRow], access.low[0], loc);
    state[kHighRow] = minI(state[kHighRow], access.high[0], loc);
  }
  BlockAccess columns = access;
  columns.high[0] = Value();
  Value zero = constant(0, loc);
  Value inside = insideOf(columns, {zero, zero}, {zero, reduction}, loc);
  if (!inside)
    return;
  plan.runs.isChecked = true;
  state[kHighRow] =
      arith::SelectOp::create(b, loc, inside, state[kHighRow], zero);
}

/// Whether an iteration's rows, which begin at `address`, follow in memory on
/// the run before. Runs of a known length have code for it and go no further.
Value Lowering::continuesRun(const ProductLoop &plan, Value address,
                             Type element, Value packedRow,
                             ArrayRef<Value> state) {
  Location loc = plan.op->getLoc();
  if (plan.runs.length)
    return arith::ConstantIntOp::create(b, loc, b.getI1Type(), false);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value distance =
      mulI(mulI(subI(packedRow, state[kFirst], loc), plan.runs.step, loc),
           constant(bytes, loc), loc);
  return andI(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                    state[kCount], constant(0, loc)),
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, address,
                                    addI(state[kStart], distance, loc)),
              loc);
}

void Lowering::recordRun(ProductLoop &plan, Value packedRow, Value reduction,
                         MutableArrayRef<Value> state) {
  Location loc = plan.op->getLoc();
  auto found = accesses.find(plan.lhs.getDefiningOp());
  if (found == accesses.end() ||
      (rowsPackedAhead(plan) && !mayReadColumns(plan)))
    return;
  const BlockAccess &access = found->second;
  if (!llvm::all_of(access.strides, [&](Value stride) {
        return isInvariant(stride, plan.group.loop);
      }))
    return;
  LeftRuns &runs = plan.runs;
  runs.rowStride = access.strides[0];
  runs.step = access.strides[1];
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(plan.group.loop);
    runs.table =
        makeTemporary(plan.product->getResult(0), {plan.iterations, kNumFields},
                      b.getI64Type(), loc, "dot.runs");
  }
  narrowRows(plan, access, reduction, state);

  Value zero = constant(0, loc), one = constant(1, loc);
  Value address = LLVM::PtrToIntOp::create(
      b, loc, b.getI64Type(), addressOf(access, Point{{zero, zero}}, loc));
  runs.length = stepsWithoutLoop(reduction);
  Value follows =
      continuesRun(plan, address, access.elementType, packedRow, state);
  auto keepIfFollows = [&](RunState part, Value other) {
    state[part] = arith::SelectOp::create(b, loc, follows, state[part], other);
  };
  keepIfFollows(kCount, addI(state[kCount], one, loc));
  keepIfFollows(kStart, address);
  keepIfFollows(kFirst, packedRow);
  Value run = subI(state[kCount], one, loc);
  store(state[kStart], runField(plan, run, kAddress, loc), loc);
  store(state[kFirst], runField(plan, run, kBegin, loc), loc);
  store(addI(packedRow, reduction, loc), runField(plan, run, kEnd, loc), loc);
}

void Lowering::finishRuns(ProductLoop &plan, ArrayRef<Value> state) {
  if (!plan.runs.table.pointer)
    return;
  plan.runs.count = state[kCount];
  plan.runs.lowRow = state[kLowRow];
  plan.runs.highRow = state[kHighRow];
}

/// Whether all rows of the block are inside in all iterations of the group;
/// null if they always are.
Value Lowering::readsRuns(const ProductLoop &plan, Value row, Location loc) {
  if (!plan.runs.isChecked)
    return {};
  Value end = addI(row, constant(plan.blocking.rows, loc), loc);
  return andI(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, row,
                                    plan.runs.lowRow),
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, end,
                                    plan.runs.highRow),
              loc);
}

/// Adds the runs of a group to the sums of one block of results; `columns`
/// are the packed ones from a place in the reduction on.
SmallVector<Value> Lowering::multiplyRuns(const ProductLoop &plan,
                                          const Blocking &blocking, Value row,
                                          ValueRange sums,
                                          function_ref<Buffer(Value)> columns,
                                          bool mayBeFar) {
  Location loc = plan.op->getLoc();
  auto body = [&](OpBuilder &, Location, Value run, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    Type i64 = b.getI64Type();
    Value begin, length;
    if (plan.runs.length) {
      length = constant(*plan.runs.length, loc);
      begin = mulI(run, length, loc);
    } else {
      begin = load(i64, runField(plan, run, kBegin, loc), loc);
      Value end = load(i64, runField(plan, run, kEnd, loc), loc);
      length = subI(end, begin, loc);
    }
    Value address = load(plan.packed.pointer.getType(),
                         runField(plan, run, kAddress, loc), loc);
    RowPanel rows{{elementAddress(address, mulI(row, plan.runs.rowStride, loc),
                                  plan.packed.elementType, loc),
                   plan.runs.rowStride, plan.runs.step},
                  mayBeFar,
                  likelySteps(plan.lhs)};
    scf::YieldOp::create(b, loc,
                         multiplyBlock(rows, columns(begin),
                                       SmallVector<Value>(carried), blocking,
                                       length, loc));
  };
  auto loop = scf::ForOp::create(b, loc, constant(0, loc), plan.runs.count,
                                 constant(1, loc), sums, body);
  return SmallVector<Value>(loop.getResults());
}

/// The same, for groups of columns of which the first is that of `panel` 0.
SmallVector<Value>
Lowering::multiplyInPlace(const ProductLoop &plan, const Blocking &blocking,
                          Value panel, Value row, ValueRange sums,
                          function_ref<Buffer(Value)> columns) {
  auto multiply = [&](bool mayBeFar) {
    return multiplyRuns(plan, blocking, row, sums, columns, mayBeFar);
  };
  if (plan.panels < kPanelsInCache)
    return multiply(/*mayBeFar=*/true);
  Location loc = plan.op->getLoc();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, panel,
                                        constant(0, loc));
  return chooseAll(
      isFirst, sums.getTypes(), loc, [&] { return multiply(true); },
      [&] { return multiply(false); });
}
