"""`lab break`: skips an instruction of a kernel that passes, and judges the guess by the device's report."""

import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
os.environ["LAB_RUNNER"] = str(Path(RUNNER).resolve())
sys.path.append(str(ROOT / "tests/labs"))
import corpus  # noqa: E402


@functools.cache
def prepared(number):
    """An environment in which the lab's own files are compiled already."""
    return corpus.prepared(next((ROOT / "labs").glob(number + "_*")).name)


def lab(command, number, *arguments, answers=""):
    return subprocess.run([RUNNER, command, number, *arguments], capture_output=True, text=True, timeout=300, input=answers,
                          env={**os.environ, "LAB_ROOT": str(ROOT), **prepared(number)})


def broken(*arguments):
    done = lab("break", *arguments, "--solutions", "--json")
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def place(lab_name, mnemonic, text, *options):
    """The number of the place on the line of the solution that holds `text`. Breaking one takes seconds, so only that one is."""
    source = next((ROOT / "solutions").glob(f"{lab_name}_*/kernel.cu")).read_text().splitlines()
    listed = json.loads(lab("check", lab_name, "--solutions", "--list-skips").stdout)
    places = list(dict.fromkeys((one["id"].split(":")[0], one["line"], one["mnemonic"]) for one in listed
                                if one["line"] and one["file"] == "kernel.cu"))
    for which, (_, line, name) in enumerate(places, 1):
        if name.startswith(mnemonic) and text in source[line - 1]:
            found = broken(lab_name, "--which", str(which), *options)
            assert (found["skipped"]["line"], found["skipped"]["mnemonic"], found["places"]) == (line, name, len(places)), found["skipped"]
            return which, found
    raise AssertionError(f"{lab_name}: no {mnemonic} on a line with {text}")


class Break(unittest.TestCase):
    def test_a_wait(self):
        which, found = place("03", "cp.async.wait_group", "__pipeline_wait_prior(1)", "--seed", "7")
        self.assertEqual(found["answer"], "missing-wait")
        (reported,) = [one for one in found["reported"] if one["rule"] == "missing-wait"]
        offered = [choice["answer"] for choice in found["choices"]]
        self.assertEqual(offered.count("missing-wait"), 1)
        self.assertEqual(offered[-2:], ["wrong-result", "nothing"])
        self.assertEqual(len(offered), 6)
        self.assertEqual(sum(offer in {one["rule"] for one in found["reported"]} for offer in offered), 1)

        def answered(answer):
            return lab("break", "03", "--solutions", "--which", str(which), "--answer", answer)

        right = answered(f"missing-wait:{reported['lines'][0]}")
        self.assertEqual(right.returncode, 0, right.stdout)
        self.assertIn("✓ missing-wait it is", right.stdout)
        self.assertIn(f"✓ line {reported['lines'][0]}", right.stdout)
        self.assertIn("^ skipped: cp.async.wait_group", right.stdout)
        self.assertIn("error: missing-wait", right.stdout)
        wrong = answered("deadlock:1")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("✗ Not deadlock, but missing-wait", wrong.stdout)
        self.assertIn("✗ line 1: the report names", wrong.stdout)
        self.assertIn("When deadlock:", wrong.stdout)

        number = offered.index("missing-wait") + 1
        asked = lab("break", "03", "--solutions", "--which", str(which), "--seed", "1", answers="no such rule\nmissing-wait\n\n")
        self.assertIn("✓ missing-wait it is", asked.stdout)
        again = broken("03", "--which", str(which), "--seed", "7")
        self.assertEqual(found["choices"], again["choices"])
        self.assertLessEqual(number, len(again["choices"]))

    def test_unrolled_copies_go_together(self):
        _, found = place("05", "cp.async.commit_group", "commit_group();")
        self.assertGreater(found["skipped"]["instructions"], 1)
        self.assertIn(found["answer"], ("read-before-completion", "uncommitted-copy"))

    def test_a_place_that_is_redundant(self):
        which, found = place("10", "fence.proxy.async", "fence_proxy_async")
        self.assertEqual(found["answer"], "nothing")
        self.assertTrue(found["check"]["passed"])
        shown = lab("break", "10", "--solutions", "--which", str(which), "--show")
        self.assertEqual(shown.returncode, 0)
        self.assertIn("All cases pass without it", shown.stdout)


class NothingToBreak(unittest.TestCase):
    def refused(self, *arguments, code=2):
        done = lab("break", *arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done)
        return done.stderr

    def test_a_lab_that_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = Path(folder) / "kernel.cu"
            kernel.write_text((ROOT / "labs/01_synchronous_staging/kernel.cu").read_text())
            self.assertIn("does not pass yet", self.refused("01", "--file", str(kernel), code=1))

    def test_a_lab_without_such_instructions(self):
        self.assertIn("have no wait, fence", self.refused("00", "--solutions", code=1))

    def test_bad_input(self):
        self.assertIn("places to break", self.refused("01", "--solutions", "--which", "999"))
        self.assertIn("did you mean missing-wait?", self.refused("01", "--solutions", "--answer", "missing-wiat"))
        self.assertIn("is not a line", self.refused("01", "--solutions", "--answer", "deadlock:x"))
        self.assertIn("no file", self.refused("01", "--file", "no_such.cu"))
        self.refused("01", "--which", "0")


unittest.main(verbosity=2)
