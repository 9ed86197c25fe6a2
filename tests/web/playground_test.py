"""The playground's kernels, what their switches show, and the device that runs them: natively and as WebAssembly.

The WebAssembly is not built here, because Emscripten takes 700 MB: common/web/wasm.py or ./lab docs builds it."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "common/web"
sys.path.insert(0, str(WEB))
sys.path[1:1] = [str(ROOT / "common/setup"), str(ROOT / "common/drawing"), str(ROOT / "tests/docs")]
import browser  # noqa: E402
import docs_site  # noqa: E402
import embed  # noqa: E402
import variants  # noqa: E402

PROGRAM, RUNNER = sys.argv[1:3]
WASM = ROOT / "build/web/common/web/playground.js"
NODE, CHROMIUM = shutil.which("node"), browser.PROGRAM
IN_NODE = """
const requests = JSON.parse(require('fs').readFileSync(0)), make = require(process.argv[1]);
make({wasmBinary: require('fs').readFileSync(process.argv[2])}).then(device => {
  const answers = requests.map(([files, request]) => {
    for (const [name, text] of Object.entries(files)) device.FS.writeFile(name, text);
    return JSON.parse(device.ccall('asynclab_run', 'string', ['array'], [new TextEncoder().encode(JSON.stringify(request) + '\\0')]));
  });
  console.log(JSON.stringify(answers));
});
"""
OPENED = "(document.querySelector('.playground-stepper').open = true)"
STEPPED = [f"document.querySelector('.playground-stepper iframe')?.{what}" for what in (
    "contentDocument.body.dataset.step", "contentWindow.location.hash", "contentDocument.querySelectorAll('.missing').length")]
NUMBERED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry number(.param .u64 out, .param .u32 add)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [add];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd1], %r3;
    ret;
}
"""


