"""The programs that coverage.md refers to print "right" on the simulated device, and nothing is reported."""

import subprocess
import sys
import unittest
from pathlib import Path

RUNNER = sys.argv.pop(1)
PROGRAMS = Path(__file__).resolve().parent / "programs"


class Programs(unittest.TestCase):
    pass


for program in sorted(PROGRAMS.glob("*.cu")):
    def check(self, program=program):
        done = subprocess.run([RUNNER, "run", program, "--schedules", "4"], capture_output=True, text=True, timeout=240)
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        self.assertRegex(done.stderr, r"\A(lab: every order of \d+ barrier operations was explored\n)?\Z")
    setattr(Programs, f"test_{program.stem}", check)

unittest.main(verbosity=2)
