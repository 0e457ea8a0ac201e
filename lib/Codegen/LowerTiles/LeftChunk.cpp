//===- LeftChunk.cpp - rows of a product packed ahead ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The left operand of a product is read where it lies unless packing pays: if
// many groups of columns read the same rows, if its elements have to be
// converted, or if its columns are what is contiguous, so that a few rows of it
// touch a cache line and a page per column. Then as many rows as stay in the
// cache are packed for all columns. Columns that turn out to be few are read
// where they lie.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// A chunk has at most this many bytes.
static constexpr int64_t kChunkBytes = 48 * 1024;
/// If it is read once, by the only group of columns: half of a first-level
/// cache, which has room for the rest and for what is fetched ahead.
static constexpr int64_t kReadOnceBytes = 24 * 1024;
/// Groups of columns that make packing by blocks pay, where rows are packed for
/// some other reason.
static constexpr int64_t kFewestPanels = 4;

/// Columns that are read where they lie: processors keep about as many pages
/// and streams of memory apart.
static constexpr int64_t kMostColumnsInPlace = 32;

bool Lowering::isByColumns(Value tile) {
  int unitStride = -1;
  return unitStrideDim(tile, unitStride) && unitStride == 0;
}

/// A chunk's size. Pieces of columns are read from pages of their own, so they
/// should be long where the cache is large.
int64_t Lowering::chunkBytes(const ProductLoop &plan) {
  if (isByColumns(plan.lhs))
    return std::max(kChunkBytes, target.packedBytes * 3 / 4);
  return plan.panels == 1 ? kReadOnceBytes : kChunkBytes;
}

/// Rows of the left operand that are packed ahead; 0 if that does not pay.
int64_t Lowering::rowsPackedAhead(const ProductLoop &plan) {
  Type element = plan.packedLeft.elementType;
  auto buffer = buffers.find(plan.lhs);
  bool isPacked = buffer != buffers.end() &&
                  buffer->second.elementType == element &&
                  !plan.blocking.onTiles;
  if (isCold || plan.blocking.alongColumns || isPacked)
    return 0;
  auto type = cast<RankedTensorType>(plan.lhs.getType());
  bool isCopy = isa_and_nonnull<triton::LoadOp>(plan.lhs.getDefiningOp()) &&
                type.getElementType() == element && !plan.blocking.onTiles;
  if (!isByColumns(plan.lhs) && plan.panels < (isCopy ? kManyPanels : 1))
    return 0;
  int64_t rowBytes = plan.groupDepth() * element.getIntOrFloatBitWidth() / 8;
  int64_t step = rowsOfStep(plan);
  int64_t steps = std::max<int64_t>(chunkBytes(plan) / (rowBytes * step), 1);
  return std::min(steps * step, plan.blocking.paddedRows());
}

/// Whether columns that are packed otherwise are read where they lie if they
/// are few. Several groups of columns would wait for them several times.
bool Lowering::mayReadColumns(const ProductLoop &plan) {
  return isByColumns(plan.lhs) && plan.panels == 1 && target.prefetchRows &&
         mayUseRuns(plan) && rowsPackedAhead(plan);
}

/// Whether the group's columns are few enough for that.
Value Lowering::hasFewColumns(const ProductLoop &plan, Location loc) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                               plan.group.packedRows,
                               constant(kMostColumnsInPlace, loc));
}

/// Whether chunks are packed by blocks of rows, column after column in each, so
/// that multiplying a block reads its rows in the order of memory. Exchanging
/// rows and columns takes about as long as a few groups of columns gain.
/// Columns are read as whole vectors, which have to be those of whole blocks.
bool Lowering::packsByBlocks(const ProductLoop &plan) {
  int64_t rows = plan.blocking.rows;
  if (plan.panels < kFewestPanels || target.stridedLanes ||
      plan.blocking.onTiles || rows < 4)
    return false;
  return !isByColumns(plan.lhs) ||
         target.lanesOf(plan.packedLeft.elementType) % rows == 0;
}

/// Rows of a chunk that are packed by blocks together.
int64_t Lowering::rowsOfStep(const ProductLoop &plan) {
  return packsByBlocks(plan) && isByColumns(plan.lhs)
             ? target.lanesOf(plan.packedLeft.elementType)
             : plan.blocking.rows;
}

Lowering::LeftChunk Lowering::planLeftChunk(const ProductLoop &plan) {
  LeftChunk chunk;
  int64_t rows = rowsPackedAhead(plan), depth = plan.groupDepth();
  if (rows == 0)
    return chunk;
  chunk.rows = rows;
  Type element = plan.packedLeft.elementType;
  chunk.blockRows = plan.blocking.rows;
  chunk.byBlocks = packsByBlocks(plan);
  chunk.byColumns =
      isByColumns(plan.lhs) && !plan.blocking.onTiles && !chunk.byBlocks;
  if (chunk.byColumns)
    std::swap(rows, depth);
  chunk.buffer = {Value(), element, {rows, depth}};
  if (!plan.keptLeft.slots)
    chunk.buffer = makePackedLeft(rows, depth, plan.blocking, element,
                                  plan.op->getLoc(), "dot.lhs.chunk");
  findSource(plan, chunk);
  return chunk;
}

/// The chunk from `packedRow` of the reduction and `row` of the chunk on.
Value Lowering::chunkAddress(const LeftChunk &chunk, Value packedRow, Value row,
                             Location loc) {
  if (chunk.byBlocks) {
    int64_t depth = chunk.buffer.shape[1];
    Value index =
        addI(mulI(row, constant(depth, loc), loc),
             mulI(packedRow, constant(chunk.blockRows, loc), loc), loc);
    return elementAddress(chunk.buffer.pointer, index, chunk.buffer.elementType,
                          loc);
  }
  SmallVector<Value> index{row, packedRow};
  if (chunk.byColumns)
    std::swap(index[0], index[1]);
  return bufferAddress(chunk.buffer, index, loc);
}

