"""Hostile submissions under each level of isolation: no verdict changes, no secret is read, no process stays behind."""

import re
import subprocess
import unittest

from harness import ATTACKS, SLOTS, TREE, Prey, grade, levels

TOGETHER = sorted((ATTACKS / "together").glob("*.cu"))
ALONE = sorted((ATTACKS / "alone").glob("*.cu"))
FILES = sorted((ATTACKS / "file").glob("*.cu"))
# Whether these succeed is up to the isolation, so they are tried under every level; the others once.
COMPILING = [path for path in FILES if re.match("include|incbin|line", path.name)]


class Attacks(unittest.TestCase):
    def test_there_are_enough(self):
        self.assertGreaterEqual(len(TOGETHER) + len(ALONE) + len(FILES), 40)

    def attack(self, level, user, files):
        prey = Prey(user)
        try:
            prey.submit_frame("together", TOGETHER, [f"{path.stem}(in, out, n);" for path in TOGETHER])
            for first in range(0, len(ALONE), len(SLOTS)):
                some = ALONE[first:first + len(SLOTS)]
                calls = [f"if ({slot})\n        {path.stem}(in, out, n);" for path, slot in zip(some, SLOTS)]
                prey.submit_frame(f"alone{first // len(SLOTS)}", some, calls)
            for path in files:
                prey.submit("file_" + path.stem, path.read_text())
            results, printed = grade(prey, level)
            self.assertEqual(prey.damage(), [])
            everything = printed
            for name, result in results.items():
                lab = result["labs"][0]
                lab.pop("source", None)
                text = str(result)
                everything += text
                self.assertNotRegex(text, "BREACH ", name)
                self.assertEqual(result["isolation"]["level"], level)
                expected = next((path.read_text().split()[2] for path in files if name == "file_" + path.stem), "0")
                if name == "zoe":
                    continue
                if expected == "partial":
                    self.assertLess(result["score"], result["possible"], name)
                else:
                    self.assertEqual(result["score"], 0, name)
                self.assertEqual(bool(lab["compile_errors"]), expected == "compile", f"{name}: {lab['compile_errors']}")
                for case in lab["cases"]:
                    self.assertNotEqual(case["verdict"], "internal", f"{name}: {case}")
            self.assertNotIn(prey.secret, everything)
        finally:
            prey.close()

    def test_levels(self):
        tried = levels()
        for level, user in tried:
            with self.subTest(level=level, user=user):
                self.attack(level, user, FILES if (level, user) == tried[0] else COMPILING)

    def test_grading_again_repeats_with_the_same_values(self):
        prey = Prey()
        try:
            text = (ATTACKS / "file/mapped_memory_carries_results.cu").read_text()
            hidden = "namespace { __device__ float unseen[4]; }\nstatic __device__ float also[4];\n__global__ void copy"
            prey.submit("ada", text.replace("__global__ void copy", hidden)
                        .replace("to[i] = from[i];", "to[i] = from[i] + unseen[i % 4] + also[i % 4];"))
            outcomes = []
            for _ in range(2):
                results, _ = grade(prey, levels()[0][0])
                outcomes.append([case["message"] for case in results["ada"]["labs"][0]["cases"]])
                subprocess.run(["rm", "-r", prey.folder / "graded"], check=True)
            self.assertIn("with other values in the input buffers", outcomes[0][0])
            self.assertEqual(*outcomes)
        finally:
            prey.close()

    def test_a_synchronous_copy_where_an_asynchronous_one_is_asked_for(self):
        prey = Prey()
        try:
            name = "03_pipeline_primitives"
            prey.submit("ada", (TREE / "tests/labs" / name / "wrong/through_registers.cu").read_text(), name)
            results, _ = grade(prey, levels()[0][0], "--labs", "03")
            lab = next(lab for lab in results["ada"]["labs"] if lab["lab"] == name)
            self.assertLess(0, lab["score"])
            self.assertLess(lab["score"], lab["possible"])
            self.assertIn("mechanism", [case["verdict"] for case in lab["cases"]])
        finally:
            prey.close()


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
