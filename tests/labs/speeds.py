"""The solutions' measured speeds, what the timing model says of them, and how well it orders them.

    python3 tests/labs/speeds.py                 compares the tables of docs/performance.md and docs/fidelity.md with the records
    python3 tests/labs/speeds.py --record FILE   takes a GPU's speeds from what `./lab bench --json FILE` wrote there
    python3 tests/labs/speeds.py --model [LAB…]  lets the model say again what it says: modelled.tsv; a minute
    python3 tests/labs/speeds.py --rank          prints Spearman's rank correlations

speeds.tsv is what `./lab bench` measured on GPUs, modelled.tsv what `./lab bench --device sim --model` says of the same
versions. The correlation has a row for each, and one for each version of overlap.tsv (overlap.py). A measurement of an
older version of a solution has a word about it in its last column; it is not compared with the model, which knows only
the present version. ASYNCLAB_BLESS=1 writes the pages.
"""

import argparse
import csv
import json
import operator
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import overlap

ROOT = Path(__file__).resolve().parents[2]
MEASURED, MODELLED = Path(__file__).with_name("speeds.tsv"), Path(__file__).with_name("modelled.tsv")
PERFORMANCE, FIDELITY = ROOT / "docs/performance.md", ROOT / "docs/fidelity.md"
BEGIN, END = "<!-- tests/labs/speeds.py: begin -->\n", "<!-- tests/labs/speeds.py: end -->\n"
GPUS = {"H200": "h200", "H100": "h100"}  # and the names of their models
PLAIN = "plain loads"  # the variant that stands for solutions/LAB/plain.cu


def read(file):
    with file.open(newline="") as text:
        return list(csv.reader(text, delimiter="\t"))[1:]


def measured(gpu):
    """{(lab, variant): (cells, of an older version?)} of a GPU."""
    return {(lab, variant): (cells, bool(older)) for name, lab, variant, *cells, older in read(MEASURED) if name == gpu}


def modelled(gpu):
    """{(lab, variant): speedup}"""
    return {(lab, variant): float(speedup) for name, lab, variant, speedup in read(MODELLED) if name == gpu}


def same_variant(says, lab, variant):
    """What the model says of a variant. The simulated device computes smaller products, so their sizes do not count."""
    words = {re.sub(r"\d{3,}", "", name): speedup for (one, name), speedup in says.items() if one == lab}
    return words.get(re.sub(r"\d{3,}", "", variant)) or min(words.values())


def pairs(gpu, labs=None, with_older=False):
    """[(lab, variant, modelled, measured)]: speedups over the synchronous version, with one block on each SM."""
    says = modelled(gpu)
    return [(lab, variant, same_variant(says, lab, variant), float(cells[-1])) for (lab, variant), (cells, older) in measured(gpu).items()
            if cells[-1] and variant != PLAIN and (with_older or not older) and (not labs or lab[:2] in labs)]


def versions(gpu):
    """The same of versions that overlap less, over all variants of the lab: compared with the synchronous version, or with
    the solution where there is none."""
    says = overlap.modelled()
    gains = {}
    for row in overlap.rows():
        if row["gpu"] == gpu and row["one block"]:
            gains.setdefault((row["lab"], row["of"], row["version"]), []).append(float(row["one block"]))
    for (lab, of, version), values in sorted(gains.items()):
        if version != "reference" and (lab, version) in says:
            yield lab, version, says[lab, version], overlap.mean(values) / (1 if of == "synchronous" else overlap.mean(gains[lab, of, "reference"]))


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def spearman(rows):
    return statistics.correlation(ranks([row[2] for row in rows]), ranks([row[3] for row in rows]))


def run_model(runner, chosen):
    lines = [line for line in read(MODELLED) if chosen and line[1][:2] not in chosen]
    for gpu, model in GPUS.items():
        labs = sorted({lab[:2] for (lab, _), (cells, _) in measured(gpu).items() if cells[-1] and (not chosen or lab[:2] in chosen)})
        if not labs:
            continue
        done = subprocess.run([runner, "bench", *labs, "--device", "sim", "--model", model, "--json", "-"],
                              capture_output=True, text=True, check=True, env={**os.environ, "LAB_ROOT": str(ROOT)})
        for bench in json.loads(done.stdout)["labs"]:
            for row in bench["results"]:
                if row["version"] == "reference":
                    if "problem" in row:
                        sys.exit(f"{bench['lab']}: {row['problem']}")
                    lines.append([gpu, bench["lab"], row["variant"], f"{row['modelled_speedup']:.2f}"])
    with MODELLED.open("w", newline="") as text:
        out = csv.writer(text, delimiter="\t", lineterminator="\n")
        out.writerow(["gpu", "lab", "variant", "speedup"])
        out.writerows(sorted(lines, key=lambda line: (list(GPUS).index(line[0]), line[1])))


