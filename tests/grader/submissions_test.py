"""Submissions in every shape: folders, files, archives, honest and hostile. No kernel here compiles, which is quick."""

import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

RUNNER = os.environ["LAB_RUNNER"]
KERNEL = "#error this is {}\n"
MODE = ["--isolation", "limits", "--schedules", "1"]


class Submissions(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

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

    def test_folder_names_labs_in_several_ways(self):
        for name in ("s/labs/01_synchronous_staging/kernel.cu", "s/lab02.cu", "s/3/kernel.cu", "s/notes.txt"):
            self.put(name)
        result = self.one(self.folder / "s", "--labs", "01,02,03,04")
        self.assertEqual(self.graded(result), {"01": "labs/01_synchronous_staging/kernel.cu", "02": "lab02.cu",
                                               "03": "3/kernel.cu"})
        self.assertEqual(result["labs"][3]["cases"][0]["verdict"], "missing")

    def test_single_file_of_any_name(self):
        result = self.one(self.put("my_homework.cu"), "--labs", "01")
        self.assertEqual(self.graded(result), {"01": "my_homework.cu"})

    def test_links_and_pipes_are_left_out(self):
        self.put("secret/kernel.cu", "secret")
        lab = self.folder / "s/01"
        lab.mkdir(parents=True)
        (lab / "kernel.cu").symlink_to(self.folder / "secret/kernel.cu")
        (self.folder / "s/02").symlink_to(self.folder / "secret")
        (self.folder / "s/03").mkdir()
        os.mkfifo(self.folder / "s/03/kernel.cu")
        result = self.one(self.folder / "s", "--labs", "01,02,03")
        self.assertEqual(self.graded(result), {})
        self.assertEqual(len(result["problems"]), 2, result["problems"])

    def archive(self, name, members):
        path = self.folder / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
                for member, text in members:
                    out.writestr(member, text)
        else:
            with tarfile.open(path, "w:gz") as out:
                for member, text in members:
                    info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
                    info.size = len(text)
                    out.addfile(info, io.BytesIO(text.encode()))
        return path

    def test_archives(self):
        for name in ("a.zip", "a.tar.gz"):
            result = self.one(self.archive(name, [("x/01/kernel.cu", KERNEL), ("x/readme", "")]), "--labs", "01")
            self.assertEqual(self.graded(result), {"01": f"{name}/x/01/kernel.cu"})

    def test_paths_that_leave_the_archive_write_nothing(self):
        target = self.folder / "outside"
        names = ["../../01/kernel.cu", str(target / "02/kernel.cu"), "../" * 20 + str(target)[1:] + "/03/kernel.cu"]
        for name in ("a.zip", "a.tar.gz"):
            result = self.one(self.archive(name, [(member, KERNEL) for member in names]), "--labs", "01,02,03")
            self.assertEqual(len(self.graded(result)), 3)
            self.assertFalse(target.exists())

    def test_links_in_archives_are_left_out(self):
        link, hard = tarfile.TarInfo("01/kernel.cu"), tarfile.TarInfo("02/kernel.cu")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        hard.type, hard.linkname = tarfile.LNKTYPE, "/etc/passwd"
        result = self.one(self.archive("a.tar.gz", [(link, ""), (hard, "")]), "--labs", "01,02")
        self.assertEqual(self.graded(result), {})

    def test_bombs(self):
        for name in ("a.zip", "a.tar.gz"):
            big = " " * (300 << 20)
            result = self.one(self.archive(name, [("01/kernel.cu", big), ("02/kernel.cu", KERNEL)]), "--labs", "01,02")
            self.assertNotIn("01", self.graded(result))
            self.assertTrue(result["problems"])
        many = self.archive("many.zip", [(f"{i}/x", "") for i in range(5000)])
        self.assertIn("more than any submission", self.one(many, "--labs", "01")["problems"][0])

    def test_damaged_archive(self):
        path = self.folder / "a.zip"
        path.write_bytes(b"PK\3\4 no archive at all")
        self.assertTrue(self.one(path, "--labs", "01")["problems"])

    def test_course(self):
        course = self.folder / "course.toml"
        course.write_text("""[labs]
01 = { weight = 2, due = 2026-02-01T12:00:00Z, hidden = ["one tile"] }
02 = { due = 2026-02-03T00:00:00+01:00 }
[late]
percent_per_day = 10
grace_minutes = 30
[submitted]
s = 2026-02-02T13:00:00Z
""")
        self.put("s/notes.txt")
        result = self.one(self.folder / "s", "--course", course)
        self.assertEqual([(lab["lab"][:2], lab["weight"], lab["late_percent"]) for lab in result["labs"]],
                         [("01", 2.0, 20.0), ("02", 1.0, 0.0)])
        self.assertEqual(result["labs"][0]["out_of"], 2 * result["labs"][0]["possible"])
        self.assertEqual([case["name"] for case in result["labs"][0]["cases"] if case["hidden"]], ["one tile"])
        self.assertEqual(result["submitted"], "2026-02-02T13:00:00Z")

    def test_mistakes_in_course_are_named_by_line(self):
        course = self.folder / "course.toml"
        for text, expected in {"[labs]\n99 = {}\n": ":2: there is no lab '99'", "[late]\nfee = 1\n": ":2: late has",
                               "[labs]\n01 = { due = 'soon' }\n": "a time looks like",
                               "[labs]\n01 = { hidden = ['one tail'] }\n": "has no case 'one tail' to hide", "x = [\n": "course.toml:"}.items():
            course.write_text(text)
            done = subprocess.run([RUNNER, "grade", "one", "--submission", self.folder, "--out", self.folder / "x", *MODE,
                                   "--course", course], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)

    def test_a_class_is_graded_resumed_and_graded_again_alike(self):
        for name in ("alice", "bob", "=1+1 <b>"):
            self.put(f"class/{name}/01/kernel.cu", "x")
        command = [RUNNER, "grade", self.folder / "class", "--out", self.folder / "out", "--labs", "01", "--jobs", "2", *MODE]
        run = lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn("3 to grade", run())
        first = {path.name: path.read_bytes() for path in (self.folder / "out/results").iterdir()}
        self.assertEqual(set(first), {"alice.json", "bob.json", "_1_1__b_.json"})
        self.assertIn("0 to grade", run())
        (self.folder / "out/results/bob.json").unlink()
        self.put("class/alice/01/kernel.cu", "y")
        self.assertIn("2 to grade", run())
        self.put("class/alice/01/kernel.cu", "x")
        self.assertIn("1 to grade", run())
        for path in (self.folder / "out/results").iterdir():
            before, after = json.loads(first[path.name]), json.loads(path.read_bytes())
            del before["timing"], after["timing"]
            self.assertEqual(before, after)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
