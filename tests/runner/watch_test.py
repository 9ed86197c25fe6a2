"""`lab watch` in a terminal: it checks saved files, obeys its keys and leaves nothing behind."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
NAME = "03_pipeline_primitives"
PATIENCE = 60  # seconds; machines can be busy


class Terminal:
    """`lab watch 03 --file kernel.cu` on a terminal of its own."""

    def __init__(self, kernel):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([RUNNER, "watch", "03", "--file", kernel], stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True)
        os.close(slave)
        self.seen = ""

    def expect(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            if not select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} did not come; so far: {self.seen!r}")
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        before, self.seen = self.seen.split(text, 1)
        return before

    def press(self, key):
        os.write(self.master, key.encode())

    def end(self):
        code = self.process.wait(PATIENCE)
        os.close(self.master)
        return code


def processes_about(file):
    """Command lines, of all processes, that name the file."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = line.read_bytes()
        except OSError:
            continue  # it has just ended
        if str(file).encode() in command:
            found.append(command)
    return found


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # a check that is ended may still write
        self.kernel = Path(self.folder.name) / "kernel.cu"
        os.environ["LAB_STATE"] = str(Path(self.folder.name) / "state")  # hints are remembered
        if (ROOT / ".asynclab/toolchain.json").exists():
            os.mkdir(os.environ["LAB_STATE"])
            shutil.copy(ROOT / ".asynclab/toolchain.json", os.environ["LAB_STATE"])
            # What nvcc has made once need not be made again.
            (ROOT / ".asynclab/cache").mkdir(exist_ok=True)
            Path(os.environ["LAB_STATE"], "cache").symlink_to(ROOT / ".asynclab/cache")
        shutil.copy(ROOT / "solutions" / NAME / "kernel.cu", self.kernel)
        self.terminal = Terminal(self.kernel)
        self.terminal.expect("checking")

    def tearDown(self):
        if self.terminal.process.poll() is None:
            self.terminal.process.kill()
        self.folder.cleanup()

    def test_each_save_is_checked(self):
        self.terminal.expect("18 of 18 points")
        self.terminal.expect("watching")
        self.kernel.write_text("this is no C++\n")
        self.terminal.expect("checking")
        self.terminal.expect("error")
        self.terminal.expect("watching")
        # As most editors save: a new file takes the old one's place.
        shutil.copy(ROOT / "solutions" / NAME / "kernel.cu", self.kernel.with_suffix(".new"))
        self.kernel.with_suffix(".new").rename(self.kernel)
        self.terminal.expect("18 of 18 points")
        self.terminal.press("q")
        self.assertEqual(self.terminal.end(), 0)

    def test_a_save_that_keeps_a_backup_is_checked(self):
        self.terminal.expect("watching")
        self.kernel.rename(self.kernel.with_suffix(".cu~"))
        time.sleep(0.3)  # the file is not there
        self.kernel.write_text("this is no C++\n")
        self.terminal.expect("checking")
        self.terminal.expect("error")
        self.terminal.expect("watching")
        self.terminal.press("q")
        self.assertEqual(self.terminal.end(), 0)

    def test_keys(self):
        self.terminal.expect("watching")
        self.terminal.press("h")
        self.terminal.expect("Hint 1 of")
        self.terminal.expect("watching")
        self.terminal.press("t")
        self.terminal.expect("page: ")
        self.terminal.expect("watching")
        self.terminal.press("n")
        self.terminal.expect("no next lab for --file")
        self.terminal.press("l")
        self.terminal.expect("16_capstone")
        self.terminal.press("c")
        self.terminal.expect("checking")
        self.terminal.press("q")
        self.assertEqual(self.terminal.end(), 0)

    def test_interrupt_ends_the_check_too(self):
        self.terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(self.terminal.end(), 128 + signal.SIGINT)
        self.assertEqual(processes_about(self.kernel), [])


unittest.main(verbosity=2)
