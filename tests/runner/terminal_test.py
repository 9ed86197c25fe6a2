"""The commands on terminals of all kinds: narrow ones, without colour, without UTF-8; and for scripts."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

RUNNER, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        if (ROOT / ".asynclab/toolchain.json").exists():
            shutil.copy(ROOT / ".asynclab/toolchain.json", folder.name)
        # What nvcc has made once need not be made again.
        (ROOT / ".asynclab/cache").mkdir(parents=True, exist_ok=True)
        Path(folder.name, "cache").symlink_to(ROOT / ".asynclab/cache")
        self.environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LANG", "COLUMNS")
                            and not name.startswith("LC_")} | {"LAB_ROOT": str(ROOT), "LAB_STATE": folder.name}

    def pause(self, process):
        """Lets a run, in a session of its own, grow five seconds older, in which its processes take no processor time."""
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(5)
        os.killpg(process.pid, signal.SIGCONT)

    def on_terminal(self, *arguments, columns=80, keys=b"", paused=False, **environment):
        """Everything that the command writes to a terminal, its lines ended by \\n."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([RUNNER, *arguments], stdin=slave, stdout=slave, stderr=slave, env=self.environment | environment,
                                   start_new_session=paused)
        os.close(slave)
        os.write(master, keys)
        if paused:
            self.pause(process)
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            seen += part
        self.code = process.wait(120)
        os.close(master)
        return seen.decode(errors="replace").replace("\r\n", "\n")

    def piped(self, *arguments, **environment):
        done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, env=self.environment | environment, timeout=120)
        self.code = done.returncode
        return done.stdout

    def test_paragraphs_keep_to_the_width(self):
        for columns in (40, 72):
            for command in (("hint", "03"), ("list",)):
                for line in self.on_terminal(*command, columns=columns).splitlines():
                    self.assertLessEqual(len(ESCAPE.sub("", line)), columns, line)
            why = self.on_terminal("explain", "deadlock", columns=columns).split("Wrong:")[0]
            for line in why.splitlines():
                self.assertLessEqual(len(ESCAPE.sub("", line)), columns, line)

    def test_a_report_is_legible_on_a_narrow_terminal(self):
        kernel = lab_versions.file("01", "wrong/no_barrier_before_restaging")
        text = self.on_terminal("check", "01", "--file", str(kernel), columns=40)
        lines = [line for line in ESCAPE.sub("", text.split("points")[0]).splitlines() if not re.search(r"again:|in case|\.cu|^  [✓✗◐○]", line)]
        self.assertTrue(any("write-after-read-race" in line for line in lines))
        for line in lines:
            self.assertLessEqual(len(line.split("\r")[-1]), 44, line)
        self.assertIn("…", text)  # source lines are cut

    def test_a_long_run_says_how_far_it_has_come(self):
        ptx = (ROOT / "tests/runner/ptx/double.ptx").read_text()
        with tempfile.TemporaryDirectory() as folder:
            kernel = Path(folder) / "kernel.ptx"
            kernel.write_text(ptx.replace("    ret;", "    again: add.u32 %r1, %r1, 1;\n    st.global.u32 [%rd5], %r1;\n    bra again;"))
            command = ("run", "--device", "sim", str(kernel), "--launch", str(ROOT / "tests/runner/ptx/double.toml"), "--timeout", "6")
            said = self.on_terminal(*command, paused=True)
            self.assertRegex(said, r"lab: [56] s: [\d.]+ [mb]illion thread-instructions executed so far\n")
            self.assertIn("a kernel was still running after 6 s", said)
            process = subprocess.Popen([RUNNER, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
                                       start_new_session=True)
            self.pause(process)
            said = process.communicate(timeout=120)[1]
            self.assertIn("a kernel was still running after 6 s", said)
            self.assertNotIn("so far", said)

    def test_help_on_terminals(self):
        for command in ("check", "run", "bench"):
            for line in self.on_terminal(command, "--help", columns=40).splitlines():
                self.assertLessEqual(len(line), 40 if " " in line.strip() else 60, line)
            self.on_terminal(command, "--help", LC_ALL="C").encode("ascii")
            self.piped(command, "--help", LC_ALL="C").encode("ascii")

    def test_columns_is_believed(self):
        for line in self.on_terminal("hint", "03", columns=100, COLUMNS="50").splitlines():
            self.assertLessEqual(len(line), 50)

    def test_the_status_line_says_what_is_going_on(self):
        # A launch that sleeps lasts as long on every machine, and takes no processor time.
        kernel = Path(self.environment["LAB_STATE"]) / "kernel.cu"
        code, begins = next(ROOT.glob("solutions/01*/kernel.cu")).read_text(), "    int device = 0, sms = 0, resident = 0;"
        self.assertIn(begins, code)
        kernel.write_text("#include <unistd.h>\n" + code.replace(begins, "    usleep(1500000);\n" + begins))
        command = ("check", "01", "--file", str(kernel), "--case", "one tile", "--schedules", "2", "--device", "sim")
        text = self.on_terminal(*command)
        lines = [line for line in re.findall(r"\r\x1b\[K([^\r\x1b]*)", text) if line]
        self.assertTrue(lines)
        for line in lines:
            self.assertLess(len(line), 80, line)
            self.assertRegex(line, r"^01: \d+ s, (compiling (for compute_\d+|the host's side)|schedule \d+ of 2, compute_[89]0: \w+.*)$")
        self.assertTrue(any(re.search(r"schedule .*: .+ \(\[\d+\]", line) for line in lines), lines)
        # Cleared at the end, and never written unless stderr is a terminal.
        self.assertTrue(text.split("01 Synchronous")[0].endswith("\x1b[K\x1b[1m"), text[:300])
        quiet = subprocess.run([RUNNER, *command], capture_output=True, text=True, env=self.environment, timeout=120)
        self.assertEqual(quiet.stderr, "")

    def test_a_pipe_gets_whole_lines_and_no_colour(self):
        text = self.piped("explain", "deadlock")
        self.assertNotIn("\x1b", text)
        self.assertGreater(max(map(len, text.splitlines())), 100)

    def test_no_color(self):
        self.assertIn("\x1b[1m", self.on_terminal("explain", "deadlock"))
        self.assertNotIn("\x1b", self.on_terminal("explain", "deadlock", NO_COLOR="1"))
        self.assertIn("\x1b[1m", self.on_terminal("explain", "deadlock", NO_COLOR=""))  # no-color.org: "not an empty string"

    def test_ascii_where_the_locale_says_so(self):
        kernel = str(next(ROOT.glob("solutions/01*/kernel.cu")))
        for locale in ({"LC_ALL": "C"}, {"LANG": "de_DE.ISO-8859-1"}):
            for command in (("list",), ("hint", "09", "--all"), ("check", "01", "--file", kernel, "--schedules", "1"), ("explain", "missing-wait"), ()):
                self.piped(*command, **locale).encode("ascii")
                self.on_terminal(*command, **locale).encode("ascii")
        self.assertIn("+ one element", self.piped("check", "01", "--file", kernel, LC_ALL="C"))
        self.assertIn("✓ one element", self.piped("check", "01", "--file", kernel, LC_ALL="C.UTF-8"))
        self.assertIn("✓ one element", self.piped("check", "01", "--file", kernel))

    def check_printing(self, file):
        """The check's report on this file for lab 01, in which the kernel prints."""
        kernel = Path(self.environment["LAB_STATE"]) / "kernel.cu"
        code, store = file.read_text(), "out[begin + t] = sum;"
        self.assertIn(store, code)
        kernel.write_text("#include <cstdio>\n" + code.replace(store, 'if (begin + t == 0) printf("seen \\033[31m\\n"); ' + store))
        return self.piped("check", "01", "--file", str(kernel), "--device", "sim")

    def test_what_a_kernel_prints_is_shown_with_a_hazard(self):
        text = self.check_printing(lab_versions.file("01", "wrong/no_barrier_before_restaging"))
        self.assertLess(text.index("read it"), text.index("The program printed:\n    seen \\x1b[31m\n"))

    def test_what_a_kernel_prints_is_told_of_when_it_passes(self):
        text = self.check_printing(next(ROOT.glob("solutions/01*/kernel.cu")))
        self.assertRegex(text, r"the program printed:\n    seen \\x1b\[31m\n  \(\./lab check 01 .*--json shows what it printed")
        self.assertNotIn("printed", self.piped("check", "01", "--solutions", "--device", "sim"))

    def test_a_note_says_where_more_is(self):
        self.assertIn("more: ./lab explain bank-conflict", self.piped("check", "05", "--solutions", "--device", "sim"))

    def test_paths_from_the_root_are_whole(self):
        kernel = next(ROOT.glob("solutions/01*/kernel.cu")).resolve()
        done = subprocess.run([Path(RUNNER).resolve(), "check", "01", "--file", kernel], cwd="/", capture_output=True, text=True,
                              env=self.environment, timeout=120)
        self.assertIn(f"  {kernel}\n", done.stdout)

    def test_what_is_near_is_suggested(self):
        for typed, word in (("racce", "race"), ("fnce", "fence"), ("missing-wiat", "missing-wait")):
            self.assertRegex(self.on_terminal("explain", typed), rf"did you mean [a-z-]*{word}[a-z-]*\?")
        for typed in ("foo", "banana"):
            self.assertNotIn("did you mean", self.on_terminal("explain", typed))

    def test_each_help_has_its_own_footer(self):
        for command in ("watch", "hint", "trace", "reset", "solution", "explain"):
            text = self.piped(command, "--help")
            self.assertNotIn("Provided by the launcher", text)
            self.assertEqual("LAB" in text, "LAB TEXT" in text and "A lab's number or an unambiguous part" in text)
        for command in ("help", "--help"):
            self.assertIn("Provided by the launcher", self.piped(command))

    def test_json_is_json(self):
        labs = json.loads(self.piped("list", "--json", LC_ALL="C"))
        self.assertEqual((len(labs), labs[1]["lab"], labs[1]["passed"]), (len(list((ROOT / "labs").glob("[0-9]*"))), "01_synchronous_staging", False))
        self.assertTrue(all(lab["possible"] > 0 for lab in labs))
        rule = json.loads(self.piped("explain", "missing-wait", "--json"))
        self.assertEqual((rule["name"], rule["severity"]), ("missing-wait", "error"))
        self.assertGreater(len(json.loads(self.piped("explain", "--json"))), 40)
        found = json.loads(self.piped("doctor", "--json"))
        self.assertEqual(self.code, 0 if found["good"] else 1)
        self.assertLessEqual({"nvcc", "tree check"}, {one["what"] for one in found["found"]})

    def test_the_json_has_the_keys_that_the_page_names(self):
        rows = re.findall(r"^\| `\./lab ([^`]*--json[^`]*)` \|([^|]*)\|([^|]*)\|$", (ROOT / "docs/scripts.md").read_text(), re.M)
        self.assertGreater(len(rows), 10)
        for command, shape, keys in rows:
            if command.startswith(("sass", "bench", "reset")):  # NVIDIA's disassembler, a GPU; not your kernel's file
                continue
            words = command.replace("FILE.cu", str(ROOT / "tests/runner/programs/staged.cu")).split()
            words += ["--solutions", "--which", "1"] if words[0] == "break" else []
            with self.subTest(command):
                document = json.loads(self.piped(*words, LC_ALL="C", LAB_DEVICE="sim"))
                self.assertEqual(isinstance(document, list), shape.strip().startswith("array"))
                one = document[0] if isinstance(document, list) else document
                self.assertEqual(sorted(one), sorted(re.findall(r"`(\w+)`", keys.split("; if ")[0])))

    def test_each_hint_in_json_is_the_next(self):
        stages = [json.loads(self.piped("hint", "03", "--json"))["hints"][0]["stage"] for _ in range(3)]
        self.assertEqual(stages, [1, 2, 3])
        everything = json.loads(self.piped("hint", "03", "--json", "--all"))
        self.assertEqual([hint["stage"] for hint in everything["hints"]], list(range(1, everything["stages"] + 1)))

    def test_json_goes_to_stdout_or_to_a_file(self):
        kernel = str(next(ROOT.glob("solutions/01*/kernel.cu")))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "results.json"
            self.assertIn("15 of 15", self.piped("check", "01", "--file", kernel, "--json", str(out)))
            self.assertTrue(json.loads(out.read_text())[0]["passed"])
        self.assertTrue(json.loads(self.piped("check", "01", "--file", kernel, "--json"))[0]["passed"])
        self.assertEqual((self.piped("check", "--json", "01"), self.code), ("", 2))  # the lab is no file to write to

    def test_the_solution_is_not_shown_unasked(self):
        self.assertNotIn("__global__", self.on_terminal("solution", "01", keys=b"\n"))
        self.assertEqual(self.code, 1)
        self.assertIn("__global__", self.on_terminal("solution", "01", keys=b"y\n"))
        self.assertIn("__global__", self.piped("solution", "01"))


unittest.main(verbosity=2)
