"""Submissions in every shape: folders, files, archives. No kernel here compiles, which is quick."""

import json
import os
import re
import signal
import subprocess
import unittest

from folder import KERNEL, MODE, RUNNER, Folder


class Submissions(Folder):
    def test_folder_names_labs_in_several_ways(self):
        for name in ("s/labs/01_synchronous_staging/kernel.cu", "s/lab02.cu", "s/3/kernel.cu", "s/notes.txt"):
            self.put(name)
        result = self.one(self.folder / "s", "--labs", "01,02,03,04")
        self.assertEqual(self.graded(result), {"01": "labs/01_synchronous_staging/kernel.cu", "02": "lab02.cu",
                                               "03": "3/kernel.cu"})
        self.assertEqual(result["labs"][3]["cases"][0]["verdict"], "missing")

    def test_names_as_people_write_them(self):
        for name in ("s/KERNEL.CU", "s/x/Lab02.CU", "s/实验 03/Kernel.cu", "s/作业4/kernel.cu", "s/第５次/kernel.cu"):
            self.put(name)
        result = self.one(self.folder / "s", "--labs", "01,02,03,04,05")
        self.assertEqual(self.graded(result), {"02": "x/Lab02.CU", "03": "实验 03/Kernel.cu", "04": "作业4/kernel.cu",
                                               "05": "第５次/kernel.cu"})
        self.assertEqual(result["problems"], ["KERNEL.CU: neither its name nor its folders name a lab"])
        self.assertEqual(self.graded(self.one(self.put("t/KERNEL.CU").parent, "--labs", "01")), {"01": "KERNEL.CU"})

    def test_a_file_for_another_lab_is_not_graded_as_this_one(self):
        self.put("s/05/kernel.cu")
        result = self.one(self.folder / "s", "--labs", "03")
        self.assertEqual(self.graded(result), {})
        self.assertEqual(result["problems"], ["05/kernel.cu is for lab 05, which is not graded now"])
        self.put("t/04_cp_async_ptx/kernel.cu")
        self.put("t/05/kernel.cu")
        result = self.one(self.folder / "t", "--labs", "03,05,09")
        self.assertEqual(self.graded(result), {"05": "05/kernel.cu"})
        self.assertEqual(result["problems"], ["04_cp_async_ptx/kernel.cu is for lab 04, which is not graded now"])

    def test_what_is_no_source_is_said_in_one_line(self):
        path = self.folder / "s/01/kernel.cu"
        path.parent.mkdir(parents=True)
        for data, expected in ((KERNEL.encode("utf-16"), "UTF-16 text"), (KERNEL.encode("utf-16-le"), "UTF-16 text"),
                               (os.urandom(400_000) + b"\0", "binary data")):
            path.write_bytes(data)
            lab = self.one(self.folder / "s", "--labs", "01")["labs"][0]
            self.assertRegex(lab["compile_errors"], f"^kernel.cu is {expected}.*\n$")
            self.assertLess(len(json.dumps(lab)), 5000)

    def test_nothing_is_said_to_be_nothing(self):
        (self.folder / "class/ann").mkdir(parents=True)
        self.archive("class/bob.zip", [("notes.txt", "I could not")])
        subprocess.run([RUNNER, "grade", self.folder / "class", "--out", self.folder / "out", "--labs", "01", *MODE],
                       capture_output=True, check=True)
        said = "there is nothing in it that could be graded: no kernel.cu for any lab"
        self.assertEqual((self.folder / "out/grades.csv").read_text().count(said), 2)
        for name in ("ann", "bob"):
            self.assertIn(said, (self.folder / f"out/students/{name}.html").read_text())

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
        self.assertEqual({json.loads(text)["repeat_seed"] for text in first.values()}, {int((self.folder / "out/repeat-seed").read_text())})


class Classes(Folder):
    """An instructor's view of many submissions, and of errors."""

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
            del result["timing"], result["repeat_seed"]
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
        for text in ('{"x": 1}', "[1]", '{"x', '{"format": 2, "submission": "x"}'):
            (self.folder / "out/results/x.json").write_text(text)
            done = merge()
            self.assertEqual(done.returncode, 2)
            self.assertIn("x.json is damaged, or no result", done.stderr)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
