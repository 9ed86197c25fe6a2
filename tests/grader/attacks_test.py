"""Hostile submissions under each level of isolation: no verdict changes, no secret is read, no process stays behind.

Each attack is tried under one level, in turn; the whole suite tries one in three. `attacks_test.py --everywhere` tries all of them under every level and as
every user, and prints a table; `--everywhere=landlock` under this level only. `--count` prints how many there are.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from harness import ATTACKS, RUNNER, SLOTS, TREE, Prey, grade, levels

sys.path.append(str(TREE / "tests/labs"))
import lab_versions  # noqa: E402
import rotation  # noqa: E402

TOGETHER = sorted((ATTACKS / "together").glob("*.cu"))
ALONE = sorted((ATTACKS / "alone").glob("*.cu"))
DEVICE = sorted((ATTACKS / "device").glob("*.cu"))
FILES = sorted((ATTACKS / "file").glob("*.cu"))
CARRIERS = sorted((ATTACKS / "carriers").glob("*.cu"))
# Those that launch a kernel for each value, or several.
SMALL = {"choice_of_kernels", "sizes_of_grids", "sizes_of_shared_memory"}
ALL = TOGETHER + ALONE + DEVICE + FILES + CARRIERS
EVERYWHERE = next((one for one in sys.argv if one.startswith("--everywhere")), "")
# Whole submissions of which one case says enough: several share a program, as compiling takes longer than they do.
FRAMED = {"time_tells_the_input", "sets_results", "answers_nan", "changes_inputs", "copies_hosts_results", "detects_the_simulator",
          "endless_kernel", "knows_the_public_seed", "large_local_arrays", "leaves_output_untouched", "looks_at_names", "many_registers",
          "mapped_memory_carries_results", "more_than_can_be_repeated", "parameters_carry_results", "prints_from_the_device",
          "remembers_on_the_device", "symbols_carry_results", "traps"}


def submit_calls(prey, name, attacks, slots):
    calls = [f"if ({slot})\n        {path.stem}(in, out, n);" for path, slot in zip(attacks, slots)]
    prey.submit_frame(name, attacks, calls)


def in_groups(attacks, size):
    return [attacks[first:first + size] for first in range(0, len(attacks), size)]


def sample(attacks):
    return [path for path in attacks if rotation.in_sample(path.stem, 3)]


def programs():
    """(kind, attacks that share a submission), in the order in which levels take turns."""
    # Those that work with few values only come first, each in a program of its own.
    files = sample(FILES)
    framed = sorted((path for path in files if path.stem in FRAMED), key=lambda path: path.stem not in {"time_tells_the_input", "sets_results"})
    yield from (("framed", framed[first::3]) for first in range(min(3, len(framed))))
    yield from (("alone", group) for group in in_groups(sample(ALONE + DEVICE), len(SLOTS)))
    yield from (("file", [path]) for path in files if path.stem not in FRAMED)


class Attacks(unittest.TestCase):
    def test_there_are_enough(self):
        self.assertGreaterEqual(len(ALL), 240)

    def test_each_is_in_one_category(self):
        listed = re.findall(r"`(\w+)`", (ATTACKS / "README.md").read_text())
        self.assertEqual(sorted(listed), sorted(path.stem for path in ALL))

    def attack(self, level, user, together, chosen):
        """Grades submissions of these attacks: `together` in one, `chosen` as programs() yields them."""
        prey = Prey(user)
        files = [attacks[0] for kind, attacks in chosen if kind == "file"]
        try:
            # In two cases, as one could leave something for the next.
            prey.submit_frame("together", together, ["if (n != 5 && n != 1024)\n        return cudaGetLastError();",
                                                     *(f"{path.stem}(in, out, n);" for path in together)])
            for number, (kind, attacks) in enumerate(chosen):
                if kind != "file":
                    slots = SLOTS if kind == "alone" else [SLOTS[1], SLOTS[0], *SLOTS[2:]]
                    submit_calls(prey, f"{kind}{number}", attacks, slots)
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
                if name == "zoe":
                    continue
                if name == "file_keeps_device_memory":
                    self.leaves_no_memory(lab)
                expected = next((path.read_text().split()[2] for path in files if name == "file_" + path.stem), "0")
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

    def leaves_no_memory(self, lab):
        """All device memory is the program's own limit. On a busy machine its time may be up before it has taken it."""
        found = {case["verdict"] for case in lab["cases"] if "the program leaves no device memory" in case.get("message", "")}
        late = {case["verdict"] for case in lab["cases"]} & {"timeout"}
        self.assertTrue(found or late, lab["cases"])
        self.assertLessEqual(found, {"cuda-error"})

    def test_levels(self):
        tried, together, chosen = levels(), sample(TOGETHER), list(programs())
        for turn, (level, user) in enumerate(tried):
            if "=" in EVERYWHERE and EVERYWHERE.split("=")[1] != level:
                continue
            with self.subTest(level=level, user=user):
                began = time.monotonic()
                if not EVERYWHERE:
                    self.attack(level, user, together[turn::len(tried)], chosen[turn::len(tried)])
                    continue
                self.attack(level, user, together, chosen)
                self.carriers(level, user)
                print(f"{level} as {user or 'ourselves'}: {len(ALL)} attacks, none succeeds; {time.monotonic() - began:.0f} s", flush=True)

    def test_results_of_the_host_do_not_survive_a_repetition(self):
        if not EVERYWHERE:
            self.carriers(*levels()[0])

    def carriers(self, level, user):
        """Each writes the right results to the output, but is wrong: the host computed them."""
        prey = Prey(user)
        try:
            small = [path for path in CARRIERS if path.stem in SMALL]
            large = [path for path in CARRIERS if path.stem not in SMALL]
            submit_calls(prey, "small", small, ["n > 1 && n < 10", "n == 1", "n == 1024"])
            submit_calls(prey, "large", large, ["n > 1 && n < 10", "n == 1024", "n > 8000 && n < 10000", "n == 12288", "n > 40000"])
            results, _ = grade(prey, level)
            for name, attacks in (("small", small), ("large", large)):
                lab = results[name]["labs"][0]
                self.assertEqual((lab["points"], lab["compile_errors"]), (0, ""))
                found = [case["name"] for case in lab["cases"] if "with other values in the input buffers" in case["message"]]
                self.assertEqual(len(found), len(attacks), f"{name}: {[(case['name'], case['message']) for case in lab['cases']]}")
        finally:
            prey.close()

    def test_nobody_knows_the_values_of_the_repetition(self):
        prey = Prey()
        try:
            prey.submit("ada", (ATTACKS / "file/symbols_carry_results.cu").read_text())
            outcomes, seeds = [], []
            kept = prey.folder / "graded/repeat-seed"
            for options in ((), ("--repeat-seed", "77"), ()):  # the second in a folder that keeps another one
                results, _ = grade(prey, levels()[0][0], *options)
                outcomes.append([case["message"] for case in results["ada"]["labs"][0]["cases"]])
                seeds.append((results["ada"]["repeat_seed"], int(kept.read_text())))
                page = (prey.folder / "graded/students/ada.html").read_text()
                self.assertNotRegex(page, rf"(?<![#\w]){seeds[-1][0]}(?!\w)")
                (prey.folder / "graded/results/ada.json").unlink()
            self.assertEqual([seeds[0][0], 77, seeds[0][0]], [used for used, _ in seeds])
            self.assertEqual([seeds[0][0]] * 3, [keeps for _, keeps in seeds])
            self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
            kept.unlink()
            results, _ = grade(prey, levels()[0][0])
            self.assertNotEqual(results["ada"]["repeat_seed"], seeds[0][0])
            outcomes.append([case["message"] for case in results["ada"]["labs"][0]["cases"]])
            self.assertIn("with other values in the input buffers", outcomes[0][0])
            self.assertNotIn("expected", outcomes[0][0])
            for outcome in outcomes[1:]:
                self.assertEqual(outcome, outcomes[0])
        finally:
            prey.close()

    def lab(self, name, text, *options):
        prey = Prey()
        try:
            prey.submit("ada", text, name)
            results, _ = grade(prey, levels()[0][0], "--labs", name[:2], *options)
            return next(lab for lab in results["ada"]["labs"] if lab["lab"] == name), results["ada"]
        finally:
            prey.close()

    def test_what_follows_a_full_trace_does_not_count(self):
        text = (TREE / "solutions/00_host_copies/kernel.cu").read_text()
        flood = """    uint32_t* sink = nullptr;
    cudaMalloc(&sink, 17 << 20);
    for (int i = 0; i < 17 && n > 0; ++i) { // nothing but numbers of the input
        std::vector<uint32_t> same(1 << 18, in[0]);
        cudaMemcpy(sink, same.data(), 1 << 20, cudaMemcpyHostToDevice);
    }
    cudaFree(sink);
"""
        full = text.replace("    Slot slots[SLOTS];\n    for", flood + "    Slot slots[SLOTS];\n    for").replace("#include", "#include <vector>\n#include", 1)
        self.assertNotEqual(full, text)
        lab, _ = self.lab("00_host_copies", full)
        one = next(case for case in lab["cases"] if case["name"] == "one chunk")
        self.assertEqual(one["verdict"], "mechanism")
        self.assertIn("copies more than 16 MiB to the device", one["message"])

    def test_sleeping_has_an_end(self):
        text = (TREE / "solutions/01_synchronous_staging/kernel.cu").read_text()
        sleepy = text.replace("LAB_ENTRY", "static const int slept = (usleep(1'500'000), 0);\nLAB_ENTRY").replace(
            "#include", "#include <unistd.h>\n#include", 1)
        self.assertNotEqual(sleepy, text)
        lab, result = self.lab("01_synchronous_staging", sleepy, "--lab-seconds", "1")
        self.assertEqual(lab["points"], 0)
        self.assertIn("take more than 1 s", lab["cases"][-1]["message"])
        self.assertEqual({case["verdict"] for case in lab["cases"]}, {"timeout"})
        self.assertEqual(result["budget"], {"seconds": 1.0, "processor_seconds": 300.0})
        self.assertLess(result["timing"]["01_synchronous_staging"]["processor_seconds"], 60)

    def test_what_a_level_does_not_stop_is_listed(self):
        for level, user in levels():
            if user:
                continue
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "x.json"
                subprocess.run([RUNNER, "grade", "one", "--submission", "/dev/null", "--out", out, "--isolation", level, "--labs",
                                "01"], check=True, env={**os.environ, "LAB_ROOT": str(TREE)})
                listed = "; ".join(json.loads(out.read_text())["isolation"]["not_stopped"])
            self.assertEqual("names, sizes and times of files" in listed, level != "bubblewrap", level)

    def test_a_synchronous_copy_where_an_asynchronous_one_is_asked_for(self):
        prey = Prey()
        try:
            name = "03_pipeline_primitives"
            prey.submit("ada", lab_versions.text(name, "wrong/through_registers"), name)
            results, _ = grade(prey, levels()[0][0], "--labs", "03")
            lab = next(lab for lab in results["ada"]["labs"] if lab["lab"] == name)
            self.assertEqual(0, lab["score"])
            self.assertEqual({"mechanism", "unearned"}, {case["verdict"] for case in lab["cases"]})
        finally:
            prey.close()


if __name__ == "__main__":
    if "--count" in sys.argv:
        raise SystemExit(print(f"{len(ALL)} attacks: {len(TOGETHER)} together, {len(ALONE)} alone, {len(DEVICE)} on the device, "
                               f"{len(CARRIERS)} carriers, {len(FILES)} files"))
    program = unittest.main(argv=[one for one in sys.argv if one != EVERYWHERE], verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
