//===- Matmul.cpp - products ----------------------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// For each group of columns (one or two vectors wide) the right operand's
// columns are packed. Then each group of rows is multiplied with them, with the
// group's results in registers. The left operand is read where it lies if it is
// in memory in the accumulator's type and the rows are inside the tensor;
// otherwise the rows are packed too. Both cases share the code of the inner
// loop: they differ in an address and two strides.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

static Type accumulatorType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element;
}

Blocking spine::chooseBlocking(const VectorTarget &target, int64_t m, int64_t n,
                               int64_t k, Type accumulator) {
  Blocking blocking{m, n, k, 1, 1, 1};
  blocking.lanes = std::min<int64_t>(target.lanesOf(accumulator),
                                     llvm::bit_floor<uint64_t>(n));
  blocking.vectors = n % (2 * blocking.lanes) == 0 ? 2 : 1;
  // Half of the registers hold results: enough to hide the latency of the
  // multiply-add units, and as many rows as addresses fit in scalar registers.
  int64_t rows = target.vectorRegisters >= 32 ? 8
                 : blocking.vectors == 2      ? 6
                                              : 8;
  blocking.rows = std::min<int64_t>(rows, m);
  return blocking;
}

/// A product's operand that is read where it lies, and how far it is valid.
struct InPlace {
  const BlockAccess *access = nullptr;
  bool zeroPadded = false;
};

static InPlace
inPlaceOperand(Value operand,
               const DenseMap<Operation *, BlockAccess> &accesses) {
  auto loadOp = operand.getDefiningOp<triton::LoadOp>();
  if (!loadOp)
    return {};
  auto it = accesses.find(loadOp);
  if (it == accesses.end())
    return {};
  return {&it->second, loadOp.getPadding() != triton::PaddingOption::PAD_NAN};
}

static Value leading(Value batch, SmallVectorImpl<Value> &index) {
  if (batch)
    index.push_back(batch);
  return batch;
}

LogicalResult Lowering::lowerContraction(linalg::LinalgOp op) {
  Location loc = op.getLoc();
  if (productOverride.first == op) {
    productOverride.second();
    return failure(hasFailed);
  }
  Value result = op->getResult(0), init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(result.getType());
  Type accumulator = accumulatorType(type.getElementType());
  if (!isa<FloatType>(accumulator) && !accumulator.isInteger())
    return failure(!fail(op, "this type of product is not supported"));

  bool zero = isZeroTile(init);
  Buffer out;
  auto it = buffers.find(init);
  bool ownsInit = it != buffers.end() &&
                  it->second.elementType == accumulator &&
                  mayTakeOver(init, op);
  if (ownsInit) {
    out = it->second; // Nobody else reads the accumulator: update it in place.
  } else if (!streams(op)) {
    out = makeBuffer(type.getShape(), accumulator, loc, "dot");
    if (!zero) {
      int dim = preferredDim(init);
      buildNest(loc, out.shape, dim, lanesFor(out.shape, dim, accumulator),
                [&](const Point &point) {
                  storeBuffer(out, point,
                              castElements(emit(init, point), accumulator, loc),
                              loc);
                });
    }
  }

  if (type.getRank() == 2)
    lowerProduct(op, out, Value(), zero);
  else
    buildLoop(loc, constant(0, loc), constant(type.getDimSize(0), loc), 1,
              [&](Value batch) { lowerProduct(op, out, batch, zero); });

  if (streams(op)) {
    stream->isTaken = true;
    return failure(hasFailed);
  }
  if (accumulator == type.getElementType()) {
    buffers[result] = out;
    return failure(hasFailed);
  }
  // One rounding, at the end.
  Buffer rounded = buffers[result] = makeBuffer(type, loc, "dot");
  int dim = type.getRank() - 1;
  buildNest(loc, out.shape, dim, lanesFor(out.shape, dim, accumulator),
            [&](const Point &point) {
              storeBuffer(rounded, point,
                          castElements(loadBuffer(out, point, loc),
                                       type.getElementType(), loc),
                          loc);
            });
  return failure(hasFailed);
}

/// Where the reduction may stop: behind the last element that is not padding
/// with zeros in both operands.
Value Lowering::reductionEnd(Value lhs, Value rhs, int64_t size, Location loc) {
  auto end = [&](Value operand, unsigned dimFromBack) -> Value {
    InPlace place = inPlaceOperand(operand, accesses);
    if (!place.access || !place.zeroPadded)
      return {};
    unsigned d = place.access->tile.size() - dimFromBack;
    return place.access->high[d];
  };
  Value left = end(lhs, 1), right = end(rhs, 2);
  if (!left || !right)
    return constant(size, loc);
  return maxI(left, right, loc);
}

