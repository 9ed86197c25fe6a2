#!/usr/bin/env python3
"""A file whose kernels and comments alone differ from another's shares the program of that file's host code. What is
found in host code is still named at the lines of the file that was checked."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUNNER, ROOT = sys.argv[1], Path(os.environ["LAB_ROOT"])
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402
WRONG = lab_versions.text("00_host_copies", "wrong/event_before_the_download")
KERNEL = "__global__ void transform(uint32_t* x, int count) {\n"
READ, COPY = "sum += slot.result[i];", "cudaMemcpyAsync(out, slot.device"


def line_of(source, part):
    assert source.count(part) == 1, part
    return 1 + source[:source.index(part)].count("\n")


def check(file, source):
    file.write_text(source)
    said = subprocess.run([RUNNER, "check", "00", "--file", file, "--json"], capture_output=True, text=True)
    findings = [finding for case in json.loads(said.stdout)[0]["cases"] for finding in case["findings"]]
    assert findings, said.stderr
    for finding in findings:
        for place, part in ((finding["first"], READ), (finding["others"][0], COPY)):
            assert (Path(place["file"]).name, place["line"]) == (file.name, line_of(source, part)), place


def main():
    assert WRONG.count(KERNEL) == 1
    with tempfile.TemporaryDirectory() as scratch:
        check(Path(scratch) / "kernel.cu", WRONG)
        check(Path(scratch) / "longer.cu", WRONG.replace(KERNEL, "// A comment\n/* and\none\nmore */\n" + KERNEL + "\n\n"))
        check(Path(scratch) / "shorter.cu", WRONG.replace("\n\n", "\n"))


main()
