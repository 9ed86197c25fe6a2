"""What editors make of reports: the problem matchers of .vscode/tasks.json, Vim's errorformat, clangd's flags.

The matchers are applied as VS Code applies them: line by line, to the output of the commands that the tasks run."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER, ROOT = Path(sys.argv.pop(1)).absolute(), Path(sys.argv.pop(1)).resolve()
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402
WRONG = lab_versions.file("05", "wrong/barrier_before_the_wait")
TASKS = {task["label"]: task for task in json.loads((ROOT / ".vscode/tasks.json").read_text())["tasks"]}
COMMANDS = re.findall(r"^  (\w+)", subprocess.run([RUNNER, "help"], capture_output=True, text=True).stdout, re.M)


def arguments(task, file):
    return [RUNNER, *(argument.replace("${relativeFile}", str(file.relative_to(ROOT))) for argument in TASKS[task]["args"])]


def problems(task, output):
    """What VS Code would mark: (path, line, column, severity, message, code)."""
    matcher = TASKS[task]["problemMatcher"]
    assert matcher["fileLocation"] == ["autoDetect", "${workspaceFolder}"]
    pattern = matcher["pattern"]
    found = []
    for line in output.splitlines():
        if match := re.search(pattern["regexp"], re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)):
            path, number, column, severity, message, code = (
                match[pattern[name]] for name in ("file", "line", "column", "severity", "message", "code"))
            found.append(((ROOT / path).resolve(), int(number), int(column or 0), severity, message, code))
    return found


class Editors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        state = Path(cls.folder.name) / "state"
        state.mkdir()
        cls.cache = ROOT / ".asynclab/cache"
        cls.cache.mkdir(parents=True, exist_ok=True)
        (state / "cache").symlink_to(cls.cache)
        if (ROOT / ".asynclab/toolchain.json").exists():
            shutil.copy(ROOT / ".asynclab/toolchain.json", state)
        cls.environment = {**os.environ, "LAB_ROOT": str(ROOT), "LAB_STATE": str(state), "LAB_DEVICE": "sim"}
        cls.watched = cls.watch()

    @classmethod
    def watch(cls):
        """The output of the task "watch", from its beginning to the end of the first check."""
        process = subprocess.Popen(arguments("asynclab: watch", WRONG), cwd=ROOT, env=cls.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        output = []
        for line in process.stdout:
            output.append(line)
            if line.startswith("watching"):
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        return "".join(output)

    def run_task(self, task, file):
        return subprocess.run(arguments(task, file), cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=200)

    def test_a_check_marks_both_places(self):
        first, second, *_ = problems("asynclab: watch", self.watched)
        lines = WRONG.read_text().splitlines()
        for problem, severity in ((first, "error"), (second, "note")):
            path, line, column, *rest, code = problem
            self.assertEqual((path, rest[0], code), (WRONG, severity, "missing-barrier-after-wait"), problem)
            shown = re.search(rf"^ *{line} \| (.*)", self.watched, re.M)[1]  # the report shows the line that is marked
            self.assertEqual(shown.rstrip("…"), lines[line - 1][:len(shown.rstrip("…"))])
            self.assertTrue(lines[line - 1][column - 1:].strip(), problem)
        self.assertIn("Put __syncthreads()", first[4])

    def test_what_a_report_shows_for_people_is_marked_once(self):
        places = [problem[:5] for problem in problems("asynclab: watch", self.watched)]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(len(places), len(re.findall(r"^\S+:\d+:\d+: ", self.watched, re.M)))

    def test_a_watching_task_begins_and_ends(self):
        background = TASKS["asynclab: watch"]["problemMatcher"]["background"]
        lines = self.watched.splitlines()
        self.assertEqual([number for number, line in enumerate(lines) if re.search(background["beginsPattern"], line)], [0])
        self.assertEqual([number for number, line in enumerate(lines) if re.search(background["endsPattern"], line)], [len(lines) - 1])

    def test_compile_errors_and_the_remains_of_a_compilation(self):
        old, new = self.cache / "new-0-editor-test", self.cache / "new-1-editor-test"
        for folder in (old, new):
            folder.mkdir(exist_ok=True)
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.utime(old, (time.time() - 7200,) * 2)
        with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="05_wait_group") as folder:
            file = Path(folder) / "05_wait_group" / "kernel.cu"
            file.parent.mkdir()
            file.write_text('#include "lab.h"\n\nint no_semicolon\nvoid encode() {}\n')
            done = self.run_task("asynclab: check", file)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("It does not compile", done.stdout)
            self.assertIn((file, 4, "error"), [(path, line, severity) for path, line, _, severity, *_ in problems("asynclab: check", done.stdout)])
            self.vim(done.stdout, file.name, 4)
        self.assertFalse(old.exists())
        self.assertTrue(new.exists())

    def vim(self, output, name, line):
        if not shutil.which("vim"):
            return
        text, listed = Path(self.folder.name) / "output.txt", Path(self.folder.name) / "listed.txt"
        text.write_text(output)
        listed.unlink(missing_ok=True)
        subprocess.run(["vim", "-es", "-u", "NONE", "-N", "-c", f"cgetfile {text}", "-c", f"redir! > {listed}", "-c", "clist", "-c", "redir END",
                        "-c", "qa!"], cwd=ROOT, timeout=60)
        self.assertRegex(listed.read_text(), rf"{re.escape(name)}:{line}\b")

    def test_vim_understands_both_places(self):
        for problem in problems("asynclab: watch", self.watched)[:2]:
            self.vim(self.watched, WRONG.name, problem[1])

    def test_each_task_has_a_command(self):
        for task in TASKS.values():
            self.assertEqual(task["command"], "./lab")
            if task["args"][0] != "step":  # which may not be built
                self.assertIn(task["args"][0], COMMANDS)
        matchers = [task["problemMatcher"]["pattern"] for task in TASKS.values() if task["problemMatcher"]]
        self.assertTrue(all(pattern == matchers[0] for pattern in matchers))

    def test_a_lab_may_be_named_by_its_file(self):
        for file, number in (("labs/05_wait_group/kernel.cu", "05"), ("labs/05_wait_group/drills/3_keep_counting.cu", "05.3")):
            done = subprocess.run([RUNNER, "hint", "--json", file], cwd=ROOT, env=self.environment, capture_output=True, text=True)
            same = subprocess.run([RUNNER, "hint", "--json", number], cwd=ROOT, env=self.environment, capture_output=True, text=True)
            self.assertEqual(json.loads(done.stdout)["lab"], json.loads(same.stdout)["lab"])

    @unittest.skipUnless(shutil.which("clangd") and (ROOT / ".asynclab/editor/compile_flags.txt").exists(), "no clangd")
    def test_clangd_finds_no_fault(self):
        done = subprocess.run(["clangd", "--check=" + str(ROOT / "solutions/14_cluster_multicast/kernel.cu")], cwd=ROOT,
                              capture_output=True, text=True, timeout=200)
        self.assertNotRegex(done.stderr, r"(?m)^E.*\[\w+\] Line")
        self.assertIn("compile_flags.txt", done.stderr)


unittest.main()
