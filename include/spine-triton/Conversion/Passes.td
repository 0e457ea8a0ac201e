//===- Passes.td - conversion passes -----------------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CONVERSION_PASSES
#define SPINE_TRITON_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTritonToLinalg : Pass<"convert-triton-to-linalg", "ModuleOp"> {
  let summary = "Express what a kernel computes on tiles in linalg";
  let description = [{
    Rewrites every operation that computes a tile from tiles into linalg (and
    `tensor` for pure changes of shape), so that code generation sees a dozen
    forms and not the hundred operations of Triton and `arith`. Elementwise
    operations become `linalg.generic` around their scalar form, `tt.dot` becomes
    `linalg.matmul` or `linalg.batch_matmul`, `tt.trans` a `linalg.transpose`,
    `tt.splat` a `linalg.fill`, and so on. A product that is added to an
    accumulator afterwards is made to accumulate into it.

    What linalg on tensors cannot say stays as it is: `tt.load`, `tt.store` and
    the atomics, because a `bufferization.to_tensor` has no memory effect and
    would let a load move past a store to the same bytes; `tt.reduce` and
    `tt.scan`, because a combine region need not have a neutral element and
    linalg has no scan; `tt.print` and `tt.assert`. Scalars are left alone.

    Before:

    ```mlir
    tt.func @kernel(%x: f32, %t: tensor<16x32xf32>) -> tensor<16x32xf32> {
      %s = tt.splat %x : f32 -> tensor<16x32xf32>
      %r = arith.addf %s, %t : tensor<16x32xf32>
      tt.return %r : tensor<16x32xf32>
    }
    ```

    After (with `-cse`, where `#id` is the identity map):

    ```mlir
    tt.func @kernel(%x: f32, %t: tensor<16x32xf32>) -> tensor<16x32xf32> {
      %e = tensor.empty() : tensor<16x32xf32>
      %s = linalg.fill ins(%x : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%s, %t : tensor<16x32xf32>, tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %sum = arith.addf %a, %b : f32
        linalg.yield %sum : f32
      } -> tensor<16x32xf32>
      tt.return %r : tensor<16x32xf32>
    }
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect",
                           "arith::ArithDialect"];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Tile operations converted">,
    Statistic<"numFusedAccumulators", "num-fused-accumulators",
              "Additions folded into the product they follow">
  ];
}

def SpineStructureKernels : Pass<"spine-structure-kernels", "ModuleOp"> {
  let summary = "Leave nothing but kernels with structured control flow";
  let description = [{
    Code generation works on one function at a time and on regions, not on a
    graph of blocks. This pass turns the branches that an early `return` leaves
    behind into `scf.if` (with upstream's conversion of control flow to scf),
    copies every called function into its caller, `noinline` or not, and drops
    the functions that are no kernels. The inliner of MLIR does not do: it
    leaves `noinline` functions and functions of several blocks alone.

    A function that calls itself cannot be inlined and is an error.

    Before:

    ```mlir
    tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
      %c0 = arith.constant 0 : i32
      %done = arith.cmpi eq, %n, %c0 : i32
      cf.cond_br %done, ^bb1, ^bb2
    ^bb1:
      tt.return
    ^bb2:
      %x = arith.constant 1.0 : f32
      tt.store %p, %x : !tt.ptr<f32>
      tt.return
    }
    ```

    After (with `-cse`):

    ```mlir
    tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
      %c0 = arith.constant 0 : i32
      %done = arith.cmpi eq, %n, %c0 : i32
      scf.if %done {
      } else {
        %x = arith.constant 1.0 : f32
        tt.store %p, %x : !tt.ptr<f32>
      }
      tt.return
    }
    ```
  }];
  let dependentDialects = ["scf::SCFDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "ub::UBDialect"];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Calls replaced by the called code">,
    Statistic<"numStructured", "num-structured",
              "Functions whose branches became regions">
  ];
}

#endif // SPINE_TRITON_CONVERSION_PASSES
