//===- PartUnits.cpp - what parts should be multiples of ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "PartUnits.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::spine;

static bool isPowerOfTwo(int64_t size) {
  return size > 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(size));
}

LogicalResult PartUnits::setMatrixUnits(ArrayRef<std::string> texts,
                                        std::string &wrong) {
  units.clear();
  for (const std::string &text : texts) {
    auto [element, shape] = StringRef(text).split(':');
    SmallVector<StringRef> sizes;
    shape.split(sizes, 'x');
    MatrixUnit unit{element.str(), 0, 0, 0};
    wrong = text;
    if (element.empty() || sizes.size() != 3 ||
        sizes[0].getAsInteger(10, unit.m) ||
        sizes[1].getAsInteger(10, unit.k) ||
        sizes[2].getAsInteger(10, unit.n) || !isPowerOfTwo(unit.m) ||
        !isPowerOfTwo(unit.k) || !isPowerOfTwo(unit.n))
      return failure();
    units.push_back(std::move(unit));
  }
  return success();
}

/// Lanes of a vector of what a load or store moves, 0 if the axis is none of
/// its dimensions.
int64_t PartUnits::getLanes(Operation *op, const TileAxes &axes,
                            unsigned axis) const {
  if (!isa<triton::LoadOp, triton::StoreOp>(op) ||
      axes.getDims(op->getOpOperand(0), axis).none())
    return 0;
  Value tile = isa<triton::LoadOp>(op) ? op->getResult(0) : op->getOperand(1);
  Type element = getElementTypeOrSelf(tile.getType());
  if (!element.isIntOrFloat())
    return 0;
  return vectorBits / std::max(8U, element.getIntOrFloatBitWidth());
}

int64_t PartUnits::getMatrixSize(Operation *op, const TileAxes &axes,
                                 unsigned axis) const {
  auto dot = dyn_cast<triton::DotOp>(op);
  if (!dot)
    return 0;
  auto lhs = cast<RankedTensorType>(dot.getA().getType());
  auto rank = static_cast<unsigned>(lhs.getRank());
  std::string element;
  llvm::raw_string_ostream(element) << lhs.getElementType();
  llvm::SmallBitVector left = axes.getDims(dot->getOpOperand(0), axis);
  llvm::SmallBitVector right = axes.getDims(dot->getOpOperand(1), axis);
  int64_t size = 0;
  for (const MatrixUnit &unit : units) {
    if (unit.element != element)
      continue;
    if (left.test(rank - 2))
      size = std::max(size, unit.m);
    if (left.test(rank - 1))
      size = std::max(size, unit.k);
    if (right.test(rank - 1))
      size = std::max(size, unit.n);
  }
  return size;
}

int64_t PartUnits::getUnit(Operation *function, const TileAxes &axes,
                           unsigned axis) const {
  int64_t lanes = 0, matrix = 0;
  function->walk([&](Operation *op) {
    if (int64_t own = getLanes(op, axes, axis))
      lanes = lanes == 0 ? own : std::min(lanes, own);
    matrix = std::max(matrix, getMatrixSize(op, axes, axis));
  });
  int64_t unit = std::max({lanes, matrix, int64_t(1)});
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(unit)));
}
