"""Every ./lab command that the documentation shows is run, as it stands there, in a copy of the tree.

What cannot be run here, or is run elsewhere, is in the list NOT_RUN with the reason."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = str(Path(sys.argv.pop(1)).resolve())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "labs").glob("*/README.md"))]
NOT_RUN = {
    r"(check|trace|step|watch|grade|run|break|hint|solution|reset)?": "names a command, and is none yet",
    r"watch .*": "ends when a key is pressed: tests/runner/watch_test.py presses it",
    r"check (--format gcc )?labs/.*": "a skeleton, named by its file: tests/runner/editor_test.py",
    r"check --format gcc %.*": "a line of an editor's configuration",
    r"check --(solutions|all)": "minutes: tests/labs checks each solution and each skeleton",
    r"check (0[2-9]|[12]\d)": "the chapters' first exercise; tests/labs checks each skeleton, and check 00, 01 are run here",
    r"grade .*": "needs submissions: tests/grader makes some",
    r"(test|clean|docs|--version)\b.*": "the launcher's, with network or for minutes: tests/setup, and tests/docs/site_test.py",
    r".*--device (gpu|both).*|.*--sanitize.*|sass.*|bench(?! device| costs).*": "needs a GPU, or NVIDIA's disassembler",
    r"(variant|check) \d\d --student ID": "a student's id; tests/grader/variants_test.py draws some",
    r"reset .*": "asks git for the original, which a copy does not have: tests/runner/progress_test.py",
    r"run tests/sim/differential/.*": "the tests differential-* run it",
    r"quiz --export .*": "runs a hundred programs: tests/runner/exercise_test.py exports one lab's questions",
    r"drill \d\d\.\d": "tests/labs checks each exercise, solved and untouched",
    r"drill (0[02-46-9]|[12]\d)": "each lab's README shows it; tests/labs checks each exercise, and drill 01, 05 are run here",
    r"quiz \d\d\.\d": "asks the same as 'quiz LAB', which is run here for some labs",
    r"check \d\d --file build/tests/labs/.*": "the copy lacks the labs' versions, and tests/labs checks each of them itself",
    r"step \d\d .*|check \d\d --step": "one lab's page is enough: tests/docs/step_page_test.py looks at it",
    r"bench costs.*": "measures for minutes: tests/costs/costs_test.py has a runner that answers at once",
    r"run .*--(break|core|box)\b.*|(run|step) FILE\.core.*": "tests/runner/debugger_test.py stops, keeps, repeats and opens a run",
    r"bench device": "measures for half a minute, alone on the machine",
}
# Placeholders, and a value for each.
STANDS_FOR = {"FILE.cu": "staged.cu", "RULE": "missing-wait", "LAB": "01", "NN": "01", "OUT": "out", "ARGUMENTS": "one"}
# The skeletons and untouched exercises do not pass, and there is nothing to break in them yet.
FAILS = r"(check|break) (\d.*|NN)|(drill|hunt)( \d+(\.h\d)?)?"


def shown():
    """{command: the first page and line that shows it}"""
    commands = {}
    for page in PAGES:
        text = page.read_text()
        for found in re.finditer(r"(?<![\w/])\./lab(?![\w/-])([^\n`|…]*)", text):
            command = re.split(r" #| {3}|[，。；：、（]", found[1])[0].strip().rstrip(".,;:)")
            place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}"
            commands.setdefault(command, place)
    return commands


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.tree = Path(cls.folder.name) / "asynclab"
        for part in ("labs", "solutions", "common/check", "common/runner/bench"):
            shutil.copytree(ROOT / part, cls.tree / part)
        shutil.copy(ROOT / "tests/runner/programs/staged.cu", cls.tree)
        # What docs/ptx.md describes: its own example is the launch of this kernel.
        shutil.copy(ROOT / "tests/runner/ptx/double.ptx", cls.tree / "kernel.ptx")
        (cls.tree / "launch.toml").write_text(re.search(r"```toml\n(.*?)```", (ROOT / "docs/ptx.md").read_text(), re.S)[1])
        (cls.tree / "script.py").write_text("print('nothing for the device')\n")
        state = Path(os.environ.get("LAB_STATE", ROOT / ".asynclab"))
        cls.state = cls.tree / ".asynclab"
        cls.state.mkdir()
        for name in ("toolchain.json",):
            if (state / name).exists():
                shutil.copy(state / name, cls.state)
        # What nvcc has made once need not be made again.
        (state / "cache").mkdir(parents=True, exist_ok=True)
        (cls.state / "cache").symlink_to(state / "cache")

    def test_each(self):
        unused = set(NOT_RUN)
        ran = 0
        for command, place in shown().items():
            if reason := next((pattern for pattern in NOT_RUN if re.fullmatch(pattern, command)), None):
                unused.discard(reason)
                continue
            words = [STANDS_FOR.get(word, word) for word in command.split()]
            environment = {**os.environ, "LAB_ROOT": str(self.tree), "LAB_STATE": str(self.state)}
            done = subprocess.run([RUNNER, *words], cwd=self.tree, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120)
            with self.subTest(f"{place}: ./lab {command}"):
                self.assertEqual(done.returncode, 1 if re.fullmatch(FAILS, command) else 0, done.stdout + done.stderr)
            ran += 1
        self.assertGreater(ran, 50)
        for pattern in ("watch .*", r"check (0[2-9]|[12]\d)"):
            self.assertNotIn(pattern, unused, "the list of what is not run has an entry that nothing needs")


unittest.main()
