"""The timing model's sentence beside the points of `lab check`: for whom it is said, and that it changes nothing else."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402

OVERLAP = ("05", "--case", "STAGES - 1 tiles are in flight")


def check(*arguments, language="en"):
    done = subprocess.run([RUNNER, "check", *arguments], capture_output=True, text=True, timeout=200,
                          env={**os.environ, "LAB_LANG": language})
    return " ".join(done.stdout.split()), done


def modelled():
    """The case that each lab's record names; nothing where it names none."""
    for record in sorted((ROOT / "labs").glob("[0-9]*/check.cpp")):
        text = record.read_text()
        named = re.search(r'\.modelled = "(.*)"', text)
        yield record.parent.name[:2], named and named[1], re.findall(r'LAB_CASE\("(.*?)"', text)


class Estimate(unittest.TestCase):
    def test_a_lab_that_passes_has_a_sentence_with_the_command_that_shows_more(self):
        text, _ = check(*OVERLAP, "--solutions")
        self.assertRegex(text, r"8 of 8 points .* model: with one block on each SM of an H100, .* about 1\.0 of the speed of "
                               r"the GPU's own copy, 1\.7 times as much as with synchronous copies\. Bandwidth limits it")
        self.assertIn('./lab trace 05 --solutions --case "STAGES - 1 tiles are in flight"', text)

    def test_it_is_the_same_again_and_in_chinese(self):
        self.assertEqual(*(json.loads(check(*OVERLAP, "--solutions", "--json")[1].stdout)[0]["model"] for _ in "12"))
        text, _ = check(*OVERLAP, "--solutions", language="zh_CN.UTF-8")
        self.assertRegex(text, "模型：在 H100 上.*受带宽限制.*详情：")
        self.assertNotIn("model:", text)

    def test_less_overlap_has_one_too_and_a_smaller_number(self):
        file = lab_versions.file("10", "wrong/producer_waits_from_the_second_lap_on")
        case = ("10", "--case", "all stages are in flight", "--json")
        less, best = (json.loads(check(*case, *more)[1].stdout)[0] for more in (("--file", file), ("--solutions",)))
        self.assertTrue(less["cases"][-1]["partly"])
        self.assertLess(less["model"]["of_copy"], best["model"]["of_copy"])
        self.assertEqual(best["model"]["case"], case[2])
        self.assertEqual(set(best["model"]), {"gpu", "case", "cycles", "cycles_if_synchronous", "of_copy", "bound"})
        self.assertIn("model: with", check(*case[:-1], "--file", file)[0])

    def test_what_is_wrong_has_none(self):
        file = lab_versions.file("05", "wrong/no_barrier_after_the_wait")
        text, done = check(*OVERLAP, "--file", file)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("model:", text)

    def test_a_lab_that_the_model_does_not_hold_for_has_none(self):
        _, done = check("18", "--case", "one step", "--solutions", "--json")
        self.assertIsNone(json.loads(done.stdout)[0]["model"])
        self.assertNotIn("model:", check("18", "--case", "one step", "--solutions")[0])

    def test_records_name_cases_that_exist_and_none_for_products(self):
        labs = list(modelled())
        for lab, case, cases in labs:
            if case:
                self.assertIn(case, cases, lab)
        self.assertEqual([lab for lab, case, _ in labs if case], ["03", "05", "06", "07", "08", "09", "10", "16"])


unittest.main()
