#!/usr/bin/env python3
"""Scores the real bugs of this folder: is the fault named, by which rule, at which line, and is the fix left alone?

    score.py                   on the simulated device, with the runner of build/
    score.py --check           the same, compared with expected.tsv (ASYNCLAB_BLESS=1 rewrites it)
    score.py --gpu             on this machine's GPU: a plain run, then compute-sanitizer's four tools
    score.py --gpu --strongest --rows FILE    the tools with their strongest options; FILE keeps the rows, and those that
                               it has already are not measured again
    score.py … 07 21 correct   these only
    score.py --show 07/fix     prints one whole

All programs are compiled together, since nvcc spends its time on headers; a digest of the sources saves the next one.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import versions  # noqa: E402

FIXES = FOLDER / "fixes"
VERSIONS = FOLDER / "versions"  # programs that differ from a stored one by a few lines
HEAD = re.compile(r"\A(?://.*\n)+")
HEADERS = "source", "cause", "rule", "note", "why", "warns"  # of the first lines
EXPECTED = FOLDER / "expected.tsv"
BLACKWELL = FOLDER / "blackwell.h"  # what the programs that need a Blackwell GPU share
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
STRONGEST = {
    "memcheck": ["--check-tensor-ops", "yes"],
    "racecheck": ["--check-tensor-ops", "yes", "--racecheck-report", "all", "--racecheck-deadlock-timeout", "2000"],
    "synccheck": ["--check-tensor-ops", "yes"],
    "initcheck": ["--check-tensor-ops", "yes", "--initcheck-address-space", "all"],
}
PLAIN_RUNS = 5
HANGS, HANGS_IN_A_TOOL = 10, 30  # seconds; the programs take milliseconds


class Program:
    """One source file. A fault's first lines give the expected report."""

    def __init__(self, name, file, text):
        self.name, self.file, self.text = name, file, text
        self.rules = re.findall(r"^// rule: (.*)$", text, re.M)[0].split("|") if name.endswith("/fault") else []
        self.notes = re.findall(r"^// note: ([a-z-]+)$", text, re.M)
        # Warnings that a program which must be clean may have.
        self.warns = re.findall(r"^// warns: ([a-z-]+)$", text, re.M)
        self.source = header(text, "source")
        self.blackwell = f'#include "../{BLACKWELL.name}"' in text
        self.lines = [n for n, line in enumerate(text.splitlines(), 1) if "// <-- cause" in line]


def header(text, key):
    """The value of this key in the first lines."""
    found = re.search(rf"^// {key}: (.*\n(?://     .*\n)*)", text, re.M)
    return " ".join(found[1].replace("//", "").split()) if found else ""


def unmarked(fault):
    """The program alone, to which a fix is compared."""
    return re.sub(r" *// <-- cause$", "", HEAD.sub("", fault), flags=re.M)


def stored(build):
    """The file and the text of each fault and each correct program: "faults/NAME" or "correct/NAME"."""
    found = {f"{file.parent.name}/{file.stem}": (file, file.read_text())
             for kind in ("faults", "correct") for file in FOLDER.glob(f"{kind}/*.cu")}
    whole = dict(found)
    for name, version in versions.read(VERSIONS, ("of", *HEADERS)).items():
        if version.expected["of"] not in whole:
            raise version.error(f"there is no stored program {version.expected['of']}")
        head = "".join(f"// {key}: {version.expected[key]}\n" for key in HEADERS if key in version.expected)
        text = version.applied(unmarked(whole[version.expected["of"]][1]))
        found[name] = build / f"tests/real/{name}.cu", head + text
    return dict(sorted(found.items()))


