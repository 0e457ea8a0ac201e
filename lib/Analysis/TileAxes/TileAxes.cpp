//===- TileAxes.cpp - which dimensions of tiles belong together -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/TileAxes.h"
#include "TileAxesBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "spine-triton/Analysis/VariableName.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

RankedTensorType spine::getTileType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  auto pointer = dyn_cast<triton::PointerType>(type);
  return pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                 : RankedTensorType();
}

static bool isRepeatable(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<triton::SplatOp, triton::MakeRangeOp, triton::MakeTensorPtrOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<triton::ExpandDimsOp, triton::BroadcastOp, triton::TransOp>(op));
}

bool spine::isMadeOfScalars(Value tile) {
  SmallVector<Value> queue{tile};
  llvm::SmallPtrSet<Value, 16> seen{tile};
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val().getDefiningOp();
    if (!op || !isRepeatable(op))
      return false;
    for (Value operand : op->getOperands())
      if (getTileType(operand.getType()) && seen.insert(operand).second)
        queue.push_back(operand);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<unsigned> TileAxes::lookup(const void *place,
                                         unsigned dim) const {
  auto it = nodes.find({place, dim});
  if (it == nodes.end())
    return std::nullopt;
  return classes[it->second];
}

std::optional<unsigned> TileAxes::getAxis(Value tile, unsigned dim) const {
  return lookup(tile.getAsOpaquePointer(), dim);
}

std::optional<unsigned> TileAxes::getAxis(OpOperand &use, unsigned dim) const {
  return lookup(&use, dim);
}

llvm::SmallBitVector TileAxes::getDims(const void *place, Type type,
                                       unsigned axis) const {
  RankedTensorType tile = getTileType(type);
  llvm::SmallBitVector dims(tile ? tile.getRank() : 0);
  for (unsigned dim : llvm::seq<unsigned>(dims.size()))
    if (lookup(place, dim) == axis)
      dims.set(dim);
  return dims;
}

llvm::SmallBitVector TileAxes::getDims(Value tile, unsigned axis) const {
  return getDims(tile.getAsOpaquePointer(), tile.getType(), axis);
}

llvm::SmallBitVector TileAxes::getDims(OpOperand &use, unsigned axis) const {
  return getDims(&use, use.get().getType(), axis);
}

bool TileAxes::touches(Operation *op, unsigned axis) const {
  auto isOnAxis = [&](Value value) { return getDims(value, axis).any(); };
  return op
      ->walk([&](Operation *nested) {
        bool found = llvm::any_of(nested->getResults(), isOnAxis);
        for (OpOperand &use : nested->getOpOperands())
          found |= getDims(use, axis).any();
        for (Region &region : nested->getRegions())
          for (Block &block : region)
            found |= llvm::any_of(block.getArguments(), isOnAxis);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string TileAxes::Axis::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "dimension " << dim << " of ";
  if (auto name = getVariableName(tile))
    os << "'" << *name << "'";
  else if (Operation *op = tile.getDefiningOp())
    os << "the tile of '" << op->getName() << "'";
  else
    os << "a tile";
  RankedTensorType type = getTileType(tile.getType());
  os << " (";
  for (int64_t extent : type.getShape())
    os << extent << 'x';
  os << type.getElementType() << ")";
  return text;
}
