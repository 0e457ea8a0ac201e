//===- Operations.cpp - the operations of a kernel ------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (mlir::failed(lowerOp(&op)) || hasFailed)
      return failure();
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (placement.sinkOf(op))
    return success(); // Comes with the store.
  LogicalResult result =
      TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](scf::ForOp o) { return lowerFor(o); })
          .Case([&](scf::IfOp o) { return lowerIf(o); })
          .Case([&](scf::WhileOp o) { return lowerWhile(o); })
          .Case([&](scf::IndexSwitchOp o) { return lowerIndexSwitch(o); })
          .Case(
              [&](triton::MakeTensorPtrOp o) { return lowerMakeTensorPtr(o); })
          .Case([&](triton::AdvanceOp o) { return lowerAdvance(o); })
          .Case([&](triton::StoreOp o) {
            if (OpResult product = placement.streamedInto(o))
              return lowerStreamedStore(o, product);
            return isTile(o.getValue().getType()) ? lowerStore(o)
                                                  : lowerScalarStore(o);
          })
          .Case([&](triton::AtomicRMWOp o) { return lowerAtomicRMW(o); })
          .Case([&](triton::AtomicCASOp o) { return lowerAtomicCAS(o); })
          .Case([&](triton::ReduceOp o) { return lowerReduce(o); })
          .Case([&](triton::ScanOp o) { return lowerScan(o); })
          .Case([&](triton::GatherOp o) { return lowerGather(o); })
          .Case([&](triton::HistogramOp o) { return lowerHistogram(o); })
          .Case([&](triton::CatOp o) { return lowerCat(o); })
          .Case([&](triton::PrintOp o) { return lowerPrint(o); })
          .Case([&](triton::AssertOp o) { return lowerAssert(o); })
          .Default([&](Operation *o) {
            if (llvm::any_of(o->getResultTypes(), isTile))
              return lowerTileOp(o);
            return lowerScalarOp(o);
          });
  return failure(mlir::failed(result) || hasFailed);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerTileOp(Operation *op) {
  if (isa<linalg::ContractionOpInterface>(op))
    return lowerContraction(cast<linalg::LinalgOp>(op));
  if (auto loadOp = dyn_cast<triton::LoadOp>(op);
      loadOp && blockType(loadOp.getPtr().getType())) {
    auto it = blockPointers.find(loadOp.getPtr());
    if (it == blockPointers.end())
      return failure(!fail(op, "the block pointer of this load is not known"));
    accesses[op] =
        accessOf(it->second, loadOp.getBoundaryCheck(), op->getLoc());
  }
  if (!isa<linalg::LinalgOp, triton::LoadOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::EmptyOp,
           arith::ConstantOp, ub::PoisonOp>(op))
    return failure(!fail(op, "code generation does not support '" +
                                 op->getName().getStringRef() +
                                 "' yet; please compute this with other "
                                 "operations"));
  for (Value result : op->getResults()) {
    if (!placement.needsBuffer(result))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      // Row-major elements keep their places: another view of the same bytes.
      auto it = buffers.find(op->getOperand(0));
      if (it != buffers.end()) {
        Buffer view = it->second;
        view.shape = llvm::to_vector(type.getShape());
        buffers[result] = view;
        continue;
      }
    }
    Buffer buffer = makeBuffer(result);
    materialise(result, buffer);
    buffers[result] = buffer;
    // An in-place access of a packed load must not be used later.
    accesses.erase(op);
  }
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerMakeTensorPtr(triton::MakeTensorPtrOp op) {
  Location loc = op.getLoc();
  RankedTensorType tile = blockType(op.getResult().getType());
  BlockPointer pointer;
  pointer.base = lowered(op.getBase());
  for (Value value : op.getShape())
    pointer.shape.push_back(toI64(lowered(value), loc));
  for (Value value : op.getStrides())
    pointer.strides.push_back(toI64(lowered(value), loc));
  for (Value value : op.getOffsets())
    pointer.offsets.push_back(toI64(lowered(value), loc));
  pointer.tile = llvm::to_vector(tile.getShape());
  pointer.elementType = tile.getElementType();
  blockPointers[op.getResult()] = pointer;
  return success();
}

LogicalResult Lowering::lowerAdvance(triton::AdvanceOp op) {
  auto it = blockPointers.find(op.getPtr());
  if (it == blockPointers.end())
    return failure(
        !fail(op, "the block pointer that is advanced is not known"));
  BlockPointer pointer = it->second;
  for (auto [offset, step] : llvm::zip(pointer.offsets, op.getOffsets()))
    offset = addI(offset, toI64(lowered(step), op.getLoc()), op.getLoc());
  blockPointers[op.getResult()] = pointer;
  return success();
}

