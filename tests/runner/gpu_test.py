"""What needs a GPU, where there is none; and what of it needs none: the timing model and sass."""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1))
os.environ["LAB_RUNNER"] = str(RUNNER)
sys.path.append(str(ROOT / "tests/labs"))
import corpus  # noqa: E402
import lab_versions  # noqa: E402
import rotation  # noqa: E402
import speeds  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"
NO_GPU = 5
BENCHED = sorted(path.parent.name[:2] for path in ROOT.glob("labs/*/check.cpp") if "\nLAB_BENCH {" in path.read_text())
SYNCHRONOUS = sorted(path.parent.name[:2] for path in ROOT.glob("solutions/*/synchronous.cu"))


def lab(*arguments, **environment):
    done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "LAB_ROOT": str(ROOT), **environment})
    return done.returncode, done.stdout, done.stderr


def prepared(number):
    """An environment in which the lab's versions are compiled already."""
    return corpus.prepared(next((ROOT / "solutions").glob(number + "_*")).name)


def there_is_a_gpu():
    return lab("check", "03", "--device", "gpu", "--file", "/dev/null")[0] != NO_GPU


class WithoutAGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if there_is_a_gpu():
            raise unittest.SkipTest("there is a GPU here: what commands say without one is not tested")

    def refused(self, *arguments, **environment):
        code, out, err = lab(*arguments, **environment)
        self.assertEqual((code, out), (NO_GPU, ""), err)
        self.assertEqual(err.count("\n"), 2, err)
        self.assertIn("there is no GPU here: ", err)
        self.assertIn("next: ", err)

    def test_check(self):
        self.refused("check", "03", "--device", "gpu")
        self.refused("check", "03", "--device", "both")
        self.refused("check", "03", LAB_DEVICE="gpu")

    def test_run(self):
        self.refused("run", PROGRAMS / "no_kernel.cu", "--device", "gpu")

    def test_bench(self):
        self.refused("bench")
        self.refused("bench", "05", "--json", "-")
        self.refused("bench", "model")

    def test_sanitize(self):
        self.refused("run", PROGRAMS / "no_kernel.cu", "--sanitize")

    def test_a_check_says_that_the_tools_were_not_run(self):
        code, out, err = lab("check", "01", "--solutions", "--schedules", "1", "--sanitize")
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn("compute-sanitizer was not run: there is no GPU here", out)
        code, out, _ = lab("check", "01", "--solutions", "--schedules", "1", "--sanitize", "--json", "-")
        self.assertIn("there is no GPU", json.loads(out)[0]["compute_sanitizer"]["not_run"])

    def test_run_falls_back_to_the_simulated_device(self):
        self.assertEqual(lab("run", PROGRAMS / "no_kernel.cu"), (0, "nothing for the device\n", ""))


class WithAGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not there_is_a_gpu():
            raise unittest.SkipTest("there is no GPU here: what compute-sanitizer's tools say is not tested")

    def tools(self, file):
        code, out, err = lab("check", "01", "--device", "gpu", "--sanitize", "--json", "-", "--file", file)
        tools = json.loads(out)[0]["compute_sanitizer"]
        if "not_run" in tools:
            self.skipTest(tools["not_run"])
        return {tool["tool"]: tool["findings"] for tool in tools}

    def test_racecheck_names_the_missing_barrier(self):
        file = lab_versions.file("01", "wrong/no_barrier_after_staging")
        self.assertIn(file.name, " ".join(one["place"] for one in self.tools(file)["racecheck"]))

    def test_the_tools_find_nothing_in_the_solution(self):
        found = self.tools(ROOT / "solutions/01_synchronous_staging/kernel.cu")
        self.assertEqual(found, {tool: [] for tool in ("racecheck", "memcheck", "initcheck", "synccheck")})

    def test_blocks_have_as_many_tiles_as_on_the_simulated_device(self):
        file = lab_versions.file("10", "wrong/empty_never_arrived_at") # shows from the second lap on
        out = lab("check", "10", "--device", "gpu", "--timeout", "3", "--json", "-", "--file", file)[1]
        self.assertIn("timeout", {case["verdict"] for case in json.loads(out)[0]["cases"]})


