"""What the machine can do: the best that known probes reach, in this run."""

import statistics
import time

import numpy as np
import torch


def _best(functions, repeat=7):
    """The least median time of the functions."""
    medians = []
    for function in functions:
        function()
        samples = []
        for _ in range(repeat):
            begin = time.perf_counter()
            function()
            samples.append(time.perf_counter() - begin)
        medians.append(statistics.median(samples))
    return min(medians)


def bandwidth():
    """Bytes per second: the faster of reading (a sum) and copying, all threads, far beyond the caches."""
    x = torch.zeros(64 * 2**20)
    y = torch.empty_like(x)
    n = x.numel() * 4
    return max(n / _best([x.sum]), 2 * n / _best([lambda: y.copy_(x)]))


def flops():
    """Multiplications and additions per second in fp32: the faster library's product of matrices in the caches."""
    a = torch.randn(1024, 1024)
    out = torch.empty_like(a)
    array = out.numpy()
    return 2 * 1024**3 / _best([lambda: torch.mm(a, a, out=out), lambda: np.matmul(a.numpy(), a.numpy(), out=array)])
