"""The compiler and the launcher, in C++.

Everything here is safe to call from several threads, except that two threads must not use one `Context` (and the
modules made in it) at the same time. The interpreter lock is released while something is compiled or run.

From a kernel's TTIR to its result:

    context = Context()
    module = Module.parse(context, ttir)
    run_pipeline(module, "builtin.module(spine-ttir)")
    run_pipeline(module, "builtin.module(spine-to-linalg)")
    run_pipeline(module, "builtin.module(spine-to-llvm)")
    llvm_ir = translate(module, target_json)
    kernel = load(llvm_ir.emit_object(), kernel_metadata(module)["name"])
    Launcher(["*fp32", "i32"])(kernel, 4, 1, 1, (tensor, 16))
"""

from collections.abc import Sequence
from typing import Any, TypedDict

class MLIRError(RuntimeError):
    """A module could not be parsed, a pass failed, or code generation failed.

    `str(error)` is the whole message, one line per diagnostic and note, as `file:line:column: severity: message`.
    """

    diagnostics: list[Diagnostic]
    """Every diagnostic that was emitted up to the failure, warnings and remarks included, in order."""

class Diagnostic:
    """One message of the compiler."""

    @property
    def severity(self) -> str:
        """One of `error`, `warning`, `remark`, `note`."""

    @property
    def message(self) -> str:
        """The text, without location or severity."""

    @property
    def file(self) -> str:
        """The source file, or an empty string if the location is unknown."""

    @property
    def line(self) -> int:
        """The line, from 1; 0 if it is unknown."""

    @property
    def column(self) -> int:
        """The column, from 1; 0 if it is unknown."""

    @property
    def notes(self) -> list[Diagnostic]:
        """The notes attached to the message."""

    def __str__(self) -> str: ...

class Context:
    """Owns types, attributes and dialects of the modules made in it. All of the project's dialects and passes are known."""

    def __init__(self) -> None: ...

class Module:
    """A module of the compiler, in any dialect between TTIR and LLVM. Keeps its context alive."""

    @staticmethod
    def parse(context: Context, text: str, name: str = "<string>") -> Module:
        """Parses and verifies `text`; `name` stands for the file in messages. Raises MLIRError."""

    @staticmethod
    def parse_file(context: Context, path: str) -> Module:
        """Parses and verifies a file. Raises MLIRError, also when the file cannot be read."""

    @property
    def context(self) -> Context: ...
    def clone(self) -> Module:
        """A deep copy in the same context."""

    def verify(self) -> None:
        """Raises MLIRError if the module is not valid."""

    def to_string(self, debug_info: bool = False, generic: bool = False) -> str:
        """The module's text: with locations if `debug_info`, in the generic form of all operations if `generic`."""

    def __str__(self) -> str:
        """The same as `to_string()`."""

def run_pipeline(
    module: Module,
    pipeline: str,
    verify_each: bool = True,
    print_after_all: bool = False,
    timing: bool = False,
) -> list[Diagnostic]:
    """Runs a pass pipeline such as `builtin.module(spine-ttir{capacity=393216},canonicalize)` on the module, in place.

    Returns warnings and remarks. Raises MLIRError if the text is not a pipeline or a pass fails; the module is then in
    an unspecified state. The module is verified after each pass, or at the end only. `print_after_all` writes the
    module to standard error after each pass, `timing` the time that each pass took.
    """

def lower(module: Module, pipeline: str) -> Module:
    """A copy of the module after `pipeline`; the module itself stays as it is. Raises MLIRError."""

class SourcePosition(TypedDict):
    """A place in the kernel's source; the file is empty if it is unknown."""

    file: str
    line: int
    column: int

