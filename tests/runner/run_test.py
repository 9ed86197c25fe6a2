"""What `lab run` says, and the code it leaves with, for programs that go wrong in every usual way."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, NVCC, DROP_INS = Path(sys.argv.pop(1)), sys.argv.pop(1), Path(sys.argv.pop(1))
PROGRAMS = Path(__file__).resolve().parent / "programs"
FOLLOWS = PROGRAMS.parents[1] / "real/faults/09_stale_barrier_pointer.cu"
WARNS = PROGRAMS.parents[1] / "sim/hazards/wrong/refill_without_proxy_fence.cu"
HAZARD, NOT_SUPPORTED, INCOMPLETE, TIMEOUT = 3, 4, 6, 124


def run(file, *options):
    """Runs PROGRAMS/file (or an absolute path) and returns (exit code, stdout, stderr)."""
    done = subprocess.run([RUNNER, "run", PROGRAMS / file, *options], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


HOST_READS = """#include <cstdio>
int main() {
    int *pinned = nullptr, *device = nullptr;
    cudaMallocHost(&pinned, 4);
    cudaMalloc(&device, 4);
    cudaMemset(device, 0, 4);
    cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", *pinned);
}
"""


class HostCode(unittest.TestCase):
    def test_lines_of_the_host_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "host.cu"
            file.write_text(HOST_READS)
            code, _, said = run(file)
        self.assertEqual(code, HAZARD, said)
        self.assertIn("host.cu:8: error: host-read-before-sync", said)
        self.assertIn("7 |     cudaMemcpyAsync", said)


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

    def test_flags_may_stand_before_the_file(self):
        done = subprocess.run([RUNNER, "run", "--nvcc", "-DX", PROGRAMS / "race.cu", "--nvcc", "-DCORRECT"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "63\n"), done.stderr)

    def test_syntax_error_shows_the_compilers_words(self):
        self.expect(run("syntax_error.cu"), 2, 'identifier "undeclared" is undefined', "does not compile")

    def test_flag_that_nvcc_does_not_know(self):
        self.expect(run("no_kernel.cu", "--nvcc", "--no-such-flag"), 2, "no-such-flag", "does not compile")

    def test_compiler_out_of_time(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "large.cu"
            eight = "".join(f"#define A{i + 1} {' '.join([f'A{i}'] * 20)}\n" for i in range(7))
            source.write_text(f"#define A0 ;\n{eight}A7\nint main() {{}}\n")
            self.expect(run(source, "--compile-timeout", "1"), 2, "had not finished after 1 s of processor time\n",
                        "large.cu does not compile", "next: give the compiler more time with --compile-timeout")

    def test_standard_is_the_users_if_they_name_one(self):
        for flags, version in (((), 202002), (("--nvcc", "-std=c++17"), 201703), (("--nvcc", "--std c++17"), 201703)):
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "version.cu"
                source.write_text("#include <cstdio>\nint main() { std::printf(\"%ld\", __cplusplus); }\n")
                self.assertEqual(run(source, *flags), (0, str(version), ""), flags)

    def test_architecture_that_nvcc_does_not_know(self):
        self.expect(run("no_kernel.cu", "--arch", "compute_12345"), 2, "compute_12345")

    def test_architecture_is_that_which_has_the_instructions(self):
        relinquish = ("asm volatile(\"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\");",
                      "tcgen05.relinquish_alloc_permit")
        masked = ("asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], 0, %2;\" ::\"l\"(0ull), "
                  "\"r\"(0), \"h\"((short)1));", ".cp_mask")
        for line, needed in (relinquish, masked):
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "needs.cu"
                source.write_text(f"__global__ void k(int no) {{ if (no) {{ {line} }} }}\n"
                                  "int main() { k<<<1, 32>>>(0); return cudaDeviceSynchronize(); }\n")
                code, _, said = run(source)
                self.assertEqual((code, said.count("\n")), (0, 1), said)
                self.assertRegex(said, f"^lab: compiled with --arch compute_100a, which .*{needed}.* needs$")

    def test_program_without_kernel_just_runs(self):
        self.assertEqual(run("no_kernel.cu"), (0, "nothing for the device\n", ""))

    def test_host_segfault(self):
        self.expect(run("host_segfault.cu"), HAZARD, "host_segfault.cu:9: error: out-of-bounds", "SIGSEGV", "does the host touch device memory?")

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
        self.assertIn("09_stale_barrier_pointer.cu:67: error: missing-wait", short)
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


class OwnMemory(unittest.TestCase):
    """Mistakes that could end the device itself: each is reported at its line, and its neighbour is not."""

    def fault(self, name, code, *texts, correct="cudaSuccess\n"):
        got, out, errors = run("own_memory.cu", "--", name)
        self.assertEqual(got, code, errors)
        for text in texts:
            self.assertIn(text, out + errors)
        self.assertNotIn("bug in asynclab", errors)
        got, out, errors = run("own_memory.cu", "--", name, "correct")
        self.assertEqual((got, out), (0, correct), errors)
        self.assertNotIn(": error:", errors)

    def test_function_of_another_type(self):
        self.fault("call", INCOMPLETE, "own_memory.cu:22: the function called here, large, takes 4 bytes and returns 16384 bytes",
                   "passes what takes 4 bytes and returns 4 bytes", "cudaErrorIllegalInstruction\n")

    def test_positions_in_a_format_are_text(self):
        self.fault("printf", 0, "%2$d %9$llx %40$s|\n", correct="1 2|\ncudaSuccess\n")

    def test_tile_over_a_barrier(self):
        self.fault("barrier", HAZARD, "own_memory.cu:48: error: barrier-reinitialised", "51 | ")

    def test_memory_freed_under_a_copy(self):
        self.fault("free", HAZARD, "own_memory.cu:79: error: free-while-in-use")

    def test_two_places_of_the_host_on_one_line(self):
        self.fault("pinned", HAZARD, "own_memory.cu:94: error: host-write-before-sync", "94 |         cudaMemcpyAsync")


class Judged(unittest.TestCase):
    """The lists of executed and judged instructions, and the exit code that follows from them."""

    def judged(self, file, code, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run.json"
            got, _, errors = run(file, "--json", out, *options)
            self.assertEqual(got, code, errors)
            return json.loads(out.read_text()), errors

    def test_approximation_is_listed_and_fails_nothing(self):
        report, errors = self.judged("approximate.cu", 0)
        self.assertEqual((report["verdict"], report["incomplete"], errors), ("passed", [], ""))
        executed = report["executed"]
        places = {(place["what"], place["line"], place["judged"]) for place in executed["approximately"]}
        self.assertIn(("ex2.approx.f32", 6, True), places)
        self.assertIn(("mov.u64", 5, True), places)
        self.assertFalse(any(what.startswith("sin") for what, _, _ in places), places)
        self.assertGreater(executed["exactly"], 5)
        self.assertGreater(executed["not_reached"], 0)
        self.assertEqual(executed["not"], [])
        self.assertEqual(report["schedules"], {"run": 4, "of": 4})

    def test_unjudged_effect_is_incomplete_and_a_hint_is_not(self):
        report, errors = self.judged("discard.cu", INCOMPLETE)
        self.assertEqual((report["verdict"], report["exit_code"], report["findings"]), ("incomplete", 0, []))
        self.assertIn("discard.cu:8: discard.global.L2", report["incomplete"][0]["what"])
        self.assertIn("lab: incomplete: discard.cu:8", errors)
        self.assertIn("     next: ", errors)
        report, errors = self.judged("discard.cu", 0, "--nvcc", "-DCORRECT")
        self.assertEqual((report["verdict"], report["executed"]["approximately"], errors), ("passed", [], ""))

    def test_refused_function_is_incomplete(self):
        report, errors = self.judged("refused_function.cu", INCOMPLETE)
        self.assertEqual([place["what"] for place in report["executed"]["not"]], ["cudaMallocArray"])
        self.assertIn("lab: incomplete: refused_function.cu:10: cudaMallocArray is not part of", errors)
        self.assertEqual(self.judged("refused_function.cu", 0, "--", "correct")[0]["executed"]["not"], [])

    def test_program_that_waits_for_nothing_is_judged(self):
        def leaves(fault, code, *options):
            return self.judged("leaves_early.cu", code, *options, "--", str(fault))

        self.assertEqual(leaves(0, 0)[0]["verdict"], "passed")
        self.assertEqual(leaves(1, HAZARD)[0]["verdict"], "hazard")
        report, errors = leaves(2, TIMEOUT, "--timeout", "2")
        self.assertEqual(report["verdict"], "timeout")
        self.assertIn("ended without waiting for its kernels", errors)
        report, errors = leaves(3, INCOMPLETE)
        self.assertEqual(report["verdict"], "incomplete")
        self.assertIn(": trap", errors)
        report, _ = leaves(4, NOT_SUPPORTED)
        self.assertEqual((report["verdict"], report["executed"]["not"][0]["what"]), ("not-supported", "alloca.u32"))

    def test_schedules_that_were_not_run(self):
        slow = ("--", "3200000")
        report, errors = self.judged("slow.cu", 0, *slow)
        self.assertEqual((report["verdict"], report["schedules"]), ("passed", {"run": 1, "of": 4}))
        self.assertTrue(errors.endswith("lab: 1 of 4 schedules run, to save time (--schedules 4 runs all of them)\n"), errors)
        report, errors = self.judged("slow.cu", INCOMPLETE, "--strict", *slow)
        self.assertEqual(report["verdict"], "incomplete")
        self.assertIn("3 of 4 schedules were not run", errors)
        report, errors = self.judged("slow.cu", 0, "--strict", "--schedules", "1", *slow)
        self.assertEqual((report["verdict"], report["schedules"], errors), ("passed", {"run": 1, "of": 1}, ""))
        report, errors = self.judged("slow.cu", 0, "--strict", "--", "1")
        self.assertEqual((report["verdict"], report["schedules"], errors), ("passed", {"run": 4, "of": 4}, ""))

    def test_failure_under_a_further_schedule_is_told(self):
        self.assertEqual(run("depends_on_schedule.cu")[0], 0)
        code, _, errors = run("depends_on_schedule.cu", "--", "look")
        self.assertEqual(code, 9, errors)
        self.assertIn("under another schedule the program exits with 9: ", errors)
        self.assertIn("-- look", errors)

    def test_verdicts_of_programs_that_fail(self):
        report, _ = self.judged("exit_seven.cu", 7, "--nvcc", "-DX -DY")
        self.assertEqual((report["verdict"], report["exit_code"]), ("failed", 7))
        report, _ = self.judged("exit_seven.cu", 4, "--nvcc", "-DX -DY", "--", "a", "b")
        self.assertEqual((report["verdict"], report["exit_code"]), ("failed", 4))
        report, _ = self.judged("race.cu", HAZARD, "--nvcc", "-DX -DY")
        self.assertEqual(report["verdict"], "hazard")


unittest.main(verbosity=2)
