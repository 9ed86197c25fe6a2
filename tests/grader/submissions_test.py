"""Submissions in every shape: folders, files, archives, honest and hostile. No kernel here compiles, which is quick."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import tarfile
import tempfile
import time
import unittest
import zipfile
import zlib
from pathlib import Path

RUNNER = os.environ["LAB_RUNNER"]
KERNEL = "#error this is {}\n"
MODE = ["--isolation", "limits", "--schedules", "1"]


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


class Submissions(Folder):
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
        self.put("s/kernel.cu")
        self.put("s/a.cu")
        self.assertEqual(self.graded(self.one(self.folder / "s", "--labs", "01")), {"01": "kernel.cu"})
        (self.folder / "s/kernel.cu").rename(self.folder / "s/b.cu")
        self.assertEqual(self.graded(self.one(self.folder / "s", "--labs", "01")), {})

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

    def test_one_budget_for_all_levels_of_an_archive(self):
        def packed(members):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in members:
                    archive.writestr(name, data)
            return out.getvalue()
        kernel = packed([("01/kernel.cu", b"\0" * (100 << 20))])
        many = packed([(f"{i}.zip", kernel) for i in range(100)])
        (self.folder / "a.zip").write_bytes(packed([(f"{i}.zip", many) for i in range(60)] + [("02/kernel.cu", KERNEL)]))
        began = time.monotonic()
        result = self.one(self.folder / "a.zip", "--labs", "01,02")
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(self.graded(result), {})
        self.assertIn("a.zip: holds more than any submission does: the rest is left out", result["problems"])

    def test_an_archive_that_never_ends_is_one_students_problem(self):
        member = gzip.compress(b"", mtime=0)  # gzip's own files may follow one another, even if each holds nothing
        layer = zlib.compressobj(9, zlib.DEFLATED, 31)
        inner = b"".join([layer.compress(member * 500_000) for _ in range(200)]) + layer.flush()
        (self.folder / "class").mkdir()
        (self.folder / "class/eve.tar.gz").write_bytes(gzip.compress(inner, mtime=0))
        self.put("class/zoe/01/kernel.cu")
        subprocess.run([RUNNER, "grade", self.folder / "class", "--out", self.folder / "out", "--labs", "01", "--jobs", "2", *MODE],
                       capture_output=True, timeout=120, check=True)
        eve, zoe = (json.loads((self.folder / f"out/results/{name}.json").read_text()) for name in ("eve", "zoe"))
        self.assertEqual(eve["problems"], ["eve.tar.gz takes more than 5 s of processor time to unpack: nothing of it is graded"])
        self.assertEqual(self.graded(zoe), {"01": "01/kernel.cu"})

    def test_long_names_and_many_problems_end(self):
        members = [("01/" + "x" * 2000 + f"/{i}/a.zip", "no archive") for i in range(300)]
        problems = self.one(self.archive("a.zip", members), "--labs", "01")["problems"]
        self.assertEqual((len(problems), problems[-1]), (41, "and 260 more problems"))
        self.assertLess(max(map(len, problems)), 310)

    def test_damaged_archive(self):
        path = self.folder / "a.zip"
        path.write_bytes(b"PK\3\4 no archive at all")
        self.assertTrue(self.one(path, "--labs", "01")["problems"])

    def test_course(self):
        course = self.folder / "course.toml"
        course.write_text("""strict = true
[labs]
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
        self.assertTrue(result["strict"])

    def test_mistakes_in_course_are_named_by_line(self):
        course = self.folder / "course.toml"
        for text, expected in {"[labs]\n99 = {}\n": ":2: there is no lab '99'", "[late]\nfee = 1\n": ":2: late has",
                               "[labs]\n01 = { due = 'soon' }\n": "a time looks like",
                               "[labs]\n01 = { hidden = ['one tail'] }\n": "has no case 'one tail' to hide", "x = [\n": "course.toml:",
                               "[labs]\n01 = { hidden = 'x' }\n": ":2: expected a list", "labs = 1\n": ":1: expected a table",
                               "[labs]\n01 = {}\n1 = {}\n": ":3: lab 01_synchronous_staging for the second time",
                               "title = 3\n": ":1: expected a text", "strict = 1\n": ":1: expected true or false", "[labs]\n01 = { weight = nan }\n": ":2: expected a number",
                               "[labs]\n01 = { due = 2026-02-30T00:00:00Z }\n": ":2: "}.items():
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


