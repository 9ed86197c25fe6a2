"""./lab drill, hunt and quiz as a learner uses them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

RUNNER, ROOT = sys.argv.pop(1), sys.argv.pop(1)

QUESTIONS = """
[[question]]
name = "doubled"
kind = "number"
text = "What is twice {N}?"
text_zh = "{N} 的两倍是多少？"
with = [{ N = 4, answer = 8 }, { N = 5, answer = 10 }]
why = "Two times {N}, and {N - 1} is one less."

[[question]]
name = "parities"
kind = "numbers"
text = "The first four parities?"
answer = [0, 1, 0, 1]
why = "They alternate."

[[question]]
name = "pick"
kind = "choice"
text = "Which?"
choices = ["this", "that"]
answer = 2
why = "That."
"""


class Exercises(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.environment = {**os.environ, "LAB_ROOT": ROOT, "LAB_STATE": str(self.folder / "state"), "LAB_LANG": "en", "LAB_DEVICE": "sim"}
        state = Path(os.environ.get("LAB_STATE", Path(ROOT) / ".asynclab")) / "toolchain.json"
        if state.exists():  # which nvcc
            (self.folder / "state").mkdir()
            (self.folder / "state/toolchain.json").write_bytes(state.read_bytes())

    def lab(self, *arguments, typed="", **more):
        return subprocess.run([RUNNER, *arguments], input=typed, capture_output=True, text=True, timeout=120,
                              env={**self.environment, **more})

    def with_questions(self, text):
        lab = self.folder / "root/labs/05_wait_group"
        lab.mkdir(parents=True, exist_ok=True)
        (lab / "questions.toml").write_text(text)
        self.environment["LAB_ROOT"] = str(self.folder / "root")

    def test_a_drill_shows_its_task_and_is_checked(self):
        result = self.lab("drill", "05.1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("labs/05_wait_group/drills/1_which_n.cu\n\n  Each thread copies three chunks", result.stdout)
        self.assertIn("error: read-before-completion", result.stdout)
        self.assertNotIn("Use N = ", result.stdout)
        self.assertIn("What to change is shown with the next check that fails, or now: ./lab check 05.1 --why", result.stdout)
        self.assertIn("next: ./lab hint 05.1", result.stdout)
        self.assertIn("Use N = 2 in this wait", self.lab("drill", "05.1").stdout)
        self.assertIn("… 05.1", self.lab("drill", "05", "--list").stdout)

    def test_a_drill_says_at_once_what_to_change_if_it_is_asked(self):
        self.assertIn("Use N = 2 in this wait", self.lab("drill", "05.1", "--why").stdout)

    def test_a_hunt_asks_for_the_rule_and_the_line(self):
        result = self.lab("hunt", "05.h1")
        self.assertEqual(result.returncode, 1)
        rule, line = self.first_error("05.h1")
        self.assertIn("a hazard", result.stdout)
        self.assertNotIn(rule, result.stdout)
        self.assertNotIn("next:", result.stdout)
        self.assertIn("Which rule does the device report, and at which line?", result.stdout)
        self.assertIn("see the report: --why", result.stdout)
        wrong = self.lab("hunt", "05.h1", "--answer", f"bank-conflict:{line}").stdout
        self.assertIn("✗ bank-conflict is not reported.", wrong)
        self.assertIn(f"error: {rule}", wrong)

    def test_a_right_guess_is_confirmed_and_the_report_follows(self):
        rule, line = self.first_error("05.h1")
        right = self.lab("hunt", "05.h1", typed=f"{rule}:{line}\n").stdout
        self.assertIn(f"✓ {rule} is reported.\n✓ The report names line {line}.\n", right)
        self.assertIn(f"error: {rule}", right)
        self.assertIn(f"error: {rule}", self.lab("hunt", "05.h1").stdout)  # from now on

    def first_error(self, hunt):
        cases = json.loads(self.lab("check", hunt, "--json", LAB_STATE=str(self.folder / "other")).stdout)[0]["cases"]
        first = next(finding for case in cases for finding in case["findings"] if finding["severity"] == "error")
        return first["rule"], first["first"]["line"]

    def test_the_task_is_shown_in_chinese(self):
        self.assertIn("05.1  N 应该是几？", self.lab("drill", "05", "--list", LAB_LANG="zh").stdout)

    def test_a_lab_stands_for_its_first_open_drill(self):
        state = {"labs": {"05_wait_group/drills/1_which_n": {"passed": True, "tried": True}}}
        (self.folder / "state").mkdir(exist_ok=True)
        (self.folder / "state/state.json").write_text(json.dumps(state))
        self.assertNotIn("1_which_n.cu\n\n", self.lab("drill", "05").stdout)

    def test_other_commands_take_a_drill_by_its_number_or_path(self):
        for name in ("05.1", "5.1", "labs/05_wait_group/drills/1_which_n.cu"):
            self.assertIn("Hint 1 of", self.lab("hint", name, "--all").stdout)
        self.assertIn("wait_group<first>()", self.lab("solution", "05.1").stdout)

    def test_a_number_that_is_none_is_refused_with_those_that_are(self):
        result = self.lab("drill", "05.9")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no drill '05.9'", result.stderr)
        self.assertIn("choose one of 05.1", result.stderr)
        self.assertIn("there is no hunt '05.h9'", self.lab("hunt", "05.h9").stderr)

    def test_the_drills_of_a_lab_as_json(self):
        drills = json.loads(self.lab("drill", "05", "--json").stdout)
        self.assertEqual(drills[0]["number"], "05.1")
        self.assertEqual(next(lab for lab in json.loads(self.lab("list", "--json").stdout) if lab["lab"] == "05_wait_group")["drills"], len(drills))

    def test_right_answers_are_remembered(self):
        self.with_questions(QUESTIONS)
        result = self.lab("quiz", "05", "--seed", "1", typed="9\n8\n10\n0, 1, 0 1\n2\n")
        self.assertIn("No. Try again", result.stdout)
        self.assertIn("Right.", result.stdout)
        self.assertIn("Two times 4, and 3 is one less." if "twice 4" in result.stdout else "Two times 5, and 4 is one less.", result.stdout)
        self.assertIn("They alternate.", result.stdout)
        again = self.lab("quiz", "05", typed="2\n").stdout
        self.assertIn("3 of 3 questions", result.stdout + again)

    def test_all_numbers_of_an_answer_are_asked_for(self):
        self.with_questions(QUESTIONS)
        result = self.lab("quiz", "05.2", typed="0\n0 1 0 1\n")
        self.assertIn("the answer consists of 4 numbers", result.stdout)
        self.assertNotIn("No. Try again", result.stdout)

    def test_an_empty_line_shows_the_answer_and_earns_nothing(self):
        self.with_questions(QUESTIONS)
        result = self.lab("quiz", "05.2", typed="\n")
        self.assertIn("The answer is 0 1 0 1.", result.stdout)
        self.assertIn("0 of 3 questions", result.stdout)

    def test_what_is_no_answer_is_asked_again(self):
        self.with_questions(QUESTIONS)
        result = self.lab("quiz", "05.3", typed="two\n3\n2\n")
        self.assertIn("'two' is no number: type a number", result.stdout)
        self.assertIn("there is no choice 3: type a number from 1 to 2", result.stdout)
        self.assertIn("1 of 3 questions", result.stdout)

    def test_values_are_drawn_and_put_into_the_texts(self):
        self.with_questions(QUESTIONS)
        drawn = {json.loads(self.lab("quiz", "05", "--json", "--seed", str(seed)).stdout)[0]["text"] for seed in range(1, 9)}
        self.assertEqual(drawn, {"What is twice 4?", "What is twice 5?"})
        self.assertIn("的两倍是多少", self.lab("quiz", "05", "--json", LAB_LANG="zh").stdout)

    def test_questions_are_exported_with_their_answers(self):
        self.with_questions(QUESTIONS)
        for ending in ("gift", "xml", "zip"):
            result = self.lab("quiz", "05", "--export", str(self.folder / f"bank.{ending}"), "--seed", "1")
            self.assertIn("3 questions are in", result.stdout)
        gift = (self.folder / "bank.gift").read_text()
        self.assertIn("::05.1 doubled::[html]<p>What is twice", gift)
        self.assertIn("=0 1 0 1", gift)
        self.assertIn("~<p>this</p>\n\t\\=<p>that</p>".replace("\\=", "="), gift)
        moodle = ElementTree.parse(self.folder / "bank.xml").getroot()
        self.assertEqual([one.get("type") for one in moodle], ["numerical", "shortanswer", "multichoice"])
        with zipfile.ZipFile(self.folder / "bank.zip") as bank:
            self.assertEqual(bank.namelist(), ["imsmanifest.xml", "q1.xml", "q2.xml", "q3.xml"])
            item = ElementTree.fromstring(bank.read("q3.xml"))
            self.assertEqual(item.find(".//{*}correctResponse/{*}value").text, "c2")

    def test_a_bank_holds_decimal_numbers_and_html_without_markdown(self):
        self.with_questions('''
[[question]]
name = "masked"
kind = "number"
text = "Which offset does *one* unit have, and `a *b* c`, and 2 * 3 * 4?"
answer = "0x80"
why = "Because."
text_zh = "?"
why_zh = "?"
''')
        for ending in ("gift", "xml", "zip"):
            self.lab("quiz", "05", "--export", str(self.folder / f"bank.{ending}"))
        gift = (self.folder / "bank.gift").read_text()
        self.assertIn("{#128:0\n", gift)
        self.assertIn("<em>one</em> unit have, and <code>a *b* c</code>, and 2 * 3 * 4?", gift)
        moodle = ElementTree.parse(self.folder / "bank.xml").getroot()
        self.assertEqual(moodle.find("question/answer/text").text, "128")
        with zipfile.ZipFile(self.folder / "bank.zip") as bank:
            item = ElementTree.fromstring(bank.read("q1.xml"))
            self.assertEqual(item.find(".//{*}correctResponse/{*}value").text, "128")

    def test_a_bank_of_another_kind_is_refused(self):
        self.with_questions(QUESTIONS)
        result = self.lab("quiz", "05", "--export", str(self.folder / "bank.txt"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("a question bank is a .gift, .xml (Moodle) or .zip (QTI) file", result.stderr)

    def test_the_device_answers(self):
        questions = json.loads(self.lab("quiz", "05", "--json", "--seed", "1").stdout)
        self.assertEqual(next(one for one in questions if one["name"] == "what_is_read")["answer"], "missing-barrier-after-wait")

    def test_a_spoilt_file_of_questions_is_named_with_its_line(self):
        for text, says in (("[[question]]\nname = ", "questions.toml:2: "), ('[[question]]\nnam = "x"\n', "questions.toml:2: a question has no 'nam'"),
                           ('[[question]]\nname = "x"\nkind = "essay"\n', "no kind of answer 'essay'"),
                           ('[[question]]\nname = "x"\nkind = "number"\ntext = "?"\nwhy = "!"\n', "needs an answer")):
            self.with_questions(text)
            result = self.lab("quiz", "05")
            self.assertEqual(result.returncode, 2)
            self.assertIn(says, result.stderr)
        self.with_questions("")
        self.assertIn("lab 05 has no questions", self.lab("quiz", "05").stderr)


unittest.main(verbosity=2)
