# ===- interpreter.py - Triton's interpreter in a process of its own --------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Runs kernels of a test module in Triton's interpreter, which has to be chosen before Triton is imported.

with Interpreter("test_scratchpad") as interpreter:
    arrays = interpreter.run("random_kernel", arrays, scalars, constants)
"""

import importlib
import os
import pathlib
import pickle
import subprocess
import sys


class Interpreter:
    """A process that runs one program of a kernel at a time."""

    def __init__(self, module: str):
        self._process = subprocess.Popen(
            [sys.executable, __file__, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(pathlib.Path(__file__).parent)},
        )

    def run(self, kernel: str, arrays: list, scalars: list, constants: dict) -> list:
        """The NumPy arrays as the program leaves them; a RuntimeError with what went wrong."""
        pickle.dump((kernel, arrays, scalars, constants), self._process.stdin)
        self._process.stdin.flush()
        done = pickle.load(self._process.stdout)
        if isinstance(done, str):
            raise RuntimeError(done)
        return done

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def _serve(module: str) -> None:
    import torch

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints is no answer
    kernels = importlib.import_module(module)
    while True:
        try:
            kernel, arrays, scalars, constants = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            tensors = [torch.from_numpy(array) for array in arrays]
            getattr(kernels, kernel)[(1,)](*tensors, *scalars, **constants)
            answer = [tensor.numpy() for tensor in tensors]
        except Exception as e:
            answer = repr(e)
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    _serve(sys.argv[1])
