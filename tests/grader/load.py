#!/usr/bin/env python3
"""How many submissions a minute, and in how much memory: `tests/grader/load.py 100 [--labs 01,02] [--kills 5]`.

Makes N submissions (solutions, skeletons, wrong versions, a few hostile ones; each with a comment of its own, so that
none is another's copy), grades them, prints what it took: on a machine that has other work to do, the processor time
says more than the time. With --kills it grades them once more, kills the grader at
random moments, takes it up again, and compares the results; with --shards once more, in so many parts that are merged; with
--slurm once more, on a Slurm cluster of two nodes on this machine, of which one is taken away.
`tests/grader/load.py 400 --memory` says instead how much memory the grader itself takes for N submissions that no compiler
reads, and for the reports of N results with all that a failed lab leaves in them. `tests/grader/load.py 6 --costs --labs
00,01` prints the table of docs/grading.md: what N submissions of each lab cost.
"""

import argparse
import csv
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
import slurm  # noqa: E402
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))


def make(folder, count, labs, seed=1):
    draw = random.Random(seed)
    hostile = sorted((TREE / "tests/grader/attacks/file").glob("*.cu"))
    for i in range(count):
        for lab in labs:
            wrong = lab_versions.files(lab, "wrong")
            kind = draw.choices(["solution", "skeleton", "wrong", "hostile", "none"], [30, 20, 40, 5, 5])[0]
            if kind == "none":
                continue
            source = {"solution": TREE / "solutions" / lab / "kernel.cu", "skeleton": TREE / "labs" / lab / "kernel.cu",
                      "wrong": draw.choice(wrong), "hostile": draw.choice(hostile)}[kind]
            kernel = folder / f"student{i:04}" / lab / "kernel.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text(source.read_text() + f"// {i}\n")


def command(folder, out, options, *more):
    level = ["--isolation", options.isolation] if options.isolation else []
    return [RUNNER, "grade", folder, "--out", out, "--labs", options.labs, *level, "--jobs", str(options.jobs),
            *more]


def tree_memory(root):
    """Kilobytes of a process and all it started, shared pages counted once (PSS)."""
    children = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(process.name))
        except (OSError, IndexError):
            pass
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass
    return total


def grade(folder, out, options, *more, kill_after=None):
    began, peak = time.monotonic(), 0
    process = subprocess.Popen(command(folder, out, options, *more), stdout=subprocess.DEVNULL,
                               env={**os.environ, "LAB_ROOT": str(TREE)})
    while process.poll() is None:
        time.sleep(0.5)
        peak = max(peak, tree_memory(process.pid))
        if kill_after and time.monotonic() - began > kill_after:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return None, peak
    if process.returncode:
        raise SystemExit(f"the grader failed with exit code {process.returncode}")
    return time.monotonic() - began, peak


def processor_seconds():
    """The sum for all children so far, and for theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_of(command):
    """Megabytes of one process, without its children."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "LAB_ROOT": str(TREE)})
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = max(peak, next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0))
        except OSError:
            pass
        time.sleep(0.01)
    if process.returncode:
        raise SystemExit(f"the grader failed with exit code {process.returncode}")
    return peak / 1024


def memory(scratch, options):
    folder, out, one = scratch / "class", scratch / "out", scratch / "one"
    lab = "01_synchronous_staging"
    for i in range(options.count):
        kernel = folder / f"student{i:04}" / lab / "kernel.cu"
        kernel.parent.mkdir(parents=True)
        kernel.write_bytes("\ufeff// no text for nvcc".encode("utf-16-le"))
    options.labs = "01"
    began = time.monotonic()
    print(f"{options.count} submissions: the grader takes {peak_of(command(folder, out, options)):.1f} MiB", end="", flush=True)
    print(f"; {60 * options.count / (time.monotonic() - began):.0f} a minute", flush=True)
    kernel = scratch / "ann" / lab / "kernel.cu"
    kernel.parent.mkdir(parents=True)
    kernel.write_text((TREE / "labs" / lab / "kernel.cu").read_text())
    grade(kernel.parents[1], one, options)
    made = next((one / "results").glob("*.json"))
    result = json.loads(made.read_text())
    made.unlink()
    for i in range(options.count):
        (one / f"results/student{i:04}.json").write_text(json.dumps({**result, "submission": f"student{i:04}"}))
    print(f"reports of {options.count} failed labs: {peak_of([RUNNER, 'grade', 'merge', one]):.1f} MiB")


def usage(out):
    """Processor seconds of each submission, from its control group."""
    with open(out / "usage.csv", newline="") as file:
        return [float(row["processor seconds"]) for row in csv.DictReader(file)]


