//===- ControlFlow.cpp - loops and branches of the kernel -----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A tile that enters or leaves a region lives in one buffer; only scalars and
// the parts of block pointers are carried as values.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

void Lowering::appendCarriedTypes(Type type, SmallVectorImpl<Type> &types) {
  if (isa<RankedTensorType>(type))
    return;
  if (RankedTensorType tile = blockType(type)) {
    types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
    types.append(3 * tile.getRank(), b.getI64Type());
    return;
  }
  types.push_back(loweredScalarType(type));
}

LogicalResult Lowering::appendCarried(Value value,
                                      SmallVectorImpl<Value> &parts) {
  if (isa<RankedTensorType>(value.getType()))
    return success();
  if (!blockType(value.getType())) {
    parts.push_back(lowered(value));
    return success();
  }
  auto it = blockPointers.find(value);
  if (it == blockPointers.end()) {
    fail(source, "a block pointer that enters a region is not known");
    return failure();
  }
  parts.push_back(it->second.base);
  llvm::append_range(parts, it->second.shape);
  llvm::append_range(parts, it->second.strides);
  llvm::append_range(parts, it->second.offsets);
  return success();
}

LogicalResult Lowering::appendAllCarried(ValueRange values,
                                         SmallVectorImpl<Value> &parts) {
  for (Value value : values)
    if (mlir::failed(appendCarried(value, parts)))
      return failure();
  return success();
}

void Lowering::bindAllCarried(ValueRange values, ValueRange parts) {
  for (Value value : values)
    bindCarried(value, parts);
}

void Lowering::bindCarried(Value value, ValueRange &parts) {
  if (isa<RankedTensorType>(value.getType()))
    return;
  RankedTensorType tile = blockType(value.getType());
  if (!tile) {
    scalars.map(value, parts.front());
    parts = parts.drop_front();
    return;
  }
  unsigned rank = tile.getRank();
  auto take = [&](unsigned count) {
    SmallVector<Value> taken(parts.take_front(count));
    parts = parts.drop_front(count);
    return taken;
  };
  BlockPointer pointer;
  pointer.base = take(1).front();
  pointer.shape = take(rank);
  pointer.strides = take(rank);
  pointer.offsets = take(rank);
  pointer.tile = llvm::to_vector(tile.getShape());
  pointer.elementType = tile.getElementType();
  blockPointers[value] = pointer;
}

void Lowering::bindNewBuffers(ValueRange values,
                              SmallVectorImpl<Buffer> &made) {
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      made.push_back(buffers[value] = makeBuffer(value, "carried"));
}

namespace {
/// A tile that has to be written to a buffer, and where its elements have been
/// computed already, if so.
struct Update {
  Value value;
  Buffer into;
  std::optional<Buffer> computed = std::nullopt;
};
} // namespace

/// Collects the buffers that computing `tile` reads and whether each is read
/// only at the place that is computed.
void Lowering::collectReads(Value tile, bool samePlace,
                            DenseMap<Value, bool> &reads) {
  if (auto it = buffers.find(tile); it != buffers.end()) {
    auto [entry, isNew] = reads.try_emplace(it->second.pointer, samePlace);
    if (!isNew)
      entry->second &= samePlace;
    return;
  }
  Operation *op = tile.getDefiningOp();
  if (!op)
    return;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    bool same = samePlace;
    if (linalgOp)
      same &= linalgOp.getMatchingIndexingMap(&operand).isIdentity();
    else
      same &= isa<triton::LoadOp>(op);
    collectReads(operand.get(), same, reads);
  }
}

