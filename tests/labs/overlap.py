"""What versions of the labs that overlap less gain on a GPU, and that their points follow the gain.

    python3 tests/labs/overlap.py                      compares the order of points with the order of gains
    python3 tests/labs/overlap.py --bench OUT.json     measures them on this machine's GPU: minutes for each lab
    python3 tests/labs/overlap.py --bench OUT.json 07 10/wrong/released_a_lap_at_a_time       only these
    python3 tests/labs/overlap.py --record OUT.json    takes what was measured there into overlap.tsv
    python3 tests/labs/overlap.py --model [LAB…]       lets the timing model say again what it says: overlap_model.tsv

Measured are the solution of each lab that has a LAB_BENCH, its versions with "half: overlap POINTS", and those correct ones
that overlap.tsv has already or that are named. overlap.tsv holds speeds over the synchronous version of the same run, as
launched and with one block on each SM; of the GPU's copy where a lab has no such version.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from itertools import permutations
from pathlib import Path

import lab_versions
import points

ROOT = lab_versions.ROOT
RECORD, MODEL = Path(__file__).with_name("overlap.tsv"), Path(__file__).with_name("overlap_model.tsv")
HEAD = ["gpu", "lab", "version", "variant", "of", "as launched", "one block"]
NOISE = 1.04  # two gains that are closer than that are equal
NOT_MODELLED = ("21_attention_pipeline",)  # named barriers between products cost more on a GPU than in the model


def rows():
    with RECORD.open(newline="") as file:
        return [dict(zip(HEAD, line)) for line in list(csv.reader(file, delimiter="\t"))[1:]]


def modelled():
    """{(lab, version): the model's speedup, of all variants together}."""
    if not MODEL.exists():
        return {}
    with MODEL.open(newline="") as file:
        return {(lab, version): float(gain) for lab, version, gain in list(csv.reader(file, delimiter="\t"))[1:]}


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def gains(gpu):
    """{lab: {version: the geometric mean of what was measured of it}} on a GPU."""
    found = {}
    for row in rows():
        if row["gpu"] == gpu:
            cells = [float(row[key]) for key in HEAD[-2:] if row[key]]
            found.setdefault(row["lab"], {}).setdefault(row["version"], []).extend(cells)
    return {lab: {version: mean(cells) for version, cells in versions.items()} for lab, versions in found.items()}


def earned(lab, version):
    """Points; None: the version is no more, or its points are still to be measured."""
    if version == "reference" or version.startswith("correct/") and version in lab_versions.entries(lab):
        return points.possible(lab)
    entry = lab_versions.entries(lab).get(version)
    found = entry and points.said(entry)
    return int(found[1]) if found and found[1].isdigit() else None


def out_of_order():
    """Pairs of which the slower one earns more."""
    for gpu in sorted({row["gpu"] for row in rows()}):
        for lab, versions in gains(gpu).items():
            for fast, slow in permutations(versions, 2):
                of_fast, of_slow = earned(lab, fast), earned(lab, slow)
                if None not in (of_fast, of_slow) and versions[fast] > NOISE * versions[slow] and 0 < of_fast < of_slow:  # one that earns nothing lacks the mechanism
                    yield (f"{lab} on an {gpu}: {fast} earns {of_fast} points and gains {versions[fast]:.2f}, "
                           f"{slow} earns {of_slow} and gains {versions[slow]:.2f}")


def misjudged():
    """Pairs of which the model calls the slower one faster."""
    says = modelled()
    for gpu in sorted({row["gpu"] for row in rows()}):
        for lab, versions in gains(gpu).items():
            for fast, slow in permutations([one for one in versions if (lab, one) in says], 2):
                if versions[fast] > NOISE * versions[slow] and NOISE * says[lab, fast] < says[lab, slow]:
                    yield (f"{lab} on an {gpu}: {fast} gains {versions[fast]:.2f} and {slow} {versions[slow]:.2f}; "
                           f"the model says {says[lab, fast]:.2f} and {says[lab, slow]:.2f}")


def wanted(chosen):
    """(lab, {file: version}) to be measured; the reference comes with each."""
    recorded = {(row["lab"], row["version"]) for row in rows()}
    for lab in lab_versions.labs():
        if "LAB_BENCH" not in (ROOT / "labs" / lab / "check.cpp").read_text():
            continue
        made, files = lab_versions.made(lab), {}
        for name, entry in lab_versions.entries(lab).items():
            half = points.said(entry) if name.startswith("wrong/") else None
            named = any(one in (lab[:2], lab, f"{lab[:2]}/{name}") for one in chosen)
            ours = bool(half and half[0] == "overlap") or (lab, name) in recorded or f"{lab[:2]}/{name}" in chosen
            if ours and (named or not chosen):
                files[made[name]] = name
        if files:
            yield lab, files


def bench(out, chosen, options=()):
    found = {"gpu": None, "labs": []}
    for lab, files in wanted(chosen):
        print(f"{lab}: {', '.join(files.values())}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "bench.json"
            named = [word for file in files for word in ("--file", file)]
            done = subprocess.run([lab_versions.RUNNER, "bench", lab[:2], *named, "--json", result, *options], cwd=ROOT,
                                  env={**os.environ, "LAB_ROOT": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode or not result.exists():
                print(f"  not measured: {done.stderr.strip() or done.returncode}")
                continue
            said = json.loads(result.read_text())
        found["gpu"] = said["gpu"]
        (results,) = (one["results"] for one in said["labs"])
        names = {str(file.relative_to(ROOT)): name for file, name in files.items()}
        names |= {"reference": "reference", "yours": next(iter(files.values()))}
        for row in results:
            row["version"] = names.get(row["version"])  # None: the synchronous version, and plain loads
            if "problem" in row:
                print(f"  {row['version']}: {row['problem']}")
        found["labs"].append({"lab": lab, "results": [row for row in results if row["version"] and "problem" not in row]})
        out.write_text(json.dumps(found, indent=1) + "\n")


def record(file):
    """Replaces the lines of the versions that were measured, and of their labs' references."""
    said = json.loads(file.read_text())
    gpu = next(name for name in ("H200", "H100") if name in said["gpu"])
    lines = {}
    for measured in said["labs"]:
        for one in measured["results"]:
            of = "synchronous" if one["speedup"] else "copy"
            gain = one["speedup"] or one["of_copy"]
            key = (gpu, measured["lab"], one["version"], one["variant"], of)
            lines.setdefault(key, ["", ""])[one["blocks_per_sm"] == 1] = f"{gain:.2f}"
    again = {key[:3] for key in lines}
    for row in rows():
        key = tuple(row[name] for name in HEAD[:5])
        if key[:3] not in again:
            lines[key] = [row[name] for name in HEAD[5:]]
    with RECORD.open("w", newline="") as text:
        out = csv.writer(text, delimiter="\t", lineterminator="\n")
        out.writerow(HEAD)
        out.writerows([*key, *cells] for key, cells in sorted(lines.items()))


def run_model(chosen):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "all.json"
        bench(file, chosen, ["--device", "sim", "--model", "h100"])
        said = json.loads(file.read_text())
    found = {}
    for measured in said["labs"]:
        alone = {one["variant"]: one["modelled_cycles"] for one in measured["results"] if one["version"] == "reference"}
        for one in measured["results"]:
            gain = one["modelled_speedup"] or alone[one["variant"]] / one["modelled_cycles"]
            found.setdefault((measured["lab"], one["version"]), []).append(gain)
    again = {lab for lab, _ in found}
    found |= {key: [gain] for key, gain in modelled().items() if key[0] not in again}
    with MODEL.open("w", newline="") as text:
        out = csv.writer(text, delimiter="\t", lineterminator="\n")
        out.writerow(["lab", "version", "speedup"])
        out.writerows([*key, f"{mean(values):.2f}"] for key, values in sorted(found.items()))


WORDS = {
    "": {"title": "Points for overlap", "lab": "lab", "version": "version", "points": "points", "model": "model", "reference": "solution",
         "about": "what it does"},
    "zh": {"title": "重叠的得分", "lab": "实验", "version": "版本", "points": "得分", "model": "时间模型", "reference": "参考解", "about": "做法"},
}
BETWEEN = {"": ["{}, as launched", "{}, one block on each SM"], "zh": ["{}，原样启动", "{}，每个 SM 一个线程块"]}


def table(language):
    """Markdown: what each version earns, what the model says, and what was measured, the fastest first."""
    words, gpus, model = WORDS[language], sorted({row["gpu"] for row in rows()}), modelled()
    yield f"## {words['title']}\n"
    head = [words["lab"], words["version"], words["about"], words["points"], words["model"]]
    head += [text.format(gpu) for gpu in gpus for text in BETWEEN[language]]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for lab in sorted({row["lab"] for row in rows()}):
        order = {version: gain for gpu in reversed(gpus) for version, gain in gains(gpu).get(lab, {}).items()}
        for version in sorted(order, key=order.get, reverse=True):
            entry = lab_versions.entries(lab).get(version)
            if not entry and version != "reference":
                continue
            name, about = points.listed(entry) if entry else (words["reference"], "")
            score, says = earned(lab, version), model.get((lab, version))
            cells = [lab[:2], name, about, f"{'?' if score is None else score} / {points.possible(lab)}", f"{says:.2f}" if says else "–"]
            for gpu in gpus:
                for key in HEAD[-2:]:
                    found = [row[key] for row in rows() if (row["gpu"], row["lab"], row["version"]) == (gpu, lab, version)]
                    cells.append(", ".join(one or "–" for one in found) or "–")
            yield f"| {' | '.join(cells)} |"
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("chosen", nargs="*")
    options = parser.parse_args()
    if options.bench:
        bench(options.bench, options.chosen)
    if options.record:
        record(options.record)
    if options.model:
        run_model(options.chosen)
    if options.bench or options.record or options.model:
        return 0
    wrong = [*out_of_order(), *(one for one in misjudged() if not one.startswith(NOT_MODELLED))]
    print("\n".join(wrong) or f"the orders of points and of modelled gains follow that of {len(rows())} measured gains")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