void Lowering::packOperand(Value operand, const Buffer &panel, Value batch,
                           Value firstRow, Value firstColumn, Value rows,
                           Value columns, Location loc) {
  int rank = cast<RankedTensorType>(operand.getType()).getRank();
  int dim = preferredDim(operand) == rank - 2 ? 0 : 1;
  int64_t lanes = lanesFor(panel.shape, dim, panel.elementType);
  auto element = [&](const Point &point) {
    Point source = point;
    source.index.clear();
    leading(batch, source.index);
    source.index.push_back(addI(firstRow, point.index[0], loc));
    source.index.push_back(addI(firstColumn, point.index[1], loc));
    if (point.isVector())
      source.dim = rank - 2 + point.dim;
    storeBuffer(panel, point,
                castElements(emit(operand, source), panel.elementType, loc),
                loc);
  };
  SmallVector<Value> none(2), end{rows, columns};
  auto all = [&] {
    buildNest(loc, panel.shape, dim, lanes, none, end, element);
  };
  InPlace place =
      buffers.count(operand) ? InPlace() : inPlaceOperand(operand, accesses);
  if (!place.access)
    return all();
  SmallVector<Value> first, size;
  if (leading(batch, first))
    size.push_back(constant(1, loc));
  first.append({firstRow, firstColumn});
  for (int d = 0; d < 2; ++d)
    size.push_back(end[d] ? end[d] : constant(panel.shape[d], loc));
  Value inside = insideOf(*place.access, first, size, loc);
  if (!inside || !end[dim] || lanes <= 1)
    return buildVersions(inside, loc, all);
  // Whole vectors need no check if the elements are inside, the last one does.
  SmallVector<Value> whole = end, rest = none;
  whole[dim] = rest[dim] =
      arith::AndIOp::create(b, loc, end[dim], constant(-lanes, loc));
  auto inParts = [&] {
    llvm::SaveAndRestore<bool> scope(isUnchecked, true);
    buildNest(loc, panel.shape, dim, lanes, none, whole, element);
    isUnchecked = false;
    buildNest(loc, panel.shape, dim, lanes, rest, end, element);
  };
  doIf(inside, loc, inParts, all);
}

/// Address and strides of `rows` rows of the left operand from `firstRow` on.
Lowering::RowPanel Lowering::leftRows(Value lhs, const Buffer &packed,
                                      Value batch, Value firstRow, int64_t rows,
                                      Value reduction, Location loc) {
  Value one = constant(1, loc), pitch = constant(packed.shape[1], loc);
  auto it = buffers.find(lhs);
  if (it != buffers.end() && it->second.elementType == packed.elementType) {
    SmallVector<Value> index;
    leading(batch, index);
    index.push_back(firstRow);
    index.push_back(constant(0, loc));
    return {bufferAddress(it->second, index, loc),
            constant(it->second.shape.back(), loc), one};
  }
  InPlace place =
      it == buffers.end() ? inPlaceOperand(lhs, accesses) : InPlace();
  if (!place.access || place.access->elementType != packed.elementType) {
    packOperand(lhs, packed, batch, firstRow, constant(0, loc), Value(),
                reduction, loc);
    return {packed.pointer, pitch, one};
  }

  // In place if no element of the rows is padding.
  const BlockAccess &access = *place.access;
  unsigned rank = access.tile.size();
  Point first;
  SmallVector<Value> size;
  if (leading(batch, first.index))
    size.push_back(one);
  first.index.append({firstRow, constant(0, loc)});
  size.append({constant(rows, loc), reduction});
  Value inside = insideOf(access, first.index, size, loc);
  Value address = addressOf(access, first, loc);
  Value rowStride = access.strides[rank - 2], step = access.strides[rank - 1];
  if (!inside)
    return {address, rowStride, step, /*mayBeFar=*/true};

  auto branch = scf::IfOp::create(
      b, loc, TypeRange{address.getType(), b.getI64Type(), b.getI64Type()},
      inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, ValueRange{address, rowStride, step});
  b.setInsertionPointToStart(branch.elseBlock());
  packOperand(lhs, packed, batch, firstRow, constant(0, loc), Value(),
              reduction, loc);
  scf::YieldOp::create(b, loc, ValueRange{packed.pointer, pitch, one});
  RowPanel panel{branch.getResult(0), branch.getResult(1), branch.getResult(2),
                 /*mayBeFar=*/true};
  if (step == one)
    panel.step = one;
  return panel;
}