LogicalResult Lowering::updateBuffers(ValueRange values,
                                      ArrayRef<Buffer> destinations,
                                      Location loc) {
  SmallVector<Update> updates;
  auto next = destinations.begin();
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    const Buffer &into = *next++;
    auto it = buffers.find(value);
    if (it == buffers.end() || it->second.pointer != into.pointer)
      updates.push_back(Update{value, into});
  }
  // An update must not overwrite what a later one reads. One nest for updates
  // of the same shape computes all values of a point before it writes any;
  // other conflicts are solved by computing into a buffer of its own first.
  SmallVector<DenseMap<Value, bool>> reads(updates.size());
  for (auto [update, set] : llvm::zip(updates, reads))
    collectReads(update.value, true, set);
  for (unsigned i = 0; i < updates.size(); ++i) {
    bool conflict = false;
    for (unsigned j = 0; j < updates.size(); ++j) {
      auto it = reads[i].find(updates[j].into.pointer);
      if (it != reads[i].end())
        conflict |=
            !it->second || updates[j].into.shape != updates[i].into.shape;
    }
    if (!conflict)
      continue;
    Value value = updates[i].value;
    auto type = cast<RankedTensorType>(value.getType());
    Buffer temporary = makeTemporary(value, type.getShape(),
                                     type.getElementType(), loc, "next");
    materialise(value, temporary);
    updates[i].computed = temporary;
  }

  SmallVector<bool> done(updates.size());
  for (unsigned i = 0; i < updates.size(); ++i) {
    if (done[i])
      continue;
    SmallVector<Update> group;
    for (unsigned j = i; j < updates.size(); ++j)
      if (!done[j] && updates[j].into.shape == updates[i].into.shape) {
        group.push_back(updates[j]);
        done[j] = true;
      }
    ArrayRef<int64_t> shape = group.front().into.shape;
    int dim = preferredDim(group.front().value);
    int64_t lanes = lanesFor(shape, dim, group.front().into.elementType);
    buildNest(loc, shape, dim, lanes, [&](const Point &point) {
      SmallVector<Value> computed;
      for (Update &update : group)
        computed.push_back(update.computed
                               ? loadBuffer(*update.computed, point, loc)
                               : emit(update.value, point));
      for (auto [update, value] : llvm::zip(group, computed))
        storeBuffer(update.into, point, value, loc);
    });
  }
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Where the kernel makes what a loop carries: a constant that it starts from
/// has no place.
static Location getCarriedLoc(Operation *loop, Value init, unsigned number) {
  auto isNamed = [](Value value) {
    return bool(value.getLoc()->findInstanceOf<NameLoc>());
  };
  auto op = dyn_cast<scf::ForOp>(loop);
  if (!op || isNamed(init) || !isNamed(op.getYieldedValues()[number]))
    return init.getLoc();
  return op.getYieldedValues()[number].getLoc();
}

/// The buffers of loop-carried tiles, filled with their initial values. An
/// initial value that nobody else uses lends its own buffer.
LogicalResult Lowering::startCarriedTiles(Operation *loop, ValueRange inits,
                                          ValueRange arguments,
                                          SmallVectorImpl<Buffer> &carried) {
  for (auto [number, init, argument] : llvm::enumerate(inits, arguments)) {
    if (!isa<RankedTensorType>(init.getType()))
      continue;
    auto it = buffers.find(init);
    if (it != buffers.end() && mayTakeOver(init, loop)) {
      carried.push_back(it->second);
    } else {
      auto type = cast<RankedTensorType>(init.getType());
      carried.push_back(makeScratch(
          argument, /*isTemporary=*/false, type.getShape(),
          type.getElementType(), getCarriedLoc(loop, init, number), "carried"));
      materialise(init, carried.back());
    }
    buffers[argument] = carried.back();
  }
  return failure(hasFailed);
}

LogicalResult Lowering::lowerFor(scf::ForOp op) {
  Location loc = op.getLoc();
  FailureOr<bool> isProduct = lowerProductLoop(op);
  if (mlir::failed(isProduct) || *isProduct)
    return LogicalResult(isProduct);
  SmallVector<Buffer> carried;
  if (hasFailed || mlir::failed(startCarriedTiles(
                       op, op.getInitArgs(), op.getRegionIterArgs(), carried)))
    return failure();
  SmallVector<Value> inits;
  if (mlir::failed(appendAllCarried(op.getInitArgs(), inits)))
    return failure();

  auto loop = scf::ForOp::create(b, loc, lowered(op.getLowerBound()),
                                 lowered(op.getUpperBound()),
                                 lowered(op.getStep()), inits);
  loop.setUnsignedCmp(op.getUnsignedCmp());
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  ValueRange parts = loop.getRegionIterArgs();
  for (Value argument : op.getRegionIterArgs())
    bindCarried(argument, parts);
  {
    OpBuilder::InsertionGuard guard(b);
    if (inits.empty())
      loop.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(loop.getBody());
    if (mlir::failed(lowerBlock(*op.getBody())))
      return failure();
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    if (mlir::failed(
            updateBuffers(yield.getResults(), carried, yield.getLoc())))
      return failure();
    SmallVector<Value> yielded;
    if (mlir::failed(appendAllCarried(yield.getResults(), yielded)))
      return failure();
    scf::YieldOp::create(b, loc, yielded);
  }
  parts = loop.getResults();
  auto buffer = carried.begin();
  for (Value result : op.getResults()) {
    bindCarried(result, parts);
    if (isa<RankedTensorType>(result.getType()))
      buffers[result] = *buffer++;
  }
  return success();
}

