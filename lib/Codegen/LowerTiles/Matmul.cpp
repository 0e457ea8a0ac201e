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

/// A reduction that is known to have at most this many steps has no loop.
static constexpr int64_t kStepsWithoutLoop = 16;
/// Nobody takes tiles this deep for reductions of a few steps.
static constexpr int64_t kDeepTile = 64;

static Type accumulatorType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element;
}

/// Rows of a block: at best `most`; if those do not divide m, a few rows too
/// many are computed unless that costs more than it gains.
static int64_t chooseRows(int64_t m, int64_t most, bool mayOverhang) {
  int64_t rows = std::min(most, m);
  int64_t overhang = llvm::divideCeil(m, rows) * rows - m;
  if (mayOverhang && overhang * 20 <= m)
    return rows;
  while (m % rows)
    --rows;
  return rows;
}

Blocking spine::chooseBlocking(const VectorTarget &target, int64_t m, int64_t n,
                               int64_t k, int64_t likelySteps, Type accumulator,
                               bool mayOverhang, bool onTiles) {
  Blocking blocking{m, n, k, 1, 1, 1};
  blocking.lanes = std::min<int64_t>(target.lanesOf(accumulator),
                                     llvm::bit_floor<uint64_t>(n));
  blocking.vectors = n % (2 * blocking.lanes) == 0 ? 2 : 1;
  // Most of the registers hold results, which hides the latency of the
  // multiply-add units; one holds the left element, some the right row.
  int64_t most = target.vectorRegisters >= 32 || blocking.vectors == 1 ? 8 : 6;
  // More rows share the load of a right row, or the instruction for its
  // address. Where multiply-adds load scalars themselves, that pays only for
  // many steps: the next block's loads begin while a short block is multiplied.
  if (target.vectorRegisters >= 32 && blocking.vectors == 1 &&
      (target.loadsScalars() || likelySteps > kStepsWithoutLoop))
    most = 16;
  blocking.onTiles = onTiles;
  if (onTiles)
    most = kTileRows;
  blocking.rows = chooseRows(m, most, mayOverhang);
  blocking.packed = blocking.columns();
  return blockAlongColumns(target, blocking, accumulator).value_or(blocking);
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

int64_t spine::likelySteps(Value lhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  int32_t dim = type.getRank() - 1;
  int64_t columns = type.getDimSize(dim);
  auto load = lhs.getDefiningOp<triton::LoadOp>();
  if (!load || !llvm::is_contained(load.getBoundaryCheck(), dim))
    return columns;
  auto pointer = load.getPtr().getDefiningOp<triton::MakeTensorPtrOp>();
  APInt extent;
  if (!pointer || !matchPattern(pointer.getOffsets()[dim], m_Zero()) ||
      !matchPattern(pointer.getShape()[dim], m_ConstantInt(&extent)))
    return columns >= kDeepTile ? columns : 0;
  return std::clamp<int64_t>(extent.getSExtValue(), 0, columns);
}

int spine::contiguousDim(Value tile) {
  auto load = tile.getDefiningOp<triton::LoadOp>();
  Value pointer = load ? load.getPtr() : Value();
  while (auto argument = dyn_cast_or_null<BlockArgument>(pointer)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    pointer = init ? init->get() : Value();
  }
  if (!pointer)
    return -1;
  auto maker = pointer.getDefiningOp<triton::MakeTensorPtrOp>();
  if (!maker)
    return -1;
  auto strides = maker.getStrides();
  auto found = llvm::find_if(
      strides, [](Value stride) { return matchPattern(stride, m_One()); });
  return found == strides.end() ? -1 : found - strides.begin();
}

Blocking Lowering::blockingOf(linalg::LinalgOp op, bool mayOverhang) {
  auto lhs = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int rank = result.getRank();
  // Many rows of a column are one cache line, whatever the steps.
  int64_t depth = lhs.getDimSize(rank - 1);
  Value left = op.getDpsInputs()[0];
  Blocking blocking = chooseBlocking(
      target, result.getDimSize(rank - 2), result.getDimSize(rank - 1), depth,
      contiguousDim(left) == rank - 2 ? depth : likelySteps(left),
      accumulatorType(result.getElementType()), mayOverhang,
      onTiles(operandType(op)) || takesParts(op));
  blocking.inParts = takesParts(op);
  blocking.product = op->getResult(0);
  return blocking;
}

Type Lowering::operandType(linalg::LinalgOp op) {
  Type accumulator =
      accumulatorType(getElementTypeOrSelf(op->getResult(0).getType()));
  Type lhs = getElementTypeOrSelf(op.getDpsInputs()[0].getType());
  Type rhs = getElementTypeOrSelf(op.getDpsInputs()[1].getType());
  bool isTaken = target.widens(lhs) || onTiles(lhs);
  return lhs == rhs && accumulator.isF32() && isTaken ? lhs : accumulator;
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
    // Room for a last block of rows that stands over the end.
    SmallVector<int64_t> padded(type.getShape());
    if (type.getRank() == 2)
      padded[0] = blockingOf(op, /*mayOverhang=*/true).paddedRows();
    out = accumulator == type.getElementType()
              ? makeBuffer(result, padded, "dot")
              : makeTemporary(result, padded, accumulator, loc, "dot");
    out.shape = llvm::to_vector(type.getShape());
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

  Blocking blocking = blockingForStore(
      op, blockingOf(op, streams(op) ? !ownsInit
                                     : !ownsInit && type.getRank() == 2));
  if (type.getRank() == 2)
    lowerProduct(op, blocking, out, Value(), zero);
  else
    buildLoop(
        loc, constant(0, loc), constant(type.getDimSize(0), loc), 1,
        [&](Value batch) { lowerProduct(op, blocking, out, batch, zero); });

  if (streams(op)) {
    stream->isTaken = true;
    return failure(hasFailed);
  }
  if (accumulator == type.getElementType()) {
    buffers[result] = out;
    return failure(hasFailed);
  }
  // One rounding, at the end.
  Buffer rounded = buffers[result] = makeBuffer(result, "dot");
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
                           Value columns, Location loc, bool byColumns) {
  int rank = cast<RankedTensorType>(operand.getType()).getRank();
  // The panel's dimension for one of the operand, and the other way around.
  auto swapped = [&](int d) { return byColumns ? 1 - d : d; };
  int dim = swapped(preferredDim(operand) == rank - 2 ? 0 : 1);
  int64_t lanes = lanesFor(panel.shape, dim, panel.elementType);
  auto emitElement = [&](const Point &point) {
    Point source = point;
    source.index.clear();
    leading(batch, source.index);
    source.index.push_back(addI(firstRow, point.index[swapped(0)], loc));
    source.index.push_back(addI(firstColumn, point.index[swapped(1)], loc));
    if (point.isVector())
      source.dim = rank - 2 + swapped(point.dim);
    return castElements(emit(operand, source), panel.elementType, loc);
  };
  auto element = [&](const Point &point) {
    storeBuffer(panel, point, emitElement(point), loc);
  };
  SmallVector<Value> none(2),
      end{byColumns ? columns : rows, byColumns ? rows : columns};
  SmallVector<Value> whole = end, rest = none;
  if (end[dim] && lanes > 1)
    whole[dim] = rest[dim] =
        arith::AndIOp::create(b, loc, end[dim], constant(-lanes, loc));
  // The panel may have more rows than are left of the tile: a vector across the
  // end would read what nothing checks, or an index that is not there.
  bool mayPassEnd = rows && lanes > 1 && swapped(dim) == 0;
  int64_t restLanes = mayPassEnd ? 1 : lanes;
  auto all = [&] {
    if (!mayPassEnd)
      return buildNest(loc, panel.shape, dim, lanes, none, end, element);
    buildNest(loc, panel.shape, dim, lanes, none, whole, element);
    buildNest(loc, panel.shape, dim, restLanes, rest, end, element);
  };
  auto checked = [&] {
    llvm::SaveAndRestore<bool> scope(isCold, true);
    all();
  };
  InPlace place =
      buffers.count(operand) ? InPlace() : inPlaceOperand(operand, accesses);
  SmallVector<Value, 2> extent;
  for (int d : {0, 1})
    extent.push_back(end[d] ? end[d] : constant(panel.shape[d], loc));
  Value inside;
  if (place.access) {
    SmallVector<Value> first, size;
    if (leading(batch, first))
      size.push_back(constant(1, loc));
    first.append({firstRow, firstColumn});
    size.append({extent[swapped(0)], extent[swapped(1)]});
    inside = insideOf(*place.access, first, size, loc);
  }
  if (std::optional<Exchange> exchange = planExchange(operand, panel, dim)) {
    if (!place.access)
      inside = allInside(exchange->access, loc);
    return packByExchange(*exchange, panel, inside, extent, emitElement,
                          checked, loc);
  }
  if (!place.access)
    return all();
  if (!inside || !end[dim] || lanes <= 1 || isCold)
    return buildVersions(inside, loc, all);
  // Whole vectors need no check if the elements are inside, the last one does.
  auto inParts = [&] {
    llvm::SaveAndRestore<bool> scope(isUnchecked, true);
    buildNest(loc, panel.shape, dim, lanes, none, whole, element);
    isUnchecked = false;
    llvm::SaveAndRestore<bool> cold(isCold, true);
    buildNest(loc, panel.shape, dim, restLanes, rest, end, element);
  };
  doIf(likely(inside, loc), loc, inParts, checked);
}

Value Lowering::validRows(const Blocking &blocking, Value row, Location loc) {
  if (blocking.m % blocking.rows == 0)
    return {};
  return minI(constant(blocking.rows, loc),
              subI(constant(blocking.m, loc), row, loc), loc);
}

/// Address and strides of the left operand's rows from `firstRow` on, as many
/// as `packed` has. Rows behind the valid ones hold anything.
Lowering::RowPanel Lowering::leftRows(Value lhs, const Buffer &packed,
                                      Value batch, Value firstRow,
                                      Value validRows, Value reduction,
                                      Location loc, bool mayBeInPlace) {
  Value one = constant(1, loc), pitch = constant(packed.strideOf(0), loc);
  Value rows = constant(packed.shape[0], loc);
  RowPanel fallback{{packed.pointer, pitch, one}};
  if (onTiles(packed)) {
    packSteps(lhs, packed, batch, firstRow, validRows, reduction, Value(), loc);
    return fallback;
  }
  auto pack = [&] {
    packOperand(lhs, packed, batch, firstRow, constant(0, loc), validRows,
                reduction, loc);
  };
  if (!mayBeInPlace) {
    pack();
    return fallback;
  }
  Point first;
  SmallVector<Value> size;
  if (leading(batch, first.index))
    size.push_back(one);
  first.index.append({firstRow, constant(0, loc)});
  size.append({rows, reduction});
  Value inside;
  if (validRows)
    inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, validRows,
                                   rows);

  RowPanel inPlace;
  auto it = buffers.find(lhs);
  InPlace place =
      it == buffers.end() ? inPlaceOperand(lhs, accesses) : InPlace();
  if (it != buffers.end() && it->second.elementType == packed.elementType) {
    inPlace = {{bufferAddress(it->second, first.index, loc),
                constant(it->second.shape.back(), loc), one}};
  } else if (place.access && place.access->elementType == packed.elementType) {
    // In place if no element of the rows is padding.
    const BlockAccess &access = *place.access;
    unsigned rank = access.tile.size();
    if (Value own = insideOf(access, first.index, size, loc))
      inside = andI(inside, own, loc);
    inPlace = {{addressOf(access, first, loc), access.strides[rank - 2],
                access.strides[rank - 1]},
               /*mayBeFar=*/true};
  } else {
    pack();
    return fallback;
  }
  return inside ? chooseRowPanel(inside, inPlace, fallback, pack, loc)
                : inPlace;
}

