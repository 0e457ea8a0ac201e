//===- PointerCarrier.cpp - block pointers as plain values ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "PointerCarrier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::spine;

using triton::AdvanceOp;

PointerCarrier::PointerCarrier(Operation *function,
                               const TensorPointerAnalysis &pointers)
    : function(function), pointers(pointers) {
  // A pointer that enters a loop or leaves a conditional is described by values
  // that come before it, so that one pass in the order of dominance finds each
  // of them in place. What a terminator hands on may come later: that is last.
  SmallVector<Operation *> operations;
  SmallVector<Block *> blocks;
  function->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](Operation *op) {
        if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
          operations.push_back(op);
      });
  for (Region &region : function->getRegions())
    for (Block &block : region)
      if (!block.isEntryBlock())
        blocks.push_back(&block);
  llvm::for_each(blocks, [&](Block *block) { rewriteBlock(block); });
  llvm::for_each(operations, [&](Operation *op) { rewriteOperation(op); });
  rewriteTerminators();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

PointerCarrier::Slot PointerCarrier::makeSlot(ArrayRef<Value> merges) const {
  Value first = merges.front();
  if (!getPointedTile(first.getType()) || !pointers.isTracked(first))
    return {};
  Slot slot{first, {}};
  for (unsigned field : llvm::seq(PointerFields(first).count()))
    if (llvm::any_of(merges, [&](Value merge) {
          return pointers.isMerged(merge, field);
        }))
      slot.fields.push_back(field);
  return slot;
}

/// Slots of what enters an operation (scf.for, scf.while) and comes back from
/// the end of its body, or of the results of an scf.if.
PointerCarrier::Slots PointerCarrier::slotsOfLoop(Operation *op) const {
  Slots slots;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      slots.push_back(makeSlot({argument, result}));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (BlockArgument argument : loop.getBeforeArguments())
      slots.push_back(makeSlot({argument}));
  } else {
    for (OpResult result : op->getResults())
      slots.push_back(makeSlot({result}));
  }
  return slots;
}

/// Slots of what leaves an operation.
PointerCarrier::Slots PointerCarrier::slotsOfCondition(Operation *op) const {
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return slotsOfLoop(op);
  Slots slots;
  for (auto [argument, result] :
       llvm::zip(loop.getAfterArguments(), loop.getResults()))
    slots.push_back(makeSlot({argument, result}));
  return slots;
}

bool PointerCarrier::carriesPointer(const Slots &slots) const {
  return llvm::any_of(slots, [](const Slot &slot) { return slot.pointer; });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Type> PointerCarrier::resultTypes(Operation *op,
                                              const Slots &slots) const {
  SmallVector<Type> types;
  for (auto [result, slot] : llvm::zip(op->getResults(), slots))
    if (!slot.pointer)
      types.push_back(result.getType());
  for (const Slot &slot : slots)
    for (unsigned field : slot.fields)
      types.push_back(getFieldType(slot.pointer, field));
  return types;
}

/// The values that stay, then the fields that stand for the pointers.
SmallVector<Value> PointerCarrier::expand(ValueRange values,
                                          const Slots &slots) {
  SmallVector<Value> expanded;
  for (auto [value, slot] : llvm::zip(values, slots))
    if (!slot.pointer)
      expanded.push_back(value);
  for (auto [value, slot] : llvm::zip(values, slots))
    for (unsigned field : slot.fields)
      expanded.push_back(getField(value, field));
  return expanded;
}

/// New arguments come after the old ones, which go at the end.
void PointerCarrier::addArguments(Block *block, const Slots &slots,
                                  unsigned first) {
  for (auto [number, slot] : llvm::enumerate(slots)) {
    if (!slot.pointer)
      continue;
    ++numCarried;
    Value argument = block->getArgument(first + number);
    for (unsigned field : slot.fields)
      known[{argument, field}] =
          block->addArgument(getFieldType(argument, field), argument.getLoc());
  }
}

void PointerCarrier::mapResults(Operation *op, Operation *replacement,
                                const Slots &slots) {
  unsigned next = 0;
  for (auto [result, slot] : llvm::zip(op->getResults(), slots)) {
    if (slot.pointer)
      continue;
    Value kept = replacement->getResult(next++);
    result.replaceAllUsesWith(kept);
    replaced[result] = kept;
  }
  for (auto [result, slot] : llvm::zip(op->getResults(), slots))
    for (unsigned field : slot.fields)
      known[{result, field}] = replacement->getResult(next++);
}

Operation *PointerCarrier::recreate(Operation *op, ArrayRef<Value> operands,
                                    ArrayRef<Type> resultTypes) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(resultTypes);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0, n = op->getNumRegions(); i < n; ++i)
    state.addRegion();
  OpBuilder builder(op);
  Operation *replacement = builder.create(state);
  for (auto [to, from] : llvm::zip(replacement->getRegions(), op->getRegions()))
    to.takeBody(from);
  return replacement;
}

