"""What a GPU, and compute-sanitizer's tools on it, notice of the labs' versions: needs a GPU. docs/hardware.md's tables.

    python3 tests/labs/hardware.py OUT.tsv [--runner PATH] [--labs 01 02 …] [--jobs N] [--tools]
    python3 tests/labs/hardware.py OUT.tsv --table

What OUT.tsv already has is not run again, so that it can be made in pieces. Its columns: version, what a plain run gives,
which tools report something, and remarks: the first case that fails, and what the tools say.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAYS = {"passed": "right", "wrong": "wrong result", "cuda-error": "error", "crash": "error", "timeout": "hangs"}
WORST = ["hangs", "error", "wrong result", "right"]
BETRAYED = ["wrong result", "error", "hangs"]
KINDS = {"wrong": "wrong versions", "correct": "unusual correct versions", "solution": "solutions", "skeleton": "skeletons"}


def versions(labs):
    """(name, lab, file) of each."""
    for lab in sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir()):
        if not labs or lab[:2] in labs:
            yield f"{lab[:2]}-solution", lab, ROOT / "solutions" / lab / "kernel.cu"
            yield f"{lab[:2]}-skeleton", lab, ROOT / "labs" / lab / "kernel.cu"
            for kind in ("wrong", "correct"):
                for file in sorted((ROOT / "tests/labs" / lab / kind).glob("*.cu")):
                    yield f"{lab[:2]}-{kind}-{file.stem}", lab, file


def judge(runner, lab, file, tools):
    """The row without its name."""
    command = [runner, "check", lab[:2], "--device", "gpu", "--timeout", "5", "--until-failure", "--file", file, "--json", "-"]
    command += ["--sanitize"] if tools else []
    try:
        (report,) = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=400).stdout)
    except (ValueError, subprocess.TimeoutExpired) as problem:
        return f"not judged: {problem}", "", ""
    if report["compile_errors"]:
        return "does not compile", "", ""
    seen = {SAYS.get(case["verdict"], f"not judged: {case['verdict']}") for case in report["cases"]}
    verdict = next((v for v in sorted(seen) if v.startswith("not")), next((v for v in WORST if v in seen), "no case"))
    remarks = [f"{case['name']}: {case['message']}" for case in report["cases"] if SAYS.get(case["verdict"]) == verdict != "right"][:1]
    found, complete = [], True
    for tool in report.get("compute_sanitizer", ()) if tools else ():
        if tool == "not_run":
            return verdict, "", report["compute_sanitizer"]["not_run"]
        findings = [one for one in tool["findings"] if not one["message"].startswith("Program hit ")]  # calls that failed
        found += [tool["tool"]] if findings else []
        complete = complete and not tool["unseen"]
        remarks += [f"{tool['tool']}: {one['place']}: {one['message']} ×{one['count']}" for one in findings[:3]]
        remarks += [f"{tool['tool']}: {tool['unseen']}"] if tool["unseen"] else []
    noticed = "" if not tools else " ".join(found) or ("nothing" if complete else "nothing before its end")
    return verdict, noticed, " | ".join(remarks).replace("\t", " ").replace("\n", " ")


def measure(out, runner, labs, jobs, tools):
    known = {row[0] for row in rows(out)} if out.exists() else set()
    todo = [version for version in versions(labs) if version[0] not in known]
    with ThreadPoolExecutor(jobs) as pool, out.open("a") as table:
        running = {pool.submit(judge, runner, lab, file, tools): name for name, lab, file in todo}
        for done in as_completed(running):
            print(running[done], *done.result(), sep="\t", file=table, flush=True)


def rows(out):
    return sorted(line.rstrip("\n").split("\t") for line in out.read_text().splitlines())


def kind(name):
    return name.split("-")[1]


def of(all_rows, **what):
    """The rows of a kind, lab, plain verdict."""
    return [row for row in all_rows if kind(row[0]) == what.get("kind", kind(row[0])) and row[0][:2] == what.get("lab", row[0][:2])]


def noticed(row):
    return row[2] not in ("", "nothing", "nothing before its end")


def table(out):
    all_rows = rows(out)
    line = "| | versions | right | wrong result | error | hangs | a tool reports something | neither |"
    print(line, "|---" * (line.count("|") - 1) + "|", sep="\n")
    for key, title in KINDS.items():
        some = of(all_rows, kind=key)
        counts = Counter(row[1] for row in some)
        neither = sum(row[1] == "right" and not noticed(row) for row in some)
        print(f"| {title} | {len(some)} |", *(f"{counts[verdict]} |" for verdict in ["right", *BETRAYED]), f"{sum(map(noticed, some))} | {neither} |")
    print()
    line = "| lab | wrong versions | a plain run betrays | a tool notices | neither |"
    print(line, "|---" * (line.count("|") - 1) + "|", sep="\n")
    for lab in sorted({row[0][:2] for row in all_rows}):
        some = of(all_rows, kind="wrong", lab=lab)
        neither = sum(row[1] == "right" and not noticed(row) for row in some)
        print(f"| {lab} | {len(some)} | {sum(row[1] in BETRAYED for row in some)} | {sum(map(noticed, some))} | {neither} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runner", type=Path, default=ROOT / "build/common/runner/lab-runner")
    parser.add_argument("--labs", nargs="*", default=[], metavar="NN", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="versions at a time")
    parser.add_argument("--tools", action="store_true", help="compute-sanitizer's tools, too: three times as long")
    parser.add_argument("--table", action="store_true", help="print the tables of what is in OUT.tsv")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.out)
    os.environ["LAB_ROOT"] = str(ROOT)
    measure(arguments.out, arguments.runner.resolve(), arguments.labs, arguments.jobs, arguments.tools)


if __name__ == "__main__":
    sys.exit(main())
