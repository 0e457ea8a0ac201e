//===- TritonElementwiseOps.td - elementwise operations ----*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_ELEMENTWISEOPS_TD
#define TRITON_DIALECT_TRITON_IR_ELEMENTWISEOPS_TD

include "triton/Dialect/Triton/IR/TritonOpBase.td"

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

class TT_CastOp<string mnemonic> : TT_Op<mnemonic,
    [Pure, Elementwise, SameOperandsAndResultShape]> {
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_IntToPtrOp : TT_CastOp<"int_to_ptr"> {
  let summary = "64-bit integers as addresses";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let hasFolder = 1;
}

def TT_PtrToIntOp : TT_CastOp<"ptr_to_int"> {
  let summary = "addresses as 64-bit integers";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let hasFolder = 1;
}

def TT_BitcastOp : TT_CastOp<"bitcast"> {
  let summary = "the same bits as another type";
  let description = [{
    Source and result are both pointers of one address space, or both numbers
    of one width.
  }];
  let arguments = (ins TT_Data:$src);
  let results = (outs TT_Data:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_FpToFpOp : TT_CastOp<"fp_to_fp"> {
  let summary = "conversion between floating-point formats";
  let description = [{
    Converts to and from 8-bit formats, and rounds as told: `rounding` is
    needed to go to a narrower format and not allowed otherwise.
  }];
  let arguments = (ins TT_FloatLike:$src,
                       OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Arithmetic that arith and math do not have
//===----------------------------------------------------------------------===//

class TT_ArithOp<string mnemonic> : TT_Op<mnemonic,
    [Pure, Elementwise, SameOperandsAndResultType]>;

def TT_ClampFOp : TT_ArithOp<"clampf"> {
  let summary = "value limited to an interval";
  let description = [{
    min(max(x, min), max). If `propagateNan` is `all` the result is NaN where
    x is; if it is `none` it is a bound there.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:`
    type($result)
  }];
}

def TT_PreciseSqrtOp : TT_ArithOp<"precise_sqrt"> {
  let summary = "square root, correctly rounded";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_ArithOp<"precise_divf"> {
  let summary = "quotient, correctly rounded";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_ArithOp<"mulhiui"> {
  let summary = "upper half of an unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_AddPtrOp : TT_Op<"addptr", [
    Pure, Elementwise, SameOperandsAndResultShape,
    AllTypesMatch<["ptr", "result"]>]> {
  let summary = "addresses moved by a number of elements";
  let description = [{
    The offset is signed and counts elements of the pointee type.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat =
      "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Foreign code
//===----------------------------------------------------------------------===//

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [
    Elementwise, SameVariadicOperandSize,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "a library's function applied to every element";
  let description = [{
    Calls `symbol` of the library `libname` at `libpath`. `pure` says that the
    function has no effects.
  }];
  let arguments = (ins Variadic<TT_Data>:$srcs, StrAttr:$libname,
                       StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Data:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, $result)";
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    Elementwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "assembly code applied to every element";
  let description = [{
    The code sees `packed_element` elements at a time; which ones is not
    specified.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints,
                       BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_Data>:$args);
  let results = (outs Variadic<TT_Data>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The program grid
//===----------------------------------------------------------------------===//

class TT_ProgramOp<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "int":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(),
          ProgramIDDimAttr::get($_builder.getContext(), ProgramIDDim(axis)));
  }]>];
  let extraClassDeclaration = [{
    int32_t getAxisAsInt() { return static_cast<int32_t>(getAxis()); }
  }];
}

def TT_GetProgramIdOp : TT_ProgramOp<"get_program_id"> {
  let summary = "index of this program along an axis of the grid";
}

def TT_GetNumProgramsOp : TT_ProgramOp<"get_num_programs"> {
  let summary = "number of programs along an axis of the grid";
}

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

def TT_PrintOp : TT_Op<"print", [
    SameVariadicOperandSize, MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let summary = "prints scalars and tiles";
  let description = [{
    `isSigned` has one entry per operand: whether integers print with a sign.
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Data>:$args,
                       DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let summary = "ends the program unless a condition holds everywhere";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif // TRITON_DIALECT_TRITON_IR_ELEMENTWISEOPS_TD