/// Lowers one region of a branch: its tiles go to `results`.
LogicalResult Lowering::lowerBranch(Region &from, Region &to,
                                    ArrayRef<Buffer> results, Location loc) {
  OpBuilder::InsertionGuard guard(b);
  if (to.empty())
    to.emplaceBlock();
  to.front().clear();
  b.setInsertionPointToEnd(&to.front());
  SmallVector<Value> yielded;
  if (!from.empty()) {
    if (mlir::failed(lowerBlock(from.front())))
      return failure();
    Operation *yield = from.front().getTerminator();
    if (mlir::failed(
            updateBuffers(yield->getOperands(), results, yield->getLoc())))
      return failure();
    if (mlir::failed(appendAllCarried(yield->getOperands(), yielded)))
      return failure();
  }
  scf::YieldOp::create(b, loc, yielded);
  return success();
}

LogicalResult Lowering::lowerIf(scf::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<Buffer> results;
  bindNewBuffers(op.getResults(), results);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    appendCarriedTypes(type, types);
  bool hasElse = !op.getElseRegion().empty();
  auto branch =
      scf::IfOp::create(b, loc, types, lowered(op.getCondition()), hasElse);
  if (mlir::failed(lowerBranch(op.getThenRegion(), branch.getThenRegion(),
                               results, loc)) ||
      (hasElse &&
       mlir::failed(lowerBranch(op.getElseRegion(), branch.getElseRegion(),
                                results, loc))))
    return failure();
  bindAllCarried(op.getResults(), branch.getResults());
  return success();
}

LogicalResult Lowering::lowerIndexSwitch(scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  SmallVector<Buffer> results;
  bindNewBuffers(op.getResults(), results);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    appendCarriedTypes(type, types);
  auto branch = scf::IndexSwitchOp::create(b, loc, types, lowered(op.getArg()),
                                           op.getCases(), op.getCases().size());
  if (mlir::failed(lowerBranch(op.getDefaultRegion(), branch.getDefaultRegion(),
                               results, loc)))
    return failure();
  for (auto [from, to] :
       llvm::zip(op.getCaseRegions(), branch.getCaseRegions()))
    if (mlir::failed(lowerBranch(from, to, results, loc)))
      return failure();
  bindAllCarried(op.getResults(), branch.getResults());
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Buffer> before, after;
  if (mlir::failed(startCarriedTiles(op, op.getInits(), op.getBeforeArguments(),
                                     before)))
    return failure();
  // The tiles passed to the body are the results when the loop ends.
  bindNewBuffers(op.getResults(), after);
  SmallVector<Value> inits;
  if (mlir::failed(appendAllCarried(op.getInits(), inits)))
    return failure();
  SmallVector<Type> types, beforeTypes;
  for (Type type : op.getResultTypes())
    appendCarriedTypes(type, types);
  for (Value init : inits)
    beforeTypes.push_back(init.getType());

  auto loop = scf::WhileOp::create(b, loc, types, inits);
  OpBuilder::InsertionGuard guard(b);
  auto locations = [&](size_t count) {
    return SmallVector<Location>(count, loc);
  };
  Block *beforeBlock = b.createBlock(&loop.getBefore(), {}, beforeTypes,
                                     locations(beforeTypes.size()));
  ValueRange parts = beforeBlock->getArguments();
  for (Value argument : op.getBeforeArguments())
    bindCarried(argument, parts);
  if (mlir::failed(lowerBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  if (mlir::failed(
          updateBuffers(condition.getArgs(), after, condition.getLoc())))
    return failure();
  SmallVector<Value> passed;
  if (mlir::failed(appendAllCarried(condition.getArgs(), passed)))
    return failure();
  scf::ConditionOp::create(b, loc, lowered(condition.getCondition()), passed);

  Block *afterBlock =
      b.createBlock(&loop.getAfter(), {}, types, locations(types.size()));
  parts = afterBlock->getArguments();
  auto buffer = after.begin();
  for (Value argument : op.getAfterArguments()) {
    bindCarried(argument, parts);
    if (isa<RankedTensorType>(argument.getType()))
      buffers[argument] = *buffer++;
  }
  if (mlir::failed(lowerBlock(*op.getAfterBody())))
    return failure();
  scf::YieldOp yield = op.getYieldOp();
  if (mlir::failed(updateBuffers(yield.getResults(), before, yield.getLoc())))
    return failure();
  SmallVector<Value> yielded;
  if (mlir::failed(appendAllCarried(yield.getResults(), yielded)))
    return failure();
  scf::YieldOp::create(b, loc, yielded);

  parts = loop.getResults();
  for (Value result : op.getResults())
    bindCarried(result, parts);
  b.setInsertionPointAfter(loop);
  return success();
}
