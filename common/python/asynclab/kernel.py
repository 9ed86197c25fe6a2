"""Launches of PTX kernels with NumPy arrays, as docs/ptx.md describes them."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

from asynclab.runner import verdict_of

TYPES = {"int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
         "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "bool": "u8"}


@dataclass(frozen=True)
class Map:
    """A tensor map (cuTensorMapEncodeTiled) of an array, as an argument."""

    array: object
    size: list  #: elements in each dimension, the fastest first
    box: list  #: elements
    options: dict = None  #: further keys of docs/ptx.md: stride, element_stride, swizzle, interleave, l2, outside, type


@dataclass(frozen=True)
class Launched:
    """What a launch has done."""

    verdict: object  #: Verdict
    arrays: list  #: for each argument its array after the launch; None for arguments that are no arrays

    @property
    def findings(self):
        return self.verdict.findings

    def raise_for_hazards(self):
        self.verdict.raise_for_hazards()
        return self


def as_bytes(array):
    """(name of the type, bytes, shape, function that makes an array of that kind from bytes) of an array of NumPy or PyTorch."""
    if type(array).__module__.partition(".")[0] == "torch":
        import torch

        if array.device.type != "cpu":
            raise TypeError("the simulated device takes CPU tensors: call .cpu() first")
        plain = array.detach().contiguous()
        name = str(array.dtype).removeprefix("torch.")
        raw = plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
        back = lambda data: torch.frombuffer(bytearray(data), dtype=array.dtype).reshape(array.shape) if data else plain.clone()
    else:
        plain = numpy.ascontiguousarray(array)
        name = plain.dtype.name
        raw = plain.tobytes()
        back = lambda data: numpy.frombuffer(bytearray(data), dtype=plain.dtype).reshape(plain.shape)
    if name not in TYPES:
        raise TypeError(f"arrays of {name} cannot be passed; these can: {', '.join(TYPES)}")
    return TYPES[name], raw, back


def is_array(value):
    return isinstance(value, numpy.ndarray) and value.ndim > 0 or type(value).__module__.partition(".")[0] == "torch"


class Kernel:
    """A kernel in PTX, for example of Triton (`compiled.asm["ptx"]`), TileLang, the CuTe DSL, or `nvcc -ptx`."""

    def __init__(self, ptx, name=None):
        """ptx: the text, bytes, or the path of a file.  name: of the kernel; needed only if the PTX has several."""
        if isinstance(ptx, bytes):
            ptx = ptx.decode()
        self.file = None if isinstance(ptx, str) and "\n" in ptx else Path(ptx).absolute()
        self.text = ptx if self.file is None else self.file.read_text()
        self.name = name

    def launch(self, grid=1, block=None, args=(), *, cluster=None, shared=0, cooperative=False, in_place=False, schedules=None,
               strict=False, timeout=60.0):
        """Runs one launch on the simulated device.

        grid, block, cluster: a number or up to three.  args: one for each parameter of the kernel: an array (its address
        is passed; several arguments that are the same array share one buffer), a NumPy scalar, a number (an int has the
        parameter's size, a float is an f32), None (a null pointer), or a Map.  shared: bytes of dynamic shared memory.
        in_place: also write the results into the arrays given.
        Returns Launched. Raises AsynclabError if the launch cannot be described.
        """
        buffers, arguments, given = [], [], {}

        with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
            folder = Path(folder)

            def buffer(array):
                if id(array) not in given:
                    kind, raw, back = as_bytes(array)
                    name = f"argument_{len(given)}"
                    (folder / f"{name}.in").write_bytes(raw)
                    buffers.append({"name": name, "type": kind, "fill": {"file": f"{name}.in"}, "save": str(folder / f"{name}.out")})
                    given[id(array)] = (name, array, back)
                return given[id(array)][0]

            for value in args:
                if isinstance(value, Map):
                    arguments.append({"map": {"buffer": buffer(value.array), "size": list(value.size), "box": list(value.box), **(value.options or {})}})
                elif is_array(value):
                    arguments.append({"buffer": buffer(value)})
                elif isinstance(value, numpy.generic):
                    arguments.append({"value": value.item(), "type": TYPES[value.dtype.name]})
                elif isinstance(value, float):
                    arguments.append({"value": value, "type": "f32"})
                else:
                    arguments.append({"value": 0 if value is None else int(value)})
            launch = {"grid": grid, "buffers": buffers, "arguments": arguments, "shared": shared, "cooperative": cooperative}
            launch |= {key: value for key, value in (("kernel", self.name), ("block", block), ("cluster", cluster)) if value is not None}
            if self.file is None:
                (folder / "kernel.ptx").write_text(self.text)
            (folder / "launch.json").write_text(json.dumps(launch, default=int))
            options = ["--timeout", f"{timeout:g}", *(["--schedules", schedules] if schedules else []), *(["--strict"] if strict else [])]
            verdict = verdict_of([self.file or folder / "kernel.ptx", "--launch", folder / "launch.json", *options])
            after = {key: back((folder / f"{name}.out").read_bytes()) if (folder / f"{name}.out").exists() else None
                     for key, (name, _, back) in given.items()}
        arrays = [after.get(id(value.array if isinstance(value, Map) else value)) if isinstance(value, Map) or is_array(value) else None for value in args]
        if in_place:
            for key, (_, array, _) in given.items():
                if after[key] is not None:
                    array[...] = after[key]
        return Launched(verdict, arrays)
