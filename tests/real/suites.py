#!/usr/bin/env python3
"""Runs a suite of labelled programs: `suites.py SUITE CHECKOUT [--only TEXT] [--rows FILE]`.

CHECKOUT is a clone of the suite, of which nothing is in this tree:
- scor: github.com/csl-iisc/ScoR, the microbenchmarks: races by missing fences and by scopes; once more with data that is not volatile
- cusan: github.com/tudasc/cusan, the tests that need no MPI: the host, streams and events; each with and without its synchronisation
- samples: github.com/NVIDIA/compute-sanitizer-samples, the programs with errors
- gpuverify: github.com/mc-imperial/gpuverify, the CUDA testsuite, and gpurepair: github.com/cs17resch01003/gpurepair, its programs of the
  folders Bugged and MicroBenchmarks. They are kernels alone, so each gets a main() that passes zeros in memory, and 16 for numbers; their labels hold for all
  arguments.

Prints a row for each program: the label ("fault" or "right"), what was found first, and whether both agree.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))

# GPUVerify's annotations, which are no C++. What has to hold for the arguments is not looked at.
ANNOTATIONS = """
#define __requires(...)
#define __ensures(...)
#define __invariant(...) true
#define __global_invariant(...)
#define __assert(...)
#define __assume(...)
#define __axiom(...)
#define __requires_fresh_array(...)
#define __non_temporal(x) x
"""


class Program:
    """What to run: a label, the text, flags for nvcc, and where it comes from."""

    def __init__(self, name, fault, text, folder, flags=()):
        self.name, self.fault, self.text, self.folder, self.flags = name, fault, text, folder, flags


def scor(checkout):
    for path in sorted((checkout / "microbenchmarks/src").glob("*.cu")):
        text, fault = path.read_text(), path.stem.startswith("race_")
        yield Program(path.stem, fault, text, path.parent)
        if "volatile" in text:
            yield Program(path.stem + " without volatile", fault, text.replace("volatile ", ""), path.parent)


def cusan(checkout):
    for path in sorted((checkout / "test/runtime").glob("*.c")):
        text = path.read_text()
        if "mpi" in text.lower() or "XFAIL" in text:
            continue
        expected = re.search(r"^// CHECK-DAG: data race", text, re.M) is not None
        yield Program(path.stem, expected, text, path.parent, ["--extended-lambda"])
        if "CUSAN_SYNC" in text:
            yield Program(path.stem + " -DCUSAN_SYNC", False, text, path.parent, ["--extended-lambda", "-DCUSAN_SYNC"])


def samples(checkout):
    for tool in ("Memcheck", "Racecheck", "Synccheck", "Initcheck", "Suppressions", "StreamOrderedRaces"):
        for path in sorted((checkout / tool).glob("*.cu")):
            yield Program(f"{tool}/{path.stem}", True, path.read_text(), path.parent)


def dimension(text, option):
    found = re.search(rf"--{option}=\[?([\d,]+)", text)
    return [int(n) for n in found[1].split(",") if n] if found else [1]


def with_main(text):
    """A kernel with a main() that launches it once, on at most two blocks in each direction. None: no kernel to launch."""
    kernel = re.search(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)", text)
    if not kernel or "template" in text[max(0, kernel.start() - 60):kernel.start()]:
        return None
    threads, blocks = dimension(text, "blockDim"), [min(n, 2) for n in dimension(text, "gridDim")]
    body, passed = [], []
    for i, parameter in enumerate(p for p in kernel[2].split(",") if p.strip() and p.strip() != "void"):
        declared = re.sub(r"\b(const|volatile|__restrict__|restrict)\b", "", parameter)
        declared = re.sub(r"=.*", "", declared).strip()
        kind = re.sub(r"\w+\s*(\[\w*\])?$", "", declared).strip()
        if "*" in declared or "[" in declared:
            body.append(f"void* a{i}; cudaMalloc(&a{i}, 1 << 22); cudaMemset(a{i}, 0, 1 << 22);")
            passed.append(f"({kind.replace('*', '') or 'char'}{'*' * max(1, declared.count('*'))})a{i}")
        else:
            number = re.fullmatch(r"(unsigned|signed|int|long|short|size_t|\s)+", kind)
            body.append(f"static {kind} a{i}{' = 16' if number else ''};")
            passed.append(f"a{i}")
    size = [f"dim3({', '.join(map(str, n))})" for n in (blocks, threads)]
    return (f"{ANNOTATIONS}{text}\nint main() {{ {' '.join(body)}\n"
            f"{kernel[1]}<<<{size[0]}, {size[1]}>>>({', '.join(passed)});\nreturn cudaDeviceSynchronize(); }}\n")


def kernels(files, root):
    for path in sorted(files):
        text = path.read_text(errors="replace")
        label = re.match(r"//\s*(pass|xfail:NOT_ALL_VERIFIED|xfail:REPAIR_ERROR)", text, re.I)
        whole = with_main(text) if label else None
        if whole:
            yield Program(str(path.parent.relative_to(root)), label[1].lower() != "pass", whole, path.parent)


def gpuverify(checkout):
    return kernels((checkout / "testsuite/CUDA").rglob("*.cu"), checkout / "testsuite/CUDA")


def gpurepair(checkout):
    """The labels say whether a program could be repaired: one of these has nothing to repair."""
    root = checkout / "tests/testsuite"
    for part in ("Bugged", "MicroBenchmarks"):
        for program in kernels((root / part).rglob("*.cu"), root):
            program.fault = not program.name.endswith("unnecessary_barrier")
            yield program


SUITES = {"scor": scor, "cusan": cusan, "samples": samples, "gpuverify": gpuverify, "gpurepair": gpurepair}


def run(program, scratch):
    """A word about the end, and the findings as texts "severity rule line"."""
    file = scratch / "program.cu"
    file.write_text(program.text)
    flags = " ".join(["-w", f"-I{program.folder}", *program.flags])
    done = subprocess.run([RUNNER, "run", str(file), "--timeout", "60", "--nvcc", flags, "--json"], capture_output=True, text=True,
                          env={**os.environ, "LAB_ROOT": str(TREE)})
    try:
        said = json.loads(done.stdout)
    except json.JSONDecodeError:
        return "does not run", []
    found = [f"{one['severity']} {one['rule']} {one['first']['line']}" for one in said["findings"] if one["severity"] != "note"]
    return said["verdict"], found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args()
    count, rows = Counter(), []
    with tempfile.TemporaryDirectory(prefix="asynclab-suite-") as scratch:
        for program in SUITES[options.suite](options.checkout.resolve()):
            if options.only not in program.name:
                continue
            verdict, found = run(program, Path(scratch))
            ran = verdict in ("passed", "hazard", "incomplete", "failed", "timeout")
            word = "left out" if not ran else "agree" if program.fault == bool(found) else "missed" if program.fault else "accused"
            count[("fault" if program.fault else "right", word)] += 1
            rows.append("\t".join([program.name, "fault" if program.fault else "right", word, verdict, "; ".join(found[:3])]))
            print(rows[-1], flush=True)
    if options.rows:
        options.rows.write_text("\n".join(rows) + "\n")
    for (label, word), n in sorted(count.items()):
        print(f"{label}: {n} {word}", file=sys.stderr)


if __name__ == "__main__":
    main()
