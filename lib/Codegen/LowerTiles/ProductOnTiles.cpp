//===- ProductOnTiles.cpp - products of bf16 on AMX's tiles ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// AMX has registers of 16 rows of 64 bytes, and an instruction that adds the
// product of a tile of 16 x 32 bf16 and one of 32 x 16 to a tile of 16 x 16
// sums in fp32. Both operands are packed for it: rows of the left one are
// filled up with zeros to whole steps of 32 elements, and so are columns of the
// right one, in which the elements of two rows alternate.
//
// An instruction sums the even and the odd elements of a step, each from zero,
// with fused multiply-adds in their order, and then adds both to the sum. So
// what becomes of an element depends on the steps that the reduced dimension is
// cut into. Each product of tiles begins with a step of its own: how many are
// taken together, and how large tiles are in the other dimensions, changes
// nothing. For the same reason all products of bf16 go this way, small ones
// too: the instructions treat denormal numbers as zero, others do not.
//
// The sums of a block stay in tiles until they are stored in a buffer, or go
// through a buffer of their own to become vectors. All tiles have the full
// size, since a function has only one shape for each of the eight registers:
// what a smaller block has too much holds anything and is not looked at.
//
// Products of fp16 go this way in parts, for which ProductInParts.cpp packs
// pairs: four bytes for an element, so that a step has 16 of them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::spine;

static constexpr int64_t kSumBytes = 4;
static constexpr int64_t kTileColumns = 16;
/// Of all tiles, whatever they hold.
static constexpr int64_t kRowBytes = 64;
/// Of two bf16.
static constexpr int64_t kPairBytes = 4;

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// Elements of the reduction per instruction: those in a row of a left tile.
static int64_t stepOf(Type packed) { return kRowBytes / bytesOf(packed); }
static int64_t stepOf(const Blocking &blocking) {
  return kRowBytes / (blocking.inParts ? kPairBytes : kPairBytes / 2);
}

int64_t Lowering::wholeSteps(const Blocking &blocking, int64_t depth) const {
  return blocking.onTiles ? llvm::alignTo(depth, stepOf(blocking)) : depth;
}

Value Lowering::roundUp(Value number, int64_t powerOfTwo, Location loc) {
  return arith::AndIOp::create(b, loc,
                               addI(number, constant(powerOfTwo - 1, loc), loc),
                               constant(-powerOfTwo, loc));
}

Value Lowering::wholeSteps(const Blocking &blocking, Value reduction,
                           Location loc) {
  return blocking.onTiles ? roundUp(reduction, stepOf(blocking), loc)
                          : reduction;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A buffer for packed rows, with room behind it where tiles reach further than
/// a small block.
Buffer Lowering::makePacked(ArrayRef<int64_t> shape, int64_t rowsBehind,
                            const Blocking &blocking, Type element,
                            Location loc, StringRef name) {
  SmallVector<int64_t> padded(shape);
  if (blocking.onTiles)
    padded[0] += rowsBehind;
  Buffer buffer = makeTemporary(blocking.product, padded, element, loc, name);
  buffer.shape = llvm::to_vector(shape);
  buffer.inParts = blocking.inParts;
  return buffer;
}

Buffer Lowering::makePackedLeft(int64_t rows, int64_t depth,
                                const Blocking &blocking, Type element,
                                Location loc, StringRef name) {
  return makePacked({rows, depth}, kTileRows - blocking.rows, blocking, element,
                    loc, name);
}

Buffer Lowering::makePackedRight(int64_t rows, int64_t columns,
                                 const Blocking &blocking, Type element,
                                 Location loc) {
  int64_t width = blocking.inParts ? 2 * columns : columns;
  int64_t behind = llvm::divideCeil(
      kPairBytes / bytesOf(element) * (kTileColumns - blocking.lanes), width);
  Buffer panel =
      makePacked({rows, width}, behind, blocking, element, loc, "dot.rhs");
  panel.pitch = width;
  panel.shape[1] = columns;
  return panel;
}

/// The tile's memory if it has contiguous rows of what tiles are made for.
const BlockAccess *Lowering::contiguousRows(Value lhs) {
  auto load = lhs.getDefiningOp<triton::LoadOp>();
  auto it = load ? accesses.find(load) : accesses.end();
  if (it == accesses.end() || buffers.count(lhs) ||
      it->second.elementType != getElementTypeOrSelf(lhs.getType()) ||
      !isConstantValue(it->second.strides.back(), 1))
    return nullptr;
  return &it->second;
}

/// The mask of the first `count` lanes, which are not all. It is made from an
/// integer, since LLVM would compare vectors again in each row.
static Value firstLanes(OpBuilder &b, Value count, int64_t lanes,
                        Location loc) {
  Type bits = b.getIntegerType(lanes);
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, 1));
  Value next = arith::ShLIOp::create(
      b, loc, one, arith::TruncIOp::create(b, loc, bits, count));
  return LLVM::BitcastOp::create(b, loc,
                                 VectorType::get({lanes}, b.getI1Type()),
                                 arith::SubIOp::create(b, loc, next, one));
}

