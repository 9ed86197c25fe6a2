#!/usr/bin/env python3
"""A lab is checked with each of its targets. A run whose program cannot distinguish them counts for all that have the same
PTX; one that has asked which architecture it runs on does not."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUNNER, ROOT = sys.argv[1], Path(os.environ["LAB_ROOT"])
LAB = "04_cp_async_ptx"
SOLUTION = (ROOT / "solutions" / LAB / "kernel.cu").read_text()
SIZE = "cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);"
WAYS = {
    "an attribute": "int is = 0; cudaDeviceGetAttribute(&is, cudaDevAttrComputeCapabilityMajor, 0); is *= 10;",
    "all properties": "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); const int is = 10 * p.major + p.minor;",
    "a function's attributes": "cudaFuncAttributes a; cudaFuncGetAttributes(&a, KERNEL); const int is = a.ptxVersion;",
}


def check(folder, source):
    (folder / "kernel.cu").write_text(source)
    said = subprocess.run([RUNNER, "check", LAB[:2], "--file", folder / "kernel.cu", "--json"], capture_output=True, text=True)
    return json.loads(said.stdout)[0]


def asking(way, then):
    """The solution, which first asks for its architecture."""
    assert SOLUTION.count(SIZE) == 1
    kernel = SOLUTION[:SOLUTION.index("<<<")].split()[-1]
    return SOLUTION.replace(SIZE, SIZE + WAYS[way].replace("KERNEL", kernel) + then)


def failures(result):
    """Of cases that fail themselves: one that does not count for another's sake has passed with every target."""
    return [(case["verdict"], case["target"]) for case in result["cases"]
            if not case["passed"] and case["verdict"] != "unearned"]


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        plain = check(folder, SOLUTION)
        assert plain["passed"], plain
        assert len({case["runs"] for case in plain["cases"]}) == 1, plain
        for way in WAYS:
            result = check(folder, asking(way, "if (is >= 90) return cudaSuccess;"))
            assert not result["passed"] and {target for _, target in failures(result)} == {"compute_90"}, (way, result)
            result = check(folder, asking(way, "if (is < 80) return cudaSuccess;"))
            assert result["passed"], (way, failures(result))
            assert [case["runs"] for case in result["cases"]] == [case["runs"] for case in plain["cases"]], way


main()
