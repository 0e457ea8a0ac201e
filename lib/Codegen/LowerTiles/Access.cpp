//===- Access.cpp - loads, stores and atomics -----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

/// The type that memory holds for a Triton element type.
static Type memoryType(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isInteger(1))
    return IntegerType::get(context, 8);
  if (isa<triton::PointerType>(type))
    return IntegerType::get(context, 64);
  return type;
}

//===----------------------------------------------------------------------===//
// Addresses and masks
//===----------------------------------------------------------------------===//

/// The valid coordinates are clamped into the tile, without a step that could
/// overflow whatever the offset and the extent are:
///   low  = -clamp(offset, -tile, 0)
///   high = low + clamp(max(extent, 0) - max(offset, 0), 0, tile - low)
BlockAccess Lowering::accessOf(const BlockPointer &pointer,
                               ArrayRef<int32_t> checked, Location loc) {
  BlockAccess access;
  access.tile = pointer.tile;
  access.elementType = memoryType(pointer.elementType);
  access.strides = pointer.strides;
  unsigned rank = pointer.tile.size();
  access.low.resize(rank);
  access.high.resize(rank);
  Value zero = constant(0, loc), linear = zero;
  for (unsigned d = 0; d < rank; ++d) {
    Value offset = pointer.offsets[d];
    linear = addI(linear, mulI(offset, pointer.strides[d], loc), loc);
    if (!llvm::is_contained(checked, static_cast<int32_t>(d)))
      continue;
    int64_t tile = pointer.tile[d];
    Value size = constant(tile, loc);
    Value before = maxI(minI(offset, zero, loc), constant(-tile, loc), loc);
    Value low = subI(zero, before, loc);
    Value left = maxI(pointer.shape[d], zero, loc);
    if (!isConstantValue(offset, 0))
      left = maxI(subI(left, maxI(offset, zero, loc), loc), zero, loc);
    Value room = subI(size, low, loc);
    access.low[d] = low;
    access.high[d] = addI(low, minI(left, room, loc), loc);
  }
  access.origin = elementAddress(pointer.base, linear, access.elementType, loc);
  return access;
}

Value Lowering::addressOf(const BlockAccess &access, const Point &point,
                          Location loc) {
  Value linear = constant(0, loc);
  for (auto [i, stride] : llvm::zip(point.index, access.strides))
    linear = addI(linear, mulI(i, stride, loc), loc);
  return elementAddress(access.origin, linear, access.elementType, loc);
}

Value Lowering::insideOf(const BlockAccess &access, ArrayRef<Value> first,
                         ArrayRef<Value> size, Location loc) {
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value l, Value r) {
    inside = andI(inside, arith::CmpIOp::create(b, loc, predicate, l, r), loc);
  };
  for (auto [d, from] : llvm::enumerate(first)) {
    if (!access.high[d])
      continue;
    if (!isConstantValue(access.low[d], 0))
      require(arith::CmpIPredicate::sge, from, access.low[d]);
    require(arith::CmpIPredicate::sle, addI(from, size[d], loc),
            access.high[d]);
  }
  return inside;
}

void Lowering::collectAccesses(Value tile,
                               SmallVectorImpl<BlockAccess> &found) {
  DenseSet<Value> seen;
  SmallVector<Value> work{tile};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || buffers.count(value) || !seen.insert(value).second)
      continue;
    if (auto it = accesses.find(op); it != accesses.end())
      found.push_back(it->second);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
}

Value Lowering::allInside(ArrayRef<BlockAccess> accesses, Location loc) {
  Value inside;
  for (const BlockAccess &access : accesses) {
    SmallVector<Value> first(access.tile.size(), constant(0, loc)), size;
    for (int64_t width : access.tile)
      size.push_back(constant(width, loc));
    if (Value own = insideOf(access, first, size, loc))
      inside = andI(inside, own, loc);
  }
  return inside;
}

