//===- FuncOps.cpp - functions and calls ----------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void triton::FuncOp::build(OpBuilder &builder, OperationState &state,
                           StringRef name, FunctionType type,
                           ArrayRef<NamedAttribute> attrs,
                           ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (!argAttrs.empty())
    call_interface_impl::addArgAndResultAttrs(
        builder, state, argAttrs, /*resultAttrs=*/{},
        getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult triton::FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto makeType = [](Builder &builder, ArrayRef<Type> arguments,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), makeType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void triton::FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult triton::FuncOp::verifyType() {
  auto verify = [&](StringRef what, ArrayRef<Type> types) {
    for (auto [number, type] : llvm::enumerate(types)) {
      auto report = [&, number = number] {
        return emitOpError() << what << " " << number << ": ";
      };
      if (auto tile = dyn_cast<RankedTensorType>(type))
        if (failed(verifyTile(report, tile)))
          return failure();
    }
    return success();
  };
  return success(succeeded(verify("argument", getArgumentTypes())) &&
                 succeeded(verify("result", getResultTypes())));
}

/// The calls that lead from `start` back to `start`, if there are any. The
/// search is breadth first: the shortest such way, and no recursion here.
static SmallVector<triton::CallOp>
findRecursion(triton::FuncOp start, SymbolTableCollection &symbols) {
  // The call through which a function was first reached.
  DenseMap<Operation *, triton::CallOp> reachedBy;
  SmallVector<triton::FuncOp> work{start};
  for (unsigned next = 0; next < work.size() && !reachedBy.count(start); ++next)
    work[next].walk([&](triton::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<triton::FuncOp>(
          call, call.getCalleeAttr());
      if (callee && reachedBy.try_emplace(callee, call).second &&
          callee != start)
        work.push_back(callee);
    });

  SmallVector<triton::CallOp> path;
  if (!reachedBy.count(start))
    return path;
  Operation *function = start;
  do {
    path.push_back(reachedBy.lookup(function));
    function = path.back()->getParentOfType<triton::FuncOp>();
  } while (function != start);
  std::reverse(path.begin(), path.end());
  return path;
}

LogicalResult
triton::FuncOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  SmallVector<triton::CallOp> path = findRecursion(*this, symbolTable);
  if (path.empty())
    return success();
  InFlightDiagnostic diag = emitOpError()
                            << "@" << getName()
                            << " is recursive: functions of a kernel must not "
                               "call themselves, use a loop";
  for (triton::CallOp call : path)
    diag.attachNote(call.getLoc())
        << "@" << call->getParentOfType<triton::FuncOp>().getName()
        << " calls @" << call.getCallee() << " here";
  return diag;
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

void triton::CallOp::build(OpBuilder &builder, OperationState &state,
                           FuncOp callee, ValueRange operands) {
  build(builder, state, SymbolRefAttr::get(callee),
        callee.getFunctionType().getResults(), operands);
}

void triton::CallOp::build(OpBuilder &builder, OperationState &state,
                           SymbolRefAttr callee, TypeRange results,
                           ValueRange operands) {
  state.addOperands(operands);
  state.addAttribute(getCalleeAttrName(state.name), callee);
  state.addTypes(results);
}

void triton::CallOp::build(OpBuilder &builder, OperationState &state,
                           StringRef callee, TypeRange results,
                           ValueRange operands) {
  build(builder, state, SymbolRefAttr::get(builder.getContext(), callee),
        results, operands);
}

/// Verifies that the `what`s of a call have the types its callee declares.
static LogicalResult verifyTypes(triton::CallOp call, StringRef what,
                                 TypeRange given, TypeRange declared) {
  if (given.size() != declared.size())
    return call.emitOpError()
           << "has " << given.size() << " " << what << "s, but @"
           << call.getCallee() << " has " << declared.size();
  for (unsigned i = 0; i < given.size(); ++i)
    if (given[i] != declared[i])
      return call.emitOpError()
             << what << " " << i << " is of type " << given[i] << ", but @"
             << call.getCallee() << " declares " << declared[i];
  return success();
}

LogicalResult
triton::CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls @" << getCallee()
                         << ", which is not a tt.func of this module";
  FunctionType type = callee.getFunctionType();
  if (failed(
          verifyTypes(*this, "operand", getOperandTypes(), type.getInputs())))
    return failure();
  return verifyTypes(*this, "result", getResultTypes(), type.getResults());
}

//===----------------------------------------------------------------------===//
// ReturnOp
//===----------------------------------------------------------------------===//

LogicalResult triton::ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> declared = function.getFunctionType().getResults();
  if (getNumOperands() != declared.size())
    return emitOpError() << "returns " << getNumOperands() << " values, but @"
                         << function.getName() << " has " << declared.size()
                         << " results";
  for (unsigned i = 0; i < declared.size(); ++i)
    if (getOperand(i).getType() != declared[i])
      return emitOpError() << "value " << i << " is of type "
                           << getOperand(i).getType() << ", but @"
                           << function.getName() << " declares " << declared[i];
  return success();
}
