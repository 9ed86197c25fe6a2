#!/usr/bin/env python3
"""Each chapter of the walkthrough shows one complete kernel before its tables: that of the playground, with every switch at
its first value. The test `playground` compiles and runs it. ASYNCLAB_BLESS=1 ./lab test docs-kernels writes it anew."""

import os
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/web"))
import variants  # noqa: E402

CHAPTERS = {"docs/walkthrough": "## A complete kernel", "docs/zh/walkthrough": "## 一个完整的 kernel"}
WHOLE = 32  # lines: of a longer program, only the kernel itself is shown


def shown(name):
    kernel = variants.description(name)
    values = {switch["name"]: switch.get("start", switch["values"][0]) for switch in kernel["control"]}
    lines = variants.resolved((variants.KERNELS / f"{name}.cu").read_text(), values).strip().splitlines()
    if len(lines) > WHOLE:
        lines = lines[next(i for i, line in enumerate(lines) if line.startswith("__global__")):]
    return "\n".join(lines) + "\n"


class Kernels(unittest.TestCase):
    def test_each_chapter_shows_the_kernel_of_its_playground(self):
        for name in variants.names():
            for folder, heading in CHAPTERS.items():
                with self.subTest(f"{folder}/{name}"):
                    page = ROOT / folder / f"{name}.md"
                    text = page.read_text()
                    found = re.search(rf"^{heading}\n(?:(?!#|```).*\n)*```cpp\n((?:(?!```).*\n)*)```$", text, re.M)
                    self.assertTrue(found, f"no section '{heading}' with a kernel")
                    if os.environ.get("ASYNCLAB_BLESS"):
                        text = text[:found.start(1)] + shown(name) + text[found.end(1):]
                        page.write_text(text)
                    else:
                        self.assertEqual(found[1], shown(name))
                    self.assertNotIn("\n|", text[:found.start()], "a table comes before the kernel")


if __name__ == "__main__":
    unittest.main()
