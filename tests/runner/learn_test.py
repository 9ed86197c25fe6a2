"""`lab learn` in a terminal: steps in their order, the editor, the bookmark; and without a terminal."""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER, ROOT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
PATIENCE = 120  # seconds; machines can be busy


class Learn(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.state = Path(self.folder.name, "state")
        self.state.mkdir()
        self.edited = Path(self.folder.name, "edited")
        editor = Path(self.folder.name, "editor")
        editor.write_text(f'#!/bin/sh\necho "$1" >> {self.edited}\n')
        editor.chmod(0o755)
        if (ROOT / ".asynclab/toolchain.json").exists():
            shutil.copy(ROOT / ".asynclab/toolchain.json", self.state)
            (ROOT / ".asynclab/cache").mkdir(exist_ok=True)
            (self.state / "cache").symlink_to(ROOT / ".asynclab/cache")
        self.environment = {**os.environ, "LAB_ROOT": str(ROOT), "LAB_STATE": str(self.state), "EDITOR": str(editor),
                            "VISUAL": "", "PAGER": "cat", "LAB_LANG": "en", "TERM": "xterm"}

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *arguments):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([RUNNER, "learn", *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env=self.environment, start_new_session=True)
        os.close(slave)
        self.seen = ""

    def expect(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            if not select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]:
                self.process.kill()
                raise AssertionError(f"{text!r} did not come; so far: {self.seen!r}")
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.seen = self.seen.split(text, 1)[1]

    def press(self, key):
        os.write(self.master, key.encode())

    def quit(self):
        self.press("q")
        self.assertEqual(self.process.wait(PATIENCE), 0)
        os.close(self.master)

    def plain(self, *arguments):
        return subprocess.run([RUNNER, "learn", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=self.environment, timeout=PATIENCE)

    def test_steps_the_editor_and_the_bookmark(self):
        self.start("01")
        self.expect("chapter ●")
        self.expect("Enter read")
        self.press("\n")
        self.expect("# ")  # the chapter, which the pager shows
        self.expect("chapter ●")
        self.press("n")
        self.expect("chapter ✓   drills ● ○")
        self.expect("drill 01.1:")
        self.expect("Enter check, e edit, h hint")
        self.press("h")
        self.expect("Hint 1 of")
        self.expect("q quit")
        self.quit()
        self.assertEqual([Path(line).name[:2] for line in self.edited.read_text().splitlines()], ["1_"])
        self.start()  # where it was left
        self.expect("chapter ✓   drills ● ○")
        self.expect("q quit")
        self.press("p")
        self.expect("chapter ●")
        self.expect("q quit")
        self.quit()
        self.assertEqual(json.loads((self.state / "learn.json").read_text()), {"at": "01 chapter", "done": ["01 chapter"]})

    def test_a_drill_is_checked(self):
        self.start("01.1")
        self.expect("Enter check")
        self.press("c")
        self.expect("01.1")
        self.expect("q quit")
        self.quit()

    def test_without_a_terminal(self):
        first = self.plain()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("chapter ●", first.stdout)
        self.assertIn("./lab learn --next", first.stdout)
        second = self.plain("--next")
        self.assertIn("./lab drill 00.1", second.stdout)
        self.assertIn("chapter ●", self.plain("--back").stdout)

    def test_a_damaged_bookmark_counts_as_none(self):
        (self.state / "learn.json").write_text("[")
        self.assertIn("chapter ●", self.plain().stdout)
        (self.state / "learn.json").write_text('{"at": 3, "done": 4}')
        self.assertIn("chapter ●", self.plain().stdout)

    def test_an_unknown_lab(self):
        self.assertEqual(self.plain("99").returncode, 2)


unittest.main(verbosity=2)