def costs(scratch, options, names):
    """One lab after the other: two solutions of six submissions, one skeleton, and wrong versions of all kinds."""
    print("| lab | for the class | solution | skeleton | wrong version | a submission |\n|---|---|---|---|---|---|")
    for lab in names:
        wrong = lab_versions.files(lab, "wrong")
        folder, out = scratch / lab, scratch / ("out-" + lab)
        kinds = [["solution", "skeleton", "wrong", "solution", "wrong", "wrong"][i % 6] for i in range(options.count)]
        for i, kind in enumerate(kinds):
            source = {"solution": TREE / "solutions" / lab / "kernel.cu", "skeleton": TREE / "labs" / lab / "kernel.cu",
                      "wrong": wrong[i * len(wrong) // options.count]}[kind]
            kernel = folder / f"student{i:04}" / lab / "kernel.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text(source.read_text() + f"// {i}\n")
        options.labs = lab[:2]
        before = processor_seconds()
        grade(folder, out, options)
        each = usage(out)
        mean = {kind: sum(one for one, its in zip(each, kinds) if its == kind) / kinds.count(kind) for kind in set(kinds)}
        print(f"| {lab[:2]} | {processor_seconds() - before - sum(each):.1f} | {mean['solution']:.1f} | {mean['skeleton']:.1f} | "
              f"{mean['wrong']:.1f} | {sum(each) / len(each):.1f} |", flush=True)


def results(out):
    found = {}
    for path in sorted((out / "results").glob("*.json")):
        result = json.loads(path.read_text())
        del result["timing"], result["repeat_seed"]
        for lab in result["labs"]:
            for case in lab["cases"]:
                case.pop("output", None)  # addresses and times, if a student prints some
        found[path.name] = result
    return found


def reports(out):
    return {name: (out / name).read_bytes() for name in ("grades.csv", "junit.xml", "report.html", "submissions.csv")}


def same_results(a, b):
    """Are the results equal? Prints which ones differ, and where."""
    for name in sorted(a.keys() | b.keys()):
        one, other = a.get(name, {"labs": []}), b.get(name, {"labs": []})
        if one == other:
            continue
        print(f"{name} differs")
        for lab, lab_again in zip(one["labs"], other["labs"]):
            for case, again in zip(lab["cases"], lab_again["cases"]):
                for key in case.keys() | again.keys():
                    if case.get(key) != again.get(key):
                        print(f"  {lab['lab']}, {case['name']}, {key}: {case.get(key)!r} and {again.get(key)!r}")
            print(f"  {lab.get('source', '').splitlines()[:2]}")
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--labs", default="01,02,03,04,05")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--shards", type=int, default=0)
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--isolation")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--costs", action="store_true")
    options = parser.parse_args()
    names = sorted(path.name for path in (TREE / "labs").iterdir() if path.name[:2] in options.labs.split(","))
    with tempfile.TemporaryDirectory(prefix="asynclab-load-") as scratch:
        if options.memory:
            memory(Path(scratch), options)
            return
        if options.costs:
            costs(Path(scratch), options, names)
            return
        folder, out, again = Path(scratch) / "class", Path(scratch) / "out", Path(scratch) / "again"
        make(folder, options.count, names)
        before = processor_seconds()
        seconds, peak = grade(folder, out, options)
        used = processor_seconds() - before
        print(f"{options.count} submissions of labs {options.labs}, {options.jobs} at a time: {seconds:.0f} s, "
              f"{60 * options.count / seconds:.1f} a minute, peak memory {peak / 1024:.0f} MiB; {used:.0f} s of processor time, "
              f"{60 * options.count * options.jobs / used:.1f} a minute if {options.jobs} processors did nothing else", flush=True)
        same = True
        if options.kills:
            for _ in range(options.kills):
                finished, _ = grade(folder, again, options, kill_after=random.uniform(0.02, 0.3) * seconds)
                if finished:
                    break
            grade(folder, again, options)
            same = same_results(results(out), results(again))
            print(f"killed {options.kills} times and taken up again: {'the same results' if same else 'OTHER RESULTS'}",
                  flush=True)
        if options.shards:
            parts = Path(scratch) / "parts"
            for i in range(options.shards):
                grade(folder, parts, options, "--shard", f"{i + 1}/{options.shards}")
            alike = same_results(results(out), results(parts)) and reports(out) == reports(parts)
            print(f"in {options.shards} shards: {'the same results and reports' if alike else 'OTHER RESULTS'}")
            same &= alike
        if options.slurm:
            parts, cluster = Path(scratch) / "slurm-parts", Path(scratch) / "slurm"
            cluster.mkdir()
            began = time.monotonic()
            level = ["--isolation", options.isolation] if options.isolation else []
            said = slurm.grade(cluster, RUNNER, TREE, folder, parts, "--labs", options.labs, *level)
            alike = same_results(results(out), results(parts)) and reports(out) == reports(parts)
            print(f"on Slurm, {time.monotonic() - began:.0f} s, {said}: {'the same results and reports' if alike else 'OTHER RESULTS'}")
            same &= alike
        raise SystemExit(not same)


if __name__ == "__main__":
    main()
