//===- TritonTypes.td - types of the tt dialect ------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_TYPES_TD
#define TRITON_DIALECT_TRITON_IR_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "triton/Dialect/Triton/IR/TritonDialect.td"

class TT_TypeDef<string name, string mnemonic_>
    : TypeDef<Triton_Dialect, name> {
  let mnemonic = mnemonic_;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to a scalar or to a tile";
  let description = [{
    `!tt.ptr<f32>` is an address. `!tt.ptr<tensor<64x32xf32>>` is a block
    pointer: a base tensor's address, shape and strides together with the
    offsets of one tile. The address space is printed if it is not 1.
  }];
  let parameters = (ins "Type":$pointeeType, "int":$addressSpace);
  let skipDefaultBuilders = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "Type":$pointeeType, "int":$addressSpace),
    [{ return $_get(pointeeType.getContext(), pointeeType, addressSpace); }]>];
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "descriptor of a tensor in memory";
  let description = [{
    Describes a base tensor; loads and stores through it move tiles of
    `blockType`, whose element type may carry a sign. It prints as
    `!tt.tensordesc<tensor<16x16xf32>>`, and `!tt.tensordesc<16x16xf32>` is
    read as well.
  }];
  let parameters = (ins "RankedTensorType":$blockType);
  let builders = [TypeBuilderWithInferredContext<
    (ins "RankedTensorType":$blockType),
    [{ return $_get(blockType.getContext(), blockType); }]>];
  let extraClassDeclaration = [{
    /// The block type with an element type that carries no sign, as tiles have.
    RankedTensorType getSignlessBlockType() const;
  }];
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16,
                          F32, F64], "floating-point">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_I32Like : AnyTypeOf<[I32, RankedTensorOf<[I32]>]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;

def TT_Ptr : DialectType<Triton_Dialect,
    CPred<"::mlir::triton::isScalarPointerType($_self)">, "pointer to a scalar",
    "::mlir::triton::PointerType">;
def TT_TensorPtr : DialectType<Triton_Dialect,
    CPred<"::mlir::triton::isTensorPointerType($_self)">, "pointer to a tile",
    "::mlir::triton::PointerType">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr]>;

// A value that is not a pointer to a tile.
def TT_Data : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike]>;
def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_TensorPtr]>;

#endif // TRITON_DIALECT_TRITON_IR_TYPES_TD
