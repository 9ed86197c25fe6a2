"""What an instructor decides: course.toml and overrides.toml."""

import csv
import json
import subprocess
import unittest

from folder import MODE, RUNNER, Folder


class Course(Folder):
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
                               "title = 3\n": ":1: expected a text",
                               "[points]\ngate = 'open'\n": ":2: gate is \"mechanism\" or \"strict\"", "[points]\nhalf = 1\n": ":2: points has gate",
                               "strict = 1\n": ":1: expected true or false", "[labs]\n01 = { weight = nan }\n": ":2: expected a number",
                               "[labs]\n01 = { due = 2026-02-30T00:00:00Z }\n": ":2: "}.items():
            course.write_text(text)
            done = subprocess.run([RUNNER, "grade", "one", "--submission", self.folder, "--out", self.folder / "x", *MODE,
                                   "--course", course], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)

    def test_overrides_survive_grading_again(self):
        self.put("class/ann/01/kernel.cu")
        self.put("class/bob/02/kernel.cu")
        out = self.folder / "out"
        command = [RUNNER, "grade", self.folder / "class", "--out", out, "--labs", "01,02", *MODE]
        subprocess.run(command, capture_output=True, check=True)
        made = (out / "results/ann.json").read_bytes()
        overrides = out / "overrides.toml"
        overrides.write_text('''[ann]
comment = "was in the hospital"
[ann.01]
points = 12.5
comment = "shown in <person>"
by = "AK"
[bob.01]
excuse = true
[eve.02]
points = 1
''')
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn("overrides.toml: there is no result of eve", done.stderr)
        self.assertEqual((out / "results/ann.json").read_bytes(), made)
        with open(out / "grades.csv", newline="") as file:
            ann, bob = csv.DictReader(file)
        self.assertEqual((ann["score"], ann["01_synchronous_staging"]), ("12.5", "12.5"))
        self.assertIn("01: 12.5 points given by AK: shown in <person>", ann["remarks"])
        self.assertIn("02: comment by a person: was in the hospital", ann["remarks"])
        self.assertEqual(float(ann["possible"]), float(bob["possible"]) + 15)
        self.assertIn("01: excused by a person", bob["remarks"])
        for name in ("report.html", "students/ann.html", "junit.xml", "gradescope/ann.json"):
            self.assertIn("12.5 points given by AK: shown in", (out / name).read_text(), name)
        data = json.loads((out / "gradescope/ann.json").read_text())
        self.assertEqual((data["score"], sum(test["score"] for test in data["tests"])), (12.5, 12.5))
        for form in ("classroom50", "prairielearn", "summary"):
            written = subprocess.run([RUNNER, "grade", "convert", form, out / "results/ann.json"], capture_output=True, text=True,
                                     check=True).stdout
            self.assertIn("given by AK", written, form)
        for text, expected in {"[ann.01]\npoints = 16\n": "gives 16 points for lab", "[ann.77]\npoints = 1\n": ":1: there is no lab '77'",
                               "[ann]\npoints = 1\n": ":2: there is no lab 'points'", "[ann.01]\nexcuse = 1\n": ":2: expected true",
                               "[ann.01]\nmark = 1\n": ":2: a lab has points"}.items():
            overrides.write_text(text)
            done = subprocess.run([RUNNER, "grade", "merge", out], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
