"""PTX from anywhere: launched as a file describes, and through the driver API by a program in another language."""

import json
import subprocess
import sys
import tempfile
import unittest
from array import array
from pathlib import Path

RUNNER, DROP_INS = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
FOLDER = Path(__file__).resolve().parent / "ptx"
PTX = (FOLDER / "double.ptx").read_text()
HAZARD, NOT_SUPPORTED, TIMEOUT = 3, 4, 124
LAUNCH = {"grid": "2", "block": "128", "buffers": """[
    { name = "in", count = 256, fill = "i" },
    { name = "out", count = 256, expect = "2 * in[i]" },
]""", "arguments": '[{ buffer = "in" }, { buffer = "out" }, { value = 2, type = "f32" }]'}


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def lab(self, *words):
        """(exit code, what --json says, stdout and stderr)."""
        out = self.folder / "out.json"
        done = subprocess.run([RUNNER, "run", "--json", out, *words], capture_output=True, text=True, timeout=120)
        report = json.loads(out.read_text()) if out.exists() else {}
        return done.returncode, report, done.stdout + done.stderr

    def launch(self, ptx=PTX, *options, **changes):
        (self.folder / "kernel.ptx").write_text(ptx)
        lines = [f"{key} = {value}" for key, value in (LAUNCH | changes).items() if value]
        (self.folder / "launch.toml").write_text("\n".join(lines) + "\n")
        return self.lab(self.folder / "kernel.ptx", "--launch", self.folder / "launch.toml", *options)


