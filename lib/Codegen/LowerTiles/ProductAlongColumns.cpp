//===- ProductAlongColumns.cpp - products with vectors along the columns --===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A product with few columns leaves a long vector register half empty if its
// vectors lie along the rows of the result. Here they lie along the columns:
// one strided load brings an element of each of many rows of the left operand,
// and each column of the right one multiplies it with a scalar. Several
// registers are taken as one (LMUL), so one instruction does the work of many.
//
// What that costs depends on the strided load, which moves from one element to
// a whole register per cycle, as the target's description says.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// Registers that hold results. More of them are spilled where sums live
/// through several loops.
static constexpr int64_t kResultRegisters = 24;
/// Largest buffer for packed rows of the left operand, in bytes.
static constexpr int64_t kPackedRowsBytes = 96 * 1024;
/// More than one vector of columns is packed together up to this many bytes.
static constexpr int64_t kPackedColumnsBytes = 32 * 1024;

/// Cycles per multiply-add: one per instruction and register that it uses, with
/// a half-filled register counted as half of one.
static double costAlongRows(const Blocking &blocking, int64_t registerLanes) {
  double part = double(blocking.lanes) / registerLanes;
  double rows = blocking.rows, vectors = blocking.vectors;
  return (rows + vectors * part + rows * vectors * part) /
         (rows * vectors * blocking.lanes);
}

static double costAlongColumns(const Blocking &blocking, int64_t registerLanes,
                               unsigned stridedLanes) {
  double registers = double(blocking.lanes) / registerLanes;
  double load = std::max(registers, double(blocking.lanes) / stridedLanes);
  double blocks = llvm::divideCeil(blocking.packed, blocking.vectors);
  double columns = blocking.packed / blocks;
  // The load's address is an instruction of its own.
  return (1 + load + columns + columns * registers) /
         (columns * blocking.lanes);
}

std::optional<Blocking> spine::blockAlongColumns(const VectorTarget &target,
                                                 const Blocking &other,
                                                 Type accumulator) {
  if (!target.stridedLanes || target.vectorRegisters < 32)
    return std::nullopt;
  int64_t registerLanes = target.lanesOf(accumulator);
  int64_t bytes = accumulator.getIntOrFloatBitWidth() / 8;
  double best = costAlongRows(other, registerLanes);
  std::optional<Blocking> found;
  auto consider = [&](int64_t registers, int64_t packed) {
    Blocking blocking = other;
    blocking.alongColumns = true;
    blocking.rows = blocking.lanes = registers * registerLanes;
    blocking.packed = packed;
    // As few blocks as the registers allow, of nearly the same width.
    int64_t blocks = llvm::divideCeil(packed, kResultRegisters / registers);
    blocking.vectors = llvm::divideCeil(packed, blocks);
    blocking.narrowBlocks = blocks * blocking.vectors - packed;
    if (blocking.lanes < 2 || other.m % blocking.rows || other.n % packed ||
        blocking.rows * blocking.k * bytes > kPackedRowsBytes)
      return;
    double cost =
        costAlongColumns(blocking, registerLanes, target.stridedLanes);
    if (cost < best) {
      best = cost;
      found = blocking;
    }
  };
  int64_t most = llvm::bit_floor<uint64_t>(other.n);
  for (int64_t registers : {1, 2, 4}) {
    // Whole vectors of columns are packed.
    consider(registers, std::min(registerLanes, most));
    if (2 * registerLanes * other.k * bytes <= kPackedColumnsBytes)
      consider(registers, std::min(2 * registerLanes, most));
  }
  return found;
}

/// LLVM would like to begin many loads early, and has no registers for them. A
/// fence for this thread alone is no instruction but keeps loads behind it.
static void keepLoadsInOrder(OpBuilder &b, Location loc) {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst, "singlethread");
}

/// sums[j] += lhs[:, k] * rhs[k, j] for k in [0, reduction).
SmallVector<Value> Lowering::multiplyAlongColumns(const RowPanel &lhs,
                                                  const Buffer &rhs,
                                                  ArrayRef<Value> sums,
                                                  Value reduction,
                                                  Location loc) {
  Type element = rhs.elementType;
  int64_t lanes = cast<VectorType>(sums[0].getType()).getDimSize(0);
  int64_t pitch = rhs.shape[1];
  auto vector = VectorType::get({lanes}, element);
  Value none = zeroOf(vector, loc);
  auto step = [&](Value first, int64_t u, SmallVectorImpl<Value> &state) {
    Value k = addI(first, constant(u, loc), loc);
    Value address =
        elementAddress(lhs.address, mulI(k, lhs.step, loc), element, loc);
    Value left = loadStrided(address, lhs.rowStride, {}, none, loc);
    Value row = elementAddress(rhs.pointer, mulI(k, constant(pitch, loc), loc),
                               element, loc);
    for (auto [j, sum] : llvm::enumerate(state)) {
      Value scalar = load(
          element, elementAddress(row, constant(j, loc), element, loc), loc);
      scalar = extendFloat(b, loc, scalar, getElementTypeOrSelf(sum));
      sum = multiplyAdd(b, loc, left, broadcast(scalar, lanes, loc), sum);
    }
    keepLoadsInOrder(b, loc);
  };
  return reduceUnrolled(reduction, rhs.shape[0], /*unroll=*/{8}, sums, step,
                        /*beforeGroup=*/nullptr, loc);
}
