#!/usr/bin/env python3
"""The model's answer to the PTX litmus tests of Dat3M: `dat3m.py CHECKOUT [--only TEXT] [--page FILE]`.

CHECKOUT is a clone of github.com/hernanponcedeleon/Dat3M. Each test of litmus/PTX becomes a kernel, in which each thread of
the test is the first lane of a warp, and runs with several schedules. Its verdict is Dat3M's, from
dartagnan/src/test/resources/PTXv7_5-expected.csv: may the condition at its end hold? The device must
- never end in a state that is forbidden,
- report a race (an error or a warning) where the condition may hold, and a weak access reads one of its values,
- report nothing where the outcome is forbidden and the accesses are ordered.
Where strong accesses alone decide, "not shown" means that the condition may hold, but no schedule makes it hold.
"""

import argparse
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))
RUNS = [("--schedule", "eager"), ("--schedule", "lazy")] + [("--schedule", "random", "--seed", str(i)) for i in range(1, 5)]
SPACING = 32  # words between two locations
REGISTERS = 16


class Unsupported(Exception):
    """What this device does not have, or what this script cannot write as a kernel."""


class Test:
    def __init__(self, path):
        self.name = path.stem
        text = re.sub(r'"[^"]*"', "", path.read_text())
        text = re.sub(r"//.*|\(\*.*?\*\)", "", text)
        begin, end = text.index("{"), text.index("}")
        self.locations, self.registers = {}, {}
        for entry in re.split(r"[;\n]", text[begin + 1:end]):
            self.initial(entry.strip())
        body, kind, condition = re.split(r"^\s*(~exists|exists|forall|~ *exists)", text[end + 1:], maxsplit=1, flags=re.M)
        self.kind, self.condition = kind.strip(), condition.strip()
        body = re.split(r"^\s*filter.*", body, flags=re.M)[0]
        rows = [row for row in body.split(";") if row.strip()]
        columns = list(itertools.zip_longest(*[row.split("|") for row in rows], fillvalue=""))
        self.threads = [self.thread([cell.strip() for cell in column]) for column in columns]

    def initial(self, entry):
        if not entry:
            return
        if "@" in entry or "aliases" in entry:
            raise Unsupported("aliases, surfaces, textures or constant memory")
        name, value = [part.strip() for part in entry.split("=")]
        if re.fullmatch(r"P\d+:\w+", name):
            self.registers[name] = int(value)
        else:
            self.locations[name] = int(value)

    def thread(self, cells):
        place = re.fullmatch(r"P(\d+)@cta (\d+), ?gpu (\d+)", cells[0])
        if not place:
            raise Unsupported(f"the thread {cells[0]!r}")
        if place[3] != "0":
            raise Unsupported("a second GPU")
        return int(place[1]), int(place[2]), [cell for cell in cells[1:] if cell]

    def weak(self):
        return any(re.match(r"(ld|st)\.weak", line) for _, _, lines in self.threads for line in lines)


SCOPED = re.compile(r"(ld|st|atom|red|fence)\.[a-z_.]+")


def instruction(line, locations, warps):
    """One line of a test as PTX. Registers are %r0 to %r15, label names are kept."""
    line = line.strip()
    if line.endswith(":"):
        return line
    word, _, rest = line.partition(" ")
    operands = [part.strip() for part in rest.split(",")] if rest.strip() else []
    value = lambda text: "%" + text if re.fullmatch(r"r\d+", text) else text

    def place(text):
        if text not in locations:
            raise Unsupported(f"the location {text!r}")
        return f"[%rd1+{4 * SPACING * list(locations).index(text)}]"

    if word == "goto":
        return f"bra {operands[0]};"
    if word in ("bne", "beq"):
        return f"setp.{word[1:]}.u32 %p1, {value(operands[0])}, {value(operands[1])};\n    @%p1 bra {operands[2]};"
    if word == "ld":
        return f"mov.u32 {value(operands[0])}, {value(operands[1])};"
    if word in ("add", "sub"):
        return f"{word}.u32 {', '.join(map(value, operands))};"
    if word.startswith("ld."):
        return f"{word}.global.u32 {value(operands[0])}, {place(operands[1])};"
    if word.startswith("st."):
        return f"{word}.global.u32 {place(operands[0])}, {value(operands[1])};"
    if re.fullmatch(r"atom\.\w+\.\w+\.\w+", word):
        _, order, scope, operation = word.split(".")
        kind = {"exch": "exch.b32", "cas": "cas.b32", "add": "add.u32", "sub": "add.u32"}[operation]
        amount = "-" + operands[2] if operation == "sub" else ", ".join(map(value, operands[2:]))
        return f"atom.{order}.{scope}.global.{kind} {value(operands[0])}, {place(operands[1])}, {amount};"
    if re.fullmatch(r"red\.\w+\.\w+\.\w+", word):
        _, order, scope, operation = word.split(".")
        amount = "-" + operands[1] if operation == "sub" else value(operands[1])
        # PTX has no red that acquires.
        return f"atom.{order}.{scope}.global.add.u32 %r18, {place(operands[0])}, {amount};"
    if re.fullmatch(r"fence\.(sc|acq_rel)\.(cta|gpu|sys|cluster)", word):
        return word + ";"
    if word in ("bar.cta.sync", "bar.cta.arrive"):
        kind = word.rsplit(".", 1)[1]
        # The first operand names the barrier's instance; then its id and the number of threads.
        count = f", {32 * int(operands[2])}" if len(operands) == 3 else f", {32 * warps}" if kind == "arrive" else ""
        return f"barrier.cta.{kind} {value(operands[1] if len(operands) > 1 else operands[0])}{count};"
    raise Unsupported(f"the instruction {word!r}")


