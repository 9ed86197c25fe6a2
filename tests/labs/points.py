"""What versions of the labs earn: half-solutions by kind, cheats, and unusual correct versions.

An entry of tests/labs/LAB.versions says in its head what the version earns: "half: wait 7" is a half-solution of the kind
"wait" that earns 7 points; "cheat: 0" has right results without the lab's point, and "cheat: 12, REASON" earns more than
a tenth because a part of it is honest. Versions in correct/ earn everything. The lab's test (corpus.py) compares what they
earn, and writes it with ASYNCLAB_BLESS=1. ./lab test --points prints the tables; the site shows them on docs/points.md.
"""

import fcntl
import os
import re

import lab_versions

# A kind of half-solution, and what the columns of the tables say of it.
KINDS = {
    "": {"barrier": "barrier missing", "wait": "wait missing", "fence": "fence missing", "count": "off by one", "tail": "tail wrong", "overlap": "no overlap"},
    "zh": {"barrier": "缺一个同步屏障", "wait": "缺一次等待", "fence": "缺一个 fence", "count": "差一", "tail": "尾部错误", "overlap": "没有重叠"},
}
WORDS = {
    "": {"halves": "Half-solutions", "cheats": "Right results without the lab's point", "honest": "Unusual and correct", "lab": "lab",
         "all": "all points", "version": "version", "about": "what it does", "earned": "points", "reason": "why more than a tenth"},
    "zh": {"halves": "半成品", "cheats": "结果正确，但绕开了实验要点", "honest": "写法不寻常但正确", "lab": "实验", "all": "满分",
           "version": "版本", "about": "做法", "earned": "得分", "reason": "超过十分之一的原因"},
}
HALF, CHEAT = re.compile(r"(\w+) (\d+|\?)"), re.compile(r"(\d+|\?)(?:, (.+))?")


def said(entry):
    """(kind, points, reason): what the entry says that it earns; None if it says nothing. "?" is still to be measured."""
    half, cheat = entry.expected.get("half"), entry.expected.get("cheat")
    if half is None and cheat is None:
        return None
    match = (CHEAT if half is None else HALF).fullmatch(cheat if half is None else half)
    if not match or half and match[1] not in KINDS[""]:
        raise entry.error(f'"half: KIND POINTS" with a KIND of {", ".join(KINDS[""])}, or "cheat: POINTS"')
    return (match[1], match[2], None) if half else ("cheat", match[1], match[2])


def earned_as_said(entry, report):
    return said(entry)[1] == f"{report['points']}"


def compared(entry, report):
    """The error in what the entry says; empty: it is right."""
    kind, points, reason = said(entry)
    found = f"{report['points']}"
    verdicts = {case["verdict"] for case in report["cases"]}
    if kind == "cheat" and verdicts - {"passed", "mechanism", "unearned", "hazard"}:
        return f"a cheat has right results: {', '.join(sorted(verdicts))}"
    if kind == "cheat" and 10 * report["points"] > report["possible"] and not reason:
        return f"it earns {found} of {report['possible']} points"
    if earned_as_said(entry, report):
        return ""
    if os.environ.get("ASYNCLAB_BLESS") != "1":
        return f"it earns {found} points, not {points}; to say so: ASYNCLAB_BLESS=1 ./lab test wrong-is-named-{entry.file.stem}"
    key = "cheat" if kind == "cheat" else "half"
    old = entry.expected[key]
    new = re.sub(r"\d+|\?", found, old, count=1)
    with entry.file.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        begin = text.index(f"== {entry.name}\n")
        file.seek(0)
        file.write(text[:begin] + text[begin:].replace(f"{key}: {old}\n", f"{key}: {new}\n", 1))
        file.truncate()
    return ""


def possible(lab):
    """All points of a lab: those of its cases."""
    check = (lab_versions.ROOT / "labs" / lab / "check.cpp").read_text()
    return sum(int(points) for points in re.findall(r'^LAB_CASE\((?:"[^"]*"\s*)+, (\d+)\)', check, re.M))


def halves(language):
    """A row for each lab, a column for each kind; several versions of a kind share a cell."""
    words = WORDS[language]
    yield f"## {words['halves']}\n"
    yield f"| {' | '.join([words['lab'], *KINDS[language].values(), words['all']])} |"
    yield "|---" * (len(KINDS[language]) + 2) + "|"
    for lab in lab_versions.labs():
        cells = {kind: [] for kind in KINDS[language]}
        for entry in lab_versions.entries(lab).values():
            if (found := said(entry)) and found[0] in cells:
                cells[found[0]].append(found[1])
        columns = [", ".join(sorted(set(points), key=lambda one: (len(one), one))) or "–" for points in cells.values()]
        yield f"| {' | '.join([lab, *columns, str(possible(lab))])} |"
    yield ""


def listed(entry):
    name, about = entry.name.partition("/")[2], " ".join(entry.about)
    return name, about.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def cheats(language):
    words = WORDS[language]
    yield f"## {words['cheats']}\n"
    yield f"| {' | '.join(words[key] for key in ('lab', 'version', 'about', 'earned', 'all', 'reason'))} |"
    yield "|---" * 6 + "|"
    for lab in lab_versions.labs():
        for entry in lab_versions.entries(lab).values():
            if (found := said(entry)) and found[0] == "cheat":
                yield f"| {' | '.join([lab[:2], *listed(entry), found[1], str(possible(lab)), found[2] or ''])} |"
    yield ""


def honest(language):
    words = WORDS[language]
    yield f"## {words['honest']}\n"
    yield f"| {' | '.join(words[key] for key in ('lab', 'version', 'about', 'earned'))} |"
    yield "|---" * 4 + "|"
    for lab in lab_versions.labs():
        for name, entry in lab_versions.entries(lab).items():
            if name.startswith("correct/"):
                yield f"| {' | '.join([lab[:2], *listed(entry), str(possible(lab))])} |"
    yield ""


def tables(language=""):
    """Markdown."""
    import overlap  # which asks here for what versions earn

    for table in (halves, overlap.table, cheats, honest):
        yield from table(language)
