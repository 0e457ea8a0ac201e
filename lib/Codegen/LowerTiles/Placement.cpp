//===- Placement.cpp - which tiles get a buffer ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::spine;

/// A value of at least this cost is not computed twice.
static constexpr unsigned kExpensive = 12;
/// An expression of more operations is cut, so that loop bodies stay small.
static constexpr unsigned kMaxExpression = 160;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool spine::writesMemory(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<triton::StoreOp, triton::AtomicRMWOp, triton::AtomicCASOp,
                   triton::CallOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool spine::hasSideEffects(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return writesMemory(nested) ||
                       isa<triton::PrintOp, triton::AssertOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the values that `value`, an argument of a block of `parent`'s regions,
/// may have been: what is passed in and what is carried around.
static bool addCarriedSources(BlockArgument value,
                              SmallVectorImpl<Value> &work) {
  Operation *parent = value.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    unsigned i = value.getArgNumber() - loop.getNumInductionVars();
    work.push_back(loop.getInitArgs()[i]);
    work.push_back(loop.getYieldedValues()[i]);
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    unsigned i = value.getArgNumber();
    if (value.getOwner() == loop.getBeforeBody()) {
      work.push_back(loop.getInits()[i]);
      work.push_back(loop.getYieldOp().getResults()[i]);
    } else {
      work.push_back(loop.getConditionOp().getArgs()[i]);
    }
    return true;
  }
  return false;
}

static bool addResultSources(OpResult value, SmallVectorImpl<Value> &work) {
  Operation *op = value.getOwner();
  unsigned i = value.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    work.push_back(loop.getInitArgs()[i]);
    work.push_back(loop.getYieldedValues()[i]);
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    work.push_back(loop.getConditionOp().getArgs()[i]);
    return true;
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        work.push_back(region.front().getTerminator()->getOperand(i));
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    work.push_back(select.getTrueValue());
    work.push_back(select.getFalseValue());
    return true;
  }
  if (auto make = dyn_cast<triton::MakeTensorPtrOp>(op))
    work.push_back(make.getBase());
  else if (auto add = dyn_cast<triton::AddPtrOp>(op))
    work.push_back(add.getPtr());
  else if (auto advance = dyn_cast<triton::AdvanceOp>(op))
    work.push_back(advance.getPtr());
  else if (auto cast = dyn_cast<triton::BitcastOp>(op))
    work.push_back(cast.getSrc());
  else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp>(op))
    work.push_back(op->getOperand(0));
  else if (isa<ub::PoisonOp>(op))
    return true;
  else
    return false;
  return true;
}

/// Sources of a linalg operation that computes pointers: its inputs and what
/// its body uses, as far as they are pointers.
static bool addLinalgSources(linalg::LinalgOp op,
                             SmallVectorImpl<Value> &work) {
  auto isPointer = [](Value v) {
    return isa<triton::PointerType>(getElementTypeOrSelf(v.getType()));
  };
  for (Value input : op.getDpsInputs())
    if (isPointer(input))
      work.push_back(input);
  bool known = true;
  op.getBlock()->walk([&](Operation *nested) {
    known &= isa<triton::AddPtrOp, triton::BitcastOp, arith::SelectOp,
                 linalg::YieldOp>(nested) ||
             !llvm::any_of(nested->getResults(), isPointer);
    for (Value operand : nested->getOperands())
      if (isPointer(operand) && operand.getParentBlock() != op.getBlock())
        work.push_back(operand);
  });
  return known;
}

llvm::SmallSetVector<Value, 2> spine::pointerOrigins(Value pointer) {
  llvm::SmallSetVector<Value, 2> origins;
  DenseSet<Value> seen;
  SmallVector<Value> work{pointer};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    bool known;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa<triton::FuncOp>(argument.getOwner()->getParentOp())) {
        origins.insert(value);
        continue;
      }
      known = addCarriedSources(argument, work);
    } else if (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
      known = addLinalgSources(op, work);
    } else {
      known = addResultSources(cast<OpResult>(value), work);
    }
    if (!known)
      origins.insert(Value());
  }
  return origins;
}

/// A store to the elements that the load read, one for one, in the same order:
/// each element is read before it is written.
static bool rewritesOwnElements(triton::StoreOp store, triton::LoadOp load) {
  if (store.getPtr() != load.getPtr())
    return false;
  auto make = store.getPtr().getDefiningOp<triton::MakeTensorPtrOp>();
  if (!make)
    return false;
  // Two elements of a tile may have one address unless it is a single row with
  // a stride other than zero.
  auto shape = cast<RankedTensorType>(load.getType()).getShape();
  int64_t wide = -1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    if (wide >= 0)
      return false;
    wide = d;
  }
  APInt stride;
  if (wide >= 0 &&
      (!matchPattern(make.getStrides()[wide], m_ConstantInt(&stride)) ||
       stride.isZero()))
    return false;
  // The stored value has to use the load at the same place.
  SmallVector<Value> work{store.getValue()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == load.getResult())
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::ConstantOp, tensor::EmptyOp>(op))
      continue;
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (!linalgOp && !isa_and_nonnull<triton::LoadOp>(op))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTile(operand.get()))
        continue;
      if (linalgOp && !linalgOp.getMatchingIndexingMap(&operand).isIdentity())
        return false;
      work.push_back(operand.get());
    }
  }
  return true;
}

