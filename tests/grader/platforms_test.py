"""Reads exports as the platforms do, by the rules of their own importers and schemas as far as these are published. Names
of students are hostile, scores have decimals, one student is excused, one has no result."""

import base64
import csv
import io
import json
import math
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from formats_test import RUNNER, result

ENVIRONMENT = {"CLASSROOM": "c", "ASSIGNMENT": "a", "OWNER": "bob", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://x/1",
        "RELEASE_URL": "https://x/2", "SUBMITTED_AT": "2026-02-01T12:00:00Z"}


def canvas(text):
    """canvas-lms, lib/gradebook_importer.rb: {student's id: {assignment: grade}}; None if it would refuse the file."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if not re.fullmatch("[;, ]+", line)]
    width = {mark: {len(next(csv.reader([line], delimiter=mark))) for line in lines[:3]} for mark in ";,"}
    fields = {mark: next(iter(found)) if len(found) == 1 else 0 for mark, found in width.items()}
    rows = list(csv.reader(lines, delimiter=";" if fields[";"] > fields[","] else ",", strict=True))

    def number(field):  # a decimal comma becomes a point; thousands are joined
        if not re.fullmatch(r"-?[0-9.,]+%?", field):
            return field
        *before, last = re.split("[,.]", field)
        return f"{''.join(before)}.{last}" if before else last

    header = rows[0]
    if len(header) <= 3 or "Student" not in header[0] or "ID" not in header[1]:
        return None
    columns = 3
    if re.search(r"SIS\s+Login\s+ID", header[2]):
        columns = 4
    elif re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3]):
        columns = 5
    if "Section" not in header[columns - 1]:
        return None
    grades = {}
    for row in rows[1:]:
        if "Points Possible" in row[0] or all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", field, re.I) for field in row):
            continue
        grades[row[1]] = {name: number(row[i]).strip() for i, name in enumerate(header) if i >= columns and i < len(row)}
    return grades


def moodle(text, language="Participant "):
    """mod/assign/feedback/offline/importgradeslib.php, with csvlib's rule that all rows are as long as the header."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    header = rows[0]
    if not {"Identifier", "Grade", "Last modified (grade)"} <= set(header) or any(len(row) != len(header) for row in rows):
        return None
    return {row[header.index("Identifier")][len(language):]: row[header.index("Grade")] for row in rows[1:]}


def classroom50(data):
    """schemas/result-v1.schema.json and runner.py's validate_result: what they would complain about."""
    texts = {"classroom", "assignment", "owner", "commit", "release", "review"}
    wanted = texts | {"schema", "assignment_type", "submission", "datetime", "score", "max-score", "tests"}
    whole = lambda value: type(value) is int and value >= 0
    wrong = [f"{key} is missing" for key in wanted - data.keys()]
    wrong += [f"{key} is not in the schema" for key in data.keys() - wanted - {"graded_at", "submitted_by"}]
    wrong += [f"{key} is empty" for key in texts if not isinstance(data.get(key), str) or not data[key]]
    if data["schema"] != "classroom50/result/v1" or data["assignment_type"] not in {"individual", "group", "team"}:
        wrong.append("schema or type")
    if not data["submission"].startswith("submit/"):
        wrong.append("submission")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", data["datetime"]):
        wrong.append("datetime")
    for one in [data, *data["tests"]]:
        if not (whole(one["score"]) and whole(one["max-score"]) and one["score"] <= one["max-score"]):
            wrong.append(f"scores {one['score']} of {one['max-score']}")
    wrong += [str(test) for test in data["tests"] if not test.get("test-name") or type(test.get("passed")) is not bool]
    return wrong


def reporter(line):
    """autograding-grading-reporter, src/main.js and src/notify-classroom.js: the points that reach the classroom."""
    name, _, encoded = line.strip().partition("=")
    data = json.loads(base64.b64decode(encoded, validate=True).decode())
    assert name == "result" and data["status"] in {"pass", "fail", "error"}
    assert all(test["status"] in {"pass", "fail", "error"} and test["name"] for test in data["tests"])
    return f"Points {sum(test['score'] for test in data['tests']):g}/{data['max_score']:g}", data["status"]


def prairielearn(data):
    """apps/prairielearn/src/lib/externalGrader.ts: (gradable, score)."""
    gradable = bool(data.get("succeeded", True)) and bool(data.get("gradable", True))
    if gradable and not (isinstance(data["score"], (int, float)) and math.isfinite(data["score"]) and 0 <= data["score"] <= 1):
        return False, 0
    return gradable, data["score"]


class Platforms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = Path(scratch.name)
        (cls.out / "results").mkdir()
        for name, passed in {"alice": True, "bob": False}.items():
            made = result(name, passed)
            for key in ("score", "possible"):
                made[key] *= 0.55
            made["labs"][0].update(score=made["score"], out_of=made["possible"], weight=1.1)
            (cls.out / "results" / f"{name}.json").write_text(json.dumps(made))
        (cls.out / "overrides.toml").write_text("[alice]\nexcuse = true\n")
        subprocess.run([RUNNER, "grade", "merge", cls.out], check=True, capture_output=True)

    def convert(self, form, results, *more):
        return subprocess.run([RUNNER, "grade", "convert", form, results, *more], check=True, capture_output=True, text=True,
                              env={**os.environ, **ENVIRONMENT})

    def fill(self, form, text):
        export = self.out / "export.csv"
        export.write_text(text, newline="")
        done = self.convert(form, self.out, "--into", export)
        return done.stdout, done.stderr

    def test_canvas(self):
        head = "Student,ID,SIS User ID,SIS Login ID,Section,Labs (77),Final Score\r\n    Points Possible,,,,,10,(read only)\r\n"
        rows = '"=Bob, ""x""; y",102,,,S1,,3\r\n"Doe, Alice",101,,,S1,,\r\nCarol,103,,,S1,"1,5",\r\n'
        filled, _ = self.fill("canvas", "\ufeff" + head + rows)
        grades = {one: row["Labs (77)"] for one, row in canvas(filled).items()}
        self.assertEqual(grades, {"102": "4", "101": "EX", "103": "1.5"})

    def test_moodle(self):
        head = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
        rows = 'Participant 102,"=Bob, ""x""",,,,100.00,-,\nParticipant 101,Alice,,,,100.00,-,\nParticipant 103,C,,,7.5,100.00,-,\n'
        filled, said = self.fill("moodle", head + rows)
        self.assertEqual(moodle(filled), {"102": "40", "101": "", "103": "7.5"})
        self.assertIn("alice is excused, which Moodle knows no grade for: left as it was", said)

    def test_results_of_one(self):
        bob, alice = (self.out / "results" / f"{name}.json" for name in ("bob", "alice"))
        for path in (bob, alice):
            data = json.loads(self.convert("classroom50", path).stdout)
            self.assertEqual(classroom50(data), [])
            self.assertEqual(data["datetime"], ENVIRONMENT["SUBMITTED_AT"])  # grading again makes no submission late
            self.assertTrue(prairielearn(json.loads(self.convert("prairielearn", path).stdout))[0])
        self.assertEqual(reporter(self.convert("classroom", bob).stdout), ("Points 2/2", "pass"))

    def test_junit(self):
        root = ElementTree.parse(self.out / "junit.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        for suite in root:
            self.assertTrue(suite.get("name"))
            cases = suite.findall("testcase")
            self.assertEqual((int(suite.get("tests")), int(suite.get("failures"))), (len(cases), len(suite.findall("testcase/failure"))))
            self.assertTrue(all(case.get("name") and case.get("classname") for case in cases))


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