def kernel(test):
    blocks = sorted({block for _, block, _ in test.threads})
    warps = {block: [thread for thread, at, _ in test.threads if at == block] for block in blocks}
    most = max(map(len, warps.values()))
    lines = [".version 8.5", ".target sm_90", ".address_size 64",
             ".visible .entry test(.param .u64 memory, .param .u64 out)", "{", f"    .reg .b32 %r<{REGISTERS + 4}>;",
             "    .reg .b64 %rd<4>;", "    .reg .pred %p<4>;", "    ld.param.u64 %rd1, [memory];",
             "    ld.param.u64 %rd2, [out];", "    mov.u32 %r16, %tid.x;", "    and.b32 %r17, %r16, 31;",
             "    setp.ne.u32 %p1, %r17, 0;", "    @%p1 ret;", "    shr.u32 %r16, %r16, 5;", "    mov.u32 %r17, %ctaid.x;",
             f"    mad.lo.u32 %r16, %r17, {most}, %r16;"]
    for thread, block, _ in test.threads:
        lines += [f"    setp.eq.u32 %p1, %r16, {blocks.index(block) * most + warps[block].index(thread)};",
                  f"    @%p1 bra THREAD_{thread};"]
    lines.append("    ret;")
    for thread, block, cells in test.threads:
        lines.append(f"THREAD_{thread}:")
        lines += [f"    mov.u32 %r{i}, {test.registers.get(f'P{thread}:r{i}', 0)};" for i in range(REGISTERS)]
        for cell in cells:
            # Labels are local to a thread in some tests.
            text = instruction(cell, test.locations, len(warps[block]))
            lines.append("    " + re.sub(r"\b(LC?\w*\d+)\b", rf"T{thread}_\1", text))
        lines += [f"    st.global.u32 [%rd2+{4 * (REGISTERS * thread + i)}], %r{i};" for i in range(REGISTERS)]
        lines.append("    ret;")
    lines.append("}")
    return "\n".join(lines) + "\n", len(blocks), 32 * most


def launch(test, blocks, threads):
    memory = [0] * (SPACING * max(1, len(test.locations)))
    for i, value in enumerate(test.locations.values()):
        memory[i * SPACING] = value
    results = REGISTERS * (1 + max(thread for thread, _, _ in test.threads))
    return {"grid": blocks, "block": threads,
            "buffers": [{"name": "memory", "type": "u32", "fill": memory, "save": "memory.bin"},
                        {"name": "out", "type": "u32", "count": results, "fill": "0", "save": "out.bin"}],
            "arguments": [{"buffer": "memory"}, {"buffer": "out"}]}


def holds(condition, memory, out, test):
    text = condition.replace("/\\", " and ").replace("\\/", " or ").replace("~", " not ")
    text = re.sub(r"(?<![=!<>])=(?!=)", "==", text)
    text = re.sub(r"\bP?(\d+): ?r(\d+)\b", lambda m: str(out[REGISTERS * int(m[1]) + int(m[2])]), text)
    for i, name in enumerate(test.locations):
        text = re.sub(rf"\b{name}\b", str(memory[i * SPACING]), text)
    if not re.fullmatch(r"[\d\s()=!<>andort]*", text):
        raise Unsupported(f"the condition {condition!r}")
    return bool(eval(text.replace("\n", " "), {"__builtins__": {}}))


