"""The cards in the labs' READMEs: the calls that a solution needs, each with its signature, from labs/calls.toml.

No solution needs a call that no card shows: a card lists the calls that are new in its lab, and names those that earlier labs
have shown. ASYNCLAB_BLESS=1 ./lab test calls   writes the cards anew.
"""

import os
import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LABS = re.findall(r"^    '(\d\d_\w+)',$", (ROOT / "labs/meson.build").read_text(), re.M)
GIVEN = ROOT / "common/check/student"
CALLS = tomllib.loads((ROOT / "labs/calls.toml").read_text())["call"]
# Functions, and their helpers; PTX instructions in strings; methods of barriers, pipelines and clusters.
IDENTIFIER = re.compile(
    r"\bcuda::ptx::\w+|\b(?:cuda|ptx|cg)::\w+|\b__(?:pipeline|mbarrier|sync|shfl|cvta|launch|grid)_?\w+|\bcuTensorMap\w+(?=\()|\bcuda[A-Z]\w+(?=\()"
    r"|\.(?:arrive_and_wait|producer_acquire|producer_commit|consumer_wait|consumer_release|map_shared_rank|block_rank)(?=\()"
    r'|(?<=["; ])(?:cp\.async|mbarrier|bar|setp|selp|ldmatrix|mma|wgmma|setmaxnreg)\.[\w.:]+')
WORDS = {
    "README.md": ("## Calls", "New in this lab:", "From earlier labs:", "This lab needs no call that earlier labs have not shown."),
    "README.zh.md": ("## 调用", "本实验新增：", "前面的实验用过：", "本实验所需的调用在前面的实验中都已出现。"),
}


def code(path):
    return re.sub(r"//.*|^#include .*", "", path.read_text(), flags=re.M)


def needed(lab):
    """Identifiers in the solution, and in the headers that it is given."""
    solution = ROOT / "solutions" / lab / "kernel.cu"
    given = [GIVEN / name for name in re.findall(r'^#include "(\w+\.h)"', solution.read_text(), re.M) if name != "lab.h"]
    text = "".join(map(code, [solution, *given]))
    return {name.replace("cooperative_groups::", "cg::").replace("cuda::ptx::", "ptx::") for name in IDENTIFIER.findall(text)}


def entry_of(name):
    return next((call for call in CALLS if name in call["names"]), None)


def cards():
    """For each lab: (entries that are new, {entry's first name: the lab that showed it})."""
    shown = {}
    for lab in LABS:
        entries = [call for call in CALLS if set(call["names"]) & needed(lab)]
        new = [call for call in entries if call["names"][0] not in shown]
        earlier = {call["names"][0]: shown[call["names"][0]] for call in entries if call not in new}
        yield lab, new, earlier
        shown.update({call["names"][0]: lab for call in new})


def card(page, new, earlier):
    heading, begin, before, nothing = WORDS[page]
    meaning, stop, comma, space = ("meaning", ".", ", ", " ") if page == "README.md" else ("zh", "。", "、", "")
    text = f"{heading}\n\n" + (f"{begin}\n\n" if new else "")
    for call in new:
        lines = call["signature"].split("; ")
        if call["header"]:
            lines[0] += f"  // {call['header'] if ' ' in call['header'] else '<' + call['header'] + '>'}"
        # The name of a macro or instruction begins in small letters, also at the beginning of a sentence.
        means = call[meaning] if call[meaning].startswith("`") else call[meaning][0].upper() + call[meaning][1:]
        text += "```cpp\n" + "\n".join(lines) + f"\n```\n\n{means}\n\n"
    if earlier:
        names = comma.join(f"`{name.strip('.')}` ({lab[:2]})" for name, lab in sorted(earlier.items(), key=lambda one: (one[1], one[0])))
        text += f"{before}{space}{names}{stop}\n\n"
    return text if new or earlier else f"{heading}\n\n{nothing}\n\n"


class Calls(unittest.TestCase):
    def test_every_call_of_a_solution_has_an_entry(self):
        for lab in LABS:
            with self.subTest(lab):
                self.assertEqual([], sorted(name for name in needed(lab) if not entry_of(name) and not name.startswith("cuda::std")))

    def test_every_entry_is_whole_and_needed(self):
        needs = set().union(*map(needed, LABS))
        for call in CALLS:
            with self.subTest(call["names"][0]):
                self.assertTrue(set(call["names"]) & needs, "no solution needs it")
                self.assertTrue(call["signature"] and call["meaning"] and call["zh"])

    def test_the_cards_are_those_of_the_record(self):
        for lab, new, earlier in cards():
            for page, (heading, *_) in WORDS.items():
                path = ROOT / "labs" / lab / page
                if not path.exists():
                    continue
                text = path.read_text()
                found = re.search(rf"^{heading}\n.*?(?=^## )", text, re.M | re.S)
                with self.subTest(path.relative_to(ROOT).as_posix()):
                    self.assertTrue(found, f"it has no section '{heading}'")
                    wanted = card(page, new, earlier)
                    if os.environ.get("ASYNCLAB_BLESS") == "1":
                        path.write_text(text[: found.start()] + wanted + text[found.end() :])
                    else:
                        self.assertEqual(found[0], wanted, "write it with: ASYNCLAB_BLESS=1 ./lab test calls")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    bad = len(result.failures + result.errors)
    print(f"test cases: {result.testsRun} | {result.testsRun - bad} passed | {bad} failed | 0 skipped")
    sys.exit(bool(bad))
