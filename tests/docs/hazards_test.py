"""docs/hazards.md is what the rules' own records say.   ASYNCLAB_BLESS=1 ./lab test hazards-page   writes it anew."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = sys.argv.pop(1)
PAGE = ROOT / "docs/hazards.md"
INTRODUCTION = """# The hazard rules

What the simulated device can say, why it says so, and what to do. Each rule comes with a small program that it reports and the
nearest correct one, both of which are compiled and run by the tests; `./lab explain RULE` shows the same on the terminal, and
`./lab run FILE.cu` runs such a program. An error fails a check; a warning fails it under `--strict` only,
and a note never does. This page is made from the rules' records:
`ASYNCLAB_BLESS=1 ./lab test hazards-page`.
"""


def section(rule):
    yield f"### {rule['name']}\n"
    yield f"**{rule['title']}.**\n"
    yield from (rule[part] + "\n" for part in ("why", "remedy") if rule[part])
    for part, heading in (("wrong", "Wrong"), ("right", "Right")):
        if rule[part]:
            yield f"{heading}:\n\n```cuda\n{rule[part].strip()}\n```\n"
    if rule["manual"]:
        yield f"[In the manual]({rule['manual']})\n"


def page(rules):
    yield INTRODUCTION
    for severity, heading in (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes")):
        chosen = sorted((rule for rule in rules if rule["severity"] == severity), key=lambda rule: rule["name"])
        yield f"## {heading}\n"
        yield "| rule | what it says |\n|---|---|"
        yield from (f"| [`{rule['name']}`](#{rule['name']}) | {rule['title']} |" for rule in chosen)
        yield ""
        for rule in chosen:
            yield from section(rule)


class HazardsPage(unittest.TestCase):
    def test_it_is_what_the_records_say(self):
        listed = subprocess.run([RUNNER, "explain", "--json"], capture_output=True, text=True, check=True,
                                env={**os.environ, "LAB_ROOT": str(ROOT)}).stdout
        text = "\n".join(page(json.loads(listed))).rstrip() + "\n"
        if os.environ.get("ASYNCLAB_BLESS"):
            PAGE.write_text(text)
        self.assertEqual(PAGE.read_text() if PAGE.exists() else "", text, "ASYNCLAB_BLESS=1 ./lab test hazards-page")


unittest.main()