def programs(chosen, build=ROOT / "build"):
    found, fixes, all_stored = [], versions.read(FIXES), stored(build)
    for name, (file, fault) in all_stored.items():
        if not name.startswith("faults/"):
            continue
        name = file.stem
        if name not in fixes:
            raise versions.VersionError(f"{FIXES}: error: there is no fix of {name}")
        fix = fixes.pop(name)
        text = f"// fix: {' '.join(fix.about)}\n" + fix.applied(unmarked(fault))
        found += [Program(f"{name}/fault", file, fault), Program(f"{name}/fix", build / "tests/real/fixes" / file.name, text)]
    for fix in fixes.values():
        raise fix.error("there is no such fault")
    found += [Program(name, file, text) for name, (file, text) in all_stored.items() if name.startswith("correct/")]
    return [p for p in found if not chosen or any(p.name.startswith(word) for word in chosen)]


def write(program):
    """Puts a rebuilt program where its file is said to be, unless it is there."""
    if not program.file.exists() or program.file.read_text() != program.text:
        program.file.parent.mkdir(parents=True, exist_ok=True)
        program.file.write_text(program.text)


def combined(all_programs):
    """One source that includes every program in a namespace of its own, and runs the one that its argument names."""
    headers, bodies, table = set(re.findall(r"^#include <.*>$", BLACKWELL.read_text(), re.M)), [], []
    for p in all_programs:
        headers.update(re.findall(r"^#include <.*>$", p.text, re.M))
        space = "real_" + re.sub(r"\W", "_", p.name)
        bodies.append(f'namespace {space} {{\n#define main run\n#include "{p.file.resolve()}"\n#undef main\n}}\n')
        table.append(f'    if (program == "{p.name}")\n        return {space}::run();\n')
    # System headers come first: their include guards make them empty inside the namespaces.
    return "".join(f"{h}\n" for h in sorted(headers | {"#include <string_view>"})) + "".join(bodies) + (
        "int main(int argc, char** argv) {\n    const std::string_view program = argc > 1 ? argv[1] : \"\";\n"
        + "".join(table) + "    return 2;\n}\n")


def build(all_programs, work, command, link):
    """Compiles them with `command`, links the object with `link`, and returns the program."""
    work.mkdir(parents=True, exist_ok=True)
    source, made, program, stamp = (work / f"real.{end}" for end in ("cu", "o", "program", "sha256"))
    text = combined(all_programs)
    for p in all_programs:
        write(p)
    everything = [text, *command, *map(str, link), BLACKWELL.read_text(), *(p.text for p in all_programs)]
    digest = hashlib.sha256("\0".join(everything).encode())
    if not (program.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest()):
        source.write_text(text)
        subprocess.run([*command, "-c", "-o", made, source], check=True)
        subprocess.run([*link[:1], "-o", program, made, *link[1:]], check=True)
        stamp.write_text(digest.hexdigest())
    return program


def on_simulated_device(all_programs, arguments):
    """For each program the findings that are no notes, in the order in which they are shown."""
    sim = arguments.build / "common/sim/cuda"
    # What is rebuilt from a version is in another folder than the program whose includes it has.
    flags = ["-std=c++20", "-O3", "-lineinfo", "-diag-suppress=20054", "-I", str(FOLDER / "faults")]
    nvcc = [*arguments.nvcc.split(), *flags, "-Xcompiler=-g1,-O0"]
    version = subprocess.run([nvcc[0], "--version"], capture_output=True, text=True, check=True).stdout
    runtime = sim / ("libcudart.so.12" if "release 12" in version else "libcudart.so.13")
    link = ["c++", runtime, sim / "libcuda.so.1"]
    built = {}
    for arch in "90a", "100a":
        those = [p for p in all_programs if p.blackwell == (arch == "100a")]
        command = [*nvcc, f"-gencode=arch=compute_{arch},code=compute_{arch}"]
        built[arch] = build(those, arguments.build / f"tests/real/sim_{arch}", command, link) if those else None

    def run(p):
        arch = "100a" if p.blackwell else "90a"
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            runner = arguments.build / "common/runner/lab-runner"
            command = [runner, "run", built[arch], "--json", out.name, "--arch", f"compute_{arch}", *arguments.run,
                       "--", p.name]
            done = subprocess.run(command, capture_output=True, env={**os.environ, "LAB_ROOT": str(ROOT)})
            text = Path(out.name).read_text()
        if not text:
            return [{"rule": f"exit-{done.returncode}", "first": {"file": "", "line": 0}, "others": []}]
        report = json.loads(text)
        # A note counts where the fault is one that nothing worse than a note can name: correct programs do it, too.
        found = [f for f in report["findings"] if f["severity"] == "error" or f["rule"] in p.notes or
                 (f["severity"] == "warning" and f["rule"] not in p.warns)]
        if not found and report["exit_code"] != 0:
            found = [{"rule": "wrong-result", "first": {"file": "", "line": 0}, "others": []}]
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip((p.name for p in all_programs), pool.map(run, all_programs)))


