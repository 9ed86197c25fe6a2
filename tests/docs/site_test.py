"""The documentation's site can be made, without a warning, and works in a browser.

Skipped where mkdocs is not installed (./lab docs installs it into .asynclab/venv); the browser's part, where there is none.
The site has its playground where common/web/wasm.py has built the device for browsers."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from html.parser import HTMLParser
from pathlib import Path

import browser

ROOT = Path(__file__).resolve().parents[2]
SETUP = ROOT / "common/setup"
sys.path[:0] = [str(SETUP), str(ROOT / "tests/labs")]
import docs_site  # noqa: E402
import question_programs  # noqa: E402
import questions_site  # noqa: E402


def python_with_mkdocs():
    for python in (ROOT / ".asynclab/venv/bin/python3", Path(sys.executable)):
        if python.exists() and not subprocess.run([python, "-c", "import material, mkdocs"], capture_output=True).returncode:
            return python


PYTHON = python_with_mkdocs()
WASM = ROOT / "build/web/common/web/playground.js"
NODE = shutil.which("node")


class Numbers(HTMLParser):
    """Those that a browser shows in front of the items of an article's numbered lists."""

    def __init__(self, page):
        super().__init__()
        self.lists, self.shown, self.inside = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.inside = self.inside or tag == "article"
        if tag in ("ol", "ul"):
            self.lists.append(int(dict(attributes).get("start", 1)) if tag == "ol" else None)
        elif tag == "li" and self.inside and self.lists and self.lists[-1] is not None:
            self.shown.append(self.lists[-1])
            self.lists[-1] += 1

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "article"
        if tag in ("ol", "ul"):
            self.lists.pop()


class Staging(unittest.TestCase):
    page = ROOT / "docs/walkthrough/03_pipeline_primitives.md"

    def staged(self, text):
        return docs_site.prose(self.page, text)

    def test_a_rule_leads_to_its_place(self):
        self.assertEqual(self.staged("`./lab explain missing-wait`, `deadlock`"),
                         "[`./lab explain missing-wait`](../hazards.md#missing-wait), [`deadlock`](../hazards.md#deadlock)")
        for same in ("`no-such-rule`", "# `deadlock`", "[`deadlock`](../symptoms.md)"):
            self.assertEqual(self.staged(same), same)

    def test_links(self):
        self.assertEqual(self.staged("[a](../../labs/03_pipeline_primitives) [b](../performance.md#x) [c](https://x.y/z)"),
                         "[a](../../labs/03_pipeline_primitives/README.md) [b](../performance.md#x) [c](https://x.y/z)")
        self.assertEqual(self.staged("see [its code](../../solutions/03_pipeline_primitives/kernel.cu)."), "see its code.")

    def test_each_page_knows_its_translation(self):
        for english, chinese in (("README.md", "docs/zh/README.md"), ("docs/slides/05_wait_group.md", "docs/zh/slides/05_wait_group.md"),
                                 ("labs/05_wait_group/README.md", "labs/05_wait_group/README.zh.md"),
                                 ("labs/05_wait_group/questions.md", "labs/05_wait_group/questions.zh.md")):
            self.assertEqual((docs_site.other_language(english), docs_site.other_language(chinese)), (chinese, english))
            self.assertEqual((docs_site.is_chinese(english), docs_site.is_chinese(chinese)), (False, True))

    def test_lists_are_lists(self):
        self.assertEqual(self.staged("Text:\n- one\n- two"), "Text:\n\n- one\n- two")

    def test_every_page_has_its_place(self):
        # The site has been made with the device's answers; its navigation does not depend on them.
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(questions_site, "RUNNER", ROOT / "no runner"):
            docs_site.stage(Path(folder))
            nav = (Path(folder) / "mkdocs.yml").read_text().split("\nnav: ")[1]
            for page in docs_site.pages():
                self.assertIn(f'"{page.relative_to(ROOT).as_posix()}"', nav)


