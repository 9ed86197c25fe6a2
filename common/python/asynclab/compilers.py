"""Kernels from where they are written: CUDA C++ as in torch.utils.cpp_extension.load_inline, and Triton's @jit functions."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy

from asynclab import installation
from asynclab.kernel import Kernel, is_array
from asynclab.runner import AsynclabError

TRITON = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "bool": "i1", "uint8": "u8", "uint16": "u16", "uint32": "u32",
          "uint64": "u64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}


def compiler():
    """(nvcc, its flags) that the runner uses."""
    state = installation.environment().get("LAB_STATE") or os.environ.get("LAB_STATE") or installation.root() / ".asynclab"
    file = Path(state) / "toolchain.json"
    if not file.exists():
        raise AsynclabError(f"there is no {file}, which names the compiler: run ./lab doctor first")
    known = json.loads(file.read_text())
    return known["nvcc"], known["flags"]


def from_cuda(source, name=None, arch="compute_90a", flags=()):
    """A Kernel of CUDA C++ source: the text, or the path of a file. `name`: of the kernel, as PTX has it (extern "C", or mangled);
    needed only if there are several. `flags`: for nvcc, such as "-I…".

    Functions of the host in the source are compiled, so their headers have to be there, and never called: launch() does what
    they would do."""
    nvcc, own = compiler()
    with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
        file = Path(folder) / "kernel.cu" if "\n" in str(source) else Path(source)
        if "\n" in str(source):
            file.write_text(source)
        out = Path(folder) / "kernel.ptx"
        done = subprocess.run([nvcc, "-ptx", "-O3", "-lineinfo", "-std=c++20", f"-arch={arch}", *own, *flags, file, "-o", out], capture_output=True, text=True)
        if done.returncode:
            raise AsynclabError(f"nvcc does not compile it:\n{done.stderr or done.stdout}")
        return Kernel(out.read_text(), name)


def type_of(value):
    """As Triton's signatures have it."""
    if is_array(value):
        return "*" + TRITON[str(value.dtype).removeprefix("torch.")]
    if isinstance(value, (bool, numpy.bool_)):
        return "i1"
    if isinstance(value, (float, numpy.floating)):
        return "fp32"
    return "i32" if -(1 << 31) <= int(value) < 1 << 31 else "i64"


def from_triton(function, arguments, constants=None, sm=90, **options):
    """(Kernel, metadata) of a @triton.jit function for these arguments, without a GPU. `constants`: its tl.constexpr parameters."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constants = dict(constants or {})
    given = dict(zip([name for name in function.arg_names if name not in constants], arguments))
    signature = {name: "constexpr" if name in constants else type_of(given[name]) for name in function.arg_names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(function.arg_names)
               if name in given and (is_array(given[name]) or (not isinstance(given[name], float) and int(given[name]) % 16 == 0))}
    source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", sm, 32), options=options)
    return Kernel(made.asm["ptx"]), made.metadata


def launch_triton(function, grid, *arguments, sm=90, num_warps=4, num_stages=3, timeout=60.0, **constants):
    """function[grid](*arguments, **constants) on the simulated device, with NumPy arrays or PyTorch's CPU tensors, into which the
    results are written. Returns Launched."""
    kernel, metadata = from_triton(function, arguments, constants, sm, num_warps=num_warps, num_stages=num_stages)
    if callable(grid):
        grid = grid(constants)
    if getattr(metadata, "global_scratch_size", 0):
        raise AsynclabError("the kernel needs scratch memory: launch asynclab.Kernel with a buffer for it (docs/ptx.md)")
    entry = re.search(r"\.entry\s+\S+?\((.*?)\)\s*(?=[.{\n])", kernel.text, re.S)
    added = len(re.findall(r"\.param\b", entry[1])) - len(arguments)  # pointers that this version of Triton adds
    return kernel.launch(grid, args=[*arguments, *[None] * added], shared=metadata.shared, in_place=True, timeout=timeout)
