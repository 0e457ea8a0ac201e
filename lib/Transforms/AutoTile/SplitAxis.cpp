//===- SplitAxis.cpp - one axis of a function in smaller parts ------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "SplitAxis.h"
#include "Accumulation.h"
#include "LoopPlan.h"
#include "MemoryOrder.h"
#include "SubTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "spine-triton/Analysis/TensorPointer.h"

using namespace mlir;
using namespace mlir::spine;

using Obstacle = TileAxes::Obstacle;

namespace {

/// Emits the loops of a plan.
class Splitter {
public:
  Splitter(const LoopPlan &plan, const TileAxes &axes, unsigned axis,
           int64_t size)
      : plan(plan), axes(axes), axis(axis), size(size),
        total(axes.getAxes()[axis].size),
        builder(plan.getFunction()->getContext()) {}

  void run();

private:
  void emit(const TileLoop &loop);
  void emitParts(const TileLoop &loop, SmallVector<Value> &values,
                 int64_t start);
  SmallVector<Value> emitPart(const TileLoop &loop, Value offset, int64_t size,
                              ArrayRef<Value> before);
  Value constant(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  const LoopPlan &plan;
  const TileAxes &axes;
  unsigned axis;
  int64_t size, total;
  OpBuilder builder;
};

} // namespace

static bool isReducerOf(const TileAxes &axes, unsigned axis, Operation *op) {
  return llvm::is_contained(axes.getAxes()[axis].reducers, op);
}

/// One execution of the slice. `before` holds the accumulators of all
/// reductions in turn; empty in the first part of some that have no neutral
/// element.
SmallVector<Value> Splitter::emitPart(const TileLoop &loop, Value offset,
                                      int64_t size, ArrayRef<Value> before) {
  SubTileEmitter emitter(builder, axes, axis, offset, size);
  SmallVector<Value> after;
  for (Operation *op : loop.slice) {
    if (!isReducerOf(axes, axis, op)) {
      emitter.emit(op);
      continue;
    }
    ArrayRef<Value> own;
    SmallVector<Value> initial;
    if (!before.empty()) {
      own = before.slice(after.size(), op->getNumResults());
    } else {
      initial = makeInitialValues(builder, op);
      own = initial;
    }
    after.append(accumulate(builder, emitter, op, own));
  }
  return after;
}

void Splitter::emitParts(const TileLoop &loop, SmallVector<Value> &values,
                         int64_t start) {
  Location loc = loop.getPlace()->getLoc();
  int64_t end = total - total % size;
  if (end - start == size) {
    values = emitPart(loop, constant(loc, start), size, values);
  } else if (end > start) {
    auto made =
        scf::ForOp::create(builder, loc, constant(loc, start),
                           constant(loc, end), constant(loc, size), values);
    OpBuilder::InsertionGuard guard(builder);
    // Without accumulators the loop has its terminator already.
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    builder.setInsertionPointToStart(made.getBody());
    SmallVector<Value> before(made.getRegionIterArgs());
    scf::YieldOp::create(builder, loc,
                         emitPart(loop, made.getInductionVar(), size, before));
    values.assign(made.getResults().begin(), made.getResults().end());
  }
  if (total % size != 0)
    values = emitPart(loop, constant(loc, end), total % size, values);
}

void Splitter::emit(const TileLoop &loop) {
  Operation *place = loop.getPlace();
  Location loc = place->getLoc();
  builder.setInsertionPoint(place);
  SmallVector<Value> values;
  SmallVector<Operation *> reducers;
  bool hasInitialValues = true;
  for (Operation *op : loop.slice)
    if (isReducerOf(axes, axis, op)) {
      reducers.push_back(op);
      auto initial = makeInitialValues(builder, op);
      hasInitialValues &= !initial.empty();
      values.append(initial);
    }
  int64_t start = 0;
  if (!hasInitialValues) {
    values = emitPart(loop, constant(loc, 0), size, {});
    start = size;
  }
  emitParts(loop, values, start);
  ArrayRef<Value> left = values;
  for (Operation *op : reducers) {
    op->replaceAllUsesWith(
        finish(builder, op, left.take_front(op->getNumResults())));
    left = left.drop_front(op->getNumResults());
  }
  Operation *last = place;
  for (Operation *op : loop.moved) {
    op->moveAfter(last);
    last = op;
  }
}

/// Tiles on the axis that a loop carried beside something that is still needed:
/// what the loop computes on the axis has no use any more.
static void stripLoop(scf::ForOp loop, const TileAxes &axes, unsigned axis) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (axes.getDims(Value(argument), axis).any())
      yield.setOperand(argument.getArgNumber() - 1, argument);
}

