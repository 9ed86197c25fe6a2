"""The pictures in docs/pictures have Chinese labels: their elements' data-zh. docs/zh/pictures has the pictures with them.

ASYNCLAB_BLESS=1 ./lab test pictures   writes docs/zh/pictures anew."""

import os
import re
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PICTURES, CHINESE = ROOT / "docs/pictures", ROOT / "docs/zh/pictures"


def in_chinese(text):
    return re.sub(r'(<(?:text|title|desc)[^>]*?) data-zh="([^"]*)"([^>]*)>[^<]*<', r"\1\3>\2<", text)


class Pictures(unittest.TestCase):
    def test_each_picture_is_there_in_chinese(self):
        used = set(re.findall(r"\(\.\./pictures/(\w+)\.svg\)", "".join(page.read_text() for page in (ROOT / "docs/walkthrough").glob("*.md"))))
        for picture in sorted(PICTURES / f"{name}.svg" for name in used):
            with self.subTest(picture.name):
                wanted, there = in_chinese(picture.read_text()), CHINESE / picture.name
                if os.environ.get("ASYNCLAB_BLESS"):
                    CHINESE.mkdir(exist_ok=True)
                    there.write_text(wanted)
                self.assertEqual(there.read_text() if there.exists() else "", wanted, "ASYNCLAB_BLESS=1 ./lab test pictures")
                self.assertRegex(wanted, r"[\u4e00-\u9fff]")

    def test_each_picture_has_a_title_and_looks_right_in_the_dark(self):
        for picture in PICTURES.glob("*.svg"):
            with self.subTest(picture.name):
                ElementTree.parse(picture)
                self.assertIn("<title", picture.read_text())
                self.assertIn("prefers-color-scheme: dark", picture.read_text())


unittest.main()
