//===- TileWindow.cpp - a block pointer that describes one tile -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Transforms/TileWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

namespace {

/// i64 arithmetic that folds what is constant.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value subtract(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value multiply(Value a, Value b) { return make<arith::MulIOp>(a, b); }
  Value atLeast(Value a, int64_t bound) {
    return make<arith::MaxSIOp>(a, constant(bound));
  }
  Value atMost(Value a, Value bound) { return make<arith::MinSIOp>(a, bound); }
  Value toI32(Value a) {
    return builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(), a);
  }

private:
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
};

struct Dimension {
  Value step; ///< how far the base moves, in elements; null: not at all
  Value offset;
  Value extent;
};

} // namespace

/// An extent so far below zero that subtracting an offset wraps around would
/// turn up as a large one. One that was widened from 32 bits is not.
static Value guardExtent(Arithmetic &arithmetic, Value extent) {
  return extent.getDefiningOp<arith::ExtSIOp>() ? extent
                                                : arithmetic.atLeast(extent, 0);
}

static Dimension emitChecked(Arithmetic &arithmetic, Value offset, Value extent,
                             Value stride, int64_t size) {
  Value zero = arithmetic.constant(0);
  Value before = arithmetic.atLeast(arithmetic.atMost(offset, zero), -size);
  Value inside = arithmetic.subtract(guardExtent(arithmetic, extent),
                                     arithmetic.atLeast(offset, 0));
  Value room = arithmetic.add(arithmetic.constant(size), before);
  return {arithmetic.multiply(arithmetic.subtract(offset, before), stride),
          arithmetic.toI32(before),
          arithmetic.atLeast(arithmetic.atMost(inside, room), 0)};
}

static Dimension emitUnchecked(Arithmetic &arithmetic, Value offset,
                               Value stride, int64_t size) {
  return {arithmetic.multiply(offset, stride),
          arithmetic.toI32(arithmetic.constant(0)), arithmetic.constant(size)};
}

PointerDescription spine::emitTileWindow(OpBuilder &builder, Location loc,
                                         const PointerDescription &pointer,
                                         ArrayRef<int64_t> tile,
                                         const llvm::SmallBitVector &checked) {
  Arithmetic arithmetic(builder, loc);
  PointerDescription window;
  window.strides = pointer.strides;
  Value step = arithmetic.constant(0);
  for (auto [i, size] : llvm::enumerate(tile)) {
    Value offset = pointer.offsets[i], stride = pointer.strides[i];
    Dimension dimension =
        checked.test(i)
            ? emitChecked(arithmetic, offset, pointer.extents[i], stride, size)
            : emitUnchecked(arithmetic, offset, stride, size);
    step = arithmetic.add(step, dimension.step);
    window.offsets.push_back(dimension.offset);
    window.extents.push_back(dimension.extent);
  }
  window.base = pointer.base;
  if (!matchPattern(step, m_Zero()))
    window.base = triton::AddPtrOp::create(builder, loc, pointer.base.getType(),
                                           pointer.base, step);
  return window;
}