void Lowering::buildVersions(Value inside, Location loc,
                             function_ref<void()> body) {
  if (!inside || isCold)
    return body();
  auto unchecked = [&] {
    llvm::SaveAndRestore<bool> scope(isUnchecked, true);
    body();
  };
  auto checked = [&] {
    llvm::SaveAndRestore<bool> scope(isCold, true);
    body();
  };
  doIf(likely(inside, loc), loc, unchecked, checked);
}

Value Lowering::insideOtherDims(const BlockAccess &access, const Point &point,
                                Location loc) {
  if (isUnchecked)
    return {};
  Value inside;
  for (auto [d, i] : llvm::enumerate(point.index)) {
    if (static_cast<int>(d) == point.dim || !access.high[d])
      continue;
    if (!isConstantValue(access.low[d], 0))
      inside = andI(inside,
                    arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, i,
                                          access.low[d]),
                    loc);
    inside = andI(inside,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, i,
                                        access.high[d]),
                  loc);
  }
  return inside;
}

Value Lowering::allLanesInside(const BlockAccess &access, const Point &point,
                               Location loc) {
  Value low = access.low[point.dim], high = access.high[point.dim];
  if (!high || isUnchecked)
    return {};
  Value first = point.index[point.dim];
  Value last = addI(first, constant(point.lanes, loc), loc);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, last, high);
  if (isConstantValue(low, 0))
    return inside;
  return andI(
      inside,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, first, low),
      loc);
}

Value Lowering::compareLanes(const Point &point, arith::CmpIPredicate predicate,
                             Value bound, Location loc) {
  // Coordinates lie inside the tile, so 32 bits hold them.
  Type i32 = b.getI32Type();
  Value relative = arith::SubIOp::create(b, loc, bound, point.index[point.dim]);
  return arith::CmpIOp::create(
      b, loc, predicate, iota(point.lanes, i32, loc),
      broadcast(arith::TruncIOp::create(b, loc, i32, relative), point.lanes,
                loc));
}

ActiveLanes Lowering::activeLanes(const BlockAccess &access, const Point &point,
                                  Location loc) {
  Value low = access.low[point.dim], high = access.high[point.dim];
  ActiveLanes active;
  if (target.hasVectorLength()) {
    Value count = arith::SubIOp::create(b, loc, high, point.index[point.dim]);
    count = minI(maxI(count, constant(0, loc), loc), constant(point.lanes, loc),
                 loc);
    active.count = arith::TruncIOp::create(b, loc, b.getI32Type(), count);
  } else {
    active.mask = compareLanes(point, arith::CmpIPredicate::slt, high, loc);
  }
  if (!isConstantValue(low, 0))
    active.mask =
        andI(active.mask,
             compareLanes(point, arith::CmpIPredicate::sge, low, loc), loc);
  return active;
}

Value Lowering::laneAddresses(Value first, Value stride, Type elementType,
                              int64_t lanes, Location loc) {
  Value offsets = arith::MulIOp::create(
      b, loc, iota(lanes, b.getI64Type(), loc), broadcast(stride, lanes, loc));
  Type type = VectorType::get({lanes}, first.getType());
  return LLVM::GEPOp::create(b, loc, type, elementType, first,
                             ArrayRef<LLVM::GEPArg>{offsets});
}

Value Lowering::maskedLoad(Value address, Value mask, Value passThrough,
                           Location loc) {
  return LLVM::MaskedLoadOp::create(
      b, loc, passThrough.getType(), address, mask, passThrough,
      b.getI32IntegerAttr(byteWidth(passThrough.getType())), UnitAttr());
}

Value Lowering::gather(Value addresses, Value mask, Value passThrough,
                       Location loc) {
  return LLVM::masked_gather::create(
      b, loc, passThrough.getType(), addresses, mask, ValueRange{passThrough},
      b.getI32IntegerAttr(byteWidth(passThrough.getType())));
}

static Value toPointers(OpBuilder &b, Location loc, Value addresses) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (auto vector = dyn_cast<VectorType>(addresses.getType()))
    return LLVM::IntToPtrOp::create(b, loc, vector.clone(pointer), addresses);
  if (addresses.getType() == pointer)
    return addresses;
  return LLVM::IntToPtrOp::create(b, loc, pointer, addresses);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What a load yields outside of the tensor: zero or NaN.
