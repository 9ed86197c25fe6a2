"""60 kernels with a planted fault: which does a comparison of results accept, and which does the verdict stop? The table of
docs/agents.md.

    mutants.py OUT.tsv              runs them on the simulated device (some 10 minutes on two cores)
    mutants.py OUT.tsv --table      the table; ASYNCLAB_BLESS=1 writes it into the page, otherwise they are compared

The kernels are wrong versions of the labs whose fault is a hazard: the 60 whose names have the smallest SHA-256, of those that were
run on an H100 (tests/labs/hardware.tsv). What the H100 gave is the comparison of results: "right", a wrong result, an error, or
a program that hangs. A column says what the simulated device's verdict is, and the rule that it names first."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402

PAGE, BEGIN, END = ROOT / "docs/agents.md", "<!-- tests/python/mutants.py: begin -->\n", "<!-- tests/python/mutants.py: end -->"
COUNT = 60


def chosen():
    """(name, lab, what the H100 gave) of each."""
    measured = dict(line.split("\t")[:2] for line in (ROOT / "tests/labs/hardware.tsv").read_text().splitlines())
    found = []
    for lab in lab_versions.labs():
        for name, entry in lab_versions.entries(lab).items():
            known = measured.get(f"{lab[:2]}-wrong-{name.partition('/')[2]}")
            if known and lab_versions.folder_of(name) == "wrong" and lab_versions.expectation(entry)[1]:
                found.append((name, lab, known))
    digest = lambda one: hashlib.sha256(f"{one[1]}/{one[0]}".encode()).hexdigest()
    return sorted(sorted(found, key=digest)[:COUNT], key=lambda one: (one[1], one[0]))


def verdict(name, lab):
    """(verdict of the first case that fails, or "passed"; the rule that it names first)."""
    file = lab_versions.MADE / lab / f"{name}.cu"
    done = subprocess.run([lab_versions.RUNNER, "check", lab[:2], "--file", file, "--device", "sim", "--json", "-"], capture_output=True, text=True,
                          env={**os.environ, "LAB_ROOT": str(ROOT)})
    (report,) = json.loads(done.stdout)
    failed = [case for case in report["cases"] if case["verdict"] not in ("passed", "unearned", "not-run")]
    errors = [finding["rule"] for case in failed for finding in case["findings"] if finding["severity"] == "error"]
    return ("hazard" if errors else failed[0]["verdict"] if failed else "passed"), (errors or [""])[0]


def rows(file):
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def table(all_rows):
    counts = Counter((gpu, said) for _, _, gpu, said, _ in all_rows)
    lines = ["| on an H100, the program | kernels | a comparison of results | the verdict stops |", "|---|---|---|---|"]
    for gpu, text in (("right", "gives the right results"), ("wrong result", "gives wrong results"), ("error", "fails with a CUDA error"), ("hangs", "does not end")):
        of = sum(n for (one, _), n in counts.items() if one == gpu)
        stopped = sum(n for (one, said), n in counts.items() if one == gpu and said != "passed")
        lines.append(f"| {text} | {of} | {'accepts' if gpu == 'right' else 'stops'} {of} | {stopped} |")
    total, right = len(all_rows), sum(n for (one, _), n in counts.items() if one == "right")
    lines.append(f"| all | {total} | accepts {right}, stops {total - right} | {sum(n for (_, said), n in counts.items() if said != 'passed')} |")
    return "\n".join(lines) + "\n"


def main():
    file = Path(sys.argv[1])
    if "--table" not in sys.argv:
        known = {tuple(row[:2]) for row in rows(file)}
        for name, lab, gpu in chosen():
            if (lab, name) not in known:
                with file.open("a") as out:
                    print(lab, name, gpu, *verdict(name, lab), sep="\t", file=out)
        return 0
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    new = text[:begin] + table(rows(file)) + text[end:]
    if os.environ.get("ASYNCLAB_BLESS"):
        PAGE.write_text(new)
    if [row[:3] for row in sorted(rows(file))] != [[lab, name, gpu] for name, lab, gpu in chosen()]:
        print(f"{file} has other kernels than those that are chosen now: remove it and run this again")
        return 1
    if new != text and not os.environ.get("ASYNCLAB_BLESS"):
        print(f"the table of {PAGE.name} does not follow {file}: ASYNCLAB_BLESS=1 writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