/// Packs rows of a left operand, with zeros behind the reduction's end. With
/// `ahead`, every other of the rows that come so many later is fetched.
void Lowering::packSteps(Value lhs, Buffer panel, Value batch, Value firstRow,
                         Value rows, Value reduction, Value ahead,
                         Location loc) {
  panel.pitch = panel.strideOf(0);
  int64_t step = stepOf(panel.elementType);
  Value filled = arith::AndIOp::create(b, loc, reduction, constant(-step, loc));
  Value isPartial = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          filled, reduction);
  Value zeros = zeroOf(VectorType::get({step}, panel.elementType), loc);
  Value zero = constant(0, loc), one = constant(1, loc);
  Value end = rows ? rows : constant(panel.shape[0], loc);
  // First the last step is cleared, then its elements are written.
  auto pack = [&] {
    doIf(isPartial, loc, [&] {
      buildLoop(loc, zero, end, 1, [&](Value row) {
        store(zeros, bufferAddress(panel, {row, filled}, loc), loc);
      });
    });
    Buffer part = panel;
    part.shape[1] = cast<RankedTensorType>(lhs.getType()).getShape().back();
    packOperand(lhs, part, batch, firstRow, zero, rows, reduction, loc);
    if (panel.inParts)
      pairRows(panel, end, reduction, loc);
  };
  const BlockAccess *access = isCold ? nullptr : contiguousRows(lhs);
  if (!access)
    return pack();

  Point first{batch ? SmallVector<Value>{batch, firstRow, zero}
                    : SmallVector<Value>{firstRow, zero}};
  Value source = addressOf(*access, first, loc);
  Value pitch = access->strides[first.index.size() - 2];
  Value active = firstLanes(b, subI(reduction, filled, loc), step, loc);
  Value none = zeroOf(VectorType::get({step}, access->elementType), loc);
  auto put = [&](Value vector, Value row, Value k) {
    if (panel.inParts)
      vector = pairOfParts(castElements(vector, b.getF32Type(), loc), loc);
    store(vector, bufferAddress(panel, {row, k}, loc), loc);
  };
  auto copy = [&] {
    buildLoop(loc, zero, end, 1, [&](Value row) {
      Value from = elementAddress(source, mulI(row, pitch, loc),
                                  access->elementType, loc);
      auto part = [&](Value k) {
        return elementAddress(from, k, access->elementType, loc);
      };
      Value next;
      if (ahead)
        next = elementAddress(from, mulI(evenRow(row, ahead, loc), pitch, loc),
                              access->elementType, loc);
      buildLoop(loc, zero, filled, step, [&](Value k) {
        if (ahead)
          fetch(elementAddress(next, k, access->elementType, loc), loc);
        put(load(none.getType(), part(k), loc), row, k);
      });
      doIf(isPartial, loc, [&] {
        put(maskedLoad(part(filled), active, none, loc), row, filled);
      });
    });
  };
  SmallVector<Value> size(first.index.size(), one);
  size[size.size() - 2] = end;
  size.back() = reduction;
  Value inside = insideOf(*access, first.index, size, loc);
  if (!inside)
    return copy();
  doIf(likely(inside, loc), loc, copy, [&] {
    llvm::SaveAndRestore<bool> cold(isCold, true);
    pack();
  });
}

