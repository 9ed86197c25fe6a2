"""Sources are formatted and linted: C++ and JavaScript by clang-format, Python by ruff, shell scripts by shellcheck.

.clang-format and .ruff.toml name the versions that count; CI installs them in .asynclab/venv."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def program(name, version, install):
    """The tool in that version: CI's own, or the system's under one of its names. Skips the test where there is none."""
    for candidate in (ROOT / ".asynclab/venv/bin" / name, f"{name}-{version}", name):
        found = shutil.which(candidate)
        if found and re.search(rf"\b{re.escape(version)}\.", subprocess.run([found, "--version"], capture_output=True, text=True).stdout):
            return found
    raise unittest.SkipTest(f"there is no {name} {version} here ({install})")


def version_in(file, pattern):
    return re.search(pattern, (ROOT / file).read_text())[1]


def sources(*suffixes):
    """The tree's files with one of these suffixes, whether git knows them yet or not."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in sorted(set(listed.stdout.split("\n"))) if name.endswith(suffixes) and (ROOT / name).exists()]


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


class Format(unittest.TestCase):
    def test_cpp_and_javascript(self):
        version = version_in(".clang-format", r"# clang-format (\d+)")
        formatter = program("clang-format", version, f"Debian's clang-format-{version}, or pip install clang-format=={version}.*")
        check = run(formatter, "--dry-run", "--ferror-limit=1", *sources(".cpp", ".h", ".js"))
        unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: .*clang-format-violations", check.stderr, re.M)))
        self.assertFalse(unformatted, f"run: {Path(formatter).name} -i {' '.join(unformatted)}")
        self.assertEqual(0, check.returncode, check.stderr)

    def test_python(self):
        version = version_in(".ruff.toml", r"# ruff (\S+)")
        check = run(program("ruff", version, f"pip install ruff=={version}.*"), "check", "--no-cache", "--output-format", "concise", ".")
        self.assertEqual(0, check.returncode, check.stdout + check.stderr)

    def test_shell(self):
        check = run(program("shellcheck", "0", "apt install shellcheck"), "-x", "lab", ".ci/run", *sources(".sh"))
        self.assertEqual(0, check.returncode, check.stdout)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    for _, why in result.skipped:
        print("SKIPPED:", why)
    if len(result.skipped) == result.testsRun:
        sys.exit(77)  # Meson shows the test as skipped
    sys.exit(not result.wasSuccessful())
