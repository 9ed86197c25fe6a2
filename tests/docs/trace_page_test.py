"""The page that `lab trace` writes, in a real browser: no complaint on the console, the pictures, keys and tables are there.

    trace_page_test.py RUNNER [--pictures FOLDER]      also leaves screenshots, to be looked at"""

import re
import subprocess
import sys
import tempfile
import unittest
from html import unescape
from pathlib import Path

import browser

ROOT = Path(__file__).resolve().parents[2]
RUNNER = sys.argv.pop(1)
PICTURES = Path(sys.argv[2]) if sys.argv[1:2] == ["--pictures"] else None
# Presses + three times, as a reader would, and writes what came of it where the document shows it.
DRIVER = """<script>addEventListener('load',function(){
for(var i=0;i<3;i++)document.dispatchEvent(new KeyboardEvent('keydown',{key:'+'}));
var s=document.querySelectorAll('.scroll'),w=[];s[0].scrollLeft=500;s[0].onscroll();
for(i=0;i<s.length;i++)w.push(s[i].scrollLeft,s[i].scrollWidth>4*s[i].clientWidth);
document.body.dataset.after=document.getElementById('zoom').textContent+' '+w.join(' ');})</script>"""


@unittest.skipUnless(browser.PROGRAM, "there is no chromium")
class TracePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.page = Path(cls.folder.name) / "ring.html"
        subprocess.run([RUNNER, "trace", "10", "--solutions", "--out", cls.page], check=True, capture_output=True, timeout=200)

    def test_it_shows_everything_and_nothing_complains(self):
        document, console = browser.browse(self.page)
        self.assertEqual(console, [])
        self.assertEqual(document.count("<svg"), 2)
        self.assertEqual(len(re.findall(r'<svg role="img" aria-label="[^"]+', document)), 2)
        self.assertEqual(re.findall(r"<caption>(.*?)</caption>", document), ["In numbers", "Waits, as it is", "Copies, as it is"])
        self.assertGreater(document.count('class="arrow"'), 8)
        self.assertNotRegex(document, r"NaN|undefined|Infinity")
        self.assertNotRegex(document, r'(?:src|href)="?https?:')  # it works without network

    def test_an_arrow_never_goes_back(self):
        arrows = re.findall(r'class="arrow"[^>]* d="M([\d.]+) [\d.]+L([\d.]+) ', self.page.read_text())
        self.assertTrue(arrows)
        for begin, end in arrows:
            self.assertLessEqual(float(begin), float(end))

    def test_keys_stretch_both_pictures_and_they_scroll_together(self):
        driven = self.page.with_name("driven.html")
        driven.write_text(self.page.read_text().replace("</body>", DRIVER + "</body>"))
        document, console = browser.browse(driven)
        self.assertEqual(console, [])
        self.assertIn('data-after="8 × 500 true 500 true"', document)

    def test_text_keeps_its_shape_in_a_narrow_window(self):
        for width in (1280, 700):
            document, _ = browser.browse(self.page, width=width)
            (scale,) = set(re.findall(r"scale\(([\d.]+) 1\)", document))
            self.assertAlmostEqual(float(scale), 1070 / min(width - 48, 1102), delta=0.05)

    def test_the_tables_say_what_the_pictures_say(self):
        text = unescape(self.page.read_text())
        titles = set(re.findall(r'class="flight"[^>]*><title>([^,]+), (\d+) bytes[^:]*:\d+, issued at (\d+), landed at (\d+)', text))
        table = text.split("<caption>Copies, as it is")[1]
        rows = {(row[0], row[2], row[3], row[4]) for row in
                (re.findall(r"<td[^>]*>(.*?)</td>", line) for line in table.splitlines() if line.startswith("<tr><td"))}
        self.assertTrue(rows)
        self.assertLessEqual(rows, titles)

    def test_groups_are_numbered_one_after_the_other(self):
        page = self.page.with_name("groups.html")
        subprocess.run([RUNNER, "trace", "08", "--solutions", "--out", page], check=True, capture_output=True, timeout=200)
        groups = [int(number) for number in re.findall(r"<tr><td>cp.async group (\d+)<", page.read_text())]
        self.assertEqual(groups, list(range(len(groups))))
        self.assertGreater(len(groups), 8)
        self.assertRegex(page.read_text(), r'<p class="result">\d+ cycles instead of \d+: [\d.]+ times as fast. .* limits it: ')

    def test_screenshots(self):
        if not PICTURES:
            self.skipTest("--pictures FOLDER leaves some")
        PICTURES.mkdir(exist_ok=True)
        for width in (1280, 700):
            for dark in (False, True):
                browser.picture(self.page, PICTURES / f"trace-{width}{'-dark' if dark else ''}.png", dark, width=width)


if __name__ == "__main__":
    if not browser.PROGRAM:
        print("there is no chromium: apt-get install chromium")
    result = unittest.main(exit=False, argv=sys.argv[:1]).result
    sys.exit(0 if result.wasSuccessful() and browser.PROGRAM else 77 if result.wasSuccessful() else 1)