class TileResidency(SourcePosition):
    """One tile that occupies scratchpad memory. The position is that of the tile in the kernel's source."""

    name: str
    """The kernel's variable, or the operation that makes the tile."""
    is_variable: bool
    """Which of them."""
    role: str
    """Why it has memory of its own: it is loaded, accumulated, stored ..."""
    placement: str
    """`packed` (densely) or `mirrored` (each contiguous run with the granules it touches)."""
    shape: list[int]
    dtype: str
    """MLIR's name of the element type, such as `f32`."""
    bytes: int | None
    """What it occupies: all copies, rounded up to the alignment. None if that depends on arguments."""
    copies: int
    """2 and more if a loop fetches the next ones ahead."""
    dense_bytes: int
    """Of one copy without gaps."""
    span_bytes: int | None
    """From the first to the last byte that its load or store reaches; None if that is not known when compiling."""
    granule_bytes: int | None
    """The granules (cache lines) that it touches, the most of all alignments that are possible."""
    span_expression: str | None
    """`span_bytes` over the kernel's arguments, where strides are arguments."""
    granule_expression: str | None
    """`granule_bytes` over the kernel's arguments, by `spine_triton.footprint`'s third result."""
    strides: list[int | str | None] | None
    """In elements: a number, an expression of arguments, or None if unknown. None without a block pointer."""
    live_at_peak: bool
    live_range: tuple[int, int]
    """First and last point of the program, counted in operations, at which it is live."""
    offset: int | None
    """Its place in the arena in bytes; None if `bytes` is."""
    last_use: SourcePosition

class SmallerBlock(TypedDict):
    """A block size with which a kernel would fit, all others unchanged."""

    size: int
    fitting: int
    """The largest power of two that fits."""
    places: list[tuple[int, int]]
    """Where it is: the number of a tile and its dimension."""

class KernelResidency(SourcePosition):
    """The plan of one kernel. The position is that of the kernel, or of what has no bound."""

    kernel: str
    policy: str
    fits: bool
    """Whether `arena_bytes` is known when compiling, and at most `capacity_bytes - reserve_bytes`."""
    live_peak_bytes: int
    """The largest number of bytes that are live at one point."""
    arena_bytes: int
    """Extent of the tiles' layout."""
    capacity_bytes: int
    reserve_bytes: int
    granule_bytes: int
    alignment: int
    unbounded: str | None
    """Why the need cannot be bounded."""
    contract: str | None
    """What a launch has to check, where bytes depend on arguments: see `spine_triton.contract`."""
    peak_point: int
    points: int
    """Number of points of the program."""
    peak: SourcePosition
    tiles: list[TileResidency]
    placements: list[PlacedTile]
    """Under the policy `as-needed`: all tiles of the kernel, wherever they are."""
    stack_bytes: int | None
    """Of the stack, where code was made."""
    smaller_blocks: list[SmallerBlock]
    """Empty if it fits."""

def check_residency(
    module: Module,
    target_json: str,
    scratchpad_bytes: int | None = None,
    policy: str = "stage-all",
    alignment: int | None = None,
    num_stages: int = 1,
) -> list[KernelResidency]:
    """The plans of the kernels of a TTIR module, against the target's scratchpad.

    `scratchpad_bytes` replaces the target's capacity and reserve, `alignment` (bytes) the target's. `num_stages` is the
    number of copies of tiles that a loop loads, if the loop has no number of its own. The module is not changed. Raises
    MLIRError if the target's description is not valid or the policy unknown.
    """

def footprint(
    shape: Sequence[int],
    strides: Sequence[int],
    element_bytes: int,
    granule: int = 64,
    alignment: int | None = None,
) -> tuple[int, int | None, int | None]:
    """Dense, span and granule bytes of an access to a tile of `shape`, with `strides` in elements (0 and negative ones
    allowed). None for what does not fit 64 bits.

    `alignment` (bytes, a power of two) divides the address of the first element; by default it is at a granule's begin.
    With less, the granule bytes are the most of all places. Raises ValueError for sizes below 1.
    """

