"""The decks of docs/slides: their parts and their time. Code and reports are those of programs that the tests run, the
prediction is a question of the lab, and the last slide is the end of the chapter."""

import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "common/setup"))
import hazards_site  # noqa: E402
import questions_site  # noqa: E402

HAZARDS = ROOT / "tests/sim/hazards"
PROGRAMS = [*HAZARDS.glob("clean/*.cu"), *HAZARDS.glob("wrong/*.cu"), *(ROOT / "tests/docs/programs").glob("*.cu"),
            *(ROOT / "common/sim/rules").glob("*.cpp")]
PARTS = {
    "slides": ["The question", "The picture", "The idea", "The code that matters", "Predict", "The answer", "A pitfall", "Do it now",
               "Take home"],
    "zh/slides": ["问题", "图示", "思路", "关键代码", "预测", "答案", "陷阱", "动手", "小结"],
}
SAYABLE = {"slides": "## What you should now be able to say\n", "zh/slides": "## 现在你应该能说清\n"}


def lines(text):
    """The code of each line: without indentation and comment, and without the sign before a line that a neighbour changes."""
    return [line.split(" //")[0].strip("+ ") for line in text.splitlines() if line.strip()]


def flat(text):
    return re.sub(r"\s|```", "", text)


def filled(text, values):
    return flat(questions_site.filled(text, values))


def block(text, language):
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)[1]


class Slides(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        texts = [program.read_text() for program in PROGRAMS]
        cls.code = {line for text in texts for line in lines(text)}
        cls.decks = [(folder, deck, deck.read_text()) for folder in PARTS for deck in sorted((DOCS / folder).glob("*.md"))]

    def each(self):
        for folder, deck, text in self.decks:
            with self.subTest(f"{folder}/{deck.name}"):
                yield folder, deck, text

    def test_every_chapter_has_a_deck(self):
        chapters = [page.name for page in sorted((DOCS / "walkthrough").glob("*.md"))]
        for folder in PARTS:
            self.assertEqual([deck.name for of, deck, _ in self.decks if of == folder], chapters)

    def test_parts_and_minutes(self):
        for folder, _, text in self.each():
            self.assertEqual(re.findall(r"^## (.+)$", text, re.M), PARTS[folder])
            minutes = [re.search(r"^> (\d+) (?:min\.|分钟。)", part, re.M) for part in text.split("\n## ")[1:]]
            self.assertTrue(all(minutes), "a slide without a note that begins with its minutes")
            self.assertEqual(sum(int(found[1]) for found in minutes), 45)

    def test_code_is_that_of_a_program(self):
        for _, _, text in self.each():
            shown = block(text, "cuda")
            self.assertLessEqual(len(shown.splitlines()), 12)
            self.assertEqual([line for line in lines(shown) if line not in self.code], [])

    def test_reports_are_those_of_the_device(self):
        for _, _, text in self.each():
            (shown,) = hazards_site.REPORT.finditer(text)
            self.assertIn(shown[1], hazards_site.reports())
            self.assertRegex(hazards_site.with_reports(shown[0]), r"\A```text\n\S+:\d+: (error|warning|note): ")

    def test_the_prediction_is_a_question_of_the_lab(self):
        for folder, deck, text in self.each():
            suffix = "_zh" if folder.startswith("zh") else ""
            parts = text.split("\n## ")
            asked, answered = flat(parts[5]), flat(parts[6])
            number = int(re.search(r"`\./lab quiz \d\d\.(\d+)`", parts[5])[1])
            question = tomllib.loads((ROOT / "labs" / deck.stem / "questions.toml").read_text())["question"][number - 1]
            choices = question.get("choices" + suffix, question.get("choices", []))
            self.assertTrue(any(filled(question["text" + suffix], values) in asked and filled(question["why" + suffix], values) in answered
                                and all(filled(choice, values) in asked for choice in choices)
                                for values in question.get("with", [{}])), f"not question {number} of the lab")

    def test_the_last_slide_is_the_end_of_the_chapter(self):
        for folder, deck, text in self.each():
            end = (deck.parents[1] / "walkthrough" / deck.name).read_text().split(SAYABLE[folder])[1].strip()
            self.assertIn(end, text.split("\n## ")[-1])


if __name__ == "__main__":
    unittest.main()
