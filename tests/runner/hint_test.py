"""Hints are read from labs/NN_name/exercises.toml: one for each stage, Markdown made fit for a terminal."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = sys.argv.pop(1)
CODE = """## no heading

    wait_group<STAGES - 2>(); // a line that is longer than any terminal in this test, and is never broken
"""
HINTS = f"""
[[hints]]
heading = "A nudge"
heading_zh = "提示"
text = '''
Which group holds
the tile of this round?
'''
text_zh = "等待哪一组？"

[[hints]]
heading = "The idea"
text = '''
- first: commit `0`
  groups
- then wait
'''

[[hints]]
heading = "Nearly the code"
text = '''
Like this:

```cpp
{CODE}```
'''

[drills.1_which_n]
title = "Which N?"

[[drills.1_which_n.hints]]
heading = "Count from the youngest"
text = "How many?"
"""


class Hints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.hints = self.root / "labs/05_wait_group/exercises.toml"
        self.hints.parent.mkdir(parents=True)
        self.hints.write_text(HINTS)

    def lab(self, *arguments, code=0, **environment):
        environment = {**os.environ, "LAB_ROOT": str(self.root), "LAB_STATE": str(self.root / "state"), **environment}
        done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def test_each_stage_is_a_heading_and_its_text(self):
        self.assertEqual(self.lab("hint", "05"), "Hint 1 of 3: A nudge\n  Which group holds the tile of this round?\nMore: ./lab hint 05\n")
        self.assertEqual(self.lab("hint", "05"), "Hint 2 of 3: The idea\n  - first: commit `0` groups\n  - then wait\nMore: ./lab hint 05\n")

    def test_code_is_shown_as_it_is_and_holds_no_heading(self):
        everything = self.lab("hint", "05", "--all")
        self.assertIn("  Like this:\n\n" + "".join(f"      {line}\n" if line else "\n" for line in CODE.splitlines()), everything)
        self.assertNotIn("```", everything)
        self.assertIn("./lab solution 05", everything)

    def test_json_has_the_heading_and_the_markdown(self):
        hints = json.loads(self.lab("hint", "05", "--json", "--all"))
        self.assertEqual((hints["lab"], hints["stages"]), ("05_wait_group", 3))
        self.assertEqual(hints["hints"][0], {"stage": 1, "heading": "A nudge", "text": "Which group holds\nthe tile of this round?"})
        self.assertIn("```cpp", hints["hints"][2]["text"])

    def test_another_language_where_there_is_one(self):
        chinese = self.lab("hint", "05", "--all", LAB_LANG="zh")
        self.assertIn("提示\n  等待哪一组？\n", chinese)
        self.assertIn("The idea", chinese, "in English where it is in no other language")
        for language in ("", "fr", "../zh", "zhuang"):
            self.assertIn("A nudge", self.lab("hint", "05", "--all", LAB_LANG=language))

    def test_an_exercise_has_its_own(self):
        self.assertEqual(self.lab("hint", "05.1").splitlines()[:2], ["Hint 1 of 1: Count from the youngest", "  How many?"])
        self.assertIn("exercises.toml has no [drills.2_one_group_each]", self.lab("hint", "05.2", code=2))

    def test_a_file_that_cannot_be_used_is_a_clear_error(self):
        for text, said in (("", "toml:1: there are no hints"), ("[[hints", "toml:1: "),
                           ("\n[[hints]]\nheading = 'A nudge'\n", "toml:2: a hint needs a heading and a text"),
                           ("hints = ['A nudge']\n", "toml:1: a hint needs a heading and a text")):
            self.hints.write_text(text)
            self.assertIn(said, self.lab("hint", "05", code=2))
        self.hints.unlink()
        self.assertIn("labs/05_wait_group/exercises.toml is missing", self.lab("hint", "05", code=2))
        self.hints.mkdir()
        self.assertIn("exercises.toml is missing", self.lab("hint", "05", code=2))

    def test_a_tree_without_hints_still_lists_its_labs(self):
        counts = {lab["lab"]: lab["hints"] for lab in json.loads(self.lab("list", "--json"))}
        self.assertEqual((counts["05_wait_group"], counts["06_cuda_pipeline"]), (3, 0))


unittest.main(verbosity=2)