class BadInput(unittest.TestCase):
    def refused(self, arguments, *texts):
        code, _, err = lab(*arguments)
        self.assertEqual(code, 2, err)
        for text in texts:
            self.assertIn(text, err)

    def test_unknown_device(self):
        self.refused(["check", "03", "--device", "cpu"], "--device", "./lab check --help")

    def test_options_of_the_simulated_device(self):
        self.refused(["run", PROGRAMS / "no_kernel.cu", "--device", "gpu", "--schedule", "eager"], "--schedule",
                     "--device sim")

    def test_bench_of_a_lab_without_measurements(self):
        self.refused(["bench", "00"], "nothing to measure")

    def test_bench_of_no_lab(self):
        self.refused(["bench", "pipelin"], "")

    def test_bench_of_a_file_needs_its_lab(self):
        self.refused(["bench", "--file", "kernel.cu"], "--file needs the lab")
        self.refused(["bench", "03", "--file", "no_such.cu"], "there is no file")

    def test_models_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, what in (("{", "is not a file of the timing model"), ("{}", "is not a file of the timing model"),
                               ('{"model": {"latencies": 1}}', "no parameter 'latencies'"),
                               ('{"model": {"latency": "long"}}', "'latency' must be a whole number")):
                file = Path(folder) / "model.json"
                file.write_text(text)
                self.refused(["bench", "03", "--device", "sim", "--model", file], what)
        self.refused(["trace", "03", "--model", "no_such"], "there is no model no_such")

    def test_the_published_model_is_complete_and_names_its_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.json"
            file.write_text('{"model": {"none": 1}}')
            parameters = set(re.findall(r"\w+", lab("trace", "03", "--model", file)[2].partition("the parameters are")[2]))
        self.assertIn("tensor_latency", parameters)
        kept = json.loads((ROOT / "common/runner/bench/models/b200.json").read_text())
        self.assertEqual(set(kept["model"]), parameters)
        self.assertEqual(set(kept["from"]), parameters)
        page = (ROOT / "docs/timeline.md").read_text()
        for name, (source, _) in kept["from"].items():
            self.assertIn(source, kept["sources"])
            self.assertIn(f"| `{name}` | {kept['model'][name]} | {source} |", page)

    def test_too_many_blocks(self):
        self.refused(["bench", "03", "--blocks-per-sm", "99"], "--blocks-per-sm")