class Classes(Folder):
    """What an instructor sees of many, and of what goes wrong."""

    def grade(self, *arguments, expect=0, **more):
        done = subprocess.run([RUNNER, "grade", *arguments, "--labs", "01", "--jobs", "2", *MODE], capture_output=True, text=True,
                              timeout=120, cwd=self.folder, **more)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout if expect == 0 else done.stderr

    def results(self, out="out"):
        return {path.stem: json.loads(path.read_text()) for path in sorted((self.folder / out / "results").glob("*.json"))}

    def test_names_in_any_script(self):
        for name in ("李明", "王芳", "Zoë", "Zoe\u0308", "x" * 150):
            self.put(f"class/{name}/01/kernel.cu", name)
        latin = os.fsencode(self.folder) + b"/class/J\xfcrgen"
        os.makedirs(latin + b"/01")
        with open(latin + b"/01/kernel.cu", "w") as file:
            file.write(KERNEL.format("no UTF-8"))
        self.grade("class", "--out", "out")
        results = self.results()
        self.assertEqual(set(results), {"李明", "王芳", "Zoë", "Zoe\u0308", "x" * 100, "J_rgen"})
        self.assertEqual(results["J_rgen"]["labs"][0]["source"], KERNEL.format("no UTF-8"))
        self.assertIn("0 to grade", self.grade("class", "--out", "out"))

    def test_what_is_no_submission_is_told(self):
        for name in ("ann/01/kernel.cu", "ann/01/._kernel.cu", "ann/.ipynb_checkpoints/01.cu", "__MACOSX/ann/01/._kernel.cu",
                     ".git/01.cu", "bob/nothing.txt"):
            self.put("class/" + name, name)
        self.put("class/notes.pdf")
        (self.folder / "class/eve").symlink_to("ann")
        self.archive("class/tim.tar.gz", [("01/kernel.cu", KERNEL), ("__MACOSX/01/._kernel.cu", KERNEL)])
        (self.folder / "class/zoe.zip").write_bytes(b"PK\3\4 no archive at all")
        said = self.grade("class", "--out", "class/out")
        self.assertIn("nothing that could be graded in 2: bob, zoe.zip\n", said)
        for expected in ("eve: a link: not followed", "notes.pdf: no folder, archive or .cu file", "__MACOSX: hidden"):
            self.assertIn(expected, said)
        results = self.results("class/out")
        self.assertEqual(set(results), {"ann", "bob", "tim", "zoe"})
        self.assertEqual([results[name]["problems"] for name in ("ann", "tim")], [[], []])
        self.assertIn("0 to grade", self.grade("class", "--out", "class/out"))  # where results go is no submission
        self.assertIn("--out is the folder of submissions", self.grade("class", "--out", "class", expect=2))
        subprocess.run(["rm", "-r", self.folder / "class/bob"], check=True)
        self.assertIn("submissions that were not given this time: bob\n", self.grade("class", "--out", "class/out"))

    def test_a_name_with_a_dot(self):
        self.assertEqual(self.one(self.put("J. Doe/01/kernel.cu").parent.parent, "--labs", "01")["submission"], "J._Doe")

    def test_a_newcomer_takes_nobodys_id(self):
        self.put("class/ann/01/kernel.cu", "folder")
        self.archive("class/ann.zip", [("01/kernel.cu", KERNEL.format("zip"))])
        self.grade("class", "--out", "out")
        sources = lambda: {name: result["labs"][0]["source"] for name, result in self.results().items()}
        before = sources()
        self.assertEqual(set(before), {"ann", "ann-2"})
        self.archive("class/ann.tar.gz", [("01/kernel.cu", KERNEL.format("tar"))])  # sorts before the zip
        self.assertIn("1 to grade", self.grade("class", "--out", "out"))
        self.assertEqual(sources(), {**before, "ann-3": KERNEL.format("tar")})

    def test_one_submission_or_many(self):
        self.put("ann/01/kernel.cu")
        self.assertIn("ann: one submission, since 01 is named after a lab", self.grade("ann", "--out", "a"))
        for name in ("01/labs/01_synchronous_staging", "02 Ann/01"):
            self.put(f"many/{name}/kernel.cu")
        self.grade("many", "--out", "b")
        self.assertEqual(set(self.results("b")), {"01", "02_Ann"})

    def test_one_of_several_arguments_is_damaged(self):
        (self.folder / "a.zip").write_bytes(b"PK\3\4 no archive at all")
        self.put("notes.pdf")
        self.assertIn("download it again", self.grade("a.zip", "--out", "out", expect=2))
        self.assertIn("notes.pdf: no folder", self.grade("notes.pdf", "--out", "out", expect=2))
        self.grade("a.zip", "notes.pdf", self.put("b_01.cu"), "--out", "out")
        self.assertEqual(self.results()["a"]["problems"], ["a.zip: is damaged"])
        self.assertEqual(len(self.results()), 2)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_what_cannot_be_read_is_told(self):
        self.put("class/ann/01/kernel.cu").chmod(0)
        self.put("class/bob/01/kernel.cu").parent.chmod(0)
        self.grade("class", "--out", "out")
        (self.folder / "class/bob/01").chmod(0o755)
        problems = {name: result["problems"] for name, result in self.results().items()}
        self.assertEqual(problems, {"ann": ["01/kernel.cu cannot be read (Permission denied): left out"],
                                    "bob": ["01 cannot be read (Permission denied): left out"]})

    def test_no_room(self):
        for i in range(20):
            self.put(f"class/s{i}/01/kernel.cu", "x" * 2000)
        self.put("file")
        self.assertIn("choose another folder", self.grade("class", "--out", "file", expect=2))
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "none", small], capture_output=True).returncode:
            self.skipTest("no small disk to fill")
        try:
            said = self.grade("class", "--out", "small/out", expect=2)
            self.assertEqual(said.count("No space left on device"), 1, said)
            self.assertEqual(list(small.rglob("*.part")), [])
            self.assertLess(0, len(self.results("small/out")))
        finally:
            subprocess.run(["umount", small], check=True)

    def test_interrupted_and_taken_up_again(self):
        for i in range(12):
            self.put(f"class/s{i}/01/kernel.cu", str(i))
        self.grade("class", "--out", "whole")
        (self.folder / "tmp").mkdir()
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            running = subprocess.Popen([RUNNER, "grade", "class", "--out", "out", "--labs", "01", "--jobs", "2", *MODE],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env={**os.environ, "TMPDIR": str(self.folder / "tmp")})
            for line in running.stdout:
                if re.match("2 of", line):
                    running.send_signal(how)
            running.stdout.close()
            self.assertEqual(running.wait(30), -9 if how == signal.SIGKILL else 130)
            if how != signal.SIGKILL:
                self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        self.grade("class", "--out", "out")
        before, after = self.results("whole"), self.results("out")
        for result in [*before.values(), *after.values()]:
            del result["timing"]
        self.assertEqual(before, after)
        for name in ("grades.csv", "report.html", "junit.xml", "submissions.csv"):
            self.assertEqual((self.folder / "whole" / name).read_bytes(), (self.folder / "out" / name).read_bytes())

    @unittest.skipUnless(os.geteuid() == 0, "only root changes users")
    def test_a_compiler_that_cannot_work_is_nobodys_mistake(self):
        self.put("class/ann/01/kernel.cu")
        (self.folder / "tmp").mkdir(0o700)
        said = self.grade("class", "--out", "out", expect=2, env={**os.environ, "TMPDIR": str(self.folder / "tmp")})
        self.assertIn("compilers do not work at this level of isolation", said)
        self.assertEqual(self.results(), {})

    def test_shards_that_begin_together_have_one_secret(self):
        for name in ("ann", "bob", "eve"):
            self.put(f"class/{name}/01/kernel.cu")
        shards = [subprocess.Popen([RUNNER, "grade", "class", "--out", "out", "--labs", "01", "--seed-policy", "secret", "--shard",
                                    f"{i}/3", *MODE], cwd=self.folder, stdout=subprocess.DEVNULL) for i in (1, 2, 3)]
        self.assertEqual([shard.wait(60) for shard in shards], [0, 0, 0])
        self.assertEqual(len({result["seed"] for result in self.results().values()}), 1)
        self.assertEqual(os.stat(self.folder / "out/seed").st_mode & 0o777, 0o600)

    def test_options_that_make_no_sense(self):
        self.put("s/01/kernel.cu")
        for option in (["--timeout", "-1"], ["--timeout", "nan"], ["--compile-timeout", "0"], ["--shard", "1/3x"],
                       ["--shard", "4/3"], ["--seed-policy", "x"], ["--course", self.folder]):
            self.assertIn("next: ", self.grade("s", "--out", "out", *option, expect=2), option)
            self.assertFalse((self.folder / "out").exists())

    def test_results_of_different_labs(self):
        for labs in ("01", "01,02"):
            out = self.folder / "out/results" / (labs + ".json")
            subprocess.run([RUNNER, "grade", "one", "--submission", self.put("x/01/kernel.cu").parent.parent, "--labs", labs,
                            "--out", out, *MODE], check=True)
        merge = lambda: subprocess.run([RUNNER, "grade", "merge", self.folder / "out"], capture_output=True, text=True)
        self.assertEqual(merge().returncode, 0)
        rows = (self.folder / "out/grades.csv").read_text().splitlines()
        self.assertEqual([row.count(",") for row in rows], [7, 7, 7])
        for text in ('{"x": 1}', "[1]", '{"x', '{"format": 1, "submission": "x"}'):
            (self.folder / "out/results/x.json").write_text(text)
            done = merge()
            self.assertEqual(done.returncode, 2)
            self.assertIn("x.json is damaged, or no result", done.stderr)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
