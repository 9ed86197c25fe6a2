"""The box of the process that runs the simulated device: what is tried from inside, and the process of real runs."""

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

ROOT = Path(__file__).resolve().parents[2]
PRISONER, DEVICE, RUNNER = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
ROOT_HERE = os.geteuid() == 0
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
USERS = {"root": [], "nobody": NOBODY} if ROOT_HERE else {"this user": []}
ALLOWED = {"a thread", "memory", "an exception"}
LEVELS = ("limits", "landlock", "user", "bubblewrap")


def status(pid):
    return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)


class Box(unittest.TestCase):
    def is_locked_in(self, pid, root):
        seen = status(pid)
        self.assertEqual(seen["Seccomp"], "2")
        self.assertEqual(seen["NoNewPrivs"], "1")
        for kind in ("CapEff", "CapPrm", "CapInh", "CapAmb") + (("CapBnd",) if root else ()):
            self.assertEqual(int(seen[kind], 16), 0, kind)
        if root:
            users = set(seen["Uid"].split())
            self.assertEqual(len(users), 1)
            self.assertGreaterEqual(int(users.pop()), 1000)
            self.assertEqual(seen["Groups"].strip(), "")

    def test_nothing_gets_out(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PRISONER, folder)
            for user, prefix in USERS.items():
                with self.subTest(user):
                    process = subprocess.Popen([*prefix, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                    said = {}
                    while len(said) == 0 or list(said)[-1] != "an exception":
                        line = process.stdout.readline()
                        self.assertTrue(line, said)
                        what, result = line.strip().split(": ", 1)
                        said[what] = result
                    self.is_locked_in(process.pid, user == "root")
                    process.stdin.close()
                    self.assertEqual(process.wait(20), 0)
                    process.stdout.close()
                    self.assertEqual(said.pop("box"), "entered")
                    self.assertGreater(len(said), 28)
                    for what, result in said.items():
                        with self.subTest(what):
                            if what in ALLOWED:
                                self.assertEqual(result, "done")
                            else:
                                self.assertIn(result, {"EPERM", "ENOMEM"} if "limit" in what else {"EPERM"})

    def test_processor_time_ends(self):
        process = subprocess.Popen([PRISONER, "spin"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.assertEqual(process.wait(120), -signal.SIGKILL)

    def test_the_device_of_real_runs_is_locked_in(self):
        """At each level that grades here, and in `check`. The verdict is that of an honest solution."""
        solution = ROOT / "solutions/01_synchronous_staging/kernel.cu"
        grade = [RUNNER, "grade", "one", "--submission", solution, "--labs", "01", "--schedules", "1", "--out"]
        with tempfile.TemporaryDirectory() as folder:
            runs = {"check": [RUNNER, "check", "01", "--file", solution]}
            for level in LEVELS:
                runs[level] = [*grade, Path(folder) / f"{level}.json", "--isolation", level]
            for name, command in runs.items():
                with self.subTest(name):
                    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                               env={**os.environ, "LAB_ROOT": str(ROOT)})
                    seen = self.watch(process)
                    said = process.communicate()[0]
                    if process.returncode == 2 and re.search("does not work|cannot|only root|not installed", said):
                        continue # this machine has no such level
                    self.assertEqual(process.returncode, 0, said)
                    self.assertTrue(seen, said)
                    if name in LEVELS:
                        self.assertEqual(json.loads(Path(folder, f"{name}.json").read_text())["score"], 15)
                    else:
                        self.assertIn("15 of 15 points", said)

    def watch(self, process):
        """Looks at each device that the run has once it has answered; returns how many looks there were."""
        looks = 0
        while process.poll() is None:
            for pid in self.descendants(process.pid):
                try:
                    seen = status(pid)
                    if seen["Name"] != DEVICE.name or seen["Seccomp"] != "2":
                        continue
                    self.is_locked_in(pid, ROOT_HERE)
                    looks += 1
                except (FileNotFoundError, ProcessLookupError):
                    continue
            time.sleep(0.002)
        return looks

    def descendants(self, pid):
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                for child in (task / "children").read_text().split():
                    yield int(child)
                    yield from self.descendants(int(child))
        except (FileNotFoundError, ProcessLookupError):
            return


unittest.main()
