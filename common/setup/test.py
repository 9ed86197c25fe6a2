"""Runs the test suite with Meson and prints as its last line: N passed, N failed[, N skipped]. Or prints what it tests.

Each case of a doctest executable counts as a test. Anything else counts as one test, and so does an executable that
dies early.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = re.compile(r"test cases:\s*\d+\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def chosen(build, filters):
    """Meson's tests whose names contain one of the filters; all, if there is none."""
    tests = json.loads((build / "meson-info/intro-tests.json").read_bytes())
    found = [test for test in tests if not filters or any(part in test["name"] for part in filters)]
    if not found:
        print(f"lab: error: no test's name contains {' or '.join(filters)}", file=sys.stderr)
        print(f"     next: choose from: {', '.join(sorted({test['name'] for test in tests})) or '(there are no tests)'}", file=sys.stderr)
        sys.exit(2)
    return found


def targets(build, filters):
    """What Ninja makes before these tests can run."""
    if not filters:
        return ["all"]
    files = {target["id"]: target["filename"] for target in json.loads((build / "meson-info/intro-targets.json").read_bytes())}
    needed = set()
    for test in chosen(build, filters):
        made = [file for target in test["depends"] for file in files[target]]
        needed.update(os.path.relpath(file, build) for file in made)
        if test["cmd"][0] not in made:  # a script, which may start ./lab
            needed.add("lab")
    return sorted(needed)


def count(record):
    """(passed, failed, skipped) of one executable."""
    cases = CASES.search(COLOUR.sub("", record.get("stdout") or ""))
    passed, failed = map(int, cases.groups()) if cases else (0, 0)
    if record["result"] == "SKIP":
        return 0, 0, 1
    if record["result"] in ("OK", "EXPECTEDFAIL"):
        return max(passed, 1), 0, 0
    return passed, max(failed, 1), 0


def print_versions(name, of_points):
    """The exit code. Prints one program of tests/labs; without a name, the tables of all, or of their points."""
    sys.path.append(str(ROOT / "tests/labs"))
    import lab_versions
    if of_points:
        import points as page
    else:
        import versions_page as page
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        print(lab_versions.shown(name).rstrip("\n") if name is not None else "\n".join(page.tables()).rstrip("\n"))
    except LookupError as problem:
        print(f"lab: error: {problem.args[0]}", file=sys.stderr)
        return 2
    except lab_versions.VersionError as problem:  # which begins with its place: FILE:LINE: error:
        print(problem, file=sys.stderr)
        return 2
    return 0


def main():
    parser = argparse.ArgumentParser(prog="lab test", description="Builds what the tests need and runs them.")
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--meson", help=argparse.SUPPRESS)
    parser.add_argument("-v", "--verbose", action="store_true", help="show the output of every test")
    parser.add_argument("--targets", action="store_true", help=argparse.SUPPRESS)  # print what Ninja has to make, and run nothing
    parser.add_argument("--began", type=float, metavar="SECONDS", help=argparse.SUPPRESS)  # when the build did, since the epoch
    parser.add_argument("--show", metavar="NAME", help="print a lab's wrong or correct version, such as 05/wrong/no_wait, and build nothing")
    parser.add_argument("--versions", action="store_true", help="list the labs' wrong versions and what rejects each, and build nothing")
    parser.add_argument("--points", action="store_true", help="list what half-solutions, cheats and unusual correct versions earn, and build nothing")
    parser.add_argument("filters", nargs="*", help="run only the tests whose names contain one of these")
    options = parser.parse_args()
    if options.show is not None or options.versions or options.points:
        return print_versions(options.show, options.points)

    if options.targets:
        print(*targets(Path(options.build), options.filters))
        return 0
    log = Path(options.build, "meson-logs", "testlog.json")
    log.unlink(missing_ok=True)
    # One more than there are cores: some tests wait, for a time limit or for a network.
    command = [options.meson, "test", "-C", options.build, "--no-rebuild", "--print-errorlogs",
               "--num-processes", str(len(os.sched_getaffinity(0)) + 1)]
    if options.verbose:
        command.append("--verbose")
    if options.filters:
        command += sorted({test["name"] for test in chosen(Path(options.build), options.filters)})
    began = time.time()
    status = subprocess.run(command, stdin=subprocess.DEVNULL, env={**os.environ, **({} if options.filters else {"ASYNCLAB_SAMPLE": "1"})}).returncode
    shutil.rmtree(ROOT / ".asynclab/servers", ignore_errors=True)  # ends compilers that wait
    if not log.exists():
        print("lab: error: Meson ran no tests", file=sys.stderr)
        print("     next: read its messages above; if they do not help, run './lab clean' and try again", file=sys.stderr)
        print("0 passed, 1 failed")
        return 2
    records = [json.loads(line) for line in log.read_text(errors="replace").splitlines() if line.strip()]
    passed, failed, skipped = (sum(column) for column in zip(*map(count, records)))
    print()
    for record in records:
        if count(record)[1]:
            print(f"failed: {record['name']} ({record['result'].lower()}); again: ./lab test {re.split(' / |:', record['name'])[-1]}")
    if options.began is not None:
        print(f"{began - options.began:.0f} s of setting up and building, {time.time() - began:.0f} s of tests")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or status else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