Lowering::RowPanel Lowering::chooseRowPanel(Value isInPlace,
                                            const RowPanel &inPlace,
                                            const RowPanel &packed,
                                            function_ref<void()> pack,
                                            Location loc) {
  auto parts = [](const RowPanel &panel) {
    return SmallVector<Value>{panel.address, panel.rowStride, panel.step};
  };
  auto branch = scf::IfOp::create(b, loc, ValueRange(parts(inPlace)).getTypes(),
                                  likely(isInPlace, loc),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, parts(inPlace));
  b.setInsertionPointToStart(branch.elseBlock());
  llvm::SaveAndRestore<bool> cold(isCold, true);
  pack();
  scf::YieldOp::create(b, loc, parts(packed));
  RowPanel panel{
      {branch.getResult(0), branch.getResult(1), branch.getResult(2)},
      inPlace.mayBeFar};
  if (inPlace.step == packed.step)
    panel.step = packed.step;
  return panel;
}

Value spine::extendFloat(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::FPExtOp::create(b, loc, type, value);
}

Value spine::multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs,
                         Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType()))) {
    lhs = extendFloat(b, loc, lhs, sum.getType());
    rhs = extendFloat(b, loc, rhs, sum.getType());
    return LLVM::FMAOp::create(b, loc, lhs, rhs, sum);
  }
  return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, lhs, rhs),
                               sum);
}

