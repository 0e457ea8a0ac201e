//===- Emit.cpp - the elements of a tile at a point -----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Elements of tiles of pointers are i64 addresses here: vectors of addresses
// are computed with like vectors of numbers.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

static bool samePoint(const Point &a, const Point &b) {
  return a.dim == b.dim && a.lanes == b.lanes && a.index == b.index;
}

Value Lowering::emit(Value tile, const Point &point) {
  if (cache)
    for (auto &[known, value] : cache->lookup(tile))
      if (samePoint(known, point))
        return value;
  Value value = emitUncached(tile, point);
  if (!value) {
    // The error is out; go on with something of the right type.
    hasFailed = true;
    Type element = cast<RankedTensorType>(tile.getType()).getElementType();
    if (isa<triton::PointerType>(element))
      element = b.getI64Type();
    value = ub::PoisonOp::create(b, tile.getLoc(), element);
  }
  if (cache)
    (*cache)[tile].push_back({point, value});
  return value;
}

Value Lowering::emitUncached(Value tile, const Point &point) {
  if (auto it = buffers.find(tile); it != buffers.end())
    return loadBuffer(it->second, point, tile.getLoc());
  Operation *op = tile.getDefiningOp();
  if (!op)
    return fail(source, "a tile that enters a region was not lowered"), Value();
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constantOp, point);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return emitLinalg(linalgOp, cast<OpResult>(tile).getResultNumber(), point);
  if (auto loadOp = dyn_cast<triton::LoadOp>(op))
    return emitLoad(loadOp, point);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return emitReshape(op->getOperand(0),
                       cast<RankedTensorType>(tile.getType()).getShape(),
                       point);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(slice, point);
  if (isa<tensor::EmptyOp, ub::PoisonOp>(op)) {
    Type element = cast<RankedTensorType>(tile.getType()).getElementType();
    return zeroOf(element.isIntOrFloat() ? element : b.getI64Type(),
                  op->getLoc());
  }
  fail(op, "code generation does not support '" + op->getName().getStringRef() +
               "' on tiles");
  return {};
}

Value Lowering::emitConstant(arith::ConstantOp op, const Point &point) {
  auto attr = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!attr || !attr.isSplat()) {
    fail(op, "code generation does not support tile constants whose elements "
             "differ; compute the values or load them");
    return {};
  }
  return arith::ConstantOp::create(
      b, op.getLoc(), cast<TypedAttr>(attr.getSplatValue<Attribute>()));
}

/// The point of an operand, given how its coordinates follow from the loop's.
static Point applyMap(AffineMap map, const Point &point,
                      function_ref<Value(int64_t)> constant) {
  Point result;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (point.isVector() &&
          static_cast<int>(dim.getPosition()) == point.dim) {
        result.dim = i;
        result.lanes = point.lanes;
      }
      result.index.push_back(point.index[dim.getPosition()]);
    } else {
      result.index.push_back(
          constant(cast<AffineConstantExpr>(expr).getValue()));
    }
  }
  return result;
}

Value Lowering::emitLinalg(linalg::LinalgOp op, unsigned result,
                           const Point &point) {
  SmallVector<Value> arguments;
  auto toConstant = [&](int64_t v) { return constant(v, op.getLoc()); };
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isa<RankedTensorType>(value.getType())) {
      arguments.push_back(lowered(value));
      continue;
    }
    if (argument.use_empty()) {
      arguments.push_back(Value());
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (llvm::any_of(map.getResults(), [](AffineExpr e) {
          return !isa<AffineDimExpr, AffineConstantExpr>(e);
        })) {
      fail(op, "code generation does not support the indexing map of this "
               "operation");
      return {};
    }
    arguments.push_back(emit(value, applyMap(map, point, toConstant)));
  }
  return emitRegion(*op.getBlock(), arguments, &point)[result];
}

/// A change of shape that only adds or removes dimensions of size 1.
Value Lowering::emitReshape(Value from, ArrayRef<int64_t> shape,
                            const Point &point) {
  SmallVector<std::pair<Value, bool>> wide;
  for (auto [d, size] : llvm::enumerate(shape))
    if (size != 1)
      wide.push_back({point.index[d], static_cast<int>(d) == point.dim});
  Point inner;
  inner.lanes = point.lanes;
  auto next = wide.begin();
  for (auto [d, size] :
       llvm::enumerate(cast<RankedTensorType>(from.getType()).getShape())) {
    if (size == 1) {
      inner.index.push_back(constant(0, from.getLoc()));
      continue;
    }
    if (next->second)
      inner.dim = d;
    inner.index.push_back((next++)->first);
  }
  if (!inner.isVector())
    inner.lanes = 1;
  return emit(from, inner);
}

