"""A repository of one's own kernels, for tests of `lab run` in it."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote

RUNNER = Path(sys.argv.pop(1)).resolve()
PROGRAMS = Path(__file__).resolve().parent / "programs"
FOLLOWS = PROGRAMS.parents[1] / "real/faults/09_stale_barrier_pointer.cu"
WARNS = PROGRAMS.parents[1] / "sim/hazards/wrong/refill_without_proxy_fence.cu"
HAZARD, NOT_SUPPORTED, INCOMPLETE, TIMEOUT = 3, 4, 6, 124
ODD = "größe 1, 50%/ein kern.cu"
RACE, TWO = "kernels/race.cu", "kernels/two.cu"
SCRATCH = tempfile.TemporaryDirectory()


class Repository(unittest.TestCase):
    """A repository with programs in a folder, and lab run in its root."""

    @classmethod
    def setUpClass(cls):
        # At the same place for each class: what nvcc has made of a program need not be made again.
        cls.root = Path(SCRATCH.name).resolve() / "a repository"
        (cls.root / ".git").mkdir(parents=True)
        (cls.root / "kernels").mkdir()
        for source, name in (("race.cu", "race.cu"), ("race.cu", ODD), ("two_races.cu", "two.cu"), ("discard.cu", "discard.cu"),
                             ("no_kernel.cu", "clean.cu"), ("exit_seven.cu", "seven.cu"), ("endless_kernel.cu", "endless.cu")):
            (cls.root / "kernels" / name).parent.mkdir(exist_ok=True)
            shutil.copy(PROGRAMS / source, cls.root / "kernels" / name)
        (cls.root / "kernels/broken.cu").write_text('#error "100%: a, b"\n')
        shutil.copy(FOLLOWS, cls.root / "kernels/follows.cu")
        shutil.copy(WARNS, cls.root / "kernels/warns.cu")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def lab(self, code, *arguments, folder=""):
        done = subprocess.run([RUNNER, "run", *arguments], capture_output=True, text=True, timeout=300, cwd=self.root / folder)
        self.assertEqual(done.returncode, code, done)
        return done

    def read(self, name):
        return (self.root / name).read_text()

    def suppressions(self, text):
        (self.root / "suppress.toml").write_text(text)
        return ("--suppress", "suppress.toml")


def commands(text):
    """(level, {property: value}, message) of each workflow command, read as GitHub's runner does."""
    def plain(value, *signs):
        for sign in (*signs, "%0D", "%0A", "%25"):
            value = value.replace(sign, unquote(sign))
        return value

    for line in text.splitlines():
        if found := re.fullmatch(r"::(\w+)(?: (.*?))?::(.*)", line):
            pairs = (pair.partition("=")[::2] for pair in (found[2] or "").split(",") if pair)
            yield found[1], {key: plain(value, "%3A", "%2C") for key, value in pairs}, plain(found[3])
