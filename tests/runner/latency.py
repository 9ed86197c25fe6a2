"""How long it takes from saving a lab's kernel.cu to its verdict: a benchmark, for a quiet machine.

usage: tests/runner/latency.py RUNNER [--labs 01,03] [--times 5]

Each time the file differs by one line of code, so that nothing comes from the cache. Prints the median of the whole, of
nvcc's part, and of the rest: the device, over all cases and schedules."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def once(runner, lab, source, number):
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "kernel.cu"
        kernel.write_text(f"{source}\n__device__ int saved_{number}_{time.time_ns()};\n")
        began = time.monotonic()
        done = subprocess.run([runner, "check", lab, "--file", kernel, "--json", "-"], capture_output=True, text=True)
        whole = time.monotonic() - began
        (report,) = json.loads(done.stdout)
        assert report["passed"], report
        return whole, report["compile_seconds"], report["seconds"] - report["compile_seconds"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner", type=Path)
    parser.add_argument("--labs", default="01,02,03,06,08,10,16")
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    os.environ.setdefault("LAB_ROOT", str(ROOT))
    print("lab   whole   nvcc  device   (seconds, median)")
    for lab in arguments.labs.split(","):
        (solution,) = ROOT.glob(f"solutions/{lab}_*/kernel.cu")
        runs = [once(arguments.runner, lab, solution.read_text(), i) for i in range(arguments.times)]
        print(f"{lab}   " + "".join(f"{statistics.median(part):7.2f}" for part in zip(*runs)), flush=True)


main()
