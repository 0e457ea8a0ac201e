//===- Accumulation.cpp - reductions in several steps ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Accumulation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

/// What `combiner` leaves every value as it is with; null if nothing is known.
static TypedAttr getNeutralElement(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  auto number = [&](APFloat value) -> TypedAttr {
    return FloatAttr::get(type, value);
  };
  auto integer = [&](APInt value) -> TypedAttr {
    return IntegerAttr::get(type, value);
  };
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return TypeSwitch<Operation *, TypedAttr>(combiner)
        // Not 0, to which -0 may not be added.
        .Case([&](arith::AddFOp) {
          return number(APFloat::getZero(semantics, true));
        })
        .Case([&](arith::MulFOp) { return number(APFloat::getOne(semantics)); })
        // These ignore NaNs, the others hand them on.
        .Case<arith::MaxNumFOp, arith::MinNumFOp>(
            [&](auto) { return number(APFloat::getNaN(semantics)); })
        .Case([&](arith::MaximumFOp) {
          return number(APFloat::getInf(semantics, true));
        })
        .Case([&](arith::MinimumFOp) {
          return number(APFloat::getInf(semantics));
        })
        .Default([](Operation *) { return TypedAttr(); });
  }
  unsigned width = type.getIntOrFloatBitWidth();
  return TypeSwitch<Operation *, TypedAttr>(combiner)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(APInt::getZero(width)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return integer(APInt::getAllOnes(width)); })
      .Case([&](arith::MulIOp) { return integer(APInt(width, 1)); })
      .Case([&](arith::MaxSIOp) {
        return integer(APInt::getSignedMinValue(width));
      })
      .Case([&](arith::MinSIOp) {
        return integer(APInt::getSignedMaxValue(width));
      })
      .Default([](Operation *) { return TypedAttr(); });
}

bool spine::canAccumulate(Operation *reducer) {
  auto reduce = dyn_cast<triton::ReduceOp>(reducer);
  if (!reduce)
    return isa<triton::DotOp>(reducer);
  if (!isa<RankedTensorType>(reduce->getResult(0).getType()))
    return true; // scalars: the body itself does it
  return llvm::all_of(reduce.getCombineOp().front().without_terminator(),
                      [](Operation &op) {
                        return isa<arith::ConstantOp>(op) ||
                               OpTrait::hasElementwiseMappableTraits(&op);
                      });
}

static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          TypedAttr value) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (tile)
    return arith::ConstantOp::create(
        builder, loc, tile, DenseElementsAttr::get(tile, Attribute(value)));
  return arith::ConstantOp::create(builder, loc, value);
}

/// The type in which the parts of a product are added.
static Type getAccumulatorType(triton::DotOp dot) {
  auto tile = cast<RankedTensorType>(dot.getType());
  if (tile.getElementType().isF16() || tile.getElementType().isBF16())
    return tile.clone(Float32Type::get(tile.getContext()));
  return tile;
}

SmallVector<Value> spine::makeInitialValues(OpBuilder &builder,
                                            Operation *reducer) {
  if (auto dot = dyn_cast<triton::DotOp>(reducer)) {
    Type type = getAccumulatorType(dot);
    if (type == dot.getType())
      return {dot.getC()};
    return {
        builder.createOrFold<arith::ExtFOp>(dot.getLoc(), type, dot.getC())};
  }
  Operation *combiner = cast<triton::ReduceOp>(reducer).getSingleCombiner();
  TypedAttr neutral = combiner ? getNeutralElement(combiner) : TypedAttr();
  if (!neutral)
    return {};
  return {makeConstant(builder, reducer->getLoc(),
                       reducer->getResult(0).getType(), neutral)};
}

/// Applies the body of a reduction to all elements of two groups of tiles (or
/// to two groups of scalars).
static SmallVector<Value> combine(OpBuilder &builder, triton::ReduceOp reduce,
                                  ArrayRef<Value> before,
                                  ArrayRef<Value> part) {
  Block &body = reduce.getCombineOp().front();
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(before.size()), before);
  mapping.map(body.getArguments().drop_front(before.size()), part);
  auto tile = dyn_cast<RankedTensorType>(part.front().getType());
  for (Operation &op : body.without_terminator()) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (constant && tile) {
      mapping.map(constant.getResult(),
                  makeConstant(builder, op.getLoc(),
                               tile.clone(constant.getType()),
                               constant.getValue()));
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    for (Value value : copy->getResults())
      if (tile)
        value.setType(tile.clone(value.getType()));
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

SmallVector<Value> spine::accumulate(OpBuilder &builder,
                                     SubTileEmitter &emitter,
                                     Operation *reducer,
                                     ArrayRef<Value> before) {
  Operation *part = emitter.emit(reducer);
  if (auto dot = dyn_cast<triton::DotOp>(part)) {
    dot.getCMutable().assign(before.front());
    dot.getResult().setType(cast<RankedTensorType>(before.front().getType()));
    return {dot.getResult()};
  }
  SmallVector<Value> results(part->getResults());
  if (before.empty())
    return results;
  return combine(builder, cast<triton::ReduceOp>(reducer), before, results);
}

SmallVector<Value> spine::finish(OpBuilder &builder, Operation *reducer,
                                 ArrayRef<Value> values) {
  auto dot = dyn_cast<triton::DotOp>(reducer);
  if (!dot || values.front().getType() == dot.getType())
    return SmallVector<Value>(values);
  return {arith::TruncFOp::create(builder, dot.getLoc(), dot.getType(),
                                  values.front())};
}
