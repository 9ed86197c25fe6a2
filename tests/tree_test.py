"""What belongs together in this tree is together: lists and folders, labs and solutions, code and tests."""

import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402

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
    "sim/protocol",
    "sim/provenance",
    "sim/timeline",
    "sim/stepper",
    "sim/device",
    "sim/cuda/wire",
    "sim/cuda/device",
    "sim/cuda/program",
    "sim/cuda/in_process",
    "drawing",
    "launch",
    "web",
    "check",
    "compile",
    "judge",
    "grader/result",
    "grader/formats",
    "grader",
    "runner",
]
# What is linked into the student's program is not trusted: no other room includes it. It knows what crosses the wire, and
# plain types of the simulated device, but nothing that serves or judges it; only a device in the same process does.
UNTRUSTED = {"sim/cuda/program", "sim/cuda/in_process"}
KNOWN_TO_PROGRAMS = {"base", "sim/events", "sim/machine", "sim/async", "sim/cuda/wire", "sim/cuda/program"}
LABS = re.findall(r"^    '(\d\d_\w+)',$", (ROOT / "labs/meson.build").read_text(), re.M)
TEXTS = {lab: tomllib.loads((ROOT / "labs" / lab / "exercises.toml").read_text()) for lab in LABS}


def exercises(lab):
    """The drills and hunts that the lab's exercises.toml names: "drills/1_name"."""
    return [f"{kind}/{name}" for kind in ("drills", "hunts") for name in TEXTS[lab].get(kind, {})]


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


