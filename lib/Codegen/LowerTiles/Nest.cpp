//===- Nest.cpp - loop nests over tiles and buffers -----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// Deep nests of short loops (a sort works on tiles of shape 2 x 2 x ... x 2)
/// would be unrolled completely, and take seconds to compile.
static constexpr unsigned kDeepNest = 4;

void spine::forbidUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
}

void Lowering::buildLoop(Location loc, Value low, Value high, int64_t step,
                         function_ref<void(Value)> body, bool mayUnroll) {
  APInt l, h;
  if (matchPattern(low, m_ConstantInt(&l)) &&
      matchPattern(high, m_ConstantInt(&h))) {
    int64_t trips = llvm::divideCeil(
        std::max<int64_t>(0, h.getSExtValue() - l.getSExtValue()), step);
    if (trips == 0)
      return;
    if (trips == 1)
      return body(low);
  }
  auto loop = scf::ForOp::create(b, loc, low, high, constant(step, loc));
  if (!mayUnroll || isCold)
    forbidUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void Lowering::buildNest(Location loc, ArrayRef<int64_t> shape, int dim,
                         int64_t lanes, BodyFn body) {
  SmallVector<Value> none(shape.size());
  buildNest(loc, shape, dim, lanes, none, none, body);
}

void Lowering::buildNest(Location loc, ArrayRef<int64_t> shape, int dim,
                         int64_t lanes, ArrayRef<Value> low,
                         ArrayRef<Value> high, BodyFn body) {
  if (lanes <= 1)
    dim = -1;
  // The vector dimension is the innermost loop.
  SmallVector<int> order;
  for (int d = 0, e = shape.size(); d < e; ++d)
    if (d != dim)
      order.push_back(d);
  if (dim >= 0)
    order.push_back(dim);

  bool mayUnroll =
      llvm::count_if(shape, [](int64_t size) { return size > 1; }) < kDeepNest;
  Point point;
  point.index.resize(shape.size());
  auto leaf = [&] {
    Cache local;
    llvm::SaveAndRestore<Cache *> scope(cache, &local);
    body(point);
  };
  std::function<void(unsigned)> level = [&](unsigned depth) {
    if (depth == order.size())
      return leaf();
    int d = order[depth];
    Value from = low[d] ? low[d] : constant(0, loc);
    Value to = high[d] ? high[d] : constant(shape[d], loc);
    auto step = [&](int64_t width) {
      return [&, width](Value i) {
        point.index[d] = i;
        point.dim = width > 1 ? d : point.dim;
        point.lanes = width > 1 ? width : point.lanes;
        level(depth + 1);
      };
    };
    if (d != dim)
      return buildLoop(loc, from, to, 1, step(1), mayUnroll);
    // Chunks of whole vectors, then what is left of the tile.
    int64_t whole = shape[d] / lanes * lanes;
    Value chunkFrom = from, chunkTo = constant(whole, loc);
    if (low[d]) {
      Value size = constant(lanes, loc);
      chunkFrom = mulI(arith::DivUIOp::create(b, loc, from, size), size, loc);
    }
    if (high[d]) {
      Value size = constant(lanes, loc);
      Value up = addI(to, constant(lanes - 1, loc), loc);
      chunkTo = minI(mulI(arith::DivUIOp::create(b, loc, up, size), size, loc),
                     chunkTo, loc);
    }
    buildLoop(loc, chunkFrom, chunkTo, lanes, step(lanes), mayUnroll);
    point.dim = -1;
    point.lanes = 1;
    if (whole != shape[d])
      buildLoop(loc,
                low[d] ? maxI(from, constant(whole, loc), loc)
                       : constant(whole, loc),
                to, 1, step(1));
  };
  level(0);
}

int64_t Lowering::lanesFor(ArrayRef<int64_t> shape, int dim, Type elementType) {
  if (dim < 0)
    return 1;
  // Index arithmetic and fp32 dominate; narrower types fill part of a vector.
  int64_t lanes = target.vectorBits / 32;
  return std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(shape[dim]));
}

