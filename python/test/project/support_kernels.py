"""One small kernel for each row of docs/support.md. They are compiled for the host, and not run.

A kernel takes two pointers, `x` and `y`, of the type in its `types`, fp32 as a rule.
"""

import triton
import triton.language as tl

FEATURES = {}


def feature(name, types=("fp32", "fp32")):
    def register(kernel):
        FEATURES[name] = (kernel, types)
        return kernel

    return register


@feature("`tl.make_block_ptr`, `tl.advance`")
@triton.jit
def block_pointers(x, y):
    p = tl.make_block_ptr(x, (100, 100), (100, 1), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(y, (100, 100), (1, 100), (0, 0), (16, 16), (0, 1))
    for _ in range(4):
        tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))
        p, q = tl.advance(p, (16, 0)), tl.advance(q, (16, 0))


@feature("`tl.make_tensor_descriptor`")
@triton.jit
def descriptors(x, y):
    p = tl.make_tensor_descriptor(x, [100, 100], [100, 1], [16, 16])
    q = tl.make_tensor_descriptor(y, [100, 100], [100, 1], [16, 16])
    q.store([0, 0], p.load([0, 0]))


@feature("tiles of pointers, masks, `other`")
@triton.jit
def pointer_tiles(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.load(x + n * 3, mask=n < 50, other=1.0), mask=n < 60)


@feature("`tl.dot` in fp16, bf16, fp32, int8, fp64", ("bf16", "fp32"))
@triton.jit
def products(x, y):
    n = tl.arange(0, 16)
    tile = tl.load(x + n[:, None] * 16 + n[None, :])
    tl.store(y + n[:, None] * 16 + n[None, :], tl.dot(tile, tile))


@feature("`tl.dot_scaled`", ("u8", "fp32"))
@triton.jit
def scaled_products(x, y):
    m, k, s = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 2)
    a, b = tl.load(x + m[:, None] * 32 + k[None, :]), tl.load(x + k[:, None] * 32 + m[None, :])
    scale = tl.load(x + m[:, None] * 2 + s[None, :])
    c = tl.dot_scaled(a, scale, "e2m1", b, scale, "e2m1")
    tl.store(y + m[:, None] * 32 + m[None, :], c)


@feature("`tl.sum`, `tl.max`, `tl.argmax`, `tl.reduce`")
@triton.jit
def reductions(x, y):
    tile = tl.load(x + tl.arange(0, 64))
    tl.store(y, tl.sum(tile) + tl.max(tile) + tl.argmax(tile, 0))


@feature("`tl.cumsum`, `tl.associative_scan`")
@triton.jit
def scans(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.cumsum(tl.load(x + n), 0))


@feature("`tl.sort`, `tl.topk`")
@triton.jit
def sorting(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.sort(tl.load(x + n)))


@feature("`tl.trans`, `tl.reshape`, `tl.permute`, `tl.join`, `tl.split`, `tl.flip`")
@triton.jit
def shapes(x, y):
    n = tl.arange(0, 16)
    tile = tl.load(x + n[:, None] * 16 + n[None, :])
    low, high = tl.split(tl.join(tl.trans(tile), tile))
    tl.store(y + tl.arange(0, 256), tl.reshape(low + high, (256,)))


@feature("`tl.gather`, `tl.histogram`, `tl.cat`")
@triton.jit
def gathers(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.gather(tl.load(x + n), 63 - n, 0))


@feature("`tl.atomic_add` and its like, `tl.atomic_cas`")
@triton.jit
def atomics(x, y):
    n = tl.arange(0, 64)
    tl.atomic_add(y + n % 7, tl.load(x + n))
    tl.atomic_max(y, 3.0)


@feature("`tl.rand`, `tl.randn`")
@triton.jit
def random(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.rand(7, n))


@feature("`tl.exp`, `tl.log`, `tl.sin`, `tl.sqrt`, `tl.erf`, `tl.fma` and their like")
@triton.jit
def functions(x, y):
    n = tl.arange(0, 64)
    v = tl.load(x + n)
    tl.store(y + n, tl.exp(v) + tl.log(v) + tl.sin(v) + tl.sqrt(v) + tl.erf(v) + tl.fma(v, v, v))


@feature("`if`, `while`, nested `for`, `tl.static_range`, `tl.range`")
@triton.jit
def control_flow(x, y):
    total = 0.0
    for i in tl.range(0, 4):
        for j in tl.static_range(2):
            if i > j:
                total += tl.load(x + i + j)
    while total > 1.0:
        total *= 0.5
    tl.store(y, total)


@feature("`tl.device_print`, `tl.device_assert`")
@triton.jit
def printing(x, y):
    tl.device_print("value", tl.load(x))
    tl.device_assert(tl.load(x) > 0, "must be positive")


@feature("8-bit floating-point types", ("fp8e5", "fp32"))
@triton.jit
def small_floats(x, y):
    n = tl.arange(0, 64)
    tl.store(y + n, tl.load(x + n).to(tl.float32))


@triton.jit
def square(v):
    return v * v


@feature("calls of other `@triton.jit` functions")
@triton.jit
def calls(x, y):
    tl.store(y, square(tl.load(x)))


@feature("`tl.inline_asm_elementwise`")
@triton.jit
def assembly(x, y):
    n = tl.arange(0, 64)
    v = tl.load(x + n)
    tl.store(y + n, tl.inline_asm_elementwise("mov $0, $1;", "=r,r", [v], tl.float32, True, 1))
