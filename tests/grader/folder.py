"""A folder to put submissions in. No kernel here compiles (refusing.py), which is quick."""

import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import refusing

RUNNER = os.environ["LAB_RUNNER"]
KERNEL = "#error this is {}\n"
MODE = ["--isolation", "limits", "--schedules", "1"]
refusing.use()


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.folder.chmod(0o755)  # a grader that is root compiles as another user

    def one(self, path, *options):
        out = self.folder / "result.json"
        done = subprocess.run([RUNNER, "grade", "one", "--submission", path, "--out", out, *MODE, *options],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text())

    def graded(self, result):
        return {lab["lab"][:2]: lab["path"] for lab in result["labs"] if "path" in lab}

    def put(self, name, text="kernel"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNEL.format(text))
        return path

    def archive(self, name, members):
        path = self.folder / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
                for member, text in members:
                    out.writestr(member, text)
        else:
            with tarfile.open(path, "w:gz", compresslevel=1) as out:
                for member, text in members:
                    info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
                    info.size = len(text)
                    out.addfile(info, io.BytesIO(text.encode()))
        return path