static TypedAttr paddingOf(triton::LoadOp op, Type element) {
  Builder b(op.getContext());
  if (op.getPadding() == triton::PaddingOption::PAD_NAN)
    if (auto type = dyn_cast<FloatType>(element))
      return b.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics()));
  return b.getZeroAttr(element);
}

Value Lowering::emitLoad(triton::LoadOp op, const Point &point) {
  if (isa<RankedTensorType>(op.getPtr().getType()))
    return emitPointerLoad(op, point);
  return emitBlockLoad(op, point);
}

/// The type that vectors of `type` are moved in: LLVM cannot split accesses to
/// a number of 16-bit floats for a target without arithmetic on them.
static VectorType typeForMoves(const VectorTarget &target, VectorType type) {
  Type element = type.getElementType();
  if ((!element.isF16() && !element.isBF16()) || target.widens(element))
    return type;
  return type.clone(IntegerType::get(type.getContext(), 16));
}

static Value bitcast(OpBuilder &b, VectorType type, Value value, Location loc) {
  return value.getType() == type
             ? value
             : arith::BitcastOp::create(b, loc, type, value).getResult();
}

/// The mask and the number of lanes as instructions take them.
static std::pair<Value, Value> operandsOf(OpBuilder &b, VectorType type,
                                          const ActiveLanes &active, Value full,
                                          Location loc) {
  Value count = active.count;
  if (!count)
    count = LLVM::ConstantOp::create(
        b, loc, b.getI32Type(), b.getI32IntegerAttr(type.getNumElements()));
  return {active.mask ? active.mask : full, count};
}

Value Lowering::loadCounted(Value address, Value bytes,
                            const ActiveLanes &active, Value padding,
                            Location loc) {
  auto type = cast<VectorType>(padding.getType());
  VectorType moved = typeForMoves(target, type);
  auto [mask, count] =
      operandsOf(b, type, active, fullMask(type.getNumElements(), loc), loc);
  Value loaded =
      bytes ? LLVM::VPStridedLoadOp::create(b, loc, moved, address, bytes, mask,
                                            count)
                  .getResult()
            : LLVM::VPLoadOp::create(b, loc, moved, address, mask, count)
                  .getResult();
  if (active.mask || active.count)
    loaded = LLVM::VPMergeMinOp::create(b, loc, moved, mask, loaded,
                                        bitcast(b, moved, padding, loc), count);
  return bitcast(b, type, loaded, loc);
}

void Lowering::storeCounted(Value value, Value address, Value bytes,
                            const ActiveLanes &active, Location loc) {
  auto type = cast<VectorType>(value.getType());
  value = bitcast(b, typeForMoves(target, type), value, loc);
  auto [mask, count] =
      operandsOf(b, type, active, fullMask(type.getNumElements(), loc), loc);
  if (bytes)
    LLVM::VPStridedStoreOp::create(b, loc, value, address, bytes, mask, count);
  else
    LLVM::VPStoreOp::create(b, loc, value, address, mask, count);
}

Value Lowering::loadStrided(Value address, Value stride,
                            const ActiveLanes &active, Value padding,
                            Location loc) {
  auto type = cast<VectorType>(padding.getType());
  if (target.stridedLanes)
    return loadCounted(address,
                       mulI(stride, constant(byteWidth(type), loc), loc),
                       active, padding, loc);
  int64_t lanes = type.getNumElements();
  return gather(
      laneAddresses(address, stride, type.getElementType(), lanes, loc),
      active.mask ? active.mask : fullMask(lanes, loc), padding, loc);
}

