"""grammar_test.py TAKES: compares the syntax of our instruction records with the table of PTX in the wheel apache-tvm-tirx
(PyPI), which its authors certify against ptxas. Differences are listed, each with its reason, in docs/grammar.md.

The wheel is downloaded into .asynclab once; without a network the test is skipped. Nothing of it is kept in the
repository. `--list` prints what is refused."""

import fnmatch
import importlib.util
import pathlib
import random
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSION = "0.1.0a4"
STORE = ROOT / ".asynclab" / f"apache-tvm-tirx-{VERSION}"
INSIDE = "tvm_tirx/backend/cuda/ptx/table.py"
PAGE = ROOT / "docs" / "grammar.md"
SAMPLES = 40  # attempts to find a legal opcode with a given modifier
SKIPPED = 77


def table():
    """The wheel's table as a module; None: it cannot be had."""
    if not (STORE / "table.py").exists():
        STORE.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", STORE, f"apache-tvm-tirx=={VERSION}"]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        wheel = next(STORE.glob("*.whl"))
        (STORE / "table.py").write_bytes(zipfile.ZipFile(wheel).read(INSIDE))
        wheel.unlink()
    spec = importlib.util.spec_from_file_location("tirx_table", STORE / "table.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def opcodes(entry):
    """Legal opcodes of an entry, among them one with each modifier that it has, where there is one."""
    rng = random.Random(entry.name)
    axes = [(slot.name, (*slot.choices, "") if slot.optional else tuple(slot.choices)) for slot in entry.slots]
    found = {}

    def attempt(fixed, choice):
        for n in range(SAMPLES):
            chosen = {name: "" if n == 0 and "" in choices else rng.choice(choices) for name, choices in axes}
            if fixed is not None:
                chosen[fixed] = choice
            if entry.check is None or not entry.check(chosen):
                found["".join([entry.ptx_name, *(f".{token}" for token in chosen.values() if token)])] = None
                return

    attempt(None, None)
    for name, choices in axes:
        for choice in choices:
            attempt(name, choice)
    return list(found)


def explained():
    """Patterns of opcodes in the page's tables, with their reasons."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", PAGE.read_text(), re.M)
    return [(pattern, reason.strip()) for pattern, reason in rows]


def main():
    takes = sys.argv[1]
    module = table()
    if module is None:
        print("apache-tvm-tirx cannot be downloaded")
        return SKIPPED
    entries = {entry.name: opcodes(entry) for entry in module._ENTRIES}
    every = [opcode for found in entries.values() for opcode in found]
    answers = dict(zip(every, subprocess.run([takes], input="\n".join(every) + "\n", capture_output=True, text=True, check=True).stdout.split("\n")))
    refused = {opcode: why for opcode, why in answers.items() if why != "yes"}
    if "--list" in sys.argv:
        print("\n".join(f"{opcode}\t{why}" for opcode, why in refused.items()))
        return 0
    patterns = explained()
    used, failures = set(), []
    for opcode, why in refused.items():
        for pattern, _ in patterns:
            if fnmatch.fnmatchcase(opcode, pattern):
                used.add(pattern)
                break
        else:
            failures.append(f"{opcode}: {why}, and docs/grammar.md does not say why")
    failures += [f"docs/grammar.md: {pattern} explains nothing" for pattern, _ in patterns if pattern not in used]
    print(f"{len(every)} opcodes of {len(entries)} entries, {len(refused)} refused, {len(failures)} unexplained")
    print("\n".join(failures[:40]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
