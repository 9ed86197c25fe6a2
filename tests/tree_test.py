"""What belongs together in this tree is together: lists and folders, labs and solutions, code and tests."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES = 400
CODE = {".cpp", ".h", ".cu", ".py", ".sh", ".in", ".build"}
# From the bottom to the top: a file includes from its own room and from those before it in this list. A room is the whole
# folder, but for folders in it that are listed themselves.
ROOMS = [
    "base",
    "isolation",
    "process",
    "compile/dependencies",
    "compile/servers",
    "sim/ptx",
    "sim/memory",
    "sim/events",
    "sim/machine",
    "sim/async",
    "sim/instructions",
    "sim/ordering",
    "sim/shadow",
    "sim/diagnosis",
    "sim/rules",
    "sim/report",
    "sim/detector",
    "sim/timeline",
    "sim/stepper",
    "sim/device",
    "sim/cuda",
    "drawing",
    "launch",
    "web",
    "check",
    "compile",
    "judge",
    "grader/formats",
    "grader",
    "runner",
]
LABS = re.findall(r"^    '(\d\d_\w+)',$", (ROOT / "labs/meson.build").read_text(), re.M)


def exercises(lab):
    """The drills and hunts that the lab's list names: "drills/1_name"."""
    return re.findall(r"^    '(\w+/\w+)',$", (ROOT / "labs" / lab / "meson.build").read_text(), re.M)


def sections(page):
    """Heading and text of each "## " section of a Markdown file."""
    text = re.sub(r"^```.*?^```$", "(code)", page.read_text(), flags=re.M | re.S)
    return [tuple(part.strip() for part in section.partition("\n")[::2]) for section in re.split(r"^## ", text, flags=re.M)[1:]]


def sections_of_exercises(lab):
    page = ROOT / "labs" / lab / "exercises.zh.md"
    return sections(page) if page.exists() else []


def files(*folders):
    for folder in folders:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def code():
    yield from (ROOT / "lab", ROOT / "meson.build")
    yield from (path for path in files("common", "labs", "solutions", "tests") if path.suffix in CODE)


def room(path):
    """The room of a path under common/: "sim/ptx" of "sim/ptx/lexer.h"."""
    found = [one for one in ROOMS if path.startswith(one + "/")]
    return max(found, key=len, default=None)


def outside_todos(path):
    """The file's lines with each TODO region folded to its number, and how many there are."""
    lines, region, regions = [], None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        begin, end = re.match(r"\s*// TODO\((\d+)\)", line), re.match(r"\s*// END TODO\((\d+)\)", line)
        if end:
            assert end[1] == region, f"{path}:{number}: END TODO({end[1]}) closes {region or 'nothing'}"
            region = None
        elif begin:
            assert region is None, f"{path}:{number}: TODO({begin[1]}) begins inside TODO({region})"
            region = begin[1]
            regions.append(region)
            lines.append(f"TODO({region})")
        elif region is None:
            lines.append(line)
    assert region is None, f"{path}: TODO({region}) has no end"
    return lines, regions


