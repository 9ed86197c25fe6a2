#!/usr/bin/env python3
"""Compiles the .cu files here to the .ptx files beside them, as a student's build would. Needs nvcc in PATH.

Debug sections are cut to a few lines, and the source's path becomes /lab/NAME.cu wherever it was compiled."""
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
RELEASE, DEBUG = ["-O3", "-lineinfo"], ["-G"]
BUILDS = [
    ("two_calls", "80", RELEASE),
    ("two_calls", "90", RELEASE),
    ("stages", "90", RELEASE),
    ("language", "90a", RELEASE),
    ("language", "90", DEBUG),
]


def shorten(ptx):
    kept, in_section = [], 0
    for line in ptx.splitlines():
        if re.match(r"\s*\.section", line):
            in_section = 1
        if in_section:
            in_section += 1
            if line.strip() == "}":
                in_section = 0
            elif in_section > 12:
                continue
        kept.append(line)
    return "\n".join(kept) + "\n"


for name, arch, flags in BUILDS:
    source = HERE / f"{name}.cu"
    target = HERE / f"{name}.{'debug' if flags is DEBUG else 'sm_' + arch}.ptx"
    command = ["nvcc", "-std=c++17", *flags, f"-arch=compute_{arch}", "-ptx", str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    text = shorten(target.read_text()).replace(str(source), f"/lab/{name}.cu")
    target.write_text(re.sub(r'"[^"]*/targets/', '"/usr/local/cuda/bin/../targets/', text))
