"""The Python package: run, Kernel, the decorator and the pytest plugin, the server for agents, and the schema of the verdict.

What needs a package from PyPI is skipped where the environment of the tests (.asynclab/venv) has it not."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = str(Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""
VENV = ROOT / ".asynclab/venv/bin/python3"
if RUNNER and VENV.exists() and sys.prefix == sys.base_prefix:
    os.execv(VENV, [VENV, __file__, RUNNER])

PACKAGE = ROOT / "common/python"
os.environ |= {"LAB_RUNNER": RUNNER, "PYTHONPATH": str(PACKAGE), "LAB_ROOT": str(ROOT)}
sys.path.insert(0, str(PACKAGE))
import asynclab  # noqa: E402

has = {name: importlib.util.find_spec(name) is not None for name in ("numpy", "pytest", "mcp", "jsonschema", "torch", "triton")}
needs = lambda *names: unittest.skipUnless(all(has[name] for name in names), f"{', '.join(names)} is not installed")

RIGHT = """#include <cuda_pipeline.h>
__global__ void twice(const float* in, float* out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}
int main(int count, char**) {
    float *in, *out;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemset(in, 0, 512);
    twice<<<1, 128>>>(in, out);
    return cudaDeviceSynchronize() != cudaSuccess || count > 2;
}
"""
WRONG = RIGHT.replace("    __pipeline_wait_prior(0);\n", "")
TRITON = """import triton
import triton.language as tl

