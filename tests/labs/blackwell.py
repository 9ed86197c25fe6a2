#!/usr/bin/env python3
"""What each lab's overlap would gain on a B200, as the timing model predicts it: the tables of docs/timeline.md, on stdout.

python3 tests/labs/blackwell.py [LAB…]          by default, the labs from 03 on; several minutes
python3 tests/labs/blackwell.py --parameters    the parameters of models/b200.json, with what each is taken from
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import lab_versions

MODELS = lab_versions.ROOT / "common/runner/bench/models"
HOPPER_ONLY = ("18", "19", "20", "21")  # wgmma


def traced(lab, model):
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(["./lab", "trace", lab, "--solutions", "--model", model, "--json", "--out", Path(folder) / "trace"],
                              cwd=lab_versions.ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(said.stdout)


def gains(labs):
    print("| lab | H100: cycles | gain | limited by | B200: cycles | gain | limited by |\n|---|---|---|---|---|---|---|")
    for lab in labs:
        cells = []
        for model in ("h100", "b200"):
            if model == "b200" and lab[:2] in HOPPER_ONLY:
                cells += ["–", "–", "it has no `wgmma`"]
                continue
            one = traced(lab, model)
            cells += [f"{one['cycles']:,}", f"{one['cycles_if_synchronous'] / one['cycles']:.2f}", one["bound"]["by"]]
        print(f"| {lab} | " + " | ".join(cells) + " |", flush=True)


def parameters():
    model = json.loads((MODELS / "b200.json").read_text())
    yield "| parameter | B200 | source | what is published there |"
    yield "|---|---|---|---|"
    for name, value in model["model"].items():
        source, what = model["from"][name]
        yield f"| `{name}` | {value} | {source} | {what or 'the same value'} |"


def main():
    if sys.argv[1:] == ["--parameters"]:
        print("\n".join(parameters()))
        return
    gains(sys.argv[1:] or [lab for lab in lab_versions.labs() if int(re.match(r"\d+", lab)[0]) >= 3])


if __name__ == "__main__":
    main()