@unittest.skipUnless(PYTHON, "mkdocs is not installed")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.site = Path(cls.folder.name) / "site"
        environment = {**os.environ, **question_programs.environment(ROOT, ROOT / "build/tests/labs/questions")}
        playground = [] if WASM.exists() else ["--no-playground"]
        cls.made = subprocess.run([PYTHON, SETUP / "docs_site.py", "--default", cls.site, *playground, "--build", cls.site],
                                  capture_output=True, text=True, timeout=900, env=environment)

    def test_it_is_made_in_strict_mode(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        for page in docs_site.pages():
            name = page.relative_to(ROOT).as_posix()
            name = name.replace("README.md", "index.html").replace(".md", ".html")
            text = (self.site / name).read_text()
            body = re.sub(r"<(code|script)\b.*?</\1>", "", text, flags=re.S)
            self.assertNotRegex(body, r"\]\([^) ]+\)|\n\|[-|]+\||```", name)  # Markdown that was not understood

    def test_a_numbered_item_keeps_its_number(self):
        for page in docs_site.pages():
            prose = "".join(docs_site.FENCE.split(page.read_text())[::2])
            name = page.relative_to(ROOT).as_posix().replace("README.md", "index.html").replace(".md", ".html")
            self.assertEqual(Numbers((self.site / name).read_text()).shown, [int(number) for number in re.findall(r"^ *(\d+)\. ", prose, re.M)], name)

    def test_pitfalls_lead_to_rules_and_all_is_searchable(self):
        chapter = (self.site / "docs/walkthrough/03_pipeline_primitives.html").read_text()
        self.assertIn('href="../hazards.html#missing-wait"', chapter)
        index = json.loads((self.site / "search/search_index.json").read_text())
        self.assertIn("docs/hazards.html#missing-wait", {entry["location"] for entry in index["docs"]})

    def test_another_folder_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mine.txt").write_text("mine")
            done = subprocess.run([PYTHON, SETUP / "docs_site.py", "--default", folder, "--build", folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is not empty", done.stderr)
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["mine.txt"])

    @unittest.skipUnless(browser.PROGRAM, "there is no chromium")
    def test_it_works_in_a_browser(self):
        server = docs_site.server_of(self.site, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        for name in ("index.html", "docs/walkthrough/08_mbarrier_parity.html", "docs/hazards.html"):
            document, console = browser.browse(f"http://127.0.0.1:{server.server_port}/{name}")
            self.assertIn("</article>", document)
            self.assertEqual(console, [], name)
            self.assertRegex(document, r'<input[^>]*class="md-search__input"|md-search')
        for name in ("docs/slides/05_wait_group.html", "docs/zh/slides/05_wait_group.html"):
            document, console = browser.browse(f"http://127.0.0.1:{server.server_port}/{name}#slide-3")
            self.assertRegex(document, r'<html[^>]*class="[^"]*presenting')
            self.assertRegex(document, r'<section class="slide now" data-page="3 / 10"><h2')
            self.assertEqual(console, [], name)

    @unittest.skipUnless(browser.PROGRAM and NODE and WASM.exists(), "there is no browser, no node, or no device for browsers (common/web/wasm.py)")
    def test_its_playground_runs_a_kernel(self):
        server = docs_site.server_of(self.site, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        profile = Path(self.folder.name) / "profile"
        for name in ("docs/playground/05_wait_group.html", "docs/zh/playground/05_wait_group.html"):
            done = subprocess.run([NODE, ROOT / "tests/web/chromium.js", browser.PROGRAM, profile, f"http://127.0.0.1:{server.server_port}/{name}",
                                   "document.querySelector('.playground').dataset.verdict"], capture_output=True, text=True, timeout=120)
            shown = json.loads(done.stdout)
            self.assertEqual(([one["value"] for one in shown["results"]], shown["logged"]), (["passed"], []), name)

    @unittest.skipUnless(browser.PROGRAM, "there is no chromium")
    def test_pictures_are_legible_on_a_phone(self):
        pictures = {picture.name: picture.read_text() for picture in sorted((ROOT / "docs/pictures").glob("*.svg"))}
        page = self.site / "docs/walkthrough/03_pipeline_primitives.html"
        shown = "".join(f'<p><img alt="" src="../pictures/{name}"></p>' for name in pictures)
        script = """<script>addEventListener('load',function(){document.body.dataset.widths=[].map.call(
            document.querySelectorAll('article img'),function(i){return i.getBoundingClientRect().width}).join(' ')})</script>"""
        copy = page.with_name("phone.html")
        copy.write_text(re.sub(r"(<article[^>]*>).*</article>", lambda found: found[1] + shown + "</article>" + script, page.read_text(), flags=re.S))
        document, _ = browser.browse(copy, width=390, height=800)
        widths = re.search(r'data-widths="([^"]+)"', document)[1].split()
        self.assertEqual(len(widths), len(pictures))
        for (name, text), width in zip(pictures.items(), widths):
            smallest = min(float(size) for size in re.findall(r'font-size[=:]\s*"?([\d.]+)', text))
            self.assertGreaterEqual(smallest * float(width) / float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1]), 11, name)


if __name__ == "__main__":
    if not PYTHON:
        print("mkdocs is not installed: ./lab docs --build build/site installs it")
    result = unittest.main(exit=False, verbosity=1).result
    sys.exit(0 if result.wasSuccessful() and PYTHON else 77 if result.wasSuccessful() else 1)