class ResidencyFacts(TypedDict):
    """What `spine-check-residency` left at a kernel."""

    kernel: str
    fits: bool
    live_peak_bytes: int
    arena_bytes: int
    contract: str | None
    conditions: str | None
    """What `spine-auto-tile` says has to hold at a launch, for `OverlapConditions`."""

def residency_facts(module: Module) -> list[ResidencyFacts]:
    """The facts of each kernel of a TTIR module that was checked."""

class PlacedTile(SourcePosition):
    """A tile of the plan that code generation was given."""

    id: int
    name: str
    """The kernel's variable; may be empty."""
    is_variable: bool
    placement: str
    """`registers`, `in_place` or `packed`."""
    shape: list[int]
    dtype: str

class ScratchTile(SourcePosition):
    """A buffer of generated code in its arena."""

    id: int
    tile_id: int | None
    """The tile of the plan that the buffer is there for."""
    is_temporary: bool
    """It does not hold that tile, but what computing it takes besides."""
    name: str
    """The kernel's variable, or what code generation calls it; may be empty."""
    is_variable: bool
    role: str
    """What code generation calls it: `dot.rhs` for a packed operand; empty for a tile of the kernel."""
    shape: list[int]
    dtype: str
    bytes: int
    offset: int
    live_range: tuple[int, int]
    """Positions in the generated code, counted when an operation begins and when it ends."""

class ScratchPlan(TypedDict):
    """The arena of one function of generated code."""

    function: str
    arena_bytes: int
    live_peak_bytes: int
    tiles: list[ScratchTile]
    placements: list[PlacedTile]
    """All tiles, wherever they are."""

def scratch_plans(module: Module) -> list[ScratchPlan]:
    """The arenas of the functions of a module that `spine-plan-scratchpad` has seen."""

def stack_frames(object: bytes) -> dict[str, int]:
    """Bytes of the stack that each function of an object takes, with what is saved and spilled, without what functions
    that it calls take. Raises MLIRError for what is no object of this compiler."""

class KernelMetadata(TypedDict):
    """What a launcher must know about a kernel."""

    name: str
    arena_bytes: int
    """Scratch bytes that each worker needs, for the larger one of the kernel's variants."""
    has_may_alias: bool
    """Whether there is a second variant, for arguments that overlap."""
    disjoint_arguments: list[tuple[int, int]] | None
    """The pairs of arguments, by number, that it is needed for if they overlap; None: any two."""

def kernel_metadata(module: Module) -> KernelMetadata:
    """Facts of the one kernel in a module of the LLVM dialect. Raises MLIRError if there is none, or several."""

class LLVMModule:
    """LLVM IR for one target, already optimised."""

    @staticmethod
    def parse(text: str, target_json: str) -> LLVMModule:
        """Reads LLVM IR as `str()` prints it. It is taken as it is, nothing is optimised. Raises MLIRError."""

    def __str__(self) -> str:
        """The LLVM IR."""

    def emit_object(self) -> bytes:
        """A relocatable ELF object. Made once; later calls return the same bytes. Raises MLIRError."""

    def emit_assembly(self) -> str:
        """The target's assembly. Raises MLIRError."""

def translate(module: Module, target_json: str, opt_level: int = 3) -> LLVMModule:
    """Translates a module of the LLVM dialect (what `spine-to-llvm` makes) to optimised LLVM IR. Raises MLIRError.

    `opt_level` is 0 to 3. The module is not changed.
    """

def emit_llvm_ir(module: Module, target_json: str, opt_level: int = 3) -> str:
    """Short for `str(translate(...))`."""

def emit_assembly(module: Module, target_json: str, opt_level: int = 3) -> str:
    """Short for `translate(...).emit_assembly()`."""

def emit_object(module: Module, target_json: str, opt_level: int = 3) -> bytes:
    """Short for `translate(...).emit_object()`."""