/// Looks through elementwise operations for a block pointer load with stride 1
/// in some dimension; that dimension, in the coordinates of `tile`, goes to
/// `dim`.
bool Lowering::unitStrideDim(Value tile, int &dim) {
  if (buffers.count(tile))
    return false;
  auto wide = [](Value v, int d) {
    return cast<RankedTensorType>(v.getType()).getDimSize(d) > 1;
  };
  if (auto loadOp = tile.getDefiningOp<triton::LoadOp>()) {
    auto it = accesses.find(loadOp);
    if (it == accesses.end())
      return false;
    for (auto [d, stride] : llvm::enumerate(it->second.strides)) {
      APInt number;
      if (matchPattern(stride, m_ConstantInt(&number)) && number.isOne() &&
          wide(tile, d)) {
        dim = d;
        return true;
      }
    }
    return false;
  }
  auto op = tile.getDefiningOp<linalg::LinalgOp>();
  if (!op || isa<linalg::ContractionOpInterface>(op.getOperation()))
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    int inner;
    if (!unitStrideDim(input->get(), inner))
      continue;
    auto expr = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(input).getResult(inner));
    if (expr && wide(tile, expr.getPosition())) {
      dim = expr.getPosition();
      return true;
    }
  }
  return false;
}

int Lowering::preferredDim(Value tile) {
  int dim = -1;
  if (unitStrideDim(tile, dim))
    return dim;
  for (auto [d, size] :
       llvm::enumerate(cast<RankedTensorType>(tile.getType()).getShape()))
    if (size > 1)
      dim = d;
  return dim;
}

Buffer Lowering::makeBuffer(Value tile, StringRef bufferName) {
  return makeBuffer(tile, cast<RankedTensorType>(tile.getType()).getShape(),
                    bufferName);
}

Buffer Lowering::makeBuffer(Value tile, ArrayRef<int64_t> shape,
                            StringRef bufferName) {
  return makeScratch(tile, /*isTemporary=*/false, shape,
                     getElementTypeOrSelf(tile.getType()), tile.getLoc(),
                     bufferName);
}

Buffer Lowering::makeTemporary(Value tile, ArrayRef<int64_t> shape,
                               Type elementType, Location loc,
                               StringRef bufferName) {
  return makeScratch(tile, /*isTemporary=*/true, shape, elementType, loc,
                     bufferName);
}

Buffer Lowering::makeScratch(Value tile, bool isTemporary,
                             ArrayRef<int64_t> shape, Type elementType,
                             Location loc, StringRef bufferName, bool isKept) {
  if (!elementType.isIntOrFloat())
    elementType = b.getI64Type(); // Addresses.
  // The plan names shape and type of each buffer; its location carries them.
  loc = FusedLoc::get({loc},
                      TypeAttr::get(RankedTensorType::get(shape, elementType)),
                      b.getContext());
  Buffer buffer{Value(), elementType, llvm::to_vector(shape)};
  int64_t width = std::max(1u, elementType.getIntOrFloatBitWidth() / 8);
  std::optional<int64_t> planned = placement.idOf(tile);
  buffer.pointer = ScratchOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), nextBufferId++,
      static_cast<uint64_t>(buffer.numElements() * width), target.alignment,
      bufferName.empty() ? StringAttr() : b.getStringAttr(bufferName),
      planned ? b.getI64IntegerAttr(*planned) : IntegerAttr(), isTemporary,
      isKept);
  return buffer;
}

void Lowering::materialise(Value tile, const Buffer &into) {
  auto it = buffers.find(tile);
  if (it != buffers.end() && it->second.pointer == into.pointer)
    return;
  int dim = preferredDim(tile);
  int64_t lanes = lanesFor(into.shape, dim, into.elementType);
  SmallVector<BlockAccess, 0> used;
  collectAccesses(tile, used);
  buildVersions(allInside(used, tile.getLoc()), tile.getLoc(), [&] {
    buildNest(tile.getLoc(), into.shape, dim, lanes, [&](const Point &point) {
      storeBuffer(into, point, emit(tile, point), tile.getLoc());
    });
  });
}