class Tree(unittest.TestCase):
    def test_every_source_is_in_the_list_of_its_folder(self):
        for path in files("common", "tests/sim"):
            if path.suffix not in {".cpp", ".cu"} or path.parent.name in {"data", "bench"}:
                continue
            folder = next(parent for parent in path.parents if (parent / "meson.build").exists())
            name = path.relative_to(folder).with_suffix("").as_posix()
            listed = re.findall(r"'([^'\n]+)'", (folder / "meson.build").read_text())
            known = {re.sub(r"\.(cpp|cu)$", "", item) for item in listed}
            # A list may leave out the folder that its files are in.
            with self.subTest(path.relative_to(ROOT).as_posix()):
                self.assertTrue({name, path.stem} & known)

    def test_includes_point_downward_only(self):
        for path in files("common"):
            if path.suffix not in {".cpp", ".h", ".in", ".inc"} or path.parent.name == "precompiled":
                continue
            name = path.relative_to(ROOT / "common").as_posix()
            for included in re.findall(r'^#include "([^"]+/[^"]+)"', path.read_text(), re.M):
                with self.subTest(f"{name} includes {included}"):
                    self.assertIn(room(name), ROOMS)
                    self.assertIn(room(included), ROOMS)
                    self.assertLessEqual(ROOMS.index(room(included)), ROOMS.index(room(name)))

    def test_rules_are_named_in_their_own_files_only(self):
        """Everything else passes records or facts, so that a misspelt name does not compile."""
        rules = ROOT / "common/sim/rules"
        names = {re.search(r'\.name = "([a-z-]+)"', path.read_text())[1] for path in rules.glob("*.cpp") if ".name = " in path.read_text()}
        self.assertGreater(len(names), 50)
        for path in files("common"):
            if path.suffix in {".cpp", ".h", ".in", ".inc"} and rules not in path.parents:
                with self.subTest(path.relative_to(ROOT).as_posix()):
                    self.assertFalse(names & set(re.findall(r'"([a-z-]+)"', path.read_text())) - {"deadlock"})

    def test_every_lab_is_complete(self):
        self.assertEqual(LABS, sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir()))
        for lab in LABS:
            with self.subTest(lab):
                for name in ("README.md", "kernel.cu", "check.cpp"):
                    self.assertTrue((ROOT / "labs" / lab / name).exists(), name)
                self.assertTrue((ROOT / "solutions" / lab / "kernel.cu").exists())
                for kind in ("wrong", "correct"):
                    self.assertTrue(list((ROOT / "tests/labs" / lab / kind).glob("*.cu")), f"{kind} versions")
                self.assertIn(f"(labs/{lab})", (ROOT / "README.md").read_text())
                self.assertIn(f"## {lab}\n", (ROOT / "docs/wrong-versions.md").read_text())

    def test_a_solution_differs_from_its_lab_only_inside_todo_regions(self):
        for lab in LABS:
            with self.subTest(lab):
                skeleton, regions = outside_todos(ROOT / "labs" / lab / "kernel.cu")
                solution, _ = outside_todos(ROOT / "solutions" / lab / "kernel.cu")
                self.assertEqual(skeleton, solution)
                self.assertEqual(len(regions), len(set(regions)), "two regions have one number")
                self.assertTrue(regions)

    def test_every_lab_has_at_least_three_hints_and_no_empty_one(self):
        for lab in LABS:
            with self.subTest(lab):
                stages = sections(ROOT / "solutions" / lab / "hints.md")
                self.assertGreaterEqual(len(stages), 3)
                self.assertTrue(all(heading and text for heading, text in stages))

    def test_every_drill_and_hunt_is_listed(self):
        for lab in LABS:
            there = [path for kind in ("drills", "hunts") for path in sorted((ROOT / "labs" / lab / kind).glob("*.c*"))]
            for path in there:
                with self.subTest(path.relative_to(ROOT).as_posix()):
                    self.assertIn(f"{path.parent.name}/{path.stem}", exercises(lab))

    def test_every_drill_and_hunt_is_complete(self):
        for lab in LABS:
            translated = dict(heading.partition(" ")[::2] for heading, text in sections_of_exercises(lab) if text)
            numbers = {"drills": 0, "hunts": 0}
            for name in exercises(lab):
                with self.subTest(f"{lab}/{name}"):
                    kind, number, title = re.fullmatch(r"(drills|hunts)/(\d)_(\w+)", name).groups()
                    numbers[kind] += 1
                    self.assertEqual(numbers[kind], int(number), "numbers follow the list")
                    source, record = (ROOT / "labs" / lab / f"{name}{suffix}" for suffix in (".cu", ".cpp"))
                    self.assertIn(f"EXERCISE({lab}, {kind}, {number}_{title})", record.read_text())
                    one = f"// {kind[:-1].capitalize()} {lab[:2]}.{'h' * (kind == 'hunts')}{number}: "
                    self.assertTrue(source.read_text().startswith(one), f"the first line begins with {one}")
                    self.assertTrue(translated.get(name), "labs/…/exercises.zh.md has its title and task in Chinese")
                    for language in ("", ".zh"):
                        hints = sections(ROOT / "solutions" / lab / f"{name}{language}.md")
                        self.assertTrue(hints and all(heading and text for heading, text in hints))
                    if kind == "drills":
                        self.assertTrue(list((ROOT / "tests/labs" / lab / name).glob("*.cu")), "a wrong version")

    def test_the_solution_of_a_drill_differs_only_inside_todo_regions_and_a_hunt_has_none(self):
        for lab in LABS:
            for name in exercises(lab):
                with self.subTest(f"{lab}/{name}"):
                    skeleton, regions = outside_todos(ROOT / "labs" / lab / f"{name}.cu")
                    solution, _ = outside_todos(ROOT / "solutions" / lab / f"{name}.cu")
                    self.assertEqual(name.startswith("drills/"), bool(regions))
                    self.assertEqual(bool(regions), skeleton == solution)

    def test_every_page_of_documentation_is_in_the_index(self):
        index = (ROOT / "docs/README.md").read_text()
        for page in (ROOT / "docs").glob("*.md"):
            if page.name != "README.md":
                self.assertIn(f"({page.name})", index)

    def test_no_file_of_code_is_long(self):
        for path in code():
            with self.subTest(path.relative_to(ROOT).as_posix()):
                self.assertLessEqual(len(path.read_text().splitlines()), LINES)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    bad = len({test.id() if not hasattr(test, "test_case") else test.test_case.id() for test, _ in result.failures + result.errors})
    print(f"test cases: {result.testsRun} | {result.testsRun - bad} passed | {bad} failed | 0 skipped")
    sys.exit(bool(bad))
