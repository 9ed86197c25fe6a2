"""What `lab run` makes of CUDA calls that fail, of kernels that never run, and of its own input."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(sys.argv.pop(1))
PROGRAMS = Path(__file__).resolve().parent / "programs"
HAZARD, INCOMPLETE = 3, 6


def run(file, *options, **more):
    """Runs PROGRAMS/file and returns (exit code, stdout, stderr, the JSON)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.json"
        done = subprocess.run([RUNNER, "run", PROGRAMS / file, "--json", out, *options], capture_output=True, text=True,
                              timeout=120, **more)
        return done.returncode, done.stdout, done.stderr, json.loads(out.read_text())


class RefusedLaunch(unittest.TestCase):
    def found(self, report):
        return [(finding["rule"], finding["severity"], finding["first"]["line"]) for finding in report["findings"]]

    def test_nobody_looks(self):
        code, _, said, report = run("refused_launch.cu")
        self.assertEqual((code, report["verdict"], self.found(report)), (HAZARD, "hazard", [("failed-call", "error", 15)]), said)
        self.assertIn("refused_launch.cu:15: error: failed-call", said)
        self.assertIn("15 |     fill<<<1, 4096>>>(data);", said)
        self.assertIn("kernel fill was never judged", said)

    def test_the_program_looks(self):
        code, out, said, report = run("refused_launch.cu", "--", "look")
        self.assertEqual((code, out, report["verdict"]), (INCOMPLETE, "refused\n", "incomplete"), said)
        self.assertEqual(self.found(report), [("failed-call", "warning", 15)])
        self.assertIn("kernel fill was never judged", report["incomplete"][0]["what"])

    def test_the_kernel_runs_in_the_end(self):
        code, out, said, report = run("refused_launch.cu", "--", "look", "again")
        self.assertEqual((code, out, report["verdict"]), (0, "refused\n", "passed"), said)
        self.assertEqual(self.found(report), [("failed-call", "warning", 15)])
        self.assertEqual([kernel["name"] for kernel in report["executed"]["kernels"]], ["fill"])
        self.assertEqual([(kernel["name"], kernel["line"]) for kernel in report["executed"]["never_launched"]], [("never", 8)])
        self.assertIn("lab: 1 kernel was never launched, so nothing was judged of it: never (line 8)", said)


class Input(unittest.TestCase):
    """Each schedule reads the same input."""

    def test_from_a_pipe(self):
        code, out, said, report = run("reads_input.cu", "--schedules", "4", input="1 2 3\n" * 5000)
        self.assertEqual((code, out), (0, "15000 numbers, 30000\n"), said)
        self.assertEqual(report["schedules"], {"run": 4, "of": 4})

    def test_from_a_file(self):
        with tempfile.TemporaryFile("w+") as file:
            file.write("4 5")
            file.seek(0)
            code, out, said, _ = run("reads_input.cu", "--schedules", "3", stdin=file)
        self.assertEqual((code, out), (0, "2 numbers, 9\n"), said)

    def test_of_a_script_that_calls_us_is_left_alone(self):
        text = f'while read file; do "{RUNNER}" run "$file" >/dev/null 2>&1; echo "$file"; done'
        files = "".join(f"{PROGRAMS / name}\n" for name in ("no_kernel.cu", "exit_seven.cu", "no_kernel.cu"))
        done = subprocess.run(["sh", "-c", text], input=files, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, files)


unittest.main()