static Value multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs,
                         Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return LLVM::FMAOp::create(b, loc, lhs, rhs, sum);
  return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, lhs, rhs),
                               sum);
}

/// sums[i][j] += lhs[i, k] * rhs[k, j] for k in [0, reduction).
SmallVector<Value> Lowering::multiplyRows(const RowPanel &lhs,
                                          const Buffer &rhs,
                                          ArrayRef<Value> sums, int64_t rows,
                                          Value reduction, Location loc) {
  Type element = rhs.elementType;
  int64_t vectors = sums.size() / rows, columns = rhs.shape[1];
  auto vector = cast<VectorType>(sums[0].getType());
  int64_t lanes = vector.getDimSize(0);
  SmallVector<Value> rowAddress;
  for (int64_t i = 0; i < rows; ++i)
    rowAddress.push_back(elementAddress(
        lhs.address, mulI(lhs.rowStride, constant(i, loc), loc), element, loc));

  auto step = [&](Value k, ValueRange carried) {
    SmallVector<Value> next(carried);
    SmallVector<Value> right;
    Value base = mulI(k, constant(columns, loc), loc);
    for (int64_t j = 0; j < vectors; ++j)
      right.push_back(
          load(vector,
               elementAddress(elementAddress(rhs.pointer, base, element, loc),
                              constant(j * lanes, loc), element, loc),
               loc));
    Value offset = mulI(k, lhs.step, loc);
    for (int64_t i = 0; i < rows; ++i) {
      Value left = broadcast(
          load(element, elementAddress(rowAddress[i], offset, element, loc),
               loc),
          lanes, loc);
      for (int64_t j = 0; j < vectors; ++j)
        next[i * vectors + j] =
            multiplyAdd(b, loc, left, right[j], next[i * vectors + j]);
    }
    return next;
  };
  Value ahead = mulI(lhs.rowStride, constant(target.prefetchRows, loc), loc);
  auto prefetch = [&](Value k) {
    Value offset = addI(mulI(k, lhs.step, loc), ahead, loc);
    for (Value address : rowAddress)
      LLVM::Prefetch::create(b, loc,
                             elementAddress(address, offset, element, loc),
                             /*rw=*/0, /*hint=*/3, /*cache=*/1);
  };
  auto loop = [&](Value from, Value to, int64_t unroll, ValueRange init) {
    return scf::ForOp::create(
               b, loc, from, to, constant(unroll, loc), init,
               [&](OpBuilder &, Location, Value k, ValueRange carried) {
                 OpBuilder::InsertionGuard guard(b);
                 SmallVector<Value> next(carried);
                 if (unroll > 1 && lhs.mayBeFar && target.prefetchRows)
                   prefetch(k);
                 for (int64_t u = 0; u < unroll; ++u)
                   next = step(addI(k, constant(u, loc), loc), next);
                 scf::YieldOp::create(b, loc, next);
               })
        .getResults();
  };
  constexpr int64_t kUnroll = 4;
  Value mask = constant(-kUnroll, loc);
  Value unrolledEnd = arith::AndIOp::create(b, loc, reduction, mask);
  ValueRange partial = loop(constant(0, loc), unrolledEnd, kUnroll, sums);
  ValueRange all = loop(unrolledEnd, reduction, 1, partial);
  return llvm::to_vector(all);
}

void Lowering::blockOfResults(const Buffer &out, Value batch, Value row,
                              Value column, int64_t rows,
                              const Blocking &blocking,
                              SmallVectorImpl<Value> &addresses) {
  Location loc = row.getLoc();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < blocking.vectors; ++j) {
      SmallVector<Value> index;
      leading(batch, index);
      index.push_back(addI(row, constant(i, loc), loc));
      index.push_back(addI(column, constant(j * blocking.lanes, loc), loc));
      addresses.push_back(bufferAddress(out, index, loc));
    }
}

