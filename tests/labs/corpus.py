"""The wrong and the unusual correct versions of a lab, its solution and its skeleton, each checked as ./lab would.

    corpus.py named LAB       the wrong versions are rejected by name, the skeleton for the lab's topic
    corpus.py accepted LAB    the solution and the correct versions get all points

A wrong version (tests/labs/LAB/wrong/*.cu) must be rejected by what its first line names: "// expect: RULE", or
"// expect: case "NAME"". All versions of a lab are compiled together (together.py).
docs/wrong-versions.md is made from the expectations; with ASYNCLAB_BLESS=1 it is written instead of compared.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import together

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNNER = Path(os.environ.get("LAB_RUNNER", ROOT / "build/common/runner/lab-runner")).resolve()
ENVIRONMENT = {**os.environ, "LAB_ROOT": str(ROOT)}
ENVIRONMENT.pop("MALLOC_PERTURB_", None)  # Meson sets it; it slows nvcc down
TABLE = ROOT / "docs/wrong-versions.md"
EXPECT = re.compile(r'// expect: (?:case "(.+)"|([a-z-]+))')


def versions(lab, kind):
    return sorted((HERE / lab / kind).glob("*.cu"))


def expectation(version):
    """(case, rule) of a wrong version; one of them is None."""
    with version.open() as file:
        match = EXPECT.fullmatch(file.readline().strip())
    if not match:
        sys.exit(f'{version.relative_to(ROOT)}:1: error: the first line names no rule: // expect: RULE, or // expect: case "NAME"')
    return match.groups()


def check(lab, source, *options):
    """The runner's report about one file."""
    command = [RUNNER, "check", lab, "--file", source, "--json", "-", *options]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    try:
        return json.loads(result.stdout)[0]
    except (ValueError, IndexError):
        return {"passed": False, "compile_errors": result.stdout + result.stderr, "cases": []}


def prepared(lab):
    """An environment in which the runner takes what nvcc makes of the lab's versions from here; it asks nvcc itself for other
    files."""
    targets = re.search(r"\.targets = \{(.*?)\}", (ROOT / "labs" / lab / "check.cpp").read_text())[1]
    targets = [target.replace("sm_", "compute_") for target in targets.split(", ")]
    files = [*sorted((ROOT / "solutions" / lab).glob("*.cu")), committed(lab), *versions(lab, "correct"), *versions(lab, "wrong")]
    return together.environment(ROOT, RUNNER.parents[2] / "tests/labs" / lab, files, targets)


def errors(case):
    return [finding["rule"] for finding in case["findings"] if finding["severity"] == "error"]


def summary(report):
    """What went wrong, one line for each way."""
    if report["compile_errors"]:
        return report["compile_errors"]
    ways = {}
    for case in report["cases"]:
        if case["verdict"] != "passed":
            what = ", ".join(dict.fromkeys(errors(case))) or case["verdict"] + ": " + case["message"].split("\n")[0]
            ways.setdefault(what, []).append(case["name"])
    return "\n".join(f"    {what}   (in: {'; '.join(cases)})" for what, cases in ways.items()) or "    all cases pass"


def wrong(report, case, rule):
    """What is wrong with the report about a wrong version; empty: it names the fault."""
    if report["compile_errors"]:
        return "it does not compile"
    if report["passed"]:
        return "it is accepted"
    if rule:
        return "" if any(rule in errors(item) for item in report["cases"]) else f"nothing names {rule}"
    verdicts = [item["verdict"] for item in report["cases"] if item["name"] == case]
    if not verdicts:
        return f"the lab has no case called {case}"
    return "" if verdicts[0] in ("wrong", "mechanism", "cuda-error") else f'the case "{case}" does not reject it'


