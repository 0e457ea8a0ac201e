//===- ElementwiseToLinalg.cpp - elementwise operations -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

bool spine::isElementwiseOnTiles(Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()) ||
      isa<arith::ConstantOp>(op))
    return false;
  if (OpTrait::hasElementwiseMappableTraits(op))
    return true;
  // arith.select with one condition for the whole tile is not "mappable", and
  // Triton's own elementwise operations carry a trait of their own.
  return isa<arith::SelectOp, triton::IntToPtrOp, triton::PtrToIntOp,
             triton::BitcastOp, triton::FpToFpOp, triton::ClampFOp,
             triton::PreciseSqrtOp, triton::PreciseDivFOp, triton::MulhiUIOp,
             triton::AddPtrOp, triton::ExternElementwiseOp>(op);
}

/// A tile whose elements are all the same needs no operand: its scalar is used
/// in the body. That keeps constants out of the operand lists.
static Value splatConstant(RewriterBase &rewriter, Location loc, Value tile) {
  DenseElementsAttr attr;
  if (!matchPattern(tile, m_Constant(&attr)) || !attr.isSplat())
    return {};
  return arith::ConstantOp::create(
      rewriter, loc, cast<TypedAttr>(attr.getSplatValue<Attribute>()));
}

void spine::rewriteElementwise(RewriterBase &rewriter, Operation *op) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  rewriter.setInsertionPoint(op);

  SmallVector<Value> inputs, scalars(op->getNumOperands());
  SmallVector<int> argumentOf(op->getNumOperands(), -1);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isTile(operand.getType())) {
      scalars[i] = operand;
    } else if (Value scalar = splatConstant(rewriter, loc, operand)) {
      scalars[i] = scalar;
    } else {
      argumentOf[i] = inputs.size();
      inputs.push_back(operand);
    }
  }

  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange{type}, inputs, ValueRange{empty}, maps,
      iterators, [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
        SmallVector<Value> operands;
        for (auto [scalar, argument] : llvm::zip(scalars, argumentOf))
          operands.push_back(argument < 0 ? scalar : args[argument]);
        OperationState state(bodyLoc, op->getName(), operands,
                             {type.getElementType()}, op->getAttrs());
        Operation *scalarOp = b.create(state);
        linalg::YieldOp::create(b, bodyLoc, scalarOp->getResults());
      });
  rewriter.replaceOp(op, generic);
}
