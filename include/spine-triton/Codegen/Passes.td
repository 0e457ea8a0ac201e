//===- Passes.td - code generation passes ------------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CODEGEN_PASSES
#define SPINE_TRITON_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def SpineAttachTarget : Pass<"spine-attach-target", "ModuleOp"> {
  let summary = "Say in the module which target it is for";
  let description = [{
    Gives the module a description of its target as DLTI attributes
    (`dlti.target_system_spec`): a device "CPU" whose entries have the names of the
    fields of target descriptions. `spine-lower-tiles` takes its vectors from
    there, `spine-check-residency` and `spine-auto-tile` the scratchpad, unless
    their own options say otherwise. What is not given is left out, and a
    description that the module has already is replaced.

    TTIR that is handed to other compilers must not carry one: they reject
    attributes of dialects that they do not know.

    Before:

    ```mlir
    module {
    }
    ```

    After, with `name=spacemit-a100 scratchpad-bytes=393216 vector-bits=1024`:

    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"name" = "spacemit-a100", "scratchpad_bytes" = 393216 : i64, "vector_bits" = 1024 : i64>>} {
    }
    ```
  }];
  let dependentDialects = ["DLTIDialect"];
  let options = [
    Option<"targetName", "name", "std::string", /*default=*/"",
           "Name of the target">,
    Option<"scratchpadBytes", "scratchpad-bytes", "int64_t", /*default=*/"-1",
           "Bytes of scratchpad memory of one core">,
    Option<"reserveBytes", "reserve-bytes", "int64_t", /*default=*/"-1",
           "Bytes of it that are not for tiles">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"-1",
           "Alignment of tiles in it, in bytes">,
    Option<"granuleBytes", "granule-bytes", "int64_t", /*default=*/"-1",
           "Bytes that are moved at least: a cache line or burst">,
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"-1",
           "Width of the vector registers in bits">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"-1",
           "Number of the vector registers">,
    Option<"prefetchRows", "prefetch-rows", "int64_t", /*default=*/"-1",
           "Rows of a product's left operand to prefetch ahead">,
    Option<"keptBytes", "kept-bytes", "int64_t", /*default=*/"-1",
           "The most that a worker keeps of packed operands between programs">,
    Option<"stridedLanes", "strided-lanes", "int64_t", /*default=*/"-1",
           "Elements that a strided load moves per cycle; 0 if there is no such "
           "instruction">,
    Option<"widensF16", "widens-f16", "int64_t", /*default=*/"-1",
           "1 if a multiply-add of fp32 vectors takes fp16 as it is">,
    Option<"widensBF16", "widens-bf16", "int64_t", /*default=*/"-1",
           "1 if it takes bf16 as it is">,
    Option<"tilesBF16", "tiles-bf16", "int64_t", /*default=*/"-1",
           "1 if products of bf16 and fp16 are made by AMX's tiles">
  ];
}

def SpineLowerTiles : Pass<"spine-lower-tiles", "ModuleOp"> {
  let summary = "Turn kernels on tiles into loops over vectors";
  let description = [{
    Replaces each kernel by a function over ordinary memory that runs a range of
    programs (its arguments: the kernel's arguments as an array of 8-byte slots,
    the grid, the first and the last linear program id, the arena).

    A tile is either *virtual*, i.e. computed element by element where it is
    used, or it lies in a buffer of the worker's arena. Loads whose memory nobody
    can overwrite before their last use and cheap elementwise results are
    virtual; products, reductions, scans, values carried by loops and expensive
    values with several uses get a buffer (`spine.scratch`). Every buffer is
    filled by one loop nest that computes a vector of elements per step, so
    chains of elementwise operations are fused and the size of the code does not
    depend on the size of the tile.

    A product is computed by a register-blocked kernel. The right operand is
    packed, a few columns at a time; the left one is read where it lies, or a few
    rows of it are packed where they leave the tensor or have another type than
    the accumulator's, unless the target's multiply-adds extend it. If the
    result is only stored, perhaps after elementwise operations, each block of it
    goes from the registers to memory when it is finished. Vectors lie along the
    rows of the result, or along its columns if the target has strided loads that
    are fast enough for that to pay. Products of bf16 that are summed in fp32 are
    made by AMX's tiles if the target has them (`tiles-bf16`): all of them, so that
    how tiles are split along rows and columns changes no bit. So are those of
    fp16, each number of which is the sum of two of bf16.

    Vectors that leave a tensor are accessed under a mask. Where instructions can
    be told how many lanes they are for, as RISC-V's, its end is a number of lanes
    (`llvm.intr.vp.load`), and a mask says only which lanes lie in front of it.

    One-shot bufferization is not used because it decides placements on its own;
    here the plan has to be obeyed.

    Loads and stores through different kernel arguments are taken to be disjoint
    where that saves a copy, and then a second version of the kernel, named
    `<kernel>__may_alias`, is made that does not rely on it. The pairs of arguments
    on which the first version relies are its attribute `spine.disjoint_arguments`.
    `variants` says which of the two are made: one that is rarely needed can be made
    later, from the same source.

    The plan is made first (`Placement`), for all tiles at once: each has a number
    and a placement (`registers`, `in_place` or `packed`), which the new function
    keeps as `spine.tiles`. A buffer is made for a tile of that plan only, whose
    number it carries.

    Programs share operands of large products. Where a worker has memory for that
    besides its arena (`kept-bytes`), what a loop packs of a load that no program
    writes to stays there for the worker's other programs, with a key that tells
    what it was packed from.

    Before:

    ```mlir
    tt.func public @add_one(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i64
      %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
      %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
      %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
      %e = tensor.empty() : tensor<64xf32>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>) {
      ^bb0(%in: f32, %out: f32):
        %one = arith.constant 1.0 : f32
        %sum = arith.addf %in, %one : f32
        linalg.yield %sum : f32
      } -> tensor<64xf32>
      tt.store %q, %r {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
      tt.return
    }
    ```

    After (simplified):

    ```mlir
    func.func @add_one(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64, %arena: !llvm.ptr) {
      %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
      ...
      scf.for %id = %begin to %end step %c1 : i64 {
        ... // %high: how many of the 64 elements lie inside; %to: rounded up to whole vectors
        scf.for %i = %c0 to %to step %c8 : i64 {
          %a = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %last = arith.addi %i, %c8 : i64
          %inside = arith.cmpi sle, %last, %high : i64
          %v = scf.if %inside -> (vector<8xf32>) {
            %whole = llvm.load %a : !llvm.ptr -> vector<8xf32>
            scf.yield %whole : vector<8xf32>
          } else {
            ... // %mask: the lanes below %high
            %some = llvm.intr.masked.load %a, %mask, %zero : ...
            scf.yield %some : vector<8xf32>
          }
          %sum = arith.addf %v, %one : vector<8xf32>
          ... // and in the same way to %y, with llvm.store or llvm.intr.masked.store
        }
      }
      return
    }
    ```

    and `@add_one__may_alias`, which copies the tile to the arena before it
    writes to `%y`.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "cf::ControlFlowDialect", "func::FuncDialect",
    "LLVM::LLVMDialect", "math::MathDialect", "scf::SCFDialect",
    "spine::SpineDialect", "ub::UBDialect", "vector::VectorDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"-1",
           "Width of the target's vector registers in bits; -1: as the module "
           "says, else 256">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"-1",
           "Number of the target's vector registers; -1: as the module says, "
           "else 16">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"-1",
           "Alignment of buffers in the arena, in bytes; -1: as the module says, "
           "else 64">,
    Option<"prefetchRows", "prefetch-rows", "int64_t", /*default=*/"-1",
           "Rows of a product's left operand to prefetch ahead; -1: as the "
           "module says, else 0">,
    Option<"keptBytes", "kept-bytes", "int64_t", /*default=*/"-1",
           "The most that a worker keeps of packed operands between programs of "
           "a launch, in bytes; -1: as the module says, else 0">,
    Option<"stridedLanes", "strided-lanes", "int64_t", /*default=*/"-1",
           "Elements that a strided load moves per cycle, 0 if the target has no "
           "such instruction; -1: as the module says, else 0">,
    Option<"widensF16", "widens-f16", "int64_t", /*default=*/"-1",
           "1 if a multiply-add of fp32 vectors takes fp16 as it is; -1: as the module "
           "says, else 0">,
    Option<"widensBF16", "widens-bf16", "int64_t", /*default=*/"-1",
           "1 if it takes bf16 as it is; -1: as the module says, else 0">,
    Option<"tilesBF16", "tiles-bf16", "int64_t", /*default=*/"-1",
           "1 if products of bf16 and fp16 are made by AMX's tiles, which treat "
           "denormal numbers as zero; -1: as the module says, else 0">,
    Option<"variants", "variants", "::mlir::spine::KernelVariants",
           /*default=*/"::mlir::spine::KernelVariants::All",
           "Versions of a kernel to make", [{::llvm::cl::values(
             clEnumValN(::mlir::spine::KernelVariants::All, "all",
                        "both, where there are two"),
             clEnumValN(::mlir::spine::KernelVariants::Disjoint, "disjoint",
                        "the one for arguments that do not overlap"),
             clEnumValN(::mlir::spine::KernelVariants::MayAlias, "may-alias",
                        "the one for any arguments, if there is another"))}]>
  ];
  let statistics = [
    Statistic<"numStreamed", "num-streamed",
              "Products stored as they leave the registers, without a buffer">,
    Statistic<"numVirtual", "num-virtual", "Tiles computed where they are used">,
    Statistic<"numBuffers", "num-buffers", "Tiles that got a buffer">,
    Statistic<"numInPlaceLoads", "num-in-place-loads",
              "Loads whose memory is read where the tile is used">,
    Statistic<"numPackedLoads", "num-packed-loads",
              "Loads copied to the arena">
  ];
}

def SpinePlanScratchpad : Pass<"spine-plan-scratchpad", "ModuleOp"> {
  let summary = "Lay the buffers of a kernel out in one arena";
  let description = [{
    Gives every `spine.scratch` a fixed offset in the worker's arena. Two buffers
    share bytes only if they do not live at the same time; a buffer lives from
    its operation to the last use of its address, and to the end of a loop that
    uses it but does not contain it. Buffers are placed largest first at the
    lowest offset that is free for their whole life. The size of the arena is
    left on the function as `spine.arena_bytes`, the most bytes that live at one
    time as `spine.live_bytes`, and the buffers with their offsets as `spine.plan`,
    for `spine-verify-scratchpad` and for reports. Each address keeps the number of
    its buffer (`spine.id`), and so does each access (`spine.buffers`: those that it
    may be to).

    Buffers that are `kept` lie behind the arena, the one with the least number
    first, each with bytes of its own: from `spine.kept_at` on, `spine.kept_bytes`
    in all. They are no scratchpad and count as none.

    Before:

    ```mlir
    func.func @kernel(%arena: !llvm.ptr) -> !llvm.ptr {
      %0 = spine.scratch {id = 0 : i64, bytes = 256 : i64} : !llvm.ptr
      return %0 : !llvm.ptr
    }
    ```

    After:

    ```mlir
    func.func @kernel(%arena: !llvm.ptr) -> !llvm.ptr
        attributes {spine.arena_bytes = 256 : i64, spine.live_bytes = 256 : i64,
                    spine.plan = [{begin = 1 : i64, bytes = 256 : i64, end = 4 : i64, id = 0 : i64, loc = ..., offset = 0 : i64} ]} {
      %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
      return %0 : !llvm.ptr
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"arenaBytes", "arena-bytes", "Bytes of all arenas together">,
    Statistic<"liveBytes", "live-bytes",
              "Largest number of bytes that live at one time, of all kernels together">
  ];
}

