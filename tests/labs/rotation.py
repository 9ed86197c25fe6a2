"""Which of many like things a test goes through completely this time: one in eight or four, others with each commit.

A run of the same commit always chooses the same ones. ASYNCLAB_ALL=1 chooses all, and so does ASYNCLAB_BLESS=1, which writes
what was found.
"""

import functools
import hashlib
import os
import subprocess
from pathlib import Path

SHARE = 8


@functools.cache
def commit():
    git = subprocess.run(["git", "-C", Path(__file__).parent, "rev-parse", "HEAD"], capture_output=True, text=True)
    return git.stdout.strip()


def turn(name, turns):
    """A number below `turns`."""
    return int.from_bytes(hashlib.sha256(f"{commit()} {name}".encode()).digest()[:8], "big") % turns


def is_due(name, share=SHARE):
    return "1" in (os.environ.get("ASYNCLAB_ALL"), os.environ.get("ASYNCLAB_BLESS")) or turn(name, share) == 0
