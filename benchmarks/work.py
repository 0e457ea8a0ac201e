"""What is computed: data, our launch, the same work by the libraries, and a check, per row of the table."""

from collections.abc import Callable
from dataclasses import dataclass, field

import kernels
import numpy as np
import torch
import torch.nn.functional as F
import triton


@dataclass
class Work:
    """Functions without arguments that do the same work, and how much that is."""

    ours: Callable
    peers: dict[str, Callable]
    check: Callable
    """Raises if our last result is not the peers'."""
    flop: int
    bytes: int
    """Each operand and result once."""


@dataclass
class Row:
    name: str
    prepare: Callable[[], Work]
    goal: float | None = None
    """The least ratio of the fastest peer's time to ours."""
    bound_goal: float | None = None
    """The least ratio of the bound to our time."""
    dtype: str = "float32"
    tags: tuple[str, ...] = field(default=())


def strides(*arrays):
    return [s // x.itemsize if isinstance(x, np.ndarray) else s
            for x in arrays for s in (x.strides if isinstance(x, np.ndarray) else x.stride())]  # fmt: skip


def matrix(rows, columns, transposed=False, pitch=0):
    """Random fp32, row-major, or the transpose of such, or rows of a wider matrix."""
    if transposed:
        return torch.randn(columns, rows).T
    return torch.randn(rows, max(columns, pitch))[:, :columns]


def gemm(m, n, k, blocks, dtype="float32", at=False, bt=False, ct=False, pad=0):
    """C (M x N) = A (M x K) B (K x N), all of one type, with operands transposed, or `pad` elements between A's rows."""

    def prepare():
        a = matrix(m, k, at, k + pad if pad else 0).to(getattr(torch, dtype))
        b = matrix(k, n, bt).to(getattr(torch, dtype))
        c = torch.full((n, m) if ct else (m, n), torch.nan, dtype=a.dtype)
        c = c.T if ct else c
        out = torch.empty_like(c)
        grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))

        def ours():
            kernels.gemm[grid](a, b, c, m, n, k, *strides(a, b, c), *blocks)

        peers = {"torch": lambda: torch.mm(a, b, out=out)}
        if dtype == "float32":
            product = torch.empty_like(c).numpy()
            peers["NumPy"] = lambda: np.matmul(a.numpy(), b.numpy(), out=product)

        def check():
            expected = a[:4096].float() @ b.float()
            rounding = 1e-4 if dtype == "float32" else torch.finfo(c.dtype).eps
            torch.testing.assert_close(c[:4096].float(), expected, rtol=rounding, atol=1e-4 * k**0.5)

        return Work(ours, peers, check, 2 * m * n * k, a.element_size() * (m * k + k * n + m * n))

    return prepare


def batch(count, edge, tile, block_k):
    def prepare():
        a, b = torch.randn(2, count, edge, edge)
        c, out = torch.empty_like(a), torch.empty_like(a)
        grid = (triton.cdiv(edge, tile), triton.cdiv(edge, tile), count)

        def ours():
            kernels.batched_gemm[grid](a, b, c, count, edge, edge, edge, tile, block_k)

        peers = {
            "torch": lambda: torch.bmm(a, b, out=out),
            "NumPy": lambda: np.matmul(a.numpy(), b.numpy(), out=out.numpy()),
        }
        return Work(ours, peers, lambda: torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-3),
                    2 * count * edge**3, 12 * count * edge**2)  # fmt: skip

    return prepare


