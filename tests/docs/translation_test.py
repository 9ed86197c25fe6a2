#!/usr/bin/env python3
"""The Chinese pages follow the English ones: block for block the same structure, code, names, numbers and links. They are
docs/zh for the pages in docs, and README.zh.md beside each lab's README.md. So do the Chinese hints in a lab's exercises.toml.

Each page's first line holds a digest of the English text it follows. When a translation has been brought in step,
    tests/docs/translation_test.py --bless docs/zh/walkthrough/05_wait_group.md …
writes the digest anew."""

import hashlib
import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGLISH, CHINESE = ROOT / "docs", ROOT / "docs/zh"
INDEX = CHINESE / "README.md"
MARK = re.compile(r"<!-- follows .* -->\n")
HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
# What is wrong without its other half: the parity bit; and what is no path or command.
COMPLETE = {r"奇偶(?!位)": "奇偶位", r".(?<=[\u4e00-\u9fff] )lab(?![./\w-])": "实验", r"\blab(?= ?[\u4e00-\u9fff])": "实验"}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def is_chinese(page):
    return page.is_relative_to(CHINESE) or page.name.endswith(".zh.md")


def original(page):
    if page.is_relative_to(CHINESE):
        return ENGLISH / page.relative_to(CHINESE)
    return page.with_name(page.name.replace(".zh.md", ".md"))


def translation(page):
    """The Chinese page that follows an English one, whether it is there or not; of other files, the file itself."""
    if page.is_relative_to(ENGLISH):
        return CHINESE / page.relative_to(ENGLISH)
    return page.with_name(page.stem + ".zh.md") if page.name == "README.md" else page


def name(page):
    return page.relative_to(ROOT).as_posix()


def translated():
    """Every page of docs/zh, those the walkthrough lacks, and the labs' pages; the index has no English page to follow."""
    chapters = {CHINESE / "walkthrough" / page.name for page in (ENGLISH / "walkthrough").glob("*.md")}
    labs = {translation(page) for page in ROOT.glob("labs/*/README.md")}
    return sorted(chapters | labs | set(CHINESE.rglob("*.md")) - {INDEX})


def with_chinese():
    """Every file with texts in Chinese, except the index, whose table of terms names the words not to be used."""
    files = "labs/*/*.toml", "labs/calls.toml", "docs/zh/pictures/*.svg", "common/sim/rules/zh.toml", "common/runner/zh/*.toml", \
        "common/drawing/*/chinese.js"
    return [*filter(Path.exists, translated()), *(file for pattern in files for file in sorted(ROOT.glob(pattern)))]


def hints():
    """(file, English, Chinese) of each hint in the labs' exercises.toml, as Markdown with its heading."""
    for file in sorted(ROOT.glob("labs/*/exercises.toml")):
        lab = tomllib.loads(file.read_text())
        for owner in (lab, *lab["drills"].values(), *lab["hunts"].values()):
            for hint in owner["hints"]:
                yield file, f"## {hint['heading']}\n\n{hint['text']}", f"## {hint['heading_zh']}\n\n{hint.get('text_zh', hint['text'])}"


def mark(page, english):
    """The first line of a page that follows this English text."""
    return f"<!-- follows {name(original(page))} {hashlib.sha256(english.encode()).hexdigest()[:16]} -->\n"


def blocks(text):
    """(line, kind, text) of each heading, paragraph, quotation, answer, list item, picture, table row and code block."""
    found, fence = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
            found += [[number, "code block", line]] if fence else []
        elif fence:
            found[-1][2] += "\n" + line
        elif not line.strip() or line.startswith("<!--"):
            found.append([number, "", ""])
        elif heading := re.match(r"#+ ", line):
            found.append([number, f"heading of level {len(heading[0]) - 1}", line])
        elif line.startswith("|"):
            found.append([number, f"table row of {len(cells(line))} cells", line])
        elif item := re.match(r"( *)([-*]|\d+\.) ", line):
            found.append([number, f"{'bullet' if item[2] in '-*' else 'item ' + item[2]}{' (inner)' * bool(item[1])}", line])
        elif line.startswith("!["):
            found.append([number, "picture", line])
        elif line.startswith(("<details>", "</details>")):
            found.append([number, "beginning of an answer" if line.startswith("<d") else "end of an answer", line])
        elif line.startswith(">"):
            if not found or found[-1][1] != "quotation":
                found.append([number, "quotation", ""])
            found[-1][2] += line[1:] + "\n"
        elif found and found[-1][1].startswith(("paragraph", "bullet", "item")):
            found[-1][2] += "\n" + line
        else:
            found.append([number, "paragraph", line])
    return [block for block in found if block[1]]


