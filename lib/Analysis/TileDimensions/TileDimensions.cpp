//===- TileDimensions.cpp - dimensions that are one size ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/TileDimensions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "spine-triton/Analysis/TensorPointer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

static ArrayRef<int64_t> getTileShape(Type type) {
  if (auto descriptor = dyn_cast<triton::TensorDescType>(type))
    return descriptor.getBlockType().getShape();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  if (RankedTensorType tile = getPointedTile(type))
    return tile.getShape();
  return {};
}

static bool hasTile(Value value) {
  Type type = value.getType();
  return isa<RankedTensorType, triton::TensorDescType>(type) ||
         getPointedTile(type);
}

TileDimensions::TileDimensions(Operation *function) {
  number(function);
  groups.grow(count);
  for (auto &[value, base] : first)
    if (auto incoming = getIncomingValues(value))
      for (Value source : *incoming)
        unifyAll(value, source);
  function->walk([&](Operation *op) { visit(op); });
  groups.compress();
  fixed.resize(groups.getNumClasses());
  for (unsigned member : fixedMembers)
    fixed.set(groups[member]);
}

void TileDimensions::number(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), [&](Value value) { add(value); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [&](Value value) { add(value); });
  });
}

void TileDimensions::add(Value value) {
  if (!hasTile(value))
    return;
  first[value] = count;
  count += getTileShape(value.getType()).size();
}

void TileDimensions::unify(Value a, unsigned dimA, Value b, unsigned dimB) {
  groups.join(first.find(a)->second + dimA, first.find(b)->second + dimB);
}

void TileDimensions::unifyAll(Value a, Value b) {
  if (!isTile(a) || !isTile(b))
    return;
  unsigned rank = getTileShape(a.getType()).size();
  if (rank != getTileShape(b.getType()).size()) {
    fix(a);
    fix(b);
    return;
  }
  for (unsigned dim : llvm::seq(rank))
    unify(a, dim, b, dim);
}

static SmallVector<unsigned> getWideDims(Value value) {
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(getTileShape(value.getType())))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

/// A reshape that only adds and removes dimensions of one element.
void TileDimensions::unifyWide(Value a, Value b) {
  SmallVector<unsigned> dimsA = getWideDims(a), dimsB = getWideDims(b);
  ArrayRef<int64_t> shapeA = getTileShape(a.getType()),
                    shapeB = getTileShape(b.getType());
  bool same = dimsA.size() == dimsB.size();
  for (auto [dimA, dimB] : llvm::zip(dimsA, dimsB))
    same &= shapeA[dimA] == shapeB[dimB];
  if (!same) {
    fix(a);
    fix(b);
    return;
  }
  for (auto [dimA, dimB] : llvm::zip(dimsA, dimsB))
    unify(a, dimA, b, dimB);
}

void TileDimensions::fix(Value value) {
  if (!isTile(value))
    return;
  for (unsigned dim : llvm::seq(getTileShape(value.getType()).size()))
    fixedMembers.push_back(first.find(value)->second + dim);
}

/// Operations of which all tiles have one shape, pointers' included.
static bool hasOneShape(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<triton::LoadOp, triton::StoreOp, triton::AtomicRMWOp,
             triton::AtomicCASOp, triton::AdvanceOp, triton::ScanOp,
             triton::BitcastOp, triton::AddPtrOp, triton::DescriptorLoadOp,
             triton::DescriptorStoreOp, triton::DescriptorReduceOp,
             arith::SelectOp>(op);
}

/// Operations whose results may have any shape.
static bool isSource(Operation *op) {
  if (isa<triton::MakeRangeOp, triton::SplatOp, triton::MakeTensorPtrOp,
          triton::MakeTensorDescOp>(op))
    return true;
  DenseElementsAttr constant;
  return matchPattern(op, m_Constant(&constant)) && constant.isSplat();
}

void TileDimensions::visit(Operation *op) {
  if (hasOneShape(op)) {
    Value shape;
    auto next = [&](Value value) {
      if (!isTile(value))
        return;
      if (shape)
        unifyAll(shape, value);
      shape = value;
    };
    llvm::for_each(op->getOperands(), next);
    llvm::for_each(op->getResults(), next);
    return;
  }
  if (isSource(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<FunctionOpInterface, RegionBranchOpInterface, triton::PrintOp,
          triton::AssertOp>(op))
    return;
  visitShapeOp(op);
}

void TileDimensions::visitShapeOp(Operation *op) {
  auto dropDim = [&](Value wide, Value narrow, unsigned dropped) {
    unsigned next = 0;
    for (unsigned dim : llvm::seq(getTileShape(wide.getType()).size()))
      if (dim != dropped)
        unify(wide, dim, narrow, next++);
  };
  // The last dimension of a pair of tiles has two elements, whatever else.
  auto dropPair = [&](Value pair, Value half) {
    unsigned last = getTileShape(pair.getType()).size() - 1;
    fixedMembers.push_back(first.find(pair)->second + last);
    dropDim(pair, half, last);
  };
  TypeSwitch<Operation *>(op)
      .Case([&](triton::DotOp dot) {
        unifyAll(dot.getC(), dot.getD());
        unsigned rank = dot.getType().getRank();
        for (unsigned batch : llvm::seq(rank - 2)) {
          unify(dot.getA(), batch, dot.getD(), batch);
          unify(dot.getB(), batch, dot.getD(), batch);
        }
        unify(dot.getA(), rank - 2, dot.getD(), rank - 2);
        unify(dot.getB(), rank - 1, dot.getD(), rank - 1);
        unify(dot.getA(), rank - 1, dot.getB(), rank - 2);
      })
      .Case([&](triton::ExpandDimsOp expand) {
        dropDim(expand.getResult(), expand.getSrc(), expand.getAxis());
      })
      .Case([&](triton::ReduceOp reduce) {
        for (Value source : reduce.getSrcs())
          unifyAll(source, reduce.getSrcs().front());
        for (Value result : reduce.getResults())
          if (isTile(result))
            dropDim(reduce.getSrcs().front(), result, reduce.getAxis());
      })
      .Case([&](triton::TransOp trans) {
        for (auto [to, from] : llvm::enumerate(trans.getOrder()))
          unify(trans.getResult(), to, trans.getSrc(), from);
      })
      .Case([&](triton::BroadcastOp broadcast) {
        for (auto [dim, size] :
             llvm::enumerate(getTileShape(broadcast.getSrc().getType())))
          if (size != 1)
            unify(broadcast.getSrc(), dim, broadcast.getResult(), dim);
      })
      .Case([&](triton::JoinOp join) {
        unifyAll(join.getLhs(), join.getRhs());
        dropPair(join.getResult(), join.getLhs());
      })
      .Case([&](triton::SplitOp split) {
        for (Value half : split.getResults())
          dropPair(split.getSrc(), half);
      })
      .Case([&](triton::ReshapeOp reshape) {
        unifyWide(reshape.getSrc(), reshape.getResult());
      })
      .Default([&](Operation *other) {
        llvm::for_each(other->getOperands(), [&](Value value) { fix(value); });
        llvm::for_each(other->getResults(), [&](Value value) { fix(value); });
      });
}
