"""./lab run --break, --core and --box."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = str(Path(sys.argv.pop(1)).resolve())
RIGHT = """#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cstdio>
__device__ float twice(float x) {
    return x + x;
}
__global__ void copy(const float* in, float* out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = twice(tile[threadIdx.x]);
}
int main() {
    float *in, *out, host[128];
    for (int i = 0; i < 128; ++i)
        host[i] = float(i);
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemcpy(in, host, 512, cudaMemcpyHostToDevice);
    copy<<<1, 128>>>(in, out);
    cudaMemcpy(host, out, 512, cudaMemcpyDeviceToHost);
    std::FILE* log = std::fopen("log.txt", "w");
    if (log)
        std::fclose(log);
    return host[5] != 10 ? 1 : log ? 0 : 7;
}
"""
WRONG = RIGHT.replace("    __pipeline_wait_prior(0);\n", "")


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "right.cu").write_text(RIGHT)
        (self.folder / "wrong.cu").write_text(WRONG)

    def lab(self, *arguments, code, commands="", folder=None, command="run"):
        done = subprocess.run([RUNNER, command, *arguments], cwd=folder or self.folder, input=commands, capture_output=True, text=True,
                              env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en", "LAB_DEVICE": "sim"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Debugger(Case):
    def test_it_stops_at_a_line(self):
        said = self.lab("right.cu", "--break", "right.cu:12", "--schedule", "lazy", code=0, commands="f\nw\nb\nr\np threadIdx.x * 2\nc\nq\n")
        self.assertIn("stop 1: right.cu:12, warp 0 of block 0, lanes 0-31", said)
        self.assertIn("12 |     out[threadIdx.x] = twice(tile[threadIdx.x]);", said)
        self.assertRegex(said, r"warp 1, lanes 0-31: right\.cu:\d+")
        self.assertRegex(said, r"threadIdx\.x \* 2 = 0 2 4 .* 62")
        self.assertIn("stop 2: right.cu:12, warp 1", said)
        self.assertNotIn("stop 3", said)

    def test_copies_are_in_flight_before_the_wait(self):
        said = self.lab("right.cu", "--break", "right.cu:10", "--schedule", "lazy", code=0, commands="f\nq\n")
        self.assertIn("warp 0: cp.async 1 to 1", said)
        self.assertIn("    nothing", self.lab("right.cu", "--break", "right.cu:12", "--schedule", "lazy", code=0, commands="f\nq\n"))

    def test_a_condition_chooses_threads(self):
        said = self.lab("right.cu", "--break", "right.cu:12", "--if", "threadIdx.x == 70 || threadIdx.x == 71", code=0, commands="n\nq\n")
        self.assertIn("stop 1: right.cu:12, warp 2 of block 0, lanes 6-7", said)
        self.assertIn("has not stopped: threads came to the line, but --if", self.lab("right.cu", "--break", "right.cu:12", "--if", "threadIdx.x > 500", code=0))
        self.assertIn("has not stopped: no thread came to right.cu:15", self.lab("right.cu", "--break", "right.cu:15", code=0))

    def test_a_line_of_an_inlined_function(self):
        self.assertIn("stop 1: ", self.lab("right.cu", "--break", "right.cu:5", code=0, commands="s\ns\nq\n"))

    def test_mistakes(self):
        for arguments, message in ((["--break", "12"], "takes a file and a line"), (["--break", "right.cu:12", "--if", "tile > 3"], "there is no tile"),
                                   (["--if", "lane == 3"], "--break")):
            self.assertIn(message, self.lab("right.cu", *arguments, code=2))


class Core(Case):
    def test_a_run_is_repeated_without_its_program(self):
        said = self.lab("wrong.cu", "--core", "run.core", code=3)
        self.assertIn("./lab run run.core repeats the run", said)
        with tempfile.TemporaryDirectory() as other:
            os.rename(self.folder / "run.core", Path(other) / "run.core")
            for file in self.folder.glob("*.cu"):
                file.unlink()
            said = self.lab("run.core", code=3, folder=other)
            self.assertIn("wrong.cu:11: error: missing-wait", said)
            self.assertIn("out[threadIdx.x] = twice(tile[threadIdx.x]);", said)  # the source is in the file
            self.lab("run.core", "--step", "page.json", code=3, folder=other)
            self.assertIn("run.core", self.lab("run.core", "--out", "steps.json", folder=other, code=0, command="step"))
            self.assertTrue(json.loads((Path(other) / "steps.json").read_text())["steps"])
            self.assertIn("--seed is for a lab", self.lab("run.core", "--seed", "2", folder=other, code=2, command="step"))
            self.assertIn("stop 1: wrong.cu:11", self.lab("run.core", "--break", "wrong.cu:11", code=3, folder=other, commands="q\n"))

    def test_nothing_is_kept_of_a_run_without_an_error(self):
        self.assertIn("no error was found", self.lab("right.cu", "--core", "run.core", code=0))
        self.assertFalse((self.folder / "run.core").exists())

    def test_a_launch_of_ptx(self):
        ptx = (ROOT / "tests/runner/ptx/double.ptx").read_text().replace("    cp.async.wait_group 0;\n", "")
        (self.folder / "double.ptx").write_text(ptx)
        (self.folder / "data.bin").write_bytes(bytes(1024))
        (self.folder / "launch.toml").write_text("""grid = 2
block = 128
arguments = [{ buffer = "in" }, { buffer = "out" }, { value = 2, type = "f32" }]
buffers = [{ name = "in", fill = { file = "data.bin" } }, { name = "out", count = 256, save = "out.bin" }]
""")
        self.lab("double.ptx", "--launch", "launch.toml", "--core", "run.core", code=3)
        for name in ("double.ptx", "data.bin", "launch.toml"):
            (self.folder / name).unlink()
        self.assertIn("error: missing-wait", self.lab("run.core", code=3))

    def test_mistakes(self):
        (self.folder / "no.core").write_text("something else")
        self.assertIn("no.core is damaged", self.lab("no.core", code=2))
        self.assertIn("ends in .core", self.lab("wrong.cu", "--core", "run.txt", code=2))
        self.assertIn("name only one", self.lab("wrong.cu", "right.cu", "--core", "run.core", code=2))


class Box(Case):
    def test_the_program_writes_nothing(self):
        self.lab("right.cu", code=0)
        (self.folder / "log.txt").unlink()
        if "no box" in (said := subprocess.run([RUNNER, "run", "right.cu", "--box"], cwd=self.folder, capture_output=True, text=True,
                                               env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_DEVICE": "sim"}).stderr):
            self.skipTest(said)
        self.lab("right.cu", "--box", code=7)
        self.assertFalse((self.folder / "log.txt").exists())
        self.assertRegex(self.lab("wrong.cu", "--box", code=3), re.escape("wrong.cu:11: error: missing-wait"))


unittest.main()
