"""What ./lab promises before the runner starts: arguments, folders, signals, errors, and no build that is not needed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
RUNNER = r"""
#include <cstdio>
#include <unistd.h>
int main(int argc, char** argv) {
    char folder[4096];
    std::printf("%s", getcwd(folder, sizeof folder));
    for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
    std::puts("");
    std::fflush(stdout);
    if (argc > 1 && argv[1][0] == 's') sleep(60);
    return argc > 1 && argv[1][0] == 'f' ? 7 : 0;
}
"""
TEST = """#!/bin/sh
echo "[doctest] test cases: 3 | $1 passed | $2 failed | 0 skipped"
[ "$2" = 0 ]
"""


def make_tree(folder):
    shutil.copy(SOURCE / "lab", folder / "lab")
    shutil.copytree(SOURCE / "common/setup", folder / "common/setup")
    shutil.copytree(SOURCE / "common/web", folder / "common/web")
    (folder / "common/drawing").mkdir()
    shutil.copy(SOURCE / "common/drawing/embed.py", folder / "common/drawing")
    (folder / "common/runner").mkdir()
    (folder / "common/runner/main.cpp").write_text(RUNNER)
    (folder / "common/runner/meson.build").write_text("runner = executable('lab-runner', 'main.cpp')\n")
    (folder / "test.sh").write_text(TEST)
    (folder / "test.sh").chmod(0o755)
    (folder / "meson.build").write_text(
        "project('tree', 'cpp')\n"
        "nvcc = find_program('nvcc')\n"
        "subdir('common/runner')\n"
        "alias_target('lab', runner)\n"
        "test('right', find_program('test.sh'), args: ['3', '0'])\n"
        "test('wrong', find_program('test.sh'), args: ['2', '1'])\n"
        "test('apart', executable('apart_test', 'apart.cpp'))\n"
    )
    (folder / "apart.cpp").write_text("int main() {}\n")
    (folder / "tests/labs").mkdir(parents=True)
    for name in ("versions.py", "labs/lab_versions.py", "labs/versions_page.py"):
        shutil.copy(SOURCE / "tests" / name, folder / "tests" / name)
    (folder / "tests/labs/05_waits.versions").write_text("== wrong/no_wait\nexpect: missing-wait\nIt does not wait.\n\n-wait();\n")
    (folder / "tests/labs/seeds.tsv").write_text("lab\tkind\tseeds\tlazy\trandom\tversions\n05_waits\twrong\t20\t20\t7\tno_wait\n")
    (folder / "solutions/05_waits").mkdir(parents=True)
    (folder / "solutions/05_waits/kernel.cu").write_text("copy();\nwait();\n")


class Launcher(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.tree = Path(cls.scratch.name).resolve() / "a tree (copy)"
        cls.tree.mkdir()
        make_tree(cls.tree)
        # Two first runs at once: the second waits and finds everything done.
        both = [cls.start("both", str(i)) for i in range(2)]
        cls.first = [run.communicate(timeout=100) + (run.returncode,) for run in both]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def start(cls, *arguments, lab=None, cwd="/", **environment):
        return subprocess.Popen(
            [lab or cls.tree / "lab", *arguments],
            cwd=cwd,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lab(self, *arguments, **options):
        run = self.start(*arguments, **options)
        out, err = run.communicate(timeout=60)
        return run.returncode, out, err

    def test_two_first_runs_at_once_both_work(self):
        for i, (out, err, status) in enumerate(self.first):
            self.assertEqual((out, status), (f"/|both|{i}\n", 0), err)

    def test_arguments_status_and_folder_pass_through_in_silence(self):
        self.assertEqual(self.lab("fail", "a  b", "", "*", "--x='y'", cwd="/tmp"), (7, "/tmp|fail|a  b||*|--x='y'\n", ""))

    def test_works_through_symbolic_links(self):
        link = self.tree.parent / "link"
        link.symlink_to("a tree (copy)/lab")
        again = self.tree.parent / "again"
        again.symlink_to(link)
        self.assertEqual(self.lab("x", lab=again), (0, "/|x\n", ""))

    def test_nothing_is_made_again(self):
        def made():
            files = (path for folder in ("build", ".asynclab") for path in (self.tree / folder).rglob("*") if path.is_file())
            return {path: path.stat().st_mtime_ns for path in files if not re.match(r"lock$|\.ninja_|.*\.log$", path.name)}

        self.lab("x")
        before = made()
        self.assertEqual(self.lab("x")[:2], (0, "/|x\n"))
        self.assertEqual(made(), before)

    def test_a_tree_of_somebody_else_is_used_as_it_is(self):
        shared = self.tree.parent / "shared"
        shutil.copytree(self.tree, shared)
        prefix = ["setpriv", "--reuid", "65534", "--clear-groups", "--"] if os.geteuid() == 0 else []
        self.tree.parent.chmod(0o755)
        shared.chmod(0o555)

        def lab(*arguments):
            done = subprocess.run([*prefix, shared / "lab", *arguments], cwd="/", capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        try:
            self.assertEqual(lab("x"), (0, "/|x\n", ""))
            self.assertIn("'./lab clean' cannot work there", lab("clean")[2])
            (shared / "build/common/runner/lab-runner").unlink()
            status, out, err = lab("x")
            self.assertEqual((status, out), (2, ""))
            self.assertIn("no ./lab is built there that you may run", err)
            self.assertIn("next: ask the owner to run ./lab doctor there", err)
        finally:
            shared.chmod(0o755)

    def test_interrupt_reaches_the_runner(self):
        run = self.start("sleep")
        self.assertEqual(run.stdout.readline(), "/|sleep\n")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=10)
        self.assertEqual(run.returncode, -signal.SIGINT)

    def test_toolchain_file_names_a_working_compiler(self):
        toolchain = json.loads((self.tree / ".asynclab/toolchain.json").read_text())
        self.assertRegex(toolchain["version"], r"^\d+\.\d+$")
        subprocess.run([toolchain["nvcc"], *toolchain["flags"], "--version"], check=True, stdout=subprocess.DEVNULL)
        self.assertTrue(any(Path(folder, "cuda.h").exists() for folder in toolchain["include_dirs"]))
        flags = (self.tree / ".asynclab/editor/compile_flags.txt").read_text().splitlines()  # clangd's
        self.assertLessEqual(set(toolchain["include_dirs"]), set(flags))
        self.assertTrue(Path(flags[flags.index("-include") + 1]).is_file())

    def test_old_compiler_is_named_as_too_old(self):
        old = self.tree.parent / "nvcc"
        old.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n")
        old.chmod(0o755)
        status, out, err = self.lab("x", LAB_NVCC=str(old))
        self.assertEqual((status, out), (2, ""))
        self.assertIn("is CUDA 11.8, too old (12.4 or newer is needed)", err)

    def test_missing_compiler_is_an_error_that_says_what_to_do(self):
        status, out, err = self.lab("x", LAB_NVCC="/no/such/nvcc")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("next: ", err)

    def test_docs_without_network_says_what_to_do(self):
        # No process listens on port 9.
        for network in ({"PIP_NO_INDEX": "1"}, {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull}):
            status, out, err = self.lab("docs", **network)
            self.assertEqual((status, out), (2, ""))
            lines = [line for line in err.splitlines() if not re.match("lab: (making a Python|fetching mkdocs)", line)]
            self.assertEqual(len(lines), 2, err)
            self.assertIn("PyPI could not be reached", lines[0])
            self.assertRegex(lines[1], "^ +next: .*docs/README.md")
        self.assertIn("--build DIR", self.lab("docs", "--help")[1])

    def test_ascii_where_the_locale_says_so(self):
        for locale, said in (({"LC_ALL": "C"}, "..."), ({"LC_ALL": "C.UTF-8"}, "…"), ({"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.utf8"}, "…")):
            shutil.rmtree(self.tree / "build")
            status, out, err = self.lab("x", **locale)
            self.assertIn(f"configuring the build {said}", err)
            if said == "...":
                err.encode("ascii")

    def test_compiler_errors_are_shown_and_the_rest_is_not(self):
        source = self.tree / "common/runner/main.cpp"
        source.write_text(RUNNER + "oops\n")
        try:
            status, out, err = self.lab("x")
            self.assertEqual(self.lab("test")[:2], (2, "0 passed, 1 failed\n"))
            self.assertEqual(self.lab("test", "right")[:2], (2, "0 passed, 1 failed\n"))  # a script may start ./lab
            self.assertEqual(self.lab("test", "apart")[1].splitlines()[-1], "1 passed, 0 failed")
        finally:
            source.write_text(RUNNER)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("error: ", err)
        self.assertIn("oops", err)
        self.assertNotIn("FAILED", err)
        self.assertEqual(self.lab("x")[:2], (0, "/|x\n"))

    def test_suite_ends_with_the_counts_of_its_cases(self):
        status, out, _ = self.lab("test")
        self.assertEqual((status, out.splitlines()[-1]), (1, "6 passed, 1 failed"))
        status, out, _ = self.lab("test", "right", "--began", "0")
        self.assertRegex(out.splitlines()[-2], r"^\d+ s of setting up and building, \d+ s of tests$")
        self.assertEqual((status, out.splitlines()[-1]), (0, "3 passed, 0 failed"))
        status, _, err = self.lab("test", "nothing")
        self.assertEqual(status, 2)
        self.assertIn("choose from: apart, right, wrong", err)

    def test_what_only_prints_builds_nothing(self):
        tree = self.tree.parent / "unbuilt"
        tree.mkdir()
        make_tree(tree)
        lab = lambda *arguments: self.lab("test", *arguments, lab=tree / "lab")
        self.assertIn("--show NAME", lab("--help")[1])
        self.assertRegex(self.lab("--version", lab=SOURCE / "lab")[1], r"^asynclab \d+\.\d+")
        whole = "// expect: missing-wait\n// It does not wait.\ncopy();\n"
        self.assertEqual(lab("--show", "05_waits/wrong/no_wait"), (0, whole, ""))
        self.assertEqual(lab("--show", "05/wrong/no_wait"), (0, whole, ""))
        self.assertEqual(lab("--show", "05/wrong/nowait")[::2], (2, "lab: error: there is no version '05/wrong/nowait'\n"
                                                                "     next: choose from: 05_waits/wrong/no_wait\n"))
        self.assertIn("| no_wait | It does not wait. | `missing-wait` | 20 of 20 | 7 of 20 |\n", lab("--versions")[1])
        lab("--points")  # of this tree's labs, which have none
        (tree / "solutions/05_waits/kernel.cu").write_text("copy();\n")
        status, _, err = lab("--show", "05/wrong/no_wait")
        self.assertEqual(status, 2)
        self.assertRegex(err, r"^/.*/05_waits\.versions:5: error: wrong/no_wait: this block does not stand in the base, from: wait\(\);\n$")
        self.assertFalse((tree / "build").exists() or (tree / ".asynclab").exists())


if __name__ == "__main__":
    unittest.main()
