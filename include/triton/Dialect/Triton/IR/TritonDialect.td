//===- TritonDialect.td - the tt dialect -------------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_DIALECT_TD
#define TRITON_DIALECT_TRITON_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::mlir::triton";
  let summary = "What Triton's frontends print";
  let description = [{
    The operations, types and attributes of Triton IR as the frontends of
    Triton 3.6 and 3.7 print them. A kernel is a `tt.func`; it computes on
    scalars and on tiles, that is on ranked tensors of static shape, with the
    arithmetic of the `arith` and `math` dialects and the control flow of `scf`
    and `cf`.

    The verifier is stricter than Triton's: an operation whose attributes do
    not fit its types is refused here and not by a later stage.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Adds the types; called once when the dialect is loaded.
    void registerTypes();
  }];
}

#endif // TRITON_DIALECT_TRITON_IR_DIALECT_TD
