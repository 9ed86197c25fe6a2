"""Measures the delays that people notice and compares it with the last record of the same machine. It names what has become
slower, and never fails because of it."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import history
import measures

ROOT = Path(__file__).resolve().parents[2]
RECORDS, PAGE = ROOT / "docs/costs.jsonl", ROOT / "docs/costs.md"
ALL = {**measures.QUICK, **measures.SLOW}


def fail(what, then):
    print(f"lab: error: {what}\n     next: {then}", file=sys.stderr)
    sys.exit(2)


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def commit(record_it):
    """The measured commit; a record needs a tree without changes of its own."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/costs.*")
    if record_it and (changed is None or changed):
        fail("a record belongs to a commit, but this tree " + ("has changes that are not committed" if changed else "is none of git"),
             "commit first, or measure without --record")
    return (git("rev-parse", "--short=8", "HEAD") or "unknown") + ("+" if changed else "")


def measure(runner, what, times):
    costs = {}
    for word in what:
        try:
            for name, values in ALL[word](runner, times):
                costs.setdefault(name, {}).update(values)
                print(f"{name}: {', '.join(f'{history.shown(kind, value)} {kind}' for kind, value in values.items())}", flush=True)
        except measures.Unmeasured as problem:
            print(f"{word}: not measured: {problem}", flush=True)
    return costs


def report(records, record):
    rows = history.compare(records, record)
    if not rows:
        print("no earlier record has these costs, or only while the machine was busy")
        return
    print(f"\nratios to the last record ({', '.join(dict.fromkeys(row[3] for row in rows))}):")
    for name, kind, value, _, then in rows:
        print(f"  {history.ratio(value, then):>8} {kind:<12} {name}")
    slower = list(history.slower(rows))
    print("\n".join(slower) if slower else "nothing is slower")


def main():
    parser = argparse.ArgumentParser(prog="lab bench costs", description=__doc__)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(ALL)}; by default {', '.join(measures.QUICK)}")
    parser.add_argument("--times", type=int, default=5, help="how often (5)")
    parser.add_argument("--record", action="store_true", help="append the result to docs/costs.jsonl, and write docs/costs.md anew")
    parser.add_argument("--records", type=Path, default=RECORDS, metavar="FILE", help="another file of records")
    parser.add_argument("--runner", type=Path, default=ROOT / "build/common/runner/lab-runner", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for word in options.what:
        if word not in ALL:
            fail(f"there is no cost named {word}", f"choose from: {', '.join(ALL)}")
    if options.times < 1:
        fail("--times must be at least 1", "./lab bench costs --times 3")
    try:
        records = history.read(options.records)
    except history.Unreadable as problem:
        fail(str(problem), f"correct the line, or take the file as it was: git checkout -- {options.records.name}")
    measured = commit(options.record)
    os.environ.update(LAB_ROOT=str(ROOT), LAB_DEVICE="sim")
    measures.adopt()
    load = os.getloadavg()[0]
    record = {"commit": measured, "date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": history.machine(),
              "load": round(load, 1), "costs": measure(options.runner.resolve(), options.what or list(measures.QUICK), options.times)}
    report(records, record)
    if options.record and record["costs"]:
        history.append(options.records, record)
        if options.records == RECORDS:
            PAGE.write_text(history.page(PAGE.read_text(), records + [record]))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
