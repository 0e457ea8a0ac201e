//===- TritonDescriptorOps.td - tensor descriptors ---------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_DESCRIPTOROPS_TD
#define TRITON_DIALECT_TRITON_IR_DESCRIPTOROPS_TD

include "triton/Dialect/Triton/IR/TritonOpBase.td"

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [
    Pure, SameVariadicOperandSize]> {
  let summary = "a descriptor of a tensor in memory";
  let description = [{
    The tensor is given by its address and, for each dimension, an extent and
    a stride in elements. `padding` is what loads give for elements outside
    the tensor; stores there are left out.
  }];
  let arguments = (ins
    TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOptionAttr,
                      "::mlir::triton::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let builders = [OpBuilder<(ins "Value":$base, "ValueRange":$shape,
                             "ValueRange":$strides,
                             "ArrayRef<int32_t>":$blockShape,
                             "bool":$isSignedInteger,
                             "PaddingOption":$padding)>];
  let extraClassDeclaration = [{
    ArrayRef<int64_t> getTensorShape() {
      return getType().getBlockType().getShape();
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load"> {
  let summary = "reads a tile through a descriptor";
  let description = [{
    The tile starts at `indices`, given in elements. Its shape is that of the
    descriptor's block, or of the block without leading dimensions of size 1.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>]>:$desc,
    Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]`
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store"> {
  let summary = "writes a tile through a descriptor";
  let arguments = (ins
    Arg<TT_TensorDescType, "",
        [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>:$desc,
    TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,`
    type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce"> {
  let summary = "combines a tile with memory through a descriptor, atomically";
  let arguments = (ins
    TT_DescriptorReduceKindAttr:$kind,
    Arg<TT_TensorDescType, "",
        [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>:$desc,
    TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:`
    qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather"> {
  let summary = "reads rows chosen by index through a descriptor";
  let description = [{
    The descriptor's block is one row; row i of the result starts at row
    `x_offsets[i]`, column `y_offset` of the tensor.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>]>:$desc,
    RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter"> {
  let summary = "writes rows chosen by index through a descriptor";
  let arguments = (ins
    Arg<TT_TensorDescType, "",
        [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>:$desc,
    RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:`
    type(operands)
  }];
  let hasVerifier = 1;
}

#endif // TRITON_DIALECT_TRITON_IR_DESCRIPTOROPS_TD
