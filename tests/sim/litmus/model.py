#!/usr/bin/env python3
"""asynclab.litmus and the PTX litmus tests of Dat3M: `model.py CHECKOUT [--only TEXT]` compares what each allows.

CHECKOUT is a clone of github.com/hernanponcedeleon/Dat3M. dat3m.py beside this file asks the simulated device instead. Tests
with branches are left out, and those with what neither reads."""

import argparse
import csv
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common/python"))
from dat3m import REGISTERS, SPACING, Test, Unsupported, holds  # noqa: E402

from asynclab.memory_model import LitmusError, litmus  # noqa: E402


def line(text):
    """A line of a test as PTX."""
    word, _, rest = text.partition(" ")
    operands = [one.strip() for one in rest.split(",")] if rest.strip() else []
    at = lambda name: f"[{name}]"
    if word == "ld":
        return f"mov.u32 {', '.join(operands)}"
    if word in ("add", "sub"):
        return f"{word}.u32 {', '.join(operands)}"
    if word.startswith("ld."):
        return f"{word}.u32 {operands[0]}, {at(operands[1])}"
    if word.startswith("st."):
        return f"{word}.u32 {at(operands[0])}, {operands[1]}"
    if word.startswith("atom.") and not word.endswith(".sub"):
        return f"{word}.u32 {operands[0]}, {at(operands[1])}, {', '.join(operands[2:])}"
    if word.startswith("red.") and not word.endswith(".sub"):
        return f"{word}.u32 {at(operands[0])}, {operands[1]}"
    if word == "bar.cta.sync" and len(operands) < 3:
        return f"bar.sync {operands[-1]}"
    if word.startswith("fence."):
        return word
    raise Unsupported(f"the instruction {text!r}")


def found(test):
    """Does some allowed execution end in the state of the condition?"""
    threads = [";".join([*(f"mov.u32 r{i}, {value}" for i in range(REGISTERS) if (value := test.registers.get(f"P{thread}:r{i}"))), *map(line, lines)])
               for thread, _, lines in test.threads]
    answer = litmus(threads, test.locations, [block for _, block, _ in test.threads])
    condition = test.condition if test.kind != "forall" else f"~({test.condition})"
    for state in answer["outcomes"]:
        memory, out = [0] * SPACING * max(1, len(test.locations)), [0] * REGISTERS * (1 + max(thread for thread, _, _ in test.threads))
        for i, name in enumerate(test.locations):
            memory[SPACING * i] = state.get(name, test.locations[name])
        for name, value in state.items():
            if place := re.fullmatch(r"(\d+):r(\d+)", name):
                out[REGISTERS * test.threads[int(place[1])][0] + int(place[2])] = value
        if holds(condition, memory, out, test):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with open(options.checkout / "dartagnan/src/test/resources/PTXv7_5-expected.csv", newline="") as file:
        expected = {row[0]: row[1] == "1" for row in csv.reader(file)}
    counts = {}
    for name, holds_there in sorted(expected.items()):
        if options.only not in name:
            continue
        path = options.checkout / name
        try:
            test = Test(path)
            allowed = holds_there == (test.kind == "exists")
            verdict, why = ("agrees" if found(test) == allowed else "differs"), f"{'allowed' if allowed else 'forbidden'} there"
        except (Unsupported, LitmusError, ValueError, KeyError) as problem:
            verdict, why = "left out", str(problem)
        counts.setdefault(path.parent.name, Counter())[verdict] += 1
        print(verdict, name, why, flush=True)
    for folder, of in counts.items():
        print(folder, dict(of))


if __name__ == "__main__":
    sys.exit(main())
