"""The tables of docs/wrong-versions.md, which are not in git: the site shows them, and ./lab test --versions prints them.

A lab's table has its wrong versions, what rejects each, and how often in runs with many seeds. seeds.tsv holds what
seeds.py measured; versions that were rejected equally often share a line.
"""

import csv
from pathlib import Path

import lab_versions

RECORD = Path(__file__).with_name("seeds.tsv")
HEAD = ["lab", "kind", "seeds", "lazy", "random", "versions"]


def recorded():
    """{(lab, kind, name): (seeds, failures with the lazy schedule, with random ones)}; correct versions run with random ones."""
    with RECORD.open(newline="") as file:
        return {(row["lab"], row["kind"], name): (int(row["seeds"]), int(row["lazy"] or 0), int(row["random"]))
                for row in csv.DictReader(file, delimiter="\t") for name in row["versions"].split()}


def record(measured):
    """Adds to the record, and drops versions that are no more."""
    known = {(lab, *name.split("/")) for lab in lab_versions.labs() for name in lab_versions.entries(lab) if name.count("/") == 1}
    known |= {(lab, "correct", "solution") for lab in lab_versions.labs()}
    lines = {}
    for key, counts in sorted({**recorded(), **measured}.items()):
        if key in known:
            lines.setdefault((*key[:2], *counts), []).append(key[2])
    with RECORD.open("w", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow(HEAD)
        out.writerows([lab, kind, seeds, lazy if kind == "wrong" else "", random, " ".join(names)]
                      for (lab, kind, seeds, lazy, random), names in sorted(lines.items()))


def escaped(sentence):
    return sentence.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def rows(lab, seeds):
    for name, entry in lab_versions.entries(lab).items():
        folder, _, short = name.partition("/")
        if folder == "wrong":
            case, rule = lab_versions.expectation(entry)
            runs, lazy, random = seeds.get((lab, folder, short), (0, 0, 0))
            often = [f"{count} of {runs}" if runs else "–" for count in (lazy, random)]
            yield [short, escaped(" ".join(entry.about)), f"`{rule}`" if rule else f"case “{case}”", *often]


def false_alarms(lab, seeds):
    """One sentence, if the correct versions were measured."""
    runs = [counts for (name, kind, _), counts in seeds.items() if name == lab and kind == "correct"]
    if runs:
        others = f"The solution and {len(runs) - 1} unusual correct version{'s' * (len(runs) != 2)}"
        yield f"{others}: {sum(random for *_, random in runs)} false alarms in {len(runs)} × {runs[0][0]} random schedules.\n"


def tables():
    """Markdown, a section for each lab."""
    seeds = recorded()
    for lab in lab_versions.labs():
        yield f"## {lab}\n"
        yield "| wrong version | its mistake | rejected by | lazy schedule | random schedule |"
        yield "|---" * 5 + "|"
        yield from (f"| {' | '.join(row)} |" for row in rows(lab, seeds))
        yield ""
        yield from false_alarms(lab, seeds)
