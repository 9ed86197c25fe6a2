"""A class that is graded twice has the same results and reports, whatever its kernels do: no text that graders compare
holds a time, an address or a count that differs from run to run."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
RUNNER = os.environ["LAB_RUNNER"]
LAB = "05_wait_group"
ATTACKS = TREE / "tests/grader/attacks/file"


def members():
    skeleton = (TREE / "labs" / LAB / "kernel.cu").read_text()
    wrong = lab_versions.files(LAB, "wrong")
    chosen = {path.stem: path.read_text() for path in wrong[:: max(1, len(wrong) // 2)][:2]}
    loop = "\n    for (unsigned i = 1; i; i += 2 * (n > 0))\n        if (i == 2 * stage + 4)\n            out[0] = i;"
    return {"skeleton": skeleton,
            "endless": skeleton.replace("int stage = 0;", "int stage = 0;" + loop, 1),
            "misaligned": skeleton.replace("const int e = 4 * (c * THREADS + threadIdx.x)", "const int e = 4 * (c * THREADS + threadIdx.x) + 1"),
            "broken": skeleton.replace("int stage = 0;", "int stage = nowhere;"), **chosen}


class Again(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.folder.chmod(0o755)
        for name, text in members().items():
            kernel = cls.folder / "class" / name / LAB / "kernel.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text(text)
        for out, jobs in (("once", "2"), ("again", "1")):
            subprocess.run([RUNNER, "grade", cls.folder / "class", "--out", cls.folder / out, "--labs", "05", "--schedules", "2", "--timeout",
                            "5", "--jobs", jobs], check=True, capture_output=True, env={**os.environ, "LAB_ROOT": str(TREE)})

    def files(self, out):
        return {str(path.relative_to(self.folder / out)): path.read_text() for path in sorted((self.folder / out).rglob("*"))
                if path.is_file() and path.name not in {"repeat-seed", "usage.csv"}}

    def test_the_same_files(self):
        once, again = self.files("once"), self.files("again")
        self.assertEqual(once.keys(), again.keys())
        for name, text in once.items():
            other = again[name]
            if name.startswith("results/"):
                text, other = (json.dumps({key: value for key, value in json.loads(one).items() if key not in {"timing", "repeat_seed"}}, indent=1)
                               for one in (text, other))
            self.assertMultiLineEqual(text, other, name)

    def test_errors_are_counted_for_their_todo(self):
        skeleton = json.loads((self.folder / "once/results/skeleton.json").read_text())["labs"][0]
        self.assertEqual(skeleton["untouched_todos"], [1, 2, 3])
        todos = {finding.get("todo") for path in (self.folder / "once/results").glob("*.json")
                 for case in json.loads(path.read_text())["labs"][0]["cases"] for finding in case.get("findings", [])}
        self.assertTrue(any(re.fullmatch(r"TODO\(\d\)", todo or "") for todo in todos), todos)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