class Model(unittest.TestCase):
    def test_each_lab_that_is_measured_runs_and_its_numbers_have_a_shape(self):
        for number in BENCHED:
            if number != "10" and not rotation.is_due(f"bench {number}", 4):
                continue
            with self.subTest(number):
                # All variants of a lab take the same way; those of lab 10 are all run.
                few = () if number == "10" else ("--variants", "1")
                code, out, err = lab("bench", number, "--device", "sim", "--json", "-", *few, **prepared(number))
                self.assertEqual(code, 0, err)
                (bench,) = json.loads(out)["labs"]
                self.assertEqual((bench["points"], bench["possible"]), (0, 0))  # for results of a GPU only
                references = [row for row in bench["results"] if row["version"] == "reference"]
                self.assertTrue(references)
                for row in references:
                    self.assertNotIn("problem", row)
                    self.assertEqual(row["blocks_per_sm"], 1)
                    self.assertEqual(row["modelled_speedup"] is not None, number in SYNCHRONOUS, row)

    def speedups(self, *options):
        code, out, err = lab("bench", "10", "--device", "sim", "--json", "-", *options, **prepared("10"))
        self.assertEqual(code, 0, err)
        return [row["modelled_speedup"] for row in json.loads(out)["labs"][0]["results"] if row["version"] == "reference"]

    def test_the_default_is_the_h100s_model(self):
        self.assertEqual(self.speedups("--model", "h100"), self.speedups())

    def test_the_record_is_what_the_model_says(self):
        recorded = [speedup for (name, _), speedup in speeds.modelled("H100").items() if name.startswith("10")]
        self.assertEqual(len(recorded), 3)
        for says, was in zip(self.speedups(), recorded):
            self.assertAlmostEqual(says, was, delta=0.1 * was, msg="tests/labs/speeds.py --model   records it anew")

    def test_deep_rings_gain_more_from_the_h200s_bandwidth(self):
        self.assertGreater(max(self.speedups("--model", "h200")), max(self.speedups()))

    def test_it_can_be_measured_where_it_can_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.json"
            code, out, err = lab("bench", "model", "--device", "sim", "--json", file)
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"a load from memory +\d.* latency +674")
            names = set(json.loads(file.read_text())["model"])
            self.assertLessEqual({"latency", "shared", "mbarrier", "barrier", "copy_issue"}, names)
            self.assertEqual(len(self.speedups("--model", file)), 3)  # its file can be used

    def test_a_wrong_kernel_is_not_measured_but_named(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "broken.cu"
            broken.write_text("this is no kernel\n")
            code, out, err = lab("bench", "03", "--device", "sim", "--file", broken)
        self.assertEqual(code, 0, err)
        self.assertIn("does not compile", out)
        self.assertIn("reference", out)

    def test_several_files_have_a_row_each(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("one.cu", "other.cu")]
            for file in files:
                file.write_text("this is no kernel\n")
            named = [word for file in files for word in ("--file", file)]
            code, out, err = lab("bench", "03", "--device", "sim", "--json", "-", *named)
        self.assertEqual(code, 0, err)
        versions = [row["version"] for row in json.loads(out)["labs"][0]["results"]]
        self.assertEqual(versions[-3:], [*map(str, files), "reference"])


# What nvdisasm prints, as far as it is read: two kernels, a line of the file inlined into another one, a header.
DISASSEMBLY = """
.text._Z4copyPi:
	//## File "@FILE@", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/usr/include/cuda/header.h", line 7 inlined at "@FILE@", line 3
	//## File "@FILE@", line 3 inlined at "@FILE@", line 9
	//## File "@FILE@", line 9
        /*0010*/              @!P0 LDGSTS.E.BYPASS.128 [R2], desc[UR4][R4.64] ;
        /*0020*/                   LDGSTS.E.BYPASS.128 [R2], desc[UR4][R6.64] ;
	//## File "@FILE@", line 4
        /*0030*/                   LDGDEPBAR ;
        /*0040*/                   DEPBAR.LE SB0, 0x1 ;
.text.other:
	//## File "@FILE@", line 2
        /*0000*/                   UBLKCP.S.G [UR10], [UR6], UR9 ;
"""


class Sass(unittest.TestCase):
    def sass(self, *arguments, text=DISASSEMBLY):
        with tempfile.TemporaryDirectory() as folder:
            file = next(ROOT.glob("solutions/03_*/kernel.cu"))
            tool = Path(folder) / "nvdisasm"
            (Path(folder) / "text").write_text(text.replace("@FILE@", str(file.resolve())))
            tool.write_text(f"#!/bin/sh\ncat {folder}/text\n")
            tool.chmod(tool.stat().st_mode | stat.S_IEXEC)
            return lab("sass", "03", "--solutions", *arguments, PATH=f"{folder}:{os.environ['PATH']}")

    def setUp(self):
        if lab("sass", "03", "--solutions", PATH="/usr/bin:/bin")[0] == 0:
            self.skipTest("nvdisasm lies beside nvcc, where no other takes its place")

    def test_lines_and_counts(self):
        code, out, err = self.sass("--json", "-")
        self.assertEqual(code, 0, err)
        self.assertEqual([(row["kernel"], row["line"], row["instruction"], row["count"]) for row in json.loads(out)["lines"]],
                         [("copy", 3, "LDGSTS.E.BYPASS.128", 2), ("copy", 4, "LDGDEPBAR", 1), ("copy", 4, "DEPBAR.LE SB0", 1),
                          ("other", 2, "UBLKCP.S.G", 1)])

    def test_text_has_the_source_line_and_what_it_means(self):
        code, out, err = self.sass()
        self.assertEqual(code, 0, err)
        self.assertIn("LDGSTS.E.BYPASS.128 × 2", out)
        self.assertIn("cp.async.wait_group", out)
        self.assertIn("// out[i] = in[i + 1] - in[i]", out)
        self.assertNotIn("LDC", out)
        self.assertIn("LDC", self.sass("--all")[1])

    def test_nothing_asynchronous(self):
        self.assertIn("--all", self.sass(text=".text.k:\n        /*0000*/                   EXIT ;\n")[1])

    def test_absent(self):
        code, out, err = lab("sass", "03", "--solutions", PATH="/usr/bin:/bin")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("nvdisasm is missing", err)
        self.assertIn("pip install", err)

    def test_unknown_target(self):
        code, _, err = lab("sass", "03", "--arch", "compute_75")
        self.assertEqual(code, 2)
        self.assertIn("compute_80 compute_90", err)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    bad = len(result.failures) + len(result.errors)
    for _, why in result.skipped:
        print(f"skipped: {why}")
    print(f"test cases: {result.testsRun} | {result.testsRun - bad} passed | {bad} failed | {len(result.skipped)} skipped")
    sys.exit(bool(bad))
