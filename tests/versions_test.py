"""Versions: which ones apply, and which are refused, with the file, the line and the reason."""

import sys
import tempfile
import unittest
from pathlib import Path

import versions

BASE = "first();\n\nsecond();\nagain();\n\nthird();\nagain();\n"


class Versions(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "05.versions"
            file.write_text(text)
            return versions.read(file)

    def applied(self, blocks):
        return self.read(f"== wrong/one\n\n{blocks}\n")["wrong/one"].applied(BASE)

    def refused(self, line, what, call, text):
        with self.assertRaisesRegex(versions.VersionError, rf"05\.versions:{line}: error: {what}"):
            call(text)

    def test_a_head_says_what_is_expected_and_why(self):
        found = self.read("== wrong/one\nexpect: missing-wait\nNobody waits.\nNote: not at all.\n\n-second();\n\n== correct/two\n")
        self.assertEqual(list(found), ["wrong/one", "correct/two"])
        self.assertEqual(found["wrong/one"].expected, {"expect": "missing-wait"})
        self.assertEqual(found["wrong/one"].about, ["Nobody waits.", "Note: not at all."])
        self.assertEqual(found["correct/two"].line, 8)

    def test_lines_are_removed_added_and_replaced(self):
        self.assertEqual(self.applied("-second();"), "first();\n\nagain();\n\nthird();\nagain();\n")
        self.assertEqual(self.applied(" second();\n+new();"), BASE.replace("second();", "second();\nnew();"))
        self.assertEqual(self.applied("+new();\n third();"), BASE.replace("third();", "new();\nthird();"))
        self.assertEqual(self.applied("-first();\n+new();\n+\n+newer();"), BASE.replace("first();", "new();\n\nnewer();"))

    def test_several_blocks_apply_in_order(self):
        self.assertEqual(self.applied("-first();\n\n\n third();\n-again();"), "\nsecond();\nagain();\n\nthird();\n")

    def test_empty_lines_of_the_base_do_not_count(self):
        self.assertEqual(self.applied(" first();\n second();\n+new();"), BASE.replace("second();", "second();\nnew();"))
        self.assertEqual(self.applied(" again();\n+new();\n third();"), BASE.replace("again();\n\n", "again();\nnew();\n\n"))

    def test_an_entry_without_blocks_is_the_base(self):
        self.assertEqual(self.applied(""), BASE)

    def test_a_block_must_stand_in_the_base_once(self):
        self.refused(3, r"wrong/one: this block stands 2 times in the base, from: again\(\);", self.applied, "-again();")
        self.refused(5, r"wrong/one: this block does not stand in the base, from: fourth\(\);", self.applied, "-first();\n\n-fourth();")
        self.refused(3, "wrong/one: this block does not stand in the base", self.applied, " first();\n-third();")
        self.refused(3, "wrong/one: this block only adds lines", self.applied, "+new();")

    def test_blocks_must_be_in_the_order_of_the_base(self):
        self.refused(5, "wrong/one: this block belongs before the one above it", self.applied, "-third();\n\n-first();")
        self.refused(6, "wrong/one: this block belongs before", self.applied, " first();\n-second();\n\n second();\n-again();")

    def test_lines_and_names_that_cannot_be_read_are_refused(self):
        self.refused(3, r"wrong/one: a line of a block begins with a blank, \+ or -: first", self.applied, "first();")
        self.refused(4, "wrong/one: there is another entry of this name", self.read, "== wrong/one\n\n-first();\n== wrong/one\n")
        self.refused(1, r"the file does not begin with an entry \(== NAME\)", self.read, "-first();\n")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    bad = len(result.failures + result.errors)
    print(f"test cases: {result.testsRun} | {result.testsRun - bad} passed | {bad} failed | 0 skipped")
    sys.exit(bool(bad))
