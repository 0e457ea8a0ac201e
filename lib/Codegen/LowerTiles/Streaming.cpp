//===- Streaming.cpp - products stored as they leave the registers --------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A product whose result is only stored, perhaps after elementwise operations,
// needs no buffer: each block of results goes to memory when it is finished.
// The product is then computed where the store is.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

linalg::LinalgOp spine::accumulatedProduct(scf::ForOp op) {
  if (op.getUnsignedCmp())
    return {};
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  linalg::LinalgOp product;
  for (auto [argument, value] :
       llvm::zip(op.getRegionIterArgs(), yield.getResults())) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    auto candidate = value.getDefiningOp<linalg::LinalgOp>();
    if (product || !candidate ||
        !isa<linalg::MatmulOp>(candidate.getOperation()) ||
        candidate.getDpsInits()[0] != argument || !argument.hasOneUse() ||
        !value.hasOneUse() || candidate->getBlock() != op.getBody())
      return {};
    product = candidate;
  }
  if (!product)
    return {};
  Type element =
      cast<RankedTensorType>(product->getResult(0).getType()).getElementType();
  if (element.isF16() || element.isBF16())
    return {}; // Summed in another type than the one that is carried.
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (&nested == product)
      continue;
    if (hasSideEffects(&nested) || nested.getNumRegions() > 1 ||
        (nested.getNumRegions() == 1 && !isa<linalg::LinalgOp>(nested)))
      return {};
  }
  return product;
}

/// The product that makes `tile`, whose blocks can be taken from registers.
static linalg::LinalgOp streamableProduct(OpResult tile) {
  if (auto loop = dyn_cast<scf::ForOp>(tile.getOwner()))
    return accumulatedProduct(loop);
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  if (element.isF16() || element.isBF16() ||
      !isa<linalg::ContractionOpInterface>(tile.getOwner()))
    return {};
  return cast<linalg::LinalgOp>(tile.getOwner());
}

/// The store at the end of a chain of elementwise operations in one block, each
/// of which uses the value before it once and at the same place.
triton::StoreOp Placement::storeOfChain(OpResult tile) {
  Value value = tile;
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getBlock() != tile.getOwner()->getBlock())
      return {};
    if (auto store = dyn_cast<triton::StoreOp>(user))
      return isa<RankedTensorType>(store.getPtr().getType()) ? triton::StoreOp()
                                                             : store;
    auto elementwise = dyn_cast<linalg::LinalgOp>(user);
    if (!elementwise || user->getNumResults() != 1 ||
        isa<linalg::ContractionOpInterface>(user) ||
        needsBuffer(user->getResult(0)) ||
        !elementwise.getMatchingIndexingMap(&use).isIdentity())
      return {};
    value = user->getResult(0);
  }
  return {};
}

/// Whether `op` may run where `store`, behind it in the same block, is.
static bool canMoveTo(Operation *op, Value result, triton::StoreOp store) {
  for (Operation *between = op->getNextNode(); between != store;
       between = between->getNextNode())
    if (hasSideEffects(between))
      return false;
  Block *block = op->getBlock();
  return llvm::all_of(op->getResults(), [&](Value other) {
    return other == result || llvm::all_of(other.getUsers(), [&](Operation *u) {
             return store->isBeforeInBlock(block->findAncestorOpInBlock(*u));
           });
  });
}

/// Whether writing one block of results may change an operand of the next.
bool Placement::overwritesOperands(triton::StoreOp store,
                                   linalg::LinalgOp product) {
  SmallVector<Value> work(product.getDpsInputs());
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (auto load = dyn_cast<triton::LoadOp>(op);
        load && mayOverwrite(store, load))
      return true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return false;
}

