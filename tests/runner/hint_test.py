"""A lab's hints are read from solutions/NN_name/hints.md: one section for each stage, Markdown made fit for a terminal."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = sys.argv.pop(1)
HINTS = """# Hints for lab 05

## A nudge

Which group holds
the tile of this round?

## The idea

- first: commit `0`
  groups
- then wait

## Nearly the code

Like this:

```cpp
## no heading

    wait_group<STAGES - 2>(); // a line that is longer than any terminal in this test, and is never broken
```
"""


class Hints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.hints = self.root / "solutions/05_wait_group/hints.md"
        self.hints.parent.mkdir(parents=True)
        (self.root / "labs").mkdir()
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
        code = HINTS.split("```cpp\n")[1].split("```")[0].splitlines()
        self.assertIn("  Like this:\n\n" + "".join(f"      {line}\n" if line else "\n" for line in code), everything)
        self.assertNotIn("```", everything)
        self.assertIn("./lab solution 05", everything)

    def test_json_has_the_heading_and_the_markdown(self):
        told = json.loads(self.lab("hint", "05", "--json", "--all"))
        self.assertEqual((told["lab"], told["stages"]), ("05_wait_group", 3))
        self.assertEqual(told["hints"][0], {"stage": 1, "heading": "A nudge", "text": "Which group holds\nthe tile of this round?"})
        self.assertIn("```cpp", told["hints"][2]["text"])

    def test_another_language_where_there_is_one(self):
        self.hints.with_name("hints.zh.md").write_text("## 提示\n\n等待哪一组？\n")
        self.assertIn("等待哪一组？", self.lab("hint", "05", "--all", LAB_LANG="zh"))
        for language in ("", "fr", "../zh", "zhuang"):
            self.assertIn("A nudge", self.lab("hint", "05", "--all", LAB_LANG=language))

    def test_a_file_that_cannot_be_used_is_a_clear_error(self):
        for text, said in (("", "has no stages"), ("# Title only\n", "has no stages"), ("## A nudge\n\n## The idea\n\ntext\n", "a stage without"),
                           ("## A\n\n" + "x" * (65 << 10), "is larger than 64 KiB")):
            self.hints.write_text(text)
            self.assertIn(said, self.lab("hint", "05", code=2))
        self.hints.unlink()
        self.assertIn("solutions/05_wait_group/hints.md is missing", self.lab("hint", "05", code=2))
        self.hints.mkdir()
        self.assertIn("hints.md is missing", self.lab("hint", "05", code=2))

    def test_a_tree_without_solutions_still_lists_its_labs(self):
        counts = {lab["lab"]: lab["hints"] for lab in json.loads(self.lab("list", "--json"))}
        self.assertEqual((counts["05_wait_group"], counts["06_cuda_pipeline"]), (3, 0))


unittest.main(verbosity=2)
