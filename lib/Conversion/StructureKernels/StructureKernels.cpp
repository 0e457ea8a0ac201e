//===- StructureKernels.cpp - spine-structure-kernels ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "spine-triton/Conversion/Passes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINESTRUCTUREKERNELS
#include "spine-triton/Conversion/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

namespace {
/// Upstream's conversion, for functions of Triton.
struct FunctionToSCF : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &region) override {
    auto function = cast<triton::FuncOp>(region.getParentOp());
    SmallVector<Value> results;
    for (Type type : function.getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return triton::ReturnOp::create(builder, loc, results).getOperation();
  }
};

struct StructureKernels
    : spine::impl::SpineStructureKernelsBase<StructureKernels> {
  void runOnOperation() override {
    SmallVector<triton::FuncOp> functions(
        getOperation().getOps<triton::FuncOp>());
    for (triton::FuncOp function : functions)
      if (failed(structure(function)))
        return signalPassFailure();
    for (triton::FuncOp function : functions)
      if (function.isPublic() && failed(inlineCalls(function, {})))
        return signalPassFailure();
    for (triton::FuncOp function : functions)
      if (!function.isPublic())
        function.erase();
  }

  LogicalResult structure(triton::FuncOp function) {
    if (function.isExternal() || function.getBody().hasOneBlock())
      return success();
    const char *message = "the control flow of this function cannot be "
                          "expressed by loops and branches";
    // Upstream's conversion leaves a broken function behind if it fails.
    for (Block &block : function.getBody())
      if (!isa<triton::ReturnOp, cf::BranchOp, cf::CondBranchOp, cf::SwitchOp>(
              block.getTerminator()))
        return function.emitError(message);
    IRRewriter rewriter(function.getContext());
    (void)eraseUnreachableBlocks(rewriter, function.getBody());
    if (function.getBody().hasOneBlock())
      return success();
    FunctionToSCF interface;
    DominanceInfo dominance(function);
    FailureOr<bool> changed =
        transformCFGToSCF(function.getBody(), interface, dominance);
    if (failed(changed) || !function.getBody().hasOneBlock())
      return function.emitError(message);
    ++numStructured;
    return success();
  }

  /// Replaces the calls in `function`. `callers` are the functions whose
  /// inlining led here.
  LogicalResult inlineCalls(triton::FuncOp function,
                            SmallVector<triton::FuncOp> callers) {
    if (llvm::is_contained(callers, function))
      return function.emitError("a function that calls itself is not "
                                "supported; use a loop");
    callers.push_back(function);
    SmallVector<triton::CallOp> calls;
    function.walk([&](triton::CallOp call) { calls.push_back(call); });
    for (triton::CallOp call : calls) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<triton::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee.isExternal())
        return call.emitError("the called function '")
               << call.getCallee() << "' has no body in this module";
      if (failed(inlineCalls(callee, callers)))
        return failure();
      OpBuilder builder(call);
      IRMapping mapping;
      mapping.map(callee.getArguments(), call.getOperands());
      Block &body = callee.getBody().front();
      for (Operation &op : body.without_terminator())
        builder.clone(op, mapping);
      for (auto [result, value] :
           llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
      ++numInlined;
    }
    return success();
  }
};
} // namespace