void Placement::findSink(OpResult tile) {
  linalg::LinalgOp product = streamableProduct(tile);
  if (!product)
    return;
  triton::StoreOp store = storeOfChain(tile);
  Operation *op = tile.getOwner();
  if (!store || !canMoveTo(op, tile, store) ||
      overwritesOperands(store, product))
    return;
  sinks[op] = store;
  streamed[store] = tile;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerStreamedStore(triton::StoreOp op,
                                           OpResult product) {
  auto pointer = blockPointers.find(op.getPtr());
  if (pointer == blockPointers.end())
    return failure(!fail(op, "the block pointer of this store is not known"));
  Stream own{op, product,
             accessOf(pointer->second, op.getBoundaryCheck(), op.getLoc())};
  llvm::SaveAndRestore<Stream *> scope(stream, &own);
  LogicalResult result =
      isa<scf::ForOp>(product.getOwner())
          ? lowerFor(cast<scf::ForOp>(product.getOwner()))
          : lowerContraction(cast<linalg::LinalgOp>(product.getOwner()));
  if (mlir::failed(result) || hasFailed)
    return failure();
  return own.isTaken ? success() : lowerBlockStore(op);
}

SmallVector<Point> Lowering::pointsOfBlock(ArrayRef<Value> first,
                                           const Blocking &blocking,
                                           Location loc) {
  unsigned rank = first.size();
  int64_t rows = blocking.alongColumns ? 1 : blocking.rows;
  int64_t distance = blocking.alongColumns ? 1 : blocking.lanes;
  SmallVector<Point> points;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < blocking.vectors; ++j) {
      Point &point = points.emplace_back();
      point.index = llvm::to_vector(first);
      point.index[rank - 2] = addI(first[rank - 2], constant(i, loc), loc);
      point.index[rank - 1] =
          addI(first[rank - 1], constant(j * distance, loc), loc);
      if (blocking.lanes == 1)
        continue;
      point.dim = blocking.alongColumns ? rank - 2 : rank - 1;
      point.lanes = blocking.lanes;
    }
  return points;
}

/// A block that is not stored as a whole goes through this buffer.
Buffer Lowering::makeEdgeBuffer(Value product, const Blocking &blocking,
                                Type element, Location loc) {
  if (!streams(product.getDefiningOp()))
    return {};
  return makeTemporary(product, {blocking.rows, blocking.columns()}, element,
                       loc, "dot.edge");
}

Blocking Lowering::blockingForStore(Operation *product, Blocking blocking) {
  // The exchange needs registers of its own.
  int64_t rows = std::min<int64_t>(blocking.lanes, target.vectorRegisters / 4);
  if (!streams(product) || blocking.alongColumns || rows < 4 ||
      !llvm::isPowerOf2_64(rows) || blocking.m % rows)
    return blocking;
  ArrayRef<Value> strides = stream->access.strides;
  if (strides.size() != 2 || !isConstantValue(strides[0], 1) ||
      isConstantValue(strides[1], 1))
    return blocking;
  blocking.rows = rows;
  blocking.transposed = true;
  return blocking;
}

/// Stores a block column by column: a vector of its rows for each.
void Lowering::storeTransposedBlock(ArrayRef<Value> first,
                                    const Blocking &blocking,
                                    ArrayRef<Value> sums, Location loc) {
  unsigned rank = first.size();
  for (int64_t v = 0; v < blocking.vectors; ++v) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < blocking.rows; ++i)
      rows.push_back(sums[i * blocking.vectors + v]);
    transposeSquares(b, rows, loc);
    for (int64_t lane = 0; lane < blocking.lanes; ++lane) {
      Point point;
      point.index = llvm::to_vector(first);
      point.index[rank - 1] =
          addI(first[rank - 1], constant(v * blocking.lanes + lane, loc), loc);
      point.dim = rank - 2;
      point.lanes = blocking.rows;
      storeStreamedVector(point, addressOf(stream->access, point, loc),
                          rowOfSquares(b, rows, lane, loc), loc);
    }
  }
}

