//===- SpineOps.td - operations of the spine dialect -------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_DIALECT_SPINE_OPS
#define SPINE_TRITON_DIALECT_SPINE_OPS

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Spine_Dialect : Dialect {
  let name = "spine";
  let cppNamespace = "::mlir::spine";
  let summary = "Scratchpad memory of a program, between planning and code";
  let description = [{
    The dialect lives inside the pipeline only: no module that leaves the
    compiler contains it. It says which memory of a worker's arena a piece of
    code uses, before the arena's layout is known.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class Spine_Op<string mnemonic, list<Trait> traits = []>
    : Op<Spine_Dialect, mnemonic, traits>;

def Spine_ScratchOp : Spine_Op<"scratch", [
    MemoryEffects<[MemAlloc<DefaultResource>]>]> {
  let summary = "a buffer in the worker's arena";
  let description = [{
    Stands for `bytes` bytes of scratchpad, aligned to `alignment`, that live
    from this operation to the last use of the pointer or of a pointer derived
    from it. `id` is the buffer's number, `tile` that of the tile of the plan
    (`spine.tiles` of the function) which it is for: it holds the tile, or, if it
    is a `temporary`, what computing the tile takes besides. `name` says what code
    generation calls it. `spine-plan-scratchpad` replaces the operation by an
    address inside the arena.

    A buffer that is `kept` lives through all programs that a worker runs in one
    launch. It lies behind the arena, in memory that is no scratchpad.

    ```mlir
    %0 = spine.scratch {id = 3 : i64, bytes = 16384 : i64, alignment = 64 : i64, name = "carried", tile = 7 : i64} : !llvm.ptr
    ```
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$bytes,
                       DefaultValuedAttr<I64Attr, "64">:$alignment,
                       OptionalAttr<StrAttr>:$name, OptionalAttr<I64Attr>:$tile,
                       UnitAttr:$temporary, UnitAttr:$kept);
  let results = (outs LLVM_AnyPointer:$pointer);
  let assemblyFormat = "attr-dict `:` type($pointer)";
  let hasVerifier = 1;
}

#endif // SPINE_TRITON_DIALECT_SPINE_OPS
