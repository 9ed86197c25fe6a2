"""The wrong and the unusual correct versions of a lab, its solution and its skeleton, each checked as ./lab would.

    corpus.py named LAB       the wrong versions are rejected by name, the skeleton for the lab's topic
    corpus.py accepted LAB    the solution and the correct versions get all points
    corpus.py exercises LAB   of each drill and hunt, the solution passes, and the untouched file and the wrong versions fail
                              as expected

The versions are those of tests/labs/LAB.versions (lab_versions.py). A wrong one must be rejected by what its head names:
"expect: RULE", or "expect: case "NAME""; an untouched exercise first by what its entry names. A version that cannot be
rebuilt fails. All versions of a lab are compiled together (together.py). A check ends with what is expected; what
half-solutions and cheats earn, which takes all cases, is compared for some of them in turn (rotation.py). The whole suite
checks one in four of all of them.
The table of points in docs/grading.md is made from what the skeleton and solutions/LAB/synchronous.cu earn; with
ASYNCLAB_BLESS=1 it is written instead of compared.
"""

import fcntl
import functools
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import lab_versions
import points
import question_programs
import rotation
import together
from lab_versions import ROOT, RUNNER

ENVIRONMENT = {**os.environ, "LAB_ROOT": str(ROOT)}
IN_SAMPLE = 4
GRADED = 2 if rotation.samples() else 8  # one in so many is checked as a grader does
ENVIRONMENT.pop("MALLOC_PERTURB_", None)  # Meson sets it; it slows nvcc down
POINTS = ROOT / "docs/grading.md"


def check(lab, source, *options, each_target=True):
    """The runner's report about one file. Not `each_target`: a wrong version may run as what it is on the first target."""
    command = [RUNNER, "check", lab, "--file", source, "--json", "-", *options]
    environment = {**ENVIRONMENT, "ASYNCLAB_EACH_TARGET": "1" if each_target else ""}
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    try:
        return json.loads(result.stdout)[0]
    except (ValueError, IndexError):
        return {"passed": False, "compile_errors": result.stdout + result.stderr, "cases": []}


def targets_of(lab):
    """For nvcc."""
    targets = re.search(r"\.targets = \{(.*?)\}", (ROOT / "labs" / lab / "check.cpp").read_text())[1]
    return [target.replace("sm_", "compute_") for target in targets.split(", ")]


def prepared(lab):
    """An environment in which the runner takes what nvcc makes of the lab's versions, and of the exercises for its targets,
    from here; it asks nvcc itself for other files."""
    targets, wrong_ones = targets_of(lab), sample(lab, "wrong")
    files = [*sorted((ROOT / "solutions" / lab).glob("*.cu")), committed(f"{lab}/kernel.cu")]
    files += sample(lab, "correct") + wrong_ones
    only = dict.fromkeys(wrong_ones, targets[:1])  # which mostly rejects them
    for name in exercises(lab):
        if exercise_targets(lab, name) <= set(targets):
            files += files_of(lab, name)
            only.update(dict.fromkeys(files_of(lab, name), sorted(exercise_targets(lab, name))))
    return together.environment(ROOT, RUNNER.parents[2] / "tests/labs" / lab, files, targets, only)


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
    """The error in the report about a wrong version; empty: the report names the fault."""
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


@functools.cache
def texts_of(lab):
    """What its exercises.toml says."""
    return tomllib.loads((ROOT / "labs" / lab / "exercises.toml").read_text())


def sample(lab, folder):
    """The files of the versions in a folder that this run checks."""
    return [file for file in lab_versions.files(lab, folder) if rotation.in_sample(f"{lab}/{folder}/{file.stem}", IN_SAMPLE)]


def exercises(lab):
    """Its drills and hunts, of which this run checks the versions: "drills/1_name"."""
    texts = texts_of(lab)
    names = [f"{kind}/{name}" for kind in ("drills", "hunts") for name in texts.get(kind, {})]
    return [name for name in names if rotation.in_sample(f"{lab}/{name}", IN_SAMPLE)]


def exercise_targets(lab, name):
    kind, _, one = name.partition("/")
    return {texts_of(lab)[kind][one]["target"].replace("sm_", "compute_")}


def files_of(lab, name):
    """The versions of an exercise."""
    return [ROOT / "solutions" / lab / f"{name}.cu", committed(f"{lab}/{name}.cu"), *lab_versions.files(lab, name)]


def prepared_exercises(lab):
    """As prepared, and for each set of other targets: (environment, exercises)."""
    with_lab = set(targets_of(lab))
    groups = {}
    for name in exercises(lab):
        targets = exercise_targets(lab, name)
        groups.setdefault(() if targets <= with_lab else tuple(sorted(targets)), []).append(name)
    for targets, names in groups.items():
        if not targets:
            yield prepared(lab), names
            continue
        folder = RUNNER.parents[2] / "tests/labs" / lab / "_".join(("exercises", *targets))
        yield together.environment(ROOT, folder, [file for name in names for file in files_of(lab, name)], list(targets), {}), names