void PointerCarrier::rewriteOperation(Operation *op) {
  Slots entering = slotsOfLoop(op), leaving = slotsOfCondition(op);
  if (!carriesPointer(entering) && !carriesPointer(leaving))
    return;

  SmallVector<Value> operands(op->getOperands());
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!isa<scf::IfOp>(op)) {
    unsigned fixed = loop ? loop.getNumControlOperands() : 0;
    SmallVector<Value> inits =
        expand(op->getOperands().drop_front(fixed), entering);
    operands.truncate(fixed);
    operands.append(inits);
  }
  Operation *replacement = recreate(op, operands, resultTypes(op, leaving));
  mapResults(op, replacement, leaving);
  op->remove();
  op->dropAllReferences();
  dead.push_back(op);
  recreated[op] = replacement;

  if (loop) {
    Block *body = &replacement->getRegion(0).front();
    addArguments(body, entering, 1);
    terminators.emplace_back(body->getTerminator(), entering);
  } else if (isa<scf::WhileOp>(op)) {
    auto newLoop = cast<scf::WhileOp>(replacement);
    addArguments(newLoop.getBeforeBody(), entering, 0);
    addArguments(newLoop.getAfterBody(), leaving, 0);
    terminators.emplace_back(newLoop.getConditionOp(), leaving);
    terminators.emplace_back(newLoop.getYieldOp(), entering);
  } else {
    numCarried += llvm::count_if(
        leaving, [](const Slot &slot) { return bool(slot.pointer); });
    for (Region &region : replacement->getRegions())
      if (!region.empty())
        terminators.emplace_back(region.front().getTerminator(), leaving);
  }
}

void PointerCarrier::rewriteBlock(Block *block) {
  Slots slots;
  for (BlockArgument argument : block->getArguments())
    slots.push_back(makeSlot({argument}));
  if (!carriesPointer(slots))
    return;
  addArguments(block, slots, 0);
  branchTargets[block] = std::move(slots);
}

void PointerCarrier::rewriteTerminators() {
  for (auto &[terminator, slots] : terminators) {
    // scf.condition has its condition in front.
    unsigned fixed = isa<scf::ConditionOp>(terminator) ? 1 : 0;
    SmallVector<Value> operands(terminator->getOperands().take_front(fixed));
    operands.append(expand(terminator->getOperands().drop_front(fixed), slots));
    terminator->setOperands(operands);
  }
  for (auto &[block, slots] : branchTargets) {
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = cast<BranchOpInterface>((*it)->getTerminator());
      SuccessorOperands operands =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      operands.getMutableForwardedOperands().assign(
          expand(OperandRange(operands.getForwardedOperands()), slots));
    }
  }
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

Type PointerCarrier::getFieldType(Value pointer, unsigned field) const {
  if (field == PointerFields(pointer).base())
    return pointers.getMaker(pointer).getBase().getType();
  return IntegerType::get(function->getContext(), 64);
}

/// What took the place of a result of an operation that was created anew.
Value PointerCarrier::getLive(Value value) const {
  while (Value next = replaced.lookup(value))
    value = next;
  return value;
}

Value PointerCarrier::getConstant(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder builder =
        OpBuilder::atBlockBegin(&function->getRegion(0).front());
    constant =
        arith::ConstantIntOp::create(builder, function->getLoc(), value, 64);
  }
  return constant;
}

