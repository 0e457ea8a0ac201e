//===- ShapeToLinalg.cpp - creation and shape of tiles, products ----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace {

/// Builds the linalg form of one operation.
struct TileBuilder {
  RewriterBase &rewriter;
  Location loc;

  Value empty(RankedTensorType type) {
    return tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                   type.getElementType());
  }

  /// A linalg.generic that is parallel in every dimension of `type`.
  Value
  generic(RankedTensorType type, ValueRange inputs, ArrayRef<AffineMap> maps,
          function_ref<Value(OpBuilder &, Location, ValueRange args)> body) {
    SmallVector<AffineMap> allMaps(maps);
    allMaps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               rewriter, loc, TypeRange{type}, inputs, ValueRange{empty(type)},
               allMaps, iterators,
               [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
                 linalg::YieldOp::create(b, bodyLoc, body(b, bodyLoc, args));
               })
        .getResult(0);
  }

  Value splat(Value scalar, RankedTensorType type) {
    // linalg.fill converts its scalar and knows numbers only, no pointers.
    if (type.getElementType().isIntOrFloat())
      return linalg::FillOp::create(rewriter, loc, scalar, empty(type))
          .getResult(0);
    return generic(type, {}, {},
                   [&](OpBuilder &, Location, ValueRange) { return scalar; });
  }

  Value range(triton::MakeRangeOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    return generic(type, {}, {}, [&](OpBuilder &b, Location l, ValueRange) {
      Value index = linalg::IndexOp::create(b, l, 0);
      Value value =
          arith::IndexCastOp::create(b, l, type.getElementType(), index);
      Value start = arith::ConstantOp::create(
          b, l,
          b.getIntegerAttr(type.getElementType(),
                           static_cast<int32_t>(op.getStart())));
      return arith::AddIOp::create(b, l, value, start).getResult();
    });
  }

  Value broadcast(Value source, RankedTensorType type) {
    auto sourceType = cast<RankedTensorType>(source.getType());
    SmallVector<AffineExpr> exprs;
    for (auto [d, size] : llvm::enumerate(sourceType.getShape()))
      exprs.push_back(size == 1 && type.getDimSize(d) != 1
                          ? rewriter.getAffineConstantExpr(0)
                          : rewriter.getAffineDimExpr(d));
    auto map = AffineMap::get(type.getRank(), 0, exprs, rewriter.getContext());
    return generic(type, source, map,
                   [](OpBuilder &, Location, ValueRange a) { return a[0]; });
  }

  /// Row-major change of shape; the elements keep their order.
  Value reshape(Value source, RankedTensorType type) {
    auto sourceType = cast<RankedTensorType>(source.getType());
    if (sourceType == type)
      return source;
    if (auto groups = getReassociationIndicesForReshape(sourceType, type)) {
      if (sourceType.getRank() > type.getRank())
        return tensor::CollapseShapeOp::create(rewriter, loc, type, source,
                                               *groups);
      if (sourceType.getRank() < type.getRank())
        return tensor::ExpandShapeOp::create(rewriter, loc, type, source,
                                             *groups);
    }
    auto flat =
        RankedTensorType::get({type.getNumElements()}, type.getElementType());
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
    };
    if (sourceType.getRank() != 1)
      source = tensor::CollapseShapeOp::create(rewriter, loc, flat, source,
                                               all(sourceType.getRank()));
    if (type.getRank() == 1)
      return source;
    return tensor::ExpandShapeOp::create(rewriter, loc, type, source,
                                         all(type.getRank()));
  }

  Value transpose(Value source, ArrayRef<int32_t> order,
                  RankedTensorType type) {
    SmallVector<int64_t> permutation(order.begin(), order.end());
    return linalg::TransposeOp::create(rewriter, loc, source, empty(type),
                                       permutation)
        .getResult()[0];
  }

  /// Element (..., 0) comes from one tile and (..., 1) from the other.
  Value join(Value lhs, Value rhs, RankedTensorType type) {
    int64_t last = type.getRank() - 1;
    AffineMap map = rewriter.getMultiDimIdentityMap(last + 1).dropResult(last);
    return generic(type, {lhs, rhs}, {map, map},
                   [&](OpBuilder &b, Location l, ValueRange args) {
                     Value index = linalg::IndexOp::create(b, l, last);
                     Value zero = arith::ConstantIndexOp::create(b, l, 0);
                     Value first = arith::CmpIOp::create(
                         b, l, arith::CmpIPredicate::eq, index, zero);
                     return arith::SelectOp::create(b, l, first, args[0],
                                                    args[1])
                         .getResult();
                   });
  }

  Value half(Value source, int64_t which, RankedTensorType type) {
    auto sourceType = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (int64_t size : sourceType.getShape()) {
      offsets.push_back(rewriter.getIndexAttr(0));
      sizes.push_back(rewriter.getIndexAttr(size));
      strides.push_back(rewriter.getIndexAttr(1));
    }
    offsets.back() = rewriter.getIndexAttr(which);
    sizes.back() = rewriter.getIndexAttr(1);
    return tensor::ExtractSliceOp::create(rewriter, loc, type, source, offsets,
                                          sizes, strides);
  }
};

} // namespace

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool spine::rewriteShapeOp(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  TileBuilder b{rewriter, op->getLoc()};
  if (auto split = dyn_cast<triton::SplitOp>(op)) {
    auto type = tileType(split.getOutLHS());
    rewriter.replaceOp(op, ValueRange{b.half(split.getSrc(), 0, type),
                                      b.half(split.getSrc(), 1, type)});
    return true;
  }
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  auto type = tileType(op->getResult(0));
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](triton::SplatOp o) { return b.splat(o.getSrc(), type); })
          .Case([&](triton::MakeRangeOp o) { return b.range(o); })
          .Case([&](triton::BroadcastOp o) {
            return b.broadcast(o.getSrc(), type);
          })
          .Case([&](triton::ExpandDimsOp o) {
            return b.reshape(o.getSrc(), type);
          })
          .Case(
              [&](triton::ReshapeOp o) { return b.reshape(o.getSrc(), type); })
          .Case([&](triton::TransOp o) {
            return b.transpose(o.getSrc(), o.getOrder(), type);
          })
          .Case([&](triton::JoinOp o) {
            return b.join(o.getLhs(), o.getRhs(), type);
          })
          .Default([](Operation *) { return Value(); });
  if (!result)
    return false;
  rewriter.replaceOp(op, result);
  return true;
}

void spine::rewriteDot(RewriterBase &rewriter, triton::DotOp op) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs{op.getA(), op.getB()};
  TypeRange type(op->getResultTypes());
  if (tileType(op.getResult()).getRank() == 2)
    rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, type, inputs,
                                                  ValueRange{op.getC()});
  else
    rewriter.replaceOpWithNewOp<linalg::BatchMatmulOp>(op, type, inputs,
                                                       ValueRange{op.getC()});
}
