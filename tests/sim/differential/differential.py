#!/usr/bin/env python3
"""Runs a differential program to its end, and compares its output with a GPU's.

    differential.py record FILE COMMAND...     writes the program's lines to FILE
    differential.py compare FILE COMMAND...    fails where they differ from FILE

COMMAND is run with --from N: again, behind the case that ended it, whenever a case has killed its CUDA context.
JOBS=8 in the environment runs eight cases at once; FINDINGS=1 lets the simulated device report hazards where nothing
fails. In a record, # begins a comment, and a line "  device: …" holds what the simulated device prints, on purpose, instead
of the line before.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DIED, HAZARD, SECONDS = 9, 3, 120


def run(command, begin, end):
    """The lines of cases begin … end - 1, by number, and what the program said that is no line."""
    lines, said = {}, []
    while begin < end:
        command_line = [*command, "--from", str(begin), "--to", str(end)]
        try:
            done = subprocess.run(command_line, capture_output=True, text=True, errors="replace", timeout=SECONDS)
            out, code, words = done.stdout, done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            out, code, words = (late.stdout or b"").decode(errors="replace"), None, "no end in sight"
        number = None
        for line in out.splitlines():
            if match := re.match(r"(\d+)\. ", line):
                number = int(match[1])
                lines[number] = line
            elif line != "end" and number is not None:
                lines[number] += "\n" + line
        if out.endswith("end\n"):
            if code and not (code == HAZARD and os.environ.get("FINDINGS")):
                said.append(f"cases {begin} to {end - 1} ended with {code}\n{words}")
            return lines, said
        if number is None:
            return lines, [*said, f"{' '.join(command_line)}: ended with {code} before its first case\n{words}"]
        if code not in (DIED, HAZARD):
            lines[number] += "hangs" if code is None else f"ends with {code}"
        begin = number + 1
    return lines, said


def run_all(command):
    jobs = int(os.environ.get("JOBS", "1"))
    if jobs == 1:
        return run(command, 0, 1 << 30)
    lines, said = {}, []
    size = 20
    with ThreadPoolExecutor(jobs) as pool:
        pieces = pool.map(lambda n: run(command, n * size, (n + 1) * size), range(1600 // size))
        for some, words in pieces:
            lines |= some
            said += words
    return lines, said


def main():
    mode, file, *command = sys.argv[1:]
    lines, said = run_all(command)
    text = "".join(lines[number] + "\n" for number in sorted(lines))
    print("\n".join(said), file=sys.stderr)
    if mode == "record":
        Path(file).write_text(text)
        return 0
    expected, different = [], 0
    for line in Path(file).read_text().splitlines():
        if line.startswith("  device: "):
            expected[-1] = line.removeprefix("  device: ")
            different += 1
        elif not line.startswith("#"):
            expected.append(line)
    found = text.splitlines()
    wrong = [(a, b) for a, b in zip(expected, found) if a != b]
    for a, b in wrong[:20]:
        print(f"record: {a}\ndevice: {b}\n")
    if len(expected) != len(found):
        print(f"the record has {len(expected)} lines, the program printed {len(found)}")
    print(f"{len(found)} lines, {len(wrong)} differ from {Path(file).name}; {different} differ from the GPU's on purpose")
    return bool(wrong or said or len(expected) != len(found))


if __name__ == "__main__":
    sys.exit(main())
