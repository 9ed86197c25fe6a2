"""Progress is kept from one command to the next: hints go on, and one lab's entry leaves the others' alone."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), sys.argv.pop(1)
LABS = re.findall(r"^    '(\d\d_\w+)',$", (Path(ROOT) / "labs/meson.build").read_text(), re.M)


class Remembered(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name) / "state.json"

    def lab(self, *arguments):
        return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LAB_ROOT": ROOT, "LAB_STATE": str(self.state.parent)}).stdout

    def test_each_call_shows_the_next_hint(self):
        self.assertIn("Hint 1 of", self.lab("hint", "03"))
        self.assertIn("Hint 1 of", self.lab("hint", "05"))
        self.assertIn("Hint 2 of", self.lab("hint", "03"))
        self.assertIn("Hint 2 of", self.lab("hint", "05"))

    def test_without_a_lab_the_hint_is_for_the_next(self):
        self.state.write_text(json.dumps({"labs": {"03_pipeline_primitives": {"passed": True, "tried": True}}}))
        self.assertEqual(json.loads(self.lab("hint", "--json"))["lab"], "04_cp_async_ptx")
        self.assertIn("More: ./lab hint 04", self.lab("hint"))

    def test_passed_labs_stay_passed(self):
        self.state.write_text(json.dumps({"labs": {"00_host_copies": {"passed": True, "tried": True}}}))
        self.lab("hint", "03")
        self.assertIn(f"1 of {len(LABS)} labs passed", self.lab())

    def test_the_next_lab_is_behind_the_last_that_is_passed(self):
        for passed, following in (([], "00"), (["01_synchronous_staging"], "02"), (LABS[-1:], "00"),
                                  (["00_host_copies", "02_memcpy_async"], "03")):
            self.state.write_text(json.dumps({"labs": {lab: {"passed": True, "tried": True} for lab in passed}}))
            self.assertIn(f"Next: {following} ", self.lab())

    def test_labs_that_were_skipped_are_named(self):
        self.state.write_text(json.dumps({"labs": {lab: {"passed": True, "tried": True} for lab in LABS[:6] if lab[:2] in ("01", "05")}}))
        self.assertIn("  open     00, 02, 03, 04: ./lab check 00 checks one of them", self.lab())

    def test_under_a_chinese_locale_the_page_is_the_chinese_one(self):
        shown = subprocess.run([RUNNER], capture_output=True, text=True, timeout=60,
                               env={**os.environ, "LAB_ROOT": ROOT, "LAB_STATE": str(self.state.parent), "LAB_LANG": "zh"}).stdout
        self.assertIn("labs/00_host_copies/README.zh.md", shown)
        self.assertIn(f"{len(LABS)} 个实验中已通过 0 个。", shown)

    def test_a_spoilt_file_is_no_obstacle(self):
        self.state.write_text("{")
        self.assertIn(f"0 of {len(LABS)} labs passed", self.lab())
        self.assertIn("Hint 1 of", self.lab("hint", "03"))
        self.assertIn("Hint 2 of", self.lab("hint", "03"))


class Reset(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.kernel = self.root / "labs/01_synchronous_staging/kernel.cu"
        self.kernel.parent.mkdir(parents=True)
        self.kernel.write_text("as published\n")
        (self.root / "common/check").mkdir(parents=True)
        for command in ("init -q", "add .", "-c user.name=a -c user.email=b commit -q -m c"):
            subprocess.run(["git", "-C", self.root, *command.split()], check=True)

    def reset(self):
        done = subprocess.run([RUNNER, "reset", "01", "--json"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LAB_ROOT": str(self.root), "LAB_STATE": str(self.root / "state")})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(sorted(report), ["file", "kept_as", "lab"])
        self.assertEqual(self.kernel.read_text(), "as published\n")
        return report["kept_as"]

    def test_what_was_there_is_kept(self):
        for number, text in enumerate(("mine", "mine, too"), 1):
            self.kernel.write_text(text)
            kept = self.reset()
            self.assertEqual((kept, Path(kept).read_text()), (f"{self.kernel}.{number}", text))

    def test_what_is_untouched_is_left_alone(self):
        self.assertIsNone(self.reset())
        self.assertEqual(list(self.kernel.parent.iterdir()), [self.kernel])

    def test_what_is_gone_comes_back(self):
        self.kernel.unlink()
        self.assertIsNone(self.reset())


unittest.main(verbosity=2)