@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)
"""
PTX = (ROOT / "tests/runner/ptx/double.ptx").read_text()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def source(self, text, name="kernel.cu"):
        (self.folder / name).write_text(text)
        return self.folder / name


class Run(Case):
    def test_a_hazard_has_its_place(self):
        verdict = asynclab.run(self.source(WRONG))
        self.assertEqual(verdict.verdict, "hazard")
        (finding,) = verdict.errors
        self.assertEqual((finding.rule, finding.first.line, finding.others[0].line), ("missing-wait", 6, 4))
        self.assertIn("missing-wait", verdict.report)
        with self.assertRaisesRegex(asynclab.HazardError, "kernel.cu:6: error: missing-wait"):
            verdict.raise_for_hazards()

    def test_its_neighbour_passes(self):
        verdict = asynclab.run(self.source(RIGHT), "one", schedules=2)
        self.assertEqual((verdict.verdict, verdict.findings, verdict.exit_code), ("passed", (), 0))
        self.assertEqual(asynclab.run(self.source(RIGHT), "one", "two").verdict, "failed")

    def test_what_cannot_be_run_says_what_to_do(self):
        with self.assertRaisesRegex(asynclab.AsynclabError, "there is no file"):
            asynclab.run(self.folder / "none.cu")
        verdict = asynclab.run(self.source("int main() { return x; }\n"))
        self.assertEqual(verdict.verdict, "compile-error")

    def test_rules_are_explained(self):
        self.assertEqual(asynclab.explain("missing-wait")["name"], "missing-wait")
        self.assertGreater(len(asynclab.explain()), 50)
        with self.assertRaisesRegex(asynclab.AsynclabError, "no rule"):
            asynclab.explain("no-such-rule")

    @needs("jsonschema")
    def test_verdicts_follow_the_schema(self):
        import jsonschema

        schema = json.loads((PACKAGE / "asynclab/verdict.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for text in (WRONG, RIGHT, "int main() { return x; }\n"):
            jsonschema.validate(asynclab.run(self.source(text)).record, schema)


@needs("numpy")
class Kernels(Case):
    def launched(self, ptx, **options):
        import numpy

        self.numbers = numpy.arange(256, dtype=numpy.float32)
        self.result = numpy.zeros(256, numpy.float32)
        return asynclab.Kernel(ptx).launch(2, 128, [self.numbers, self.result, 2.0], **options)

    def test_arrays_come_back(self):
        done = self.launched(PTX)
        self.assertTrue(done.verdict.passed)
        self.assertTrue((done.arrays[1] == 2 * self.numbers).all() and done.arrays[2] is None and not self.result.any())
        self.launched(PTX, in_place=True)
        self.assertTrue((self.result == 2 * self.numbers).all())

    def test_a_hazard_is_found(self):
        done = self.launched(PTX.replace("    cp.async.wait_group 0;\n", ""))
        self.assertEqual([one.rule for one in done.findings], ["missing-wait"])

    def test_wrong_arguments_are_refused(self):
        import numpy

        kernel = asynclab.Kernel(self.source(PTX, "kernel.ptx"))
        with self.assertRaisesRegex(asynclab.AsynclabError, "3 parameters"):
            kernel.launch(2, 128, [self.result] if hasattr(self, "result") else [numpy.zeros(1)])
        with self.assertRaisesRegex(TypeError, "complex64"):
            kernel.launch(2, 128, [numpy.zeros(4, numpy.complex64), None, 2.0])

    def test_cuda_source(self):
        import numpy

        source = RIGHT.partition("int main")[0].replace("__global__", 'extern "C" __global__')
        numbers, result = numpy.arange(128, dtype=numpy.float32), numpy.zeros(128, numpy.float32)
        for text, rules in ((source, []), (source.replace("    __pipeline_wait_prior(0);\n", ""), ["missing-wait"])):
            done = asynclab.from_cuda(text, "twice").launch(1, 128, [numbers, result])
            self.assertEqual([one.rule for one in done.findings], rules)
        with self.assertRaisesRegex(asynclab.AsynclabError, "does not compile"):
            asynclab.from_cuda("__global__ void f() { x; }\n")

    @needs("triton")
    def test_a_function_of_triton(self):
        import importlib

        import numpy

        self.source(TRITON, "add_module.py")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        add = importlib.import_module("add_module").add
        a, b, c = numpy.arange(300, dtype=numpy.float32), numpy.ones(300, numpy.float32), numpy.zeros(300, numpy.float32)
        done = asynclab.launch_triton(add, lambda meta: (-(-300 // meta["BLOCK"]),), a, b, c, 300, BLOCK=128)
        self.assertTrue(done.verdict.passed, done.verdict.report)
        self.assertTrue((c == a + b).all())
        without_mask = asynclab.launch_triton(add, (3,), a, b, c, 384, BLOCK=128)
        self.assertEqual(without_mask.verdict.verdict, "hazard")

    @needs("torch")
    def test_cpu_tensors(self):
        import torch

        numbers, result = torch.arange(256, dtype=torch.float32), torch.zeros(256)
        asynclab.Kernel(PTX).launch(2, 128, [numbers, result, 2.0], in_place=True).raise_for_hazards()
        self.assertTrue(torch.equal(result, 2 * numbers))


class Tests(Case):
    def test_the_decorator(self):
        right, wrong = self.source(RIGHT), self.source(WRONG, "wrong.cu")
        asynclab.case(lambda: asynclab.run(right))()
        asynclab.case(lambda: asynclab.run(wrong), allow=["missing-wait"])()
        with self.assertRaises(asynclab.HazardError):
            asynclab.case(lambda: [asynclab.run(right), asynclab.run(wrong)])()
        with self.assertRaises(TypeError):
            asynclab.case(lambda: None)()

    @needs("pytest")
    def test_a_failed_test_shows_the_report(self):
        self.source(WRONG)
        self.source("import asynclab\n\n@asynclab.case\ndef test_kernel():\n    return asynclab.run('kernel.cu')\n", "test_kernel.py")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "asynclab.testing", "-p", "no:cacheprovider"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("wait for the copy", done.stdout.lower())
        self.assertIn("1 failed", done.stdout)


@needs("mcp")
class Agents(Case):
    def test_an_agent_repairs_a_kernel(self):
        import asyncio

        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        async def session():
            parameters = StdioServerParameters(command=sys.executable, args=["-m", "asynclab", "mcp"], env=dict(os.environ))
            async with stdio_client(parameters) as (reads, writes), ClientSession(reads, writes) as agent:
                await agent.initialize()

                async def ask(tool, **arguments):
                    return (await agent.call_tool(tool, arguments)).content[0].text

                found = json.loads(await ask("run", source=WRONG))
                steps = await ask("step", source=WRONG)
                rule = json.loads(await ask("explain", rule=found["findings"][0]["rule"]))
                allowed = [json.loads(await ask("litmus", threads=[f"st.weak.u32 [x], 1; st.{order}.gpu.u32 [f], 1;",
                                                                   "ld.acquire.gpu.u32 r0, [f]; setp.eq.u32 p, r0, 1; @p ld.weak.u32 r1, [x];"],
                                                outcome={"1:r0": 1, "1:r1": 0})) for order in ("release", "relaxed")]
                self.assertEqual([(one["allowed"], bool(one["races"])) for one in allowed], [(False, False), (True, True)])
                self.assertIn("not understood", await ask("litmus", threads=["wait"]))
                return found, steps, rule, json.loads(await ask("run", source=RIGHT)), await ask("explain", rule="no-such-rule")

        found, steps, rule, repaired, refused = asyncio.run(session())
        self.assertEqual((found["verdict"], found["findings"][0]["rule"]), ("hazard", "missing-wait"))
        self.assertIn("__pipeline_wait_prior", rule["changes"])
        self.assertIn('"barriers"', steps)
        self.assertEqual(repaired["verdict"], "passed")
        self.assertIn("no rule", refused)


unittest.main()