/// An operand of a tt.make_tensor_ptr or tt.advance; offsets are widened.
Value PointerCarrier::getOperand(Value operand) {
  operand = getLive(operand);
  auto type = dyn_cast<IntegerType>(operand.getType());
  if (!type || type.getWidth() == 64)
    return operand;
  Value &wide = widened[operand];
  if (!wide) {
    OpBuilder builder(function->getContext());
    builder.setInsertionPointAfterValue(operand);
    wide = arith::ExtSIOp::create(builder, operand.getLoc(),
                                  builder.getI64Type(), operand);
  }
  return wide;
}

Value PointerCarrier::getField(Value pointer, unsigned field) {
  FieldSource source = pointers.getField(pointer, field);
  // A slot may carry a field for the sake of another pointer in the same slot.
  if (Value value = known.lookup({pointer, field}))
    return value;
  switch (source.kind) {
  case FieldSource::Kind::Constant:
    return getConstant(source.constant);
  case FieldSource::Kind::Operand:
    return getOperand(source.value);
  case FieldSource::Kind::Pointer:
    if (source.value != pointer)
      return getField(source.value, field);
    return known[{pointer, field}] = compute(pointer, field);
  case FieldSource::Kind::Unknown:
    break;
  }
  // Code that is never reached: any value does.
  assert(field != PointerFields(pointer).base() && "pointer out of nowhere");
  return getConstant(0);
}

Value PointerCarrier::compute(Value pointer, unsigned field) {
  Operation *op = pointer.getDefiningOp();
  Location loc = pointer.getLoc();
  if (auto advance = dyn_cast<AdvanceOp>(op)) {
    Value from = getField(advance.getPtr(), field);
    unsigned dim = field - PointerFields(pointer).offset(0);
    Value step = getOperand(advance.getOffsets()[dim]);
    OpBuilder builder(op);
    return builder.createOrFold<arith::AddIOp>(loc, from, step);
  }
  auto select = cast<arith::SelectOp>(op);
  Value onTrue = getField(select.getTrueValue(), field);
  Value onFalse = getField(select.getFalseValue(), field);
  OpBuilder builder(op);
  return builder.createOrFold<arith::SelectOp>(loc, select.getCondition(),
                                               onTrue, onFalse);
}

PointerDescription PointerCarrier::describe(Value pointer) {
  PointerFields numbers(pointer);
  PointerDescription description;
  description.base = getField(pointer, numbers.base());
  for (unsigned dim : llvm::seq(numbers.rank)) {
    description.extents.push_back(getField(pointer, numbers.extent(dim)));
    description.strides.push_back(getField(pointer, numbers.stride(dim)));
    description.offsets.push_back(getField(pointer, numbers.offset(dim)));
  }
  return description;
}

void PointerCarrier::setInsertionPoint(OpBuilder &builder, Value pointer,
                                       ArrayRef<Value> operands) const {
  Operation *definition = pointer.getDefiningOp();
  if (Operation *replacement = recreated.lookup(definition))
    definition = replacement;
  Block *block = definition ? definition->getBlock() : pointer.getParentBlock();
  Operation *last = definition;
  for (Value operand : operands) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == block && (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(block);
}

//===----------------------------------------------------------------------===//
// Deletion
//===----------------------------------------------------------------------===//

void PointerCarrier::finish() {
  for (Value pointer : pointers.getPointers()) {
    if (!pointers.isTracked(pointer))
      continue;
    // The users that are left are dead as well.
    pointer.dropAllUses();
    Operation *op = pointer.getDefiningOp();
    if (op && op->getNumRegions() == 0)
      dead.push_back(op);
  }
  llvm::SmallDenseSet<Block *> blocks;
  for (Value pointer : pointers.getPointers())
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      if (pointers.isTracked(pointer))
        blocks.insert(argument.getOwner());
  for (Block *block : blocks)
    block->eraseArguments([&](BlockArgument argument) {
      return getPointedTile(argument.getType()) && pointers.isTracked(argument);
    });
  for (Operation *op : dead) {
    op->dropAllReferences();
    if (op->getBlock())
      op->erase();
    else
      op->destroy();
  }
}
