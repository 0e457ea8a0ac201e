# ===- _variant.py - Code for arguments that overlap -----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The version of a kernel for overlapping arguments, made when a launch first has such.

It is a kernel of its own, made from the linalg stage, whose text the metadata of the compiled kernel have. Triton's
cache keeps it beside the other files of that kernel, so it is made once for all processes. Threads and processes that
find an overlap at the same time may each make it: all make the same, and files are replaced as a whole.
"""

from __future__ import annotations

from spine_triton import _spine, _stages, _triton_compat

SUFFIX = "__may_alias"


def load(machine, metadata):
    """The variant of the compiled kernel with these metadata, loaded into the machine."""
    name = metadata.name + SUFFIX
    file = f"{metadata.name[:100]}{SUFFIX}.obj"
    binary = None if _triton_compat.always_compiles() else _triton_compat.cached_file(metadata.hash, file)
    if binary is not None:
        try:
            return machine.load(binary, name)
        except _spine.MLIRError:
            pass  # a damaged file
    binary = _stages.compile_may_alias(metadata)
    _triton_compat.cache_file(metadata.hash, file, binary)
    return machine.load(binary, name)
