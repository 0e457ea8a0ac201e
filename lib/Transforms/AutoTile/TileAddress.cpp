//===- TileAddress.cpp - addresses as sums of indices ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "TileAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "spine-triton/Analysis/TensorPointer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static RankedTensorType getTileOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// The same numbers in another arrangement of the indices.
std::optional<IndexSum> TileAddresses::getView(Operation *op,
                                               const IndexSum &source) {
  IndexSum result{source.offset, {}, source.bits};
  RankedTensorType from = getTileOf(op->getOperand(0));
  RankedTensorType to = getTileOf(op->getResult(0));
  if (auto expand = dyn_cast<triton::ExpandDimsOp>(op)) {
    result.strides = source.strides;
    result.strides.insert(result.strides.begin() + expand.getAxis(),
                          Polynomial());
    return result;
  }
  if (auto trans = dyn_cast<triton::TransOp>(op)) {
    for (int32_t dim : trans.getOrder())
      result.strides.push_back(source.strides[dim]);
    return result;
  }
  if (isa<triton::BroadcastOp>(op)) {
    for (auto [dim, stride] : llvm::enumerate(source.strides))
      result.strides.push_back(from.getDimSize(dim) == 1 ? Polynomial()
                                                         : stride);
    return result;
  }
  // A reshape: of one dimension into several, or with others of size one only.
  auto reshape = cast<triton::ReshapeOp>(op);
  auto isWide = [](int64_t size) { return size != 1; };
  if (reshape.getAllowReorder() || llvm::count_if(from.getShape(), isWide) > 1)
    return std::nullopt;
  Polynomial stride;
  for (auto [dim, size] : llvm::enumerate(from.getShape()))
    if (size != 1)
      stride = source.strides[dim];
  int64_t after = 1;
  for (int64_t size : llvm::reverse(to.getShape())) {
    result.strides.insert(result.strides.begin(), stride * Polynomial(after));
    after *= size;
  }
  return result;
}

std::optional<IndexSum> TileAddresses::getArithmetic(Operation *op,
                                                     bool exact) {
  auto a = getTile(op->getOperand(0), exact);
  if (!a)
    return std::nullopt;
  unsigned width = getBits(op->getResult(0));
  // In a sum of different widths the narrower one may have wrapped around.
  auto isMixed = [&](const IndexSum &sum) {
    return exact && sum.bits < std::min(width, 64U);
  };
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return a;
  if (isa<arith::ExtUIOp, arith::TruncIOp>(op)) {
    if (exact)
      return std::nullopt;
    a->bits = std::min({a->bits, width, getBits(op->getOperand(0))});
    return a;
  }
  if (isMixed(*a))
    return std::nullopt;
  if (auto shl = dyn_cast<arith::ShLIOp>(op))
    return shift(shl, *a);
  auto b = getTile(op->getOperand(1), exact);
  if (!b || isMixed(*b))
    return std::nullopt;
  return combine(op, *a, *b);
}

