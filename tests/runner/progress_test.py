"""What has been reached is remembered from one command to the next: hints go on, and one lab's entry leaves the others' alone."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), sys.argv.pop(1)


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

    def test_passed_labs_stay_passed(self):
        self.state.write_text(json.dumps({"labs": {"00_host_copies": {"passed": True, "tried": True}}}))
        self.lab("hint", "03")
        self.assertIn("1 of 17 labs passed", self.lab())

    def test_the_next_lab_is_behind_the_last_that_is_passed(self):
        for passed, following in (([], "00"), (["01_synchronous_staging"], "02"), (["16_capstone"], "00"),
                                  (["00_host_copies", "02_memcpy_async"], "03")):
            self.state.write_text(json.dumps({"labs": {lab: {"passed": True, "tried": True} for lab in passed}}))
            self.assertIn(f"Next: {following} ", self.lab())

    def test_a_spoilt_file_is_no_obstacle(self):
        self.state.write_text("{")
        self.assertIn("0 of 17 labs passed", self.lab())
        self.assertIn("Hint 1 of", self.lab("hint", "03"))
        self.assertIn("Hint 2 of", self.lab("hint", "03"))


unittest.main(verbosity=2)