class CompiledKernel:
    """The result of `compile`. Texts are printed when they are asked for."""

    @property
    def name(self) -> str: ...
    @property
    def arena_bytes(self) -> int: ...
    @property
    def has_may_alias(self) -> bool: ...
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings and remarks of all stages."""

    @property
    def stages(self) -> list[str]:
        """Names of the stages whose text was kept, in order."""

    def text(self, stage: str) -> str:
        """The module after the stage of this name; KeyError if it was not kept."""

    @property
    def llir(self) -> str: ...
    @property
    def asm(self) -> str: ...
    @property
    def obj(self) -> bytes: ...

def compile(
    ttir: str,
    target_json: str,
    stages: Sequence[tuple[str, str]],
    keep_stages: bool = True,
    opt_level: int = 3,
    name: str = "<string>",
) -> CompiledKernel:
    """All of the way from TTIR text to an object: parses, runs each `(stage name, pipeline)`, emits code.

    Raises MLIRError.
    """

class Kernel:
    """Machine code in this process. It is unloaded when the last reference (a running launch is one) goes away."""

    @property
    def name(self) -> str: ...
    @property
    def arena_bytes(self) -> int: ...
    @property
    def has_may_alias(self) -> bool: ...
    def set_may_alias(self, kernel: Kernel) -> None:
        """Makes another kernel the variant of this one for overlapping arguments."""

    @property
    def address(self) -> int:
        """The address of the code."""

def load(obj: bytes, kernel_name: str) -> Kernel:
    """Links an object made for this machine into the process. Raises MLIRError, naming what is missing.

    The object of a kernel that was launched (`asm["obj"]`) may be for arguments that do not overlap only; then
    `has_may_alias` is false, and a `Launcher` made with `variant_is_later` refuses others.
    """

class OverlapConditions:
    """What has to hold at each launch of a kernel whose tiles were split; see `ResidencyFacts.conditions`."""

    def __init__(self, text: str) -> None:
        """Raises ValueError if the text is not what the compiler wrote."""

class Overlap(TypedDict):
    """A store and another access that a launch does not keep apart."""

    store: str
    """Names of the arguments that they go through."""
    other: str
    store_place: str
    """File and line; may be empty."""
    other_place: str
    other_is_store: bool
    numbers: dict[str, int]
    """Values of the arguments that are numbers and on which that depends."""
    is_one: bool
    """Both go through one argument."""
    is_followed: bool
    """Whether their addresses are compared, not just the memory of the arguments."""
    store_bytes: tuple[int, int]
    """First and last address of the arguments' memory."""
    other_bytes: tuple[int, int]

