"""A wrong result comes with a guess where the pattern is telling, and without one where it is not."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))


def said(instead, case="more tiles than fit on the device at once", lab="01", text="out[begin + t] = sum;"):
    """The check's message for the case when a part of the lab's solution is replaced."""
    (solution,) = ROOT.glob(f"solutions/{lab}_*/kernel.cu")
    assert text in solution.read_text()
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "kernel.cu"
        kernel.write_text(solution.read_text().replace(text, instead))
        done = subprocess.run([RUNNER, "check", lab, "--file", kernel, "--schedules", "1", "--json", "-"], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "LAB_ROOT": str(ROOT)})
    (report,) = json.loads(done.stdout)
    (found,) = [one for one in report["cases"] if one["name"] == case]
    assert found["verdict"] == "wrong", found
    return found["message"]


class Guesses(unittest.TestCase):
    def test_a_tile_further(self):
        text = said("out[(begin + t + TILE) % n] = sum;")
        self.assertIn("what belongs 1024 elements earlier: stale data of an earlier tile or stage", text)

    def test_a_tile_too_early(self):
        self.assertIn("what belongs 1024 elements later", said("out[(begin + t + n - TILE) % n] = sum;"))

    def test_one_further(self):
        self.assertIn("an index that is off by 1", said("out[(begin + t + 1) % n] = sum;"))

    def test_a_window_that_is_filled_once(self):
        text = said("if (w < WINDOW && begin == blockIdx.x * TILE)", text="if (w < WINDOW)")
        self.assertRegex(text, r"what belongs \d+, or \d+, \d+ … elements earlier: an earlier tile, whose buffer was not filled again")

    def test_zeros(self):
        self.assertIn("all zero", said("out[begin + t] = t % 2 ? sum : 0.0f;"))

    def test_never_written(self):
        self.assertIn("0xDB, the pattern of memory that nothing has written", said("if (t % 2) out[begin + t] = sum;"))

    def test_nothing_is_guessed_of_noise(self):
        text = said("out[begin + t] = sum * (1.5f + begin + 3 * t * t);")
        for guess in ("earlier", "later", "zero", "0xDB", "transposed"):
            self.assertNotIn(guess, text)


class Tiles(unittest.TestCase):
    def test_a_tile_that_is_not_transposed(self):
        text = said("(shared.transposed, row, column)", "64-byte swizzle", "13", "(shared.transposed, column, row)")
        self.assertIn("Each tile of 32 × 32 is in the right place, but the rows and columns inside it are exchanged", text)


unittest.main(verbosity=2)