class Launches(Case):
    def test_result_is_compared_and_shown(self):
        code, report, said = self.lab(FOLDER / "double.ptx", "--launch", FOLDER / "double.toml")
        self.assertEqual((code, report["verdict"]), (0, "passed"), said)
        self.assertEqual(report["compared"], [{"buffer": "out", "wrong": 0, "of": 256}])
        self.assertIn("out = 0 2 4 6 …\n", said)
        # 19 instructions of 256 threads, in four schedules.
        self.assertEqual((report["schedules"]["run"], report["thread_instructions"]), (4, 4 * 19 * 256))

    def test_wrong_result_fails_without_a_finding(self):
        code, report, said = self.launch(arguments=LAUNCH["arguments"].replace("value = 2", "value = 3"))
        self.assertEqual((code, report["verdict"], report["findings"]), (1, "failed", []), said)
        self.assertIn("lab: out[1] is 3, and 2 was expected; 255 of 256 elements are wrong", said)

    def test_missing_wait_is_named_at_its_line_of_the_ptx(self):
        code, report, said = self.launch(PTX.replace("    cp.async.wait_group 0;\n", ""))
        (finding,) = report["findings"]
        self.assertEqual((code, finding["rule"]), (HAZARD, "missing-wait"), said)
        self.assertEqual((finding["first"]["line"], finding["others"][0]["line"]), (27, 25))
        self.assertIn("kernel.ptx:27: error: missing-wait\n    27 |     ld.shared.f32 %f1, [%r4];", said)

    def test_line_information_names_the_compilers_source(self):
        source = self.folder / "double.py"
        source.write_text("copy\nread\n")
        text = PTX.replace("    cp.async.wait_group 0;\n", "").replace("    cp.async.ca", "    .loc 1 1 3\n    cp.async.ca")
        text = text.replace("    ld.shared", "    .loc 1 2 3\n    ld.shared").replace(".address_size 64", f'.address_size 64\n.file 1 "{source}"')
        code, report, said = self.launch(text)
        self.assertEqual((code, report["findings"][0]["first"]["line"]), (HAZARD, 2), said)
        self.assertIn("double.py:2: error: missing-wait\n     2 | read\n", said)

    def test_several_launches_run_in_a_row(self):
        def launches(second):
            return f"""[
    {{ }},
    {{ grid = 1, arguments = [{{ buffer = "{second}" }}, {{ buffer = "last" }}, {{ value = 2, type = "f32" }}] }},
]"""
        buffers = LAUNCH["buffers"].replace("\n]", '\n    { name = "last", count = 128, expect = "4 * in[i]" },\n]')
        self.assertEqual(self.launch(launches=launches("out"), buffers=buffers)[0], 0)
        self.assertEqual(self.launch(launches=launches("in"), buffers=buffers)[0], 1)

    def test_buffers_from_lists_files_and_random_numbers(self):
        (self.folder / "expected.bin").write_bytes(array("f", [2.0 * i for i in range(256)]).tobytes())
        files = '[{ name = "in", count = 256, fill = "i" }, { name = "out", expect = { file = "expected.bin" }, save = "out.npy" }]'
        self.assertEqual(self.launch(buffers=files)[0], 0)
        self.assertTrue((self.folder / "out.npy").read_bytes().startswith(b"\x93NUMPY"))
        again = files.replace('fill = "i"', 'fill = "i / 2"').replace('"expected.bin"', '"out.npy"').replace(', save = "out.npy"', "")
        self.assertEqual(self.launch(buffers=again, arguments=LAUNCH["arguments"].replace("value = 2", "value = 4"))[0], 0)
        numbers = f'[{{ name = "in", fill = {[float(i) for i in range(256)]} }}, {{ name = "out", count = 256, expect = "2 * i" }}]'
        self.assertEqual(self.launch(buffers=numbers)[0], 0)
        drawn = LAUNCH["buffers"].replace('fill = "i"', 'fill = "random(7, i)"')
        self.assertEqual(self.launch(buffers=drawn)[0], 0)
        self.assertEqual(self.launch(buffers=drawn.replace("2 * in[i]", "2 * random(8, i)"))[0], 1)

    def test_mistakes_are_named_by_their_line(self):
        for change, line, said in (({"grid": '"blocks"'}, 1, "know no blocks"), ({"block": "[1, 2, 3, 4]"}, 2, "one to three"),
                                   ({"grid": "0"}, 1, "whole number from 1"), ({"bock": "3"}, 8, 'no key "bock"'),
                                   ({"buffers": LAUNCH["buffers"].replace("expect", "expct")}, 5, "the keys are name, type"),
                                   ({"buffers": LAUNCH["buffers"].replace("2 *", "2 * *")}, 5, "is missing before"),
                                   ({"buffers": LAUNCH["buffers"].replace('"i"', "[1, 2]")}, 4, "2 elements are given here"),
                                   ({"arguments": '[{ buffer = "in" }]'}, 7, "has 3 parameters"),
                                   ({"arguments": LAUNCH["arguments"].replace("f32", "f64")}, 7, "has 4 bytes, and its argument 8"),
                                   ({"kernel": '"thrice"'}, 8, "one of its kernels: twice"), ({"grid": "[1,"}, 2, "parsing value")):
            code, report, text = self.launch(**change)
            self.assertEqual((code, report["verdict"]), (2, "not-run"), (change, text))
            self.assertIn(f"launch.toml:{line}: ", text, change)
            self.assertIn(said, text, change)

    def test_formulas_that_are_too_much(self):
        def filled(formula):
            return {"buffers": LAUNCH["buffers"].replace('"i"', f'"{formula}"').replace('"2 * in[i]"', '""')}

        for formula in ("(0 - 9223372036854775808) % (0 - 1)", "sum(k, 100000000000000000, 100000000000000064, 1)",
                        "0 / 0 | 1e300", "-" * 9000 + "1"):
            code, _, text = self.launch(**filled(formula))
            self.assertEqual(code, 0, (formula[:80], text))
        for formula, said in (("-" * 100000 + "1", "has 100001 characters"), ("1" + "+1" * 100000, "has 200001 characters"),
                              ("sum(j, 0, 10000, sum(k, 0, 10000, 1))", "more than a million terms"),
                              ("sum(k, 0, 2000000, 1)", "more than a million terms")):
            code, _, text = self.launch(**filled(formula))
            self.assertEqual(code, 2, (formula[:80], text[:300]))
            self.assertIn("launch.toml:4: ", text)
            self.assertIn(said, text)
        for change, line, said in (({"block": "[65536, 16777216, 16777216]"}, 2, "whole number from 1 to 65535"),
                                   ({"buffers": '[{ name = "in", fill = [] }]'}, 3, "the buffer has no elements")):
            code, _, text = self.launch(**change)
            self.assertEqual(code, 2, (change, text))
            self.assertIn(f"launch.toml:{line}: ", text)
            self.assertIn(said, text)

    def test_mistakes_in_the_ptx_and_without_a_description(self):
        code, _, said = self.launch(PTX.replace("add.u32 %r4, %r5", "add.u32 %r4, %r99"))
        self.assertEqual(code, NOT_SUPPORTED, said)
        self.assertIn("kernel.ptx:24: unknown name '%r99'", said)
        code, _, said = self.lab(FOLDER / "double.ptx")
        self.assertEqual(code, 2, said)
        self.assertIn("--launch FILE.toml", said)
        (self.folder / "launch.toml").write_text(said.split("for example,\n\n")[1])
        code, report, said = self.lab(FOLDER / "double.ptx", "--launch", self.folder / "launch.toml")
        self.assertEqual((code, report["verdict"]), (0, "passed"), said)

    def test_kernel_that_does_not_end(self):
        text = PTX.replace("    ret;", "    again: add.u32 %r1, %r1, 1;\n    bra again;")
        self.assertEqual(self.launch(text)[0], HAZARD)  # it can never end
        text = PTX.replace("    ret;", "    again: add.u32 %r1, %r1, 1;\n    st.global.u32 [%rd5], %r1;\n    bra again;")
        code, report, said = self.launch(text, "--timeout", "1")
        self.assertEqual((code, report["verdict"]), (TIMEOUT, "timeout"), said)
        self.assertIn("a kernel was still running after 1 s", said)


