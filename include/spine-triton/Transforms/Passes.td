//===- Passes.td - passes of this folder -------------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_PASSES
#define SPINE_TRITON_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

// The examples in the descriptions are tests: each pass has a file
// description.mlir beside its other tests that holds them.

def SpineAutoTile : Pass<"spine-auto-tile", "::mlir::ModuleOp"> {
  let summary = "Split tiles that do not fit into loops over parts that do";
  let description = [{
    Looks at the kernels whose tiles need more bytes than `capacity - reserve`
    (by the analysis of `spine-check-residency`), splits axes of their tiles,
    and leaves all others as they are.

    An axis is what dimensions of tiles share when an operation needs the same
    part of each of them: the rows of a matrix that is loaded, of a product it
    is a factor of, and of the tile that is stored at the end. Splitting it puts
    everything that works on it into a loop over parts. What ends an axis is a
    store, a reduction along it, or a product along its K dimension; the latter
    two accumulate over the loop. What needs the result of such a reduction (the
    exponentials of a softmax its maximum) comes in a second loop, which loads
    and computes again what it needs of the axis. Loops of the kernel that carry
    tiles on the axis are executed once per part. What does not depend on the
    axis is computed once.

    Sizes are found by trying, from large to small: each step halves the axis
    that adds the fewest bytes moved between memory and scratchpad, parallel
    axes before reduced ones, until the kernel fits; reduced ones are split also
    where that moves fewer bytes in all. Parts
    are multiples of the elements that fill a vector (`vector-bits`, by the
    widest elements that are loaded or stored) and a matrix unit
    (`matrix-units`), unless they have to be smaller; of these, sizes that
    divide the axis are preferred, else a smaller part follows the loop. A remark says what was
    split. If nothing fits, the kernel is left as it was, with a note for the
    residency check on each axis that could not be split.

    Before:

    ```mlir
    tt.func @scale(%x: !tt.ptr<f32>, %n: i64) {
      %c0 = arith.constant 0 : i32
      %unit = arith.constant 1 : i64
      %two = arith.constant dense<2.0> : tensor<4096xf32>
      %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4096xf32>>
      %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
      %b = arith.mulf %a, %two : tensor<4096xf32>
      tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
      tt.return
    }
    ```

    After, with `capacity=8192` (`%e` is the extent of the whole tile):

    ```mlir
    scf.for %i = %c0 to %c4096 step %c1024 : i32 {
      %q = tt.make_tensor_ptr %x, [%e], [%unit], [%i] {order = array<i32: 0>} : <tensor<1024xf32>>
      %a = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
      %b = arith.mulf %a, %two : tensor<1024xf32>
      tt.store %q, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
    }
    ```

    Results: splitting an axis that is not reduced changes no bit. A product
    along K adds in the same order, and in f32 if its result is narrower. Other
    reductions combine the results on
    parts, so floating-point sums may be rounded differently.

    Order of loads and stores: each part is stored before the next one is
    loaded. So a store and a load (or another store) of one part of the program
    are split together only if elements of different parts have different
    addresses. Accesses through one argument are compared as sums of the tile's
    indices times strides: `base + i * s + j * t` for tiles of pointers, the
    same for block pointers, with what masks and boundary checks leave out. In
    place, `x[i]` is rewritten part by part; rows that overlap, a stride of
    zero, `i % n`, `i // n` and addresses that are loaded are not split. What
    follows from strides, sizes and the grid only becomes a condition of the
    launch, as does the memory of different arguments: the function gets the
    attribute `spine.launch_conditions`, by which this project's launcher refuses
    arguments for which elements of different parts would have one address; a
    note says so. Several
    elements of one store may have one address if parts are stored in the order
    of the whole tile, which the first of its dimensions keeps: the last one
    remains.

    Limits: axes along which tiles are scanned (their other axes are split),
    gathered, joined, or merged by a reshape, and axes of atomic operations,
    tensor descriptors, printed tiles, volatile loads and of tiles that
    `scf.while` or branches hand on, are not split. Neither is an axis that is
    reduced in a loop which carries tiles on it, nor one that meets itself (a
    product of a tile with its own transpose).
    Block pointers are made anew at their uses, as by
    `spine-rebase-tensor-ptr`; run the inliner, canonicaliser and CSE before.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"capacity", "capacity", "int64_t", /*default=*/"-1",
           "Bytes of scratchpad memory of one core; -1: as the module's target "
           "says, else 393216">,
    Option<"reserve", "reserve", "int64_t", /*default=*/"-1",
           "Bytes of it that are not for tiles; -1: as the module's target says, "
           "else 0">,
    Option<"target", "target", "std::string", /*default=*/"",
           "Name of the target, for the remark">,
    Option<"policy", "policy", "::mlir::spine::ResidencyPolicyKind",
           /*default=*/"::mlir::spine::ResidencyPolicyKind::StageAll",
           "Which compiler's placements", [{::llvm::cl::values(
             clEnumValN(::mlir::spine::ResidencyPolicyKind::StageAll,
                        "stage-all", "each tile is packed"),
             clEnumValN(::mlir::spine::ResidencyPolicyKind::StageMirrored,
                        "stage-mirrored",
                        "loads through block pointers are mirrored in granules, "
                        "other tiles packed"))}]>,
    Option<"alignment", "alignment", "int64_t", /*default=*/"-1",
           "Alignment of tiles in the scratchpad, in bytes; -1: as the module's "
           "target says, else 1">,
    Option<"granule", "granule", "int64_t", /*default=*/"-1",
           "Bytes that are moved at least, a cache line or burst; -1: as the "
           "module's target says, else 64">,
    Option<"numStages", "num-stages", "int64_t", /*default=*/"1",
           "Copies of tiles that are loaded in a loop">,
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"-1",
           "Bits of a vector register; -1: as the module's target says, else "
           "not known">,
    ListOption<"matrixUnits", "matrix-units", "std::string",
               "Shapes of the matrix unit by type of element, M x K x N: "
               "i8:8x16x8">,
    Option<"markAssumptions", "mark-assumptions", "bool", /*default=*/"true",
           "Whether functions get the attribute `spine.launch_conditions`, for "
           "a launcher that looks for it">,
    Option<"markObstacles", "mark-obstacles", "bool", /*default=*/"true",
           "Whether functions that are not split get an attribute that says "
           "why, for spine-check-residency, which takes it away">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels that were split">,
    Statistic<"numAxes", "axes", "axes that were split">,
    Statistic<"numLoops", "loops", "loops over parts that were made">
  ];
}

def SpineRebaseTensorPtr
    : Pass<"spine-rebase-tensor-ptr", "::mlir::ModuleOp"> {
  let summary = "Make every tt.make_tensor_ptr describe one tile";
  let description = [{
    A `tt.make_tensor_ptr` describes a whole tensor and, by its offsets, a tile
    in it. A compiler stage that judges the op by its shape operands sees the
    tensor, however small the tile. After this pass it sees the tile: the base
    points at the tile, and the extents are what of the tile lies inside of the
    tensor.

    Per dimension with offset `o`, tile size `t`, extent `e` and stride `s`, in
    64-bit arithmetic:

        r      = clamp(o, -t, 0)
        base  += (o - r) * s
        offset = r
        extent = clamp(e - max(o, 0), 0, t + r)

    `r` is what of the tile lies before the tensor; it stays an offset so that
    the lower bound is checked as before. In a dimension that the load or store
    does not check, the extent is the constant `t` and `r` is 0: no element is
    left out there, so that only the address counts. Loads and stores that check
    different dimensions of one pointer get one `tt.make_tensor_ptr` each.

    Chains of `tt.advance` are folded in. Pointers that `scf.for`, `scf.while`,
    `scf.if`, `arith.select` or branches hand on are replaced by the fields in
    which they differ, as a rule some of the offsets, as i64 values; the pointer
    is made anew where it is used.

    The bytes that are read and written and the elements that are padded are the
    same as before.

    Before:

    ```mlir
    tt.func @sum(%x: !tt.ptr<f32>, %m: i64, %n: i64, %trips: i32) -> tensor<8x16xf32> {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c16 = arith.constant 16 : i32
      %unit = arith.constant 1 : i64
      %zero = arith.constant dense<0.0> : tensor<8x16xf32>
      %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
      %s:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %p, %acc = %zero) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
        %tile = tt.load %q {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x16xf32>>
        %sum = arith.addf %acc, %tile : tensor<8x16xf32>
        %next = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
        scf.yield %next, %sum : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
      }
      tt.return %s#1 : tensor<8x16xf32>
    }
    ```

    After (with `-canonicalize`; `%o` is the offset that the loop carries):

    ```mlir
    %s:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %zero, %o = %c0_i64) -> (tensor<8x16xf32>, i64) : i32 {
      %before0 = arith.minsi %o, %c0_i64 : i64
      %before = arith.maxsi %before0, %c-16_i64 : i64
      %n0 = arith.maxsi %n, %c0_i64 : i64
      %first = arith.maxsi %o, %c0_i64 : i64
      %inside = arith.subi %n0, %first : i64
      %room = arith.addi %before, %c16_i64 : i64
      %step = arith.subi %o, %before : i64
      %offset = arith.trunci %before : i64 to i32
      %extent0 = arith.minsi %inside, %room : i64
      %extent = arith.maxsi %extent0, %c0_i64 : i64
      %base = tt.addptr %x, %step : !tt.ptr<f32>, i64
      %q = tt.make_tensor_ptr %base, [%c8_i64, %extent], [%n, %unit], [%c0, %offset] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
      %tile = tt.load %q {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x16xf32>>
      ...
    ```

    Limits: a pointer that comes from the caller, is returned, or is passed to a
    function that is not inlined or to an operation that the pass does not know
    is left alone, together with those that share a loop or branch with it; a
    remark says so at its `tt.make_tensor_ptr`. Run the inliner before. Where
    control flow merges pointers of different `order`, which is a hint about the
    layout in memory, the first one's is kept.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numRebased", "rebased", "tt.make_tensor_ptr ops rebased">,
    Statistic<"numLeftAlone", "left-alone",
              "tt.make_tensor_ptr ops left alone">,
    Statistic<"numCarried", "carried-pointers",
              "block pointers that control flow no longer hands on">
  ];
}

def SpineCheckResidency : Pass<"spine-check-residency", "::mlir::ModuleOp"> {
  let summary = "Check that the tiles of a kernel fit the scratchpad";
  let description = [{
    Finds the tiles that occupy scratchpad memory, where they are live, and the
    largest number of bytes that are live at one point of the program, and
    compares it with `capacity - reserve`. The size of the tensors that the
    tiles are cut from plays no part.

    The policy is `stage-all`: every loaded, stored and accumulated tile is
    packed into memory of its own, its elements without gaps (i1 takes a byte).
    A result of a dot, a reduction or a scan, and a tile that a loop, a branch or
    a call hands on, are accumulated tiles. What else is computed elementwise
    from tiles is taken to be fused into its user and costs nothing by itself,
    but keeps its operands alive; if another tile comes in before it is used, it
    is a tile of its own. Accumulators are updated in place. A tile is dead after
    its last use, in unrolled bodies too; what a loop uses from outside lives as
    long as the loop. A function that is not inlined adds its own peak where it
    is called.

    What a tile occupies follows from its placement: a packed one its elements
    without gaps, rounded up to `alignment`; a mirrored one (loads through block
    pointers under the policy `stage-mirrored`) each contiguous run with the
    granules it touches. A tile that is loaded in a loop has as many copies as
    the loop has stages (`tt.num_stages`, else `num-stages`). The tiles are laid
    out in one arena by live range; the arena's extent is what is compared.

    A kernel that does not fit gets one message with the bytes needed and
    available, a note per tile that is live at the peak (the largest first, each
    at its own place in the source), and a note on what to do: for each block
    size (dimensions of tiles that must be equal) the largest power of two with
    which the kernel fits, the others unchanged. A tile's note has its placement,
    its copies, and its dense, span and granule bytes; where strides are known
    at run time only, these are expressions of the kernel's arguments.

    Where mirrored bytes depend on arguments, the kernel is refused, too, unless
    `defer-to-launch` is given: then the attribute gets a `contract` (JSON) that
    the launcher has to check.

    A kernel that fits gets its numbers as a dictionary attribute that any
    parser accepts:

    ```mlir
    tt.func @scale(%x: !tt.ptr<f32>, %n: i64) attributes {spine.residency = {arena_bytes = 8192 : i64, capacity_bytes = 393216 : i64, fits = true, peak_bytes = 8192 : i64, policy = "stage-all", reserve_bytes = 0 : i64}} {
      %c0 = arith.constant 0 : i32
      %unit = arith.constant 1 : i64
      %two = arith.constant dense<2.0> : tensor<1024xf32>
      %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<1024xf32>>
      %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
      %b = arith.mulf %a, %two : tensor<1024xf32>
      tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
      tt.return
    }
    ```

    `rule=base-numel` does what a check of base tensors does instead: it asks
    integer range analysis for an upper bound of the product of the shape
    operands of each `tt.make_tensor_ptr`, and refuses a kernel where one is
    larger than `max-numel`, or cannot be found. It is there to show and test
    what `spine-rebase-tensor-ptr` changes.

    Limits: a function that is not inlined must not have mirrored tiles whose
    bytes depend on arguments.
  }];
  let options = [
    Option<"capacity", "capacity", "int64_t", /*default=*/"-1",
           "Bytes of scratchpad memory of one core; -1: as the module's target "
           "says, else 393216">,
    Option<"reserve", "reserve", "int64_t", /*default=*/"-1",
           "Bytes of it that are not for tiles; -1: as the module's target says, "
           "else 0">,
    Option<"target", "target", "std::string", /*default=*/"",
           "Name of the target, for the message">,
    Option<"policy", "policy", "::mlir::spine::ResidencyPolicyKind",
           /*default=*/"::mlir::spine::ResidencyPolicyKind::StageAll",
           "Which compiler's placements", [{::llvm::cl::values(
             clEnumValN(::mlir::spine::ResidencyPolicyKind::StageAll,
                        "stage-all", "each tile is packed"),
             clEnumValN(::mlir::spine::ResidencyPolicyKind::StageMirrored,
                        "stage-mirrored",
                        "loads through block pointers are mirrored in granules, "
                        "other tiles packed"))}]>,
    Option<"alignment", "alignment", "int64_t", /*default=*/"-1",
           "Alignment of tiles in the scratchpad, in bytes; -1: as the module's "
           "target says, else 1">,
    Option<"granule", "granule", "int64_t", /*default=*/"-1",
           "Bytes that are moved at least, a cache line or burst; -1: as the "
           "module's target says, else 64">,
    Option<"numStages", "num-stages", "int64_t", /*default=*/"1",
           "Copies of tiles that are loaded in a loop">,
    Option<"deferToLaunch", "defer-to-launch", "bool", /*default=*/"false",
           "Accept what depends on arguments; the launcher checks it">,
    Option<"autoTileHint", "auto-tile-hint", "bool", /*default=*/"false",
           "Recommend auto_tile=True">,
    ListOption<"constexprs", "constexprs", "std::string",
               "The kernel's constants, as NAME=VALUE, to name blocks by">,
    Option<"severity", "severity", "::mlir::spine::ResidencySeverity",
           /*default=*/"::mlir::spine::ResidencySeverity::Error",
           "How to say that a kernel does not fit", [{::llvm::cl::values(
             clEnumValN(::mlir::spine::ResidencySeverity::Error, "error",
                        "as an error: the pass fails"),
             clEnumValN(::mlir::spine::ResidencySeverity::Warning, "warning",
                        "as a warning"),
             clEnumValN(::mlir::spine::ResidencySeverity::Remark, "remark",
                        "as a remark"))}]>,
    Option<"rule", "rule", "::mlir::spine::ResidencyRule",
           /*default=*/"::mlir::spine::ResidencyRule::Tile",
           "What to check", [{::llvm::cl::values(
             clEnumValN(::mlir::spine::ResidencyRule::Tile, "tile",
                        "bytes of the live tiles"),
             clEnumValN(::mlir::spine::ResidencyRule::BaseNumel, "base-numel",
                        "elements of base tensors, to show what that does"))}]>,
    Option<"maxNumel", "max-numel", "int64_t", /*default=*/"1048576",
           "Elements of a base tensor that rule=base-numel accepts">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels checked">,
    Statistic<"numTiles", "tiles", "tiles that occupy scratchpad memory">,
    Statistic<"numPacked", "packed", "tiles of these that are packed">,
    Statistic<"numMirrored", "mirrored", "tiles of these that are mirrored">,
    Statistic<"numCopied", "copied", "tiles of these with several copies">,
    Statistic<"arenaBytes", "arena-bytes", "bytes of all arenas together">,
    Statistic<"numMisfits", "misfits", "kernels that do not fit">
  ];
}

#endif // SPINE_TRITON_TRANSFORMS_PASSES
