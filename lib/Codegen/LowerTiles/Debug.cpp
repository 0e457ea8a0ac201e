//===- Debug.cpp - prints and assertions ----------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// The address of a zero-terminated string; equal strings share a global.
Value Lowering::globalString(StringRef text, Location loc) {
  auto module = source->getParentOfType<ModuleOp>();
  std::string symbol =
      "spine.str." +
      std::to_string(static_cast<uint64_t>(llvm::hash_value(text)));
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    std::string bytes = text.str();
    bytes.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, symbol,
                           b.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), symbol);
}

LLVM::LLVMFuncOp Lowering::runtimeFunction(StringRef symbol,
                                           ArrayRef<Type> types) {
  auto module = source->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  return LLVM::LLVMFuncOp::create(b, source.getLoc(), symbol, type);
}

static std::pair<std::string, int64_t> fileAndLine(Location loc) {
  std::pair<std::string, int64_t> result{"<unknown>", 0};
  loc->walk([&](Location nested) {
    auto file = dyn_cast<FileLineColLoc>(nested);
    if (!file)
      return WalkResult::advance();
    result = {file.getFilename().str(), file.getLine()};
    return WalkResult::interrupt();
  });
  return result;
}

LogicalResult Lowering::lowerAssert(triton::AssertOp op) {
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type();
  LLVM::LLVMFuncOp callee = runtimeFunction(
      "spine_rt_assert", {pointer, pointer, pointer, i32, i32, i32, i32});
  std::pair<std::string, int64_t> place = fileAndLine(loc);
  auto check = [&](Value holds) {
    Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value broken = arith::XOrIOp::create(b, loc, holds, one);
    doIf(broken, loc, [&] {
      Value line =
          arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(place.second));
      LLVM::CallOp::create(b, loc, callee,
                           ValueRange{globalString(op.getMessage(), loc),
                                      globalString(place.first, loc),
                                      globalString(kernelName, loc), line,
                                      programId[0], programId[1],
                                      programId[2]});
    });
  };
  Value condition = op.getCondition();
  auto tile = dyn_cast<RankedTensorType>(condition.getType());
  if (!tile)
    check(lowered(condition));
  else
    buildNest(loc, tile.getShape(), -1, 1,
              [&](const Point &point) { check(emit(condition, point)); });
  return failure(hasFailed);
}

namespace {
enum PrintKind { Signed = 0, Unsigned = 1, Float = 2, Pointer = 3 };
} // namespace

LogicalResult Lowering::lowerPrint(triton::PrintOp op) {
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  LLVM::LLVMFuncOp callee =
      runtimeFunction("spine_rt_print", {pointer, pointer, i32, i32, i32, i32,
                                         i32, i64, i32, i32, i32, i64});
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto call = [&](unsigned operand, StringRef shape, Value linear, int kind,
                  unsigned bits, Value payload) {
    LLVM::CallOp::create(
        b, loc, callee,
        ValueRange{globalString(op.getPrefix(), loc), globalString(shape, loc),
                   programId[0], programId[1], programId[2], number(operand),
                   number(op.getNumOperands()), linear, number(kind),
                   number(bits), number(op.getHex()), payload});
  };
  if (op.getNumOperands() == 0) {
    call(0, "", constant(0, loc), Signed, 0, constant(0, loc));
    return success();
  }
  for (unsigned i = 0; i < op.getNumOperands(); ++i) {
    Value operand = op.getOperand(i);
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    Type element = getElementTypeOrSelf(operand.getType());
    bool isSigned = op.getIsSigned()[i];
    auto one = [&](Value value, StringRef shape, Value linear) {
      Type type = value.getType();
      if (isa<LLVM::LLVMPointerType>(type) ||
          isa<triton::PointerType>(element)) {
        if (isa<LLVM::LLVMPointerType>(type))
          value = LLVM::PtrToIntOp::create(b, loc, i64, value);
        return call(i, shape, linear, Pointer, 64, value);
      }
      unsigned bits = type.getIntOrFloatBitWidth();
      if (isa<FloatType>(type)) {
        value = castElements(value, b.getF64Type(), loc);
        value = arith::BitcastOp::create(b, loc, i64, value);
        return call(i, shape, linear, Float, bits, value);
      }
      if (bits < 64)
        value = isSigned && bits > 1
                    ? Value(arith::ExtSIOp::create(b, loc, i64, value))
                    : Value(arith::ExtUIOp::create(b, loc, i64, value));
      call(i, shape, linear, isSigned ? Signed : Unsigned, bits, value);
    };
    if (!tile) {
      one(lowered(operand), "", constant(0, loc));
      continue;
    }
    std::string shape;
    for (int64_t size : tile.getShape())
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    buildNest(loc, tile.getShape(), -1, 1, [&](const Point &point) {
      Value linear = constant(0, loc);
      for (auto [index, size] : llvm::zip(point.index, tile.getShape()))
        linear = addI(mulI(linear, constant(size, loc), loc), index, loc);
      one(emit(operand, point), shape, linear);
    });
  }
  return failure(hasFailed);
}
