"""Takes each wait, commit, arrival, barrier and fence out of the PTX of the solutions, one at a time.

    removal.py [LAB…]             all labs with kernels that synchronise, or those whose names begin so; writes them to
                                  docs/removal.md
    removal.py --moves [LAB…]     only the moves

Every removal must be reported, or the instruction must be listed in tests/labs/redundant.txt, where a line is
"LAB LINE MNEMONIC REASON" and LINE is the solution's. Not a part of ./lab test: it takes several minutes.

A barrier may be needed where it stands, and yet be one too many: with the wait before it, it could merge with another
barrier. So each wait for groups that a barrier follows is also moved to just before each other barrier of the solution
(in a loop, that is a round earlier or later: it may have to leave one group less), and its own barrier is taken out. This must
be reported, too.
"""

import json
import re
import subprocess
import sys
from collections import Counter

from corpus import ENVIRONMENT, ROOT, RUNNER, check, errors
from lab_versions import HERE, MADE

PAGE = ROOT / "docs/removal.md"
INTRODUCTION = """# What a solution cannot do without

This page shows what the checker reports when one synchronising instruction is missing. In the PTX of the solutions,
each wait, commit, arrival, barrier and fence was removed, one at a time, and the rest was checked like a student's
file. The checker rejects what is left in {reported} of {tried} cases. The other {redundant} instructions are redundant where
they stand; `tests/labs/redundant.txt` says why{open}.

A wait is replaced by the answer "complete". An arrival whose token is needed is replaced by one that arrives zero
times. A check ends at the first case that fails, so the tables list only the first report. `python3 tests/labs/removal.py`
writes this page.

The first table counts the instructions of each lab. "Neither" means that the checker accepts the rest although the
instruction is not known to be redundant.

| lab | removed | rejected | redundant | neither |
|---|---|---|---|---|
"""


def listed(lab):
    """{(line, mnemonic): reason}"""
    entries = [line.split(maxsplit=3) for line in (HERE / "redundant.txt").read_text().splitlines() if not line.startswith("#")]
    return {(int(line), mnemonic): reason for name, line, mnemonic, reason in entries if name == lab}


def verdict(lab, solution, item):
    """The first rule reported without the instruction; None: there is none."""
    report = check(lab, solution, "--skip", item["id"], "--timeout", "20", "--until-failure")
    if report["compile_errors"]:
        sys.exit(report["compile_errors"])
    for case in report["cases"]:
        if case["verdict"] == "internal":
            return "internal: " + case["message"]
    for case in report["cases"]:
        if case["verdict"] not in ("passed", "internal", "not-run"):
            return (errors(case) or [f"{case['verdict']}"])[0]
    return None


def written():
    """{lab: (its row of the first table, its section)}, as the page has them."""
    head, *sections = PAGE.read_text().split("\n## ")
    rows = {line.split()[1]: line + "\n" for line in head.splitlines() if re.match(r"\| \d", line)}
    return {(lab := section.split("\n")[0]): (rows[lab], section.rstrip("\n") + "\n") for section in sections}


def write(labs):
    counts = [sum(column) for column in zip(*([int(cell) for cell in row.split("|")[2:6]] for row, _ in labs.values()))]
    tried, reported, redundant, neither = counts
    open_ones = f"; {neither} are neither" if neither else ""
    head = INTRODUCTION.format(reported=reported, tried=tried, redundant=redundant, open=open_ones)
    rows, sections = zip(*(labs[lab] for lab in sorted(labs)))
    PAGE.write_text(head + "".join(rows) + "".join("\n## " + section for section in sections))


def section(lab, lines):
    text = (ROOT / "solutions" / lab / "kernel.cu").read_text().splitlines()
    rows = ""
    for (line, mnemonic), said in lines.items():
        source = text[line - 1].strip().replace("|", "\\|") if 0 < line <= len(text) else ""
        reports = ", ".join(f"{what}" + (f" ({n} of {said.total()})" if len(said) > 1 else "") for what, n in said.most_common())
        rows += f"| {line} `{source}` | `{mnemonic}` | {reports} |\n"
    return f"{lab}\n\n| line | removed | first report |\n|---|---|---|\n{rows}"


