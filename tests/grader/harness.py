"""Submissions of attackers, and something for them to attack."""

import functools
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))
ATTACKS = Path(__file__).resolve().parent / "attacks"
LAB = "01_synchronous_staging"
# The sizes by which the launch function distinguishes lab 01's cases: each runs one attack.
SLOTS = ["n == 1", "n == 5", "n == 1024", "n == 8193", "n == 12288", "n > 40000", "n == 10240"]


def as_function(path):
    """An attack as a function of its name, for a frame: a whole submission gets a namespace of its own."""
    text = path.read_text()
    if "LAB_ENTRY(launch)" not in text:
        return text
    includes = re.findall("^#include <.*>$", text, re.M)
    rest = re.sub(r"^(#include .*|LAB_ENTRY\(launch\))$", "", text, flags=re.M)
    return "\n".join([*includes, f"namespace {path.stem}_file {{", rest, "}",
                      f"static void {path.stem}(const float* in, float* out, int n) {{",
                      f"    {path.stem}_file::launch(in, out, n, given);", "}", ""])


class Prey:
    """A secret in a file and in the environment, a file that all may write, a process, a port."""

    def __init__(self, user=None):
        self.secret = secrets.token_hex(12)
        self.mark = "mark" + secrets.token_hex(6)
        self.folder = Path(tempfile.mkdtemp(prefix="asynclab-prey-", dir="/tmp"))
        self.folder.chmod(0o777)
        self.file = self.folder / "secret.txt"
        self.file.write_text(self.secret + "\n" + f"int secret = {self.secret};\n")
        self.writable = self.folder / "writable"
        self.writable.write_text("untouched")
        self.writable.chmod(0o666)
        self.submissions = self.folder / "submissions"
        self.submissions.mkdir()
        other = self.submissions / "zoe" / LAB / "kernel.cu"
        other.parent.mkdir(parents=True)
        other.write_text(f"// {self.secret}\n#error does not take long\n")
        self.other = other
        self.prefix = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "--"] if user else []
        self.victim = subprocess.Popen(self.prefix + ["sleep", "1000"])
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(0)

    def fill(self, text):
        known = {"SECRET": self.secret[:12] + '""' + self.secret[12:], "SECRETFILE": self.file, "OTHER": self.other,
                 "FOLDER": self.submissions, "PREY": self.writable, "TREE": TREE, "MARK": self.mark,
                 "VICTIM": self.victim.pid, "PORT": self.server.getsockname()[1]}
        return re.sub(r"@([A-Z]+)@", lambda match: str(known.get(match[1], match[0])), text)

    def submit(self, name, text, lab=LAB):
        kernel = self.submissions / name / lab / "kernel.cu"
        kernel.parent.mkdir(parents=True)
        kernel.write_text(self.fill(text))

    def submit_frame(self, name, attacks, calls):
        text = (ATTACKS / "frame.cu").read_text()
        bodies = "\n".join(as_function(path) for path in attacks)
        self.submit(name, text.replace("@ATTACKS@", bodies).replace("@CALLS@", "\n    ".join(calls)))

    def damage(self):
        """The attackers' effects outside of their boxes."""
        found = []
        if self.victim.poll() is not None:
            found.append("the victim is dead")
        if not self.writable.exists() or self.writable.read_text() != "untouched":
            found.append("the file that all may write was changed")
        try:
            self.server.accept()
            found.append("somebody called the port")
        except BlockingIOError:
            pass
        for folder in ("/tmp", "/dev/shm", "/var/tmp", str(TREE), "/"):
            found += [str(path) for path in Path(folder).glob("*" + self.mark + "*")]
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark in (process / "comm").read_text():
                    found.append(f"process {process.name} is left")
            except OSError:
                pass
        return found

    def close(self):
        self.victim.kill()
        self.victim.wait()
        self.server.close()
        subprocess.run(["rm", "-rf", self.folder], check=True)


def grade(prey, level, *options):
    """Grades prey.submissions; returns ({submission: result}, everything that was written and printed)."""
    out = prey.folder / "graded"
    environment = {**os.environ, "LAB_ROOT": str(TREE), "TEST_SECRET": prey.secret}
    command = [*prey.prefix, RUNNER, "grade", prey.submissions, "--out", out, "--labs", "01", "--isolation", level,
               "--schedules", "1", "--timeout", "3", "--compile-timeout", "90", "--jobs", "2", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, env=environment, errors="replace")
    if done.returncode:
        raise AssertionError(f"{level}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    results = {path.stem: json.loads(path.read_text()) for path in sorted((out / "results").glob("*.json"))}
    return results, done.stdout + done.stderr


@functools.cache
def levels():
    """Those that work here, and the users that grading can be tried as: root and, from root, one of the others."""
    found = []
    users = [None]
    if os.geteuid() == 0 and os.access(TREE, os.R_OK) and subprocess.run(
            ["setpriv", "--reuid", "65534", "--clear-groups", "--", RUNNER, "--help"], capture_output=True).returncode == 0:
        users.append(65534)
    for user in users:
        for level in ("bubblewrap", "user", "landlock"):
            prefix = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "--"] if user else []
            with tempfile.TemporaryDirectory() as folder:
                probe = subprocess.run([*prefix, RUNNER, "grade", "one", "--submission", "/dev/null", "--out", folder + "/x",
                                        "--isolation", level, "--labs", "01"], capture_output=True, text=True,
                                       env={**os.environ, "LAB_ROOT": str(TREE)})
            if "does not work here" not in probe.stderr:
                found.append((level, user))
            else:
                print(f"{level} as {user or 'ourselves'}: {probe.stderr.strip()}", file=sys.stderr)
    return found