def rows_of_simulated(all_programs, found):
    """Program, first rule, named, rule as expected, line as marked; a program that must be clean has the first two."""
    for p in all_programs:
        findings = found[p.name]
        real = [f for f in findings if f["rule"] != "wrong-result"]
        first = findings[0] if findings else None
        rule = first["rule"] if first else "-"
        if not p.rules:
            yield p.name, rule, "clean" if not findings else "accused", "", ""
            continue

        def marked(place, p=p):
            return Path(place["file"]).resolve() == p.file and place["line"] in p.lines

        if not real:
            yield p.name, rule, "missed", "-" if p.rules == ["none"] else "", ""
            continue
        line = "yes" if marked(first["first"]) else "other" if any(map(marked, first["others"])) else "no"
        later = any(f["rule"] in p.rules for f in real)
        right = "-" if p.rules == ["none"] else "yes" if rule in p.rules else "later" if later else "no"
        yield p.name, rule, "named", right, line


def totals_of_simulated(rows):
    faults = [row for row in rows if row[0].endswith("/fault")]
    fixes = [row for row in rows if row[0].endswith("/fix")]
    others = [row for row in rows if row[0].startswith("correct/")]

    def count(those, column, value):
        return f"{sum(row[column] == value for row in those)} of {len(those)}"
    with_rule = [row for row in faults if row[3] != "-"]
    return (f"named {count(faults, 2, 'named')}; rule first {count(with_rule, 3, 'yes')} that have one; "
            f"line {count(faults, 4, 'yes')}; fixes clean {count(fixes, 2, 'clean')}; "
            f"other correct programs clean {count(others, 2, 'clean')}")


def on_gpu(all_programs, arguments):
    """For each program the results of a few plain runs, then of each tool of compute-sanitizer. For a Hopper GPU."""
    all_programs = [p for p in all_programs if not p.blackwell]
    flags = ["-std=c++20", "-O3", "-lineinfo", "-diag-suppress=20054", "-gencode=arch=compute_90a,code=sm_90a"]
    nvcc = arguments.nvcc.split()
    program = arguments.program_file or build(
        all_programs, arguments.build / "tests/real/gpu", [*nvcc, *flags], [*nvcc, "-lcuda"])
    end = time.monotonic() + arguments.seconds
    kept = {}
    if arguments.rows and arguments.rows.exists():
        kept = {row[0]: row for row in (line.split("\t") for line in arguments.rows.read_text().splitlines())}

    def said(command, limit):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        try:
            return process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0], None

    def plain(p):
        for _ in range(PLAIN_RUNS):
            text, code = said([program, p.name], HANGS)
            if code != 0:
                return "hangs" if code is None else "wrong" if "no error" in text else "fails"
        return "ok"

    def tool(p, name):
        options = STRONGEST[name] if arguments.strongest else []
        text, code = said([arguments.sanitizer, "--tool", name, *options, program, p.name], HANGS_IN_A_TOOL)
        summary = re.search(r"(?:ERROR SUMMARY: |RACECHECK SUMMARY: )(\d+)", text)
        return "hangs" if code is None else "?" if not summary else "flagged" if int(summary[1]) else "ok"

    def run(p):
        if p.name in kept:
            return kept[p.name]
        if time.monotonic() > end:
            return None
        row = p.name, plain(p), *(tool(p, name) for name in TOOLS)
        print(*row, sep="\t", file=sys.stderr, flush=True)  # the findings of a run that is cut short
        if arguments.rows:
            with arguments.rows.open("a") as file:
                file.write("\t".join(row) + "\n")
        return row

    with ThreadPoolExecutor(arguments.jobs) as pool:
        return [row for row in pool.map(run, all_programs) if row]