/// Fills packed rows of a right operand up to whole steps, and makes them what
/// tiles take.
void Lowering::finishRight(const Buffer &panel, Value reduction, Location loc) {
  auto vector = VectorType::get({panel.shape[1]}, panel.elementType);
  Value end = roundUp(reduction, stepOf(panel.elementType), loc);
  buildLoop(loc, reduction, end, 1, [&](Value row) {
    store(zeroOf(vector, loc),
          bufferAddress(panel, {row, constant(0, loc)}, loc), loc);
  });
  panel.inParts ? doubleParts(panel, end, loc) : joinPairs(panel, end, loc);
}

/// Joins each two rows to one of pairs, which has the same place.
void Lowering::joinPairs(const Buffer &panel, Value end, Location loc) {
  int64_t columns = panel.shape[1];
  auto vector = VectorType::get({columns}, panel.elementType);
  auto address = [&](Value row) {
    return bufferAddress(panel, {row, constant(0, loc)}, loc);
  };
  SmallVector<int64_t> alternating;
  for (int64_t column = 0; column < columns; ++column)
    alternating.append({column, columns + column});
  buildLoop(loc, constant(0, loc), end, 2, [&](Value row) {
    Value even = load(vector, address(row), loc);
    Value odd = load(vector, address(addI(row, constant(1, loc), loc)), loc);
    store(vector::ShuffleOp::create(b, loc, even, odd, alternating),
          address(row), loc);
  });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

/// Makes instructions for tiles. LLVM chooses their registers and configures
/// the shapes.
class TileBuilder {
public:
  TileBuilder(OpBuilder &b, Location loc)
      : b(b), loc(loc), type(LLVM::LLVMX86AMXType::get(b.getContext())),
        rows(number(kTileRows)), bytes(number(kRowBytes)) {}

  Value zero() { return make("llvm.x86.tilezero.internal", {rows, bytes}); }
  Value load(Value address, Value pitch) {
    return make("llvm.x86.tileloadd64.internal", {rows, bytes, address, pitch});
  }
  void store(Value tile, Value address, Value pitch) {
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.tilestored64.internal"),
        ValueRange{rows, bytes, address, pitch, tile});
  }
  Value multiplyAdd(Value sums, Value left, Value right) {
    return make("llvm.x86.tdpbf16ps.internal",
                {rows, bytes, bytes, sums, left, right});
  }

private:
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(value));
  }
  Value make(StringRef name, ValueRange arguments) {
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                         arguments)
        .getResult(0);
  }

  OpBuilder &b;
  Location loc;
  Type type;
  Value rows, bytes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static bool fillsTiles(const Blocking &blocking) {
  return blocking.rows == kTileRows && blocking.lanes == kTileColumns;
}

static Blocking ofVectors(Blocking blocking) {
  blocking.onTiles = false;
  return blocking;
}

/// The tiles of a block from address `first` on, side by side.
SmallVector<Value> Lowering::addressesOfTiles(Value first,
                                              const Blocking &blocking,
                                              Location loc) {
  SmallVector<Value> addresses;
  for (int64_t j = 0; j < blocking.vectors; ++j)
    addresses.push_back(elementAddress(first, constant(j * kTileColumns, loc),
                                       b.getF32Type(), loc));
  return addresses;
}

SmallVector<Value> Lowering::zeroTiles(const Blocking &blocking, Location loc) {
  TileBuilder tiles(b, loc);
  SmallVector<Value> zeros;
  for (int64_t j = 0; j < blocking.vectors; ++j)
    zeros.push_back(tiles.zero());
  return zeros;
}

SmallVector<Value> Lowering::loadTiles(const Buffer &from, Value first,
                                       const Blocking &blocking, Location loc) {
  if (!fillsTiles(blocking))
    return fromVectors(
        loadResults(from, first, ofVectors(blocking), Value(), loc), blocking,
        loc);
  TileBuilder tiles(b, loc);
  Value pitch = constant(from.strideOf(from.shape.size() - 2) * kSumBytes, loc);
  return llvm::map_to_vector(
      addressesOfTiles(first, blocking, loc),
      [&](Value address) { return tiles.load(address, pitch); });
}

void Lowering::storeTiles(const Buffer &to, Value first,
                          const Blocking &blocking, ArrayRef<Value> sums,
                          Location loc) {
  if (!fillsTiles(blocking))
    return storeResults(to, first, ofVectors(blocking),
                        toVectors(sums, blocking, loc), loc);
  TileBuilder tiles(b, loc);
  Value pitch = constant(to.strideOf(to.shape.size() - 2) * kSumBytes, loc);
  for (auto [address, sum] :
       llvm::zip_equal(addressesOfTiles(first, blocking, loc), sums))
    tiles.store(sum, address, pitch);
}

