# ===- standin_backend.py - A backend of someone else's --------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""A Triton backend in the manner of SpacemiT's, as far as other backends can tell, without a compiler behind it.

It goes by the name `spine_triton`, claims the target `cpu`, is always active, has a static `make_ttir`, a `hash` that is
no text, and does not call `add_stages_inspection_hook`. It refuses block pointers into tensors of more than 2^20 elements
whose shape is known when it compiles. Its kernels are not run: launches are written down.
"""

import math
import re
from dataclasses import dataclass

from triton._C.libtriton import ir, passes
from triton.backends import Backend
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.backends.driver import DriverBase

NAME = "spine_triton"
launches = []
compiled = []


@dataclass(frozen=True)
class Options:
    num_warps: int = 0
    num_ctas: int = 1
    num_stages: int = 1
    debug: bool = False
    arch: str = "x86_64"
    sanitize_overflow: bool = True
    supported_fp8_dtypes: tuple = ()
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("ieee",)
    max_num_imprecise_acc_default: int = 0
    enable_fp_fusion: bool = True
    instrumentation_mode: str = ""
    backend_name: str = "cpu"

    def hash(self):
        return repr(self)


def check_base_numel(text):
    constants = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : i64", text))
    for shape in re.findall(r"tt\.make_tensor_ptr %\w+, \[(.*?)\]", text):
        extents = [int(constants.get(name, 1)) for name in shape.split(", ")]
        if math.prod(extents) > 1 << 20:
            raise RuntimeError("make_block_ptr cannot be used on tensors with numel > 1048576")


class StandInCompiler(BaseBackend):
    binary_ext = "so"

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "so"

    def parse_options(self, opts):
        return Options(**{k: v for k, v in opts.items() if k in Options.__dataclass_fields__})

    def get_codegen_implementation(self, options):
        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1)}

    def get_module_map(self):
        return {}

    def pack_metadata(self, metadata):
        return ()

    def load_dialects(self, context):
        pass

    @staticmethod
    def make_ttir(mod, metadata, opt):
        check_base_numel(str(mod))
        manager = ir.pass_manager(mod.context)
        passes.common.add_inliner(manager)
        passes.common.add_canonicalizer(manager)
        manager.run(mod, "make_ttir")
        metadata["name"] = mod.get_entry_func_name()
        metadata["shared"] = 0
        compiled.append(str(mod))
        return mod

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda src, metadata: self.make_ttir(src, metadata, options)
        stages["so"] = lambda src, metadata: str(src).encode()

    def hash(self):
        return self.target


class StandInDriver(DriverBase):
    class utils:
        @staticmethod
        def load_binary(name, binary, shared, device):
            return binary, binary, 0, 0, 1 << 30

        @staticmethod
        def get_device_properties(device):
            return {"max_shared_mem": 1 << 40}

    class launcher_cls:
        def __init__(self, src, metadata):
            self.name = metadata.name

        def __call__(self, *args):
            launches.append(self.name)

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cpu", "x86_64", 0)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        return None


BACKEND = Backend(StandInCompiler, StandInDriver)
