"""The installed package: its files, as Meson would install them, in an empty folder, with the programs of this build.

What is not in the install plan is missing here, too. Nothing is compiled but the kernels."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(sys.argv.pop(1)).resolve()
BUILD = RUNNER.parents[2]
WRONG = """#include <cuda_pipeline.h>
__global__ void twice(const float* in, float* out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));
    __pipeline_commit();
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemset(in, 0, 512);
    twice<<<1, 128>>>(in, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def tool(name):
    """What ./lab has found."""
    known = ROOT / ".asynclab/tools"
    found = re.search(rf"^{name}=(.*)$", known.read_text(), re.M) if known.exists() else None
    return found[1] if found else shutil.which(name)


def put(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.suffix == ".a" and source.read_bytes()[:7] == b"!<thin>":  # Meson makes those that it does not install so
        members = subprocess.run(["ar", "t", source], check=True, capture_output=True, text=True).stdout.split()
        subprocess.run(["ar", "rcs", target, *members], check=True, cwd=BUILD)
    elif not target.exists():
        try:
            os.link(source, target)
        except OSError:  # another file system
            shutil.copy2(source, target)


def install(site, scratch):
    native = ROOT / ".asynclab/native.ini"
    setup = [tool("meson"), "setup", scratch, ROOT, "-Dpackage=true", "-Dwerror=false", *(["--native-file", native] if native.exists() else [])]
    subprocess.run(setup, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "NINJA": tool("ninja") or "ninja"})
    plan = json.loads(subprocess.run([tool("meson"), "introspect", "--install-plan", scratch], check=True, capture_output=True).stdout)
    for kind, entries in plan.items():
        for source, entry in entries.items():
            place = re.sub(r"^\{py_(plat|pure)lib\}/", "", entry["destination"])
            put(BUILD / Path(source).relative_to(scratch) if kind == "targets" else Path(source), site / place)


def state_of(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


@unittest.skipUnless(tool("meson"), "Meson is not installed")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(dir=BUILD, prefix="installed-")  # where links to the build are possible
        cls.folder = Path(cls.temporary.name)
        cls.site, cls.home = cls.folder / "site", cls.folder / "home"
        cls.home.mkdir()
        install(cls.site, cls.folder / "scratch")
        cls.before = state_of(cls.site)
        (cls.home / "kernel.cu").write_text(WRONG)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def asynclab(self, *arguments, code=0, names_clone=False, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LAB_", "XDG_"))}
        done = subprocess.run([sys.executable, "-P", "-m", "asynclab", *arguments] if sys.version_info >= (3, 11) else [sys.executable, "-m", "asynclab", *arguments],
                              cwd=self.home, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**clean, "PYTHONPATH": str(self.site), "HOME": str(self.home), "LAB_LANG": "en", "LAB_DEVICE": "sim", **environment})
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, said)
        if not names_clone:
            self.assertNotRegex(said, r"\./lab\b(?!s)", f"asynclab {' '.join(arguments)}")
        return said

    def test_a_program(self):
        said = self.asynclab("run", "kernel.cu", code=3)
        self.assertIn("kernel.cu:6: error: missing-wait", said)
        self.assertIn("asynclab explain missing-wait", said)
        self.assertIn("asynclab explain missing-wait", self.asynclab("run", "kernel.cu", "--box", code=3, LAB_LANG="zh"))
        self.assertIn("asynclab: error: there is no file none.cu", self.asynclab("run", "none.cu", code=2))

    def test_a_lab_is_edited_in_the_users_own_folder(self):
        for language in ("en", "zh"):
            self.assertIn("asynclab reset", self.asynclab(LAB_LANG=language))
        self.asynclab("reset", "01")
        own = self.home / "asynclab/labs/01_synchronous_staging/kernel.cu"
        self.assertEqual(own.read_text(), (ROOT / "labs/01_synchronous_staging/kernel.cu").read_text())
        self.assertIn("again: asynclab check 01", self.asynclab("check", "01", code=1))
        drill = self.asynclab("drill", "02.1", code=1)
        self.assertIn("asynclab: a copy to work on: asynclab/labs/02_memcpy_async/drills/", drill)
        self.assertNotIn("site/asynclab/tree/labs", drill)
        own.write_text((ROOT / "solutions/01_synchronous_staging/kernel.cu").read_text())
        self.assertIn("asynclab break 01", self.asynclab("check", "01"))

    def test_what_prints(self):
        for language in ("en", "zh"):
            for command in (["help"], ["list"], ["explain"], ["explain", "missing-wait"], ["hint", "03"], ["quiz", "03", "--json"], ["run", "--help"],
                            ["check", "--help"], ["drill", "03", "--json"], ["solution", "03"], ["variant"], ["grade", "--help"]):
                self.asynclab(*command, LAB_LANG=language)
            self.asynclab("no-such-command", code=2, LAB_LANG=language)
        self.assertIn("等待", self.asynclab("explain", "missing-wait", LAB_LANG="zh"))
        self.assertIn("an installed package", self.asynclab("doctor"))

    def test_what_needs_a_clone_says_so(self):
        for command in ("test", "clean"):
            said = subprocess.run([sys.executable, "-m", "asynclab", command], cwd=self.home, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(self.site)})
            self.assertEqual((said.returncode, said.stderr.count("\n")), (2, 2), said.stderr)
        pages = re.search(r"in (\S+);", self.asynclab("docs", names_clone=True))[1]
        self.assertTrue((Path(pages) / "README.md").exists())

    def tearDown(self):
        self.assertEqual(state_of(self.site), self.before, "the package has changed")


unittest.main()
