//===- LoopPlan.cpp - the loops that splitting an axis makes --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

LoopPlan::LoopPlan(Operation *function, const TileAxes &axes, unsigned axis)
    : function(function), axes(axes), axis(axis) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    order.try_emplace(op, static_cast<unsigned>(order.size()));
  });
  const TileAxes::Axis &entry = axes.getAxes()[axis];
  reducers.insert(entry.reducers.begin(), entry.reducers.end());
}

bool LoopPlan::isReducer(Operation *op) const { return reducers.contains(op); }

bool LoopPlan::fail(Location loc, const Twine &reason) {
  if (!obstacle)
    obstacle = TileAxes::Obstacle{loc, reason.str()};
  return false;
}

/// Whether an operation (or one in it) may do more than read memory.
static bool mayWrite(Operation *op) {
  auto effects = getEffectsRecursively(op);
  if (!effects)
    return !isPure(op);
  return llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &it) {
    return !isa<MemoryEffects::Read>(it.getEffect());
  });
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The values on the axis that `op` (and what is in it) needs.
static SmallVector<Value> getNeeded(Operation *op, const TileAxes &axes,
                                    unsigned axis) {
  SmallVector<Value> needed;
  op->walk([&](Operation *nested) {
    for (OpOperand &use : nested->getOpOperands())
      if (axes.getDims(use, axis).any())
        needed.push_back(use.get());
    if (auto loop = dyn_cast<scf::ForOp>(nested))
      for (auto [argument, init] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
        if (axes.getDims(Value(argument), axis).any())
          needed.push_back(init);
  });
  return needed;
}

/// Collects everything that has to be executed per sub-tile for `end`. Returns
/// the loop or conditional that has to be executed as a whole for that, if
/// `end` is in one that carries what it needs.
Operation *LoopPlan::collect(Operation *end, Slice &slice) const {
  slice.insert(end);
  for (size_t next = 0; next < slice.size(); ++next) {
    for (Value value : getNeeded(slice[next], axes, axis)) {
      if (isMadeOfScalars(value))
        continue;
      Operation *source = value.getDefiningOp();
      if (!source)
        source = value.getParentBlock()->getParentOp();
      if (llvm::any_of(slice, [&](Operation *member) {
            return member->isAncestor(source);
          }))
        continue;
      if (isa<BlockArgument>(value))
        return source;
      slice.insert(source);
    }
  }
  return nullptr;
}

/// What is in a loop or conditional that is executed once per sub-tile.
bool LoopPlan::checkNested(Operation *op) {
  WalkResult result = op->walk([&](Operation *nested) {
    if (isReducer(nested)) {
      fail(nested->getLoc(), "'" + nested->getName().getStringRef() +
                                 "' reduces it inside of a loop or branch that "
                                 "hands on tiles which lie on it");
      return WalkResult::interrupt();
    }
    if (nested->getNumRegions() == 0 && mayWrite(nested) &&
        !axes.touches(nested, axis)) {
      fail(nested->getLoc(),
           "'" + nested->getName().getStringRef() +
               "' does not depend on it and would be executed once per part");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// A loop in the slice of something else that also has ends in it becomes an
/// end itself: its stores must not be executed twice.
bool LoopPlan::checkSlice(Operation *end, const Slice &slice) {
  for (Operation *op : slice) {
    if (op->getNumRegions() == 0 || isReducer(op) ||
        isa<triton::ReduceOp, triton::ScanOp>(op)) // along other axes
      continue;
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return fail(op->getLoc(), "'" + op->getName().getStringRef() +
                                    "' works on the whole tile");
    if (!checkNested(op))
      return false;
    if (op != end && mayWrite(op) && !anchor(op))
      return false;
  }
  return true;
}

bool LoopPlan::anchor(Operation *end) {
  Slice slice;
  while (Operation *outer = collect(end, slice)) {
    end = outer;
    slice.clear();
  }
  if (anchors.contains(end))
    return true;
  anchors[end] = slice;
  return checkSlice(end, slice);
}

bool LoopPlan::findAnchors() {
  const TileAxes::Axis &entry = axes.getAxes()[axis];
  for (const auto *ends : {&entry.reducers, &entry.writers})
    for (Operation *end : *ends)
      if (!anchor(end))
        return false;
  // What is inside of another end is executed with it.
  llvm::MapVector<Operation *, Slice> outermost;
  for (auto &[end, slice] : anchors)
    if (llvm::none_of(anchors, [&, op = end](auto &other) {
          return other.first->isProperAncestor(op);
        }))
      outermost[end] = std::move(slice);
  anchors = std::move(outermost);
  if (anchors.empty())
    return fail(function->getLoc(), "no store and no reduction depends on it");
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopPlan::close(TileLoop &loop) {
  if (loop.ends.empty())
    return;
  Slice slice;
  for (Operation *end : loop.ends)
    slice.insert_range(anchors[end]);
  loop.slice = slice.takeVector();
  llvm::sort(loop.slice, [&](Operation *a, Operation *b) {
    return getOrder(a) < getOrder(b);
  });
  Operation *place = loop.getPlace();
  llvm::erase_if(loop.moved,
                 [&](Operation *op) { return !op->isBeforeInBlock(place); });
  loops.push_back(std::move(loop));
  loop = TileLoop();
}

/// Ends of one block, in program order, share a loop until one needs a result
/// of it, or until something happens in between that must stay where it is.
void LoopPlan::schedule(Block *block) {
  TileLoop loop;
  bool writes = false;
  llvm::SmallPtrSet<Value, 16> results;
  auto finish = [&] {
    close(loop);
    writes = false;
    results.clear();
  };
  for (Operation &op : *block) {
    bool depends = op.walk([&](Operation *nested) {
                       return llvm::any_of(nested->getOperands(),
                                           [&](Value operand) {
                                             return results.contains(operand);
                                           })
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    if (anchors.contains(&op)) {
      if (depends)
        finish();
      loop.ends.push_back(&op);
      writes |= mayWrite(&op);
      if (isReducer(&op))
        results.insert_range(op.getResults());
      continue;
    }
    bool touches = axes.touches(&op, axis);
    bool isFree = isMemoryEffectFree(&op);
    if (mayWrite(&op) || (!isFree && !touches && (writes || depends)))
      finish();
    else if (depends) {
      results.insert_range(op.getResults());
      if (!touches)
        loop.moved.push_back(&op);
    }
  }
  finish();
}

std::optional<TileAxes::Obstacle> LoopPlan::find() {
  const TileAxes::Axis &entry = axes.getAxes()[axis];
  if (entry.obstacle)
    return entry.obstacle;
  if (!findAnchors())
    return obstacle;
  llvm::SetVector<Block *> blocks;
  for (auto &[end, slice] : anchors)
    blocks.insert(end->getBlock());
  for (Block *block : blocks)
    schedule(block);
  // An end with stores that another loop needs again would be executed twice.
  for (TileLoop &loop : loops)
    for (Operation *op : loop.slice)
      if (anchors.contains(op) && !llvm::is_contained(loop.ends, op) &&
          mayWrite(op))
        fail(op->getLoc(), "its result is needed again after a reduction of "
                           "it, but it stores and must not be repeated");
  return obstacle;
}