def words(path):
    data = path.read_bytes()
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def parts(test):
    """The state in question as conditions that hold at once, each with: does it speak of strong reads alone? For `forall` it
    is the state that breaks the rule."""
    pieces = re.split(r"\\/" if test.kind == "forall" else r"/\\", test.condition.strip().removeprefix("(").removesuffix(")")
                      if balanced(test.condition) else test.condition)
    if any(piece.count("(") != piece.count(")") for piece in pieces):
        pieces = [test.condition]
    strong = {f"P{thread}:{m[1]}" for thread, _, lines in test.threads for line in lines
              if (m := re.match(r"(?:ld|atom)\.(?!weak)\S+ (r\d+)", line))}
    for piece in pieces:
        registers = {"P" + name.replace(" ", "").removeprefix("P") for name in re.findall(r"P?\d+: ?r\d+", piece)}
        yield f"not ({piece})" if test.kind == "forall" else piece, bool(registers) and registers <= strong


def balanced(text):
    """Do the outermost brackets belong together?"""
    text = text.strip()
    depth = 0
    for i, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return i == len(text) - 1
    return False


def runs(test):
    """For each schedule: does the state in question occur (None: the run has no end), do its strong parts, what was found."""
    ptx, blocks, threads = kernel(test)
    pieces = list(parts(test))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "test.ptx").write_text(ptx)
        (folder / "launch.json").write_text(json.dumps(launch(test, blocks, threads)))
        for options in RUNS:
            done = subprocess.run([RUNNER, "run", "test.ptx", "--launch", "launch.json", "--json", "found.json", "--schedules",
                                   "1", *options], cwd=folder, capture_output=True, text=True, timeout=120)
            found = folder / "found.json"
            if done.returncode == 4 or not found.exists():
                raise Unsupported(done.stderr.strip()[-300:] or "no result")
            findings = {(finding["severity"], finding["rule"]) for finding in json.loads(found.read_text())["findings"]}
            found.unlink()
            if not (folder / "out.bin").exists():
                yield None, False, findings
                continue
            memory, out = words(folder / "memory.bin"), words(folder / "out.bin")
            (folder / "out.bin").unlink()
            state = [(holds(piece, memory, out, test), strong) for piece, strong in pieces]
            yield all(now for now, _ in state), all(now for now, strong in state if strong), findings


def judge(path, expected):
    try:
        test = Test(path)
        found = list(runs(test))
    except (Unsupported, ValueError, KeyError) as problem:
        return "left out", str(problem), []
    if test.kind == "exists" and "0==0" in test.condition:
        return ("ends" if all(now is not None for now, _, _ in found) else "hangs"), str(expected), found
    if "safety" not in expected:
        return "no verdict", "", found
    allowed = expected["safety"] == (test.kind == "exists")
    races = [any(severity != "note" for severity, _ in findings) for _, _, findings in found]
    near = [race for (_, reached, _), race in zip(found, races) if reached]
    seen = any(now for now, _, _ in found)
    if not allowed:
        return ("forbidden outcome" if seen else "not reached" if not near else "race in order" if any(near) else "clean"), "", found
    if not test.weak() or all(strong for _, strong in parts(test)):
        return ("shown" if seen else "not shown"), "", found
    return ("not reached" if not near else "race" if any(near) else "shown" if seen else "missed race"), "", found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    resources = options.checkout / "dartagnan/src/test/resources"
    expected = {}
    for name in ("PTXv7_5-expected.csv", "PTXv7_5-Liveness-expected.csv"):
        with open(resources / name, newline="") as file:
            for row in csv.reader(file):
                expected.setdefault(row[0], {})["liveness" if "Liveness" in name else "safety"] = row[1] == "1"
    paths = [path for path in sorted((options.checkout / "litmus/PTX").rglob("*.litmus")) if options.only in str(path)]
    counts = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, (verdict, why, found) in zip(paths, pool.map(
                lambda path: judge(path, expected.get(str(path.relative_to(options.checkout)), {})), paths)):
            counts[verdict] += 1
            print(verdict, path.relative_to(options.checkout / "litmus/PTX"), why, *found if options.verbose else "", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    sys.exit(main())
