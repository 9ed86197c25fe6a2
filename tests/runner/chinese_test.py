"""What ./lab says in Chinese: common/runner/zh has every text of the rules and the labs."""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

RUNNER = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
ROOT = Path(__file__).resolve().parents[2]
HAN = re.compile(r"[\u4e00-\u9fff]")
# Raw strings hold programs; comments and included names are no texts.
CODE = re.compile(r'R"(\w*)\(.*?\)\1"|(L?"(?:[^"\\\n]|\\.)*")|//[^\n]*|#include[^\n]*', re.S)


def literals(source):
    """The texts of a C++ file; strings that stand together are one."""
    text = CODE.sub(lambda found: found[2] or "", source.read_text())
    text = re.sub(r'"\s*\n?\s*"', "", text)
    text = re.sub(r'\.(?:name|title|why|remedy|manual|suspected_with|wrong|changes) = "(?:[^"\\]|\\.)*"', "", text)
    return [found.replace('\\"', '"') for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)]


def tables():
    found = {}
    for file in sorted((ROOT / "common/runner/zh").glob("*.toml")):
        found |= tomllib.loads(file.read_text())
    return found


class Tables(unittest.TestCase):
    def test_each_text_of_a_rule_is_there_in_chinese(self):
        known = [re.sub(r"\{\d\}", "{}", english) for english in tables()]
        for file in sorted((ROOT / "common/sim/rules").glob("*.cpp")) + [ROOT / "common/sim/rules/phrases.h"]:
            for text in literals(file):
                plain = re.sub(r"\{\d\}", "{}", text.split("\\n")[0]).strip()
                plain = re.sub(r"(?<=[:.])\{\}$", "", plain)  # a table follows, or another sentence
                if len(plain.split()) >= 4 and not any(plain in english for english in known):
                    with self.subTest(f"{file.name}: {plain}"):
                        self.fail(f"add its Chinese to common/runner/zh: {plain}")

    def test_titles_cases_and_mechanisms_are_there_in_chinese(self):
        known = tables()
        for file in sorted(ROOT.glob("labs/*/check.cpp")) + sorted(ROOT.glob("labs/*/exercises.cpp")):
            source = re.sub(r'"\s*\n\s*"', "", file.read_text())
            texts = re.findall(r'(?:LAB_CASE|\bCASE)\("([^"]*)"', source) + re.findall(r'\.title = "([^"]*)"', source)
            for text in texts:
                if " " in text and not HAN.search(known.get(text, "")) and text not in ("memcpy_async", "wait_group"):
                    with self.subTest(f"{file.parent.name}: {text}"):
                        self.fail(f"add its Chinese to common/runner/zh/cases.toml: {text}")

    def test_what_cases_expect_is_there_in_chinese(self):
        known = [re.sub(r"\{[^}]*\}", "{}", english) for english in tables()]
        concepts = re.compile(r"\.concepts = \{.*?\}", re.S)
        for file in sorted(ROOT.glob("labs/*/check.cpp")) + sorted(ROOT.glob("labs/*/exercises.cpp")):
            listed = " ".join(concepts.findall(file.read_text()))
            for text in literals(file):
                plain = re.sub(r"\{[^}]*\}", "{}", text).strip()
                if len(plain.split()) >= 5 and plain not in listed and not any(plain in english for english in known):
                    with self.subTest(f"{file.parent.name}: {plain}"):
                        self.fail(f"add its Chinese to common/runner/zh/mechanisms.toml: {plain}")

    def test_the_holes_agree(self):
        for english, chinese in tables().items():
            with self.subTest(english):
                holes = re.findall(r"\{([^}]*)\}", english)
                used = re.findall(r"\{([^}]*)\}", chinese)
                if any(re.match(r"\d", one) for one in used):
                    self.assertLess(max(int(one[0]) for one in used), len(holes))
                else:
                    self.assertEqual(len(used), len(holes))


@unittest.skipUnless(RUNNER, "needs lab-runner")
class OnTheTerminal(unittest.TestCase):
    def lab(self, *arguments):
        with tempfile.TemporaryDirectory() as state:
            toolchain = Path(os.environ.get("LAB_STATE", ROOT / ".asynclab")) / "toolchain.json"
            if toolchain.exists():  # which nvcc
                Path(state, "toolchain.json").write_bytes(toolchain.read_bytes())
            return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_STATE": state, "LAB_LANG": "zh", "LAB_DEVICE": "sim"}).stdout

    def english(self, report):
        """Sentences that stayed English; the student's own lines are no such thing."""
        lines = [line for line in report.splitlines() if not re.match(r"\s*\d* \|", line) or "^" in line]
        return [line for line in lines if re.search(r"(?:\b[a-z]+ ){4}", line)]

    def test_a_report_is_in_chinese(self):
        for exercise, remedy in (("05.1", "这次等待用 N = 2"), ("08.h1", ""), ("01.1", "")):
            with self.subTest(exercise):
                report = self.lab("check", exercise, "--why")
                self.assertIn("错误: ", report)
                self.assertIn("下一步：", report)
                self.assertIn(remedy, report)
                self.assertEqual(self.english(report), [], report)


unittest.main(verbosity=2)