LogicalResult Lowering::lowerSelectOfPointers(arith::SelectOp op) {
  auto yes = blockPointers.find(op.getTrueValue());
  auto no = blockPointers.find(op.getFalseValue());
  if (yes == blockPointers.end() || no == blockPointers.end())
    return failure(!fail(op, "the selected block pointers are not known"));
  Value condition = lowered(op.getCondition());
  BlockPointer pointer = yes->second;
  auto choose = [&](Value &value, Value other) {
    if (value != other)
      value = arith::SelectOp::create(b, op.getLoc(), condition, value, other);
  };
  choose(pointer.base, no->second.base);
  for (auto [value, other] : llvm::zip(pointer.shape, no->second.shape))
    choose(value, other);
  for (auto [value, other] : llvm::zip(pointer.strides, no->second.strides))
    choose(value, other);
  for (auto [value, other] : llvm::zip(pointer.offsets, no->second.offsets))
    choose(value, other);
  blockPointers[op.getResult()] = pointer;
  return success();
}

/// A block pointer of a path that is never taken.
static BlockPointer poisonBlockPointer(OpBuilder &b, Location loc,
                                       RankedTensorType tile, Value zero) {
  BlockPointer pointer;
  pointer.base =
      LLVM::ZeroOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()));
  pointer.shape.assign(tile.getRank(), zero);
  pointer.strides = pointer.offsets = pointer.shape;
  pointer.tile = llvm::to_vector(tile.getShape());
  pointer.elementType = tile.getElementType();
  return pointer;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerScalarLoad(triton::LoadOp op) {
  Location loc = op.getLoc();
  Type type = loweredScalarType(op.getType());
  Type inMemory = type.isInteger(1) ? Type(b.getI8Type()) : type;
  Value address = lowered(op.getPtr());
  Value mask = op.getMask() ? lowered(op.getMask()) : Value();
  Value value = choose(
      mask, type, loc,
      [&] { return fromMemory(load(inMemory, address, loc), type, loc); },
      [&]() -> Value {
        if (op.getOther())
          return lowered(op.getOther());
        if (isa<LLVM::LLVMPointerType>(type))
          return LLVM::ZeroOp::create(b, loc, type);
        return zeroOf(type, loc);
      });
  scalars.map(op.getResult(), value);
  return success();
}

LogicalResult Lowering::lowerScalarStore(triton::StoreOp op) {
  Location loc = op.getLoc();
  Value value = toMemory(lowered(op.getValue()), loc);
  Value address = lowered(op.getPtr());
  doIf(op.getMask() ? lowered(op.getMask()) : Value(), loc,
       [&] { store(value, address, loc); });
  return success();
}

LogicalResult Lowering::lowerScalarOp(Operation *op) {
  Location loc = op->getLoc();
  if (auto id = dyn_cast<triton::GetProgramIdOp>(op)) {
    scalars.map(id.getResult(), programId[static_cast<int>(id.getAxis())]);
    return success();
  }
  if (auto count = dyn_cast<triton::GetNumProgramsOp>(op)) {
    scalars.map(count.getResult(),
                numPrograms[static_cast<int>(count.getAxis())]);
    return success();
  }
  if (auto loadOp = dyn_cast<triton::LoadOp>(op))
    return lowerScalarLoad(loadOp);
  if (op->getNumResults() == 1 && blockType(op->getResult(0).getType())) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return lowerSelectOfPointers(select);
    if (isa<ub::PoisonOp>(op)) {
      blockPointers[op->getResult(0)] = poisonBlockPointer(
          b, loc, blockType(op->getResult(0).getType()), constant(0, loc));
      return success();
    }
  }
  if (auto cast = dyn_cast<triton::IntToPtrOp>(op)) {
    scalars.map(cast.getResult(),
                LLVM::IntToPtrOp::create(
                    b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                    lowered(cast.getSrc()))
                    .getResult());
    return success();
  }
  if (auto cast = dyn_cast<triton::PtrToIntOp>(op)) {
    scalars.map(
        cast.getResult(),
        LLVM::PtrToIntOp::create(b, loc, cast.getType(), lowered(cast.getSrc()))
            .getResult());
    return success();
  }
  if (isa<triton::UnsplatOp>(op)) {
    auto type = mlir::cast<RankedTensorType>(op->getOperand(0).getType());
    Point point;
    point.index.assign(type.getRank(), constant(0, loc));
    Value value = emit(op->getOperand(0), point);
    if (isa<triton::PointerType>(op->getResult(0).getType()))
      value = LLVM::IntToPtrOp::create(
          b, loc, LLVM::LLVMPointerType::get(b.getContext()), value);
    scalars.map(op->getResult(0), value);
    return failure(hasFailed);
  }
  // Programs are single threads: a barrier among a program's threads is none.
  StringRef name = op->getName().getStringRef();
  if (name == "ttg.barrier" || name == "ttg.local_barrier" ||
      name == "gpu.barrier")
    return success();
  // What the user promises is of no use here.
  if (isa<LLVM::AssumeOp>(op))
    return success();
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      llvm::none_of(op->getOperandTypes(), isTile)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(lowered(operand));
    Value value =
        emitElementwise(op, operands, op->getResult(0).getType(), loc);
    if (value)
      scalars.map(op->getResult(0), value);
    return failure(!value || hasFailed);
  }
  if (isa_and_nonnull<arith::ArithDialect>(op->getDialect())) {
    b.clone(*op, scalars);
    return success();
  }
  return failure(!fail(op, "code generation does not support '" + name + "'"));
}
