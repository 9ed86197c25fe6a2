"""docs/hazards.md is what the rules' own records say, docs/zh/hazards.md what common/sim/rules/zh.toml makes of them in Chinese.
ASYNCLAB_BLESS=1 ./lab test hazards-page   writes both anew."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = sys.argv.pop(1)
PAGE, CHINESE = ROOT / "docs/hazards.md", ROOT / "docs/zh/hazards.md"
TRANSLATED = ROOT / "common/sim/rules/zh.toml"
INTRODUCTION = """# The hazard rules

What the simulated device can say, why it says so, and what to do. Each rule comes with a small program that it reports and the
nearest correct one, both of which are compiled and run by the tests; `./lab explain RULE` shows the same on the terminal, and
`./lab run FILE.cu` runs such a program. An error fails a check; a warning fails it under `--strict` only,
and a note never does. This page is made from the rules' records:
`ASYNCLAB_BLESS=1 ./lab test hazards-page`.
"""

INTRODUCTION_ZH = """# 规则

模拟设备会报告什么、为什么报告，以及该怎么办。每条规则都附有一个会被它报告的小程序，以及与之最接近的正确程序，两者都由测试编译并运行。`./lab explain RULE` 在终端显示同样的内容，`./lab run FILE.cu` 运行这样的程序。错误使检查失败；警告只在 `--strict` 下使检查失败；note 从不使检查失败。本页由规则的记录生成：`ASYNCLAB_BLESS=1 ./lab test hazards-page`。
"""
ENGLISH_WORDS = {"Wrong": "Wrong:", "Right": "Right:", "manual": "In the manual", "head": "| rule | what it says |", "stop": ".",
                 "Errors": "Errors", "Warnings": "Warnings", "Notes": "Notes", "introduction": INTRODUCTION}
CHINESE_WORDS = {"Wrong": "错误的写法：", "Right": "正确的写法：", "manual": "手册", "head": "| 规则 | 内容 |", "stop": "。",
                 "Errors": "错误", "Warnings": "警告", "Notes": "Note", "introduction": INTRODUCTION_ZH}


def section(rule, words):
    yield f"### {rule['name']}\n"
    yield f"**{rule['title']}**{words['stop']}\n" if words is CHINESE_WORDS else f"**{rule['title']}.**\n"
    yield from (rule[part] + "\n" for part in ("why", "remedy") if rule[part])
    for part, heading in (("wrong", "Wrong"), ("right", "Right")):
        if rule[part]:
            yield f"{words[heading]}\n\n```cuda\n{rule[part].strip()}\n```\n"
    if rule["manual"]:
        yield f"[{words['manual']}]({rule['manual']})\n"


def page(rules, words):
    yield words["introduction"]
    for severity, heading in (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes")):
        chosen = sorted((rule for rule in rules if rule["severity"] == severity), key=lambda rule: rule["name"])
        yield f"## {words[heading]}\n"
        yield words["head"] + "\n|---|---|"
        yield from (f"| [`{rule['name']}`](#{rule['name']}) | {rule['title']} |" for rule in chosen)
        yield ""
        for rule in chosen:
            yield from section(rule, words)


def told(language):
    """The rules' texts, as ./lab explain has them."""
    environment = {**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": language}
    return json.loads(subprocess.run([RUNNER, "explain", "--json"], capture_output=True, text=True, check=True, env=environment).stdout)


def digest(rule):
    return hashlib.sha256(json.dumps([rule[part] for part in ("title", "why", "remedy")]).encode()).hexdigest()[:16]


class HazardsPage(unittest.TestCase):
    def compare(self, path, text):
        text = text.rstrip() + "\n"
        if os.environ.get("ASYNCLAB_BLESS"):
            path.write_text(text)
        self.assertEqual(path.read_text() if path.exists() else "", text, "ASYNCLAB_BLESS=1 ./lab test hazards-page")

    def test_it_is_what_the_records_say(self):
        english = "\n".join(page(told("en"), ENGLISH_WORDS))
        self.compare(PAGE, english)
        mark = f"<!-- follows docs/hazards.md {hashlib.sha256((english.rstrip() + chr(10)).encode()).hexdigest()[:16]} -->\n"
        self.compare(CHINESE, mark + "\n".join(page(told("zh"), CHINESE_WORDS)))

    def test_each_rule_is_explained_in_chinese(self):
        text = TRANSLATED.read_text()
        entries = tomllib.loads(text)
        rules = {rule["name"]: rule for rule in told("en")}
        self.assertEqual(set(rules), set(entries))
        for name, entry in entries.items():
            if "follows" not in entry and os.environ.get("ASYNCLAB_BLESS"):
                text = re.sub(rf"^\[{name}\]\n", f'[{name}]\nfollows = "{digest(rules[name])}"\n', text, flags=re.M)
                entry["follows"] = digest(rules[name])
            with self.subTest(name):
                self.assertTrue(entry["title"] and entry["why"] and bool(entry["remedy"]) == bool(rules[name]["remedy"]))
                self.assertEqual(entry.get("follows"), digest(rules[name]), "the English texts have changed: the head of zh.toml says what to do")
        if os.environ.get("ASYNCLAB_BLESS"):
            TRANSLATED.write_text(text)


unittest.main()
