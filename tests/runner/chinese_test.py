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


class Launcher(unittest.TestCase):
    """The messages of ./lab itself and of common/setup, which common/setup/zh.sh translates."""

    def messages(self):
        word = r"""("(?:[^"\\\\]|\\\\.)*"|'[^']*')"""
        for file in [ROOT / "lab", *sorted((ROOT / "common/setup").glob("*.sh"))]:
            if file.name in ("messages.sh", "zh.sh", "wheel.sh"):
                continue
            text = file.read_text()
            for found in re.finditer(rf"\b(say|fail|step)\s+{word}(?:\s+(?:\\\\\n\s*)?{word})?", text):
                for one in found.groups()[1:]:
                    plain = re.sub(r"\$\{[^}]*\}|\$\*|\$\w+", lambda name: "does not run" if "problem" in name[0] else "X", one[1:-1]) if one else ""
                    if len(plain.split()) >= 3 and not plain.startswith("X"):
                        yield f"{file.name}: {plain}", plain + (" X" if found[1] == "step" and one == found[2] else "")

    def test_each_message_is_there_in_chinese(self):
        for name, message in self.messages():
            with self.subTest(name):
                said = subprocess.run(["bash", "-c", 'root=$1 LAB_LANG=zh; source "$1/common/setup/messages.sh"; translate "$2"; '
                                       'printf %s "$said"', "bash", ROOT, message], capture_output=True, text=True, check=True)
                self.assertRegex(said.stdout, HAN, "add it to common/setup/zh.sh")

    def test_what_differs_keeps_its_place(self):
        script = 'root=$1 LAB_LANG=$2; source "$1/common/setup/messages.sh"; fail "the build failed" "use a & b {} $3"'
        for language, wanted in (("zh_CN.UTF-8", "lab：错误：构建失败"), ("en", "lab: error: the build failed")):
            run = subprocess.run(["bash", "-c", script, "bash", ROOT, language, "x"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("use a & b {} x", run.stderr)
            self.assertIn(wanted.split("：")[-1], run.stderr)


@unittest.skipUnless(RUNNER, "needs lab-runner")
class OnTheTerminal(unittest.TestCase):
    def lab(self, *arguments):
        return self.run_lab(*arguments).stdout

    def run_lab(self, *arguments):
        with tempfile.TemporaryDirectory() as state:
            toolchain = Path(os.environ.get("LAB_STATE", ROOT / ".asynclab")) / "toolchain.json"
            if toolchain.exists():  # which nvcc
                Path(state, "toolchain.json").write_bytes(toolchain.read_bytes())
            return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_STATE": state, "LAB_LANG": "zh", "LAB_DEVICE": "sim"})

    def english(self, report):
        """Sentences that stayed English; the student's own lines are no such thing."""
        lines = [line for line in report.splitlines() if not re.match(r"\s*\d* \|", line) or "^" in line]
        return [line for line in lines if re.search(r"(?:\b[a-z]+ ){4}", line)]

    def test_help_is_in_chinese(self):
        commands = re.findall(r"^  (\w+)", self.lab("--help").partition("子命令：")[2], re.M)
        self.assertIn("learn", commands)
        for command in ["help", *commands]:
            with self.subTest(command):
                shown = self.lab(command, "--help") if command != "help" else self.lab("help")
                self.assertIn("用法：./lab", shown)
                self.assertEqual(self.english(shown), [], shown)

    def test_errors_are_in_chinese(self):
        for arguments in (["check", "99"], ["bench", "03", "--file", "nowhere.cu"], ["run"], ["step", "05", "--block", "x"]):
            with self.subTest(arguments):
                self.assertRegex(self.run_lab(*arguments).stderr, rf"lab：错误：.*{HAN.pattern}")

    def test_a_report_is_in_chinese(self):
        for exercise, remedy in (("05.1", "这次等待用 N = 2"), ("08.h1", ""), ("01.1", "")):
            with self.subTest(exercise):
                report = self.lab("check", exercise, "--why")
                self.assertIn("错误: ", report)
                self.assertIn("下一步：", report)
                self.assertIn(remedy, report)
                self.assertEqual(self.english(report), [], report)


unittest.main(verbosity=2)