Value Lowering::emitSlice(tensor::ExtractSliceOp op, const Point &point) {
  Point inner;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [d, offset] : llvm::enumerate(op.getStaticOffsets())) {
    if (dropped.test(d)) {
      inner.index.push_back(constant(offset, op.getLoc()));
      continue;
    }
    if (static_cast<int>(next) == point.dim) {
      inner.dim = d;
      inner.lanes = point.lanes;
    }
    inner.index.push_back(
        addI(point.index[next++], constant(offset, op.getLoc()), op.getLoc()));
  }
  return emit(op.getSource(), inner);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value Lowering::bufferAddress(const Buffer &buffer, ArrayRef<Value> index,
                              Location loc) {
  // As a polynomial in the sizes, from which the address of a neighbour shares
  // all but a constant.
  Value linear = constant(0, loc);
  unsigned rank = buffer.shape.size();
  SmallVector<Value> place(index.take_front(rank));
  if (buffer.blockColumns) {
    Value columns = constant(buffer.blockColumns, loc), column = place.back();
    linear = mulI(arith::DivUIOp::create(b, loc, column, columns),
                  constant(buffer.blockStride, loc), loc);
    linear = addI(linear,
                  mulI(place[0], constant(buffer.strideOf(0), loc), loc), loc);
    linear = addI(linear, arith::RemUIOp::create(b, loc, column, columns), loc);
    return elementAddress(buffer.pointer, linear, buffer.elementType, loc);
  }
  for (auto [d, i] : llvm::enumerate(place)) {
    int64_t size =
        d + 1 == rank && rank > 1 ? buffer.strideOf(rank - 2) : buffer.shape[d];
    linear = addI(mulI(linear, constant(size, loc), loc), i, loc);
  }
  return elementAddress(buffer.pointer, linear, buffer.elementType, loc);
}

int64_t Buffer::strideOf(int dim) const {
  if (dim + 1 == static_cast<int>(shape.size()))
    return 1;
  int64_t stride = pitch ? pitch : shape.back();
  for (int64_t size : ArrayRef(shape).drop_front(dim + 1).drop_back())
    stride *= size;
  return stride;
}

Value Lowering::loadBuffer(const Buffer &buffer, const Point &point,
                           Location loc) {
  Value address = bufferAddress(buffer, point.index, loc);
  bool isBool = buffer.elementType.isInteger(1);
  Type inMemory = isBool ? b.getI8Type() : buffer.elementType;
  Value value;
  if (!point.isVector()) {
    value = load(inMemory, address, loc);
  } else {
    auto type = VectorType::get({point.lanes}, inMemory);
    int64_t stride = buffer.strideOf(point.dim);
    if (stride == 1) {
      value = load(type, address, loc);
    } else {
      value = loadStrided(address, constant(stride, loc), {}, zeroOf(type, loc),
                          loc);
    }
  }
  return fromMemory(value, buffer.elementType, loc);
}

/// Stores a vector of columns that begins with a block.
void Lowering::storeBlocks(const Buffer &buffer, Value vector, Value address,
                           Location loc) {
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  int64_t size = std::min(lanes, buffer.blockColumns);
  for (int64_t lane = 0; lane < lanes; lane += size) {
    Value part = vector;
    if (size < lanes)
      part = vector::ExtractStridedSliceOp::create(
          b, loc, vector, ArrayRef<int64_t>{lane}, ArrayRef<int64_t>{size},
          ArrayRef<int64_t>{1});
    Value offset =
        constant(lane / buffer.blockColumns * buffer.blockStride, loc);
    store(part, elementAddress(address, offset, buffer.elementType, loc), loc);
  }
}

void Lowering::storeBuffer(const Buffer &buffer, const Point &point,
                           Value value, Location loc) {
  value = toMemory(shaped(value, point, loc), loc);
  Value address = bufferAddress(buffer, point.index, loc);
  int64_t stride = point.isVector() ? buffer.strideOf(point.dim) : 1;
  if (stride == 1 && buffer.blockColumns && point.isVector())
    return storeBlocks(buffer, value, address, loc);
  if (stride == 1)
    return store(value, address, loc);
  if (target.stridedLanes)
    return storeStrided(value, address, constant(stride, loc), {}, loc);
  for (int64_t lane = 0; lane < point.lanes; ++lane) {
    Value element = vector::ExtractOp::create(b, loc, value, lane);
    store(element,
          elementAddress(address, constant(lane * stride, loc),
                         element.getType(), loc),
          loc);
  }
}
