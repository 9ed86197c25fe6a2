"""Runs wrong and correct versions with many seeds, and writes what came of it to docs/wrong-versions.md.

    seeds.py [--wrong 20] [--correct 200] [--jobs N] [LAB…]     all labs, or those whose names begin so

A seed gives fresh inputs to all cases, and another schedule; a lab's targets take turns. Not a part of ./lab test: it takes
hours on two cores.
"""

import argparse
import concurrent.futures
import fcntl
import os
import re
import sys

from corpus import ROOT, TABLE, cells, check, summary, table_of, versions


def failing(lab, version, seeds, schedule):
    """How many seeds fail, and the report."""
    report = check(lab, version, "--seeds", str(seeds), "--schedule", schedule, "--timeout", "60")
    if report["compile_errors"]:
        sys.exit(f"{version}: {report['compile_errors']}")
    return sum(report["failing_schedules"]), report


def write(lab, results, line):
    """The columns of the lab's table, and the line below it."""
    with TABLE.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        begin, end = table_of(lab, text)
        rows = [cells(row) for row in text[begin:end].splitlines()]
        lines = ["| " + " | ".join(row[:2] + results.get(row[0], row[2:])) + " |\n" for row in rows]
        rest = re.sub(r"\A\nThe solution.*\n", "", text[end:]) if line else text[end:]
        file.seek(0)
        file.write(text[:begin] + "".join(lines) + (f"\n{line}\n" if line else "") + rest)
        file.truncate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrong", type=int, default=20, help="seeds for each wrong version and schedule; 0: leave them out")
    parser.add_argument("--correct", type=int, default=200, help="seeds for each correct version; 0: leave them out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files checked at once (all cores)")
    parser.add_argument("labs", nargs="*")
    options = parser.parse_args()
    labs = [path.parent.name for path in sorted((ROOT / "solutions").glob("*/kernel.cu"))]
    labs = [lab for lab in labs if not options.labs or lab.startswith(tuple(options.labs))]
    schedules = ("lazy", "random")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        begun = [begin(pool, lab, options, schedules) for lab in labs]
        false_alarms = sum(finish(lab, options, *jobs) for lab, jobs in zip(labs, begun))
    sys.exit(bool(false_alarms))


def begin(pool, lab, options, schedules):
    wrong = {
        version: [pool.submit(failing, lab, version, options.wrong, schedule) for schedule in schedules]
        for version in (versions(lab, "wrong") if options.wrong else [])
    }
    sources = [ROOT / "solutions" / lab / "kernel.cu", *versions(lab, "correct")] if options.correct else []
    return wrong, {source: pool.submit(failing, lab, source, options.correct, "random") for source in sources}


def finish(lab, options, wrong, correct):
    """Waits for a lab's runs and writes them down; the number of its false alarms."""
    results, line, bad = {}, "", 0
    for version, runs in wrong.items():
        caught = [run.result()[0] for run in runs]
        results[version.stem] = [f"{count} of {options.wrong}" for count in caught]
        if min(caught) < options.wrong:
            print(f"{lab}/{version.stem}: caught in {caught[0]} lazy and {caught[1]} random of {options.wrong}", flush=True)
    for source, run in correct.items():
        count, report = run.result()
        bad += count
        if count:
            print(f"FALSE ALARM {source.relative_to(ROOT)}: {count} of {options.correct}\n{summary(report)}", flush=True)
    if correct:
        others = f"The solution and {len(correct) - 1} unusual correct version{'s' * (len(correct) > 2)}"
        line = f"{others}: {bad} false alarms in {len(correct)} × {options.correct} random schedules."
    write(lab, results, line)
    print(f"{lab}: done. {line}", flush=True)
    return bad


if __name__ == "__main__":
    main()
