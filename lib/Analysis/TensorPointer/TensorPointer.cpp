//===- TensorPointer.cpp - where block pointers come from -----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/TensorPointer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/IncomingValues.h"

using namespace mlir;
using namespace mlir::spine;

using triton::AdvanceOp;
using triton::MakeTensorPtrOp;

RankedTensorType spine::getPointedTile(Type type) {
  auto pointer = dyn_cast<triton::PointerType>(type);
  return pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                 : RankedTensorType();
}

TensorPointerAnalysis::TensorPointerAnalysis(Operation *function) {
  collect(function);
  for (Value pointer : pointers)
    connect(pointer);
  for (Value pointer : pointers)
    noteEscapes(pointer);
  solve();
}

void TensorPointerAnalysis::collect(Operation *function) {
  auto add = [&](Value value) {
    if (!getPointedTile(value.getType()))
      return;
    pointers.push_back(value);
    fields[value].resize(PointerFields(value).count());
    families.insert(value.getAsOpaquePointer());
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
}

/// What `pointer` is made from; empty for a source and for the unknown.
static SmallVector<Value> getOrigins(Value pointer) {
  if (auto advance = pointer.getDefiningOp<AdvanceOp>())
    return {advance.getPtr()};
  if (auto select = pointer.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  return getIncomingValues(pointer).value_or(SmallVector<Value>());
}

void TensorPointerAnalysis::connect(Value pointer) {
  for (Value origin : getOrigins(pointer))
    families.unionSets(pointer.getAsOpaquePointer(),
                       origin.getAsOpaquePointer());
}

void TensorPointerAnalysis::noteEscape(Value pointer, Location loc,
                                       const Twine &reason) {
  void *family = families.getLeaderValue(pointer.getAsOpaquePointer());
  escapes.try_emplace(family, Escape{loc, reason.str()});
}

/// Whether the user hands the pointer on (or uses it up) in a way that the
/// analysis follows.
static bool isFollowed(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<AdvanceOp, triton::LoadOp, arith::SelectOp, scf::ForOp, scf::WhileOp,
          BranchOpInterface>(user))
    return true;
  if (isa<triton::StoreOp>(user))
    return use.getOperandNumber() == 0;
  return isa<scf::YieldOp, scf::ConditionOp>(user) &&
         isa<scf::ForOp, scf::IfOp, scf::WhileOp>(user->getParentOp());
}

void TensorPointerAnalysis::noteEscapes(Value pointer) {
  if (auto maker = pointer.getDefiningOp<MakeTensorPtrOp>())
    makers.try_emplace(families.getLeaderValue(pointer.getAsOpaquePointer()),
                       maker);
  else if (getOrigins(pointer).empty())
    noteEscape(pointer, pointer.getLoc(),
               isa<BlockArgument>(pointer)
                   ? Twine("it is an argument of the function")
                   : "it comes from '" +
                         pointer.getDefiningOp()->getName().getStringRef() +
                         "'");
  for (OpOperand &use : pointer.getUses()) {
    Operation *user = use.getOwner();
    if (isFollowed(use))
      continue;
    if (auto call = dyn_cast<CallOpInterface>(user)) {
      if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        noteEscape(pointer, user->getLoc(),
                   "it is passed to function '" +
                       callee.getLeafReference().getValue() +
                       "', which is not inlined");
    }
    noteEscape(pointer, user->getLoc(),
               user->hasTrait<OpTrait::ReturnLike>()
                   ? Twine("it is returned")
                   : "it is used by '" + user->getName().getStringRef() + "'");
  }
}

const TensorPointerAnalysis::Escape *
TensorPointerAnalysis::getEscape(Value pointer) const {
  auto it = escapes.find(families.getLeaderValue(pointer.getAsOpaquePointer()));
  return it == escapes.end() ? nullptr : &it->second;
}

bool TensorPointerAnalysis::isTracked(Value pointer) const {
  return fields.contains(pointer) && !getEscape(pointer);
}

FieldSource TensorPointerAnalysis::getField(Value pointer,
                                            unsigned field) const {
  auto it = fields.find(pointer);
  return it == fields.end() ? FieldSource() : it->second[field];
}

bool TensorPointerAnalysis::isMerged(Value pointer, unsigned field) const {
  return getField(pointer, field) == FieldSource::getPointer(pointer) &&
         !isa_and_nonnull<AdvanceOp, arith::SelectOp>(pointer.getDefiningOp());
}

MakeTensorPtrOp TensorPointerAnalysis::getMaker(Value pointer) const {
  return makers.lookup(families.getLeaderValue(pointer.getAsOpaquePointer()));
}

/// Constants are told by their value: equal ones need not be one SSA value.
static FieldSource sourceOfOperand(Value operand) {
  IntegerAttr constant;
  if (matchPattern(operand, m_Constant(&constant)))
    return FieldSource::getConstant(constant.getValue().getSExtValue());
  return FieldSource::getOperand(operand);
}

static FieldSource fieldOfMaker(MakeTensorPtrOp maker, unsigned field) {
  PointerFields numbers(maker.getResult());
  if (field == numbers.base())
    return FieldSource::getOperand(maker.getBase());
  unsigned dim = (field - 1) % numbers.rank;
  if (field == numbers.extent(dim))
    return sourceOfOperand(maker.getShape()[dim]);
  if (field == numbers.stride(dim))
    return sourceOfOperand(maker.getStrides()[dim]);
  return sourceOfOperand(maker.getOffsets()[dim]);
}

FieldSource
TensorPointerAnalysis::evaluateMerge(Value pointer, unsigned field,
                                     ArrayRef<Value> incoming) const {
  FieldSource merged, own = FieldSource::getPointer(pointer);
  for (Value value : incoming) {
    FieldSource source = getField(value, field);
    if (source.kind == FieldSource::Kind::Unknown || source == own)
      continue;
    if (merged.kind != FieldSource::Kind::Unknown && merged != source)
      return own;
    merged = source;
  }
  // What is computed inside of a loop or branch cannot be named outside of it.
  if (merged.value && !isVisibleAt(merged.value, pointer))
    return own;
  return merged;
}

FieldSource TensorPointerAnalysis::evaluate(Value pointer,
                                            unsigned field) const {
  if (auto maker = pointer.getDefiningOp<MakeTensorPtrOp>())
    return fieldOfMaker(maker, field);
  auto advance = pointer.getDefiningOp<AdvanceOp>();
  if (!advance)
    return evaluateMerge(pointer, field, getOrigins(pointer));

  FieldSource source = getField(advance.getPtr(), field);
  PointerFields numbers(pointer);
  if (!numbers.isOffset(field) || source.kind == FieldSource::Kind::Unknown)
    return source;
  FieldSource step =
      sourceOfOperand(advance.getOffsets()[field - numbers.offset(0)]);
  if (step == FieldSource::getConstant(0))
    return source;
  if (step.kind == FieldSource::Kind::Constant &&
      source.kind == FieldSource::Kind::Constant)
    return FieldSource::getConstant(source.constant + step.constant);
  return FieldSource::getPointer(pointer);
}

void TensorPointerAnalysis::solve() {
  // An optimistic fixed point: a merge copies what it has seen so far until
  // something different arrives. A few rounds settle any real program; from
  // then on a field that still changes is taken to be merged where it changes,
  // so that the number of rounds is bounded.
  constexpr unsigned patience = 16;
  bool changed = true;
  for (unsigned round = 0; changed; ++round) {
    changed = false;
    for (Value pointer : pointers) {
      if (getEscape(pointer))
        continue;
      for (auto [number, field] : llvm::enumerate(fields[pointer])) {
        FieldSource next = evaluate(pointer, number);
        if (next == field)
          continue;
        if (round > patience && field.kind != FieldSource::Kind::Unknown &&
            !pointer.getDefiningOp<AdvanceOp>())
          next = FieldSource::getPointer(pointer);
        if (next == field)
          continue;
        field = next;
        changed = true;
      }
    }
  }
}