std::optional<int64_t> Lowering::stepsWithoutLoop(Value reduction) {
  APInt steps;
  if (isCold || !matchPattern(reduction, m_ConstantInt(&steps)) ||
      steps.sgt(kStepsWithoutLoop))
    return std::nullopt;
  return steps.getSExtValue();
}

/// Runs `step`, which updates the sums, for k in [0, reduction): as many values
/// of k at a time as the first of `unroll` says, then of the rest as the next
/// one says, and at the end one by one. `step` is given the first value of
/// those that go together and a distance from it, `beforeGroup` the first value
/// and their number. `depth` is the most that the reduction may be.
SmallVector<Value> Lowering::reduceUnrolled(
    Value reduction, int64_t depth, ArrayRef<int64_t> unroll, ValueRange sums,
    function_ref<void(Value, int64_t, SmallVectorImpl<Value> &)> step,
    function_ref<void(Value, int64_t)> beforeGroup, Location loc) {
  auto group = [&](Value k, int64_t count, SmallVectorImpl<Value> &state) {
    if (beforeGroup)
      beforeGroup(k, count);
    for (int64_t u = 0; u < count; ++u)
      step(k, u, state);
  };
  auto loop = [&](Value from, Value to, int64_t count, ValueRange init) {
    auto body = [&](OpBuilder &, Location, Value k, ValueRange carried) {
      OpBuilder::InsertionGuard guard(b);
      SmallVector<Value> state(carried);
      group(k, count, state);
      scf::YieldOp::create(b, loc, state);
    };
    auto op =
        scf::ForOp::create(b, loc, from, to, constant(count, loc), init, body);
    return SmallVector<Value>(op.getResults());
  };
  Value done = constant(0, loc);
  SmallVector<Value> state(sums);
  if (auto steps = stepsWithoutLoop(reduction)) {
    if (*steps > 0)
      group(done, *steps, state);
    return state;
  }
  for (int64_t count : unroll) {
    // A loop that could never run is not built.
    if (count == 1 || depth < count)
      continue;
    Value whole =
        arith::AndIOp::create(b, loc, reduction, constant(-count, loc));
    state = loop(done, whole, count, state);
    done = whole;
  }
  return loop(done, reduction, 1, state);
}

