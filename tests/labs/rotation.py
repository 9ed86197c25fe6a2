"""Which of many like things a test goes through this time, others with each commit.

A run of the same commit always chooses the same ones. ASYNCLAB_ALL=1 chooses all, and so does ASYNCLAB_BLESS=1, which writes
what was found. `./lab test` goes through a sample; with the name of a test, it goes through all that is in_sample.
"""

import functools
import hashlib
import os
import subprocess
from pathlib import Path

@functools.cache
def commit():
    git = subprocess.run(["git", "-C", Path(__file__).parent, "rev-parse", "HEAD"], capture_output=True, text=True)
    return git.stdout.strip()


def turn(name, turns):
    """A number below `turns`."""
    return int.from_bytes(hashlib.sha256(f"{commit()} {name}".encode()).digest()[:8], "big") % turns


def is_due(name, share):
    return "1" in (os.environ.get("ASYNCLAB_ALL"), os.environ.get("ASYNCLAB_BLESS")) or turn(name, share) == 0


def samples():
    return os.environ.get("ASYNCLAB_SAMPLE") == "1"


def in_sample(name, share):
    """Of things that are tested alike: one in `share` belongs to the sample."""
    return not samples() or is_due(f"sample {name}", share)
