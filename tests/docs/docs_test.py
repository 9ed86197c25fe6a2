"""Everything that the documentation refers to exists: files and anchors, commands, options, labs, rules; and coverage.md has no gap."""

import re
import subprocess
import sys
import unittest
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = sys.argv.pop(1)
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "labs").glob("*/README.md"))]
NAMES_LABS = {"break", "check", "sass", "watch", "trace", "hint", "solution", "reset"}
LAUNCHER = {"test", "docs", "clean", "--version"}


@cache
def said(*arguments):
    return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=20, env={"LAB_ROOT": str(ROOT)}).stdout


@cache
def commands():
    listed = said("help").split("Subcommands:")[-1].split("\n\n")[0]
    return LAUNCHER | set(re.findall(r"^  ([a-z]\w*)", listed, re.M))


LABS = re.findall(r"\b(\d\d_\w+)", said("list"))
RULES = re.findall(r"^([a-z-]+) {2,}", said("explain"), re.M)


def prose(text):
    """The text without fenced code blocks, which hold no links and no headings."""
    return re.sub(r"^( *)```.*?^ *```$", "", text, flags=re.M | re.S)


def anchors(page):
    """GitHub's: lower case, punctuation dropped, spaces to hyphens; a heading that comes again gets -1, -2 …; and <a id=…>."""
    seen = {}
    yield from re.findall(r'<a id="([^"]+)">', page.read_text())
    for heading in re.findall(r"^#+ (.+)$", prose(page.read_text()), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower()).replace(" ", "-")
        yield name if name not in seen else f"{name}-{seen[name]}"
        seen[name] = seen.get(name, 0) + 1


def broken(page, target):
    """Why a relative link leads nowhere, or None."""
    path, _, anchor = target.partition("#")
    goal = (page.parent / path).resolve() if path else page
    if not goal.exists():
        return "there is no such file"
    if not goal.is_relative_to(ROOT):
        return "it leaves the tree"
    if anchor and anchor not in anchors(goal):
        return "there is no such heading"


def wrong(command):
    """Why the words behind ./lab are no valid command, or None. WORDS IN CAPITALS are placeholders."""
    words = command.split(" #")[0].split()
    if not words or words[0] == "help":
        return None
    name, rest = words[0], words[1:]
    if name not in commands():
        return f"there is no command '{name}'"
    if name in LAUNCHER:
        return None
    known = said(name, "--help")
    if rest and re.search(rf"^  {re.escape(rest[0])} ", known.partition("Subcommands:")[2], re.M):
        known += said(name, rest[0], "--help")
    for word in rest:
        if word == "--":
            break
        if word.startswith("--") and word.split("=")[0] not in known:
            return f"{name} has no option '{word}'"
    first = next((word for word in rest if not word.startswith("-")), None)
    if first is None or rest[0].startswith("-") or re.match(r"^[^a-z0-9]|[A-Z]+\b", first):
        return None
    if name in NAMES_LABS and not (ROOT / first).is_file() and (sum(lab.startswith(first) for lab in LABS) or sum(first in lab for lab in LABS)) != 1:
        return f"no lab is '{first}'"
    if name == "explain" and first not in RULES:
        return f"no rule is '{first}'"


def commands_in(text):
    """Each ./lab of the page: in a line of code, or in `backquotes`, where the closing one ends it."""
    for found in re.finditer(r"(?<![\w/])\./lab(?![\w/-])([^\n`|…]*)", text):
        yield text.count("\n", 0, found.start()) + 1, found[1].strip().rstrip(".,;:)")


class Documentation(unittest.TestCase):
    def each_page(self, check):
        problems = [f"{page.relative_to(ROOT)}: {problem}" for page in PAGES for problem in check(page)]
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_every_link_resolves(self):
        def check(page):
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text())):
                if not re.match(r"[a-z]+:", target) and (why := broken(page, target)):
                    yield f"{target}: {why}"
        self.each_page(check)

    def test_every_command_can_be_typed(self):
        def check(page):
            for line, command in commands_in(page.read_text()):
                if why := wrong(command):
                    yield f"{line}: ./lab {command}: {why}"
        self.each_page(check)

    def test_every_version_exists(self):
        """As a file to check, or as the text of a link: [05 wrong no wait](…/05_wait_group.versions)."""
        known = {f"{lab}/{name}" for lab in lab_versions.labs() for name in lab_versions.entries(lab)}
        texts = {f"{name[:2]}{name[name.index('/'):]}".replace("/", " ").replace("_", " ") for name in known}

        def check(page):
            text = page.read_text()
            for name in re.findall(r"tests/labs/(\d\d_\w+/[\w/]+)\.cu", text):
                if name not in known or f"build/tests/labs/{name}.cu" not in text:
                    yield f"{name}: there is no such version in build/tests/labs"
            for name in re.findall(r"\[([^\]]+)\]\([^)]*\.versions\)", text):
                if name not in texts:
                    yield f"{name}: there is no such version"
        self.each_page(check)

    def test_every_page_is_in_the_index(self):
        """The Chinese pages are in the index beside them, and that one is in docs/README.md."""
        def check(page):
            for index in (ROOT / "docs/zh/README.md", ROOT / "docs/README.md"):
                if page != index and page.is_relative_to(index.parent):
                    if f"]({page.relative_to(index.parent)})" not in index.read_text():
                        yield f"{index.relative_to(ROOT)} does not link to it"
                    return
        self.each_page(check)

    def test_every_picture_is_shown(self):
        text = "".join(page.read_text() for page in PAGES)
        unused = [picture.name for picture in (ROOT / "docs/pictures").iterdir() if picture.name not in text]
        self.assertFalse(unused)