void Lowering::storeStrided(Value value, Value address, Value stride,
                            const ActiveLanes &active, Location loc) {
  auto type = cast<VectorType>(value.getType());
  int64_t lanes = type.getNumElements();
  unsigned width = byteWidth(type);
  if (target.stridedLanes)
    return storeCounted(value, address, mulI(stride, constant(width, loc), loc),
                        active, loc);
  Value addresses =
      laneAddresses(address, stride, type.getElementType(), lanes, loc);
  LLVM::masked_scatter::create(b, loc, value, addresses,
                               active.mask ? active.mask : fullMask(lanes, loc),
                               b.getI32IntegerAttr(width));
}

Value Lowering::loadLanes(const BlockAccess &access, const Point &point,
                          Value address, const ActiveLanes &active,
                          Value padding, Location loc) {
  Value stride = access.strides[point.dim];
  Type inMemory = access.elementType;
  bool all = !active.mask && !active.count;
  if (isConstantValue(stride, 1)) {
    if (all)
      return load(padding.getType(), address, loc);
    return active.count ? loadCounted(address, Value(), active, padding, loc)
                        : maskedLoad(address, active.mask, padding, loc);
  }
  if (all && isConstantValue(stride, 0))
    return broadcast(load(inMemory, address, loc), point.lanes, loc);
  return loadStrided(address, stride, active, padding, loc);
}

/// Elements inside of the tensor come from memory, the others are padding and
/// are not touched. Vectors that are inside as a whole need no mask.
Value Lowering::emitBlockLoad(triton::LoadOp op, const Point &point) {
  Location loc = op.getLoc();
  const BlockAccess &access = accesses.find(op)->second;
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  Value padding = shaped(
      arith::ConstantOp::create(b, loc, paddingOf(op, access.elementType)),
      point, loc);
  Type type = padding.getType();
  Value address = addressOf(access, point, loc);
  auto pad = [&] { return padding; };
  auto read = [&]() -> Value {
    if (!point.isVector())
      return load(type, address, loc);
    return choose(
        allLanesInside(access, point, loc), type, loc,
        [&] { return loadLanes(access, point, address, {}, padding, loc); },
        [&] {
          return loadLanes(access, point, address,
                           activeLanes(access, point, loc), padding, loc);
        });
  };
  Value inside = insideOtherDims(access, point, loc);
  return fromMemory(choose(inside, type, loc, read, pad), element, loc);
}

/// Loads through a tile of pointers. Addresses that follow each other are read
/// as one vector; that is found at run time.
Value Lowering::emitPointerLoad(triton::LoadOp op, const Point &point) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getType());
  Type element = tile.getElementType(), inMemory = memoryType(element);
  Value addresses = shaped(emit(op.getPtr(), point), point, loc);
  Value mask = op.getMask() ? emit(op.getMask(), point) : Value();
  Value other;
  if (op.getOther())
    other = toMemory(emit(op.getOther(), point), loc);
  else
    other = zeroOf(inMemory, loc);
  other = shaped(other, point, loc);

  if (!point.isVector()) {
    Value pointer = toPointers(b, loc, addresses);
    return fromMemory(choose(
                          mask, inMemory, loc,
                          [&] { return load(inMemory, pointer, loc); },
                          [&] { return other; }),
                      element, loc);
  }
  mask = mask ? shaped(mask, point, loc) : fullMask(point.lanes, loc);
  Value loaded = choose(
      areContiguous(addresses, inMemory, loc), other.getType(), loc,
      [&] {
        Value first = vector::ExtractOp::create(b, loc, addresses, 0);
        return maskedLoad(toPointers(b, loc, first), mask, other, loc);
      },
      [&] { return gather(toPointers(b, loc, addresses), mask, other, loc); });
  return fromMemory(loaded, element, loc);
}

/// True if the addresses are those of neighbouring elements, in order.
Value Lowering::areContiguous(Value addresses, Type elementType, Location loc) {
  auto type = cast<VectorType>(addresses.getType());
  int64_t lanes = type.getDimSize(0);
  Value first = vector::ExtractOp::create(b, loc, addresses, 0);
  Value steps = arith::MulIOp::create(
      b, loc, iota(lanes, b.getI64Type(), loc),
      broadcast(constant(byteWidth(elementType), loc), lanes, loc));
  Value expected =
      arith::AddIOp::create(b, loc, broadcast(first, lanes, loc), steps);
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      addresses, expected);
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, equal);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerStore(triton::StoreOp op) {
  if (isa<RankedTensorType>(op.getPtr().getType()))
    return lowerPointerStore(op);
  return lowerBlockStore(op);
}

