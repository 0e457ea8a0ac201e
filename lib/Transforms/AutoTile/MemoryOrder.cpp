//===- MemoryOrder.cpp - may loads and stores change places ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

using triton::LoadOp;
using triton::MakeTensorPtrOp;
using triton::StoreOp;

using Obstacle = TileAxes::Obstacle;

static bool accesses(Operation *op, bool writes) {
  if (op->getNumRegions() != 0)
    return false; // what is in it is looked at by itself
  auto effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &it) {
    return isa<MemoryEffects::Read>(it.getEffect()) != writes;
  });
}

MemoryOrder::MemoryOrder(const LoopPlan &plan, const TileAxes &axes,
                         unsigned axis)
    : plan(plan), axes(axes), axis(axis) {
  plan.getFunction()->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && accesses(op, /*writes=*/true))
      writes.push_back(op);
  });
}

//===----------------------------------------------------------------------===//
// Where addresses come from
//===----------------------------------------------------------------------===//

static Value getAddress(Operation *access) {
  if (auto load = dyn_cast<LoadOp>(access))
    return load.getPtr();
  if (auto store = dyn_cast<StoreOp>(access))
    return store.getPtr();
  return Value();
}

/// The values that an address is computed from as an address.
static SmallVector<Value> getSources(Value address) {
  if (auto incoming = getIncomingValues(address))
    return *incoming;
  Operation *op = address.getDefiningOp();
  if (auto maker = dyn_cast_or_null<MakeTensorPtrOp>(op))
    return {maker.getBase()};
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (isa_and_nonnull<triton::AddPtrOp, triton::AdvanceOp, triton::SplatOp,
                      triton::BroadcastOp, triton::ExpandDimsOp,
                      triton::TransOp, triton::ReshapeOp, triton::BitcastOp>(
          op))
    return {op->getOperand(0)};
  return {};
}

/// Arguments of the function; null stands for anything else.
const MemoryOrder::Roots &MemoryOrder::getRoots(Operation *access) {
  auto [it, isNew] = roots.try_emplace(access);
  if (!isNew)
    return it->second;
  SmallVector<Value> queue{getAddress(access)};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!queue.empty()) {
    Value address = queue.pop_back_val();
    if (address && !seen.insert(address).second)
      continue;
    SmallVector<Value> sources =
        address ? getSources(address) : SmallVector<Value>();
    queue.append(sources);
    if (!sources.empty())
      continue;
    auto argument = dyn_cast_or_null<BlockArgument>(address);
    bool isArgument =
        argument && argument.getOwner()->getParentOp() == plan.getFunction();
    it->second.insert(isArgument ? address : Value());
  }
  return it->second;
}

bool MemoryOrder::mayTouchSame(Operation *a, Operation *b) {
  const Roots rootsOfA = getRoots(a);
  const Roots &rootsOfB = getRoots(b);
  if (rootsOfA.contains(Value()) || rootsOfB.contains(Value()))
    return true;
  if (llvm::any_of(rootsOfA,
                   [&](Value root) { return rootsOfB.contains(root); }))
    return true;
  assumesDistinct = true;
  return false;
}

static bool isSameNumber(Value a, Value b) {
  Attribute attributeA, attributeB;
  return a == b ||
         (matchPattern(a, m_Constant(&attributeA)) &&
          matchPattern(b, m_Constant(&attributeB)) && attributeA == attributeB);
}

bool MemoryOrder::isSamePlace(Operation *a, Operation *b) const {
  if (!isa<LoadOp, StoreOp>(a) || !isa<LoadOp, StoreOp>(b))
    return false;
  OpOperand &useA = a->getOpOperand(0), &useB = b->getOpOperand(0);
  auto dims = axes.getDims(useA, axis);
  if (dims.none() || dims != axes.getDims(useB, axis))
    return false;
  if (useA.get() == useB.get())
    return true;
  auto makerA = useA.get().getDefiningOp<MakeTensorPtrOp>();
  auto makerB = useB.get().getDefiningOp<MakeTensorPtrOp>();
  return makerA && makerB &&
         makerA.getNumOperands() == makerB.getNumOperands() &&
         llvm::all_of_zip(makerA->getOperands(), makerB->getOperands(),
                          isSameNumber);
}

