"""The table of the labs' drills and hunts, as a C++ source: exercises.py LAB/exercises.toml… > exercises.cpp"""

import json
import sys
import tomllib
from pathlib import Path

TARGETS = {"sm_80": 80, "sm_90": 90, "sm_90a": 90, "sm_100a": 100}


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def rows(file):
    """Record and line of the table of each exercise in the file."""
    for kind, exercises in tomllib.loads(file.read_text()).items():
        if kind not in ("drills", "hunts"):
            continue
        for name, exercise in exercises.items():
            where = f"{file}: [{kind}.{name}]"
            if missing := {"title", "concepts", "target"} - set(exercise):
                sys.exit(f"{where} has no {', '.join(sorted(missing))}")
            if (target := exercise["target"]) not in TARGETS:
                sys.exit(f"{where}: the target is {target}, not one of {', '.join(TARGETS)}")
            concepts = ", ".join(map(quoted, exercise["concepts"]))
            yield (f"    {{.title = {quoted(exercise['title'])}, .concepts = {{{concepts}}}, .minimum_sm = {TARGETS[target]}, .targets = {{check::{target}}}}},",
                   quoted(f"{file.parent.name}/{kind}/{name}"))


def main():
    table = [row for file in sys.argv[1:] for row in rows(Path(file))]
    print("// Written by exercises.py from the exercises.toml of each lab.", '#include "check/lab.h"', "",
          "static const check::Lab records[] = {", *(record for record, _ in table), "};", "",
          "const std::vector<check::ListedLab>& check::exercises() {", "    static const std::vector<ListedLab> all{",
          *(f"        {{{name}, &records[{number}]}}," for number, (_, name) in enumerate(table)), "    };", "    return all;", "}", sep="\n")


main()