class Walkthrough(unittest.TestCase):
    def test_every_lab_has_a_chapter(self):
        chapters = [page.stem for page in sorted((ROOT / "docs/walkthrough").glob("*.md"))]
        self.assertEqual(chapters, LABS)

    def test_chapters_have_the_same_parts(self):
        for lab in LABS:
            text = (ROOT / f"docs/walkthrough/{lab}.md").read_text()
            headings = re.findall(r"^## (.+)$", text, re.M)
            self.assertEqual([headings[0], *headings[-3:]],
                             ["Why", "Pitfalls", "Exercises", "What you should now be able to say"], lab)
            self.assertIn(f"./lab check {lab[:2]}", text, lab)
            self.assertIn(f"labs/{lab}/README.md", text, lab)
            self.assertIn(f"docs/walkthrough/{lab}.md", (ROOT / f"labs/{lab}/README.md").read_text(), lab)
            pitfalls = text.split("## Pitfalls")[1].split("## ")[0]
            self.assertGreaterEqual(len(set(re.findall(r"`\./lab explain ([a-z-]+)`", pitfalls))), 3, lab)

    def test_every_rule_is_met_somewhere(self):
        pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
        self.assertFalse([rule for rule in RULES if rule not in pages])


class Symptoms(unittest.TestCase):
    def test_rules_exist(self):
        text = (ROOT / "docs/symptoms.md").read_text()
        for row in re.findall(r"^\| .* \| .* \| (.*?) \| .*\|$", text, re.M):
            for rule in re.findall(r"`([a-z]+(?:-[a-z]+)*)`", row):
                self.assertIn(rule, RULES, row)


class Coverage(unittest.TestCase):
    def test_no_cell_is_empty(self):
        text = (ROOT / "docs/coverage.md").read_text()
        rows = [line for line in text.splitlines() if line.startswith("|") and not re.match(r"^\|[-|: ]+\|$", line)]
        self.assertGreater(len(rows), 100)
        for row in rows:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
            self.assertEqual(len(cells), 4, row)
            self.assertTrue(all(re.search(r"\w", cell) for cell in cells), f"an empty cell: {row}")

    def test_a_chapter_has_the_names_of_its_rows(self):
        for row in (ROOT / "docs/coverage.md").read_text().splitlines():
            cells = re.split(r"(?<!\\)\|", row)[1:-1]
            if len(cells) != 4:
                continue
            text = "".join((ROOT / "docs" / page).read_text() for page in re.findall(r"\((walkthrough/\w+\.md|\w+\.md)", cells[2]))
            for name in re.findall(r"`([^`]+)`", cells[0]):
                short = re.split(r"[(<{ ]", name)[0].split("::")[-1]  # cuda::barrier<scope>: barrier
                self.assertIn(short, text, f"{name} is not in the chapters of: {row}")


class TheTestItself(unittest.TestCase):
    def test_it_sees_what_is_wrong(self):
        for command in ("chekc 03", "explain missing-wiat", "check 42", "run --no-such FILE.cu", "hint nothing"):
            self.assertIsNotNone(wrong(command), command)
        for command in ("", "check 03", "check swizzle", "explain RULE", "explain missing-wait", "run FILE.cu", "check --all",
                        "check NN", "test clean-is-accepted-03", "run -- x", "check 03 --schedule lazy --seed 1"):
            self.assertIsNone(wrong(command), command)
        page = ROOT / "README.md"
        self.assertIsNotNone(broken(page, "docs/no_such.md"))
        self.assertIsNotNone(broken(page, "docs/adding.md#no-such-heading"))
        self.assertIsNone(broken(page, "docs/README.md#the-walkthrough"))


if __name__ == "__main__":
    unittest.main()
