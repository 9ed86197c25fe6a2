"""What `lab run` says, and the code it leaves with, for programs that go wrong in every usual way."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, NVCC, DROP_INS = Path(sys.argv.pop(1)), sys.argv.pop(1), Path(sys.argv.pop(1))
PROGRAMS = Path(__file__).resolve().parent / "programs"
FOLLOWS = PROGRAMS.parents[1] / "real/09_stale_barrier_pointer/fault.cu"
WARNS = PROGRAMS.parents[1] / "sim/hazards/wrong/refill_without_proxy_fence.cu"
HAZARD, NOT_SUPPORTED, TIMEOUT = 3, 4, 124


def run(file, *options):
    """Runs PROGRAMS/file (or an absolute path) and returns (exit code, stdout, stderr)."""
    done = subprocess.run([RUNNER, "run", PROGRAMS / file, *options], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class BadInput(unittest.TestCase):
    def expect(self, result, code, *texts):
        self.assertEqual(result[0], code, result)
        for text in texts:
            self.assertIn(text, result[2])

    def test_missing_file(self):
        self.expect(run("no_such.cu"), 2, "there is no file", "next: check the path")

    def test_folder(self):
        self.expect(run("."), 2, "is not a file")

    def test_no_file_named(self):
        done = subprocess.run([RUNNER, "run"], capture_output=True, text=True)
        self.expect((done.returncode, "", done.stderr), 2, "FILE is required", "./lab run --help")

    def test_syntax_error_shows_the_compilers_words(self):
        self.expect(run("syntax_error.cu"), 2, 'identifier "undeclared" is undefined', "does not compile")

    def test_flag_that_nvcc_does_not_know(self):
        self.expect(run("no_kernel.cu", "--nvcc", "--no-such-flag"), 2, "no-such-flag", "does not compile")

    def test_architecture_that_nvcc_does_not_know(self):
        self.expect(run("no_kernel.cu", "--arch", "compute_12345"), 2, "compute_12345")

    def test_program_without_kernel_just_runs(self):
        self.assertEqual(run("no_kernel.cu"), (0, "nothing for the device\n", ""))

    def test_host_segfault(self):
        self.expect(run("host_segfault.cu"), 128 + 11, "SIGSEGV", "does the host touch device memory?")

    def test_endless_kernel_is_recognised(self):
        code, _, text = run("endless_kernel.cu")
        self.assertEqual(code, HAZARD, text)
        self.assertIn("endless_kernel.cu:2: error: deadlock", text)

    def test_kernel_out_of_time_says_where_it_is(self):
        self.expect(run("counting_kernel.cu", "--timeout", "1"), TIMEOUT, "a kernel was still running after 1 s",
                    "counting_kernel.cu:", "--timeout gives it more time")

    def test_endless_host_loop(self):
        self.expect(run("endless_host.cu", "--timeout", "0.5"), TIMEOUT, "host code was still running after 0.5 s")

    def test_large_allocation_costs_what_is_touched(self):
        self.assertEqual(run("large_allocation.cu"), (0, "1 2\n", ""))

    def test_division_by_zero_is_no_trap(self):
        self.assertEqual(run("division_by_zero.cu"), (0, "ffffffff\n", ""))

    def test_exit_code_and_arguments_are_the_programs(self):
        self.assertEqual(run("exit_seven.cu", "--nvcc", "-DX -DY", "--", "-h", "--json", "a b"), (7, "[-h][--json][a b]", ""))

    def test_arguments_without_dashes_are_explained(self):
        self.expect(run("exit_seven.cu", "hello"), 2, "hello")


class Built(unittest.TestCase):
    """Programs that the user has built."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.program = Path(self.folder.name) / "program"

    def tearDown(self):
        self.folder.cleanup()

    def build(self, *target, runtime=None):
        """A program for `target`, linked with the shared runtime, or by nvcc with the one named."""
        source, made = PROGRAMS / "large_allocation.cu", Path(self.folder.name) / "program.o"
        if runtime:
            linked = subprocess.run([NVCC, *target, "-cudart", runtime, "-o", self.program, source], capture_output=True)
            if linked.returncode:
                self.skipTest("this toolkit compiles only: it cannot link programs")
            return
        subprocess.run([NVCC, *target, "-c", "-o", made, source], check=True, capture_output=True)
        version = subprocess.run([NVCC, "--version"], capture_output=True, text=True).stdout
        shared = DROP_INS / ("libcudart.so.12" if "release 12" in version else "libcudart.so.13")
        subprocess.run(["c++", made, shared, "-o", self.program], check=True, capture_output=True)

    def test_with_shared_runtime_runs(self):
        self.build("-gencode", "arch=compute_90,code=compute_90")
        self.assertEqual(run(self.program), (0, "1 2\n", ""))

    def test_with_static_runtime_is_refused(self):
        self.build("-gencode", "arch=compute_90,code=compute_90", runtime="static")
        code, _, text = run(self.program)
        self.assertEqual(code, NOT_SUPPORTED)
        self.assertIn("-cudart shared", text)

    def test_without_ptx_is_refused(self):
        self.build("-gencode", "arch=compute_80,code=sm_80")
        code, _, text = run(self.program)
        self.assertEqual(code, NOT_SUPPORTED, text)
        self.assertIn("code=compute_", text)


class Findings(unittest.TestCase):
    def test_race_is_reported_and_in_the_json(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "findings.json"
            code, text, errors = run("race.cu", "--json", out, "--sms", "2", "--nvcc", "-DX -DY", "--", "an argument")
            self.assertEqual(code, HAZARD, errors)
            self.assertIn("race.cu --sms 2 --nvcc '-DX -DY' --schedule lazy --seed 1 -- 'an argument'", errors)
            self.assertIn("race.cu:9: error: read-after-write-race", errors)
            (finding,) = json.loads(out.read_text())["findings"]
        self.assertEqual((finding["rule"], finding["first"]["line"], finding["others"][0]["line"]),
                         ("read-after-write-race", 9, 5))

    def test_barrier_makes_it_clean(self):
        self.assertEqual(run("race.cu", "--nvcc", "-DCORRECT"), (0, "63\n", ""))

    def test_consequences_are_told_in_a_line(self):
        errors = []
        for options in ((), ("--all",)):
            done = subprocess.run([RUNNER, "run", FOLLOWS, *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, HAZARD, done)
            errors.append(done.stderr)
        short, whole = errors
        self.assertIn("fault.cu:68: error: missing-wait", short)
        self.assertIn("probably a consequence: overlapping-copies (line 81)", short)
        self.assertNotIn("probably a consequence", whole)
        self.assertLess(short.count(": error:"), whole.count(": error:"))

    def test_warning_fails_a_strict_run_only(self):
        for options, code, severity in (((), 0, "warning"), (("--strict",), HAZARD, "error")):
            done = subprocess.run([RUNNER, "run", WARNS, "--json", "-", *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done)
            (finding,) = json.loads(done.stdout)["findings"]
            self.assertEqual((finding["rule"], finding["severity"]), ("missing-proxy-fence", severity))
            self.assertIn(f": {severity}: missing-proxy-fence", done.stderr)

    def test_json_alone_on_stdout(self):
        done = subprocess.run([RUNNER, "run", PROGRAMS / "race.cu", "--json", "-"], capture_output=True, text=True)
        self.assertEqual(done.returncode, HAZARD)
        self.assertIn('"findings"', done.stdout)


unittest.main(verbosity=2)
