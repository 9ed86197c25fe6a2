"""The report on a class: the mistakes that students make, and which students need a talk. From made-up results."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import made_up

RUNNER = os.environ["LAB_RUNNER"]
LABS = ["01_synchronous_staging", "02_memcpy_async"]
EVIL = "<script>alert(1)</script>\"'&\x1b\u202e=cmd|'/c calc'!A1"


def place(line):
    return {"file": "kernel.cu", "line": line, "column": 1, "threads": "thread 0", "action": "reads", "kernel": "k",
            "alternatives": [], "calls": []}


def hazard(rule, line, todo):
    finding = {"rule": rule, "severity": "error", "kernel": "k", "first": place(line), "others": [], "message": "Why.",
               "remedy": "Wait.", "count": 1, "schedule": "lazy", "warps": "round-robin", "seed": 1}
    return {"verdict": "hazard", "findings": [finding | ({"todo": todo} if todo else {})], "message": ""}


def other(verdict, message):
    return {"verdict": verdict, "findings": [], "message": message}


PASSED = other("passed", "")


def lab(name, *outcomes, mechanism=None, source="x", **more):
    cases = [{"name": f"case {i}", "points": 2, "passed": one["verdict"] == "passed", "hidden": False, "output": "", "call": "", **one}
             for i, one in enumerate(outcomes)]
    if mechanism:
        cases.append({"name": "every input byte is staged once", "points": 1, "passed": True, "hidden": False, "output": "",
                      "call": "", **PASSED})
    points = sum(case["points"] for case in cases if case["passed"])
    possible = sum(case["points"] for case in cases)
    return {"lab": name, "passed": False, "points": points, "possible": possible, "score": float(points), "out_of": float(possible),
            "weight": 1.0, "late_percent": 0.0, "cases": cases, "compile_errors": "", "notes": [], "path": "kernel.cu",
            **({"source": source} if source else {}), **more}


def missing(name):
    one = lab(name, other("missing", ""), other("missing", ""), source=None)
    for case in one["cases"]:
        case["verdict"] = "missing"
    return one


def result(name, *labs, students=()):
    return made_up.result(submission=name, labs=labs, score=sum(one["score"] for one in labs),
                          possible=sum(one["out_of"] for one in labs), course="GPU <b>programming</b>",
                          students=[{"id": "1", "name": name, "email": ""} for name in students])


WAIT = hazard("missing-wait", 12, "TODO(2)")
CLASS = [
    result("ann", lab(LABS[0], PASSED, PASSED, mechanism=True), lab(LABS[1], PASSED, WAIT)),
    result("bob", lab(LABS[0], WAIT, WAIT, untouched_todos=[1]), lab(LABS[1], PASSED, other("wrong", "out[17] is 3, not 4.5\nmore")),
           students=[EVIL]),
    result("eve", lab(LABS[0], hazard("missing-wait", 40, "TODO(2)"), PASSED), lab(LABS[1], PASSED, other("wrong", "out[3] is 1, not 2"))),
    result("joe", missing(LABS[0]), missing(LABS[1])),
    result("kim", lab(LABS[0], other("timeout", EVIL), other("timeout", EVIL), over_budget=True),
           lab(LABS[1], *[other("compile-error", "")] * 2, compile_errors='kernel.cu(7): error: identifier "abc" is undefined\n1 error')),
    result("sam", lab(LABS[0], other("incomplete", "not all"), other("unearned", "counts when x passes")), lab(LABS[1], PASSED, PASSED, late_percent=25.0)),
]


class Class(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = Path(scratch.name)
        (cls.out / "results").mkdir()
        for one in CLASS:
            (cls.out / "results" / (one["submission"] + ".json")).write_text(json.dumps(one))
        (cls.out / "similarity.csv").write_text("lab,submission,submission,alike percent,about tokens,lines\r\n"
                                                "01_synchronous_staging,ann,eve,81.25,90,1~2\r\n")
        (cls.out / "overrides.toml").write_text('[joe]\nexcuse = true\ncomment = "ill"\n[eve.02]\npoints = 4\nby = "AK"\n')
        subprocess.run([RUNNER, "grade", "merge", cls.out], check=True, capture_output=True)
        cls.report = json.loads((cls.out / "class.json").read_text())

    def test_obstacles_count_students(self):
        self.assertEqual([(one["name"], one["students"], one["labs"]) for one in self.report["obstacles"]],
                         [("missing-wait", 3, {"01": 2, "02": 1}), ("wrong", 2, {"02": 2}), ("compile-error", 1, {"02": 1}),
                          ("incomplete", 1, {"01": 1}), ("timeout", 1, {"01": 1})])

    def test_who_needs_a_talk(self):
        self.assertEqual({one["submission"]: one["reasons"] for one in self.report["talks"]}, {
            "ann": ["like eve in 01 (81 % of the smaller one's own code)"],
            "eve": ["like ann in 01 (81 % of the smaller one's own code)"],
            "kim": ["no points in 01, 02", "the runs exceed the time for a lab in 01"],
            "sam": ["not everything could be judged in 01"]})
        (self.out / "overrides.toml").rename(self.out / "away")
        try:
            text = subprocess.run([RUNNER, "grade", "convert", "class", self.out], check=True, capture_output=True, text=True).stdout
        finally:
            (self.out / "away").rename(self.out / "overrides.toml")
        self.assertIn("  joe: nothing was handed in\n", text)

    def test_labs(self):
        first, second = self.report["labs"]
        self.assertEqual((first["handed_in"], first["missing"], first["possible"]), (5, 0, 5))
        self.assertEqual(first["histogram"], {"step": 1, "students": [3, 0, 1, 0, 0, 1]})
        self.assertEqual(first["todos"], {"TODO(1)": {"students_with_errors": 0, "students_who_left_it": 1},
                                          "TODO(2)": {"students_with_errors": 2, "students_who_left_it": 0}})
        self.assertEqual(first["common_results"][0], {"outcome": "missing-wait", "message": "", "todo": "TODO(2)", "students": 2,
                                                      "example": {"submission": "bob", "case": "case 0", "line": 12}})
        self.assertEqual([(one["outcome"], one["message"], one["students"], one["example"]["line"]) for one in second["common_results"]],
                         [("wrong", "out[…] is …, not …", 2, 0), ("compile-error", "identifier \"…\" is undefined", 1, 7),
                          ("missing-wait", "", 1, 12)])

    def test_page(self):
        text = (self.out / "report.html").read_text()
        tags = set()

        class Tags(HTMLParser):
            def handle_starttag(self, tag, attributes):
                tags.add(tag)
                assert not any(name.startswith("on") or name == "src" for name, _ in attributes), attributes

        Tags().feed(text)
        self.assertFalse(tags & {"script", "img", "iframe", "b", "link"}, tags)
        for expected in ("Whom to talk to", "<svg", "bob, line 12", "What students stumble over", "prefers-color-scheme: dark", "@media print"):
            self.assertIn(expected, text)
        for path in ("report.html", "class.txt", "class.json", "rubric.csv"):
            for bad in ("\x1b", "\u202e"):
                self.assertNotIn(bad, (self.out / path).read_text(), path)

    def test_rubric(self):
        with open(self.out / "rubric.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(self.out / "grades.csv", newline="") as file:
            scores = {row["submission"]: float(row["score"]) for row in csv.DictReader(file)}
        for name in ("ann", "bob", "eve", "kim", "joe"):
            self.assertAlmostEqual(sum(float(row["got"]) for row in rows if row["submission"] == name), scores[name], msg=name)
        of = lambda name, lab: [(row["tests"], row["what is shown"], row["points"], row["got"], row["why not"])
                                for row in rows if row["submission"] == name and row["lab"] == lab]
        self.assertEqual(of("ann", LABS[0])[2], ("the mechanism", "every input byte is staged once", "1", "1", ""))
        self.assertEqual(of("bob", LABS[0])[0], ("results", "case 0", "2", "0", "missing-wait at line 12, TODO(2)"))
        self.assertEqual(of("eve", LABS[1])[-1], ("given by a person", "4 points given by AK", "4", "4", ""))
        self.assertEqual(of("sam", LABS[1])[-1], ("late policy", "handed in late: 25 % off", "0", "-1", "handed in after the due date"))
        self.assertIn("excused by a person: ill", {row["what is shown"] for row in rows if row["submission"] == "joe"})
        page = (self.out / "students/eve.html").read_text()
        self.assertIn('<th colspan="4">given by a person</th>', page)
        self.assertIn("missing-wait at line 40, TODO(2)", page)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