static void eraseDead(Operation *function) {
  bool changed = true;
  while (changed) {
    changed = false;
    function->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (op == function || !isOpTriviallyDead(op))
        return;
      op->erase();
      changed = true;
    });
  }
}

void Splitter::run() {
  SmallVector<scf::ForOp> carriers;
  plan.getFunction()->walk([&](scf::ForOp loop) {
    if (llvm::any_of(loop.getRegionIterArgs(), [&](BlockArgument argument) {
          return axes.getDims(Value(argument), axis).any();
        }))
      carriers.push_back(loop);
  });
  for (const TileLoop &loop : plan.getLoops())
    emit(loop);
  for (const TileLoop &loop : plan.getLoops())
    for (Operation *end : loop.ends) {
      // What else a loop with stores computes is checked to be unused.
      end->dropAllUses();
      end->dropAllReferences();
    }
  SmallVector<Operation *> ends;
  for (const TileLoop &loop : plan.getLoops())
    ends.append(loop.ends.begin(), loop.ends.end());
  llvm::erase_if(carriers, [&](scf::ForOp loop) {
    return llvm::any_of(ends,
                        [&](Operation *end) { return end->isAncestor(loop); });
  });
  for (Operation *end : ends)
    end->erase();
  for (scf::ForOp loop : carriers)
    stripLoop(loop, axes, axis);
  eraseDead(plan.getFunction());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Block pointers that are not made where they are used.
static std::optional<Obstacle>
findCarriedPointer(Operation *function, const TileAxes &axes, unsigned axis) {
  std::optional<Obstacle> found;
  function->walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (getPointedTile(use.get().getType()) &&
          axes.getDims(use, axis).any() &&
          !use.get().getDefiningOp<triton::MakeTensorPtrOp>()) {
        found = Obstacle{op->getLoc(),
                         "its block pointer comes from something that is not "
                         "followed"};
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

/// Loops that store and also compute something without the axis that is used
/// behind them: they would be executed both per part and once.
static std::optional<Obstacle>
findOtherResults(const LoopPlan &plan, const TileAxes &axes, unsigned axis) {
  for (const TileLoop &loop : plan.getLoops())
    for (Operation *end : loop.ends)
      for (Value value : end->getResults())
        if (end->getNumRegions() != 0 && !isa<triton::ReduceOp>(end) &&
            axes.getDims(value, axis).none() && !value.use_empty())
          return Obstacle{end->getLoc(),
                          "this stores a part of it and also computes a value "
                          "for all parts, which is used later"};
  return std::nullopt;
}

static SplitResult check(const LoopPlan &plan, const TileAxes &axes,
                         unsigned axis) {
  SplitResult result;
  Operation *function = plan.getFunction();
  for (Operation *op : axes.getAxes()[axis].reducers)
    if (!canAccumulate(op))
      result.obstacle = Obstacle{
          op->getLoc(), "what the reduction does to two elements cannot be "
                        "done to tiles: use arithmetic in it"};
  if (!result.obstacle)
    result.obstacle = findCarriedPointer(function, axes, axis);
  if (!result.obstacle)
    result.obstacle = findOtherResults(plan, axes, axis);
  if (result.obstacle)
    return result;
  MemoryOrder memory(plan, axes, axis);
  result.obstacle = memory.check();
  result.conditions = memory.getConditions();
  result.numLoops = plan.getLoops().size();
  return result;
}

SplitResult spine::canSplitAxis(Operation *function, const TileAxes &axes,
                                unsigned axis) {
  LoopPlan plan(function, axes, axis);
  if (auto obstacle = plan.find())
    return {obstacle};
  return check(plan, axes, axis);
}

SplitResult spine::splitAxis(Operation *function, const TileAxes &axes,
                             unsigned axis, int64_t size) {
  LoopPlan plan(function, axes, axis);
  if (auto obstacle = plan.find())
    return {obstacle};
  SplitResult result = check(plan, axes, axis);
  if (!result.obstacle)
    Splitter(plan, axes, axis, size).run();
  return result;
}
