"""The C++ files are formatted as .clang-format says, by the version that its first line names."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.match(r"# clang-format (\d+)", (ROOT / ".clang-format").read_text())[1]


def formatter():
    """The right version of clang-format: CI's own, or the system's under one of its names."""
    for name in (ROOT / ".asynclab/venv/bin/clang-format", f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program and re.search(rf"version {VERSION}\.", subprocess.run([program, "--version"], capture_output=True, text=True).stdout):
            return program
    return None


def sources():
    for folder in ("common", "labs", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in {".cpp", ".h"}:
                yield name


class Format(unittest.TestCase):
    def test_sources_are_formatted(self):
        program = formatter()
        if not program:
            self.skipTest(f"there is no clang-format {VERSION} here (Debian's clang-format-{VERSION}, or pip install clang-format=={VERSION}.*)")
        names = list(sources())
        check = subprocess.run([program, "--dry-run", "--ferror-limit=1", *names], cwd=ROOT, capture_output=True, text=True)
        unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: .*clang-format-violations", check.stderr, re.M)))
        self.assertFalse(unformatted, f"run: {Path(program).name} -i {' '.join(unformatted)}")
        self.assertEqual(0, check.returncode, check.stderr)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.skipped and not result.failures and not result.errors:
        print("SKIPPED:", result.skipped[0][1])
        sys.exit(77)  # Meson shows the test as skipped
    sys.exit(not result.wasSuccessful())