def totals_of_gpu(rows):
    faults = [row for row in rows if row[0].endswith("/fault")]
    correct = [row for row in rows if not row[0].endswith("/fault")]
    betrayed = sum(row[1] != "ok" for row in faults)
    flagged = sum("flagged" in row[2:] for row in faults)
    accused = sum("flagged" in row[2:] for row in correct)
    return (f"betrayed by a plain run {betrayed} of {len(faults)}; "
            f"flagged by compute-sanitizer {flagged} of {len(faults)}; "
            f"correct programs flagged {accused} of {len(correct)}")


def show(heads, rows, markdown, sources):
    if markdown:
        print("|", " | ".join((*heads, "what happened")), "|\n|" + "---|" * (len(heads) + 1))
        for row in rows:
            print("|", " | ".join((*row, sources[row[0]])), "|")
        return
    rows = [heads, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def compare(rows):
    """Whether expected.tsv says the same."""
    text = "".join("\t".join(row).rstrip("\t") + "\n" for row in rows)
    if os.environ.get("ASYNCLAB_BLESS"):
        EXPECTED.write_text(text)
        return True
    before, now = (EXPECTED.read_text() if EXPECTED.exists() else "").splitlines(), text.splitlines()
    for line in sorted(set(before) - set(now)):
        print(f"- {line}")
    for line in sorted(set(now) - set(before)):
        print(f"+ {line}")
    if before != now:
        print("If the new score is right: ASYNCLAB_BLESS=1 ./lab test 'real bugs'")
    return before == now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="beginnings of names")
    parser.add_argument("--show", metavar="NAME", help="print the first program whose name begins so")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--sanitizer", default="compute-sanitizer", help="the program, for another version of it")
    parser.add_argument("--strongest", action="store_true", help="with the strongest options of compute-sanitizer 2026.4")
    parser.add_argument("--rows", type=Path, help="where to keep each row as soon as it is measured")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no program after that")
    parser.add_argument("--program-file", type=Path, help="the program for the GPU, if it has been built already")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page, with the sources")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--run", action="append", default=[], help="an option for ./lab run, e.g. --run=--schedules=8")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time on the GPU")
    parser.add_argument("--json", type=Path, help="where to write all findings")
    arguments = parser.parse_args()
    chosen = programs(arguments.program, arguments.build)
    if arguments.show:
        shown = [p.text for p in chosen if p.name.startswith(arguments.show) or re.sub(r"_\w*/", "/", p.name).startswith(arguments.show)]
        sys.exit(f"error: no program's name begins with {arguments.show}") if not shown else print(shown[0], end="")
        return 0
    sources = {p.name: p.source for p in chosen}
    if arguments.gpu:
        rows = on_gpu(chosen, arguments)
        show(("program", "plain", *TOOLS), rows, arguments.markdown, sources)
        print(totals_of_gpu(rows))
        if len(rows) < len(chosen):
            print(f"{len(chosen) - len(rows)} programs are left: the same command goes on")
        return 0
    found = on_simulated_device(chosen, arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    rows = list(rows_of_simulated(chosen, found))
    show(("program", "first finding", "verdict", "rule", "line"), rows, arguments.markdown, sources)
    print(totals_of_simulated(rows))
    return 0 if not arguments.check or compare(rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except versions.VersionError as error:
        sys.exit(str(error))