void Lowering::storeLanes(const BlockAccess &access, const Point &point,
                          Value address, const ActiveLanes &active, Value value,
                          Location loc) {
  Value stride = access.strides[point.dim];
  if (!isConstantValue(stride, 1))
    return storeStrided(value, address, stride, active, loc);
  if (active.count)
    return storeCounted(value, address, Value(), active, loc);
  if (!active.mask)
    return store(value, address, loc);
  auto alignment = b.getI32IntegerAttr(byteWidth(value.getType()));
  LLVM::MaskedStoreOp::create(b, loc, value, address, active.mask, alignment);
}

/// Writes the lanes of `value` that are inside in the vector dimension; the
/// other dimensions have been taken care of by the loops.
void Lowering::storeBlockElement(const BlockAccess &access, const Point &point,
                                 Value value, Location loc) {
  value = toMemory(shaped(value, point, loc), loc);
  Value address = addressOf(access, point, loc);
  if (!point.isVector())
    return store(value, address, loc);
  doIf(
      allLanesInside(access, point, loc), loc,
      [&] { storeLanes(access, point, address, {}, value, loc); },
      [&] {
        storeLanes(access, point, address, activeLanes(access, point, loc),
                   value, loc);
      });
}

LogicalResult Lowering::lowerBlockStore(triton::StoreOp op) {
  Location loc = op.getLoc();
  auto it = blockPointers.find(op.getPtr());
  if (it == blockPointers.end())
    return failure(!fail(op, "the block pointer of this store is not known"));
  BlockAccess access = accessOf(it->second, op.getBoundaryCheck(), loc);
  Value value = op.getValue();
  auto type = cast<RankedTensorType>(value.getType());

  int dim = -1;
  for (auto [d, stride] : llvm::enumerate(access.strides))
    if (type.getDimSize(d) > 1 && isConstantValue(stride, 1))
      dim = d;
  if (dim < 0)
    dim = preferredDim(value);
  int64_t lanes = lanesFor(type.getShape(), dim, type.getElementType());
  SmallVector<BlockAccess, 0> used{access};
  collectAccesses(value, used);
  buildVersions(allInside(used, loc), loc, [&] {
    SmallVector<Value> none(access.tile.size());
    buildNest(loc, type.getShape(), dim, lanes, isUnchecked ? none : access.low,
              isUnchecked ? none : access.high, [&](const Point &point) {
                storeBlockElement(access, point, emit(value, point), loc);
              });
  });
  return failure(hasFailed);
}

LogicalResult Lowering::lowerPointerStore(triton::StoreOp op) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  auto type = cast<RankedTensorType>(value.getType());
  int dim = preferredDim(op.getPtr());
  int64_t lanes = lanesFor(type.getShape(), dim, type.getElementType());
  buildNest(loc, type.getShape(), dim, lanes, [&](const Point &point) {
    Value addresses = shaped(emit(op.getPtr(), point), point, loc);
    Value mask = op.getMask() ? emit(op.getMask(), point) : Value();
    Value element = toMemory(shaped(emit(value, point), point, loc), loc);
    if (!point.isVector())
      return doIf(mask, loc,
                  [&] { store(element, toPointers(b, loc, addresses), loc); });
    mask = mask ? shaped(mask, point, loc) : fullMask(point.lanes, loc);
    Type inMemory = getElementTypeOrSelf(element.getType());
    auto alignment = b.getI32IntegerAttr(byteWidth(inMemory));
    doIf(
        areContiguous(addresses, inMemory, loc), loc,
        [&] {
          Value first = vector::ExtractOp::create(b, loc, addresses, 0);
          LLVM::MaskedStoreOp::create(
              b, loc, element, toPointers(b, loc, first), mask, alignment);
        },
        [&] {
          LLVM::masked_scatter::create(
              b, loc, element, toPointers(b, loc, addresses), mask, alignment);
        });
  });
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static std::optional<LLVM::AtomicBinOp> atomicKind(triton::RMWOp op) {
  switch (op) {
  case triton::RMWOp::AND:
    return LLVM::AtomicBinOp::_and;
  case triton::RMWOp::OR:
    return LLVM::AtomicBinOp::_or;
  case triton::RMWOp::XOR:
    return LLVM::AtomicBinOp::_xor;
  case triton::RMWOp::ADD:
    return LLVM::AtomicBinOp::add;
  case triton::RMWOp::FADD:
    return LLVM::AtomicBinOp::fadd;
  case triton::RMWOp::MAX:
    return LLVM::AtomicBinOp::max;
  case triton::RMWOp::MIN:
    return LLVM::AtomicBinOp::min;
  case triton::RMWOp::UMAX:
    return LLVM::AtomicBinOp::umax;
  case triton::RMWOp::UMIN:
    return LLVM::AtomicBinOp::umin;
  case triton::RMWOp::XCHG:
    return LLVM::AtomicBinOp::xchg;
  }
  return std::nullopt;
}

