//===- Placement.cpp - which tensor values are tiles in memory ------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "spine-triton/Analysis/Footprint.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "spine-triton/Analysis/Residency.h"
#include "spine-triton/Analysis/TensorPointer.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

StringRef spine::stringifyTileRole(TileRole role) {
  switch (role) {
  case TileRole::None:
    return "not packed";
  case TileRole::Loaded:
    return "loaded";
  case TileRole::Accumulated:
    return "accumulated";
  case TileRole::Stored:
    return "stored";
  case TileRole::Carried:
    return "carried";
  case TileRole::Kept:
    return "kept";
  }
  llvm_unreachable("all roles are above");
}

StringRef spine::stringifyTilePlacement(TilePlacement placement) {
  switch (placement) {
  case TilePlacement::Registers:
    return "registers";
  case TilePlacement::InPlace:
    return "in_place";
  case TilePlacement::Packed:
    return "packed";
  case TilePlacement::Mirrored:
    return "mirrored";
  }
  llvm_unreachable("all placements are above");
}

int64_t spine::getDenseBytes(RankedTensorType type) {
  unsigned bits = type.getElementType().isIntOrFloat()
                      ? type.getElementTypeBitWidth()
                      : 64; // pointers
  return getDenseBytes(type.getShape(), llvm::divideCeil(bits, 8));
}

/// A tensor of numbers; pointers, addresses in tensors, take no tile's place.
static bool isData(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIntOrFloat();
}

/// Roles that follow from the operation that makes the value.
static TileRole getRoleOfDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return getIncomingValues(value) ? TileRole::Carried : TileRole::None;
  if (isa<triton::LoadOp, triton::DescriptorLoadOp, triton::DescriptorGatherOp,
          triton::AtomicRMWOp, triton::AtomicCASOp>(op))
    return TileRole::Loaded;
  if (isa<triton::DotOp, triton::DotScaledOp, triton::ReduceOp, triton::ScanOp,
          triton::HistogramOp>(op))
    return TileRole::Accumulated;
  if (isa<RegionBranchOpInterface, CallOpInterface>(op))
    return TileRole::Carried;
  return TileRole::None;
}

static bool isStoredBy(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (!isData(use.get().getType()))
    return false;
  if (isa<triton::StoreOp, triton::AtomicRMWOp>(user))
    return number == 1; // not the mask
  return isa<triton::AtomicCASOp, triton::DescriptorStoreOp,
             triton::DescriptorScatterOp, triton::DescriptorReduceOp>(user);
}

/// Whether the value is handed on as a tile by control flow.
static bool isCarriedBy(OpOperand &use) {
  Operation *user = use.getOwner();
  return isa<CallOpInterface, RegionBranchOpInterface, BranchOpInterface,
             RegionBranchTerminatorOpInterface>(user) ||
         user->hasTrait<OpTrait::ReturnLike>();
}

/// Made of nothing but scalars: made again wherever it is used.
static bool isMadeOfScalars(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

static bool isComputedFromTile(Value value) {
  SmallVector<Value> queue{value};
  llvm::SmallPtrSet<Value, 16> seen{value};
  for (size_t next = 0; next < queue.size(); ++next) {
    Value source = queue[next];
    if (getRoleOfDefinition(source) != TileRole::None)
      return true;
    Operation *op = source.getDefiningOp();
    if (!op)
      return true; // an argument of the function
    for (Value operand : op->getOperands())
      if (isData(operand.getType()) && seen.insert(operand).second)
        queue.push_back(operand);
  }
  return false;
}

static bool definesTile(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return llvm::any_of(nested->getResults(),
                            [](Value result) {
                              return isData(result.getType()) &&
                                     getRoleOfDefinition(result) !=
                                         TileRole::None;
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a tile comes in between `op` and `user`, which uses what `op` makes.
static bool isTileBetween(Operation *op, Operation *user) {
  Operation *last = op->getBlock()->findAncestorOpInBlock(*user);
  if (!last)
    return true; // another block: anything may be in between
  for (Operation *it = op->getNextNode(); it && it != last;
       it = it->getNextNode())
    if (definesTile(it))
      return true;
  return last != user && definesTile(last);
}

/// Views of the value (no elementwise operation) are used in its place.
static bool outlivesTile(Operation *op, Value value) {
  for (Operation *user : value.getUsers()) {
    if (isTileBetween(op, user))
      return true;
    if (user->hasTrait<OpTrait::Elementwise>())
      continue;
    for (Value view : user->getResults())
      if (isData(view.getType()) &&
          getRoleOfDefinition(view) == TileRole::None && outlivesTile(op, view))
        return true;
  }
  return false;
}

static TileRole getStagedRole(Value tile) {
  if (!isData(tile.getType()))
    return TileRole::None;
  TileRole role = getRoleOfDefinition(tile);
  if (role != TileRole::None)
    return role;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return TileRole::None; // an argument of the function: it is the caller's
  if (llvm::any_of(tile.getUses(), isStoredBy))
    return TileRole::Stored;
  if (isMadeOfScalars(op))
    return TileRole::None;
  if (llvm::any_of(tile.getUses(), isCarriedBy))
    return TileRole::Carried;
  if (op->hasTrait<OpTrait::Elementwise>() && isComputedFromTile(tile) &&
      outlivesTile(op, tile))
    return TileRole::Kept;
  return TileRole::None;
}

TileDecision spine::placeStageAll(Value tile) { return getStagedRole(tile); }

TileDecision spine::placeStageMirrored(Value tile) {
  TileRole role = getStagedRole(tile);
  auto load = tile.getDefiningOp<triton::LoadOp>();
  if (load && getPointedTile(load.getPtr().getType()))
    return {role, TilePlacement::Mirrored};
  return role;
}

StringRef spine::stringifyResidencyPolicy(ResidencyPolicyKind kind) {
  switch (kind) {
  case ResidencyPolicyKind::StageAll:
    return "stage-all";
  case ResidencyPolicyKind::StageMirrored:
    return "stage-mirrored";
  }
  llvm_unreachable("all policies are above");
}

std::optional<ResidencyPolicyKind> spine::parseResidencyPolicy(StringRef name) {
  for (auto kind :
       {ResidencyPolicyKind::StageAll, ResidencyPolicyKind::StageMirrored})
    if (name == stringifyResidencyPolicy(kind))
      return kind;
  return std::nullopt;
}

ResidencyPolicy spine::getResidencyPolicy(ResidencyPolicyKind kind) {
  if (kind == ResidencyPolicyKind::StageMirrored)
    return placeStageMirrored;
  return placeStageAll;
}
