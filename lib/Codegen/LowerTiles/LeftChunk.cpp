//===- LeftChunk.cpp - rows of a product packed ahead ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The left operand of a product is read where it lies unless packing pays: if
// many groups of columns read the same rows, if its elements have to be
// converted for more than one of them, or if its columns are what is
// contiguous, so that a few rows of it touch a cache line and a page per
// column. Then as many rows as stay in the cache are packed for all columns.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// A chunk has at most this many bytes.
static constexpr int64_t kChunkBytes = 48 * 1024;
/// Groups of columns that make a copy of what could be read in place pay.
static constexpr int64_t kManyPanels = 4;

Lowering::LeftChunk Lowering::planLeftChunk(const ProductLoop &plan) {
  LeftChunk chunk;
  Type element = plan.packedLeft.elementType;
  auto buffer = buffers.find(plan.lhs);
  if (isCold || plan.blocking.alongColumns ||
      (buffer != buffers.end() && buffer->second.elementType == element))
    return chunk;
  auto type = cast<RankedTensorType>(plan.lhs.getType());
  int unitStride = -1;
  chunk.byColumns = unitStrideDim(plan.lhs, unitStride) && unitStride == 0;
  bool isCopy = isa_and_nonnull<triton::LoadOp>(plan.lhs.getDefiningOp()) &&
                type.getElementType() == element;
  if (!chunk.byColumns && plan.panels < (isCopy ? kManyPanels : 2))
    return chunk;

  int64_t depth = plan.iterations * plan.depth;
  int64_t rowBytes = depth * element.getIntOrFloatBitWidth() / 8;
  int64_t blocks = kChunkBytes / (rowBytes * plan.blocking.rows);
  int64_t rows =
      std::min(blocks * plan.blocking.rows, plan.blocking.paddedRows());
  if (rows == 0)
    return chunk;
  chunk.rows = rows;
  chunk.buffer = makeTemporary(plan.product->getResult(0), {depth, rows},
                               element, plan.op->getLoc(), "dot.lhs.chunk");
  return chunk;
}

/// What one iteration packs, the rows of which start at `packedRow` of the
/// group.
Buffer Lowering::leftPanel(const ProductLoop &plan, Value packedRow,
                           Location loc) {
  const LeftChunk &chunk = plan.left;
  Buffer panel = chunk.buffer;
  panel.pointer = elementAddress(
      panel.pointer, mulI(packedRow, constant(chunk.rows, loc), loc),
      panel.elementType, loc);
  panel.shape = {chunk.rows, plan.depth};
  if (chunk.byColumns)
    panel.shape = {plan.depth, chunk.rows};
  return panel;
}

void Lowering::packLeftChunk(const ProductLoop &plan, Value first, Value last,
                             ValueRange carried) {
  Location loc = plan.op->getLoc();
  const LeftChunk &chunk = plan.left;
  auto pack = [&](Value packedRow, SmallVectorImpl<Value> &) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    Value rows;
    if (plan.blocking.m % chunk.rows)
      rows = minI(constant(chunk.rows, loc),
                  subI(constant(plan.blocking.m, loc), chunk.first, loc), loc);
    packOperand(plan.lhs, leftPanel(plan, packedRow, loc), Value(), chunk.first,
                constant(0, loc), rows, reduction, loc, chunk.byColumns);
  };
  runIterations(plan.op, plan.product, first, last, plan.step, plan.depth,
                carried, {}, pack);
}

/// The rows from `row` on, for the iteration that starts at `packedRow`.
Lowering::RowPanel Lowering::rowsOfChunk(const ProductLoop &plan,
                                         Value packedRow, Value row,
                                         Location loc) {
  const LeftChunk &chunk = plan.left;
  Buffer panel = leftPanel(plan, packedRow, loc);
  Value inChunk = subI(row, chunk.first, loc), one = constant(1, loc);
  if (chunk.byColumns)
    return {elementAddress(panel.pointer, inChunk, panel.elementType, loc), one,
            constant(chunk.rows, loc)};
  Value pitch = constant(plan.depth, loc);
  return {elementAddress(panel.pointer, mulI(inChunk, pitch, loc),
                         panel.elementType, loc),
          pitch, one};
}
