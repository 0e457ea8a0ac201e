//===- ProductPrefetch.cpp - operands fetched ahead -----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A loop that accumulates a product packs the operands of a group of iterations
// and then multiplies. Packing waits for memory and multiplying does not need
// it. So while one group is multiplied, a few cache lines of what the next one
// packs are fetched with each block of results. These are hints: where the
// operands of the next group do not follow each other as expected, nothing but
// time is lost.
//
// Rows that are read in place, or packed by chunks within one group, are
// fetched while those before them are multiplied, in the innermost loop.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::spine;

/// Of one operand; more would push what is packed out of the cache.
static constexpr int64_t kMostBytes = 96 * 1024;
/// Of a cache line.
static constexpr int64_t kLineBytes = 64;
/// Columns that are read where they lie are fetched so many lines ahead.
static constexpr int64_t kLinesDown = 4;

/// Fetches a cache line ahead, into the first-level cache or, with a hint of 2,
/// the second-level one.
void Lowering::fetch(Value address, Location loc, unsigned hint) {
  LLVM::Prefetch::create(b, loc, address, /*rw=*/0, hint, /*cache=*/1);
}

static int64_t elementsPerLine(Type element) {
  return kLineBytes * 8 / element.getIntOrFloatBitWidth();
}

/// The lines of `rows` x `columns` elements of the operand from its tile's
/// first on, if one of the dimensions is contiguous.
std::optional<Lowering::LinesAhead>
Lowering::linesAhead(Value operand, int64_t rows, int64_t columns) {
  auto load = operand.getDefiningOp<triton::LoadOp>();
  int dim = -1;
  if (!load || !accesses.count(load) || !unitStrideDim(operand, dim))
    return std::nullopt;
  const BlockAccess &access = accesses.find(load)->second;
  Location loc = operand.getLoc();
  int64_t bytes = access.elementType.getIntOrFloatBitWidth() / 8;
  int64_t outer = dim == 1 ? rows : columns, inner = dim == 1 ? columns : rows;
  if (bytes * outer * inner > kMostBytes || bytes * inner < kLineBytes)
    return std::nullopt;
  Point first;
  first.index.assign(2, constant(0, loc));
  return LinesAhead{addressOf(access, first, loc), access.strides[1 - dim],
                    outer, bytes * inner / kLineBytes, access.elementType};
}

/// Finds the operands of the iteration behind the group, which begins with
/// `carried`, if there is one.
void Lowering::planPrefetch(ProductLoop &plan, ValueRange carried) {
  if (!plan.left.rows || !target.prefetchRows)
    return;
  Location loc = plan.op->getLoc();
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        plan.group.last, plan.high);
  // If this group's operands were kept from another program, the next one's
  // are.
  const KeptOperand &left = plan.keptLeft, &right = plan.keptRight;
  if (left.slots && right.slots)
    isThere = andI(
        isThere, arith::OrIOp::create(b, loc, left.isMissing, right.isMissing),
        loc);
  Type pointer = plan.packed.pointer.getType(), i64 = b.getI64Type();
  auto branch = scf::IfOp::create(b, loc, {pointer, i64, pointer, i64}, isThere,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<std::optional<LinesAhead>> operands;
  lowerIteration(plan, plan.group.last, carried, [&] {
    int64_t depth = plan.iterations * plan.depth;
    operands = {linesAhead(plan.lhs, plan.blocking.m, depth),
                linesAhead(plan.rhs, depth, plan.blocking.n)};
  });
  auto yield = [&](bool isKnown) {
    SmallVector<Value> values;
    for (const std::optional<LinesAhead> &lines : operands) {
      if (lines && isKnown)
        values.append({lines->address, lines->stride});
      else
        values.append({plan.packed.pointer, constant(0, loc)});
    }
    scf::YieldOp::create(b, loc, values);
  };
  yield(true);
  b.setInsertionPointToStart(branch.elseBlock());
  yield(false);
  for (auto [i, lines] : llvm::enumerate(operands)) {
    if (!lines)
      continue;
    lines->address = branch.getResult(2 * i);
    lines->stride = branch.getResult(2 * i + 1);
    plan.ahead.push_back(*lines);
  }
}

/// Fetches the part of the lines that goes with the block of results at `row`
/// and column `inPanel` of `panel`.
void Lowering::prefetchPart(const ProductLoop &plan, Value panel, Value inPanel,
                            Value row) {
  if (plan.ahead.empty())
    return;
  Location loc = plan.op->getLoc();
  const Blocking &blocking = plan.blocking;
  auto divide = [&](Value dividend, int64_t divisor) {
    return arith::DivUIOp::create(b, loc, dividend, constant(divisor, loc));
  };
  int64_t perPanel = blocking.packed / blocking.columns();
  int64_t rowBlocks = llvm::divideCeil(blocking.m, blocking.rows);
  Value column = addI(mulI(panel, constant(perPanel, loc), loc),
                      divide(inPanel, blocking.columns()), loc);
  Value number = addI(mulI(column, constant(rowBlocks, loc), loc),
                      divide(row, blocking.rows), loc);
  for (const LinesAhead &ahead : plan.ahead)
    prefetchLines(ahead, number, plan.panels * perPanel * rowBlocks, loc);
}