def convolution(channels, filters, height, width, block_w):
    def prepare():
        image = torch.randn(1, channels, height, width)
        weights = torch.randn(filters, channels, 3, 3) / (9 * channels) ** 0.5
        x = F.pad(image[0].permute(1, 2, 0), (0, 0, 1, 1, 1, 1)).contiguous()
        w = weights.permute(2, 3, 1, 0).reshape(3, 3 * channels, filters).contiguous()
        y = torch.empty(height, width, filters)
        block_k = max(16, triton.next_power_of_2(3 * channels))

        def ours():
            grid = (triton.cdiv(width, block_w), height)
            kernels.convolution[grid](
                x, w, y, height, width, (width + 2) * channels, channels, filters, block_w, block_k
            )

        last = {"image": image.to(memory_format=torch.channels_last),
                "weights": weights.to(memory_format=torch.channels_last)}  # fmt: skip
        peers = {
            "torch NCHW": lambda: F.conv2d(image, weights, padding=1),
            "torch NHWC": lambda: F.conv2d(last["image"], last["weights"], padding=1),
        }

        def check():
            expected = F.conv2d(image, weights, padding=1)[0].permute(1, 2, 0)
            torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)

        pixels = height * width
        return Work(ours, peers, check, 2 * pixels * 9 * channels * filters, 4 * pixels * (channels + filters))

    return prepare


def axpy(m, n, blocks):
    def prepare():
        x, y = torch.randn(2, m, n)
        z, out = torch.empty_like(x), torch.empty_like(x)
        grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))

        def ours():
            kernels.axpy[grid](x, y, z, m, n, 3.0, *blocks)

        return Work(ours, {"torch": lambda: torch.add(y, x, alpha=3.0, out=out)},
                    lambda: torch.testing.assert_close(z, 3 * x + y), 2 * m * n, 12 * m * n)  # fmt: skip

    return prepare


FORMS = {"NN": (False, False), "TN": (True, False), "NT": (False, True), "TT": (True, True)}
TILES = (64, 128, 256, 512, 1024, 2048, 4096)


def table(quick):
    """The rows, in the order of the report. `quick` has small shapes: it shows that everything works, not how fast."""
    m = 5184 if quick else 518400
    for dtype, goals in (("float32", (2.0, 1.6)), ("float16", (1.5, 1.5)), ("bfloat16", (0.7, 0.7))):
        for (k, block_k, bound), goal in zip(((27, 32, 0.5), (144, 64, 0.65)), goals, strict=True):
            yield Row(f"{m}x{k}x16 {dtype}", gemm(m, 16, k, (1024, 16, block_k), dtype), goal,
                      bound if dtype == "float32" else None, dtype, ("mission",))  # fmt: skip
    layouts = {"A transposed": {"at": True}, "B transposed": {"bt": True}, "padded pitch": {"pad": 5},
               "C column-major": {"ct": True}}  # fmt: skip
    for name, options in layouts.items():
        for k, block_k in ((27, 32), (144, 64)):
            yield Row(f"{m}x{k}x16 {name}", gemm(m, 16, k, (1024, 16, block_k), **options), 1.5, tags=("layout",))
    for edge in (128,) if quick else (512, 1024, 2048):
        blocks = (128, 128 if edge < 1024 else 256, 64)
        for form, (at, bt) in FORMS.items():
            yield Row(f"{edge}^3 {form}", gemm(edge, edge, edge, blocks, at=at, bt=bt), 0.95, tags=("square",))
    edge = 32 if quick else 128
    yield Row(f"64 x {edge}^3", batch(64, edge, min(edge, 128), 64), 1.0, tags=("batch",))
    size = 48 if quick else 720
    for channels in (3, 16):
        yield Row(f"conv 3x3 {channels}->16 {size}x{size}", convolution(channels, 16, size, size, 256), 1.0,
                  tags=("convolution",))  # fmt: skip
    yield Row("axpy", axpy(256 if quick else 8192, 1000, (16, 1024)), None, tags=("elementwise",))


def tiles(quick):
    """The mission's GEMM, per K, with each tile of the range that users choose from, by its rows."""
    m = 5184 if quick else 518400
    for k, block_k in ((27, 32), (144, 64)):
        yield k, {rows: gemm(m, 16, k, (rows, 16, block_k)) for rows in TILES}
