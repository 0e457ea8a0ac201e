//===- Entry.cpp - the function that runs a range of programs -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// Every argument has a slot of 8 bytes, in order.
LogicalResult Lowering::lowerArguments(Value args) {
  Location loc = source.getLoc();
  for (BlockArgument argument : source.getArguments()) {
    Type type = argument.getType();
    bool isPointer = isa<triton::PointerType>(type) &&
                     !isa<RankedTensorType>(
                         cast<triton::PointerType>(type).getPointeeType());
    if (!isPointer && !type.isIntOrFloat()) {
      InFlightDiagnostic error =
          source.emitError("kernel argument #")
          << argument.getArgNumber() << " has type " << type
          << ", which cannot be passed from the host; pass a pointer and make "
             "the block pointer or descriptor inside of the kernel";
      hasFailed = true;
      return error;
    }
    Type lowered = loweredScalarType(type);
    Type inMemory = lowered.isInteger(1) ? Type(b.getI8Type()) : lowered;
    Value slot = LLVM::GEPOp::create(
        b, loc, args.getType(), b.getI64Type(), args,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(argument.getArgNumber())});
    scalars.map(argument, fromMemory(load(inMemory, slot, loc), lowered, loc));
  }
  return success();
}

/// Programs that differ in the second id only often read the same memory (the
/// rows of a product's left operand), and so do those that differ in the first
/// only. So a few of the first ids run for all of the second before the next
/// few: what either shares is still in the cache. No order is promised.
///
/// The ids are frozen to hide the divisions: LLVM computes no address outside
/// of a loop that depends on a division, which might be one by zero.
void Lowering::identifyProgram(Value number, ArrayRef<Value> sizes) {
  constexpr int64_t kGroup = 4;
  Location loc = source.getLoc();
  auto divide = [&](Value dividend, Value divisor) {
    return std::pair<Value, Value>(
        arith::DivUIOp::create(b, loc, dividend, divisor),
        arith::RemUIOp::create(b, loc, dividend, divisor));
  };
  Value groupSize = constant(kGroup, loc);
  auto [z, inPlane] = divide(number, mulI(sizes[0], sizes[1], loc));
  auto [group, inGroup] = divide(inPlane, mulI(groupSize, sizes[1], loc));
  Value first = mulI(group, groupSize, loc);
  Value size = minI(subI(sizes[0], first, loc), groupSize, loc);
  auto [y, x] = divide(inGroup, size);
  Value ids[] = {addI(first, x, loc), y, z};
  for (auto [id, program] : llvm::zip(ids, programId))
    program = LLVM::FreezeOp::create(
        b, loc, arith::TruncIOp::create(b, loc, b.getI32Type(), id));
}

LogicalResult Lowering::run() {
  Location loc = source.getLoc();
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  b.setInsertionPoint(source);
  function = func::FuncOp::create(
      b, loc, kernelName + suffix,
      b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  function->setAttr("spine.tiles", placement.describe());
  Block *entry = function.addEntryBlock();
  for (unsigned i : {0u, 1u, 4u})
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  b.setInsertionPointToStart(entry);
  func::ReturnOp::create(b, loc);
  b.setInsertionPoint(entry->getTerminator());

  if (mlir::failed(lowerArguments(entry->getArgument(0))))
    return failure();
  Value wide[3];
  for (int axis = 0; axis < 3; ++axis) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(),
                                     entry->getArgument(1),
                                     ArrayRef<LLVM::GEPArg>{axis});
    numPrograms[axis] = load(b.getI32Type(), slot, loc);
    wide[axis] = arith::ExtSIOp::create(b, loc, i64, numPrograms[axis]);
  }
  auto loop = scf::ForOp::create(b, loc, entry->getArgument(2),
                                 entry->getArgument(3), constant(1, loc));
  forbidUnrolling(loop);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  identifyProgram(loop.getInductionVar(), wide);
  return failure(mlir::failed(lowerBlock(source.getBody().front())) ||
                 hasFailed);
}
