"""How long it takes from saving a lab's kernel.cu to its verdict: a benchmark, for a quiet machine.

usage: tests/runner/latency.py RUNNER [--labs 01,03] [--times 5]

Each time the file differs by one line of code, so that nothing comes from the cache. Prints the medians: from the save to the
first words of `lab watch` on a terminal, and to its verdict; then of `lab check` the whole, nvcc's part, and the rest: the
device, over all cases and schedules."""

import argparse
import json
import os
import pty
import select
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


class Watch:
    """`lab watch` on a terminal."""

    def __init__(self, runner, lab, kernel):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([runner, "watch", lab, "--file", kernel], stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.until("watching")

    def until(self, text):
        """The seconds until the terminal shows the text, on time.monotonic()'s clock."""
        seen = ""
        while text not in seen:
            assert select.select([self.master], [], [], 120)[0], seen
            seen += os.read(self.master, 65536).decode(errors="replace")
        return time.monotonic()

    def end(self):
        os.write(self.master, b"q")
        self.process.wait(10)
        os.close(self.master)


def watched(runner, lab, source, times):
    """[(seconds from a save to the first words, to the verdict)]"""
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "kernel.cu"
        kernel.write_text(source)
        watch = Watch(runner, lab, kernel)
        found = []
        for number in range(times):
            text = f"{source}\n__device__ int watched_{number}_{time.time_ns()};\n"
            began = time.monotonic()
            kernel.write_text(text)
            first = watch.until("checking")
            found.append((first - began, watch.until(" points") - began))
            watch.until("watching")
        watch.end()
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner", type=Path)
    parser.add_argument("--labs", default="01,02,03,06,08,10,16")
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    os.environ.setdefault("LAB_ROOT", str(ROOT))
    print("lab   first verdict   whole   nvcc  device   (seconds, median)")
    for lab in arguments.labs.split(","):
        (solution,) = ROOT.glob(f"solutions/{lab}_*/kernel.cu")
        seen = watched(arguments.runner, lab, solution.read_text(), arguments.times)
        runs = [once(arguments.runner, lab, solution.read_text(), i) for i in range(arguments.times)]
        print(f"{lab}   " + "".join(f"{statistics.median(part):7.2f}" for part in [*zip(*seen), *zip(*runs)]), flush=True)


main()