bool Placement::mayOverwrite(Operation *writer, triton::LoadOp load) {
  Value pointer;
  // An atomic that is not relaxed orders all memory: behind it, others may have
  // written what was loaded before.
  if (auto store = dyn_cast<triton::StoreOp>(writer))
    pointer = store.getPtr();
  else if (auto atomic = dyn_cast<triton::AtomicRMWOp>(writer);
           atomic && atomic.getSem() == triton::MemSemantic::RELAXED)
    pointer = atomic.getPtr();
  else if (auto atomic = dyn_cast<triton::AtomicCASOp>(writer);
           atomic && atomic.getSem() == triton::MemSemantic::RELAXED)
    pointer = atomic.getPtr();
  else
    return true;
  auto written = pointerOrigins(pointer), read = pointerOrigins(load.getPtr());
  for (Value origin : written)
    if (!origin || read.contains(origin) || read.contains(Value()))
      return true;
  if (!assumeDisjoint)
    return true;
  for (Value one : written)
    for (Value other : read)
      disjoint.insert(
          std::minmax<int64_t>(cast<BlockArgument>(one).getArgNumber(),
                               cast<BlockArgument>(other).getArgNumber()));
  return false;
}

/// Whether memory that the load reads may be written after the load and before
/// (or while) `evaluator` uses the loaded elements.
bool Placement::writesBetween(triton::LoadOp load, Operation *evaluator) {
  Block *block = load->getBlock();
  Operation *last = block->findAncestorOpInBlock(*evaluator);
  if (!last)
    return true;
  auto overwritten = [&](Operation *op) {
    return op
        ->walk([&](Operation *nested) {
          if (!isa<triton::StoreOp, triton::AtomicRMWOp, triton::AtomicCASOp,
                   triton::CallOp>(nested))
            return WalkResult::advance();
          if (auto store = dyn_cast<triton::StoreOp>(nested))
            if (nested == evaluator && nested->getBlock() == block &&
                rewritesOwnElements(store, load))
              return WalkResult::advance();
          return mayOverwrite(nested, load) ? WalkResult::interrupt()
                                            : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (overwritten(op))
      return true;
    if (op == last)
      return false;
  }
  return false;
}

bool Placement::loadMustBePacked(triton::LoadOp load) {
  if (load.getIsVolatile())
    return true;
  return llvm::any_of(evaluators(load.getResult()), [&](Operation *evaluator) {
    return writesBetween(load, evaluator);
  });
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static unsigned ownCost(Operation *op) {
  if (auto load = dyn_cast<triton::LoadOp>(op))
    return isa<RankedTensorType>(load.getPtr().getType()) ? 6 : 3;
  unsigned cost = 0;
  op->walk([&](Operation *nested) {
    if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::RemFOp, triton::PreciseDivFOp>(nested))
      cost += 12;
    else if (isa_and_nonnull<math::MathDialect>(nested->getDialect()) ||
             isa<triton::PreciseSqrtOp, triton::ExternElementwiseOp>(nested))
      cost += isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(nested) ? 1 : 20;
    else if (!isa<linalg::YieldOp, linalg::IndexOp>(nested) && nested != op)
      cost += 1;
  });
  return cost;
}

/// What computing a tile's element costs, were every operand virtual that can
/// be.
void Placement::computeCosts() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getParentOfType<linalg::LinalgOp>())
      return;
    for (Value result : op->getResults()) {
      if (!isTile(result))
        continue;
      if (!isa<linalg::LinalgOp, triton::LoadOp, tensor::ExpandShapeOp,
               tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op) ||
          isa<linalg::ContractionOpInterface>(op)) {
        cost[result] = size[result] = 1;
        continue;
      }
      unsigned own = ownCost(op), nodes = 1;
      for (Value operand : op->getOperands()) {
        own += cost.lookup(operand);
        nodes += size.lookup(operand);
      }
      cost[result] = std::min(own, 1u << 20);
      size[result] = nodes;
      if (nodes > kMaxExpression) {
        buffered.insert(result);
        cost[result] = size[result] = 1;
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

const Placement::OpSet &Placement::evaluators(Value tile) {
  auto it = evaluatorCache.find(tile);
  if (it != evaluatorCache.end())
    return it->second;
  OpSet result;
  for (Operation *user : tile.getUsers()) {
    bool passesOn =
        isa<linalg::LinalgOp, triton::LoadOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::ExtractSliceOp>(user) &&
        llvm::none_of(user->getResults(),
                      [&](Value v) { return buffered.contains(v); });
    if (!passesOn) {
      result.insert(user);
      continue;
    }
    for (Value next : user->getResults()) {
      OpSet more = evaluators(next);
      result.insert(more.begin(), more.end());
    }
  }
  return evaluatorCache.try_emplace(tile, std::move(result)).first->second;
}

/// Used in a loop that does not contain its definition?
bool Placement::isReadByInnerLoop(OpResult tile) {
  Block *block = tile.getOwner()->getBlock();
  return llvm::any_of(evaluators(tile), [&](Operation *evaluator) {
    Operation *parent = evaluator->getParentOp();
    while (parent && parent->getBlock() && evaluator->getBlock() != block) {
      if (isa<LoopLikeOpInterface>(parent) &&
          !parent->isAncestor(tile.getOwner()))
        return true;
      if (parent->getBlock() == block)
        return false;
      parent = parent->getParentOp();
    }
    return false;
  });
}

/// Is one element used at several places of a user?
bool Placement::isBroadcast(Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    if (auto op = dyn_cast<linalg::LinalgOp>(user)) {
      for (OpOperand *input : op.getDpsInputOperands())
        if (input->get() == tile &&
            op.getMatchingIndexingMap(input).getNumResults() > 0) {
          AffineMap map = op.getMatchingIndexingMap(input);
          int64_t used = llvm::count_if(map.getResults(), [](AffineExpr e) {
            return isa<AffineDimExpr>(e);
          });
          auto out = cast<RankedTensorType>(user->getResult(0).getType());
          int64_t wide =
              llvm::count_if(out.getShape(), [](int64_t s) { return s != 1; });
          if (!isa<linalg::ContractionOpInterface>(user) && used < wide)
            return true;
        }
      return false;
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isBroadcast(user->getResult(0));
    return false;
  });
}

/// Changes of shape other than adding and removing dimensions of size 1 are
/// free on a buffer and cost divisions on a virtual tile.
static bool isRealReshape(Operation *op) {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return false;
  auto wide = [](Value v) {
    SmallVector<int64_t> dims(cast<RankedTensorType>(v.getType()).getShape());
    llvm::erase(dims, 1);
    return dims;
  };
  return wide(op->getOperand(0)) != wide(op->getResult(0));
}

bool Placement::decide(OpResult tile) {
  Operation *op = tile.getOwner();
  findSink(tile);
  if (buffered.contains(tile))
    return true;
  if (isRealReshape(op))
    return true; // A view of its source's buffer.
  if (llvm::any_of(tile.getUsers(), isRealReshape))
    return true;
  if (isa<arith::ConstantOp, tensor::EmptyOp, ub::PoisonOp>(op))
    return false;
  if (isa<linalg::ContractionOpInterface>(op))
    return true;
  if (auto load = dyn_cast<triton::LoadOp>(op)) {
    if (loadMustBePacked(load)) {
      ++numPackedLoads;
      return true;
    }
    ++numInPlaceLoads;
  } else if (!isa<linalg::LinalgOp, tensor::ExpandShapeOp,
                  tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op)) {
    return true;
  }
  if (cost.lookup(tile) < kExpensive)
    return false;
  return evaluators(tile).size() > 1 || isReadByInnerLoop(tile) ||
         isBroadcast(tile);
}

