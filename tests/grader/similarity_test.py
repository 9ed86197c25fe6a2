"""Which submissions `./lab grade merge --similarity` calls alike: those that were copied and dressed up, not those that
solve the same exercise."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import made_up

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
RUNNER = os.environ["LAB_RUNNER"]
LAB = "01_synchronous_staging"
COPIED = """
        float left[3], right[3], centre = 0.0f;
        for (int k = 0; k < 3; ++k) {
            left[k] = begin + k - RADIUS >= 0 ? in[begin + k - RADIUS] : 0.0f;
            right[k] = begin + TILE + k < n ? in[begin + TILE + k] : 0.0f;
            centre += left[k] * 0.25f - right[k] * 0.125f;
            if (threadIdx.x % 7 == k && (left[k] > centre || right[k] < -centre)) {
                window[k] = left[k] + centre;
                window[WINDOW - 1 - k] = right[k] - centre;
            } else while (centre > 8.0f) {
                centre = centre / 2.0f - left[k] * right[k];
            }
        }
        switch (begin / TILE % 4) {
        case 0: window[0] += centre; break;
        case 1: window[1] -= centre * (left[0] + right[2]); break;
        default: window[2] *= left[1] > right[1] ? centre : -centre;
        }
"""


def dressed_up(code):
    """Other names, numbers, comments and layout."""
    for old, new in {"left": "a_", "right": "bb", "centre": "sum_of_it", "k": "idx", "0.25f": "0.5f", "7": "11"}.items():
        code = re.sub(rf"\b{re.escape(old)}\b", new, code)
    return re.sub(r"\n\s*", "\n\n  /* mine */ ", code).replace("{", "{ // indeed\n")


class Similarity(unittest.TestCase):
    def pairs(self, sources, tree=TREE):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results"
            results.mkdir()
            for name, source in sources.items():
                lab = {"lab": LAB, "cases": [], "points": 0, "possible": 0, "score": 0, "out_of": 0, "source": source}
                made = made_up.result(submission=name, labs=[lab], score=0, possible=0)
                (results / f"{name}.json").write_text(json.dumps(made))
            subprocess.run([RUNNER, "grade", "merge", folder, "--similarity"], check=True, capture_output=True,
                           env={**os.environ, "LAB_ROOT": str(tree)})
            with open(Path(folder) / "similarity.csv", newline="") as file:
                return [tuple(row[1:3]) for row in list(csv.reader(file))[1:]]

    def test_copies_are_found_and_solutions_are_not(self):
        skeleton = (TREE / "labs" / LAB / "kernel.cu").read_text()
        sources = {"solution": (TREE / "solutions" / LAB / "kernel.cu").read_text(), "skeleton": skeleton,
                   "skeleton_too": skeleton + "\n"}
        for name in ("next_tile_loaded_early", "one_barrier_two_windows"):
            sources[name] = lab_versions.text(LAB, f"correct/{name}")
        self.assertEqual(self.pairs(sources), [])
        mark = "// END TODO(1)"
        sources["ada"] = skeleton.replace(mark, COPIED + mark)
        sources["bob"] = skeleton.replace(mark, dressed_up(COPIED) + mark)
        self.assertEqual(self.pairs(sources), [("ada", "bob")])

    def test_an_instructor_who_has_solved_the_lab_still_sees_copies(self):
        skeleton = (TREE / "labs" / LAB / "kernel.cu").read_text()
        solved = skeleton.replace("// END TODO(1)", COPIED + "// END TODO(1)")
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            for path in (TREE / "labs").glob("*/kernel.cu"):
                copy = tree / path.relative_to(TREE)
                copy.parent.mkdir(parents=True)
                copy.write_text(path.read_text())
            git = lambda *words: subprocess.run(["git", "-C", tree, "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True,
                                                capture_output=True)
            git("init")
            git("add", "labs")
            git("commit", "-m", "as it was published")
            (tree / "labs" / LAB / "kernel.cu").write_text(solved)
            self.assertEqual(self.pairs({"ada": solved, "bob": solved}, tree), [("ada", "bob")])
            self.assertEqual(self.pairs({"ada": skeleton, "bob": skeleton}, tree), [])

    def test_hostile_text(self):
        for text in ("", "/*", '"', "'\\", "#", "a" * 100000, "{" * 100000, "\0\xff"):
            self.pairs({"ada": text, "bob": text})


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
