"""Processor time and memory of a submission come from its control group where the machine lets the grader make one. Where
not, everything else is the same, and the report says why."""

import csv
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))
WITHOUT = ["unshare", "--mount", "sh", "-c", "umount -a -t cgroup2 && exec \"$@\"", "sh"]  # root only


def left_behind():
    return [path for path in Path("/sys/fs/cgroup").rglob("asynclab-grade*") if path.is_dir()]


class Accounting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.folder.chmod(0o755)
        kernel = cls.folder / "class/ann/01/kernel.cu"
        kernel.parent.mkdir(parents=True)
        kernel.write_text("#error not yet\n")

    def grade(self, name, *prefix):
        before = set(left_behind())
        out = self.folder / name
        done = subprocess.run([*prefix, RUNNER, "grade", self.folder / "class", "--out", out, "--labs", "01", "--jobs", "1"],
                              capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(TREE)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([str(path) for path in left_behind() if path not in before and f"-{os.getpid()}" in path.name], [])
        result = json.loads((out / "results/ann.json").read_text())
        with open(out / "usage.csv", newline="") as file:
            row, = csv.DictReader(file)
        said = re.search(r"^Processor time and memory \(usage\.csv\):\n  (.*) \(1 submissions\)$", (out / "class.txt").read_text(), re.M)
        self.assertEqual(json.loads((out / "class.json").read_text())["accounting"], said[0].split("\n  ")[1] + "\n")
        self.assertIn("Processor time and memory", (out / "report.html").read_text())
        return result, row, said[1], done.stdout

    def test_in_a_control_group(self):
        result, row, said, printed = self.grade("with")
        if said.startswith("without"):
            self.skipTest(f"the grader can make no control groups here: {said}")
        self.assertIn("processor time", result["accounting"]["measured"])
        used = result["timing"]["submission"]
        self.assertGreater(used["processor_seconds"], 0.01)
        self.assertEqual(row["measured by"], "a control group")
        self.assertAlmostEqual(float(row["processor seconds"]), used["processor_seconds"], delta=0.01)
        self.assertRegex(printed, r"1 of 1  ann  0 of \d+   \d+\.\d s of processor time")
        if "peak memory" in result["accounting"]["measured"]:
            self.assertGreater(used["peak_bytes"], 1 << 20)
            self.assertIn("peak memory", said)
        else:
            print(f"no peak memory here: {said}")
            self.assertEqual(row["peak MiB"], "")

    def test_without_control_groups(self):
        if subprocess.run([*WITHOUT, "true"], capture_output=True).returncode:
            self.skipTest("only root can hide the control groups from a grader")
        result, row, said, printed = self.grade("without", *WITHOUT)
        self.assertEqual(said, "without control groups: cgroup v2 is not mounted")
        self.assertEqual(result["accounting"], {"measured": [], "why_not": "cgroup v2 is not mounted"})
        self.assertNotIn("submission", result["timing"])
        self.assertEqual((row["processor seconds"], row["peak MiB"], row["measured by"]), ("", "", "the grader"))
        self.assertNotIn("of processor time", printed)
        self.assertGreater(float(row["seconds of all labs"]), 0)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