class Driver(Case):
    def drive(self, how="plain", ptx=PTX):
        (self.folder / "kernel.ptx").write_text(ptx)
        return self.lab("--", sys.executable, FOLDER / "driver.py", DROP_INS / "libcuda.so.1", self.folder / "kernel.ptx", how)

    def test_modules_and_libraries_run(self):
        for how in ("plain", "library", "extra"):
            code, report, said = self.drive(how)
            self.assertEqual((code, report["verdict"]), (0, "passed"), said)
            self.assertIn("6.0 510.0\n", said)

    def test_missing_wait_is_named(self):
        code, report, said = self.drive(ptx=PTX.replace("    cp.async.wait_group 0;\n", ""))
        self.assertEqual((code, report["findings"][0]["rule"]), (HAZARD, "missing-wait"), said)

    def test_what_cannot_be_loaded_is_said(self):
        for how, error, why in (("cubin", "200 (CUDA_ERROR_INVALID_IMAGE)", "this image is machine code (a cubin)"),
                                ("name", "500 (CUDA_ERROR_NOT_FOUND)", "has no kernel once")):
            code, report, said = self.drive(how)
            self.assertEqual((code, report["verdict"]), (1, "failed"), said)
            self.assertIn(f": {error}", said)
            self.assertIn(why, said)
        code, _, said = self.drive(ptx=PTX.replace("add.u32 %r4, %r5", "add.u32 %r4, %r99"))
        self.assertEqual(code, 1, said)
        self.assertIn("unknown name '%r99'", said)
        self.assertIn("218 (CUDA_ERROR_INVALID_PTX)", said)

    def test_both_apis_in_one_program(self):
        code, _, said = self.lab(FOLDER / "both_apis.cu", "--", FOLDER / "double.ptx")
        self.assertEqual((code, said), (0, "510\n"))

    def test_two_libraries_in_one_process_are_refused(self):
        loads = f"""
import ctypes
pointer = ctypes.c_void_p()
print(ctypes.CDLL("{DROP_INS}/libcuda.so.1").cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4)), flush=True)
print(ctypes.CDLL("{DROP_INS}/libcudart.so.13").cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4)), flush=True)
"""
        code, report, said = self.lab("--", sys.executable, "-c", loads)
        self.assertEqual((code, report["verdict"]), (NOT_SUPPORTED, "not-supported"), said)
        self.assertTrue(said.startswith("0\n"), said)
        self.assertIn("another CUDA library of this process", said)

    def test_command_that_does_not_exist(self):
        code, _, said = self.lab("--", "no-such-program")
        self.assertEqual(code, 2)
        self.assertIn("there is no program no-such-program in PATH", said)


unittest.main(verbosity=2)
