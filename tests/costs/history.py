"""The records of what people wait for (docs/costs.jsonl, a line each), how two of them compare, and the page that shows them.

    {"commit": …, "date": …, "machine": {"processor": …, "cores": …}, "load": …, "costs": {NAME: {KIND: VALUE}}}
"""

import json
import os
import re
from pathlib import Path

BEGIN, END = "<!-- tests/costs: begin -->\n", "<!-- tests/costs: end -->\n"
# The ratio from which a cost counts as changed. Counts hardly vary; times do, and wall-clock time is not compared.
CHANGED = {"instructions": 1.01, "processor": 1.15}
IN_WORDS = {"instructions": "the instructions", "processor": "the processor time"}
FIELDS = {"commit": str, "date": str, "machine": dict, "load": (int, float), "costs": dict}


class Unreadable(Exception):
    """An error in a file of records, with its place."""


def read(path):
    """The records, oldest first; none if there is no file yet."""
    records = []
    if not path.exists():
        return records
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            record = json.loads(line)
        except ValueError as problem:
            raise Unreadable(f"{path}:{number}: this line is no JSON: {problem}") from None
        for field, kind in FIELDS.items():
            if not isinstance(record, dict) or not isinstance(record.get(field), kind):
                raise Unreadable(f"{path}:{number}: this record has no '{field}', or not of the right type")
        records.append(record)
    return records


def append(path, record):
    with path.open("a") as file:
        file.write(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")


def machine():
    """Times of two machines are not comparable."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)", cpuinfo, re.M)
    return {"processor": model[1] if model else os.uname().machine, "cores": os.cpu_count()}


def comparable(record, here, kind):
    """A count may come from any machine; a time only from this one, and only while it had nothing else to do."""
    return kind == "instructions" or (record["machine"] == here and record["load"] <= here["cores"])


def before(records, here, name, kind):
    """(commit, value) of the last record that has this cost and can be compared."""
    for record in reversed(records):
        if comparable(record, here, kind) and kind in record["costs"].get(name, {}):
            return record["commit"], record["costs"][name][kind]
    return None


def compare(records, record):
    """[(name, kind, value, commit, value then)] of all that an earlier record has, too."""
    rows = []
    for name, values in record["costs"].items():
        for kind, value in values.items():
            if earlier := before(records, record["machine"], name, kind):
                rows.append((name, kind, value, *earlier))
    return rows


def slower(rows):
    """A sentence for each cost that has grown."""
    for name, kind, value, commit, then in rows:
        if kind in CHANGED and then > 0 and value / then >= CHANGED[kind]:
            yield f"slower: {name}: {value / then:.2f} × {IN_WORDS[kind]} of {commit}"


def shown(kind, value):
    if kind == "instructions":
        return f"{value / 1e6:.1f} M"
    return f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def ratio(value, then):
    return f"{value / then:.2f} ×" if then else "–"


def tables(records):
    """For each machine and kind: a row for each cost, a column for each of its last records; the oldest of them is 1."""
    latest = 6
    for kind, title in (("instructions", "Instructions"), ("processor", "Processor time"), ("wall", "Time on the wall")):
        places = []
        for record in records:
            if any(kind in values for values in record["costs"].values()) and record["machine"] not in places:
                places.append(record["machine"])
        for place in places:
            chosen = [one for one in records if one["machine"] == place and any(kind in v for v in one["costs"].values())][-latest:]
            yield f"\n**{title}**, {place['processor']}, {place['cores']} cores:\n"
            yield "| cost | " + " | ".join(f"{one['commit']}, {one['date']}, load {one['load']:.1f}" for one in chosen) + " |"
            yield "|---" * (len(chosen) + 1) + "|"
            names = dict.fromkeys(name for one in chosen for name, values in one["costs"].items() if kind in values)
            for name in sorted(names):
                cells, first = [], None
                for one in chosen:
                    value = one["costs"].get(name, {}).get(kind)
                    cells.append("–" if value is None else shown(kind, value) if first is None else
                                 f"{shown(kind, value)} ({ratio(value, first)})")
                    first = first if first is not None else value
                yield f"| {name} | {' | '.join(cells)} |"


def page(text, records):
    """The page's text with its tables as the records say."""
    start, rest = text.split(BEGIN)
    return start + BEGIN + "\n".join(tables(records)) + "\n\n" + END + rest.split(END)[1]
