//===- TritonOpBase.td - base of the tt operations ---------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_OPBASE_TD
#define TRITON_DIALECT_TRITON_IR_OPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonAttrDefs.td"
include "triton/Dialect/Triton/IR/TritonDialect.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"

// Memory behind pointers and descriptors. Prints and asserts write to it too:
// that keeps their order against loads and stores.
def GlobalMemory : Resource<"::mlir::triton::GlobalMemory">;

// Every tile among the operands and results has a static shape without
// zeros, and its size in bits fits 64 bits.
def TT_ValidTiles : NativeOpTrait<"ValidTiles"> {
  let cppNamespace = "::mlir::triton";
}

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat([TT_ValidTiles], traits)>;

// The result types are those that inferReturnTypes finds.
def TT_InferredTypes : NativeOpTrait<"InferredTypes"> {
  let cppNamespace = "::mlir::triton";
}

// For operations whose result types follow from operands and attributes. The
// trait above verifies them, with one error; the interface's own verification
// would add a second one to it.
defvar TT_inferredDeclarations = [{
  static ::llvm::LogicalResult
  refineReturnTypes(MLIRContext *, std::optional<Location>, ValueRange,
                    DictionaryAttr, OpaqueProperties, RegionRange,
                    ::llvm::SmallVectorImpl<Type> &) {
    return ::mlir::success();
  }
}];

class TT_InferredOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<InferTypeOpInterface>, TT_InferredTypes])> {
  let extraClassDeclaration = TT_inferredDeclarations;
}

// Infers the type of `rhs` from that of `lhs` when parsing; whether it fits is
// the verifier's business, which has better words for it.
class TT_ParsedFrom<string rhs, string lhs, string transform>
    : TypesMatchWith<rhs # " follows from " # lhs, lhs, rhs, transform,
                     "true || ::std::equal_to<>()">;

#endif // TRITON_DIALECT_TRITON_IR_OPBASE_TD
