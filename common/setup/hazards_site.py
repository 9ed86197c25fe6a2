"""The hazard rules as pages, from what ./lab explain --json says: docs/hazards.md lists them; the site has their whole texts."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "build/common/runner/lab-runner"
REPORTS = ROOT / "tests/sim/hazards/reports"
REPORT = re.compile(r"^\[report: ([\w/-]+)(?:, (\d+) lines)?\]\(\S*tests/sim/hazards/reports\)$", re.M)
PAGES = {"": ROOT / "docs/hazards.md", "zh": ROOT / "docs/zh/hazards.md"}

WORDS = {
    "": {
        "title": "The hazard rules", "error": "Errors", "warning": "Warnings", "note": "Notes", "head": "| rule | what it says |",
        "end": ".**", "wrong": "Wrong:", "right": "Right, with these lines changed:", "manual": "In the manual",
        "severities": "An error fails a check; a warning fails it under `--strict` only, and a note never does.",
        "list": """These are the rules that a report of the simulated device can name. `./lab explain RULE` says why the code is wrong and what to
do, and shows a small program that the rule reports with the lines that make it correct. `./lab docs` has the same for all
rules on one page. The links here lead to the rules' records.""",
        "whole": """What the simulated device can report, why it does so, and what to do. Each rule comes with a small program that it reports
and the lines that make it correct; the tests compile and run both. `./lab explain RULE` shows the same on the terminal,
and `./lab run FILE.cu` runs such a program.""",
    },
    "zh": {
        "title": "规则", "error": "错误", "warning": "警告", "note": "Note", "head": "| 规则 | 内容 |",
        "end": "**。", "wrong": "错误的写法：", "right": "正确的写法，只改这几行：", "manual": "手册",
        "severities": "错误使检查失败；警告只在 `--strict` 下使检查失败；note 从不使检查失败。",
        "list": "模拟设备的报告会引用下列规则。`./lab explain RULE` 说明代码错在哪里、该怎么办，并给出一个会被该规则报告的小程序，以及改正它的那几行。"
        "`./lab docs` 把所有规则放在一页上。这里的链接指向各规则的记录。",
        "whole": "模拟设备会报告什么、为什么报告，以及该怎么办。每条规则都附有一个会被它报告的小程序，以及改正它的那几行，两者都由测试编译并运行。"
        "`./lab explain RULE` 在终端显示同样的内容，`./lab run FILE.cu` 运行这样的程序。",
    },
}


def rules(language="", runner=RUNNER):
    """The records, with their texts in this language; None where nothing has been built."""
    if not Path(runner).exists():
        return None
    environment = {**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": language or "en"}
    return json.loads(subprocess.run([runner, "explain", "--json"], capture_output=True, text=True, check=True, env=environment).stdout)


@functools.cache
def reports():
    """{rule, or a program of tests/sim/hazards: what is reported about its program}."""
    entries = re.split(r"^== ", REPORTS.read_text(), flags=re.M)[1:]
    return {name: text.strip("\n") for name, _, text in (entry.partition("\n") for entry in entries)}


def with_reports(text):
    """The page with the first finding of a report, or its first lines, where a link stands for it: [report: NAME, 4 lines](…)."""
    def shown(found):
        first = reports()[found[1]].split("\n\n")[0].split("\n")
        return "```text\n" + "\n".join(first[:int(found[2] or len(first))]) + "\n```"
    return REPORT.sub(shown, text)


def by_severity(records):
    for severity in ("error", "warning", "note"):
        if chosen := sorted((rule for rule in records if rule["severity"] == severity), key=lambda rule: rule["name"]):
            yield severity, chosen


def listed(records, language):
    """The page that is in the repository: a line for each rule, which links can lead to."""
    words = WORDS[language]
    to_records = os.path.relpath(ROOT / "common/sim/rules", PAGES[language].parent)
    lines = [f"# {words['title']}\n", words["list"] + "\n", words["severities"] + "\n"]
    for severity, chosen in by_severity(records):
        lines += [f"## {words[severity]}\n", words["head"], "|---|---|"]
        for rule in chosen:
            name = rule["name"]
            lines.append(f'| <a id="{name}"></a>[`{name}`]({to_records}/{name.replace("-", "_")}.cpp) | {rule["title"]} |')
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def section(rule, words):
    yield f"### {rule['name']}\n"
    yield f"**{rule['title']}{words['end']}\n"
    yield f"{rule['why']}\n\n{rule['remedy']}\n"
    yield f"{words['wrong']}\n\n```cuda\n{rule['wrong'].strip()}\n```\n"
    yield f"{words['right']}\n\n```diff\n{rule['changes'].rstrip()}\n```\n"
    yield f"[{words['manual']}]({rule['manual']})\n"


def whole(records, language):
    """The page of the site."""
    words = WORDS[language]
    lines = [f"# {words['title']}\n", words["whole"] + "\n", words["severities"] + "\n"]
    for severity, chosen in by_severity(records):
        lines += [f"## {words[severity]}\n", words["head"], "|---|---|"]
        lines += [f"| [`{rule['name']}`](#{rule['name']}) | {rule['title']} |" for rule in chosen]
        lines.append("")
        for rule in chosen:
            lines += section(rule, words)
    return "\n".join(lines).rstrip() + "\n"
