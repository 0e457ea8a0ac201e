//===- DataMovement.cpp - gather, histogram and cat -----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Operations whose elements come from, or go to, places that are computed.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// The tile's buffer; one is made and filled for `user` if it has none.
Buffer Lowering::inBuffer(Value tile, Operation *user) {
  auto it = buffers.find(tile);
  if (it != buffers.end())
    return it->second;
  auto type = cast<RankedTensorType>(tile.getType());
  Buffer buffer = makeTemporary(user->getResult(0), type.getShape(),
                                type.getElementType(), tile.getLoc());
  materialise(tile, buffer);
  return buffer;
}

LogicalResult Lowering::lowerGather(triton::GatherOp op) {
  Location loc = op.getLoc();
  Buffer from = inBuffer(op.getSrc(), op);
  Buffer to = makeBuffer(op.getResult(), "gather");
  unsigned axis = op.getAxis();
  buildNest(loc, to.shape, -1, 1, [&](const Point &point) {
    Point place = point;
    place.index[axis] = toI64(emit(op.getIndices(), point), loc);
    storeBuffer(to, point, loadBuffer(from, place, loc), loc);
  });
  buffers[op.getResult()] = to;
  return failure(hasFailed);
}

LogicalResult Lowering::lowerHistogram(triton::HistogramOp op) {
  Location loc = op.getLoc();
  Buffer bins = makeBuffer(op.getResult(), "histogram");
  int64_t numBins = bins.shape[0];
  buildNest(loc, bins.shape, 0, lanesFor(bins.shape, 0, bins.elementType),
            [&](const Point &point) {
              storeBuffer(bins, point, zeroOf(bins.elementType, loc), loc);
            });
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  buildNest(loc, source.getShape(), -1, 1, [&](const Point &point) {
    Value bin = toI64(emit(op.getSrc(), point), loc);
    // Values that belong to no bin are not counted.
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bin,
                                         constant(numBins, loc));
    if (op.getMask())
      counts = andI(counts, emit(op.getMask(), point), loc);
    doIf(counts, loc, [&] {
      Point place;
      place.index.push_back(bin);
      Value one = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(bins.elementType, 1));
      Value sum =
          arith::AddIOp::create(b, loc, loadBuffer(bins, place, loc), one);
      storeBuffer(bins, place, sum, loc);
    });
  });
  buffers[op.getResult()] = bins;
  return failure(hasFailed);
}

/// The elements of one tile, then those of the other.
LogicalResult Lowering::lowerCat(triton::CatOp op) {
  Location loc = op.getLoc();
  Buffer whole = makeBuffer(op.getResult(), "cat");
  int64_t first = 0;
  for (Value operand : {op.getLhs(), op.getRhs()}) {
    Buffer part = whole;
    part.shape =
        llvm::to_vector(cast<RankedTensorType>(operand.getType()).getShape());
    Type inMemory = whole.elementType.isInteger(1) ? Type(b.getI8Type())
                                                   : whole.elementType;
    part.pointer =
        elementAddress(whole.pointer, constant(first, loc), inMemory, loc);
    materialise(operand, part);
    first += part.numElements();
  }
  buffers[op.getResult()] = whole;
  return failure(hasFailed);
}
