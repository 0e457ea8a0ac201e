//===- AxisTags.cpp - an axis found again after another split -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "AxisTags.h"
#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

static constexpr llvm::StringLiteral kTag = "spine.axes";

/// The operands that show all axes of an operation: stored values, the sources
/// of a reduction or scan, the factors of a product, the address of what is
/// loaded.
static MutableArrayRef<OpOperand> getShown(Operation *op) {
  if (isa<triton::LoadOp>(op))
    return op->getOpOperands().take_front(1);
  if (isa<triton::StoreOp, triton::DotOp>(op))
    return op->getOpOperands().take_front(2);
  if (isa<triton::ReduceOp, triton::ScanOp>(op))
    return op->getOpOperands();
  return {};
}

/// One number per dimension of each of them; -1 where there is no axis.
static SmallVector<int64_t> getAxisNumbers(Operation *op,
                                           const TileAxes &axes) {
  SmallVector<int64_t> numbers;
  for (OpOperand &use : getShown(op))
    if (RankedTensorType tile = getTileType(use.get().getType()))
      for (unsigned dim : llvm::seq<unsigned>(tile.getRank())) {
        std::optional<unsigned> axis = axes.getAxis(use, dim);
        numbers.push_back(axis ? static_cast<int64_t>(*axis) : -1);
      }
  return numbers;
}

void spine::tagAxes(Operation *function, const TileAxes &axes) {
  Builder builder(function->getContext());
  function->walk([&](Operation *op) {
    SmallVector<int64_t> numbers = getAxisNumbers(op, axes);
    if (!numbers.empty())
      op->setDiscardableAttr(kTag, builder.getDenseI64ArrayAttr(numbers));
  });
}

std::optional<unsigned> spine::findTaggedAxis(Operation *function,
                                              const TileAxes &axes,
                                              unsigned axis, int64_t total) {
  std::optional<unsigned> found;
  function->walk([&](Operation *op) {
    auto tag = op->getAttrOfType<DenseI64ArrayAttr>(kTag);
    if (!tag)
      return WalkResult::advance();
    for (auto [was, is] : llvm::zip(tag.asArrayRef(), getAxisNumbers(op, axes)))
      if (was == static_cast<int64_t>(axis) && is >= 0 &&
          axes.getAxes()[is].size == total) {
        found = static_cast<unsigned>(is);
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

void spine::removeAxisTags(Operation *function) {
  function->walk([](Operation *op) { op->removeDiscardableAttr(kTag); });
}