def record(file):
    """Replaces the lines of the labs that were measured, with those of the reference solutions and of plain loads."""
    said = json.loads(file.read_text())
    gpu = next(name for name in GPUS if name in said["gpu"])
    cell = lambda value: "" if value is None else f"{value:.2f}"
    lines = {}
    for lab in said["labs"]:
        for one in lab["results"]:
            if one["version"] in ("reference", "plain"):
                of_one_block = 3 if one["blocks_per_sm"] else 0
                variant = PLAIN if one["version"] == "plain" else one["variant"]
                cells = lines.setdefault((gpu, lab["lab"], variant), [""] * 7)
                rate = f"{one['bytes_per_second'] / 1e9:.0f}"
                if variant != PLAIN or int(rate) > int(cells[of_one_block] or 0):  # which does not know the lab's variants
                    cells[of_one_block:of_one_block + 3] = [rate, cell(one["of_copy"]), cell(one["speedup"])]
    old = {tuple(line[:3]): line[3:] for line in read(MEASURED)}
    labs = {line[:2] for line in lines}
    lines |= {key: cells for key, cells in old.items() if key[:2] not in labs}
    with MEASURED.open() as text:
        head = text.readline()
    with MEASURED.open("w", newline="") as text:
        text.write(head)
        order = list(GPUS)
        csv.writer(text, delimiter="\t", lineterminator="\n").writerows(
            [*key, *cells] for key, cells in sorted(lines.items(), key=lambda line: (order.index(line[0][0]), line[0][1])))


def performance():
    yield "| lab | variant | as launched: GB/s | of the copy | × synchronous | one block on each SM: GB/s | of the copy | × synchronous |"
    yield "|---" * 8 + "|"
    for (lab, variant), (cells, _) in measured("H200").items():
        if variant != PLAIN:
            yield "| " + " | ".join([lab, variant, *cells]) + " |"


def plain():
    """Kernels that keep everything in registers, beside the lab's fastest variant."""
    yield "| GPU | lab | plain loads: GB/s | of the copy | the lab's solution: GB/s | of the copy |"
    yield "|---" * 6 + "|"
    for gpu in GPUS:
        rows = measured(gpu)
        for (lab, variant), (cells, _) in rows.items():
            if variant == PLAIN:
                best = max((other for (name, its), (other, _) in rows.items() if name == lab and its != PLAIN), key=lambda other: int(other[0]))
                yield f"| {gpu} | {lab} | {cells[0]} | {cells[1]} | {best[0]} | {best[1]} |"


def fidelity():
    yield "| lab | H200, modelled | measured | H100, modelled | measured |"
    yield "|---" * 5 + "|"
    both = {gpu: {row[:2]: row[2:] for row in pairs(gpu, with_older=True)} for gpu in GPUS}
    for lab, variant in sorted(dict.fromkeys([*both["H200"], *both["H100"]]), key=lambda row: row[0]):
        cells = []
        for gpu in GPUS:
            if (lab, variant) not in both[gpu]:
                cells += ["–", "–"]
                continue
            says, was = both[gpu][lab, variant]
            cells += [f"{says:.2f}", f"({was:.2f})" if measured(gpu)[lab, variant][1] else f"{was:.2f}"]
        yield f"| {lab[:2]}{', ' if variant else ''}{variant} | " + " | ".join(cells) + " |"
    tens = [f"{number:02}" for number in range(3, 11)]
    yield ""
    yield "| Spearman's rank correlation | H200 | rows | H100 | rows |"
    yield "|---" * 5 + "|"
    choices = {"all": lambda gpu: [*pairs(gpu), *versions(gpu)], "solutions": pairs, "solutions of labs 03 to 10": lambda gpu: pairs(gpu, tens)}
    for title, chosen in choices.items():
        yield f"| {title} | " + " | ".join(f"{spearman(chosen(gpu)):.2f} | {len(chosen(gpu))}" for gpu in GPUS) + " |"


def follows(page, *tables, indent=""):
    """Do the page's tables follow the records?"""
    text = page.read_text()
    before, *parts = text.split(indent + BEGIN)
    expected = before
    for lines, part in zip(tables, parts, strict=True):
        expected += indent + BEGIN + "\n" + "".join((indent + line).rstrip() + "\n" for line in lines) + "\n" + indent + END + part.split(indent + END)[1]
    if os.environ.get("ASYNCLAB_BLESS"):
        page.write_text(expected)
        return True
    if text != expected:
        print(f"{page} does not follow the records: ASYNCLAB_BLESS=1 ./lab test speeds-pages   writes its tables anew")
    return text == expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--model", nargs="*", metavar="LAB")
    parser.add_argument("--rank", action="store_true")
    parser.add_argument("--runner", type=Path, default=ROOT / "build/common/runner/lab-runner")
    options = parser.parse_args()
    if options.record:
        record(options.record)
    if options.model is not None:
        run_model(options.runner.resolve(), options.model)
    if options.rank:
        for gpu in GPUS:
            rows = [*pairs(gpu), *versions(gpu)]
            print(f"{gpu}: {spearman(rows):.3f} over {len(rows)} rows, {spearman(pairs(gpu)):.3f} over {len(pairs(gpu))} of solutions")
            places = [ranks([row[i] for row in rows]) for i in (2, 3)]
            for apart, (lab, variant, says, was) in sorted(zip(map(operator.sub, *places), rows), key=lambda row: -abs(row[0])):
                print(f"  {apart:+5.1f} places: {says:.2f} modelled, {was:.2f} measured: {lab[:2]} {variant}")
    if options.record or options.model is not None or options.rank:
        return 0
    return not all([follows(PERFORMANCE, performance(), plain()), follows(FIDELITY, fidelity(), indent="  ")])


if __name__ == "__main__":
    sys.exit(main())
