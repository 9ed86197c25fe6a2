"""A page in a real browser: Chromium without a window."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))), None)
# /dev/shm is small in containers, and a profile of its own leaves nothing in the home directory.
ALWAYS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
          "--disable-background-networking", "--enable-logging=stderr", "--virtual-time-budget=5000"]


def browse(page, *options, width=1280, height=1400):
    """(the document after its scripts have run, what went to the console)"""
    url = page if isinstance(page, str) else Path(page).resolve().as_uri()
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([PROGRAM, *ALWAYS, f"--user-data-dir={profile}", f"--window-size={width},{height}", *options,
                               "--dump-dom", url], capture_output=True, text=True, timeout=120)
    console = re.findall(r"CONSOLE[^\]]*\] (.*)", done.stderr)
    return done.stdout, console


def picture(page, out, dark=False, **size):
    """A screenshot, for people."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run([PROGRAM, *ALWAYS, f"--user-data-dir={profile}", f"--screenshot={out}",
                        f"--window-size={size.get('width', 1280)},{size.get('height', 1400)}",
                        *(["--blink-settings=preferredColorScheme=0"] if dark else []), Path(page).resolve().as_uri()],
                       capture_output=True, timeout=120, check=True)
