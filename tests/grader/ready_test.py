"""What docs/instructors/ holds, run as far as it can be here: with this build's runner as ./lab, and kernels that do not
compile, which is quick."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
RUNNER = os.environ["LAB_RUNNER"]
READY = TREE / "docs/instructors"
LAB = f"""#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
[ "$1" = doctor ] && exit
first=$1
second=$2
shift 2
set -- "$first" "$second" "$@"
[ "$first $second" = "grade one" ] && set -- "$@" --isolation limits --schedules 1 --labs 01
LAB_ROOT='{TREE}' exec '{RUNNER}' "$@"
"""


class Ready(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def kernel(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#error nothing\n")

    def lab(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LAB)
        path.chmod(0o755)
        return path

    def run_here(self, command, **environment):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_workflow(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        workflow = yaml.safe_load((READY / "github.yml").read_text())
        self.assertIn("push", workflow[True])  # YAML 1.1 takes "on" for a truth value
        self.kernel("submission/01/kernel.cu")
        self.lab("asynclab/lab")
        summary, output = self.folder / "summary", self.folder / "output"
        steps = workflow["jobs"]["grade"]["steps"]
        for step in steps:
            self.assertTrue(("uses" in step) != ("run" in step), step)
            if "run" in step:
                text = step["run"].replace(" --require-isolation landlock", "")
                self.assertNotIn("${{", text)  # expressions in scripts are how workflows are taken over
                self.run_here(["bash", "-eo", "pipefail", "-c", text], GITHUB_STEP_SUMMARY=str(summary),
                              GITHUB_OUTPUT=str(output))
        self.assertIn("0 of 15 points", summary.read_text())
        self.assertRegex(output.read_text(), r"^result=\S+\n$")
        self.assertTrue((self.folder / "junit.xml").exists())
        reporter = next(step for step in steps if "grading-reporter" in step.get("uses", ""))
        self.assertEqual({name.strip().upper() + "_RESULTS" for name in reporter["with"]["runners"].split(",")},
                         set(reporter["env"]))

    def test_gradescope(self):
        self.kernel("autograder/submission/kernel.cu")
        (self.folder / "autograder/results").mkdir()
        lab = self.lab("autograder/source/asynclab/lab")
        shutil.copy(READY / "setup.sh", self.folder / "autograder/source")
        shutil.copy(READY / "run_autograder", self.folder / "autograder")
        (self.folder / "autograder/source/course.toml").write_text("[labs]\n01 = { weight = 2 }\n")
        root = {"AUTOGRADER": str(self.folder / "autograder")}
        self.run_here(["bash", "autograder/source/setup.sh"], **root)
        self.assertEqual((lab.parent / "calls").read_text(), "doctor\n")
        self.run_here([self.folder / "autograder/run_autograder"], **root)
        results = json.loads((self.folder / "autograder/results/results.json").read_text())
        self.assertEqual((results["score"], sum(test["max_score"] for test in results["tests"])), (0, 30))

    def test_slurm(self):
        for name in ("ada", "bob", "eve"):
            self.kernel(f"submissions/{name}/01/kernel.cu")
        self.lab("lab")
        quick = ["--isolation", "limits", "--schedules", "1", "--labs", "01"]
        for task in ("1", "2"):
            self.run_here(["bash", READY / "slurm.sh", "submissions", "graded", *quick], SLURM_ARRAY_TASK_ID=task,
                          SLURM_ARRAY_TASK_MAX="2", SLURM_CPUS_PER_TASK="1")
        self.run_here(["./lab", "grade", "merge", "graded"])
        self.run_here(["./lab", "grade", "submissions", "--out", "whole", *quick])
        for name in ("grades.csv", "junit.xml", "report.html", "submissions.csv"):
            self.assertEqual((self.folder / "graded" / name).read_text(), (self.folder / "whole" / name).read_text(), name)

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_parallel(self):
        for name in ("J. Doe", "J. Smith", "zoe"):
            self.kernel(f"submissions/{name}/01/kernel.cu")
        self.lab("lab")
        text = re.search(r"```sh\n(ls .*?)```", (READY / "README.md").read_text(), re.S)[1]
        self.run_here(["bash", "-ec", text.replace("--sshloginfile machines ", "")])
        self.assertEqual((self.folder / "graded/grades.csv").read_text().count("\n"), 4)

    def test_container(self):
        text = (READY / "Containerfile").read_text()
        instructions = [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]
        self.assertEqual(instructions, ["FROM", "COPY", "RUN", "ENTRYPOINT"])
        self.assertTrue(os.access(TREE / "lab", os.X_OK))
        self.assertEqual(json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.M)[1]), ["/asynclab/lab"])

    def test_scripts_are_sound(self):
        for name in ("setup.sh", "run_autograder", "slurm.sh"):
            self.assertTrue(os.access(READY / name, os.X_OK), name)
            self.run_here(["bash", "-n", READY / name])
            if shutil.which("shellcheck"):
                self.run_here(["shellcheck", READY / name])


if __name__ == "__main__":
    program = unittest.main(verbosity=2, exit=False)
    raise SystemExit(not program.result.wasSuccessful())