class Launcher:
    """Calls kernels of one signature.

    `signature` names the type of each argument as Triton does (`*fp32`, `i32`, `fp16`, `i1`, `u8`, ...), arguments that
    are constants left out.
    """

    def __init__(
        self,
        signature: Sequence[str],
        core_model: str = "",
        vector_bytes: int = 0,
        needs_alignment: bool = False,
        disjoint: Sequence[tuple[int, int]] | None = None,
        variant_is_later: bool = False,
    ) -> None:
        """With `core_model`, programs run only on cores that the system calls so, on threads of their own, after it is
        seen that these have vectors of `vector_bytes` bytes (0: any). With `needs_alignment`, pointers that are no
        multiple of their element's size are refused. `disjoint` lists the pairs of pointers, by number, that a
        variant for overlapping arguments is needed for; None: every pair. With `variant_is_later`, a kernel without that
        variant does not run on such arguments, until it is given one by `Kernel.set_may_alias`."""

    @property
    def signature(self) -> list[str]: ...
    def may_alias(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the memory of two pointers that have to be apart may overlap: their storages do."""

    def find_overlap(
        self, conditions: OverlapConditions, x: int, y: int, z: int, arguments: tuple[Any, ...]
    ) -> Overlap | None:
        """What a launch on a grid with these arguments would have to be refused for."""

    def __call__(self, kernel: Kernel, grid_x: int, grid_y: int, grid_z: int, args: Sequence[Any], /) -> bool:
        """Runs all programs of the grid on the worker threads and returns when they are done. False, and nothing is
        run, if arguments overlap and the variant for that is made later.

        A pointer argument is an object with `data_ptr()` (a torch tensor), a NumPy array or anything else with
        `__array_interface__`, an int (an address) or None (a null pointer). A kernel with a variant for overlapping
        arguments runs that one unless the storages of the pointers that have to be apart are known to be so.

        A grid with a zero runs nothing. Raises TypeError for an argument of the wrong kind, OverflowError for an integer
        that does not fit its type, ValueError for a negative grid or a wrong number of arguments, MemoryError if there
        is no memory for the arenas, and AssertionError when a `tl.device_assert` failed in a program.
        """

    def pack(self, args: Sequence[Any], /) -> tuple[list[int], list[tuple[int, int, int | None]], bool]:
        """What a runner in another process needs to launch with these arguments.

        The slots of eight bytes, one per argument, addresses being those of this process; for each pointer argument
        that is not null its index and the first address and the bytes of the storage behind it (None if the extent is
        not known); and whether two of these storages may overlap. Raises as a launch does.
        """

class LinkedImage:
    """Machine code linked for an address of another process."""

    @property
    def segments(self) -> list[tuple[int, bytes, int, int]]:
        """Address (of a page), contents, bytes in memory and protection (as `mmap` counts it) of each part."""

    @property
    def functions(self) -> list[tuple[str, int, int]]:
        """Name, address and bytes of each function."""

    @property
    def bytes(self) -> int:
        """From the image's address to the end of its last page."""

    @property
    def function(self) -> int:
        """The kernel's address."""

    @property
    def may_alias_function(self) -> int:
        """The address of the variant for overlapping arguments; 0 if there is none."""

    @property
    def arena_bytes(self) -> int:
        """Bytes of memory that each worker needs."""

    @property
    def kept_at(self) -> int:
        """Where in them what is kept between programs of a launch begins; `arena_bytes` if nothing is."""

def link(obj: bytes, kernel_name: str, address: int, symbols: dict[str, int]) -> LinkedImage:
    """Links an object as if it lay at `address`, a multiple of 4096, in a process with these symbols.

    Works for every machine that the compiler makes code for. Raises MLIRError, naming what is missing.
    """

def num_threads() -> int:
    """Number of threads that run programs: SPINE_TRITON_NUM_THREADS, or the number of usable cores."""

def set_arena_poison(on: bool) -> None:
    """For tests: whether launches in this process fill the arena with signalling NaNs before each program, so that code
    which reads what it has not written gives a wrong result."""

def set_num_threads(count: int) -> None:
    """Changes the number of threads, from the next launch on. ValueError if it is less than 1."""

def board_facts(core_model: str) -> dict[str, Any]:
    """Cores of this model in this machine and their fast memory: `cores` (list of numbers), `needs_admission` (bool),
    `tcm_blocks`, `tcm_block_bytes` (both 0 if ordinary memory is used), `tcm_version`, `why_no_tcm`."""

def num_tcm_arenas() -> int:
    """Cores of the last launch whose arena is fast memory."""

def set_board_files(
    ai_threads: str = "/proc/set_ai_thread", cpu_info: str = "/proc/cpuinfo", tcm_library: str = "libspine_tcm.so"
) -> None:
    """Takes other files for a board's own, from the next launch on."""

def host_target_json() -> str:
    """The target description of this machine: CPU name and features, vector bits, caches, cores."""

def versions() -> dict[str, str]:
    """Versions: `spine-triton`, `llvm`, and `build`, a text that differs whenever the compiler was built from other
    sources (to be part of a cache key)."""

def run_opt(arguments: list[str]) -> int:
    """Runs `spine-triton-opt` with these arguments, its name first, and returns the exit status.

    To be called once in a process: options are parsed into variables of LLVM's that keep their values.
    """
