"""`lab run --suppress`: which findings are suppressed, which are not, and errors in the file; and the templates in docs/ci."""

import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta, timezone
from pathlib import Path

from repository import HAZARD, RACE, RUNNER, TWO, Repository, commands

TEMPLATES = Path(__file__).resolve().parents[2] / "docs/ci"

ENTRY = """[[suppress]]
rule = "read-after-write-race"
file = "kernels/two.cu"
function = "first"
reason = "the values are not used"
"""


def day(offset):
    return (datetime.now(timezone.utc) + timedelta(days=offset)).date()


class Suppressing(Repository):
    def judged(self, code, text, *arguments, file=TWO):
        done = self.lab(code, file, *self.suppressions(text), "--json", "out.json", *arguments)
        return json.loads(self.read("out.json")), done.stderr

    def test_suppressed_is_counted_and_fails_nothing(self):
        report, errors = self.judged(0, ENTRY, "--nvcc", "-DSECOND_CORRECT")
        self.assertEqual((report["verdict"], report["findings"], report["schedules"]), ("passed", [], {"run": 4, "of": 4}))
        (finding,) = report["suppressed"]
        self.assertEqual(finding["suppressed_by"], {"line": 1, "reason": "the values are not used", "expires": ""})
        self.assertIn("1 finding suppressed by suppress.toml", errors)
        self.assertNotIn("error", errors)

    def test_neighbours_are_not_suppressed(self):
        for old, new in (('"first"', '"second"'), ("two.cu", "other.cu"), ("read-after-write-race", "missing-wait"), ("kernels/", "*/*/")):
            report, _ = self.judged(HAZARD, ENTRY.replace(old, new), "--nvcc", "-DSECOND_CORRECT")
            self.assertEqual((report["verdict"], report["suppressed"]), ("hazard", []), new)

    def test_the_other_kernel_is_still_reported(self):
        report, errors = self.judged(HAZARD, ENTRY)
        self.assertEqual([finding["kernel"] for finding in report["findings"]], ["second"])
        self.assertEqual([finding["kernel"] for finding in report["suppressed"]], ["first"])
        self.assertIn("two.cu:23: error: ", errors)
        self.assertNotIn("two.cu:14: error: ", errors)

    def test_without_a_function_all_are(self):
        report, errors = self.judged(0, ENTRY.replace('function = "first"\n', ""))
        self.assertEqual(len(report["suppressed"]), 2)
        self.assertIn("2 findings suppressed", errors)

    def test_function_in_the_call_chain(self):
        report, _ = self.judged(0, ENTRY.replace('"first"', '"mirrored"'))
        self.assertEqual(len(report["suppressed"]), 2)
        report, _ = self.judged(HAZARD, ENTRY.replace('"first"', '"fill"'))  # where the other access is
        self.assertEqual((len(report["findings"]), report["suppressed"]), (2, []))

    def test_patterns(self):
        for pattern, code in (("two.cu", 0), ("*.cu", 0), ("kernels/*", 0), ("kernels/", 0), ("**/two.cu", 0), ("k?rnels/t*.cu", 0),
                              (str(self.root / TWO), 0), ("./kernels/two.cu", 0), ("kernels", HAZARD), ("*/two", HAZARD), ("wo.cu", HAZARD)):
            with self.subTest(pattern):
                self.judged(code, ENTRY.replace("kernels/two.cu", pattern), "--nvcc", "-DSECOND_CORRECT")

    def test_consequences_of_a_suppressed_cause_are_reported(self):
        before, _ = self.judged(HAZARD, "", file="kernels/follows.cu")
        cause = before["findings"][0]["rule"]
        self.assertTrue(any(finding["rule"] != cause for finding in before["findings"]))
        report, errors = self.judged(HAZARD, f'[[suppress]]\nrule = "{cause}"\nfile = "follows.cu"\nreason = "known"\n', file="kernels/follows.cu")
        self.assertTrue(report["findings"])
        self.assertNotIn(cause, {finding["rule"] for finding in report["findings"]})
        self.assertIn(f"error: {report['findings'][0]['rule']}", errors)

    def test_kernel_that_failed_is_no_success(self):
        entry = '[[suppress]]\nrule = "deadlock"\nfile = "endless.cu"\nreason = "known"\n'
        report, _ = self.judged(1, entry, file="kernels/endless.cu")  # the program's own exit code
        self.assertEqual((report["verdict"], report["findings"], len(report["suppressed"])), ("failed", [], 1))
        self.assertTrue(report["incomplete"])
        report, _ = self.judged(HAZARD, entry.replace("deadlock", "missing-wait"), file="kernels/endless.cu")
        self.assertEqual(report["suppressed"], [])

    def test_expired(self):
        for offset, code in ((0, 0), (1, 0), (-1, HAZARD)):
            report, errors = self.judged(code, ENTRY + f"expires = {day(offset)}\n", "--nvcc", "-DSECOND_CORRECT")
            self.assertEqual(len(report["suppressed"]), int(code == 0))
            self.assertEqual("suppress.toml:1: note: this suppression of read-after-write-race has expired" in errors, code != 0)

    def test_unused(self):
        unused = ENTRY.replace("first", "second")
        for options, code, severity in (((), 0, "note"), (("--strict",), HAZARD, "error")):
            report, errors = self.judged(code, ENTRY + unused, "--nvcc", "-DSECOND_CORRECT", *options)
            self.assertEqual(report["verdict"], "passed")
            self.assertIn(f"suppress.toml:6: {severity}: this suppression of read-after-write-race in second, kernels/two.cu matches no finding", errors)
            self.assertEqual([(one["line"], one["severity"]) for one in report["suppressions"]], [(6, severity)])
            _, errors = self.judged(0, ENTRY, "--nvcc", "-DSECOND_CORRECT", *options)
            self.assertNotIn("matches no finding", errors)

    def test_entry_for_another_program_is_not_unused_unless_there_is_none(self):
        other = ENTRY.replace("kernels/two.cu", RACE)
        for text, count in ((ENTRY + other, 0), (ENTRY + ENTRY.replace("two.cu", "typo.cu"), 1)):
            report, _ = self.judged(0, text, "--nvcc", "-DSECOND_CORRECT")
            self.assertEqual(len(report["suppressions"]), count)

    def test_entry_for_a_header_is_unused_if_a_program_includes_it(self):
        for name in ("used.cuh", "unused.cuh"):
            (self.root / "kernels" / name).write_text("#pragma once\n")
        (self.root / "kernels/includes.cu").write_text('#include "used.cuh"\nint main() {}\n')
        for name, count in (("used.cuh", 1), ("unused.cuh", 0)):
            report, _ = self.judged(0, ENTRY.replace("two.cu", name), file="kernels/includes.cu")
            self.assertEqual(len(report["suppressions"]), count, name)

    def test_malformed(self):
        for text, line, words in (("suppress = [", 1, ""), ("[suppress]\n", 1, "[[suppress]]"), ("[[suppress]]\nfile = 1\n", 1, "no rule"),
                                  (ENTRY.replace("read-after-write-race", "raed-after-write-race"), 2, "did you mean 'read-after-write-race'"),
                                  (ENTRY.replace('"kernels/two.cu"', "3"), 3, "expected a text"),
                                  (ENTRY.replace('"the values are not used"', '" "'), 5, "expected a text"),
                                  (ENTRY.replace("reason", "reasons"), 5, "has no 'reasons'"), (ENTRY[:ENTRY.index("reason")], 1, "no reason"),
                                  (ENTRY + 'expires = "2030-01-01"\n', 6, "a date without quotes"), ("[[suppres]]\n", 1, "suppres")):
            with self.subTest(text):
                done = self.lab(2, TWO, *self.suppressions(text))
                self.assertRegex(done.stderr, rf"^lab: error: suppress\.toml:{line}: .*{re.escape(words)}")
                self.assertEqual(done.stderr.count("\n"), 2)

    def test_formats_show_what_is_suppressed(self):
        self.lab(HAZARD, TWO, *self.suppressions(ENTRY), "--format", "sarif:out.sarif", "--format", "junit:out.xml", "--format", "github:out.txt")
        (run,) = json.loads(self.read("out.sarif"))["runs"]
        open_, suppressed = sorted(run["results"], key=lambda result: "suppressions" in result)
        self.assertNotIn("suppressions", open_)
        (how,) = suppressed["suppressions"]
        self.assertEqual((how["kind"], how["status"], how["justification"]), ("external", "accepted", "the values are not used"))
        self.assertEqual(how["location"]["physicalLocation"]["artifactLocation"]["uri"], "suppress.toml")
        suite = ET.parse(self.root / "out.xml").getroot()[0]
        self.assertEqual((suite.get("failures"), suite.get("skipped")), ("1", "1"))
        self.assertEqual(suite.find("testcase/skipped").get("message"), "the values are not used")
        ((_, where, _),) = commands(self.read("out.txt"))
        self.assertEqual(where["line"], "23")

    def test_unused_in_the_formats(self):
        text = ENTRY + ENTRY.replace("first", "second")
        for options, code, level, command in (((), 0, "note", "notice"), (("--strict",), HAZARD, "error", "error")):
            self.lab(code, TWO, *self.suppressions(text), "--nvcc", "-DSECOND_CORRECT", "--format", "sarif:out.sarif", "--format", "github:out.txt",
                     "--format", "junit:out.xml", *options)
            (report,) = json.loads(self.read("out.sarif"))["runs"][0]["invocations"][0]["toolConfigurationNotifications"]
            self.assertEqual(report["level"], level)
            ((got, where, _),) = commands(self.read("out.txt"))
            self.assertEqual((got, where["file"], where["line"]), (command, "suppress.toml", "6"))
            self.assertEqual(ET.parse(self.root / "out.xml").getroot().get("failures"), str(int(code != 0)))


class Templates(Repository):
    """docs/ci, run as far as it can be here."""

    def setUp(self):
        (self.root / "asynclab").mkdir(exist_ok=True)
        lab = self.root / "asynclab/lab"
        lab.write_text(f"#!/bin/sh\nLAB_ROOT='{os.environ['LAB_ROOT']}' exec '{RUNNER}' \"$@\"\n")
        lab.chmod(0o755)

    def shell(self, script, code):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.root, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done)
        return done

    def test_hook(self):
        hook = (TEMPLATES / "pre-commit-config.yaml").read_text()
        entry = re.search(r"entry: (.+)", hook)[1]
        self.suppressions(ENTRY)
        for file, code in ((TWO, HAZARD), ("kernels/clean.cu", 0)):
            self.shell(f"{entry} {file}", code)
            self.assertTrue(re.search(re.search(r"files: (\S+)", hook)[1], file))


unittest.main(verbosity=2)