def SpineVerifyScratchpad : Pass<"spine-verify-scratchpad", "ModuleOp"> {
  let summary = "Hold code against the plan of its scratchpad";
  let description = [{
    Follows the address of the arena, the last argument of each function that
    `spine-plan-scratchpad` planned, through the function and checks that

    * every buffer is there for a tile of the plan that code generation was given
      (`spine.tiles`), and holds it only if that plan packs it;
    * every buffer lies inside of the arena, or, if it is kept, inside of the kept
      memory;
    * every address in the arena is made from the place of a buffer, and every
      access names its buffer (`spine.buffers`);
    * every access whose place is known stays inside of the bytes of its buffer:
      indices are constants, or integer range analysis bounds them
      (`use-ranges`);
    * no address in the arena is stored;
    * nothing else is allocated, and the stack that the function takes is at most
      `max-stack-bytes`.

    Apart from a mark at code that is never reached the module is not changed. The
    pass can run on functions of the func dialect, where ranges of loop indices are
    known, and on the LLVM dialect.

    ```mlir
    func.func @kernel(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64} ]} {
      %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
      %1 = llvm.getelementptr %0[15] : (!llvm.ptr) -> !llvm.ptr, f32
      %2 = llvm.load %1 : !llvm.ptr -> f32
      return
    }
    ```

    Code that constants and ranges show to be never reached may access what it
    likes: it is marked (`spine.unreachable`), since on the LLVM dialect nothing
    is known of it.

    Limits: an access of which neither is known, that it stays inside of its
    buffer or that it does not, is counted as `unproved` and is no error: one
    with an index that nothing bounds, or by a range wider than the buffer (ranges
    are upper bounds); a masked one whose lanes would not all be inside; a gather
    or scatter. `remark-unproved` says at each of these why. What a kernel needs
    does not rest on them: the bytes of a plan follow from the shapes of tiles
    alone, masked lanes included, and a kernel whose bytes are not known does not
    fit. Where a kernel runs, that they do stay inside is tested by canaries.
  }];
  let options = [
    Option<"useRanges", "use-ranges", "bool", /*default=*/"true",
           "Bound indices by integer range analysis">,
    Option<"maxStackBytes", "max-stack-bytes", "int64_t", /*default=*/"4096",
           "Bytes of the stack that a function may take">,
    Option<"remarkUnproved", "remark-unproved", "bool", /*default=*/"false",
           "Say at each access of which it is not known why it is not">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Functions verified">,
    Statistic<"numReferences", "references", "Addresses in the arena">,
    Statistic<"numProved", "proved", "Accesses that are inside of their tile">,
    Statistic<"numUnproved", "unproved", "Accesses of which that is not known">,
    Statistic<"numUnreachable", "unreachable", "Accesses that are never reached">,
    Statistic<"stackBytes", "stack-bytes", "Bytes of the stack of all functions together">
  ];
}

#endif // SPINE_TRITON_CODEGEN_PASSES