LogicalResult Lowering::lowerAtomicRMW(triton::AtomicRMWOp op) {
  Location loc = op.getLoc();
  auto kind = atomicKind(op.getAtomicRmwOp());
  if (!kind)
    return failure(!fail(op, "this atomic operation is not supported"));
  auto one = [&](Value address, Value value) -> Value {
    return LLVM::AtomicRMWOp::create(b, loc, *kind, toPointers(b, loc, address),
                                     value, LLVM::AtomicOrdering::acq_rel);
  };
  return lowerAtomic(op, op.getPtr(), op.getMask(), {op.getVal()},
                     [&](Value address, ValueRange values) {
                       return one(address, values[0]);
                     });
}

LogicalResult Lowering::lowerAtomicCAS(triton::AtomicCASOp op) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getVal().getType());
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  return lowerAtomic(
      op, op.getPtr(), Value(), {op.getCmp(), op.getVal()},
      [&](Value address, ValueRange values) -> Value {
        // Hardware compares bits, also those of a float.
        auto bits = [&](Value v) -> Value {
          return element == integer
                     ? v
                     : Value(arith::BitcastOp::create(b, loc, integer, v));
        };
        auto exchange = LLVM::AtomicCmpXchgOp::create(
            b, loc, toPointers(b, loc, address), bits(values[0]),
            bits(values[1]), LLVM::AtomicOrdering::acq_rel,
            LLVM::AtomicOrdering::acquire);
        Value old = LLVM::ExtractValueOp::create(b, loc, exchange, 0);
        if (element != integer)
          old = arith::BitcastOp::create(b, loc, element, old);
        return old;
      });
}

/// One element after the other, each under its mask; masked elements yield
/// zero.
LogicalResult
Lowering::lowerAtomic(Operation *op, Value pointer, Value mask,
                      ValueRange values,
                      function_ref<Value(Value, ValueRange)> one) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto tile = dyn_cast<RankedTensorType>(result.getType());
  Buffer buffer;
  if (tile && !result.use_empty())
    buffer = buffers[result] = makeBuffer(result);
  auto at = [&](Value v, const Point &point) {
    return tile ? emit(v, point) : lowered(v);
  };
  auto element = [&](const Point &point) {
    Value address = at(pointer, point);
    SmallVector<Value> operands;
    for (Value value : values)
      operands.push_back(at(value, point));
    Type type = operands.front().getType();
    Value old = choose(
        mask ? at(mask, point) : Value(), type, loc,
        [&] { return one(address, operands); },
        [&] { return zeroOf(type, loc); });
    if (!tile)
      scalars.map(result, old);
    else if (buffer.pointer)
      storeBuffer(buffer, point, old, loc);
  };
  if (tile)
    buildNest(loc, tile.getShape(), -1, 1, element);
  else
    element(Point());
  return failure(hasFailed);
}
