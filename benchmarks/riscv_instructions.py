"""Counts the instructions that products execute for a riscv64 target, in QEMU.

Each instruction of the kernel is counted by class: multiply-add, vector load, other vector (stores included), scalar. A
vector instruction counts as many times as it has registers (LMUL; half for LMUL 1/2), a widening one by its result's,
a segment load per field. The ideal is one vector of multiply-adds after the other and nothing else: multiply-adds
divided by the elements of a register. QEMU says nothing of time: an instruction that is slow on hardware counts as one.

Both forms of a product's inner loop are counted: the one that the target's description chooses, and, as "along rows",
the one without strided loads, whose vectors lie along the rows of the result.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import triton
import triton.language as tl

OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"
CLASSES = ("multiply-add", "load", "other vector", "scalar")
# Most instructions, as a multiple of the ideal.
GOALS = {"1024x16x144": 1.7, "1024x16x27": 1.9, "128x128x128": 1.6, "1024x16x144 along rows": 3.3}


@dataclass(frozen=True)
class Shape:
    """A product, its tile, the operands' type, and whether vectors have to lie along the rows."""

    m: int
    n: int
    k: int
    block: tuple[int, int, int]
    dtype: type = np.float32
    along_rows: bool = False

    @property
    def name(self) -> str:
        kind = "" if self.dtype == np.float32 else f" {np.dtype(self.dtype).name}"
        return f"{self.m}x{self.n}x{self.k}{kind}" + (" along rows" if self.along_rows else "")


# The reported GEMM's first 1024 rows, and a square product.
SHAPES = [
    Shape(1024, 16, 144, (256, 16, 64)),
    Shape(1024, 16, 27, (256, 16, 32)),
    Shape(128, 128, 128, (128, 128, 64)),
    Shape(1024, 16, 144, (256, 16, 64), np.float16),
    Shape(1024, 16, 27, (256, 16, 32), np.float16),
    Shape(1024, 16, 144, (256, 16, 64), along_rows=True),
    Shape(1024, 16, 27, (256, 16, 32), along_rows=True),
    Shape(128, 128, 128, (128, 128, 64), along_rows=True),
]

_MULTIPLY_ADD = re.compile(r"vf?w?n?m(acc|sac|add|sub)(u|su|us)?\.|vfn?m(acc|sac|add|sub)\.|vfw?n?macc")
_LOAD = re.compile(r"vl([esou]|\d+r|m\.)")
_STORE = re.compile(r"vs(e\d|se\d|[uo]xei|[uo]xseg|seg|sseg|\d+r|m\.)")


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    a = tl.make_block_ptr(a_ptr, (M, K), (stride_am, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, 1), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, 1), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, right, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))


class Instruction:
    """One instruction of the kernel's code: its class, and how it counts under a vector type."""

    def __init__(self, mnemonic: str, operands: str):
        self.mnemonic = mnemonic
        self.operands = operands
        self.sets_type = mnemonic.startswith("vset")
        if not mnemonic.startswith("v") or self.sets_type:
            self.kind = "scalar"
        elif _MULTIPLY_ADD.match(mnemonic):
            self.kind = "multiply-add"
        else:
            self.kind = "load" if _LOAD.match(mnemonic) else "other vector"

    def new_type(self) -> tuple[int, float]:
        """Element bits and LMUL that a vset instruction sets."""
        bits = int(re.search(r"\be(\d+)", self.operands).group(1))
        size = re.search(r"\bm(f?)(\d)", self.operands)
        number = int(size.group(2))
        return bits, 1 / number if size.group(1) else float(number)

    def weight(self, bits: int, lmul: float) -> float:
        """How many times it counts while elements have `bits` bits and groups `lmul` registers."""
        if self.kind == "scalar":
            return 1.0
        name = self.mnemonic
        if whole := re.match(r"v[ls](\d)re?\d*", name) or re.match(r"vmv(\d)r", name):
            return float(whole.group(1))
        if re.match(r"vf?mv\.[xsf]\.[xsf]", name) or name.startswith(("vcpop", "vfirst")):
            return 1.0
        fields = re.match(r"v[ls]s?(?:[uo]x)?seg(\d)", name)
        if (self.kind == "load" or _STORE.match(name)) and (width := re.search(r"e(?:i)?(\d+)", name)):
            indexed = "xei" in name
            lmul = lmul if indexed else lmul * int(width.group(1)) / bits
        elif re.match(r"vf?w", name) and not name.endswith(".w"):
            lmul *= 2
        return lmul * (int(fields.group(1)) if fields else 1)