/// The addresses of the rows at `k`, each made from the one before it, for
/// scalars that are loaded from there on by instructions with constant
/// distances. LLVM would rather count up several addresses per row.
SmallVector<Value> Lowering::rowsAt(const RowPanel &lhs, int64_t rows, Value k,
                                    Type element, Location loc) {
  SmallVector<Value> addresses{
      elementAddress(lhs.address, mulI(k, lhs.step, loc), element, loc)};
  for (int64_t i = 1; i < rows; ++i)
    addresses.push_back(opaqueAddress(
        elementAddress(addresses.back(), lhs.rowStride, element, loc), loc));
  return addresses;
}

/// How many values of k go together in the innermost loop.
static SmallVector<int64_t> unrollOf(const VectorTarget &target,
                                     int64_t vectors, bool isCold) {
  // The version for arguments that overlap is small.
  if (isCold)
    return {1};
  if (!target.loadsScalars())
    return {4};
  // Scalars that are loaded by instructions of their own take addresses that
  // are computed once for all steps. The fewer multiply-adds share a scalar,
  // the more the addresses count.
  if (vectors == 1)
    return {16, 4};
  return {8};
}

/// sums[i][j] += lhs[i, k] * rhs[k, j] for k in [0, reduction).
SmallVector<Value> Lowering::multiplyRows(const RowPanel &lhs,
                                          const Buffer &rhs,
                                          ArrayRef<Value> sums, int64_t rows,
                                          Value reduction, Location loc) {
  Type element = rhs.elementType;
  int64_t vectors = sums.size() / rows, columns = rhs.shape[1];
  int64_t lanes = cast<VectorType>(sums[0].getType()).getDimSize(0);
  auto vector = VectorType::get({lanes}, element);
  Type sumType = getElementTypeOrSelf(sums[0].getType());
  SmallVector<Value> rowAddress;
  for (int64_t i = 0; i < rows; ++i)
    rowAddress.push_back(elementAddress(
        lhs.address, mulI(lhs.rowStride, constant(i, loc), loc), element, loc));
  SmallVector<Value> inGroup; // The rows where a group of steps begins.

  auto step = [&](Value first, int64_t u, SmallVectorImpl<Value> &state) {
    SmallVector<Value> right;
    Value k = addI(first, constant(u, loc), loc);
    // From one address per group, k being no sum any more to LLVM once it knows
    // the lowest bits. With one vector a step it would move all loads and
    // prefetches of a group to its front, where they wait for each other.
    int64_t behind = vectors > 1 ? u : 0;
    Value base = mulI(vectors > 1 ? first : k, constant(columns, loc), loc);
    base = elementAddress(rhs.pointer, base, element, loc);
    for (int64_t j = 0; j < vectors; ++j)
      right.push_back(
          load(vector,
               elementAddress(base, constant(behind * columns + j * lanes, loc),
                              element, loc),
               loc));
    bool fromGroup = !inGroup.empty();
    Value offset = mulI(fromGroup ? constant(u, loc) : k, lhs.step, loc);
    for (int64_t i = 0; i < rows; ++i) {
      Value row = fromGroup ? inGroup[i] : rowAddress[i];
      Value scalar =
          load(element, elementAddress(row, offset, element, loc), loc);
      Value left = broadcast(extendFloat(b, loc, scalar, sumType), lanes, loc);
      for (int64_t j = 0; j < vectors; ++j)
        state[i * vectors + j] =
            multiplyAdd(b, loc, left, right[j], state[i * vectors + j]);
    }
  };
  bool prefetches = lhs.mayBeFar && target.prefetchRows;
  auto beforeGroup = [&](Value k, int64_t count) {
    if (target.loadsScalars() && vectors == 1)
      inGroup = rowsAt(lhs, rows, k, element, loc);
    if (count == 1)
      return;
    if (prefetches)
      prefetchRows(lhs, rowAddress, k, count, element, loc);
    if (lhs.nextType)
      prefetchNext(lhs, rows, k, count, loc);
  };
  return reduceUnrolled(reduction, rhs.shape[0],
                        unrollOf(target, vectors, isCold), sums, step,
                        beforeGroup, loc);
}