def cells(row):
    return re.split(r"(?<!\\)\|", row)[1:-1]


def links(text, page):
    """Where the links of a page lead; a Chinese page counts as the English one it follows."""
    for target in LINK.findall(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            yield target
            continue
        goal = (page.parent / path).resolve() if path else page
        followed = translation(goal) != goal and translation(goal).exists()
        if is_chinese(goal):
            yield name(original(goal))
        elif is_chinese(page) and followed:
            yield f"{name(goal)} (which exists in Chinese)"
        else:
            yield name(goal) + ("#" + anchor if anchor and not followed else "")


def code_problem(english, chinese):
    """A line of code is the same up to its first Chinese character, where a comment begins."""
    ours, theirs = chinese.splitlines(), english.splitlines()
    if len(ours) != len(theirs):
        return f"has {len(ours) - 1} lines, not {len(theirs) - 1}"
    for our, their in zip(ours, theirs):
        comment = HAN.search(our)
        kept = our[:comment.start()].rstrip() if comment else our
        if their != kept and not (comment and their.startswith(kept)):
            return f"has '{our.strip()}' where the English has '{their.strip()}'"
    return None


def names_and_numbers(text):
    """The parts that a translation leaves unchanged: `code`, and numbers of two digits or more."""
    spans = re.findall(r"`([^`]+)`", text)
    prose = LINK.sub("]", re.sub(r"`[^`]+`", " ", text))
    return {re.sub(r"\s+", " ", span) for span in spans} | set(re.findall(r"(?<![\w.])\d[\d.]*\d(?![\w.]*\d)", prose))


def differences(english, chinese, english_page, chinese_page):
    """Where the structure of two texts differs."""
    theirs, ours = blocks(english), blocks(chinese)
    end = [english.count("\n") + 1, "end of the page", ""]
    for (line, kind, text), (their_line, their_kind, their_text) in zip([*ours, end], [*theirs, end]):
        where = f"{name(chinese_page)}:{line}: "
        if kind != their_kind:
            yield f"{where}{kind}, where {name(english_page)}:{their_line} has: {their_kind}"
            return
        if kind == "code block":
            if problem := code_problem(their_text, text):
                yield f"{where}the code block {problem}"
            continue
        for what, here, there in (("links", sorted(links(text, chinese_page)), sorted(links(their_text, english_page))),
                                  ("code and numbers", sorted(names_and_numbers(text)), sorted(names_and_numbers(their_text)))):
            if here != there:
                only = [f"only in {language}: {', '.join(extra)}" for language, extra in
                        (("Chinese", [x for x in here if x not in there]), ("English", [x for x in there if x not in here])) if extra]
                yield f"{where}{what} differ from {name(english_page)}:{their_line}: {'; '.join(only) or 'not as often'}"


def loose_asterisks(text):
    """CommonMark neither begins emphasis between a letter and punctuation nor ends it between punctuation and a letter."""
    text = " " + re.sub(r"`[^`]+`", "`", text) + " "
    for count, run in enumerate(re.finditer(r"\*+", text)):
        outside, inside = text[run.start() - 1], text[run.end()]
        if count % 2:
            outside, inside = inside, outside
        if inside.isspace() or not inside.isalnum() and outside.isalnum():
            yield text[max(0, run.start() - 8):run.end() + 8].strip()


def structure(page):
    return list(differences(original(page).read_text(), page.read_text(), original(page), page))


def terms():
    """The rows of the index's table of terms: English, Chinese, and the words not to be used."""
    for row in re.findall(r"^\|.*\|$", INDEX.read_text().split("## 术语")[1].split("\n## ")[0], re.M)[2:]:
        english, chinese, instead = (cell.strip() for cell in cells(row))
        yield english, chinese, [word for word in instead.split("、") if word]


def bless(pages):
    for page in (Path(argument).resolve() for argument in pages):
        if page not in translated() or not page.exists() or not original(page).exists():
            sys.exit(f"{page}: no translation of an English page")
        if problems := structure(page):
            sys.exit("\n".join([*problems, "Not blessed: bring the page in step first."]))
        page.write_text(mark(page, original(page).read_text()) + MARK.sub("", page.read_text(), count=1))


class Translation(unittest.TestCase):
    def none(self, problems):
        if found := "\n".join(problems):
            self.fail("\n" + found)

    def test_every_page_follows_its_english_page(self):
        def check():
            for page in translated():
                if not page.exists():
                    yield f"{name(page)} is missing: translate {name(original(page))}"
                elif not original(page).exists():
                    yield f"{name(page)} follows no English page: there is no {name(original(page))}"
                else:
                    if not page.read_text().startswith(mark(page, original(page).read_text())):
                        yield (f"{name(original(page))} changed since its translation: update {name(page)}, "
                               f"then run tests/docs/translation_test.py --bless {name(page)}")
                    yield from structure(page)
        self.none(check())

    def test_every_hint_follows_the_english_one(self):
        self.none(f"'{chinese.splitlines()[0]}': {problem}" for file, english, chinese in hints()
                  for problem in differences(english, chinese, file, file))

    def test_a_heading_has_one_translation(self):
        seen = {}
        pages = [(page, original(page).read_text(), page.read_text()) for page in filter(Path.exists, translated())]
        for page, english, chinese in (*pages, *hints()):
            for (_, kind, ours), (_, _, theirs) in zip(blocks(chinese), blocks(english)):
                if kind.startswith("heading") and not kind.endswith("1"):
                    self.assertEqual(seen.setdefault(theirs, ours), ours, f"{name(page)}: '{theirs}' is translated in another way elsewhere")

    def test_terms_are_used_uniformly(self):
        self.none(f"{name(page)}: '{word}': the table of terms has '{chinese}' ({english})"
                  for page in with_chinese() for english, chinese, instead in terms() for word in instead if word in page.read_text())

    def test_terms_are_complete(self):
        for page in with_chinese():
            text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", page.read_text()) if page.suffix == ".md" else page.read_text()
            self.none(f"{name(page)}: '{found[0]}': write {wanted}" for pattern, wanted in COMPLETE.items()
                      for found in re.finditer(pattern, text))

    def test_emphasis_is_shown_as_such(self):
        pages = [(page, page.read_text()) for page in (INDEX, *filter(Path.exists, translated()))]
        self.none(f"{name(page)}:{line}: the asterisks of '{place}' are shown: move the punctuation out"
                  for page, chinese in (*pages, *((file, chinese) for file, _, chinese in hints()))
                  for line, kind, text in blocks(chinese) if kind != "code block" for place in loose_asterisks(text))

    def test_every_term_is_in_the_table_once(self):
        english = [row[0] for row in terms()]
        self.assertGreater(len(english), 20)
        self.assertEqual(len(english), len(set(english)))


class TheTestItself(unittest.TestCase):
    ENGLISH = "# A\n\nTwo `x` of 16 bytes, [b](b.md).\nMore.\n\n```\n f(x);   first\n g();\n```\n\n| a | b |\n|---|---|\n| 1 | `y` |\n\n1. One\n"
    CHINESE = "# 甲\n\n两个 `x`,各 16 字节,见 [乙](b.md)。\n\n```\n f(x);   先\n g();\n```\n\n| 甲 | 乙 |\n|---|---|\n| 1 | `y` |\n\n1. 一\n"

    def problems(self, chinese):
        page = CHINESE / "walkthrough/a.md"
        return list(differences(self.ENGLISH, chinese, original(page), page))

    def test_a_translation_is_one(self):
        self.assertEqual(self.problems(self.CHINESE), [])

    def test_a_changed_original_is_seen(self):
        page = CHINESE / "walkthrough/a.md"
        self.assertEqual(mark(page, self.ENGLISH), mark(page, self.ENGLISH))
        self.assertNotEqual(mark(page, self.ENGLISH), mark(page, self.ENGLISH + "More.\n"))
        self.assertTrue(MARK.fullmatch(mark(page, self.ENGLISH)))

    def test_asterisks_that_would_be_shown_are_seen(self):
        for text in ("**尾部。**线程", "见**（一）**", "** 一**"):
            self.assertTrue(list(loose_asterisks(text)), text)
        for text in ("**尾部**。线程", "见（**一**）", "甲*乙*丙", "**`x`**。", "`a*`"):
            self.assertFalse(list(loose_asterisks(text)), text)

    def test_what_differs_is_seen(self):
        for old, new in (("# 甲", "## 甲"), ("`x`", "x"), ("16", "32"), ("(b.md)", "(c.md)"), ("](b.md)", "]"), ("f(x);", "f(y);"),
                         (" g();\n", ""), (" g();", " h();"), ("| 1 | `y` |\n", ""), ("| 甲 | 乙 |", "| 甲 |"), ("1. 一", "- 一"),
                         ("1. 一\n", ""), ("`y`", "`z`"), ("1. 一\n", "1. 一\n2. 二\n"), ("。\n", "。\n\n又一段。\n")):
            self.assertNotEqual(self.problems(self.CHINESE.replace(old, new)), [], (old, new))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bless"] and sys.argv[2:]:
        bless(sys.argv[2:])
    elif sys.argv[1:2] == ["--bless"]:
        sys.exit("--bless: name the Chinese pages that have been brought in step")
    else:
        unittest.main()
