# ===- test_riscv_code.py - Machine code for riscv64 -----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What the innermost loops of products look like for RVV: read from the assembly, nothing is run."""

import json
import re

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import product
from riscv_assembly import innermost_loops, spills

from spine_triton import _spine, targets


def assembly(target, dtype, block, k=1000):
    a, b = torch.zeros((1000, k), dtype=dtype), torch.zeros((k, 1000), dtype=dtype)
    c = np.zeros((1000, 1000), np.float32)
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    arguments = (a, b, c, 1000, 1000, k, k, 1, 1000, 1, 1000, 1)
    kernel = product.warmup(*arguments, **sizes, grid=(1,), target=target, residency="off")
    return _spine.LLVMModule.parse(kernel.asm["llir"], targets.find(target).json).emit_assembly()


def multiplying_loops(text: str) -> list[list[str]]:
    found = [loop for loop in innermost_loops(text) if any(re.match(r"vf?w?m(acc|add)", line) for line in loop)]
    assert found, "the product has no loop with multiply-adds"
    return found


def test_spills_are_seen():
    """Forty registers of sums, and thirty-two to keep them in."""
    sums = range(40)
    entry = "".join(f"  %a{i} = load <32 x float>, ptr %p\n" for i in sums)
    carried = "".join(f"  %x{i} = phi <32 x float> [%a{i}, %entry], [%y{i}, %loop]\n" for i in sums)
    added = "".join(f"  %y{i} = fadd <32 x float> %x{i}, %v\n" for i in sums)
    stored = "".join(
        f"  %o{i} = getelementptr <32 x float>, ptr %p, i64 {i}\n  store <32 x float> %y{i}, ptr %o{i}\n" for i in sums
    )
    text = (
        f"define void @k(ptr %p, i64 %n) {{\nentry:\n{entry}  br label %loop\nloop:\n"
        f"  %i = phi i64 [0, %entry], [%j, %loop]\n{carried}"
        "  %q = getelementptr <32 x float>, ptr %p, i64 %i\n  %v = load <32 x float>, ptr %q\n"
        f"{added}  %j = add i64 %i, 1\n  %c = icmp ult i64 %j, %n\n  br i1 %c, label %loop, label %end\nend:\n"
        f"{stored}  ret void\n}}"
    )
    assert spills(_spine.LLVMModule.parse(text, targets.find("spacemit-a100").json).emit_assembly())


TILES = [(64, 16, 32), (128, 16, 32), (256, 16, 64), (64, 64, 32), (128, 128, 64), (256, 32, 16)]
CASES = [("spacemit-a100", torch.float32, block) for block in TILES]
CASES += [("spacemit-a100", dtype, TILES[i]) for dtype in (torch.float16, torch.bfloat16) for i in (1, 4)]
CASES += [("spacemit-x60", torch.float32, TILES[i]) for i in (2, 4)]


@pytest.mark.parametrize("target,dtype,block", CASES, ids=str)
def test_no_vector_register_is_spilled_in_an_innermost_loop(target, dtype, block):
    """The kernel cases are looked at in the same way, where they run for riscv64."""
    text = assembly(target, dtype, block)
    multiplying_loops(text)
    assert not spills(text)


@triton.jit
def copy_row(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    y = tl.make_block_ptr(y_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    tl.store(y, tl.load(x, boundary_check=(0,), padding_option="zero"), boundary_check=(0,))


@pytest.mark.parametrize("dtype,width", [(torch.float32, 32), (torch.float16, 16), (torch.int8, 8)], ids=str)
def test_ends_of_tensors_are_vector_lengths_and_not_masks(dtype, width):
    x = torch.zeros(1000, dtype=dtype)
    kernel = copy_row.warmup(x, x.clone(), 1000, BLOCK=1024, grid=(1,), target="spacemit-a100")
    text = _spine.LLVMModule.parse(kernel.asm["llir"], targets.find("spacemit-a100").json).emit_assembly()
    assert not re.search(r"\bv0\b|\bvms|\bvid\.v", text), text
    assert re.search(rf"vsetvli\s+zero, [ast]\d+, e{width}", text), text
    assert re.search(rf"vle{width}\.v\s+v\d+, \([ast]\d+\)$", text, re.M), text


def test_vectors_lie_along_the_columns_where_strided_loads_are_fast():
    """One strided load of four registers of rows, six columns, eight steps."""
    loop = max(multiplying_loops(assembly("spacemit-a100", torch.float32, (256, 16, 64))), key=len)
    counts = {name: sum(line.startswith(name) for line in loop) for name in ("vlse32.v", "flw", "vfm")}
    assert counts == {"vlse32.v": 8, "flw": 48, "vfm": 48}
    assert len(loop) <= 8 * (1 + 1 + 6 + 6) + 5


@pytest.mark.parametrize("target", ["spacemit-a100", "spacemit-x60"])
@pytest.mark.parametrize("block", [(256, 16, 64), (128, 128, 64)], ids=str)
def test_multiply_adds_take_fp16_as_it_is(target, block):
    """Neither operand is converted, in the loop or before it."""
    text = assembly(target, torch.float16, block)
    loop = max(multiplying_loops(text), key=len)
    assert [line for line in loop if line.startswith("vfwmacc.vf")]
    assert not re.search(r"\bvfwcvt\.f\.f|\bvfm(acc|add)\.", text)


def test_multiply_adds_take_bf16_as_it_is_where_the_target_can(tmp_path):
    description = targets.find("spacemit-a100").description | {"name": "with-bf16", "widens_bf16": 1}
    description["sources"] |= {"widens_bf16": "a test"}
    description["features"] += ",+zfbfmin,+zvfbfmin,+zvfbfwma"
    path = tmp_path / "with-bf16.json"
    path.write_text(json.dumps(description))
    text = assembly(str(path), torch.bfloat16, (256, 16, 64))
    loop = max(multiplying_loops(text), key=len)
    assert [line for line in loop if line.startswith("vfwmaccbf16.vf")]
    assert not re.search(r"\bvfm(acc|add)\.", text)


def test_targets_without_fp16_arithmetic_convert_it_first():
    text = assembly("rv64gcv", torch.float16, (256, 16, 64))
    assert "vfwmacc" not in text and "vfmacc" in text


def test_vectors_lie_along_the_rows_elsewhere():
    """x60: the row of 16 results fills two registers of 8 lanes; eight rows, eight steps."""
    text = assembly("spacemit-x60", torch.float32, (256, 16, 64))
    loop = max(multiplying_loops(text), key=len)
    assert "vlse32" not in text
    assert sum(line.startswith("flw") for line in loop) == 64
    assert sum(line.startswith("vfm") for line in loop) == 128


def test_rows_share_addresses_and_right_operands(tmp_path):
    """Half a register of results per row, sixteen rows and steps: an address per row and one per right vector."""
    description = targets.find("spacemit-a100").description | {"name": "along-rows", "strided_lanes": 1}
    path = tmp_path / "along-rows.json"
    path.write_text(json.dumps(description))
    loops = multiplying_loops(assembly(str(path), torch.float32, (256, 16, 64)))
    loop = max(loops, key=len)
    counts = {name: sum(line.startswith(name) for line in loop) for name in ("vle32.v", "flw", "vfm")}
    assert counts == {"vle32.v": 16, "flw": 256, "vfm": 256}
    # What is left of K is multiplied in four steps and then one by one.
    assert {sum(line.startswith("flw") for line in rest) for rest in loops} == {256, 64, 16}
    assert len(loop) <= sum(counts.values()) + 16 + 16 + 5