void Lowering::forEachBlock(const Blocking &blocking, Location loc,
                            function_ref<void(Value, const Blocking &)> body) {
  Blocking narrow = blocking;
  narrow.vectors = blocking.vectors - 1;
  int64_t wide = blocking.packed - blocking.narrowBlocks * narrow.columns();
  auto blocks = [&](int64_t from, int64_t to, const Blocking &size) {
    if (from < to)
      buildLoop(loc, constant(from, loc), constant(to, loc), size.columns(),
                [&](Value inPanel) { body(inPanel, size); });
  };
  blocks(0, wide, blocking);
  blocks(wide, blocking.packed, narrow);
}

Buffer Lowering::columnsFrom(Buffer panel, Value inPanel, Location loc) {
  panel.pointer =
      elementAddress(panel.pointer, inPanel, panel.elementType, loc);
  return panel;
}

SmallVector<Value> Lowering::multiplyBlock(const RowPanel &lhs,
                                           const Buffer &rhs,
                                           ArrayRef<Value> sums,
                                           const Blocking &blocking,
                                           Value reduction, Location loc) {
  if (blocking.onTiles)
    return multiplyOnTiles(lhs, rhs, sums, blocking, reduction, loc);
  return blocking.alongColumns
             ? multiplyAlongColumns(lhs, rhs, sums, reduction, loc)
             : multiplyRows(lhs, rhs, sums, blocking.rows, reduction, loc);
}

