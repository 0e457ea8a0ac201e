//===- TilePlan.cpp - the placement of every tile, as a plan --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::spine;

/// Made of nothing, wherever it is used: no tile for a reader of the plan.
static bool isMadeOfNothing(Value value) {
  return isa_and_nonnull<arith::ConstantOp, tensor::EmptyOp, ub::PoisonOp>(
      value.getDefiningOp());
}

/// Other operations write all their results to memory, used or not.
static bool mayBeVirtual(Operation *op) {
  return isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op) &&
         !isa<linalg::ContractionOpInterface>(op);
}

void Placement::numberTiles(Operation *op) {
  auto number = [&](ValueRange values) {
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()) && !isMadeOfNothing(value)) {
        ids[value] = tiles.size();
        tiles.push_back(value);
      }
  };
  for (Region &region : op->getRegions())
    for (Block &block : region)
      number(block.getArguments());
  number(op->getResults());
}

std::optional<int64_t> Placement::idOf(Value tile) const {
  auto it = ids.find(tile);
  return it == ids.end() ? std::nullopt : std::optional(it->second);
}

TilePlacement Placement::placementOf(Value tile) const {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return TilePlacement::Packed; // what loops and branches hand on
  triton::StoreOp sink = sinkOf(op);
  if (sink && streamedInto(sink) == tile)
    return TilePlacement::Registers;
  if (needsBuffer(tile))
    return TilePlacement::Packed;
  if (isa<triton::LoadOp>(op))
    return TilePlacement::InPlace;
  return mayBeVirtual(op) ? TilePlacement::Registers : TilePlacement::Packed;
}

ArrayAttr Placement::describe() const {
  Builder builder(function->getContext());
  SmallVector<Attribute> plan;
  for (auto [id, tile] : llvm::enumerate(tiles)) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (!type.getElementType().isIntOrFloat())
      type = type.clone(builder.getI64Type()); // addresses
    plan.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("id", builder.getI64IntegerAttr(id)),
        builder.getNamedAttr("loc", LocationAttr(tile.getLoc())),
        builder.getNamedAttr(
            "placement",
            builder.getStringAttr(stringifyTilePlacement(placementOf(tile)))),
        builder.getNamedAttr("tile", TypeAttr::get(type)),
    }));
  }
  return builder.getArrayAttr(plan);
}
