//===- DropUnitBatch.cpp - spine-drop-unit-batch --------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "MatrixPointer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "spine-triton/Conversion/Elementwise.h"
#include "spine-triton/Conversion/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEDROPUNITBATCH
#include "spine-triton/Conversion/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

//===----------------------------------------------------------------------===//
// Which operations
//===----------------------------------------------------------------------===//

/// The block pointer of an access, if it is known how it was made.
template <typename Access>
static triton::MakeTensorPtrOp makerOf(Access access) {
  return access.getPtr().template getDefiningOp<triton::MakeTensorPtrOp>();
}

template <typename Access> static bool hasKnownTile(Access access) {
  return isa<RankedTensorType>(access.getPtr().getType()) || makerOf(access);
}

/// Does the operation work on matrices as it does on one matrix per batch? What
/// does not sees its tiles through changes of shape.
static bool worksOnMatrices(Operation *op) {
  if (isElementwiseOnTiles(op) ||
      isa<triton::SplatOp, triton::ExpandDimsOp, triton::ReshapeOp>(op))
    return true;
  return TypeSwitch<Operation *, bool>(op)
      .Case([](arith::ConstantOp o) {
        return isa<DenseElementsAttr>(o.getValue());
      })
      .Case<triton::LoadOp, triton::StoreOp>(
          [](auto access) { return hasKnownTile(access); })
      .Case<triton::BroadcastOp, triton::DotOp>([](Operation *o) {
        return isMatrixPerBatch(o->getResult(0).getType());
      })
      .Case([](triton::TransOp o) { return o.getOrder()[0] == 0; })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static Value reshape(OpBuilder &builder, Location loc, Value source,
                     Type type) {
  if (source.getType() == type)
    return source;
  return triton::ReshapeOp::create(builder, loc, type, source,
                                   /*allow_reorder=*/false,
                                   /*efficient_layout=*/false);
}

namespace {

struct DropFromTiles : ConversionPattern {
  DropFromTiles(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!worksOnMatrices(op))
      return failure();
    TypeSwitch<Operation *>(op)
        .Case<triton::ExpandDimsOp, triton::ReshapeOp>([&](auto o) {
          rewriter.replaceOp(o, reshape(rewriter, o.getLoc(), operands[0],
                                        withoutBatch(o.getType())));
        })
        .Case<triton::LoadOp, triton::StoreOp>(
            [&](auto access) { rewriteAccess(access, operands, rewriter); })
        .Case([&](arith::ConstantOp o) {
          auto type = cast<RankedTensorType>(withoutBatch(o.getType()));
          auto elements = cast<DenseElementsAttr>(o.getValue());
          rewriter.replaceOpWithNewOp<arith::ConstantOp>(
              o, elements.reshape(type));
        })
        .Case([&](triton::TransOp o) {
          SmallVector<int32_t> order{o.getOrder()[1] - 1, o.getOrder()[2] - 1};
          rewriter.replaceOpWithNewOp<triton::TransOp>(
              o, withoutBatch(o.getType()), operands[0],
              rewriter.getDenseI32ArrayAttr(order));
        })
        .Default([&](Operation *o) { rewriteTypes(o, operands, rewriter); });
    return success();
  }

  /// The same operation on other types.
  static Operation *rewriteTypes(Operation *op, ArrayRef<Value> operands,
                                 ConversionPatternRewriter &rewriter) {
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    Operation *clone = rewriter.clone(*op, mapping);
    for (Value result : clone->getResults())
      result.setType(withoutBatch(result.getType()));
    rewriter.replaceOp(op, clone);
    return clone;
  }

  template <typename Access>
  static void rewriteAccess(Access access, ArrayRef<Value> operands,
                            ConversionPatternRewriter &rewriter) {
    triton::MakeTensorPtrOp maker = makerOf(access);
    SmallVector<Value> changed(operands);
    SmallVector<int32_t> checked(access.getBoundaryCheck());
    if (maker) {
      MatrixPointer matrix = makeMatrixPointer(rewriter, maker, checked);
      changed[0] = matrix.pointer;
      checked = matrix.checked;
    }
    auto copy = cast<Access>(rewriteTypes(access, changed, rewriter));
    copy.setBoundaryCheck(checked);
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct DropUnitBatch : spine::impl::SpineDropUnitBatchBase<DropUnitBatch> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<triton::FuncOp>()) {
      unsigned found = 0;
      function.walk(
          [&](triton::DotOp dot) { found += isMatrixPerBatch(dot.getType()); });
      numProducts += found;
      if (found && failed(convert(function)))
        return signalPassFailure();
    }
  }

  LogicalResult convert(triton::FuncOp function) {
    TypeConverter converter;
    converter.addConversion(withoutBatchOf);
    auto materialise = [](OpBuilder &builder, Type type, ValueRange inputs,
                          Location loc) {
      return reshape(builder, loc, inputs[0], type);
    };
    converter.addSourceMaterialization(materialise);
    converter.addTargetMaterialization(materialise);

    ConversionTarget target(getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<DropFromTiles>(converter, &getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return converter.isLegal(op) || !worksOnMatrices(op);
    });
    return applyPartialConversion(function, target, std::move(patterns));
  }

  static Type withoutBatchOf(Type type) { return withoutBatch(type); }
};

} // namespace