SmallVector<Value> Lowering::addressesOfBlock(Value first, Value rowStride,
                                              Value columnStride, Type element,
                                              const Blocking &blocking,
                                              Location loc) {
  int64_t rows = blocking.alongColumns ? 1 : blocking.rows;
  int64_t distance = blocking.alongColumns ? 1 : blocking.lanes;
  SmallVector<Value> addresses;
  Value row = first;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < blocking.vectors; ++j)
      addresses.push_back(elementAddress(
          row, mulI(columnStride, constant(j * distance, loc), loc), element,
          loc));
    if (i + 1 < rows)
      row = elementAddress(row, rowStride, element, loc);
  }
  return addresses;
}

SmallVector<Value> Lowering::addressesOfResults(const Buffer &out, Value first,
                                                const Blocking &blocking,
                                                Location loc) {
  Value pitch = constant(out.strideOf(out.shape.size() - 2), loc);
  return addressesOfBlock(first, pitch, constant(1, loc), out.elementType,
                          blocking, loc);
}

SmallVector<Value> Lowering::zeroSums(const Blocking &blocking, Type element,
                                      Location loc) {
  if (blocking.onTiles)
    return zeroTiles(blocking, loc);
  Value zero = zeroOf(VectorType::get({blocking.lanes}, element), loc);
  return SmallVector<Value>(blocking.numSums(), zero);
}

SmallVector<Value> Lowering::loadResults(const Buffer &out, Value first,
                                         const Blocking &blocking,
                                         Value fromZero, Location loc) {
  auto vector = VectorType::get({blocking.lanes}, out.elementType);
  auto loadOne = [&](Value address) {
    if (!blocking.alongColumns)
      return load(vector, address, loc);
    return loadStrided(address, constant(out.shape.back(), loc), {},
                       zeroOf(vector, loc), loc);
  };
  auto loadAll = [&] {
    if (blocking.onTiles)
      return loadTiles(out, first, blocking, loc);
    return llvm::map_to_vector(addressesOfResults(out, first, blocking, loc),
                               loadOne);
  };
  if (!fromZero)
    return loadAll();
  Type type = vector;
  if (blocking.onTiles)
    type = LLVM::LLVMX86AMXType::get(b.getContext());
  return chooseAll(
      fromZero, SmallVector<Type>(blocking.numSums(), type), loc,
      [&] { return zeroSums(blocking, out.elementType, loc); }, loadAll);
}

void Lowering::storeResults(const Buffer &out, Value first,
                            const Blocking &blocking, ArrayRef<Value> sums,
                            Location loc) {
  if (blocking.onTiles)
    return storeTiles(out, first, blocking, sums, loc);
  SmallVector<Value> addresses = addressesOfResults(out, first, blocking, loc);
  for (auto [sum, address] : llvm::zip_equal(sums, addresses)) {
    if (blocking.alongColumns)
      storeStrided(sum, address, constant(out.shape.back(), loc), {}, loc);
    else
      store(sum, address, loc);
  }
}

