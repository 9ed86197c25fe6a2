"""What reports make of results in which everything that a student chooses is hostile."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

RUNNER = os.environ["LAB_RUNNER"]
EVIL = "<script>alert(1)</script>\"'&]]>\x1b]0;x\x07\x00::error::x\n=cmd|'/c calc'!A1"
PLACE = {"file": "kernel.cu", "line": 2, "column": 1, "threads": "thread 0", "action": "read", "kernel": EVIL,
         "alternatives": []}


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
    return {"format": 1, "submission": name, "inputs": "0", "isolation": {"level": "user", "layers": [], "not_stopped": []},
            "seed": 1, "seed_policy": "public", "problems": [EVIL], "labs": [lab], "score": 2.0 * points, "possible": 10.0,
            "timing": {}}


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
        self.assertNotIn("\x1b", text)
        for expected in ("alice", "bob", "missing-wait", "&lt;b&gt;line two&lt;/b&gt;"):
            self.assertIn(expected, text)

    def test_nothing_to_merge(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([RUNNER, "grade", "merge", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results", done.stderr)


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
