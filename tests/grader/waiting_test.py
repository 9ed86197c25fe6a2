"""A grader's waiting compilers compile a class, at every level of isolation that works here; nvcc compiles what has an error."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import LAB, RUNNER, TREE, levels

KERNEL = (TREE / "labs" / LAB / "kernel.cu").read_text()
# As many as it takes for the grader to start compilers, and what becomes of each.
CLASS = {
    "ann": (KERNEL, "waiting"),
    "bob": (KERNEL.replace("__global__", "__device__ int unused = 1;\n__global__", 1), "waiting"),
    "eve": (KERNEL + "static int unused() {\n    return 1;\n}\n", "waiting"),  # other host code
    "kim": (KERNEL.replace("__global__", "__device__ int error = nowhere;\n__global__", 1), "nvcc"),
}


class Waiting(unittest.TestCase):
    def grade(self, level, user):
        """What the ways of compiling have said of each submission (ASYNCLAB_WAYS), in their order."""
        with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
            folder = Path(scratch)
            folder.chmod(0o777)
            for name, (text, _) in CLASS.items():
                kernel = folder / "class" / name / LAB / "kernel.cu"
                kernel.parent.mkdir(parents=True)
                kernel.write_text(text)
            prefix = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "--"] if user else []
            done = subprocess.run(
                [*prefix, RUNNER, "grade", folder / "class", "--out", folder / "out", "--labs", "01", "--isolation", level,
                 "--schedules", "1", "--jobs", "1"],
                capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(TREE), "ASYNCLAB_WAYS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {}  # by the folder of a submission's files, which is in the grader's
        for folder, way, no, what in re.findall(r"^lab: \S*?-grade-\w+/(\S*)/kernel\.cu: ([\w ]*)(: no)?: (.*)", done.stderr, re.M):
            said.setdefault(folder, []).append((way, no, what))
        del said[LAB]  # the lab's own files
        return list(said.values())

    def test_waiting_compilers_compile_a_class(self):
        answers = {"waiting": [("prepared for submissions", "", "compute_80, compute_90, the program")],
                   "nvcc": [("prepared for submissions", ": no", "there is an error, which nvcc is to name"),
                            ("nvcc for a submission", "", "errors")]}
        for level, user in levels():
            with self.subTest(level=level, user=user or "ourselves"):
                self.assertEqual(self.grade(level, user), [answers[way] for _, way in CLASS.values()])


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