def rejected_by(report):
    """In a word: the rule that names the first failure, or how it fails."""
    for case in report["cases"]:
        if case["verdict"] != "passed":
            return next(iter(errors(case)), case["verdict"])
    return "nothing"


def as_expected(lab, name, report):
    """The error in the report about an untouched exercise."""
    entry, found = lab_versions.entries(lab).get(name), rejected_by(report)
    if not entry:
        return f'tests/labs/{lab}.versions has no entry "== {name}" that says "expect: {found}"'
    said = entry.expected.get("expect")
    return skeleton(report) or ("" if said == found else str(entry.error(f"it is rejected by {found}, not by {said}")))


def questions(lab):
    """The errors in the lab's questions; empty: none. The device answers those with a program."""
    path = ROOT / "labs" / lab / "questions.toml"
    if not path.exists():
        return ""
    for program in sorted((path.parent / "questions").glob("*.cu")):
        if header := question_programs.forgotten(program):
            return f"{program.relative_to(ROOT)} does not include <{header}>"
    environment = {**ENVIRONMENT, **question_programs.environment(ROOT, RUNNER.parents[2] / "tests/labs/questions")}
    result = subprocess.run([RUNNER, "quiz", lab, "--json", "--seed", "1"], env=environment, capture_output=True, text=True)
    if result.returncode:
        return result.stderr
    asked = json.loads(result.stdout)
    written = tomllib.loads(path.read_text())["question"]
    for one, record in zip(asked, written):
        missing = [key for key in ("text_zh", "why_zh") if not record.get(key, "").strip()]
        if missing or len(record.get("choices_zh", [])) not in (0, len(one["choices"])):
            return f"{one['name']} is not in Chinese, too"
        if not one["answer"] or one["kind"] == "line" and one["answer"] == "0":
            return f"{one['name']} has no answer"
        if one["kind"] == "rule" and one["choices"] and one["answer"] not in one["choices"]:
            return f"{one['name']}: {one['answer']} is none of the choices"
        if re.search(r"\{[A-Z]\w*\}", one["text"] + one["why"]):
            return f"{one['name']} has a value that is not put in"
    names = [one["name"] for one in asked]
    return "" if len(names) == len(set(names)) else "two questions have one name"


def committed(path):
    """The file as it was published; a student who runs the tests may have filled in the one in labs/."""
    path = f"labs/{path}"
    git = subprocess.run(["git", "-C", ROOT, "show", f"HEAD:./{path}"], capture_output=True)
    if git.returncode or git.stdout == (ROOT / path).read_bytes():
        return ROOT / path
    copy = RUNNER.parents[2] / "tests" / path
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(git.stdout)
    return copy


def correct(report):
    return "" if report["passed"] and report["points"] == report["possible"] else "correct code is rejected"


def clean(report):
    """Of an exercise's solution: there is nothing to say about it."""
    return correct(report) or ("it is warned of" if report["warnings"] else "")


def skeleton(report):
    if report["compile_errors"]:
        return "it does not compile"
    failed = [case for case in report["cases"] if case["verdict"] != "passed"]
    if not failed:
        return "it passes"
    astray = [case["verdict"] for case in failed if case["verdict"] not in ("hazard", "wrong", "mechanism", "cuda-error", "unearned")]
    return f"it fails for another reason than the lab's topic: {astray[0]}" if astray else ""


def earns_little(report):
    """A version without the lab's mechanism earns a tenth of the points at most."""
    earned = f"{report['points']} of {report['possible']} points"
    return f"it earns {earned}" if 10 * report["points"] > report["possible"] else ""


def right_without_the_mechanism(report):
    """Of solutions/LAB/synchronous.cu and plain.cu, to which speed is compared."""
    verdicts = {case["verdict"] for case in report["cases"]}
    astray = verdicts - {"passed", "mechanism", "unearned"}
    if report["compile_errors"] or astray:
        return f"its results are not right: {', '.join(sorted(astray)) or 'it does not compile'}"
    return earns_little(report) if "mechanism" in verdicts else "no case misses the mechanism"


def compare_points(lab, reports):
    """Checks, or writes, the points of the skeleton and the synchronous version; None: there is no such version."""
    of = lambda report: f"{report['points']}" if report else "–"
    row = f"| {lab} | {of(reports[0])} | {of(reports[1])} | {reports[0]['possible']} |"
    with POINTS.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests of several labs run side by side
        text = file.read()
        written = re.sub(rf"^\| {lab} \|(?: [\d–?]+ \|){{3}}$", row, text, flags=re.M)
        if row not in written:
            return f"{POINTS.relative_to(ROOT)} has no row for {lab}"
        if written == text:
            return ""
        if os.environ.get("ASYNCLAB_BLESS") != "1":
            return f"{POINTS.relative_to(ROOT)} is out of date; write it with: ASYNCLAB_BLESS=1 ./lab test wrong-is-named-{lab}"
        file.seek(0)
        file.write(written)
        file.truncate()
    return ""


