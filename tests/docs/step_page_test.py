"""The page that `lab step` writes, clicked through in a real browser: it opens at the finding, and each step shows the
state that the program is in.

    step_page_test.py RUNNER [--pictures FOLDER]      also leaves screenshots, to be looked at"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from html import unescape
from pathlib import Path

import browser

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402
RUNNER = sys.argv.pop(1)
PICTURES = Path(sys.argv[2]) if sys.argv[1:2] == ["--pictures"] else None
PAIRS = {  # a wrong version, and what its missing edge is about
    "05": lab_versions.file("05", "wrong/no_barrier_after_the_wait"),
}
MORE_PICTURES = {
    "08": lab_versions.file("08", "wrong/released_before_reading"),
    "09": lab_versions.file("09", "wrong/no_proxy_fence"),
    "15": lab_versions.file("15", "wrong/not_acquired"),
}
DEADLOCK = lab_versions.file("10", "wrong/expects_whole_tiles")
NODE = shutil.which("node")
NAMES = """
const names = (of, prefix) => Object.entries(of).flatMap(([name, value]) => value && typeof value === 'object' ? names(value, `${prefix}${name}.`) : prefix + name);
console.log(JSON.stringify([names(english, ''), names(chinese, '')]));"""
# Presses keys as a reader would; after each, records the step and its description.
DRIVER = """<script>addEventListener('load',function(){
var states=[],record=function(){states.push(document.body.dataset.step+'|'+document.getElementById('now').className+'|'+location.hash)};
var key=function(k,s){document.dispatchEvent(new KeyboardEvent('keydown',{key:k,shiftKey:!!s}));record()};
record();key('o');key('f');key('ArrowLeft');key('ArrowRight');key('Home');key('ArrowRight',true);key('End');
var kind=document.getElementById('kind');kind.value='finding';key('p');
document.getElementById('back').click();record();
var slider=document.getElementById('slider');slider.value=7;slider.dispatchEvent(new Event('input'));record();
location.hash='#step=3';setTimeout(function(){record();document.body.dataset.states=states.join(' ')},100)})</script>"""

# The values by register, of the first lane and of the second.
CHOOSES_A_LANE = """<script>addEventListener('load',function(){
var values=function(){var all={};document.querySelectorAll('#registers tr').forEach(function(row){
var cells=row.querySelectorAll('td');if(cells.length)all[cells[1].textContent]=cells[3].textContent.split(' ')[0]});return all};
var before=values(),select=document.querySelector('#registers select');select.selectedIndex=1;select.onchange();
document.body.dataset.values=JSON.stringify([before,values()])})</script>"""


def step(lab, out, *more, language="en"):
    return subprocess.run([RUNNER, "step", lab, "--out", out, *more], check=True, capture_output=True, text=True, timeout=200,
                          env={**os.environ, "LAB_LANG": language}).stdout


@unittest.skipUnless(browser.PROGRAM, "there is no chromium")
class StepPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.page = Path(cls.folder.name) / "wrong.html"
        cls.said = step("05", cls.page, "--file", PAIRS["05"])
        cls.recording = json.loads(cls.page.read_text().split('id="recording">')[1].split("</script>")[0])

    def test_it_opens_at_the_finding_and_nothing_complains(self):
        document, console = browser.browse(self.page)
        self.assertEqual(console, [])
        finding = self.recording["findings"][0]
        self.assertLess(-1, finding["other"])
        self.assertLess(finding["other"], finding["step"])
        self.assertIn(f"the finding is at step {finding['step'] + 1}", self.said)
        self.assertIn(f'data-step="{finding["step"] + 1}"', document)
        self.assertIn('class="missing"', document)
        self.assertIn(finding["remedy"], unescape(document))
        self.assertIn("second access", document)
        shown = document.split('<script type="application/json"')[0]
        self.assertNotRegex(shown, r"NaN|undefined|Infinity|null")
        self.assertNotRegex(document, r'(?:src|href)="?https?:')  # it works without network
        self.assertLess(self.page.stat().st_size, 2 << 20)

    def test_what_can_be_pressed_has_a_name(self):
        page = self.page.read_text()
        for button in re.findall(r"<button[^>]*>", page.split('<script type="application/json"')[0]):
            self.assertIn("aria-label=", button)
        self.assertIn('<input id="slider" type="range" min="1" value="1" aria-label="step"/>', page)

    def test_keys_buttons_slider_and_fragment_go_to_a_step(self):
        driven = self.page.with_name("driven.html")
        driven.write_text(self.page.read_text().replace("</body>", DRIVER + "</body>"))
        document, console = browser.browse(driven)
        self.assertEqual(console, [])
        states = [one.split("|") for one in re.search(r'data-states="([^"]*)"', document)[1].split(" ")]
        finding, count = self.recording["findings"][0], len(self.recording["steps"])
        at, other = finding["step"] + 1, finding["other"] + 1
        last = max(place + 1 for one in self.recording["findings"] for place in (one["step"], one["other"]))
        self.assertEqual([int(step) for step, _, _ in states], [at, other, at, at - 1, at, 1, 11, count, last, last - 1, 7, 3])
        self.assertEqual([kind for _, kind, _ in states][:3], ["wrong", "other", "wrong"])
        for step, _, fragment in states:
            self.assertEqual(fragment, f"#step={step}")

    def test_a_fragment_opens_at_its_step(self):
        document, _ = browser.browse(self.page.as_uri() + "#step=2")
        self.assertEqual(re.search(r'<body data-step="(\d+)"', document)[1], "2")

    def test_registers_of_the_lane_that_is_chosen(self):
        number, step = next((i + 1, s) for i, s in enumerate(self.recording["steps"]) if any(
            h[1] & 2 and len(h) > 3 for h in s.get("values", [])))
        driven = self.page.with_name("registers.html")
        driven.write_text(self.page.read_text().replace("</body>", CHOOSES_A_LANE + "</body>"))
        document, console = browser.browse(driven.as_uri() + f"#step={number}")
        self.assertEqual(console, [])
        before, after = json.loads(unescape(re.search(r'data-values="([^"]*)"', document)[1]))
        held = next(h for h in step["values"] if h[1] & 2 and len(h) > 3)
        name = self.recording["registers"][held[0]][0]
        self.assertEqual(before[name], str(held[2]))
        self.assertEqual(after[name], str(held[2] + held[3]))
        self.assertIn("optimised away", document)  # the loop variables of lab 05

    def test_it_is_in_chinese_where_the_reader_is(self):
        page = self.page.with_name("zh.html")
        step("05", page, "--file", PAIRS["05"], language="zh_CN.UTF-8")
        document, console = browser.browse(page)
        self.assertEqual(console, [])
        shown = re.sub(r"<(script|style).*?</\1>", "", document, flags=re.S)
        self.assertIn("第二次访问", shown)
        finding, rules = self.recording["findings"][0], tomllib.loads((ROOT / "common/sim/rules/zh.toml").read_text())
        self.assertIn(rules[finding["rule"]]["title"], unescape(shown))
        for part in ("title", "message", "remedy"):  # the finding's own, in Chinese
            self.assertNotIn(finding[part], unescape(shown))
        self.assertNotRegex(shown, r"NaN|undefined|Infinity|null")
        # Left in English: names, code, and the report.
        for part in ("now", "registers", "warps", "memory", "groups", "barriers"):
            text = unescape(re.sub("<[^>]*>", " ", re.search(rf'id="{part}".*?</(?:section|div|ul)>', shown, re.S)[0].split(">", 1)[1]))
            self.assertNotRegex(text, r"\b(the|of|is|step|waits|bytes|arrived)\b", part)

    @unittest.skipUnless(NODE, "there is no node")
    def test_both_languages_have_the_same_words(self):
        words = [ROOT / f"common/drawing/stepper/{language}.js" for language in ("english", "chinese")]
        done = subprocess.run([NODE, "-e", "".join(map(Path.read_text, words)) + NAMES], check=True, capture_output=True, text=True)
        english, chinese = (set(names) for names in json.loads(done.stdout))
        self.assertEqual({name for name in chinese if not name.startswith("page.")}, english)

    @unittest.skipUnless(NODE, "there is no node")
    def test_why_threads_were_stopped_is_told_in_chinese(self):
        why = re.search(r"enum class Why : uint8_t \{(.*?)\};", (ROOT / "common/sim/events/misuse.h").read_text(), re.S)[1]
        reasons = len(re.findall(r"^ *\w+,", why, re.M))
        rules = tomllib.loads((ROOT / "common/sim/rules/zh.toml").read_text())
        script = (f"const chineseRules = {json.dumps(rules)}, who = () => '';\n" + (ROOT / "common/drawing/stepper/chinese.js").read_text()
                  + f"console.log(JSON.stringify([...Array({reasons}).keys()].map(x => chinese.say.misuse({{text: 'stopped', number: x}})[1])))")
        titled = json.loads(subprocess.run([NODE, "-e", script], check=True, capture_output=True, text=True).stdout)
        titles = {rule["title"] + "。" for rule in rules.values()}
        self.assertEqual((len(set(titled)), set(titled) - titles), (reasons, set()))

    def test_a_deadlock_lists_who_waits_for_what(self):
        page = self.page.with_name("deadlock.html")
        step("10", page, "--file", DEADLOCK)
        document, console = browser.browse(page)
        self.assertEqual(console, [])
        panel = unescape(re.sub("<[^>]*>", " ", document[document.index('id="edge"'):document.index('id="memory"')]))
        self.assertIn("Who waits for what", panel)
        self.assertRegex(panel, r"waits? +for parity \d of \S+")
        self.assertRegex(panel, r"Missing: \d+ (?:of \d+ arrivals?|bytes)\.")
        self.assertNotIn('class="missing"', document.split('<script type="application/json"')[0])  # no edge
        self.assertNotIn("Nothing orders", document.split('<script type="application/json"')[0])

    def test_a_window_that_begins_later(self):
        page = self.page.with_name("later.html")
        self.assertIn("steps 5 to ", step("05", page, "--file", PAIRS["05"], "--from", "5"))
        document, console = browser.browse(page)
        self.assertEqual(console, [])
        self.assertIn("<code>--from N</code>", document)
        finding = self.recording["findings"][0]
        self.assertIn(f'data-step="{finding["step"] + 1}"', document)
        later = json.loads(page.read_text().split('id="recording">')[1].split("</script>")[0])
        self.assertEqual(later["steps"][0]["kind"], self.recording["steps"][4]["kind"])

    def test_tensor_maps_are_shown_with_their_way_through_the_proxies(self):
        page = self.page.with_name("maps.html")
        step("15", page, "--file", MORE_PICTURES["15"])
        document, console = browser.browse(page)
        self.assertEqual(console, [])
        maps = document[document.index('id="maps-body"'):document.index("<footer>")]
        self.assertRegex(maps, r"<h3>maps[^<]*<small>global memory")
        self.assertIn("tensormap proxy: may be stale", maps)
        self.assertRegex(maps, r"Released by warp 0[^<]* at step \d+\.")
        self.assertIn("Acquired by nobody yet", maps)
        self.assertRegex(maps, r'<th scope="row">box_dim</th><td>64 × 32</td>')

    def test_tensor_memory_is_shown_by_columns(self):
        program, page = self.page.with_name("tensor.cu"), self.page.with_name("tensor.html")
        explained = subprocess.run([RUNNER, "explain", "tensor-memory-before-commit", "--json"], check=True, capture_output=True, text=True)
        program.write_text(json.loads(explained.stdout)["right"])
        subprocess.run([RUNNER, "run", program, "--arch", "compute_100a", "--step", page], check=True, capture_output=True, timeout=200)
        steps = json.loads(page.read_text().split('id="recording">')[1].split("</script>")[0])["steps"]
        for kind, text in (("t_issue", "being written"), ("t_done", "complete, awaited by no warp"), ("t_free", "")):
            at = next(i for i, step in enumerate(steps) if step["kind"] == kind)
            document, console = browser.browse(f"{page.as_uri()}#step={at + 1}")
            self.assertEqual(console, [])
            panel = re.sub("<[^>]*>", "", document[document.index('id="tensors-body"'):document.index('id="tensors-key"')])
            self.assertEqual("accumulator of the MMA at tensor.cu:" in panel, bool(text))
            self.assertIn(text, panel)

    def test_screenshots(self):
        if not PICTURES:
            self.skipTest("--pictures FOLDER leaves some")
        PICTURES.mkdir(exist_ok=True)
        for lab, file in {**PAIRS, **MORE_PICTURES}.items():
            page = Path(self.folder.name) / f"{lab}.html"
            step(lab, page, "--file", file)
            for width, height in ((1400, 1500), (390, 2600)):
                for dark in (False, True):
                    browser.picture(page, PICTURES / f"step-{lab}-{width}{'-dark' if dark else ''}.png", dark, width=width, height=height)


if __name__ == "__main__":
    if not browser.PROGRAM:
        print("there is no chromium: apt-get install chromium")
    result = unittest.main(exit=False, argv=sys.argv[:1]).result
    sys.exit(0 if result.wasSuccessful() and browser.PROGRAM else 77 if result.wasSuccessful() else 1)