/// Whether a value is the same in all iterations of a loop.
static bool isInvariant(Value value, Operation *loop) {
  SmallVector<Value> queue{value};
  llvm::SmallPtrSet<Value, 16> seen{value};
  while (!queue.empty()) {
    Value next = queue.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (op ? !loop->isAncestor(op)
           : !loop->isAncestor(next.getParentBlock()->getParentOp()))
      continue;
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    for (Value operand : op->getOperands())
      if (seen.insert(operand).second)
        queue.push_back(operand);
  }
  return true;
}

/// Whether a loop that is executed once per part has an access go to another
/// place in each iteration: the parts of one iteration may then be what other
/// parts are in a later one.
static bool isMoved(Operation *access, const TileLoop &loop) {
  Value address = getAddress(access);
  auto isSliced = [&](Operation *outer) {
    return llvm::any_of(loop.slice, [&](Operation *member) {
      return member->isAncestor(outer);
    });
  };
  for (Operation *outer = access->getParentOp(); outer && isSliced(outer);
       outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer) &&
        !(address && isInvariant(address, outer)))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Loads of `member` are executed at the loop's place instead of its own, and
/// again in each loop that needs them.
std::optional<Obstacle> MemoryOrder::checkRereads(const TileLoop &loop,
                                                  Operation *member) {
  auto isBetween = [&](Operation *write) {
    if (plan.getOrder(write) > plan.getOrder(member) &&
        plan.getOrder(write) < plan.getOrder(loop.getPlace()))
      return true;
    for (Operation *outer = loop.getPlace()->getParentOp();
         outer != plan.getFunction(); outer = outer->getParentOp())
      if (isa<LoopLikeOpInterface>(outer) && !outer->isAncestor(member) &&
          outer->isAncestor(write))
        return true;
    return false;
  };
  auto isOwn = [&](Operation *write) {
    return llvm::any_of(loop.slice,
                        [&](Operation *own) { return own->isAncestor(write); });
  };
  std::optional<Obstacle> found;
  member->walk([&](Operation *read) {
    if (!accesses(read, /*writes=*/false))
      return WalkResult::advance();
    for (Operation *write : writes)
      if (!isOwn(write) && isBetween(write) && mayTouchSame(read, write)) {
        found = Obstacle{read->getLoc(),
                         "what is loaded here would be loaded later or again, "
                         "after a store that may have changed it"};
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

std::optional<Obstacle> MemoryOrder::check(const TileLoop &loop) {
  SmallVector<Operation *> all, own;
  for (Operation *member : loop.slice) {
    if (auto found = checkRereads(loop, member))
      return found;
    member->walk([&](Operation *op) {
      if (accesses(op, /*writes=*/true))
        own.push_back(op);
      if (accesses(op, /*writes=*/true) || accesses(op, /*writes=*/false))
        all.push_back(op);
    });
  }
  for (Operation *write : own)
    if (isMoved(write, loop))
      return Obstacle{write->getLoc(),
                      "this store goes to another place in each iteration of a "
                      "loop that would be executed once per part"};
  for (Operation *write : own)
    for (Operation *other : all)
      if (other != write && mayTouchSame(write, other) &&
          !(isSamePlace(write, other) && !isMoved(other, loop)))
        return Obstacle{write->getLoc(),
                        isa<StoreOp>(other)
                            ? "two stores of it may write the same memory"
                            : "what is stored here may be loaded as another "
                              "part of it"};
  return std::nullopt;
}

std::optional<Obstacle> MemoryOrder::check() {
  for (const TileLoop &loop : plan.getLoops())
    if (auto found = check(loop))
      return found;
  return std::nullopt;
}