def main():
    what, lab = sys.argv[1:]
    passed = failed = 0
    try:
        lab_versions.entries(lab)
    except lab_versions.VersionError as problem:
        print(f"{problem}\ntest cases: 1 | 0 passed | 1 failed | 0 skipped")
        sys.exit(1)

    def verdict(name, problem, details=""):
        nonlocal passed, failed
        passed, failed = passed + (not problem), failed + bool(problem)
        print(f"{'FAILED' if problem else 'ok    '} {name}" + (f": {problem}\n{details}" if problem else ""), flush=True)

    def judge(kind, which, version, judgement, *options):
        report = check(which, version, *options)
        verdict(f"{kind} {version.stem}", judgement(report), summary(report))
        return report

    def judge_wrong(which, version):
        # Of wrong code only one that hangs takes long. Mostly what is found first is the fault that it was made with.
        entry = lab_versions.entries(lab)[lab_versions.name_of(version)]
        expected = lab_versions.expectation(entry)
        judgement = lambda report: wrong(report, *expected)
        earns = points.said(entry)
        if not earns or not rotation.is_due(f"{which}/{version.stem}", GRADED):
            only = ("--case", expected[0]) if expected[0] else ()
            # Some kernels that hang are seen to do so late.
            attempts = [("5", "--until-failure", *only), ("60", "--until-failure"), ("5", "--schedules", "1"), ("5",)]
            for options in attempts:
                report = check(which, version, "--timeout", *options, each_target=options is attempts[-1])
                if not judgement(report):
                    break
            verdict(f"wrong {version.stem}", judgement(report), summary(report))
            return
        for schedules in ("1",) if earns[0] == "cheat" else ("1", "2"):  # a cheat fails with every schedule, and most half-solutions with the first
            report = check(which, version, *patient, "--schedules", schedules)
            if not judgement(report) and points.earned_as_said(entry, report):
                break
        verdict(f"wrong {version.stem}", judgement(report) or points.compared(entry, report), summary(report))

    def each(folder):
        """The files of the versions in a folder that are checked; those that cannot be rebuilt fail here."""
        checked = sample(lab, folder) if folder in ("wrong", "correct") else lab_versions.files(lab, folder)
        for name, found in lab_versions.made(lab).items():
            if lab_versions.folder_of(name) != folder:
                continue
            if found in checked:
                yield found
            elif not isinstance(found, Path):
                verdict(f"{folder} {name.rpartition('/')[2]}", str(found))

    patient = ("--timeout", "60")  # a busy machine must not fail correct code

    def judge_exercises():
        for environment, names in prepared_exercises(lab):
            ENVIRONMENT.update(environment)
            for name in names:
                which = f"{lab}/{name}"
                judge("solution", which, ROOT / "solutions" / f"{which}.cu", clean, *patient)
                judge("untouched", which, committed(f"{which}.cu"), lambda report, name=name: as_expected(lab, name, report), "--timeout", "5")
                for version in each(name):
                    judge_wrong(which, version)
        verdict("questions", questions(lab))

    if what == "exercises":
        judge_exercises()
    elif what == "accepted":
        ENVIRONMENT.update(prepared(lab))
        judge("solution", lab, ROOT / "solutions" / lab / "kernel.cu", correct, *patient)
        for version in each("correct"):  # as late or as early as possible, or both; seeds.py goes through many schedules
            name = f"{lab}/{version.stem}"
            schedules = ("--schedules", "2") if rotation.is_due(name, GRADED) else (("--schedules", "1"), ("--schedule", "eager"))[rotation.turn(name, 2)]
            judge("correct", lab, version, correct, *schedules, *patient)
    else:
        ENVIRONMENT.update(prepared(lab))
        untouched = judge("skeleton", lab, committed(f"{lab}/kernel.cu"), lambda report: skeleton(report) or earns_little(report), *patient)
        synchronous = None
        for version in (ROOT / "solutions" / lab).glob("synchronous.cu"):
            synchronous = judge("solution that is", lab, version, right_without_the_mechanism, "--schedules", "1", *patient)
        if "possible" in untouched:
            verdict("docs/grading.md", compare_points(lab, (untouched, synchronous)))
        for version in (ROOT / "solutions" / lab).glob("plain.cu"):
            judge("solution that is", lab, version, right_without_the_mechanism, "--schedules", "1", *patient)
        for version in each("wrong"):
            judge_wrong(lab, version)
    print(f"test cases: {passed + failed} | {passed} passed | {failed} failed | 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
