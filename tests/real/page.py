#!/usr/bin/env python3
"""Compares the tables of docs/real-bugs.md with expected.tsv and gpu.tsv; ASYNCLAB_BLESS=1 writes them.

gpu.tsv is what `score.py --gpu` wrote to stderr on a machine with a GPU.
"""

import os
import re
import sys

from score import EXPECTED, FOLDER, ROOT, TOOLS, header, programs

PAGE = ROOT / "docs/real-bugs.md"
MARKS = "<!-- tests/real/page.py: begin -->\n", "<!-- tests/real/page.py: end -->\n"
OWNERS = {"NVIDIA": ["cutlass", "cccl", "cub", "libcudacxx", "cuCollections", "cuda-samples", "TransformerEngine",
          "TensorRT-LLM", "Fuser", "cudnn-frontend", "flashdreams"], "NVIDIA-Merlin": ["HierarchicalKV"], "NVlabs":
          ["cuda-oxide"], "deepseek-ai": ["DeepEP", "DeepGEMM", "DeepJIT", "FlashMLA"], "triton-lang": ["triton"],
          "tile-ai": ["tilelang", "TileOPs"], "flashinfer-ai": ["flashinfer"], "pytorch": ["pytorch"], "torch":
          ["cutorch"], "sgl-project": ["sglang", "mini-sglang"], "ggml-org": ["llama.cpp"], "jax-ml": ["jax"],
          "Dao-AILab": ["flash-attention"], "mlc-ai": ["TIRx-kernels"], "rapidsai": ["cudf", "rmm"], "PaddlePaddle": ["Paddle"], "microsoft": ["onnxruntime"], "iree-org": ["iree"],
          "ROCm": ["tritonBLAS"], "predibase": ["lorax"], "punica-ai": ["punica"], "rusty1s": ["pyg_autoscale"],
          "cupy": ["cupy"], "JuliaGPU": ["CUDA.jl", "AcceleratedKernels.jl"], "AccelerateHS": ["accelerate"],
          "alpaka-group": ["alpaka"], "ComputationalRadiationPhysics": ["picongpu"], "kokkos": ["kokkos"],
          "kaldi-asr": ["kaldi"], "owensgroup": ["SlabHash"], "ORNL": ["HeCBench"], "alicevision": ["popsift"],
          "lattice": ["quda"], "arrayfire": ["arrayfire"], "openvdb": ["fvdb-core"], "ValeevGroup": ["tiledarray"],
          "StanfordLegion": ["realm"], "risc0": ["risc0"], "CanReader": ["FastNN"]}
OWNER = {name: owner for owner, names in OWNERS.items() for name in names}


def rows_of(file):
    return {row[0]: row[1:] for row in (line.split("\t") for line in file.read_text().splitlines())}


def linked(source):
    def link(found):
        owner, name, number = found.groups()
        owner = owner or OWNER.get(name)
        return f"[{found[0]}](https://github.com/{owner}/{name}/issues/{number})" if owner else found[0]
    return re.sub(r"\b(?:([\w-]+)/)?([\w.-]+)#(\d+)", link, source)


def on_the_gpu(row):
    if row is None:
        return "–", "–"
    plain, tools = row[0], [tool for tool, said in zip(TOOLS, row[1:]) if said == "flagged"]
    return {"ok": "right"}.get(plain, plain), ", ".join(tools) or "nothing"


def tables():
    ours, gpu = rows_of(EXPECTED), rows_of(FOLDER / "gpu.tsv")
    faults = [p for p in programs([]) if p.name.endswith("/fault")]
    clean = [p for p in programs([]) if not p.name.endswith("/fault")]
    named = [p for p in faults if ours[p.name][1] == "named"]
    accused = [p for p in clean if ours[p.name][1] == "accused"]
    measured = [p for p in faults if p.name in gpu]
    measured_clean = [p for p in clean if p.name in gpu]
    betrayed = [p for p in measured if gpu[p.name][0] != "ok"]
    flagged = [p for p in measured if "flagged" in gpu[p.name][1:]]
    told_apart = [p for p in flagged if "flagged" not in gpu[p.name.replace("/fault", "/fix")][1:]]
    falsely = [p for p in measured_clean if "flagged" in gpu[p.name][1:]]
    yield "|  | asynclab | a plain run on the GPU | compute-sanitizer |\n|---|---|---|---|"
    yield (f"| faults noticed | {len(named)} of {len(faults)} | {len(betrayed)} of {len(measured)} | "
           f"{len(flagged)} of {len(measured)} ({len(told_apart)} without flagging the fix, too) |")
    yield f"| correct programs accused | {len(accused)} of {len(clean)} | – | {len(falsely)} of {len(measured_clean)} |"
    yield "\n| bug | cause | asynclab | plain run | compute-sanitizer |\n|---|---|---|---|---|"
    for p in faults:
        rule = ours[p.name][0] if p in named else ""
        reported = f"[{rule}](hazards.md#{rule})" if rule and not rule.startswith("exit-1") else "not noticed"
        plain, tools = on_the_gpu(gpu.get(p.name))
        yield f"| {linked(header(p.text, 'source'))} | {header(p.text, 'cause')} | {reported} | {plain} | {tools} |"


def main():
    text = PAGE.read_text()
    begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    new = text[:begin] + "\n" + "\n".join(tables()) + "\n\n" + text[end:]
    if new != text and os.environ.get("ASYNCLAB_BLESS"):
        PAGE.write_text(new)
    elif new != text:
        sys.exit("docs/real-bugs.md is behind: ASYNCLAB_BLESS=1 ./lab test real-page")


if __name__ == "__main__":
    main()