/// While a chunk is multiplied, what the next one is packed from is fetched: it
/// follows in memory if the iterations' tiles do. With several groups of
/// columns it would be fetched once for each.
void Lowering::findSource(const ProductLoop &plan, LeftChunk &chunk) {
  auto load = plan.lhs.getDefiningOp<triton::LoadOp>();
  if (!target.prefetchRows || isByColumns(plan.lhs) || !load ||
      !accesses.count(load) ||
      plan.blocking.packed * plan.panels != plan.blocking.columns())
    return;
  Location loc = plan.op->getLoc();
  lowerIteration(plan, plan.group.first, plan.group.carried, [&] {
    const BlockAccess &access = accesses.find(load)->second;
    Point first;
    first.index.assign(2, constant(0, loc));
    chunk.source = {addressOf(access, first, loc), access.strides[0],
                    access.strides[1]};
    chunk.sourceType = access.elementType;
  });
}

void Lowering::packLeftChunk(ProductLoop &plan) {
  const KeptOperand &kept = plan.keptLeft;
  if (!kept.slots)
    return fillLeftChunk(plan);
  // Kept chunks lie one behind the other.
  Location loc = plan.op->getLoc();
  plan.left.buffer.pointer = elementAddress(
      kept.address,
      mulI(plan.left.first, constant(plan.groupDepth(), loc), loc),
      plan.left.buffer.elementType, loc);
  doIf(kept.isMissing, loc, [&] { fillLeftChunk(plan); });
}

void Lowering::fillLeftChunk(const ProductLoop &plan) {
  Location loc = plan.op->getLoc();
  const LeftChunk &chunk = plan.left;
  auto pack = [&](Value packedRow, SmallVectorImpl<Value> &) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    if (chunk.byBlocks) {
      packBlocks(plan, packedRow, reduction);
      return reduction;
    }
    Value rows;
    if (plan.blocking.m % chunk.rows)
      rows = minI(constant(chunk.rows, loc),
                  subI(constant(plan.blocking.m, loc), chunk.first, loc), loc);
    Buffer panel = chunk.buffer;
    panel.pointer = chunkAddress(chunk, packedRow, constant(0, loc), loc);
    panel.pitch = chunk.buffer.strideOf(0);
    if (plan.blocking.onTiles) {
      Value ahead;
      if (panel.inParts && chunk.sourceType)
        ahead = constant(chunk.rows, loc);
      packSteps(plan.lhs, panel, Value(), chunk.first, rows, reduction, ahead,
                loc);
      return wholeSteps(plan.blocking, reduction, loc);
    }
    (chunk.byColumns ? panel.shape[0] : panel.shape[1]) = plan.depth;
    packOperand(plan.lhs, panel, Value(), chunk.first, constant(0, loc), rows,
                reduction, loc, chunk.byColumns);
    return reduction;
  };
  runIterations(plan, {}, pack);
}

/// Packs an iteration's rows of a chunk, block after block.
void Lowering::packBlocks(const ProductLoop &plan, Value packedRow,
                          Value reduction) {
  Location loc = plan.op->getLoc();
  const LeftChunk &chunk = plan.left;
  int64_t rows = rowsOfStep(plan);
  Buffer panel{Value(), chunk.buffer.elementType, {plan.depth, rows}};
  panel.pitch = panel.blockColumns = chunk.blockRows;
  panel.blockStride = chunk.blockRows * plan.groupDepth();
  Value left = subI(constant(plan.blocking.m, loc), chunk.first, loc);
  Value end = minI(constant(chunk.rows, loc), left, loc);
  auto block = [&](Value row) {
    panel.pointer = chunkAddress(chunk, packedRow, row, loc);
    Value valid;
    if (plan.blocking.m % rows || chunk.rows % rows)
      valid = minI(constant(rows, loc), subI(end, row, loc), loc);
    packOperand(plan.lhs, panel, Value(), addI(chunk.first, row, loc),
                constant(0, loc), valid, reduction, loc, /*byColumns=*/true);
  };
  buildLoop(loc, constant(0, loc), end, rows, block, /*mayUnroll=*/false);
}

/// The rows from `row` on.
Lowering::RowPanel Lowering::rowsOfChunk(const ProductLoop &plan, Value row,
                                         Location loc) {
  const LeftChunk &chunk = plan.left;
  Value address =
      chunkAddress(chunk, constant(0, loc), subI(row, chunk.first, loc), loc);
  Value one = constant(1, loc);
  Value pitch = constant(chunk.buffer.strideOf(0), loc);
  if (chunk.byBlocks)
    pitch = constant(chunk.blockRows, loc);
  RowPanel panel{chunk.byColumns || chunk.byBlocks
                     ? RowAddresses{address, one, pitch}
                     : RowAddresses{address, pitch, one}};
  if (chunk.sourceType) {
    Value ahead = addI(row, constant(chunk.rows, loc), loc);
    panel.next = chunk.source;
    panel.next.address = elementAddress(
        chunk.source.address, mulI(ahead, chunk.source.rowStride, loc),
        chunk.sourceType, loc);
    if (plan.blocking.inParts) { // Odd rows: packing has fetched the others.
      panel.next.address = elementAddress(
          panel.next.address, panel.next.rowStride, chunk.sourceType, loc);
      panel.next.rowStride = mulI(panel.next.rowStride, constant(2, loc), loc);
    }
    panel.nextType = chunk.sourceType;
  }
  return panel;
}
