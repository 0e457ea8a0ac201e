# ===- threads.py - Tests of what several threads do at once ---------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
import threading
from concurrent.futures import ThreadPoolExecutor


def run_in_threads(count, work):
    """`work(0)` to `work(count - 1)`, each in a thread of its own, begun together. Raises what the first raised."""
    ready = threading.Barrier(count)

    def begin(index):
        ready.wait()
        return work(index)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))
