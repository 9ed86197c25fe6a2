"""Pages that repeat what the labs' records hold agree with them: constants of students, points, plans for a course."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LABS = sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir())


def page(name):
    return (ROOT / "docs" / name).read_text()


def rows(text):
    """The cells of each row of the page's tables."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]


def record(lab):
    return (ROOT / "labs" / lab / "check.cpp").read_text()


class Records(unittest.TestCase):
    def test_the_constants_of_students_are_those_of_the_labs(self):
        table = {cells[0]: cells for cells in rows(page("grading.md").split("## overrides.toml")[0]) if re.fullmatch(r"\d\d", cells[0]) and len(cells) == 4}
        for lab in LABS:
            constants = re.findall(r"LAB_CONSTANT\(\w+, (\w+), ([\d, ]+)\)", record(lab))
            if constants:
                with self.subTest(lab):
                    self.assertEqual(table[lab[:2]][1], ", ".join(f"`{name}`" for name, _ in constants))
                    self.assertEqual(table[lab[:2]][2], " and ".join(values for _, values in constants))
                    kernel = (ROOT / "labs" / lab / "kernel.cu").read_text()
                    for name, values in constants:  # the skeleton's value comes first
                        self.assertRegex(kernel, rf"\b{name} = {values.split(',')[0]}\b")

    def test_the_first_session_shows_the_points_of_the_lab(self):
        points = dict(re.findall(r'LAB_CASE\("([^"]+)", (\d+)\)', record("01_synchronous_staging")))
        shown = re.findall(r"^  ✓ (.+?)  +(\d+)$", page("first-session.md"), re.M)
        self.assertGreater(len(shown), len(points))
        for case, one in shown:
            if case in points:
                self.assertEqual(one, points[case], case)
        total = sum(map(int, points.values()))
        self.assertIn(f"{total} of {total} points", page("first-session.md"))

    def test_the_pages_for_instructors_name_every_lab(self):
        syllabus, rubric = page("instructors/syllabus.md"), page("instructors/rubric.md")
        numbers = [lab[:2] for lab in LABS]
        self.assertEqual([cells[0] for cells in rows(syllabus.split("## Four weeks")[0]) if re.fullmatch(r"\d\d", cells[0])], numbers)
        self.assertEqual([cells[0] for cells in rows(rubric) if re.fullmatch(r"\d\d", cells[0])], numbers)
        plans = " ".join(cells[1] for cells in rows(syllabus) if re.fullmatch(r"\d+", cells[0]) and int(cells[0]) < 15)
        self.assertEqual(set(numbers) - set(re.findall(r"\d\d", plans)), set())

    def test_a_plan_has_no_lab_before_one_that_it_needs(self):
        for plan in page("instructors/syllabus.md").split("\n## ")[1:]:
            labs = re.findall(r"\b\d\d\b", " ".join(re.sub(",.* in week.*", "", cells[1]) for cells in rows(plan)))
            self.assertEqual(labs, sorted(labs), plan[:20])
            if "15" in labs:
                self.assertIn("14", labs)


unittest.main(verbosity=2)