def includes():
    """Each file under common/ with each file of ours that it includes."""
    for path in files("common"):
        if path.suffix in {".cpp", ".h", ".in", ".inc"} and path.parent.name != "precompiled":
            for included in re.findall(r'^#include "([^"]+/[^"]+)"', path.read_text(), re.M):
                yield path.relative_to(ROOT / "common").as_posix(), included


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
            if path.suffix not in {".cpp", ".cu"} or path.parent.name in {"data", "bench", "clean", "wrong"}:
                continue
            folder = next(parent for parent in path.parents if (parent / "meson.build").exists())
            name = path.relative_to(folder).with_suffix("").as_posix()
            listed = re.findall(r"'([^'\n]+)'", (folder / "meson.build").read_text())
            known = {re.sub(r"\.(cpp|cu)$", "", item) for item in listed}
            # A list may leave out the folder that its files are in.
            with self.subTest(path.relative_to(ROOT).as_posix()):
                self.assertTrue({name, path.stem} & known)

    def test_includes_point_downward_only(self):
        for name, included in includes():
            with self.subTest(f"{name} includes {included}"):
                self.assertIn(room(name), ROOMS)
                self.assertIn(room(included), ROOMS)
                self.assertLessEqual(ROOMS.index(room(included)), ROOMS.index(room(name)))

    def test_the_students_process_and_the_trusted_side_share_only_what_crosses_the_wire(self):
        for name, included in includes():
            with self.subTest(f"{name} includes {included}"):
                if room(name) == "sim/cuda/program":
                    self.assertIn(room(included), KNOWN_TO_PROGRAMS)
                if room(name) not in UNTRUSTED:
                    self.assertNotIn(room(included), UNTRUSTED)

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
                for name in ("README.md", "README.zh.md", "kernel.cu", "check.cpp", "exercises.cpp", "questions.toml"):
                    self.assertTrue((ROOT / "labs" / lab / name).exists(), name)
                self.assertTrue((ROOT / "solutions" / lab / "kernel.cu").exists())
                for kind in ("wrong", "correct"):
                    self.assertTrue(any(name.startswith(f"{kind}/") for name in lab_versions.entries(lab)), f"{kind} versions")
                self.assertIn(f"(labs/{lab})", (ROOT / "README.md").read_text())

    def test_a_solution_differs_from_its_lab_only_inside_todo_regions(self):
        for lab in LABS:
            with self.subTest(lab):
                skeleton, regions = outside_todos(ROOT / "labs" / lab / "kernel.cu")
                solution, _ = outside_todos(ROOT / "solutions" / lab / "kernel.cu")
                self.assertEqual(skeleton, solution)
                self.assertEqual(len(regions), len(set(regions)), "two regions have one number")
                self.assertTrue(regions)

    def complete_hints(self, hints):
        """In both languages, but for a text that is nothing but code."""
        for hint in hints:
            code = hint["text"].startswith("```") and hint["text"].strip().endswith("```")
            keys = ("heading", "heading_zh", "text") + ("text_zh",) * (not code)
            self.assertTrue(all(hint.get(key, "").strip() for key in keys), hint)
            self.assertEqual(set(hint) - {"heading", "heading_zh", "text", "text_zh"}, set())

    def test_every_lab_has_at_least_three_hints_and_no_empty_one(self):
        for lab in LABS:
            with self.subTest(lab):
                self.assertGreaterEqual(len(TEXTS[lab]["hints"]), 3)
                self.complete_hints(TEXTS[lab]["hints"])
                self.assertEqual(set(TEXTS[lab]), {"hints", "drills", "hunts"})

    def test_every_drill_and_hunt_is_listed(self):
        for lab in LABS:
            there = [path for kind in ("drills", "hunts") for path in sorted((ROOT / "labs" / lab / kind).glob("*"))]
            for path in there:
                with self.subTest(path.relative_to(ROOT).as_posix()):
                    self.assertIn(f"{path.parent.name}/{path.stem}", exercises(lab))

    def test_every_drill_and_hunt_is_complete(self):
        for lab in LABS:
            checks = (ROOT / "labs" / lab / "exercises.cpp").read_text()
            self.assertEqual(exercises(lab), re.findall(r'^EXERCISE\("(\S+)"\) \{$', checks, re.M), f"labs/{lab}/exercises.cpp: an EXERCISE for each")
            self.assertRegex(checks, r'\A(#include .*\n|\n)*namespace \{\n', "two labs may have an EXERCISE of one name")
            numbers = {"drills": 0, "hunts": 0}
            for name in exercises(lab):
                with self.subTest(f"{lab}/{name}"):
                    kind, number = re.fullmatch(r"(drills|hunts)/(\d)_\w+", name).groups()
                    numbers[kind] += 1
                    self.assertEqual(numbers[kind], int(number), "numbers follow the list")
                    source = ROOT / "labs" / lab / f"{name}.cu"
                    one = f"// {kind[:-1].capitalize()} {lab[:2]}.{'h' * (kind == 'hunts')}{number}: "
                    self.assertTrue(source.read_text().startswith(one), f"the first line begins with {one}")
                    texts = TEXTS[lab][kind][name.partition("/")[2]]
                    self.assertEqual(set(texts), {"title", "title_zh", "concepts", "target", "task_zh", "hints"})
                    self.assertTrue(all(texts.values()))
                    self.complete_hints(texts["hints"])
                    if kind == "drills":
                        self.assertTrue(any(one.startswith(f"{name}/") for one in lab_versions.entries(lab)), "a wrong version")

    def test_every_version_applies_and_belongs_to_its_lab(self):
        self.assertEqual(LABS, lab_versions.labs())
        for lab in LABS:
            for name in lab_versions.entries(lab):
                with self.subTest(f"{lab}/{name}"):
                    self.assertIn(lab_versions.folder_of(name), ["wrong", "correct", "drills", "hunts", *exercises(lab)])
                    lab_versions.text(lab, name)
            untouched = [name for name in lab_versions.entries(lab) if lab_versions.is_untouched(name)]
            self.assertEqual(exercises(lab), untouched, "each exercise has an entry, in the order of the list")

    def test_the_solution_of_a_drill_differs_only_inside_todo_regions_and_a_hunt_has_none(self):
        for lab in LABS:
            for name in exercises(lab):
                with self.subTest(f"{lab}/{name}"):
                    skeleton, regions = outside_todos(ROOT / "labs" / lab / f"{name}.cu")
                    solution, _ = outside_todos(ROOT / "solutions" / lab / f"{name}.cu")
                    self.assertEqual(name.startswith("drills/"), bool(regions))
                    if regions:  # a hunt that has been mended may be the solution
                        self.assertEqual(skeleton, solution)

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
