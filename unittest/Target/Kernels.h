//===- Kernels.h - hand-written kernels of the LLVM dialect -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_UNITTEST_TARGET_KERNELS_H
#define SPINE_TRITON_UNITTEST_TARGET_KERNELS_H

/// out[i] = x[i] + y[i] for i < n, 64 elements per program; the arguments are
/// x, y, out, n (i32).
inline constexpr const char *kAddKernel = R"mlir(
module {
  llvm.func @add(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64,
                 %arena: !llvm.ptr) attributes {spine.arena_bytes = 256 : i64} {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c64 = llvm.mlir.constant(64 : i64) : i64
    %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %args1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %y = llvm.load %args1 : !llvm.ptr -> !llvm.ptr
    %args2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %out = llvm.load %args2 : !llvm.ptr -> !llvm.ptr
    %args3 = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, i64
    %n32 = llvm.load %args3 : !llvm.ptr -> i32
    %n = llvm.sext %n32 : i32 to i64
    %first = llvm.mul %begin, %c64 : i64
    %last = llvm.mul %end, %c64 : i64
    %limit = llvm.intr.smin(%last, %n) : (i64, i64) -> i64
    llvm.br ^header(%first : i64)
  ^header(%i: i64):
    %more = llvm.icmp "slt" %i, %limit : i64
    llvm.cond_br %more, ^body, ^exit
  ^body:
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %vx = llvm.load %px : !llvm.ptr -> f32
    %vy = llvm.load %py : !llvm.ptr -> f32
    %sum = llvm.call @plus(%vx, %vy) : (f32, f32) -> f32
    llvm.store %sum, %po : f32, !llvm.ptr
    %next = llvm.add %i, %c1 : i64
    llvm.br ^header(%next : i64)
  ^exit:
    llvm.return
  }
  llvm.func @plus(%a: f32, %b: f32) -> f32 {
    %c = llvm.fadd %a, %b : f32
    llvm.return %c : f32
  }
}
)mlir";

/// Two variants that write 1 and 2 to their only argument.
inline constexpr const char *kVariantsKernel = R"mlir(
module {
  llvm.func @which(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64,
                   %arena: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %p = llvm.load %args : !llvm.ptr -> !llvm.ptr
    llvm.store %one, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @which__may_alias(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64,
      %end: i64, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64} {
    %two = llvm.mlir.constant(2 : i32) : i32
    %p = llvm.load %args : !llvm.ptr -> !llvm.ptr
    llvm.store %two, %p : i32, !llvm.ptr
    llvm.return
  }
}
)mlir";

/// Calls what only the runtime, the mathematical library and the compiler's
/// helpers have: out (f16) = expf(x) rounded twice, then fails an assertion if
/// the second argument (i32) is not 0.
inline constexpr const char *kCallsKernel = R"mlir(
module {
  llvm.mlir.global private constant @text("must be zero\00")
  llvm.mlir.global private constant @file("kernel.py\00")
  llvm.func @expf(f32) -> f32
  llvm.func @spine_rt_assert(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32)
  llvm.func @calls(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64,
                   %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %line = llvm.mlir.constant(7 : i32) : i32
    %out = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %args1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %flag = llvm.load %args1 : !llvm.ptr -> i32
    %args2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %x = llvm.load %args2 : !llvm.ptr -> f32
    %e = llvm.call @expf(%x) : (f32) -> f32
    %wide = llvm.fpext %e : f32 to f64
    %h = llvm.fptrunc %wide : f64 to f16
    llvm.store %h, %out : f16, !llvm.ptr
    %bad = llvm.icmp "ne" %flag, %zero : i32
    llvm.cond_br %bad, ^fail, ^exit
  ^fail:
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %file = llvm.mlir.addressof @file : !llvm.ptr
    llvm.call @spine_rt_assert(%text, %file, %file, %line, %zero, %zero, %zero)
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()
    llvm.br ^exit
  ^exit:
    llvm.return
  }
}
)mlir";

#endif // SPINE_TRITON_UNITTEST_TARGET_KERNELS_H
