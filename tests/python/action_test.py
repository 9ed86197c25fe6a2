"""The steps of action.yml, run as GitHub's runner runs them, in a repository with two programs."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = str(Path(sys.argv.pop(1)).resolve())
PROGRAMS = ROOT / "tests/runner/programs"


def script():
    """What the last step runs."""
    text = (ROOT / "action.yml").read_text()
    return textwrap.dedent(re.findall(r"^      run: \|\n((?:        .*\n|\n)+)", text, re.M)[-1])


@unittest.skipUnless(shutil.which("jq"), "jq is not installed (GitHub's runners have it)")
class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "kernels").mkdir()
        (self.folder / "action").mkdir()
        (self.folder / "action/lab").symlink_to(RUNNER)

    def act(self, **inputs):
        defaults = dict(re.findall(r"^  (\w+):\n    description: .*\n    (?:default: '?([^'\n]*)'?|required: true)$", (ROOT / "action.yml").read_text(), re.M))
        values = {name.upper(): value for name, value in {**defaults, **inputs}.items()}
        environment = {**os.environ, **values, "GITHUB_ACTION_PATH": str(self.folder / "action"), "LAB_ROOT": str(ROOT)}
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()], cwd=self.folder, env=environment,
                              capture_output=True, text=True)

    def test_a_hazard_fails_the_step_and_marks_its_line(self):
        source = (PROGRAMS / "staged.cu").read_text()
        (self.folder / "kernels/right.cu").write_text(source)
        done = self.act(sources="kernels/*.cu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        wrong = re.sub(r"^.*__pipeline_wait_prior\(0\);.*\n|^.*wait.*\(.*\);\n", "", source, flags=re.M)
        self.assertNotEqual(wrong, source)
        (self.folder / "kernels/wrong.cu").write_text(wrong)
        done = self.act(sources="kernels/*.cu")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"::error .*file=kernels/wrong\.cu,line=\d+")
        results = self.folder / "hazards"
        self.assertEqual([one["verdict"] for one in json.loads((results / "hazards.json").read_text())], ["passed", "hazard"])
        self.assertGreater(self.alerts(), 0)
        rules = {one["rule"] for one in json.loads((results / "hazards.json").read_text())[1]["findings"]}
        (self.folder / "suppress.toml").write_text("".join(f'[[suppress]]\nrule = "{rule}"\nfile = "wrong.cu"\nreason = "shown in a talk"\n' for rule in rules))
        done = self.act(sources="kernels/wrong.cu", suppress="suppress.toml", strict="false")
        self.assertEqual(json.loads((results / "hazards.json").read_text())["findings"], [])
        self.assertEqual(self.alerts(), 0)

    def alerts(self):
        """How many results the workflow in docs/ci uploads."""
        (upload,) = re.findall(r"sarif_file: (\S+)", (ROOT / "docs/ci/github.yml").read_text())
        return sum(len(one["results"]) for one in json.loads((self.folder / upload).read_text())["runs"])

    def test_no_file(self):
        done = self.act(sources="none/*.cu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("::error::no file matches none/*.cu", done.stdout)


unittest.main()
