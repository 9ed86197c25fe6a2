"""Runs wrong and correct versions with many seeds, and writes what came of it to seeds.tsv.

    seeds.py [--wrong 20] [--correct 200] [--jobs N] [LAB…]     all labs, or those whose names begin so

A seed gives fresh inputs to all cases, and another schedule; a lab's targets take turns. Not a part of ./lab test: it takes
hours on two cores.
"""

import argparse
import concurrent.futures
import os
import sys

import versions_page
from corpus import ROOT, check, summary
from lab_versions import files


def failing(lab, version, seeds, schedule):
    """How many seeds fail, and the report."""
    report = check(lab, version, "--seeds", str(seeds), "--schedule", schedule, "--timeout", "60")
    if report["compile_errors"]:
        sys.exit(f"{version}: {report['compile_errors']}")
    return sum(report["failing_schedules"]), report


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
        for version in (files(lab, "wrong") if options.wrong else [])
    }
    sources = [ROOT / "solutions" / lab / "kernel.cu", *files(lab, "correct")] if options.correct else []
    return wrong, {source: pool.submit(failing, lab, source, options.correct, "random") for source in sources}


def finish(lab, options, wrong, correct):
    """Waits for a lab's runs and writes them down; the number of its false alarms."""
    results, bad = {}, 0
    for version, runs in wrong.items():
        caught = [run.result()[0] for run in runs]
        results[lab, "wrong", version.stem] = (options.wrong, *caught)
        if min(caught) < options.wrong:
            print(f"{lab}/{version.stem}: caught in {caught[0]} lazy and {caught[1]} random of {options.wrong}", flush=True)
    for source, run in correct.items():
        count, report = run.result()
        bad += count
        results[lab, "correct", source.stem if source.parent.name == "correct" else "solution"] = (options.correct, 0, count)
        if count:
            print(f"FALSE ALARM {source.relative_to(ROOT)}: {count} of {options.correct}\n{summary(report)}", flush=True)
    versions_page.record(results)
    print(f"{lab}: done: {bad} false alarms in {len(correct)} × {options.correct} random schedules", flush=True)
    return bad


if __name__ == "__main__":
    main()
