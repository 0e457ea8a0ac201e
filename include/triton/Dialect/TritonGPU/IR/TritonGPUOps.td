//===- TritonGPUOps.td - the part of ttg that frontends print -*- tablegen -*-//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITONGPU_IR_OPS_TD
#define TRITON_DIALECT_TRITONGPU_IR_OPS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::mlir::triton::gpu";
  let summary = "Barriers of Triton's GPU dialect";
  let description = [{
    Triton's frontends print one operation that is not in the tt dialect: the
    barrier that `tl.debug_barrier` stands for. Triton 3.7 prints
    `ttg.barrier`, Triton 3.6 `gpu.barrier` of MLIR's gpu dialect. In a program
    that one thread runs they mean nothing.
  }];
}

def TTG_NoSpace : I32BitEnumAttrCaseNone<"None", "none">;
def TTG_Local : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_GlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_GlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_TensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_TensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_AllSpaces : I32BitEnumAttrCaseGroup<"All", [
  TTG_Local, TTG_GlobalRead, TTG_GlobalWrite, TTG_TensorRead, TTG_TensorWrite
], "all">;

def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "memory that a barrier orders", [
  TTG_NoSpace, TTG_Local, TTG_GlobalRead, TTG_GlobalWrite, TTG_TensorRead,
  TTG_TensorWrite, TTG_AllSpaces
]> {
  let cppNamespace = "::mlir::triton::gpu";
  let separator = "|";
  let printBitEnumPrimaryGroups = 1;
}

def TTG_BarrierOp : Op<TritonGPU_Dialect, "barrier"> {
  let summary = "waits for all threads of a program";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpaces>($addrSpace) attr-dict";
}

#endif // TRITON_DIALECT_TRITONGPU_IR_OPS_TD
