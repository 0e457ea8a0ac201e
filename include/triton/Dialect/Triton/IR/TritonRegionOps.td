//===- TritonRegionOps.td - operations with scalar bodies --*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_REGIONOPS_TD
#define TRITON_DIALECT_TRITON_IR_REGIONOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "triton/Dialect/Triton/IR/TritonOpBase.td"

defvar TT_combineDeclarations = TT_inferredDeclarations # [{
  /// The types of the source tiles.
  ::llvm::SmallVector<RankedTensorType> getInputTypes();
  /// Their element types.
  ::llvm::SmallVector<Type> getElementTypes();
}];

def TT_ReduceOp : TT_InferredOp<"reduce", [Pure, SingleBlock]> {
  let summary = "tiles reduced along an axis";
  let description = [{
    The body combines two groups of scalars, one scalar per source each, into
    one group. The order in which it is applied is not specified. Sources of
    one dimension give scalars.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Data>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "ValueRange":$srcs, "int":$axis)>];
  let extraClassDeclaration = TT_combineDeclarations # [{
    /// The operation that makes the whole body beside its terminator, if the
    /// body is one operation on its two arguments; null otherwise.
    ::mlir::Operation *getSingleCombiner();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanOp : TT_InferredOp<"scan", [Pure, SingleBlock]> {
  let summary = "prefixes of tiles combined along an axis";
  let description = [{
    The body is that of a reduction and associative; element i of the result
    combines elements 0 to i, or i to the last if `reverse` is set.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis,
                       BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "ValueRange":$srcs, "int":$axis,
                             "bool":$reverse)>];
  let extraClassDeclaration = TT_combineDeclarations;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "scalar code applied to every element";
  let description = [{
    The body takes `pack` elements of each source, those of the first source
    first, and returns `pack` elements of each result. It may branch.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class TT_BodyReturnOp<string mnemonic, string parent> : TT_Op<mnemonic,
    [HasParent<parent>, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
}

def TT_ReduceReturnOp : TT_BodyReturnOp<"reduce.return", "ReduceOp"> {
  let summary = "end of a reduction's body";
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanReturnOp : TT_BodyReturnOp<"scan.return", "ScanOp"> {
  let summary = "end of a scan's body";
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_MapElementwiseReturnOp
    : TT_BodyReturnOp<"map_elementwise.return", "MapElementwiseOp"> {
  let summary = "end of the body of a map_elementwise";
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // TRITON_DIALECT_TRITON_IR_REGIONOPS_TD