SmallVector<Value> Lowering::loadResults(ArrayRef<Value> addresses,
                                         Type element, int64_t lanes,
                                         Value fromZero, Location loc) {
  auto vector = VectorType::get({lanes}, element);
  auto loadAll = [&] {
    SmallVector<Value> values;
    for (Value address : addresses)
      values.push_back(load(vector, address, loc));
    return values;
  };
  if (!fromZero)
    return loadAll();
  SmallVector<Value> zeros(addresses.size(), zeroOf(vector, loc));
  auto branch = scf::IfOp::create(
      b, loc, SmallVector<Type>(addresses.size(), vector), fromZero, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, zeros);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> loaded = loadAll();
  scf::YieldOp::create(b, loc, loaded);
  return SmallVector<Value>(branch.getResults());
}

/// The elements of a block of `tile`, row by row.
SmallVector<Value> Lowering::emitBlock(Value tile, ArrayRef<Value> first,
                                       int64_t rows, const Blocking &blocking,
                                       Type element) {
  Location loc = tile.getLoc();
  SmallVector<Value> values;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < blocking.vectors; ++j) {
      Cache local;
      llvm::SaveAndRestore<Cache *> scope(cache, &local);
      Point point =
          pointOfBlock(first, i, j * blocking.lanes, blocking.lanes, loc);
      values.push_back(
          castElements(shaped(emit(tile, point), point, loc), element, loc));
      if (!isa<VectorType>(values.back().getType()))
        values.back() = broadcast(values.back(), 1, loc);
    }
  return values;
}

void Lowering::lowerProduct(linalg::LinalgOp op, const Buffer &out, Value batch,
                            bool startFromZero) {
  Location loc = op.getLoc();
  Value lhs = op.getDpsInputs()[0], rhs = op.getDpsInputs()[1];
  auto lhsShape = cast<RankedTensorType>(lhs.getType()).getShape();
  auto rhsShape = cast<RankedTensorType>(rhs.getType()).getShape();
  Type element = accumulatorType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  Blocking blocking = chooseBlocking(target, lhsShape[lhsShape.size() - 2],
                                     rhsShape.back(), lhsShape.back(), element);
  Value reduction = reductionEnd(lhs, rhs, blocking.k, loc);
  Buffer packedRows =
      makeBuffer({blocking.rows, blocking.k}, element, loc, "dot.lhs");

  auto block = [&](Value column, const Buffer &panel, int64_t rows, Value row) {
    SmallVector<Value> first, addresses, sums;
    leading(batch, first);
    first.append({row, column});
    if (out.pointer)
      blockOfResults(out, batch, row, column, rows, blocking, addresses);
    if (startFromZero)
      sums.assign(rows * blocking.vectors,
                  zeroOf(VectorType::get({blocking.lanes}, element), loc));
    else if (out.pointer)
      sums = loadResults(addresses, element, blocking.lanes, Value(), loc);
    else
      sums = emitBlock(op.getDpsInits()[0], first, rows, blocking, element);
    Buffer packed = packedRows;
    packed.shape[0] = rows;
    RowPanel left = leftRows(lhs, packed, batch, row, rows, reduction, loc);
    sums = multiplyRows(left, panel, sums, rows, reduction, loc);
    if (streams(op))
      return storeStreamedBlock(first, rows, blocking.lanes, sums, loc);
    for (auto [sum, address] : llvm::zip(sums, addresses))
      store(sum, address, loc);
  };
  auto group = [&](Value column, int64_t columns) {
    Buffer panel = makeBuffer({blocking.k, columns}, element, loc, "dot.rhs");
    packOperand(rhs, panel, batch, constant(0, loc), column, reduction, Value(),
                loc);
    int64_t whole = blocking.m / blocking.rows * blocking.rows;
    buildLoop(loc, constant(0, loc), constant(whole, loc), blocking.rows,
              [&](Value row) { block(column, panel, blocking.rows, row); });
    if (whole != blocking.m)
      block(column, panel, blocking.m - whole, constant(whole, loc));
  };
  int64_t whole = blocking.n / blocking.columns() * blocking.columns();
  buildLoop(loc, constant(0, loc), constant(whole, loc), blocking.columns(),
            [&](Value column) { group(column, blocking.columns()); });
  // Columns that fill no vector: sizes that are no power of two.
  int64_t rest = blocking.n - whole;
  for (int64_t column = whole; rest > 0;) {
    int64_t width =
        std::min<int64_t>(llvm::bit_floor<uint64_t>(rest), blocking.lanes);
    llvm::SaveAndRestore<int64_t> lanes(blocking.lanes, width);
    llvm::SaveAndRestore<int64_t> vectors(blocking.vectors, 1);
    group(constant(column, loc), width);
    column += width;
    rest -= width;
  }
}