/// Finds the loads of products' operands that other programs can share. A
/// kernel that orders its memory by atomics may see other programs' stores.
void Placement::findConstantOperands() {
  // With fewer columns packing is a small part of the work, or there is none.
  constexpr int64_t kFewestColumns = 64;
  auto mayChange = [&](triton::LoadOp load) {
    return load.getIsVolatile() ||
           function
               .walk([&](Operation *op) {
                 if (isa<triton::CallOp>(op) ||
                     (isa<triton::StoreOp, triton::AtomicRMWOp,
                          triton::AtomicCASOp>(op) &&
                      mayOverwrite(op, load)))
                   return WalkResult::interrupt();
                 return WalkResult::advance();
               })
               .wasInterrupted();
  };
  function.walk([&](scf::ForOp loop) {
    linalg::LinalgOp product = accumulatedProduct(loop);
    if (!product ||
        cast<RankedTensorType>(product->getResult(0).getType()).getDimSize(1) <
            kFewestColumns)
      return;
    for (Value operand : product.getDpsInputs())
      if (auto load = operand.getDefiningOp<triton::LoadOp>())
        if (!isa<RankedTensorType>(load.getPtr().getType()) && !mayChange(load))
          constantOperands.insert(load);
  });
}

Placement::Placement(triton::FuncOp function, bool assumeDisjoint,
                     bool keepsOperands)
    : function(function), assumeDisjoint(assumeDisjoint) {
  computeCosts();
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->getParentOfType<linalg::LinalgOp>() &&
        !op->getParentOfType<triton::ReduceOp>() &&
        !op->getParentOfType<triton::ScanOp>())
      ops.push_back(op);
  });
  for (Operation *op : ops)
    numberTiles(op);
  // Users first: who evaluates a tile depends on what was decided for them.
  for (Operation *op : llvm::reverse(ops)) {
    for (OpResult result : op->getOpResults()) {
      if (!isTile(result) || result.use_empty())
        continue;
      if (decide(result)) {
        buffered.insert(result);
        ++numBuffers;
      } else {
        ++numVirtual;
      }
    }
  }
  if (keepsOperands)
    findConstantOperands();
}