/// The elements of a block of `tile`, in the order of its sums. A block that
/// stands over the end repeats the last row.
SmallVector<Value> Lowering::emitBlock(Value tile, ArrayRef<Value> first,
                                       const Blocking &blocking, Type element) {
  Location loc = tile.getLoc();
  unsigned rank = first.size();
  SmallVector<Value> values;
  for (Point &point : pointsOfBlock(first, blocking, loc)) {
    Cache local;
    llvm::SaveAndRestore<Cache *> scope(cache, &local);
    if (blocking.m % blocking.rows)
      point.index[rank - 2] =
          minI(point.index[rank - 2], constant(blocking.m - 1, loc), loc);
    Value value =
        castElements(shaped(emit(tile, point), point, loc), element, loc);
    values.push_back(point.isVector() ? value : broadcast(value, 1, loc));
  }
  return values;
}

void Lowering::lowerProduct(linalg::LinalgOp op, Blocking blocking,
                            const Buffer &out, Value batch,
                            bool startFromZero) {
  Location loc = op.getLoc();
  Value lhs = op.getDpsInputs()[0], rhs = op.getDpsInputs()[1];
  Type element = accumulatorType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  Value reduction = reductionEnd(lhs, rhs, blocking.k, loc);
  Value result = op->getResult(0);
  Type operand = operandType(op);
  int64_t depth = wholeSteps(blocking, blocking.k);
  Buffer packedRows =
      makePackedLeft(blocking.rows, depth, blocking, operand, loc, "dot.lhs");
  Buffer edge = makeEdgeBuffer(result, blocking, element, loc);

  auto block = [&](Value column, const Buffer &panel, Value row,
                   const Blocking &blocking) {
    SmallVector<Value> first, sums;
    leading(batch, first);
    first.append({row, column});
    Value results = out.pointer ? bufferAddress(out, first, loc) : Value();
    if (startFromZero)
      sums = zeroSums(blocking, element, loc);
    else if (out.pointer)
      sums = loadResults(out, results, blocking, Value(), loc);
    else
      sums =
          fromVectors(emitBlock(op.getDpsInits()[0], first, blocking, element),
                      blocking, loc);
    Value valid = validRows(blocking, row, loc);
    RowPanel left =
        leftRows(lhs, packedRows, batch, row, valid, reduction, loc);
    sums = multiplyBlock(left, panel, sums, blocking, reduction, loc);
    if (streams(op))
      return storeStreamedBlock(first, valid, blocking, sums, edge, loc);
    storeResults(out, results, blocking, sums, loc);
  };
  auto group = [&](Value column, int64_t columns) {
    Buffer panel = makePackedRight(depth, columns, blocking, operand, loc);
    packOperand(rhs, panel, batch, constant(0, loc), column, reduction, Value(),
                loc);
    if (blocking.onTiles)
      finishRight(panel, reduction, loc);
    forEachBlock(blocking, loc, [&](Value inPanel, const Blocking &size) {
      Value first = addI(column, inPanel, loc);
      Buffer part = columnsFrom(panel, inPanel, loc);
      buildLoop(loc, constant(0, loc), constant(blocking.m, loc), blocking.rows,
                [&](Value row) { block(first, part, row, size); });
    });
  };
  int64_t whole = blocking.n / blocking.packed * blocking.packed;
  buildLoop(loc, constant(0, loc), constant(whole, loc), blocking.packed,
            [&](Value column) { group(column, blocking.packed); });
  // Columns that fill no vector: sizes that are no power of two.
  int64_t rest = blocking.n - whole;
  for (int64_t column = whole; rest > 0;) {
    int64_t width =
        std::min<int64_t>(llvm::bit_floor<uint64_t>(rest), blocking.lanes);
    llvm::SaveAndRestore<int64_t> lanes(blocking.lanes, width);
    llvm::SaveAndRestore<int64_t> vectors(blocking.vectors, 1);
    llvm::SaveAndRestore<int64_t> packed(blocking.packed, width);
    // Only squares are exchanged.
    llvm::SaveAndRestore<bool> transposed(
        blocking.transposed, blocking.transposed && width >= blocking.rows);
    group(constant(column, loc), width);
    column += width;
    rest -= width;
  }
}
