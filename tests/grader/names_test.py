"""A name, whether of a file or of a classmate, never costs a mark. No kernel here compiles (refusing.py), which is quick."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import made_up
from folder import KERNEL, MODE, RUNNER, Folder

MOODLE = "Bob_103_assignsubmission_file_"
METADATA = "---\nsubmission_{0}:\n  :submitters:\n  - :name: {1}\n    :sid: '{0}'\n    :email: {1}@example.edu\n"


class Names(Folder):
    def grade(self, *arguments, labs="01", expect=0, out="out"):
        done = subprocess.run([RUNNER, "grade", *arguments, "--out", out, "--labs", labs, "--jobs", "2", *MODE], cwd=self.folder,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.said = done.stdout + done.stderr
        return {path.stem: json.loads(path.read_text()) for path in (self.folder / out / "results").glob("*.json")}

    def sources(self, results):
        return {name: {lab["lab"][:2]: lab["source"].removeprefix("#error this is ").strip() for lab in result["labs"] if "source" in lab}
                for name, result in results.items()}

    def rows(self, name, out="out"):
        with open(self.folder / out / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_of_several_arguments_an_archive_is_one_submission(self):
        self.archive("bob.zip", [("01/kernel.cu", KERNEL.format("bob"))])
        self.archive("eve.zip", [(MOODLE + "/01/kernel.cu", KERNEL.format("eve"))])
        self.put(f"joe/{MOODLE}/01/kernel.cu", "joe")
        results = self.grade("bob.zip", "eve.zip")
        self.assertEqual(self.sources(results), {"bob": {"01": "bob"}, "eve": {"01": "eve"}})
        self.assertEqual([result["students"] for result in results.values()], [[], []])
        self.assertIn("eve.zip: named like a download from Moodle", self.said)
        results = self.grade("bob.zip", "joe", out="folders")
        self.assertEqual([result["students"] for result in results.values()], [[], []])
        # The neighbours: a download as the only argument, and several that are said to be some.
        results = self.grade("eve.zip", out="one")
        self.assertEqual([result["students"][0]["id"] for result in results.values()], ["103"])
        self.archive("more.zip", [("Ann_104_assignsubmission_file_/01/kernel.cu", KERNEL.format("ann"))])
        results = self.grade("eve.zip", "more.zip", "--platform", "moodle", out="two")
        self.assertEqual({result["students"][0]["id"] for result in results.values()}, {"103", "104"})
        self.assertEqual(set(self.grade("eve.zip", "--platform", "none", out="none")), {"eve"})
        self.grade("bob.zip", "--platform", "canvas", expect=2, out="wrong")

    def test_one_name_does_not_decide_for_a_folder(self):
        for name in (MOODLE + "lab01.cu", "lab01.cu", "kernel.cu", "submission_metadata.yml"):
            for student in ("ann", "joe"):
                self.put(f"{name}/{student}/01/kernel.cu", student)
            self.put(f"{name}/zoe.cu", "zoe")
            self.put(f"{name}/{name}", "other")
            sources = self.sources(self.grade(name, out="out of " + name))
            self.assertEqual([sources[student]["01"] for student in ("ann", "joe", "zoe")], ["ann", "joe", "zoe"], name)
            self.assertEqual(len(sources), 3 if name.endswith("yml") else 4, name)
        # The neighbour: one student's folder.
        for name in ("01/kernel.cu", "lab02.cu", "helper.cu"):
            self.put("student/" + name, name)
        self.assertEqual(self.sources(self.grade("student", labs="01,02", out="one")),
                         {"student": {"01": "01/kernel.cu", "02": "lab02.cu"}})

    def test_a_file_name_is_no_other_students_folder(self):
        for student in ("Ann_104", "Eve_105"):
            self.put(f"down/{student}_assignsubmission_file_{MOODLE}lab01.cu", student)
        self.assertEqual({result["students"][0]["id"] for result in self.grade("down").values()}, {"104", "105"})

    def test_a_student_does_not_say_whose_submissions_are_whose(self):
        for path, text in (("submission_metadata.yml", METADATA.format(1, "ann") + METADATA.format(2, "eve")[4:]),
                           ("submission_1/submission_metadata.yml", METADATA.format(2, "ann"))):
            file = self.folder / "export" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for number in "12":
            self.put(f"export/submission_{number}/kernel.cu", number)
        self.assertEqual({(result["students"][0]["name"], lab["source"][-2]) for result in self.grade("export").values()
                          for lab in result["labs"]}, {("ann", "1"), ("eve", "2")})

    def test_files_named_after_persons_and_labs(self):
        for name in ("lab01_ann.cu", "lab01_bob.cu", "Lab_2-Ann.cu", "joe_lab01.cu", "zoe_lab_2.CU"):
            self.put("class/" + name, name)
        self.assertEqual(self.sources(self.grade("class", labs="01,02")),
                         {"ann": {"01": "lab01_ann.cu", "02": "Lab_2-Ann.cu"}, "bob": {"01": "lab01_bob.cu"},
                          "joe": {"01": "joe_lab01.cu"}, "zoe": {"02": "zoe_lab_2.CU"}})
        # Two files of one name and lab come from two students who share the name.
        self.put("class/LAB01_Ann.cu", "another")
        self.assertEqual(len(self.grade("class", labs="01,02", out="more")), 5)
        # The neighbours: one person's files, and names that are the lab's own.
        for name in ("lab01_ann.cu", "lab02_ann.cu"):
            self.put("ann/" + name, name)
        for name in ("lab01_synchronous_staging.cu", "lab02_memcpy.cu"):
            self.put("own/" + name, name)
        self.assertEqual(list(self.grade("ann", labs="01,02", out="one")), ["ann"])
        self.assertEqual(list(self.grade("own", labs="01,02", out="own out")), ["own"])

    def test_names_that_name_a_lab(self):
        for name in ("ada_lab03", "ADA_LAB3", "Ada-Lovelace-Lab-3", "Ada_Lab_3", "ada03", "ada_3", "LovelaceLab03", "lab03Ada", "lab.03",
                     "lab03_4711", "exercise 3", "张三实验3", "3_ada", "lab_3 (2)"):
            path = self.put(f"{name}/{name}.cu")
            self.assertEqual(self.graded(self.one(path.parent, "--labs", "03,04")), {"03": name + ".cu"}, name)
        # The neighbours: what means something else, or nothing for sure.
        for name in ("tile_16_32x", "matlab3", "ada2003", "ada3", "lab3d", "lab03_lab04", "lab", "2026-03-04"):
            path = self.put(f"{name}/{name}.cu")
            self.assertEqual(self.graded(self.one(path.parent, "--labs", "03,04")), {}, name)
        # A certain match takes precedence over a guess.
        for name in ("a_3.cu", "the_last_version_of_lab03.cu", "04/part_3.cu"):
            self.put("both/" + name)
        self.assertEqual(self.graded(self.one(self.folder / "both", "--labs", "03,04")),
                         {"03": "the_last_version_of_lab03.cu", "04": "04/part_3.cu"})

    def test_endings_that_systems_add(self):
        for number, name in enumerate(("lab03.cu.txt", "lab03.cu ", "lab03.CU.", "Ada_Lab_3.cu.TXT")):
            path = self.put(f"{number}/{name}")
            self.assertEqual(self.graded(self.one(path.parent, "--labs", "03,04")), {"03": name}, name)
        for name in ("lab03.txt", "lab03.cuh", "lab03.cu.bak", "lab03.cutxt"):
            path = self.put(f"not {name}/{name}")
            self.assertEqual(self.graded(self.one(path.parent, "--labs", "03,04")), {}, name)

    def test_what_is_not_recognised_has_no_score(self):
        self.put("class/ann/01/kernel.cu")
        self.put("class/ann/02/kernel.cu")
        self.put("class/ann/scratch.cu")  # nothing is missing
        self.put("class/bob/mine.cu")
        (self.folder / "class/joe").mkdir()  # nothing was handed in: that is a 0
        results = self.grade("class", labs="01,02", expect=3)
        self.assertIn("bob: mine.cu", self.said)
        self.assertEqual({name: result.get("unrecognised") for name, result in results.items()},
                         {"ann": ["scratch.cu"], "bob": ["mine.cu"], "joe": None})
        scores = lambda: {row["submission"]: (row["score"], row["01_synchronous_staging"]) for row in self.rows("grades.csv")}
        self.assertEqual(scores(), {"ann": ("0", "0"), "bob": ("", ""), "joe": ("0", "0")})
        self.assertEqual({row["got"] for row in self.rows("rubric.csv") if row["submission"] == "bob"}, {""})
        self.assertIn("no score, since these files name no lab: mine.cu", (self.folder / "out/class.txt").read_text())
        self.assertIn("– / ", (self.folder / "out/report.html").read_text())
        export = self.folder / "export.csv"
        export.write_text("Student,ID,SIS Login ID,Labs (7)\nAnn,1,ann,\nBob,2,bob,\nJoe,3,joe,\n")
        fill = lambda *more: subprocess.run([RUNNER, "grade", "convert", "canvas", self.folder / "out", "--into", export, *more],
                                            capture_output=True, text=True, check=True)
        filled = fill()
        self.assertEqual(filled.stdout.splitlines()[1:], ["Ann,1,ann,0", "Bob,2,bob,", "Joe,3,joe,0"])
        self.assertIn("bob has no score, since these files name no lab: mine.cu; left as it was", filled.stderr)
        # A person decides.
        (self.folder / "out/overrides.toml").write_text('[bob]\ncomment = "his notes"\n')
        subprocess.run([RUNNER, "grade", "merge", self.folder / "out"], check=True, capture_output=True)
        self.assertEqual(scores()["bob"], ("0", "0"))
        self.assertEqual(fill().stdout.splitlines()[2], "Bob,2,bob,0")

    def test_what_belongs_to_nobody_is_said(self):
        for name in ("Ann_104", "Eve_105", "Joe_106"):
            self.put(f"down/{name}_assignsubmission_file_/lab01.cu")
        self.put("down/notes.txt")
        self.assertEqual(len(self.grade("down")), 3)
        self.put("down/bob/lab01.cu")
        self.assertEqual(len(self.grade("down", expect=3)), 3)
        self.assertIn("belong to no submission", self.said)


class Gradebook(unittest.TestCase):
    """Two ids for one row."""

    def fill(self, submissions, rows):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "results").mkdir()
            for name, (score, *students) in submissions.items():
                lab = {"lab": "01_synchronous_staging", "source": "x", "points": score, "possible": 10, "score": float(score),
                       "out_of": 10.0, "cases": [{"name": "c", "points": 10, "passed": False, "verdict": "wrong"}]}
                made = made_up.result(submission=name, labs=[lab], score=float(score), possible=10.0,
                                      students=[{"id": one, "name": one, "email": ""} for one in students])
                (folder / "results" / (name + ".json")).write_text(json.dumps(made))
            (folder / "in.csv").write_text("Student,ID,SIS Login ID,Labs (7)\n" + "".join(row + ",\n" for row in rows))
            done = subprocess.run([RUNNER, "grade", "convert", "canvas", folder, "--into", folder / "in.csv"], check=True,
                                  capture_output=True, text=True, env={**os.environ})
            return [line.split(",")[-1] for line in done.stdout.splitlines()[1:]], done.stderr

    def test_a_row_with_ids_of_two_submissions(self):
        grades, said = self.fill({"bob": (3,), "x_201": (9, "201")}, ["Bob,201,bob", "Ann,7,ann"])
        self.assertEqual(grades, ["", ""])
        self.assertIn("the ids of Bob are those of bob and x_201: left as it was", said)
        # The neighbour: both ids are of one.
        self.assertEqual(self.fill({"bob": (3, "201")}, ["Bob,201,bob"])[0], ["3"])

    def test_two_submissions_of_one_name(self):
        grades, said = self.fill({"ann": (3,), "ann-2": (9,)}, ["Ann,7,ann"])
        self.assertEqual(grades, [""])
        self.assertIn("ann: two submissions, not filled in", said)
        # The neighbour: a student has that name.
        self.assertEqual(self.fill({"ann": (3,), "ann-2": (9,)}, ["Ann,7,ann", "Ann,8,ann-2"])[0], ["3", "9"])


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