def committed(lab):
    """The skeleton; a student who runs the tests may have filled in the one in the folder."""
    path = f"labs/{lab}/kernel.cu"
    git = subprocess.run(["git", "-C", ROOT, "show", f"HEAD:./{path}"], capture_output=True)
    if git.returncode or git.stdout == (ROOT / path).read_bytes():
        return ROOT / path
    copy = RUNNER.parents[2] / "tests/labs" / lab / "kernel.cu"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(git.stdout)
    return copy


def correct(report):
    return "" if report["passed"] and report["points"] == report["possible"] else "correct code is rejected"


def skeleton(report):
    if report["compile_errors"]:
        return "it does not compile"
    failed = [case for case in report["cases"] if case["verdict"] != "passed"]
    if not failed:
        return "it passes"
    astray = [case["verdict"] for case in failed if case["verdict"] not in ("hazard", "wrong", "mechanism")]
    return f"it fails for another reason than the lab's topic: {astray[0]}" if astray else ""


def rows(lab):
    """The lab's lines of the table, as far as the expectations say them."""
    for version in versions(lab, "wrong"):
        case, rule = expectation(version)
        yield [version.stem, f"`{rule}`" if rule else f"case “{case}”"]


def table_of(lab, text):
    """(begin, end) of the lab's lines in the table's text."""
    match = re.search(rf"^## {lab}\n\n.*\n\|-.*\n((?:\|.*\n)*)", text, re.M)
    return match.span(1) if match else None


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def compare_table(lab):
    """Checks, or writes, the first two columns; seeds.py writes the others."""
    bless = os.environ.get("ASYNCLAB_BLESS") == "1"
    with TABLE.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests of several labs run side by side
        text = file.read()
        if not table_of(lab, text) and bless:
            text += f"\n## {lab}\n\n| wrong version | rejected by | lazy schedule | random schedule |\n|---|---|---|---|\n"
        begin, end = table_of(lab, text) or (0, 0)
        old = [cells(line) for line in text[begin:end].splitlines()]
        new = list(rows(lab))
        if [row[:2] for row in old] == new:
            return ""
        if not bless:
            return f"{TABLE.relative_to(ROOT)} is out of date; write it with: ASYNCLAB_BLESS=1 ./lab test wrong-is-named-{lab}"
        rest = {tuple(row[:2]): row[2:] for row in old}
        lines = "".join("| " + " | ".join(row + rest.get(tuple(row), ["–", "–"])) + " |\n" for row in new)
        file.seek(0)
        file.write(text[:begin] + lines + text[end:])
        file.truncate()
    return ""


def main():
    what, lab = sys.argv[1:]
    passed = failed = 0

    def verdict(name, problem, details=""):
        nonlocal passed, failed
        passed, failed = passed + (not problem), failed + bool(problem)
        print(f"{'FAILED' if problem else 'ok    '} {name}" + (f": {problem}\n{details}" if problem else ""), flush=True)

    def judge(kind, version, judgement, *options):
        report = check(lab, version, *options)
        verdict(f"{kind} {version.stem}", judgement(report), summary(report))

    def judge_wrong(version):
        # Of wrong code only one that hangs takes long. Mostly what is found first is the fault that it was made with.
        judgement = lambda report: wrong(report, *expectation(version))
        report = check(lab, version, "--timeout", "5", "--until-failure")
        if judgement(report):
            report = check(lab, version, "--timeout", "5")
        verdict(f"wrong {version.stem}", judgement(report), summary(report))

    ENVIRONMENT.update(prepared(lab))
    patient = ("--timeout", "60")  # a busy machine must not fail correct code
    if what == "accepted":
        judge("solution", ROOT / "solutions" / lab / "kernel.cu", correct, *patient)
        for version in versions(lab, "correct"):
            judge("correct", version, correct, *patient)
    else:
        judge("skeleton", committed(lab), skeleton, *patient)
        for version in versions(lab, "wrong"):
            judge_wrong(version)
        verdict("docs/wrong-versions.md", compare_table(lab))
    print(f"test cases: {passed + failed} | {passed} passed | {failed} failed | 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
