"""Times the residency check: by itself, and as a part of judging an autotuner's configuration without generating code.

The check is that of the reported GEMM's TTIR after the clean-up that compilations begin with, in this process; a
configuration costs what Triton's frontend takes plus what `prune_by_residency` adds. Medians.
"""

import argparse
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from kernels import gemm

from spine_triton import _spine, _triton_compat, check_residency, pipelines, targets

TARGET = targets.find("spacemit-a100")


def median_ms(function, count):
    """Median milliseconds of `count` calls after one that does not count."""
    function()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def arguments():
    """Those of a launch of the reported GEMM, K = 144; arrays of one row stand for the large ones."""
    row = np.zeros((1, 144), np.float32)
    sizes = {"M": 518400, "N": 16, "K": 144, "stride_am": 144, "stride_ak": 1, "stride_bk": 16, "stride_bn": 1}
    blocks = {"BLOCK_M": 512, "BLOCK_N": 16, "BLOCK_K": 64}
    return {"a_ptr": row, "b_ptr": row, "c_ptr": row, **sizes, "stride_cm": 16, "stride_cn": 1, **blocks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: only to see that it works")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    count = 5 if options.quick else 101

    ttir, *_ = _triton_compat.frontend_ttir_of_call(gemm, arguments())
    module = _spine.Module.parse(_spine.Context(), ttir)
    _spine.run_pipeline(module, pipelines.SIMPLIFY)
    frontend = median_ms(lambda: _triton_compat.frontend_ttir_of_call(gemm, arguments()), count)
    judge = median_ms(lambda: check_residency(ttir, TARGET), count)
    figures = {
        "check_ms": median_ms(lambda: _spine.check_residency(module, TARGET.json), count),
        "frontend_ms": frontend,
        "judge_ms": judge,
        "configuration_over_frontend": (frontend + judge) / frontend,
    }
    print(f"residency check of the GEMM      {figures['check_ms']:8.3f} ms")
    print(f"Triton's frontend                {frontend:8.3f} ms")
    print(f"parsing, clean-up and check      {judge:8.3f} ms")
    print(f"a configuration / the frontend   {figures['configuration_over_frontend']:8.3f}")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