/// Room for the sums of a block, and the addresses of its vectors there.
Lowering::TileBuffer Lowering::makeTileBuffer(const Blocking &blocking,
                                              Location loc) {
  int64_t columns = blocking.vectors * kTileColumns;
  Buffer buffer = makeTemporary(blocking.product, {kTileRows, columns},
                                b.getF32Type(), loc, "dot.sums");
  TileBuffer made{addressesOfTiles(buffer.pointer, blocking, loc),
                  constant(columns * kSumBytes, loc),
                  {}};
  for (int64_t i = 0; i < blocking.rows; ++i)
    for (int64_t j = 0; j < blocking.vectors; ++j)
      made.vectors.push_back(bufferAddress(
          buffer, {constant(i, loc), constant(j * kTileColumns, loc)}, loc));
  return made;
}

/// Vectors of a block of sums as what the blocking adds to.
SmallVector<Value> Lowering::fromVectors(ArrayRef<Value> vectors,
                                         const Blocking &blocking,
                                         Location loc) {
  if (!blocking.onTiles)
    return SmallVector<Value>(vectors);
  TileBuffer buffer = makeTileBuffer(blocking, loc);
  for (auto [vector, address] : llvm::zip_equal(vectors, buffer.vectors))
    store(vector, address, loc);
  TileBuilder tiles(b, loc);
  return llvm::map_to_vector(buffer.tiles, [&](Value address) {
    return tiles.load(address, buffer.pitch);
  });
}

/// The other way around.
SmallVector<Value> Lowering::toVectors(ArrayRef<Value> sums,
                                       const Blocking &blocking, Location loc) {
  if (!blocking.onTiles)
    return SmallVector<Value>(sums);
  TileBuffer buffer = makeTileBuffer(blocking, loc);
  TileBuilder tiles(b, loc);
  for (auto [sum, address] : llvm::zip_equal(sums, buffer.tiles))
    tiles.store(sum, address, buffer.pitch);
  auto vector = VectorType::get({blocking.lanes}, b.getF32Type());
  return llvm::map_to_vector(buffer.vectors, [&](Value address) {
    return load(vector, address, loc);
  });
}

/// sums[j] += lhs[:, k] * rhs[k, j] for k in [0, reduction), by whole steps.
SmallVector<Value> Lowering::multiplyOnTiles(const RowPanel &lhs,
                                             const Buffer &rhs,
                                             ArrayRef<Value> sums,
                                             const Blocking &blocking,
                                             Value reduction, Location loc) {
  TileBuilder tiles(b, loc);
  Value zero = constant(0, loc);
  Type element = rhs.elementType;
  int64_t unroll = stepOf(element), inPair = kPairBytes / bytesOf(element);
  Value leftPitch = mulI(lhs.rowStride, constant(bytesOf(element), loc), loc);
  Value rightPitch = constant(rhs.strideOf(0) * kPairBytes, loc);
  auto step = [&](OpBuilder &, Location, Value k, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    if (lhs.nextType)
      prefetchNext(lhs, rhs.inParts ? blocking.rows / 2 : blocking.rows, k,
                   unroll, loc);
    Value left =
        tiles.load(elementAddress(lhs.address, k, element, loc), leftPitch);
    SmallVector<Value> next(carried);
    auto addPart = [&](int64_t first) {
      Value row = bufferAddress(rhs, {k, constant(first, loc)}, loc);
      for (auto [j, sum] : llvm::enumerate(next)) {
        Value column = elementAddress(
            row, constant(inPair * j * blocking.lanes, loc), element, loc);
        sum = tiles.multiplyAdd(sum, left, tiles.load(column, rightPitch));
      }
    };
    addPart(0);
    if (rhs.inParts)
      addPart(rhs.shape[1]);
    scf::YieldOp::create(b, loc, next);
  };
  auto loop = scf::ForOp::create(b, loc, zero, reduction, constant(unroll, loc),
                                 sums, step);
  return SmallVector<Value>(loop.getResults());
}
