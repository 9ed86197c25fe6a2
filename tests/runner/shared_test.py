"""An installation that belongs to another user: everyone may read it, no one may write to it, and each user's files,
progress and compiled programs are in folders of the user's own."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
BUILD = RUNNER.parents[2]
USER = 65534
LAB = "01_synchronous_staging"
LABS = re.findall(r"^    '(\d\d_\w+)',$", (ROOT / "labs/meson.build").read_text(), re.M)
COUNT = """#include <cstdio>
__global__ void count(int* out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *device, host[32];
    cudaMalloc(&device, sizeof host);
    count<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("the last one is %d\\n", host[31]);
}
"""


def install(tree):
    """The files of a built tree, owned by root and read-only."""
    for folder in ("labs", "solutions", "common/check/student", "common/setup", "docs"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "lab", tree / "lab")
    (tree / ".asynclab").mkdir()
    shutil.copy(ROOT / ".asynclab/toolchain.json", tree / ".asynclab")
    for folder in ("runner/lab-runner", "check/device", "check/libcheck_stub.a", "check/libcheck_stub.a.p", "sim/cuda", "compile/servers"):
        source, target = BUILD / "common" / folder, tree / "build/common" / folder
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.o", "*.pch", "*.gch") if "sim" in folder else None)
        else:
            shutil.copy(source, target)
    for script in (tree / "build/common/sim/cuda").glob("*.so"):  # for the linker, with the library's path
        script.write_text(script.read_text().replace(str(BUILD), str(tree / "build")))
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o022 | (0o555 if path.is_dir() else 0o444))


def all_of(tree):
    return {path: path.lstat().st_mtime_ns for path in [tree, *tree.rglob("*")]}


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("another user can be tried as root only")
        if not (ROOT / ".asynclab/toolchain.json").exists():
            raise unittest.SkipTest("this tree was not set up by ./lab")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = Path(cls.scratch.name)
        folder.chmod(0o755)
        cls.tree, cls.home = folder / "tree", folder / "home"
        install(cls.tree)
        cls.home.mkdir()
        os.chown(cls.home, USER, USER)
        cls.before = all_of(cls.tree)

    def tearDown(self):
        self.assertEqual(all_of(self.tree), self.before)

    def lab(self, *arguments, expect=0, home=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LAB_", "XDG_"))}
        environment |= {"HOME": str(home or self.home), "LAB_DEVICE": "sim", "LAB_LANG": "en"}
        done = subprocess.run(["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--", self.tree / "lab",
                               *arguments], capture_output=True, text=True, timeout=300, cwd=self.home, env=environment)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def put(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o644)
        return path

    def test_doctor_says_where_things_are(self):
        output = self.lab("doctor")
        self.assertIn(f"your labs are in {self.home}/asynclab, your progress in {self.home}/.local/state/asynclab", output)
        self.assertNotIn("✗", output)

    def test_a_lab_in_a_file_of_ones_own(self):
        solved = self.put("labs/01.cu", (ROOT / "solutions" / LAB / "kernel.cu").read_text())
        self.assertIn("15 of 15 points", self.lab("check", "01", "--file", str(solved)))
        state = json.loads((self.home / ".local/state/asynclab/state.json").read_text())
        self.assertTrue(state["labs"][LAB]["passed"])
        self.assertTrue(any((self.home / ".cache/asynclab").iterdir()))
        self.assertIn(f"1 of {len(LABS)} labs passed", self.lab())

    def test_a_copy_of_the_lab(self):
        output = self.lab("check", "03", expect=1)
        self.assertIn("./lab reset 03", output)
        self.assertIn("asynclab/labs/03_pipeline_primitives/kernel.cu is as it was at the start", self.lab("reset", "03"))
        own = self.home / "asynclab/labs/03_pipeline_primitives/kernel.cu"
        self.assertEqual(own.read_text(), (self.tree / "labs/03_pipeline_primitives/kernel.cu").read_text())
        own.write_text("#error my own\n")
        self.assertIn("my own", self.lab("check", "03", expect=1))

    def test_run_and_list(self):
        self.assertIn("the last one is 31", self.lab("run", str(self.put("count.cu", COUNT))))
        self.assertIn("01_synchronous_staging", self.lab("list"))

    def test_grade_into_a_folder_of_ones_own(self):
        self.put("class/ann/01/kernel.cu", "#error nothing\n")
        self.lab("grade", str(self.home / "class"), "--out", str(self.home / "graded"), "--labs", "01", "--schedules", "1")
        self.assertTrue((self.home / "graded/report.html").exists())

    def test_what_cannot_be_written_is_said_once(self):
        output = self.lab("run", str(self.put("count.cu", COUNT)), expect=2, home="/proc")
        self.assertIn("you may not write to /proc/.cache/asynclab", output)
        self.assertIn("set XDG_CACHE_HOME and XDG_STATE_HOME", output)
        for command in ("clean", "docs", "test"):
            output = self.lab(command, expect=2)
            self.assertIn(f"you may not write to {self.tree}, so './lab {command}' cannot work there", output)
            self.assertEqual(len(output.splitlines()), 2)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
