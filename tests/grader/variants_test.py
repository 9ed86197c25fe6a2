"""Each student's own constants: which values are drawn, and that another student's numbers fail. `variants_test.py --every`
also checks the reference solutions with every value that a lab allows."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
RUNNER = os.environ.get("LAB_RUNNER", str(TREE / "build/common/runner/lab-runner"))
EVERY = "--every" in sys.argv
LAB = "01_synchronous_staging"


def lab(*arguments, root=TREE, expect=0):
    environment = {key: value for key, value in os.environ.items() if key != "LAB_STUDENT"}
    done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, env={**environment, "LAB_ROOT": str(root)})
    assert expect is None or done.returncode == expect, done.stdout + done.stderr
    return done.stdout + done.stderr


def drawn(student):
    return {one["lab"]: one["constants"] for one in json.loads(lab("variant", "--student", student, "--json"))}


def with_values(text, values):
    for name, value in values.items():
        text, count = re.subn(rf"(constexpr [^;\n]*\b{name} = )\d+", rf"\g<1>{value}", text)
        assert count == 1, name
    return text


class Variants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.allowed = {one["lab"]: one["allowed"] for one in json.loads(lab("variant", "--json"))}
        cls.students = {f"s{i:05}": drawn(f"s{i:05}") for i in range(80)}

    def test_what_the_skeletons_say_comes_first(self):
        self.assertGreaterEqual(len(self.allowed), 5)
        for name, constants in self.allowed.items():
            for folder in ("labs", "solutions"):
                text = (TREE / folder / name / "kernel.cu").read_text()
                self.assertEqual(with_values(text, {key: values[0] for key, values in constants.items()}), text)
            for readme in ("README.md", "README.zh.md"):
                self.assertIn(f"./lab variant {name[:2]}", (TREE / "labs" / name / readme).read_text())

    def test_draws_are_even_and_always_the_same(self):
        self.assertEqual(drawn(" S00007 "), self.students["s00007"])
        for name, constants in self.allowed.items():
            for key, values in constants.items():
                counts = [sum(one[name][key] == value for one in self.students.values()) for value in values]
                self.assertEqual(sum(counts), len(self.students), name)
                self.assertGreater(min(counts), len(self.students) / len(values) / 3, f"{name}: {key} {counts}")

    def test_a_student_gets_them_into_the_file(self):
        with tempfile.TemporaryDirectory() as root:
            kernel = Path(root) / "labs" / LAB / "kernel.cu"
            kernel.parent.mkdir(parents=True)
            shutil.copy(TREE / "labs" / LAB / "kernel.cu", kernel)
            before = kernel.read_text()
            mine = self.students["s00001"][LAB]
            self.assertIn(f"RADIUS   = {mine['RADIUS']}", lab("variant", "01", "--student", "s00001", root=root))
            self.assertEqual(kernel.read_text(), before)
            lab("variant", "01", "--student", "s00001", "--write", root=root)
            self.assertEqual(kernel.read_text(), with_values(before, mine))
            self.assertIn("has them already", lab("variant", "01", "--student", "s00001", "--write", root=root))
            kernel.write_text("int main() {}\n")
            self.assertIn("constexpr int RADIUS", lab("variant", "01", "--student", "s00001", "--write", root=root, expect=2))
        self.assertIn("has no constants", lab("variant", "03", expect=2))
        self.assertIn("needs a lab", lab("variant", "--write", expect=2))

    def test_the_numbers_of_another_student_fail(self):
        ann = "s00001"
        bob = next(one for one, values in self.students.items() if values[LAB] != self.students[ann][LAB])
        text = with_values((TREE / "solutions" / LAB / "kernel.cu").read_text(), self.students[ann][LAB])
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            folder.chmod(0o755)
            (folder / "lab01.cu").write_text(text)
            course = folder / "course.toml"
            course.write_text(f'[variants]\nlabs = ["01"]\nids = {{ bob = "{bob}" }}\n')
            results = {}
            for name in (ann, "bob"):
                out = folder / f"{name}.json"
                lab("grade", "one", "--submission", folder / "lab01.cu", "--name", name, "--out", out, "--labs", "01", "--course",
                    course, "--schedules", "1")
                results[name] = json.loads(out.read_text())
            page = lab("grade", "convert", "student", folder / "bob.json")
        self.assertEqual(results[ann]["score"], results[ann]["possible"])
        self.assertEqual(results[ann]["labs"][0]["constants"], self.students[ann][LAB])
        self.assertEqual(results[ann]["problems"], [])
        self.assertLess(results["bob"]["score"], results["bob"]["possible"] / 4)
        self.assertIn(f"the kernel says RADIUS = {self.students[ann][LAB]['RADIUS']}, but student {bob} has RADIUS = ",
                      results["bob"]["problems"][0])
        self.assertIn("Checked with RADIUS = ", page)

    def test_mistakes_in_the_course_are_named(self):
        with tempfile.TemporaryDirectory() as scratch:
            course = Path(scratch) / "course.toml"
            for text, expected in (('labs = ["03"]', "lab 03_pipeline_primitives has no constants"), ('labs = "01"', "expected a list"),
                                   ("seed = 3", "variants has labs and ids"), ('labs = ["99"]', "there is no lab '99'")):
                course.write_text("[variants]\n" + text + "\n")
                self.assertIn(expected, lab("grade", "one", "--submission", scratch, "--out", "/dev/null", "--course", course, expect=2))

    @unittest.skipUnless(EVERY, "every value of every lab takes minutes: --every")
    def test_the_solutions_pass_with_every_value(self):
        ids = (f"t{i:06}" for i in itertools.count())
        left = {(name, combination) for name, constants in self.allowed.items()
                for combination in itertools.product(*constants.values())}
        for student in ids:
            if not left:
                break
            for name, constants in drawn(student).items():
                mine = (name, tuple(constants[key] for key in self.allowed[name]))
                if mine not in left:
                    continue
                left.remove(mine)
                with tempfile.TemporaryDirectory() as folder:
                    kernel = Path(folder) / "kernel.cu"
                    kernel.write_text(with_values((TREE / "solutions" / name / "kernel.cu").read_text(), constants))
                    for _ in range(3):  # a busy machine is not the solution's fault
                        report = json.loads(lab("check", name, "--file", kernel, "--student", student, "--device", "sim", "--timeout",
                                                "60", "--json", "-", expect=None))[0]
                        if "not finished in time" not in report["compile_errors"]:
                            break
                print(f"{name} {constants}: {report['points']} of {report['possible']}", flush=True)
                self.assertEqual((report["points"], report["compile_errors"]), (report["possible"], ""))
                self.assertEqual(report["constants"], constants)


if __name__ == "__main__":
    program = unittest.main(argv=[one for one in sys.argv if one != "--every"], verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