def tried(lab):
    """The lab's row and section, None if its kernels do not synchronise; and whether something is wrong."""
    solution = ROOT / "solutions" / lab / "kernel.cu"
    command = [RUNNER, "check", lab, "--solutions", "--list-skips"]
    items = json.loads(subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True).stdout)
    redundant, count, lines, redundant_ones, failed = listed(lab), Counter(), {}, set(), False
    for item in items:
        result = verdict(lab, solution, item)
        known = redundant.get((item["line"], item["mnemonic"]))
        kind = "reported" if result else "redundant" if known else "open"
        count[kind] += 1
        if kind == "redundant":
            redundant_ones.add((item["line"], item["mnemonic"]))
        if kind == "open" or (result or "").startswith("internal"):
            failed = True
            print(f"{lab} {item['id']} {item['mnemonic']} line {item['line']}: {result or 'nothing is reported'}", flush=True)
        said = f"`{result}`" if result else f"redundant: {known}" if known else "**nothing**"
        lines.setdefault((item["line"], item["mnemonic"]), Counter())[said] += 1
    for line, mnemonic in set(redundant) - redundant_ones:
        failed = True
        print(f"{lab}: line {line}, {mnemonic} is not redundant: take it off redundant.txt")
    print(f"{lab}: {len(items)} taken out, {dict(count)}", flush=True)
    row = f"| {lab} | {len(items)} | {count['reported']} | {count['redundant']} | {count['open']} |\n"
    return (row, section(lab, lines)) if items else None, failed


BARRIER = re.compile(r"\s*(?:__syncthreads|\w+_meet|\w+\.sync)\(\);")
WAIT = re.compile(r"\s*\S*wait_group\w*(?:<([^<>]+)>\(\)|\(ptx::n32_t<([^<>]+)>\{\}\));")


def moves(lines):
    """What to try: (line of the wait, from 1, line of the barrier that it moves to, the program's lines)."""
    for first, line in enumerate(lines[:-1]):
        wait = WAIT.match(line)
        if not wait or not BARRIER.match(lines[first + 1]):
            continue
        begin = first - bool(re.fullmatch(r"\s*if \(.*\)", lines[first - 1]))  # who waits
        pending = wait[1] or wait[2]
        for other, place in enumerate(lines):
            if other == first + 1 or not BARRIER.match(place):
                continue
            for fewer in (0, 1):
                moved = [text.replace(f"<{pending}>", f"<{pending} - {fewer}>") for text in lines[begin : first + 1]]
                rest = [None if begin <= at <= first + 1 else text for at, text in enumerate(lines)]
                rest[other] = "\n".join([*moved, place])
                yield first + 1, other + 1, [text for text in rest if text is not None]


def moved(lab):
    """Is there a move that nothing reports?"""
    lines, found = (ROOT / "solutions" / lab / "kernel.cu").read_text().splitlines(), False
    file = MADE / lab / "moved.cu"
    file.parent.mkdir(parents=True, exist_ok=True)
    for wait, barrier, program in moves(lines):
        file.write_text("\n".join(program) + "\n")
        if check(lab, file, "--timeout", "20", "--until-failure")["passed"]:
            found = True
            print(f"{lab}: the wait of line {wait} could move to the barrier of line {barrier}, and its own barrier go", flush=True)
    file.unlink(missing_ok=True)
    return found


def main():
    labs = [path.parent.name for path in sorted((ROOT / "solutions").glob("*/kernel.cu"))]
    only_moves = sys.argv[1:2] == ["--moves"]
    wanted = tuple(sys.argv[1 + only_moves :])
    wrong = False
    for lab in labs:
        if wanted and not lab.startswith(wanted):
            continue
        wrong |= moved(lab)
        if only_moves:
            continue
        result, failed = tried(lab)
        wrong |= failed
        if result:
            write({**written(), lab: result})
    sys.exit(wrong)


if __name__ == "__main__":
    main()