def native(request):
    done = subprocess.run([PROGRAM], input=json.dumps(request), capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def native_with(files, request, folder):
    """The same where files are real ones."""
    text = json.dumps(request)
    for name, content in files.items():
        (folder / name[1:]).write_text(content)
        text = text.replace(f'\\"{name}\\"', f'\\"{folder}{name}\\"')
    return json.loads(json.dumps(native(json.loads(text))).replace(str(folder), ""))


def numbered(expect, **more):
    return {"ptx": NUMBERED, "block": 32, "buffers": [{"name": "out", "type": "u32", "count": 32, "expect": expect}],
            "arguments": [{"buffer": "out"}, {"value": 5, "type": "u32"}], **more}


class Variants(unittest.TestCase):
    def test_directives_choose_lines_and_numbers(self):
        text = "a\n#if X == one\nb STAGES\n#elif X == two\n#if STAGES == 3\nc\n#endif\n#else\nd\n#endif\n"
        for values, out in (({"X": "one", "STAGES": 3}, "a\nb 3\n"), ({"X": "two", "STAGES": 3}, "a\nc\n"),
                            ({"X": "two", "STAGES": 4}, "a\n"), ({"X": "other", "STAGES": 4}, "a\nd\n")):
            self.assertEqual(variants.resolved(text, values), out)
        for wrong in ("#if X\n#endif\n", "#if X == one\n"):
            with self.assertRaises(ValueError):
                variants.resolved(wrong, {"X": "one"})

    def test_names_lose_their_namespace(self):
        for inside, outside in (("_ZN2v34ringEPKf", "_Z4ringPKf"), ("_ZZN3v124ringEPKfS1_iE4tile", "_ZZ4ringPKfS0_iE4tile"),
                                ("_ZN4cuda3ptx1xE", "_ZN4cuda3ptx1xE")):
            self.assertEqual(variants.without_namespace(inside), outside)

    def test_every_kernel_belongs_to_a_chapter_and_has_chinese_words(self):
        for name in variants.names():
            kernel = variants.description(name)
            self.assertTrue((ROOT / f"docs/walkthrough/{name}.md").exists(), name)
            for key in ("title", "text"):
                self.assertTrue(kernel[f"{key}_zh"], name)
            for switch in kernel.get("control", []):
                self.assertIn(switch.get("start", switch["values"][0]), switch["values"], name)
                for labels in ("labels", "labels_zh"):
                    self.assertEqual(len(switch.get(labels, switch["values"])), len(switch["values"]), name)


class Launches(unittest.TestCase):
    def test_formulas(self):
        for expect, verdict in (("i + 5", "passed"), ("i == 3 ? 8 : i + 5", "passed"), ("2 * (i + 5) / 2 - -0", "passed"), ("i + 6", "wrong"),
                                ("sum(k, 0, i, 1) + max(5, 3)", "passed"), ("(i << 1 | 1) % 2 + i + 4", "passed"), ("i ^ 0 && 1 ? i + 5 : 5", "passed")):
            answer = native(numbered(expect))
            self.assertEqual(answer["verdict"], verdict, (expect, answer))
        self.assertEqual(native(numbered("i + 6"))["results"], [{"buffer": "out", "wrong": 32, "of": 32, "index": 0, "expected": "6", "found": "5"}])

    def test_problems_say_what_to_do(self):
        for change, said in (({"ptx": "x"}, "PTX, line 1"), ({"kernel": "k"}, "no kernel k"), ({"arguments": []}, "has 2 parameters"), ({"block": 2000}, "too large"),
                             ({"arguments": [{"buffer": "no"}, {"value": 1}]}, 'no buffer "no"'), ({"schedule": "slow"}, "no schedule"),
                             ({"buffers": [{"name": "out", "count": "1 +"}]}, "is missing"), ({"buffers": [{"name": "out", "count": 1e12}]}, "buffers[0].count"),
                             ({"buffers": 3}, "launch description")):
            answer = native(numbered("i", **change))
            self.assertEqual(answer["verdict"], "problem", change)
            self.assertIn(said, answer["message"])
            self.assertTrue(answer["next"])


def requests_of(name):
    """(name, expected result, text, request without its PTX) for the kernel as it starts, and for each combination that its
    description shows: a rule, or a wrong result, or a note."""
    kernel, text = variants.description(name), (variants.KERNELS / f"{name}.cu").read_text()
    start = {switch["name"]: switch.get("start", switch["values"][0]) for switch in kernel.get("control", [])}
    shown = [{}, *kernel["shows"]]
    sources = [variants.resolved(text, {**start, **one}) for one in shown]
    numbers = {one["name"]: one["start"] for one in kernel.get("number", [])}
    numbers |= {name: value for name, value in start.items() if isinstance(value, int)}
    for place, (one, source) in enumerate(zip(shown, sources)):
        expected = {key: one[key] for key in ("rule", "verdict", "note") if key in one}
        yield name, expected, source, {**kernel["launch"], "numbers": {**numbers, **{key: value for key, value in one.items() if isinstance(value, int)}},
                                   "timeline": place == 0, "stepper": True}


def all_requests(folder):
    """The same with files and PTX; one run of nvcc is enough for all kernels."""
    found = [one for name in variants.names() for one in requests_of(name)]
    for (name, expected, text, request), ptx in zip(found, variants.compiled([(name, text) for name, _, text, _ in found], folder)):
        yield name, expected, {f"/{name}.cu": text}, {**request, "ptx": ptx}


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.requests = list(all_requests(Path(cls.scratch.name)))
        cls.answers = [native_with(files, request, Path(cls.scratch.name)) for _, _, files, request in cls.requests]

    def test_each_switch_shows_its_rule(self):
        for (name, expected, _, request), answer in zip(self.requests, self.answers):
            with self.subTest(f"{name}: {expected}"):
                rule, note = expected.get("rule"), expected.get("note")
                self.assertEqual(answer["verdict"], "hazard" if rule else expected.get("verdict", "passed"), answer["report"])
                by = {severity: [finding["rule"] for finding in answer["findings"] if finding["severity"] == severity] for severity in ("error", "warning", "note")}
                self.assertEqual(by["error"][:1], [rule] if rule else [])
                if note:
                    self.assertIn(note, by["note"])
                if request["timeline"]:
                    self.assertIn("<svg", answer["timeline"])

    def test_the_stepper_has_the_findings_block_and_its_maps(self):
        for (name, expected, _, _), answer in zip(self.requests, self.answers):
            with self.subTest(f"{name}: {expected}"):
                steps = json.loads(answer["steps"])
                self.assertTrue(steps["steps"])
                self.assertEqual(list(steps["files"]), [f"/{name}.cu"])
                if expected.get("rule"):
                    self.assertGreaterEqual(steps["findings"][0]["step"], 0)
                if name[:2] in ("11", "12", "13", "15", "16", "18", "19", "20"):
                    self.assertTrue(steps["maps"])

    @unittest.skipUnless(WASM.exists() and NODE, "the playground has not been built as WebAssembly")
    def test_the_browsers_device_says_the_same(self):
        asked = [[files, request] for _, _, files, request in self.requests]
        done = subprocess.run([NODE, "-e", IN_NODE, WASM, WASM.with_suffix(".wasm")], input=json.dumps(asked), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for (name, expected, _, _), here, there in zip(self.requests, self.answers, json.loads(done.stdout)):
            with self.subTest(f"{name}: {expected}"):
                for key in ("verdict", "findings", "not_judged", "results", "instructions", "steps"):
                    self.assertEqual(here[key], there[key], key)
                if "rule" in expected:
                    self.assertRegex(there["report"], rf"{name}\.cu:\d+: error: {expected['rule']}\n +\d+ \| ")

    @unittest.skipUnless(WASM.exists() and NODE and CHROMIUM, "the playground has not been built as WebAssembly, or there is no chromium")
    def test_a_page_shows_the_report(self):
        name, expected, files, request = next(one for one in self.requests if one[0].startswith("05") and one[1])
        site, profile = Path(self.scratch.name) / "site", Path(self.scratch.name) / "profile"
        shutil.copytree(WEB / "page", site / "playground")
        (site / "playground/stepper.html").write_text(embed.page(ROOT / "common/drawing/stepper/page.html"))
        shutil.copy(WASM, site / "playground/device.js")
        (site / "playground/device.wasm.gz").write_bytes(gzip.compress(WASM.with_suffix(".wasm").read_bytes(), 1))
        (site / "playground/rules_zh.json.gz").write_bytes(gzip.compress(embed.rules("zh").encode()))
        kernel = {"file": f"/{name}.cu", "controls": [], "numbers": [{"name": "tiles", "label": "tiles", "least": 8, "most": 9, "start": 8}],
                  "launch": {**request, "ptx": ""}, "ptx": [request["ptx"]], "sources": list(files.values()), "variants": {"": [0, 0]}}
        (site / f"playground/{name}.json.gz").write_bytes(gzip.compress(json.dumps(kernel).encode()))
        for file, language in (("index.html", "en"), ("zh.html", "zh")):
            (site / file).write_text('<meta charset="utf-8"><script id="__config" type="application/json">{"base": "."}</script>'
                                     f'<div class="playground" data-kernel="{name}" lang="{language}"></div><script src="playground/playground.js"></script>')
        server = docs_site.server_of(site, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

        def browse(page, *expressions):
            done = subprocess.run([NODE, Path(__file__).with_name("chromium.js"), CHROMIUM, profile, f"http://127.0.0.1:{server.server_port}/{page}",
                                   *expressions], capture_output=True, text=True, timeout=120)
            shown = json.loads(done.stdout)
            self.assertEqual(shown["logged"], [])
            return shown

        chinese = browse("zh.html", "document.querySelector('.playground-explained').textContent")
        self.assertIn(json.loads(embed.rules("zh"))[expected["rule"]]["title"], chinese["results"][0]["value"])
        shown = browse("", "document.querySelector('.playground').dataset.verdict", "document.querySelector('.playground-report').textContent",
                       "document.querySelectorAll('.playground-source .error').length", OPENED, *STEPPED)
        verdict, report, lines, _, step, fragment, missing = (one["value"] for one in shown["results"])
        self.assertEqual(verdict, "hazard")
        self.assertRegex(report, rf"^{name}\.cu:\d+: error: {expected['rule']}\n")
        self.assertGreater(lines, 0)
        self.assertEqual(fragment, f"#step={step}")
        self.assertEqual(missing, 1)

    def test_lab_run_says_the_same(self):
        number = next(i for i, (name, expected, _, _) in enumerate(self.requests) if name.startswith("09") and expected)
        name, expected, files, request = self.requests[number]
        program = Path(self.scratch.name) / "program.cu"
        program.write_text(files[f"/{name}.cu"] + """
#include <vector>
int main() {
    constexpr int n = 256;
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i)
        host[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<2, 128>>>(in, out);
    cudaDeviceSynchronize();
}
""")
        done = subprocess.run([RUNNER, "run", program, "--schedule", "lazy", "--json"], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "LAB_ROOT": str(ROOT)})
        here = json.loads(done.stdout)["findings"]
        places = [[(one["rule"], one["first"]["line"], re.sub(r"\d+", "", one["message"])) for one in all] for all in (here, self.answers[number]["findings"])]
        self.assertEqual(places[0], places[1])
        self.assertEqual(places[0][0][0], expected["rule"])


if __name__ == "__main__":
    if not (WASM.exists() and NODE):
        print("the playground has not been built as WebAssembly (python3 common/web/wasm.py; needs Emscripten), so that part is skipped")
    unittest.main(argv=sys.argv[:1], verbosity=1)
