//===- TritonMemoryOps.td - loads, stores, block pointers --*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_MEMORYOPS_TD
#define TRITON_DIALECT_TRITON_IR_MEMORYOPS_TD

include "triton/Dialect/Triton/IR/TritonOpBase.td"

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize]> {
  let summary = "a pointer to one tile of a tensor in memory";
  let description = [{
    The tensor is given by its address, and by an extent and a stride in
    elements for each dimension; the tile by its shape, which is the result
    type's, and its offsets. `order` lists the dimensions from the one that
    varies fastest in memory; it is a hint and does not change addresses.

    ```mlir
    %0 = tt.make_tensor_ptr %base, [%m, %k], [%k, %one], [%i, %zero] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let builders = [OpBuilder<(ins "Value":$base, "ValueRange":$shape,
                             "ValueRange":$strides, "ValueRange":$offsets,
                             "ArrayRef<int32_t>":$tensorShape,
                             "ArrayRef<int32_t>":$order)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "a tile pointer moved by offsets";
  let description = [{
    Adds the offsets, in elements, to those of the pointer, with 64 bits.
  }];
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_LoadOp : TT_Op<"load", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result is what ptr points to", "ptr", "result",
                   "getPointeeType($_self)">,
    TT_ParsedFrom<"mask", "ptr", "getI1SameShape(getPointeeType($_self))">,
    TT_ParsedFrom<"other", "ptr", "getPointeeType($_self)">]> {
  let summary = "reads a scalar, gathers a tile, or reads a tile";
  let description = [{
    Through a pointer or a tensor of pointers, `mask` says which elements are
    read and `other` what the rest is (undefined if there is none). Through a
    pointer to a tile, `boundaryCheck` lists the dimensions along which
    elements outside the tensor are not read, and `padding` is their value
    (undefined if there is none).
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr,
    Optional<TT_BoolLike>:$mask,
    Optional<TT_Data>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr,
                      "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOptionAttr>:$padding,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Data:$result);
  let builders = [
    OpBuilder<(ins "Value":$ptr, "CacheModifier":$cache,
                   "EvictionPolicy":$evict, "bool":$isVolatile)>,
    OpBuilder<(ins "Value":$ptr, "ArrayRef<int32_t>":$boundaryCheck,
                   "std::optional<PaddingOption>":$padding,
                   "CacheModifier":$cache, "EvictionPolicy":$evict,
                   "bool":$isVolatile)>,
    OpBuilder<(ins "Value":$ptr, "Value":$mask, "CacheModifier":$cache,
                   "EvictionPolicy":$evict, "bool":$isVolatile)>,
    OpBuilder<(ins "Value":$ptr, "Value":$mask, "Value":$other,
                   "CacheModifier":$cache, "EvictionPolicy":$evict,
                   "bool":$isVolatile)>,
    OpBuilder<(ins "Value":$ptr, "Value":$mask, "Value":$other,
                   "ArrayRef<int32_t>":$boundaryCheck,
                   "std::optional<PaddingOption>":$padding,
                   "CacheModifier":$cache, "EvictionPolicy":$evict,
                   "bool":$isVolatile)>
  ];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_StoreOp : TT_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TT_ParsedFrom<"value", "ptr", "getPointeeType($_self)">,
    TT_ParsedFrom<"mask", "ptr", "getI1SameShape(getPointeeType($_self))">]> {
  let summary = "writes a scalar, scatters a tile, or writes a tile";
  let description = [{
    Elements whose mask is false, and elements that lie outside the tensor
    along a dimension of `boundaryCheck`, are not written.
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr,
    TT_Data:$value,
    Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr,
                      "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::mlir::triton::EvictionPolicy::NORMAL">:$evict);
  let builders = [
    OpBuilder<(ins "Value":$ptr, "Value":$value, "CacheModifier":$cache,
                   "EvictionPolicy":$evict)>,
    OpBuilder<(ins "Value":$ptr, "Value":$value, "Value":$mask,
                   "CacheModifier":$cache, "EvictionPolicy":$evict)>,
    OpBuilder<(ins "Value":$ptr, "Value":$value,
                   "ArrayRef<int32_t>":$boundaryCheck, "CacheModifier":$cache,
                   "EvictionPolicy":$evict)>
  ];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

class TT_AtomicOp<string mnemonic> : TT_Op<mnemonic,
    [MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let results = (outs TT_Data:$result);
  let hasVerifier = 1;
}

def TT_AtomicRMWOp : TT_AtomicOp<"atomic_rmw"> {
  let summary = "changes memory atomically and returns what was there";
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op, TT_PtrLike:$ptr,
                       TT_Data:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)?
    attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicCASOp : TT_AtomicOp<"atomic_cas"> {
  let summary = "replaces memory if it holds `cmp`; returns what was there";
  let arguments = (ins TT_PtrLike:$ptr, TT_Data:$cmp, TT_Data:$val,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:`
    functional-type(operands, $result)
  }];
}

#endif // TRITON_DIALECT_TRITON_IR_MEMORYOPS_TD