/// Fetches part `number` of `parts`: whole rows, or a piece of one, so that one
/// address is enough for its lines.
void Lowering::prefetchLines(const LinesAhead &ahead, Value number,
                             int64_t parts, Location loc) {
  int64_t least = llvm::divideCeil(ahead.rows * ahead.lines, parts);
  int64_t rows = llvm::divideCeil(least, ahead.lines);
  int64_t lines = std::min(least, ahead.lines);
  while (ahead.lines % lines)
    ++lines;
  int64_t perRow = ahead.lines / lines;
  int64_t elements = elementsPerLine(ahead.elementType);
  for (int64_t r = 0; r < rows; ++r) {
    Value piece =
        addI(mulI(number, constant(rows, loc), loc), constant(r, loc), loc);
    piece = minI(piece, constant(ahead.rows * perRow - 1, loc), loc);
    Value row = arith::DivUIOp::create(b, loc, piece, constant(perRow, loc));
    Value inRow = arith::RemUIOp::create(b, loc, piece, constant(perRow, loc));
    Value first = addI(mulI(row, ahead.stride, loc),
                       mulI(inRow, constant(lines * elements, loc), loc), loc);
    Value address =
        elementAddress(ahead.address, first, ahead.elementType, loc);
    for (int64_t i = 0; i < lines; ++i)
      fetch(elementAddress(address, constant(i * elements, loc),
                           ahead.elementType, loc),
            loc, /*hint=*/2);
  }
}

/// A cache line holds several times the `unroll` elements that go together at
/// `k`. So of contiguous rows only some have their turn each time, and every
/// row once per line.
Lowering::Turn Lowering::turnInLine(int64_t rows, Value k, int64_t unroll,
                                    Type element, Location loc) {
  int64_t turns = std::max<int64_t>(elementsPerLine(element) / unroll, 1);
  int64_t perTurn = llvm::divideCeil(rows, turns);
  Value group = arith::DivUIOp::create(b, loc, k, constant(unroll, loc));
  Value number = arith::RemUIOp::create(b, loc, group, constant(turns, loc));
  return {number, perTurn};
}

/// Fetches what the columns from `k` on have further down. The rows of a block
/// share a cache line of each, or two.
void Lowering::prefetchColumns(const RowPanel &lhs, Value k, int64_t unroll,
                               Type element, Location loc) {
  Value down = constant(kLinesDown * elementsPerLine(element), loc);
  for (int64_t u = 0; u < unroll; ++u) {
    Value column = mulI(addI(k, constant(u, loc), loc), lhs.step, loc);
    fetch(elementAddress(lhs.address, addI(column, down, loc), element, loc),
          loc);
  }
}

/// If rows overlap, they are one piece of memory, whose lines are shared out to
/// the groups of `unroll` steps: how many each of them fetches, or 0.
int64_t Lowering::linesOfOverlapping(const RowPanel &lhs, int64_t rows,
                                     int64_t unroll, Type element) {
  APInt stride;
  if (!isConstantValue(lhs.step, 1) || unroll > lhs.likelySteps ||
      !matchPattern(lhs.rowStride, m_ConstantInt(&stride)) || stride.slt(1) ||
      stride.sge(lhs.likelySteps))
    return 0;
  int64_t lines =
      llvm::divideCeil(rows * stride.getSExtValue(), elementsPerLine(element));
  return llvm::divideCeil(lines, lhs.likelySteps / unroll);
}

/// Fetches what the rows further on have at `k`.
void Lowering::prefetchRows(const RowPanel &lhs, ArrayRef<Value> rowAddress,
                            Value k, int64_t unroll, Type element,
                            Location loc) {
  if (isConstantValue(lhs.rowStride, 1))
    return prefetchColumns(lhs, k, unroll, element, loc);
  Value ahead = mulI(lhs.rowStride, constant(target.prefetchRows, loc), loc);
  int64_t perLine = elementsPerLine(element);
  if (int64_t lines =
          linesOfOverlapping(lhs, rowAddress.size(), unroll, element)) {
    Value group = arith::DivUIOp::create(b, loc, k, constant(unroll, loc));
    Value first =
        addI(ahead, mulI(group, constant(lines * perLine, loc), loc), loc);
    for (int64_t i = 0; i < lines; ++i)
      fetch(elementAddress(rowAddress.front(),
                           addI(first, constant(i * perLine, loc), loc),
                           element, loc),
            loc);
    return;
  }
  Value offset = addI(mulI(k, lhs.step, loc), ahead, loc);
  if (isConstantValue(lhs.step, 1) && perLine > unroll) {
    Turn turn = turnInLine(rowAddress.size(), k, unroll, element, loc);
    Value apart = mulI(lhs.rowStride, constant(turn.rows, loc), loc);
    offset = addI(offset, mulI(turn.number, apart, loc), loc);
    rowAddress = rowAddress.take_front(turn.rows);
  }
  for (Value address : rowAddress)
    fetch(elementAddress(address, offset, element, loc), loc);
}

/// Fetches what is packed next, in the place of what is multiplied at `k`.
void Lowering::prefetchNext(const RowPanel &lhs, int64_t rows, Value k,
                            int64_t unroll, Location loc) {
  const RowAddresses &next = lhs.next;
  auto address = [&](Value row, int64_t step) {
    Value at = mulI(addI(k, constant(step, loc), loc), next.step, loc);
    return elementAddress(next.address,
                          addI(at, mulI(row, next.rowStride, loc), loc),
                          lhs.nextType, loc);
  };
  if (!isConstantValue(next.step, 1)) {
    for (int64_t u = 0; u < unroll; ++u)
      fetch(address(constant(0, loc), u), loc);
    return;
  }
  Turn turn = turnInLine(rows, k, unroll, lhs.nextType, loc);
  Value row = mulI(turn.number, constant(turn.rows, loc), loc);
  for (int64_t i = 0; i < turn.rows; ++i)
    fetch(address(addI(row, constant(i, loc), loc), 0), loc);
}
