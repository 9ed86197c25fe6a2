"""What the cases of a lab earn if the one that shows its mechanism fails: by a hazard, by other means, or by both."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
RUNNER = os.environ["LAB_RUNNER"]
LAB = "01_synchronous_staging"
GATE = 'unearned because "every input byte is staged once" '
RACE = "{ __shared__ volatile int racing[1024]; racing[threadIdx.x] = 1; if (racing[blockDim.x - 1 - threadIdx.x] < 0) return; }"


class Gate(unittest.TestCase):
    def graded(self, text, gate="mechanism", hazard_percent=50):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            folder.chmod(0o755)
            (folder / "kernel.cu").write_text(text)
            (folder / "course.toml").write_text(f'labs = {{ 01 = {{}} }}\npoints = {{ gate = "{gate}", hazard_percent = {hazard_percent} }}\n')
            subprocess.run([RUNNER, "grade", "one", "--submission", folder / "kernel.cu", "--out", folder / "result.json", "--isolation", "limits",
                            "--course", folder / "course.toml", "--schedules", "2"], check=True, capture_output=True, timeout=300)
            lab, = json.loads((folder / "result.json").read_text())["labs"]
        self.assertNotIn("compile-error", {case["verdict"] for case in lab["cases"]})
        return lab["points"], {case["message"] for case in lab["cases"] if case["verdict"] == "unearned"}

    def version(self, name):
        return lab_versions.file(LAB, f"wrong/{name}").read_text()

    def test_a_hazard_costs_the_cases_that_have_it(self):
        points, unearned = self.graded(self.version("no_barrier_before_restaging"))
        self.assertGreater(points, 0)
        self.assertEqual(unearned, set())

    def test_a_hazard_in_all_cases_leaves_something(self):
        text = self.version("no_barrier_after_staging")
        points, unearned = self.graded(text)
        self.assertTrue(0 < points < 15 / 2, points)
        self.assertEqual(unearned, set())
        self.assertEqual(self.graded(text, hazard_percent=0), (0, set()))

    def test_strict(self):
        self.assertEqual(self.graded(self.version("no_barrier_before_restaging"), "strict"), (0, {GATE + "does not pass"}))

    def test_other_means(self):
        self.assertEqual(self.graded(self.version("not_staged")), (0, {GATE + "gets its result by other means"}))

    def test_a_hazard_hides_no_other_means(self):
        """The race is where several tiles are computed, so that small cases pass."""
        text = self.version("not_staged")
        begin = text.index("{", text.index("__global__")) + 1
        points, unearned = self.graded(text[:begin] + "\n    if (n > 8000)\n        " + RACE + text[begin:])
        self.assertEqual(points, 0)
        message, = unearned
        self.assertTrue(message.startswith(GATE + "also lacks the mechanism (expected: threads stage"), message)


if __name__ == "__main__":
    unittest.main()
