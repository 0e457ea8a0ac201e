//===- ReduceScan.cpp - reductions and scans ------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A combine region has no neutral element, so results start from the first
// element (or the first vector of elements) and go on with the others.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

/// Can the region be evaluated on vectors?
static bool isVectorizable(Region &region) {
  return llvm::all_of(region.front().without_terminator(), [](Operation &op) {
    return (op.getNumResults() == 1 && op.getNumRegions() == 0 &&
            (OpTrait::hasElementwiseMappableTraits(&op) ||
             isa<arith::ConstantOp>(op) ||
             isa<triton::TritonDialect>(op.getDialect()))) ||
           isa<arith::MulUIExtendedOp>(op);
  });
}

/// Is the region one operation that is known not to care about the order of its
/// operands? Then elements may be combined in any order.
static bool isCommutative(Region &region) {
  Block &body = region.front();
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2)
    return false;
  Operation &op = body.front();
  return op.hasTrait<OpTrait::IsCommutative>() && op.getNumOperands() == 2 &&
         op.getOperand(0) != op.getOperand(1) &&
         llvm::all_of(op.getOperands(),
                      [](Value v) { return isa<BlockArgument>(v); }) &&
         body.getTerminator()->getOperands() == op.getResults();
}

/// Combines two sets of values (one per operand of the reduction).
SmallVector<Value> Lowering::combine(Region &region, ValueRange lhs,
                                     ValueRange rhs) {
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  return emitRegion(region.front(), arguments, nullptr);
}

/// A loop over [low, high) that carries the values of a reduction.
SmallVector<Value>
Lowering::reduceLoop(Location loc, Value low, Value high, int64_t step,
                     ValueRange init,
                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  APInt l, h;
  if (matchPattern(low, m_ConstantInt(&l)) &&
      matchPattern(high, m_ConstantInt(&h)) && !l.slt(h))
    return SmallVector<Value>(init);
  auto loop = scf::ForOp::create(
      b, loc, low, high, constant(step, loc), init,
      [&](OpBuilder &, Location, Value i, ValueRange carried) {
        Cache local;
        llvm::SaveAndRestore<Cache *> scope(cache, &local);
        scf::YieldOp::create(b, loc, body(i, carried));
      });
  return SmallVector<Value>(loop->getResults());
}

/// Folds the lanes of vectors by halves: lane i with lane i + n/2, and so on.
SmallVector<Value> Lowering::reduceLanes(Region &region,
                                         SmallVector<Value> values,
                                         int64_t lanes, Location loc) {
  while (lanes > 1) {
    lanes /= 2;
    SmallVector<Value> lower, upper;
    for (Value value : values) {
      lower.push_back(vector::ExtractStridedSliceOp::create(
          b, loc, value, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{lanes},
          ArrayRef<int64_t>{1}));
      upper.push_back(vector::ExtractStridedSliceOp::create(
          b, loc, value, ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{lanes},
          ArrayRef<int64_t>{1}));
    }
    values = combine(region, lower, upper);
  }
  for (Value &value : values)
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(b, loc, value, 0);
  return values;
}

LogicalResult Lowering::lowerReduce(triton::ReduceOp op) {
  Location loc = op.getLoc();
  Region &region = op.getCombineOp();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  ArrayRef<int64_t> shape = type.getShape();
  int axis = op.getAxis();
  int64_t length = shape[axis];
  SmallVector<int64_t> kept(shape);
  kept.erase(kept.begin() + axis);

  // Vectors lie along a dimension that is kept, if the elements do so in memory
  // or no other dimension is left; else along the axis, to be folded at the
  // end.
  int dim = -1;
  for (auto [d, size] : llvm::enumerate(shape))
    if (size > 1)
      dim = d;
  int preferred = preferredDim(op->getOperand(0));
  if (preferred >= 0)
    dim = preferred;
  bool alongAxis = dim == axis;
  bool vectorizable = isVectorizable(region);
  int64_t lanes =
      vectorizable ? lanesFor(shape, dim, type.getElementType()) : 1;
  // Vectors along the axis combine elements out of order.
  if (alongAxis && !isCommutative(region))
    lanes = 1;
  // The axis has to be a whole number of vectors: there is nothing to fill up
  // with.
  if (alongAxis)
    while (lanes > 1 && length % lanes)
      lanes /= 2;

  SmallVector<Buffer> out;
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      out.push_back(buffers[result] = makeBuffer(result, "reduce"));

  int keptDim = alongAxis ? -1 : (dim > axis ? dim - 1 : dim);
  buildNest(loc, kept, keptDim, alongAxis ? 1 : lanes, [&](const Point &point) {
    Point source = point;
    source.index.insert(source.index.begin() + axis, Value());
    if (point.isVector())
      source.dim = dim;
    if (alongAxis && lanes > 1) {
      source.dim = axis;
      source.lanes = lanes;
    }
    auto at = [&](Value i) {
      source.index[axis] = i;
      SmallVector<Value> values;
      for (Value operand : op->getOperands())
        values.push_back(shaped(emit(operand, source), source, loc));
      return values;
    };
    int64_t step = alongAxis ? std::max<int64_t>(lanes, 1) : 1;
    SmallVector<Value> values =
        reduceLoop(loc, constant(step, loc), constant(length, loc), step,
                   at(constant(0, loc)), [&](Value i, ValueRange carried) {
                     return combine(region, carried, at(i));
                   });
    if (alongAxis && lanes > 1)
      values = reduceLanes(region, values, lanes, loc);
    for (auto [i, value] : llvm::enumerate(values)) {
      if (!out.empty())
        storeBuffer(out[i], point, value, loc);
      else
        scalars.map(op->getResult(i), value);
    }
  });
  return failure(hasFailed);
}

LogicalResult Lowering::lowerScan(triton::ScanOp op) {
  Location loc = op.getLoc();
  Region &region = op.getCombineOp();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  ArrayRef<int64_t> shape = type.getShape();
  int axis = op.getAxis();
  int64_t length = shape[axis];
  SmallVector<int64_t> others(shape);
  others[axis] = 1;
  int dim = -1;
  for (auto [d, size] : llvm::enumerate(others))
    if (size > 1)
      dim = d;
  int64_t lanes =
      isVectorizable(region) ? lanesFor(others, dim, type.getElementType()) : 1;
  SmallVector<Buffer> out;
  for (Value result : op->getResults())
    out.push_back(buffers[result] = makeBuffer(result, "scan"));

  buildNest(loc, others, dim, lanes, [&](const Point &point) {
    Point place = point;
    auto at = [&](Value i) {
      place.index[axis] = op.getReverse()
                              ? Value(arith::SubIOp::create(
                                    b, loc, constant(length - 1, loc), i))
                              : i;
      SmallVector<Value> values;
      for (Value operand : op->getOperands())
        values.push_back(shaped(emit(operand, place), place, loc));
      return values;
    };
    auto write = [&](ValueRange values) {
      for (auto [buffer, value] : llvm::zip(out, values))
        storeBuffer(buffer, place, value, loc);
    };
    SmallVector<Value> first = at(constant(0, loc));
    write(first);
    reduceLoop(loc, constant(1, loc), constant(length, loc), 1, first,
               [&](Value i, ValueRange carried) {
                 SmallVector<Value> values = combine(region, carried, at(i));
                 write(values);
                 return values;
               });
  });
  return failure(hasFailed);
}