std::optional<IndexSum> TileAddresses::getTile(Value tile, bool exact) {
  unsigned rank = getTileOf(tile).getRank();
  IndexSum none{{}, SmallVector<Polynomial>(rank), 64};
  if (auto number = getNumber(tile)) {
    none.offset = *number;
    return none;
  }
  Operation *op = tile.getDefiningOp();
  if (auto range = dyn_cast_or_null<triton::MakeRangeOp>(op)) {
    none.offset = static_cast<int64_t>(range.getStart());
    none.strides[0] = Polynomial(1);
    return none;
  }
  if (auto splat = dyn_cast_or_null<triton::SplatOp>(op)) {
    IndexSum scalar = exact ? IndexSum{scalars.getExact(splat.getSrc()), {}, 64}
                            : scalars.getModular(splat.getSrc());
    scalar.strides = none.strides;
    return scalar;
  }
  std::optional<IndexSum> result;
  if (isa_and_nonnull<triton::ExpandDimsOp, triton::BroadcastOp,
                      triton::TransOp, triton::ReshapeOp>(op)) {
    if (auto source = getTile(op->getOperand(0), exact))
      result = getView(op, *source);
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                             arith::ShLIOp, arith::ExtSIOp, arith::ExtUIOp,
                             arith::TruncIOp, arith::IndexCastOp>(op)) {
    result = getArithmetic(op, exact);
  }
  if (!result && !culprit)
    culprit = op ? op : tile.getParentBlock()->getParentOp();
  return result;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static unsigned getElementBits(Value pointer) {
  auto type =
      cast<triton::PointerType>(getElementTypeOrSelf(pointer.getType()));
  Type element = type.getPointeeType();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

std::optional<TileAddress> TileAddresses::getPointer(Value pointer) {
  RankedTensorType tile = getTileOf(pointer);
  Operation *op = pointer.getDefiningOp();
  if (isa_and_nonnull<triton::BitcastOp>(op) &&
      getElementBits(pointer) == getElementBits(op->getOperand(0)))
    return getPointer(op->getOperand(0));
  if (auto add = dyn_cast_or_null<triton::AddPtrOp>(op)) {
    auto result = getPointer(add.getPtr());
    std::optional<IndexSum> offset = tile ? getTile(add.getOffset(), false)
                                          : scalars.getModular(add.getOffset());
    if (!result || !offset)
      return std::nullopt;
    result->sum.bits = std::min(result->sum.bits, offset->bits);
    result->sum.offset = result->sum.offset + offset->offset;
    for (auto [sum, stride] : llvm::zip(result->sum.strides, offset->strides))
      sum = sum + stride;
    return result;
  }
  if (!tile)
    return TileAddress{pointer, {}, {}};
  if (auto splat = dyn_cast_or_null<triton::SplatOp>(op)) {
    auto result = getPointer(splat.getSrc());
    if (result)
      result->sum.strides.assign(tile.getRank(), Polynomial());
    return result;
  }
  if (isa_and_nonnull<triton::ExpandDimsOp, triton::BroadcastOp,
                      triton::TransOp, triton::ReshapeOp>(op)) {
    auto result = getPointer(op->getOperand(0));
    auto view = result ? getView(op, result->sum) : std::nullopt;
    if (view) {
      result->sum = *view;
      return result;
    }
  }
  if (!culprit)
    culprit = op ? op : pointer.getParentBlock()->getParentOp();
  return std::nullopt;
}

void TileAddresses::findBlockPointer(Value pointer, ArrayRef<int32_t> checked,
                                     std::optional<TileAddress> &result) {
  auto maker = pointer.getDefiningOp<triton::MakeTensorPtrOp>();
  if (!maker) {
    culprit = pointer.getDefiningOp() ? pointer.getDefiningOp()
                                      : pointer.getParentBlock()->getParentOp();
    return;
  }
  result = getPointer(maker.getBase());
  if (!result)
    return;
  unsigned rank = getPointedTile(pointer.getType()).getRank();
  result->bounds.resize(rank);
  for (unsigned dim : llvm::seq(rank)) {
    IndexSum stride = scalars.getModular(maker.getStrides()[dim]);
    IndexSum offset = scalars.getModular(maker.getOffsets()[dim]);
    result->sum.strides.push_back(stride.offset);
    result->sum.offset = result->sum.offset + offset.offset * stride.offset;
    result->sum.bits = std::min({result->sum.bits, stride.bits, offset.bits});
    if (llvm::is_contained(checked, static_cast<int32_t>(dim)))
      result->bounds[dim].push_back({scalars.getExact(maker.getOffsets()[dim]),
                                     scalars.getExact(maker.getShape()[dim]),
                                     64});
  }
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// i < n, i <= n and the same the other way round, where only one index is in
/// i - n, and grows with it.
void TileAddresses::findBound(Operation *op, ArrayRef<int64_t> dims,
                              TileAddress &address) {
  using Predicate = arith::CmpIPredicate;
  auto compare = cast<arith::CmpIOp>(op);
  Value left = compare.getLhs(), right = compare.getRhs();
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge) {
    std::swap(left, right);
    predicate = predicate == Predicate::sgt ? Predicate::slt : Predicate::sle;
  }
  if (predicate != Predicate::slt && predicate != Predicate::sle)
    return;
  auto a = getTile(left, true), b = a ? getTile(right, true) : std::nullopt;
  if (!b || llvm::any_of(b->strides, [](const Polynomial &stride) {
        return stride != Polynomial();
      }))
    return;
  std::optional<unsigned> found;
  for (auto [dim, stride] : llvm::enumerate(a->strides)) {
    if (stride == Polynomial())
      continue;
    if (found || stride != Polynomial(1))
      return;
    found = dim;
  }
  if (!found || dims[*found] < 0)
    return;
  Polynomial limit = b->offset;
  if (predicate == Predicate::sle)
    limit = limit + Polynomial(1);
  unsigned bits = std::min({a->bits, b->bits, getBits(left)});
  address.bounds[dims[*found]].push_back({a->offset, limit, bits});
}

/// `dims` says for each dimension of the mask which one of the tile it is; -1
/// for none.
void TileAddresses::findBounds(Value mask, ArrayRef<int64_t> dims,
                               TileAddress &address) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return;
  SmallVector<int64_t> inner;
  TypeSwitch<Operation *>(op)
      .Case([&](arith::AndIOp op) {
        findBounds(op.getLhs(), dims, address);
        findBounds(op.getRhs(), dims, address);
      })
      .Case([&](arith::CmpIOp op) { findBound(op, dims, address); })
      .Case([&](triton::ExpandDimsOp op) {
        inner.assign(dims.begin(), dims.end());
        inner.erase(inner.begin() + op.getAxis());
        findBounds(op.getSrc(), inner, address);
      })
      .Case([&](triton::BroadcastOp op) {
        for (auto [dim, size] :
             llvm::enumerate(op.getSrc().getType().getShape()))
          inner.push_back(size == 1 ? -1 : dims[dim]);
        findBounds(op.getSrc(), inner, address);
      })
      .Case([&](triton::TransOp op) {
        inner.resize(dims.size());
        for (auto [dim, from] : llvm::enumerate(op.getOrder()))
          inner[from] = dims[dim];
        findBounds(op.getSrc(), inner, address);
      })
      .Default([](Operation *) {});
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<TileAddress> TileAddresses::compute(Operation *access) {
  auto load = dyn_cast<triton::LoadOp>(access);
  auto store = dyn_cast<triton::StoreOp>(access);
  if (!load && !store)
    return std::nullopt;
  Value pointer = access->getOperand(0);
  std::optional<TileAddress> result;
  if (getPointedTile(pointer.getType())) {
    findBlockPointer(pointer,
                     load ? load.getBoundaryCheck() : store.getBoundaryCheck(),
                     result);
    return result;
  }
  result = getPointer(pointer);
  if (!result)
    return result;
  result->bounds.resize(result->sum.strides.size());
  Value mask = load ? load.getMask() : store.getMask();
  if (!mask || !isa<RankedTensorType>(mask.getType()))
    return result;
  Operation *known = culprit;
  findBounds(mask, llvm::to_vector(llvm::seq<int64_t>(result->bounds.size())),
             *result);
  culprit = known; // a mask that is not understood is no harm
  return result;
}

const TileAddresses::Result &TileAddresses::get(Operation *access) {
  auto it = results.find(access);
  if (it != results.end())
    return it->second;
  culprit = nullptr;
  auto address = compute(access);
  auto isValid = [](const Polynomial &polynomial) {
    return polynomial.isValid();
  };
  if (address && (!address->sum.offset.isValid() ||
                  !llvm::all_of(address->sum.strides, isValid)))
    address.reset();
  return results[access] = {std::move(address), culprit};
}
