"""What a GPU, and compute-sanitizer's tools on it, notice of the labs' versions: docs/hardware.md's tables.

    python3 tests/labs/hardware.py OUT.tsv [--runner PATH] [--labs 01 02 …] [--jobs N] [--tools]     needs a GPU
    python3 tests/labs/hardware.py OUT.tsv --table docs/hardware.md

What OUT.tsv already has is not run again, so that it can be made in pieces. Its columns: version, what a plain run gives
(the first case that fails, or "right"), which tools report something, and remarks: that case, and what the tools say.
hardware.tsv is what was measured, without remarks; the page must follow it. ASYNCLAB_BLESS=1 writes the page.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import lab_versions

ROOT = Path(__file__).resolve().parents[2]
SAYS = {"passed": "right", "wrong": "wrong result", "cuda-error": "error", "crash": "error", "timeout": "hangs"}
WORST = ["hangs", "error", "wrong result", "right"]
SHOWN = WORST[:-1]
TOOLS = ["racecheck", "memcheck", "initcheck", "synccheck"]
BEGIN, END = "<!-- tests/labs/hardware.py: begin -->\n", "<!-- tests/labs/hardware.py: end -->"
KINDS = {"wrong": "wrong versions", "correct": "unusual correct versions", "solution": "solutions", "skeleton": "skeletons"}


def versions(labs):
    """(name, lab, file) of each."""
    for lab in sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir()):
        if not labs or lab[:2] in labs:
            yield f"{lab[:2]}-solution", lab, ROOT / "solutions" / lab / "kernel.cu"
            yield f"{lab[:2]}-skeleton", lab, ROOT / "labs" / lab / "kernel.cu"
            for kind in ("wrong", "correct"):
                for file in lab_versions.files(lab, kind):
                    yield f"{lab[:2]}-{kind}-{file.stem}", lab, file


def judge(runner, lab, file, tools):
    """The row without its name."""
    command = [runner, "check", lab[:2], "--device", "gpu", "--timeout", "5", "--until-failure", "--file", file]
    command += ["--json", "-", *(["--sanitize"] if tools else [])]
    try:
        (report,) = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=400).stdout)
    except (ValueError, subprocess.TimeoutExpired) as problem:
        return f"not judged: {problem}", "", ""
    if report["compile_errors"]:
        return "does not compile", "", ""
    seen = {SAYS.get(case["verdict"], f"not judged: {case['verdict']}") for case in report["cases"]}
    verdict = next((v for v in sorted(seen) if v.startswith("not")), next((v for v in WORST if v in seen), "no case"))
    failed = [case for case in report["cases"] if case["verdict"] != "passed"]
    remarks = [f"{case['name']}: {case['message']}" for case in failed[:1]]
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


def rule_of(file):
    """The rule that must reject a wrong version; empty: a case does."""
    entries = lab_versions.entries(file.relative_to(lab_versions.MADE).parts[0])
    return lab_versions.expectation(entries[lab_versions.name_of(file)])[1] or ""


class Record:
    """The measurements of the existing versions."""

    def __init__(self, out):
        measured = {row[0]: row for row in rows(out)}
        files = {name: file for name, _, file in versions([]) if name in measured}
        self.names = list(files)
        self.verdict = {name: measured[name][1] for name in files}
        self.tools = {name: set(measured[name][2].split()) & set(TOOLS) for name in files}
        self.rule = {name: rule_of(files[name]) for name in self.of("wrong")}

    def of(self, kind, labs=""):
        return [name for name in self.names if name.split("-")[1] == kind and (not labs or name[:2] in labs)]

    def shown(self, name):
        return self.verdict[name] in SHOWN

    def noticed(self, name):
        """By a tool that does not report the lab's solution, too."""
        return bool(self.tools[name] - self.tools[name[:2] + "-solution"])

    def counts(self, names):
        """In words of the tables: versions, shown by a plain run, noticed by a tool, neither."""
        yield len(names)
        yield sum(map(self.shown, names))
        yield sum(map(self.noticed, names))
        yield sum(not self.shown(name) and not self.noticed(name) for name in names)


def table(head, lines):
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(map(str, line))} |" for line in lines)
    yield ""


def page(record):
    wrong, right_first = record.of("wrong"), WORST[::-1]

    def kind_line(kind):
        names = record.of(kind)
        verdicts = Counter(record.verdict[name] for name in names)
        return KINDS[kind], len(names), *(verdicts[v] for v in right_first), sum(bool(record.tools[name]) for name in names)

    yield "How all versions behave on the GPU. The columns from right to hangs are the results of a plain run:\n"
    yield from table(["", "versions", *right_first, "a tool reports something"], map(kind_line, KINDS))

    right = [name for name in wrong if not record.shown(name)]
    faults = [name for name in right if record.rule[name]]
    hidden = sum(not record.noticed(name) for name in faults)
    yield f"Of the wrong versions, {len(right)} give right results. Of these, {len(right) - len(faults)} have no fault and merely avoid what their"
    yield f"lab is about. The other {len(faults)} have a fault that does not show, and the tools miss {hidden} of those, too.\n"

    labs = sorted({name[:2] for name in record.names})
    parts = [*([lab] for lab in labs), [lab for lab in labs if lab < "09"], [lab for lab in labs if lab >= "09"], labs]
    titles = [" to ".join(dict.fromkeys([part[0], part[-1]])) for part in parts]
    head = ["versions", "shown by a plain run", "noticed by a tool", "neither"]
    yield "The wrong versions by lab:\n"
    yield from table(["labs", *head], [[title, *record.counts(record.of("wrong", part))] for title, part in zip(titles, parts)])

    def rule_line(rule):
        names = [name for name in wrong if record.rule[name] == rule]
        unseen = ", ".join(f"{name[:2]} {name[9:]}" for name in names if not record.shown(name))
        return f"`{rule}`" if rule else "a case of the lab", *record.counts(names), unseen or "–"

    yield "The wrong versions by the rule or the case that rejects them. The last column names those that give right results:\n"
    rules = Counter(record.rule[name] for name in wrong)
    yield from table(["rejected by", *head, "right"], [rule_line(rule) for rule, _ in rules.most_common()])


def compare(out, page_file):
    """The exit code: does the page follow the record?"""
    text = page_file.read_text()
    before, rest = text.split(BEGIN)
    expected = before + BEGIN + "\n" + "\n".join(page(Record(out))) + END + rest.split(END)[1]
    if os.environ.get("ASYNCLAB_BLESS"):
        page_file.write_text(expected)
    elif text != expected:
        print(f"{page_file} does not follow {out}: ASYNCLAB_BLESS=1 ./lab test hardware-page   writes its tables anew")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runner", type=Path, default=ROOT / "build/common/runner/lab-runner")
    parser.add_argument("--labs", nargs="*", default=[], metavar="NN", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="versions at a time")
    parser.add_argument("--tools", action="store_true", help="compute-sanitizer's tools, too: three times as long")
    parser.add_argument("--table", type=Path, metavar="PAGE", help="compare the page's tables with OUT.tsv")
    arguments = parser.parse_args()
    if arguments.table:
        return compare(arguments.out, arguments.table)
    os.environ["LAB_ROOT"] = str(ROOT)
    measure(arguments.out, arguments.runner.resolve(), arguments.labs, arguments.jobs, arguments.tools)


if __name__ == "__main__":
    sys.exit(main())
