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

def SpineDropUnitBatch : Pass<"spine-drop-unit-batch", "ModuleOp"> {
  let summary = "Turn products of one matrix per batch into plain products";
  let description = [{
    A kernel that takes one matrix of a batch per program has tiles of three
    dimensions, `1xMxK`, whose first says nothing. In kernels with such a
    product, tiles lose that dimension, so that all that code generation does
    for products of matrices is done for these, too. A block pointer to one
    matrix becomes a block pointer to a tile of that matrix, which has no
    elements if the batch's index is outside of a checked dimension.

    Products, elementwise operations, loads, stores, broadcasts, transposes that
    leave the batch in front, loops and branches work on matrices. What else
    uses such a tile, as reductions do, sees it through a `tt.reshape`.

    Before:

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f32>, %x: tensor<1x16x32xf32>, %y: tensor<1x32x16xf32>, %i: i32, %m: i64, %n: i64, %pitch: i64) {
      %c0 = arith.constant 0 : i32
      %one = arith.constant 1 : i64
      %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
      %z = tt.dot %x, %y, %zero : tensor<1x16x32xf32> * tensor<1x32x16xf32> -> tensor<1x16x16xf32>
      %q = tt.make_tensor_ptr %p, [%m, %n, %n], [%pitch, %n, %one], [%i, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x16x16xf32>>
      tt.store %q, %z {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<1x16x16xf32>>
      tt.return
    }
    ```

    After (with `-cse`):

    ```mlir
    tt.func @kernel(%p: !tt.ptr<f32>, %x: tensor<1x16x32xf32>, %y: tensor<1x32x16xf32>, %i: i32, %m: i64, %n: i64, %pitch: i64) {
      %b = tt.reshape %y : tensor<1x32x16xf32> -> tensor<32x16xf32>
      %a = tt.reshape %x : tensor<1x16x32xf32> -> tensor<16x32xf32>
      %c0 = arith.constant 0 : i32
      %one = arith.constant 1 : i64
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %z = tt.dot %a, %b, %zero : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
      %batch = arith.extsi %i : i32 to i64
      %step = arith.muli %batch, %pitch : i64
      %r = tt.addptr %p, %step : !tt.ptr<f32>, i64
      %q = tt.make_tensor_ptr %r, [%n, %n], [%n, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
      tt.store %q, %z {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x16xf32>>
      tt.return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "triton::TritonDialect"];
  let statistics = [
    Statistic<"numProducts", "num-products", "Products of one matrix per batch">
  ];
}

#endif // SPINE_TRITON_CONVERSION_PASSES
