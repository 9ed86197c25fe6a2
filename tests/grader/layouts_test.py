"""Downloads as learning platforms make them: which student owns each file, which files are graded, which are left out. No kernel here
compiles (refusing.py), which is quick."""

import csv
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
refusing.use()
METADATA = """---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: '4711'
    :email: ada@example.edu
  :created_at: 2026-02-02 13:00:00.123456000 Z
  :score: 1.0
  :history:
  - :id: 7
    :created_at: 2026-01-01 00:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: 'Bob: "O''Neil" :sid: 4711'
    :sid: "4712"
    :email: bob@example.edu
  - :name: Carol
    :sid: '4713'
    :email: carol@example.edu
  :created_at: 2026-01-02 00:00:00.000000000 Z
"""


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def kernel(text):
    return f"#error this is {text}\n"


class Layouts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def put(self, files, form):
        """The files as a folder, a zip or a tar archive."""
        if form == "folder":
            root = self.folder / "download"
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
            return root
        path = self.folder / ("download." + form)
        if form == "zip":
            path.write_bytes(zipped(files))
        else:
            with tarfile.open(path, "w:gz") as out:
                for name, text in files.items():
                    data = text if isinstance(text, bytes) else text.encode()
                    info = tarfile.TarInfo(name)
                    info.size = len(data)
                    out.addfile(info, io.BytesIO(data))
        return path

    def grade(self, files, *options, labs="01,02", expect=0):
        """Graded in each form, which must not matter; returns results by id, the list of files, and the output."""
        outcomes = []
        for form in ("folder", "zip", "tar.gz"):
            out = self.folder / ("out-" + form)
            done = subprocess.run([RUNNER, "grade", self.put(files, form), "--out", out, "--labs", labs, "--isolation",
                                   "limits", "--schedules", "1", "--jobs", "2", *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, expect, done.stderr)
            results = {}
            for path in sorted((out / "results").glob("*.json")):
                results[path.stem] = json.loads(path.read_text())
                for volatile in ("timing", "inputs", "repeat_seed"):
                    del results[path.stem][volatile]
            with open(out / "submissions.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            outcomes.append((results, rows, done.stdout))
        for results, rows, _ in outcomes[1:]:
            self.assertEqual(results, outcomes[0][0])
            self.assertEqual(rows, outcomes[0][1])
        return outcomes[0]

    def sources(self, result):
        return {lab["lab"][:2]: lab["source"] for lab in result["labs"] if "source" in lab}

    def test_moodle(self):
        files = {
            "Ada Lovelace_101_assignsubmission_file_/lab01.cu": kernel("ada 1"),
            "Ada Lovelace_101_assignsubmission_file_/lab02.cu": kernel("ada 2"),
            "Zoë de la Cruz_102_assignsubmission_file_/work.zip": zipped({"x/01/kernel.cu": kernel("zoe 1")}),
            "Bob_103_assignsubmission_file_lab01.cu": kernel("bob 1"),  # downloaded without folders
            "Eve_104_assignsubmission_onlinetext_/onlinetext.html": "<p>I could not</p>",
            "readme.txt": "",
        }
        results, rows, printed = self.grade(files)
        self.assertIn("Moodle, 4 submissions", printed)
        self.assertEqual({name: self.sources(result) for name, result in results.items()},
                         {"Ada_Lovelace_101": {"01": kernel("ada 1"), "02": kernel("ada 2")},
                          "Zoë_de_la_Cruz_102": {"01": kernel("zoe 1")}, "Bob_103": {"01": kernel("bob 1")}, "Eve_104": {}})
        self.assertEqual(results["Zoë_de_la_Cruz_102"]["students"], [{"id": "102", "name": "Zoë de la Cruz", "email": ""}])
        taken = {(row["student id"], row["taken"]) for row in rows if row["taken"]}
        self.assertIn(("102", "01_synchronous_staging: work.zip/x/01/kernel.cu"), taken)
        left = {(row["student id"], row["not taken"].split(":")[0]) for row in rows if row["not taken"]}
        self.assertEqual(left, {("104", "Eve_104_assignsubmission_onlinetext_/onlinetext.html"),
                                ("104", "there is nothing in it that could be graded"), ("", "readme.txt")})

    def test_canvas(self):
        files = {
            "lovelaceada_201_9001_lab01.cu": kernel("ada, first"),
            "lovelaceada_201_9002_lab01-2.cu": kernel("ada, third"),
            "lovelaceada_201_9003_lab01-1.cu": kernel("ada, second"),
            "lovelaceada_201_9004_lab02.cu": kernel("ada 2"),
            "neilbob_LATE_202_9005_homework.zip": zipped({"lab01.cu": kernel("bob")}),
            "eve_203_text.html": "nothing",
            "eve_203_9006_work/neilbob_202_9007_lab01-9.cu": kernel("eve, in bob's name"),
        }
        course = self.folder / "course.toml"
        course.write_text("[labs]\n01 = {}\n02 = {}\n[late]\npercent_per_day = 10\ncanvas_days = 3\n")
        results, rows, printed = self.grade(files, "--course", course, expect=3)
        self.assertIn("Canvas, 2 submissions", printed)
        self.assertEqual([results[name]["labs"][0]["late_percent"] for name in ("lovelaceada_201", "neilbob_202")], [0, 30])
        self.assertEqual({name: self.sources(result) for name, result in results.items()},
                         {"lovelaceada_201": {"01": kernel("ada, third"), "02": kernel("ada 2")},
                          "neilbob_202": {"01": kernel("bob")}})
        self.assertEqual(results["neilbob_202"]["problems"], ["Canvas calls it late"])
        self.assertEqual(sum("handed in again since" in row["not taken"] for row in rows), 2)
        self.assertIn("eve_203_text.html: not named as Canvas names files", [row["not taken"] for row in rows])

    def test_gradescope(self):
        root = "assignment_5_export/"
        files = {
            root + "submission_metadata.yml": METADATA,
            root + "submission_11/kernel.cu": kernel("ada"),
            root + "submission_12/sub/kernel.cu": kernel("bob"),
            root + "submission_12/readme.md": "",
        }
        course = self.folder / "course.toml"
        course.write_text("[labs]\n01 = { due = 2026-02-01T13:00:00Z }\n[late]\npercent_per_day = 10\n")
        results, _, printed = self.grade(files, "--course", course, labs="01")
        self.assertIn("Gradescope, 2 submissions", printed)
        ada, bob = results["Ada_Lovelace_submission_11"], results["Bob___O_Neil___sid__4711_submission_12"]
        self.assertEqual((self.sources(ada), self.sources(bob)), ({"01": kernel("ada")}, {"01": kernel("bob")}))
        self.assertEqual((ada["submitted"], ada["labs"][0]["late_percent"]), ("2026-02-02T13:00:00Z", 10.0))
        self.assertEqual((bob["submitted"], bob["labs"][0]["late_percent"]), ("2026-01-02T00:00:00Z", 0.0))
        self.assertEqual([student["id"] for student in bob["students"]], ["4712", "4713"])

    def test_names_that_only_look_like_it(self):
        path = self.put({"ada/01/kernel.cu": kernel("ada"), "bob/01/tile_16_32_kernel.cu": kernel("bob"),
                         "bob/02/kernel.cu": kernel("bob")}, "folder")
        out = self.folder / "out"
        subprocess.run([RUNNER, "grade", path, "--out", out, "--labs", "01,02", "--isolation", "limits", "--schedules", "1"],
                       check=True, capture_output=True)
        self.assertEqual({path.stem for path in (out / "results").iterdir()}, {"ada", "bob"})

    def test_a_student_does_not_choose_the_layout(self):
        metadata = METADATA.replace("submission_11", "submission_1")
        path = self.put({"ada/01/kernel.cu": kernel("ada"), "bob/01/kernel.cu": kernel("bob"),
                         "eve/submission_metadata.yml": metadata, "eve/submission_1/01/kernel.cu": kernel("eve"),
                         "eve/Bob_103_assignsubmission_file_/01/kernel.cu": kernel("no bob"),
                         **{f"eve/x/bob_{i}_1_lab01.cu": kernel("no bob") for i in range(9)}}, "folder")
        out = self.folder / "out"
        subprocess.run([RUNNER, "grade", path, "--out", out, "--labs", "01", "--isolation", "limits", "--schedules", "1"],
                       check=True, capture_output=True)
        self.assertEqual({path.stem for path in (out / "results").iterdir()}, {"ada", "bob", "eve"})

    def test_archives_inside_of_archives_end(self):
        inner = zipped({"01/kernel.cu": kernel("deep")})
        for _ in range(4):
            inner = zipped({"a.zip": inner})
        out = self.folder / "x.json"
        path = self.folder / "ada.zip"
        path.write_bytes(inner)
        subprocess.run([RUNNER, "grade", "one", "--submission", path, "--out", out, "--labs", "01", "--isolation", "limits"],
                       check=True)
        result = json.loads(out.read_text())
        self.assertEqual(self.sources(result), {})
        self.assertIn("too deep inside", str(result["problems"]))

    def test_text_that_is_no_utf8(self):
        path = self.folder / "kernel.cu"
        path.write_bytes(b"// Gr\xfc\xdfe\n#error no\n")
        out = self.folder / "x.json"
        subprocess.run([RUNNER, "grade", "one", "--submission", path, "--out", out, "--labs", "01", "--isolation", "limits"],
                       check=True)
        self.assertEqual(self.sources(json.loads(out.read_text())), {"01": "// Gr\ufffd\ufffde\n#error no\n"})


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