def disassemble(obj: bytes, name: str) -> dict[int, Instruction]:
    """The instructions of an object's code, by their distance from the kernel's first one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.o"
        path.write_bytes(obj)
        command = [OBJDUMP, "-d", "--no-show-raw-insn", "--mattr=+v,+zvfh,+zfh,+zba,+zbb,+zbs,+zicbop", str(path)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    begin = int(re.search(rf"^([0-9a-f]+) <{re.escape(name)}>:", text, re.MULTILINE).group(1), 16)
    found = re.findall(r"^\s+([0-9a-f]+):\s+(\S+)(?:\s+([^\n]*))?$", text, re.MULTILINE)
    return {int(address, 16) - begin: Instruction(word, rest) for address, word, rest in found}


def count(trace: Path, function: int, code: dict[int, Instruction]) -> tuple[collections.Counter, collections.Counter]:
    """Weights per class, and executions per mnemonic, of the kernel's instructions in a trace."""
    weights, executed = collections.Counter(), collections.Counter()
    vector_type = (32, 1.0)
    with trace.open() as lines:
        for line in lines:
            match = re.search(r"\[[0-9a-f]+/([0-9a-f]+)/", line)
            instruction = code.get(int(match.group(1), 16) - function) if match else None
            if instruction is None:
                continue
            if instruction.sets_type and instruction.mnemonic != "vsetvl":
                vector_type = instruction.new_type()
            weights[instruction.kind] += instruction.weight(*vector_type)
            executed[instruction.mnemonic] += 1
    return weights, executed


def without_strided_loads(name: str, folder: Path) -> str:
    """The description of a target on which a strided load is too slow to be used."""
    from spine_triton import targets

    description = targets.find(name).description | {"name": "along-rows", "strided_lanes": 1}
    path = folder / "along-rows.json"
    path.write_text(json.dumps(description))
    return str(path)


def run_one(name: str, shape: Shape, folder: Path) -> dict:
    """Runs one product in this process with a QEMU that writes down every instruction."""
    from spine_triton import targets
    from spine_triton.runners import qemu, remote

    if shape.along_rows:
        name = without_strided_loads(name, folder)
    os.environ["SPINE_TRITON_TARGET"] = name
    target = targets.find(name)
    trace = folder / "trace"
    words = qemu.command(target)
    words[1:1] = ["-one-insn-per-tb", "-d", "exec,nochain", "-D", str(trace)]
    machine = remote.RemoteMachine(target.name, target.vector_bits, lambda: words)
    remote.machine(("qemu", target.name, target.digest), lambda: machine)
    m, n, k, block = shape.m, shape.n, shape.k, shape.block
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (m, k)).astype(shape.dtype)
    b = rng.integers(-4, 5, (k, n)).astype(shape.dtype)
    c = np.full((m, n), np.nan, np.float32)
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    kernel = product[grid](a, b, c, m, n, k, k, n, n, BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2])
    if not np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32)):
        raise RuntimeError("wrong result: its instructions are of no interest")
    ((_, _, image),) = machine.session()._images.values()
    weights, executed = count(trace, image.function, disassemble(kernel.asm["obj"], kernel.metadata.name))
    ideal = m * n * k / (target.vector_bits / 32)
    total = sum(weights.values())
    return {
        "name": shape.name,
        "ideal": ideal,
        "total": total,
        "ratio": total / ideal,
        **{kind: weights[kind] / ideal for kind in CLASSES},
        "loads per multiply-add": weights["load"] / max(weights["multiply-add"], 1),
        "goal": GOALS.get(shape.name),
        "executed": dict(executed.most_common()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="spacemit-a100", help="a riscv64 target (default: spacemit-a100)")
    parser.add_argument("--only", default="", metavar="TEXT", help="shapes whose name contains TEXT")
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    parser.add_argument("--mnemonics", action="store_true", help="list the executed instructions of each shape")
    arguments = parser.parse_args()
    os.environ.update(
        SPINE_TRITON_TARGET=arguments.target, SPINE_TRITON_RUNNER="qemu", SPINE_TRITON_NUM_THREADS="1",
        TRITON_DEFAULT_BACKEND="spine",
    )  # fmt: skip
    from spine_triton.runners import remote

    rows = []
    print(f"instructions as multiples of the ideal, {arguments.target} in QEMU")
    print(f"{'product':>22} {'ideal':>9} " + " ".join(f"{kind:>13}" for kind in (*CLASSES, "total", "goal")))
    for shape in SHAPES:
        if arguments.only not in shape.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = run_one(arguments.target, shape, Path(folder))
            remote.shut_down()
            remote._machines.clear()
        rows.append(row)
        figures = [f"{row[kind]:13.2f}" for kind in CLASSES] + [f"{row['ratio']:13.2f}", f"{row['goal'] or '-':>13}"]
        print(f"{row['name']:>22} {row['ideal']:9.0f} " + " ".join(figures), flush=True)
        if arguments.mnemonics:
            print("   " + ", ".join(f"{word} {times}" for word, times in row["executed"].items()))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
