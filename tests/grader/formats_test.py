"""What reports make of results in which everything that a student chooses is hostile."""

import base64
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import made_up

RUNNER = os.environ["LAB_RUNNER"]
EVIL = "<script>alert(1)</script>\"'&]]>\x1b]0;x\x07\x00\u202e\u2066::error::x\n=cmd|'/c calc'!A1"
PLACE = {"file": "kernel.cu", "line": 2, "column": 1, "threads": "thread 0", "action": "read", "kernel": EVIL,
         "alternatives": [], "calls": []}


def finding(**more):
    return {"rule": "missing-wait", "severity": "error", "kernel": EVIL, "first": {**PLACE, **more}, "others": [PLACE],
            "message": EVIL, "remedy": "Wait.", "count": 1, "schedule": "lazy", "warps": "round-robin", "seed": 1}


def result(name, passed):
    cases = [{"name": "first", "points": 2, "passed": True, "verdict": "passed", "findings": [], "message": "",
              "output": EVIL, "call": "launch()", "hidden": False},
             {"name": "second", "points": 3, "passed": passed, "verdict": "passed" if passed else "hazard",
              "findings": [] if passed else [finding()], "message": EVIL, "output": EVIL, "call": EVIL, "hidden": True}]
    points = 5 if passed else 2
    lab = {"lab": "01_synchronous_staging", "passed": passed, "points": points, "possible": 5, "score": 2.0 * points,
           "out_of": 10.0, "weight": 2.0, "late_percent": 0.0, "cases": cases, "compile_errors": "", "notes": [],
           "path": EVIL, "source": "line one\n<b>line two</b>\n" + EVIL}
    return made_up.result(submission=name, problems=[EVIL], labs=[lab], score=2.0 * points, possible=10.0,
                          course="GPU <b>programming</b>",
                          students=[{"id": {"alice": "101", "bob": "102"}[name], "name": "=Bob " + name,
                                     "email": name + "@example.edu"}])


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.out = Path(cls.scratch.name)
        (cls.out / "results").mkdir()
        for name, passed in {"alice": True, "bob": False}.items():
            (cls.out / "results" / f"{name}.json").write_text(json.dumps(result(name, passed)))
        subprocess.run([RUNNER, "grade", "merge", cls.out], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_csv(self):
        with open(self.out / "grades.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["submission"], row["score"], row["possible"]) for row in rows],
                         [("alice", "10", "10"), ("bob", "4", "10")])
        for row in rows:
            for field in row.values():
                self.assertFalse(field.lstrip()[:1] in {"=", "+", "-", "@"}, field)

    def test_junit(self):
        root = ElementTree.parse(self.out / "junit.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("4", "1"))
        failure = root.find("testsuite/testcase/failure")
        self.assertEqual(failure.get("type"), "missing-wait")
        self.assertIn("<b>line two</b>", failure.text)
        self.assertEqual(len(list(root.iter())), 1 + 2 + 4 + 1)

    def test_gradescope(self):
        data = json.loads((self.out / "gradescope" / "bob.json").read_text())
        self.assertEqual(data["score"], 4)
        self.assertEqual(sum(test["score"] for test in data["tests"]), 4)
        self.assertEqual(sum(test["max_score"] for test in data["tests"]), 10)
        self.assertEqual([test["visibility"] for test in data["tests"]], ["visible", "hidden"])
        self.assertEqual([test["status"] for test in data["tests"]], ["passed", "failed"])
        for test in data["tests"]:
            self.assertNotIn("\x1b", test["output"])
            self.assertNotIn("::error::", test["output"])

    def test_html(self):
        text = (self.out / "report.html").read_text()
        tags = set()

        class Tags(HTMLParser):
            def handle_starttag(self, tag, attributes):
                tags.add(tag)
                assert not any(name.startswith("on") or name in {"src"} for name, _ in attributes), attributes

        Tags().feed(text)
        self.assertFalse(tags & {"script", "img", "iframe", "b", "link"}, tags)
        for bad in "\x1b\u202e\u2066":
            self.assertNotIn(bad, text)
        for link in re.findall('href="#(.*?)"', text):  # opens the closed sections around its target
            self.assertRegex(text, f'<details><summary>{link}.*</summary><div class="found" id="{link}">')
        for expected in ("alice", "bob", "missing-wait", "&lt;b&gt;line two&lt;/b&gt;"):
            self.assertIn(expected, text)

    def convert(self, form, *more, result="bob", expect=0, **environment):
        results = self.out / "results" / (result + ".json") if result else self.out
        done = subprocess.run([RUNNER, "grade", "convert", form, results, *more], capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stdout if expect == 0 and not more else (done.stdout, done.stderr)

    def check_harmless(self, text):
        for bad in ("\x1b", "\u202e", "\u2066", "::error::", "<script", "<b>"):
            self.assertNotIn(bad, text)

    def test_students_see_no_hidden_case(self):
        page = (self.out / "students" / "bob.html").read_text()
        self.assertEqual(page, self.convert("student"))
        for form in ("student", "classroom50", "summary", "prairielearn"):
            text = self.convert(form)
            self.assertNotIn("second", text, form)
            self.assertNotIn("missing-wait", text, form)
        self.assertNotIn(b"second", base64.b64decode(self.convert("classroom").removeprefix("result=")))
        self.assertIn("and 1 that is not shown", page)
        self.assertIn("GPU &lt;b&gt;programming&lt;/b&gt;", page)
        self.assertIn("GPU &lt;b&gt;programming&lt;/b&gt;", (self.out / "report.html").read_text())

    def test_classroom50(self):
        environment = {"CLASSROOM": "c", "ASSIGNMENT": "a", "USERNAME": "bob", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://x/1",
                       "RELEASE_URL": "https://x/2", "OWNER": "", "REVIEW_URL": "", "ASSIGNMENT_TYPE": ""}
        data = json.loads(self.convert("classroom50", **environment))
        texts = {"schema": "classroom50/result/v1", "classroom": "c", "assignment": "a", "assignment_type": "individual",
                 "owner": "bob", "submission": "submit/1", "commit": "https://x/1", "release": "https://x/2",
                 "review": "https://x/1"}
        for key, value in texts.items():
            self.assertEqual(data[key], value)
        self.assertRegex(data["datetime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(data["tests"], [{"test-name": "01_synchronous_staging: first", "passed": True, "score": 4, "max-score": 4}])
        for key in ("score", "max-score"):
            self.assertIsInstance(data[key], int)
            self.assertEqual(data[key], sum(test[key] for test in data["tests"]))

    def test_classroom_reporter(self):
        line = self.convert("classroom")
        self.assertRegex(line, r"^result=[A-Za-z0-9+/]+=*\n$")
        data = json.loads(base64.b64decode(line.strip().removeprefix("result="), validate=True))
        self.assertEqual((data["version"], data["status"], data["max_score"]), (1, "pass", 2))
        self.assertEqual([(test["name"], test["status"], test["score"]) for test in data["tests"]],
                         [("01_synchronous_staging: first", "pass", 2)])

    def test_prairielearn(self):
        data = json.loads(self.convert("prairielearn"))
        self.assertEqual((data["gradable"], data["score"]), (True, 1))
        self.assertEqual([(test["points"], test["max_points"]) for test in data["tests"]], [(4, 4)])
        self.assertNotIn("\x1b", data["output"])
        self.assertNotIn("::error::", data["output"])

    def test_prairielearn_of_what_does_not_compile(self):
        broken = result("bob", False)
        broken["labs"][0]["compile_errors"] = EVIL
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.json"
            path.write_text(json.dumps(broken))
            data = json.loads(subprocess.run([RUNNER, "grade", "convert", "prairielearn", path], capture_output=True, text=True,
                                             check=True).stdout)
        self.assertFalse(data["gradable"])
        self.assertEqual(len(data["format_errors"]), 1)
        self.assertNotIn("\x1b", data["format_errors"][0])

    def test_summary(self):
        shown = result("bob", False)
        shown["labs"][0]["cases"][1]["hidden"] = False
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.json"
            path.write_text(json.dumps(shown))
            text = subprocess.run([RUNNER, "grade", "convert", "summary", path], capture_output=True, text=True,
                                  check=True).stdout
        self.check_harmless(text)
        self.assertIn("| 01&#95;synchronous&#95;staging | 4 of 10 | ✓✗ |", text)
        self.assertIn("missing-wait", text)
        self.assertEqual(text.count("<pre>"), text.count("</pre>"))
        self.assertEqual(text.count("<pre>"), 1)

    def test_what_was_not_judged_is_no_pass_and_says_what_to_do(self):
        shown = result("bob", False)
        shown["labs"][0]["cases"][1].update(hidden=False, verdict="incomplete", findings=[], output="",
                                            message="nothing wrong was found, but not everything was judged\nnext: ask")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.json"
            path.write_text(json.dumps(shown))
            text, line = (subprocess.run([RUNNER, "grade", "convert", form, path], capture_output=True, text=True,
                                         check=True).stdout for form in ("summary", "classroom"))
        self.assertIn("4 of 10 | ✓✗ |", text)
        self.assertIn("second: incomplete", text)
        self.assertIn("not everything was judged\nnext: ask", text)
        data = json.loads(base64.b64decode(line.strip().removeprefix("result=")))
        self.assertEqual([(test["status"], test["score"]) for test in data["tests"]], [("pass", 2), ("fail", 0)])

    def test_nbgrader(self):
        rows = list(csv.DictReader(io.StringIO(self.convert("nbgrader", result=None))))
        self.assertEqual(list(rows[0]), ["assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
                                         "raw_score", "late_submission_penalty", "score", "max_score"])
        self.assertEqual([(row["student_id"], row["raw_score"], row["late_submission_penalty"], row["score"]) for row in rows],
                         [("101", "10", "0", "10"), ("102", "4", "0", "4")])
        self.assertEqual(rows[1]["first_name"], "'=Bob")

    def fill(self, form, text, *more, expect=0):
        export = self.out / "export.csv"
        export.write_bytes(text)
        filled = self.out / "filled.csv"
        done = subprocess.run([RUNNER, "grade", "convert", form, self.out, "--into", export, "--out", filled, *more],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, done.stderr)
        return (filled.read_bytes() if expect == 0 else None), done.stderr

    def test_canvas(self):
        head = b'\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Labs (77),Quiz (78),Final Score\r\n'
        export = (head + b'    Points Possible,,,,,20,5,(read only)\r\n"Bob, \xc3\x89ve ""x""",102,,bob,S1,,3,7\r\n'
                  b'Carol,103,,carol,S1,1,2,3\r\n"Doe, Alice",999,,alice@example.edu,S1,0,,')
        filled, said = self.fill("canvas", export, "--column", "Labs")
        self.assertEqual(filled, head + b'    Points Possible,,,,,20,5,(read only)\r\n"Bob, \xc3\x89ve ""x""",102,,bob,S1,8,3,7\r\n'
                         b'Carol,103,,carol,S1,1,2,3\r\n"Doe, Alice",999,,alice@example.edu,S1,20,,')
        self.assertEqual(said, "no result for Carol: left as it was\n")
        commented = export.replace(b"Final Score", b"Comments").replace(b"(read only)", b"").replace(b",,3,7", b",,3,")
        self.assertIn(b'bob,S1,8,3,"asynclab: 4 of 4 points; 01: 4 of 4"\r\n', self.fill("canvas", commented, "--column", "Labs")[0])
        self.assertIn("several columns for grades: Labs (77), Quiz (78)", self.fill("canvas", export, expect=2)[1])
        self.assertIn("set to English", self.fill("canvas", "Schüler;Punkte\nAda;3\n".encode(), expect=2)[1])
        self.assertIn("no column 'Lab'", self.fill("canvas", export, "--column", "Lab", expect=2)[1])

    def test_moodle(self):
        export = (b'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)","Feedback comments"\n'
                  b'Teilnehmer/in102,"Bob, B",,"Submitted for grading",,100.00,-,"<p>a\nb</p>"\n'
                  b'Teilnehmer/in555,Eve,,,3,100.00,-,\n')
        filled, said = self.fill("moodle", export)
        self.assertEqual(filled, export.replace(b'grading",,100', b'grading",40,100'))  # a person's comment stays
        empty = export.replace(b'"<p>a\nb</p>"', b'')
        filled, _ = self.fill("moodle", empty)
        self.assertEqual(filled, empty.replace(b'grading",,100.00,-,', b'grading",40,100.00,-,"asynclab: 4 of 4 points; 01: 4 of 4"'))
        self.assertEqual(self.fill("moodle", filled)[0], filled)
        self.assertEqual(said, "no result for Teilnehmer/in555: left as it was\nalice: in no row\n")

    def test_convert_says_what_it_needs(self):
        self.assertIn("made of one result", self.convert("gradescope", "--out", "/dev/null", result=None, expect=2)[1])
        self.assertIn("--into", self.convert("canvas", "--out", "/dev/null", expect=2)[1])
        with open("/dev/full", "w") as full:
            done = subprocess.run([RUNNER, "grade", "convert", "csv", self.out], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write all of it", done.stderr)
        self.assertIn("no format 'x'", self.convert("x", "--out", "/dev/null", expect=2)[1])

    def test_nothing_to_merge(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([RUNNER, "grade", "merge", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results", done.stderr)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