/// Stores a block of finished results.
void Lowering::storeStreamedBlock(ArrayRef<Value> first, Value validRows,
                                  const Blocking &blocking,
                                  ArrayRef<Value> sums, Buffer edge,
                                  Location loc) {
  const BlockAccess &access = stream->access;
  unsigned rank = first.size();
  // The last columns of a product may make a narrower block.
  edge.shape = {blocking.rows, blocking.columns()};
  SmallVector<Value> vectors = toVectors(sums, blocking, loc);
  auto whole = [&] {
    if (blocking.transposed)
      return storeTransposedBlock(first, blocking, vectors, loc);
    Point corner{llvm::to_vector(first)};
    SmallVector<Value> addresses = addressesOfBlock(
        addressOf(access, corner, loc), access.strides[rank - 2],
        access.strides[rank - 1], access.elementType, blocking, loc);
    for (auto [point, address, sum] : llvm::zip_equal(
             pointsOfBlock(first, blocking, loc), addresses, vectors))
      storeStreamedVector(point, address, sum, loc);
  };
  auto part = [&] {
    llvm::SaveAndRestore<bool> cold(isCold, true);
    Value zero = constant(0, loc);
    for (auto [point, sum] :
         llvm::zip_equal(pointsOfBlock({zero, zero}, blocking, loc), vectors)) {
      if (blocking.alongColumns)
        storeBuffer(edge, point, sum, loc);
      else
        store(sum, bufferAddress(edge, point.index, loc), loc);
    }
    storeStreamedEdge(first, validRows, edge, loc);
  };
  if (!blocking.alongColumns && !blocking.transposed &&
      !isConstantValue(access.strides[rank - 1], 1))
    return part();
  SmallVector<Value> size(rank, constant(1, loc));
  size[rank - 2] = constant(blocking.rows, loc);
  size[rank - 1] = constant(blocking.columns(), loc);
  Value inside = insideOf(access, first, size, loc);
  if (validRows)
    inside = andI(inside,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        validRows, size[rank - 2]),
                  loc);
  if (!inside)
    return whole();
  doIf(likely(inside, loc), loc, whole, part);
}

/// Stores a vector of results that is inside as a whole.
void Lowering::storeStreamedVector(const Point &point, Value address, Value sum,
                                   Location loc) {
  Cache local;
  llvm::SaveAndRestore<Cache *> scope(cache, &local);
  if (!point.isVector())
    sum = vector::ExtractOp::create(b, loc, sum, 0);
  local[stream->product].push_back({point, sum});
  Value value = shaped(emit(stream->store.getValue(), point), point, loc);
  if (point.isVector())
    return storeLanes(stream->access, point, address, {}, toMemory(value, loc),
                      loc);
  store(toMemory(value, loc), address, loc);
}

/// Stores those elements of a block that are inside, from a buffer.
void Lowering::storeStreamedEdge(ArrayRef<Value> first, Value validRows,
                                 const Buffer &edge, Location loc) {
  const BlockAccess &access = stream->access;
  unsigned rank = first.size();
  int dim = isConstantValue(access.strides[rank - 2], 1) ? 0 : 1;
  int64_t lanes = lanesFor(edge.shape, dim, edge.elementType);
  // The rows may be so few that a vector of them would be read past the end.
  if (dim == 0 && validRows)
    lanes = 1;
  buildNest(loc, edge.shape, dim, lanes, {Value(), Value()},
            {validRows, Value()}, [&](const Point &inBlock) {
              Point point = inBlock;
              point.index = llvm::to_vector(first);
              for (unsigned d : {0, 1})
                point.index[rank - 2 + d] =
                    addI(first[rank - 2 + d], inBlock.index[d], loc);
              if (point.isVector())
                point.dim = rank - 2 + inBlock.dim;
              (*cache)[stream->product].push_back(
                  {point, loadBuffer(edge, inBlock, loc)});
              doIf(insideOtherDims(access, point, loc), loc, [&] {
                storeBlockElement(access, point,
                                  emit(stream->store.getValue(), point), loc);
              });
            });
}
