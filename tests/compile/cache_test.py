"""A program that was compiled before is used again exactly if every file that came into it is as it was, whatever the way
by which it came in."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "labs"))
import rotation  # noqa: E402

RUNNER = Path(sys.argv.pop(1)).absolute()
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """#include <cstdio>
INCLUDE
__global__ void kernel(int* p) { *p = VALUE; }
int main() {
    int *p, value = 0;
    cudaMalloc(&p, sizeof(int));
    kernel<<<1, 1>>>(p);
    cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d\\n", value, VALUE);
}
"""
OPTIONAL = "#if __has_include({0})\n#include {0}\n#endif\n#ifndef VALUE\n#define VALUE 1\n#endif\n"


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()  # its own cache, since other tests compile at the same time
        cls.addClassCleanup(scratch.cleanup)
        cls.state = Path(scratch.name)
        state = Path(os.environ.get("LAB_STATE", ROOT / ".asynclab"))
        shutil.copy(state / "toolchain.json", cls.state)

    def setUp(self):
        if not rotation.in_sample(self.id(), 3):
            self.skipTest("not in this run's sample")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_000_000_000, 1_000_000_000))  # nothing depends on a file's own timestamps
        time.sleep(0.02)  # a file that changes in the moment in which the compiler begins makes no entry
        return path

    def lab(self, *words, **environment):
        done = subprocess.run([RUNNER, *words], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, "LAB_STATE": str(self.state), **environment})
        return done.returncode, done.stdout, done.stderr

    def entries(self):
        return set((self.state / "cache").glob("*/*/program"))


class Run(Case):
    def value(self, *options, **environment):
        """What the program prints. Few cases ask for waiting compilers: they find the files in the same way, and each would
        first read the headers again."""
        code, out, said = self.lab("run", self.folder / "program.cu", *options, **{"ASYNCLAB_WARM": "0", **environment})
        self.assertEqual(code, 0, said)
        device, host = out.split()
        self.assertEqual(device, host)
        return int(device)

    def follows(self, header, include, *options, text="#define VALUE {}\n", warm="0", **environment):
        """The header's value is the program's, before and after a change."""
        environment["ASYNCLAB_WARM"] = warm
        self.write("program.cu", PROGRAM.replace("INCLUDE", include))
        self.write(header, text.format(1))
        for _ in range(1 + int(warm)):  # a waiting compiler that starts with the first call may make no entry yet
            self.assertEqual(self.value(*options, **environment), 1)
        before = self.entries()
        self.assertEqual(self.value(*options, **environment), 1)
        self.assertEqual(self.entries(), before, "an unchanged program is not compiled again")
        self.write(header, text.format(2))
        self.assertEqual(self.value(*options, **environment), 2)
        self.write(header, text.format(1))
        self.assertEqual(self.value(*options, **environment), 1)
        self.assertLessEqual(len(self.entries() - before), 1, "its earlier state is found again")

    def test_way_that_was_taken_is_said(self):
        self.write("program.cu", f"// {self.folder}\n" + PROGRAM.replace("INCLUDE", "#define VALUE 1"))
        said = [self.lab("run", self.folder / "program.cu", ASYNCLAB_WAYS="1", ASYNCLAB_WARM="0")[2] for _ in range(2)]
        self.assertIn("cached: no: nothing of it is in the cache", said[0])
        self.assertIn("waiting compiler: no: no compiler waits behind these headers", said[0])
        self.assertIn("nvcc: the program", said[0])
        self.assertEqual(said[1].strip(), "lab: program.cu: cached: the program")

    def test_comment(self):
        text = "// one\n" + PROGRAM.replace("INCLUDE", "#define VALUE 1")
        self.write("program.cu", text)
        self.assertEqual(self.value(), 1)
        before = self.entries()
        self.write("program.cu", text.replace("one", "another").replace("{\n", "{ // the host's\n"))
        self.assertEqual(self.value(), 1)
        self.assertEqual(self.entries(), before, "only comments have changed")
        self.write("program.cu", text.replace("// one\n", ""))
        self.assertEqual(self.value(), 1)
        self.assertEqual(len(self.entries() - before), 1, "the lines are others")

    def test_quotes(self):
        self.follows("value.h", '#include "value.h"', warm="1")

    def test_macro(self):
        self.follows("value.h", '#define H "value.h"\n#include H')

    def test_macro_of_a_flag(self):
        self.follows("value.h", "#define TEXT(x) #x\n#define NAME(x) TEXT(x)\n#include NAME(H)", "--nvcc", "-DH=value.h",
                     warm="1")

    def test_continued_line(self):
        self.follows("value.h", '#include \\\n  "value.h"')

    def test_behind_many_others(self):
        for i in range(230):
            self.write(f"many/{i}.h", f"#define MANY_{i}\n")
        self.follows("value.h", "".join(f'#include "many/{i}.h"\n' for i in range(230)) + '#include "value.h"')

    def test_through_another(self):
        self.write("other.h", '#include "deep/value.h"\n')
        self.follows("deep/value.h", '#include "other.h"')

    def test_for_one_pass_only(self):
        self.follows("value.h", '#ifdef __CUDA_ARCH__\n#include "value.h"\n#endif\n#ifndef VALUE\n#include "value.h"\n#endif')

    def test_flag_before_all(self):
        self.follows("value.h", "", "--nvcc", f"-include {self.folder}/value.h")
        self.follows("value.h", "", "--nvcc", "-include=value.h")

    def test_flags_for_folders(self):
        for flag in ("-I inc", "-Iinc", "-isystem inc", "--system-include=inc", "-Xcompiler -iquote,inc", "--include-path inc"):
            with self.subTest(flag):
                self.follows("inc/value.h", f'#include "value.h" // {flag}', "--nvcc", flag)

    def test_options_file(self):
        self.follows("options", "", "--nvcc", "-optf options", text="-DVALUE={}\n")

    def test_macros_of_a_file(self):
        self.write("program.cu", PROGRAM.replace("INCLUDE", ""))
        for value in (1, 2):
            self.write("value.h", f"#define VALUE {value}\n")
            self.write("outer.h", '#include "value.h"\n')
            self.assertEqual(self.value("--nvcc", "-Xcompiler -imacros,outer.h"), value)

    def test_environment(self):
        for name in ("CPATH", "CPLUS_INCLUDE_PATH"):
            with self.subTest(name):
                self.follows("inc/value.h", f"#include <value.h> // {name}", **{name: str(self.folder / "inc")})
        self.write("program.cu", PROGRAM.replace("INCLUDE", ""))
        for value in (1, 2):
            self.assertEqual(self.value(NVCC_APPEND_FLAGS=f"-DVALUE={value}"), value)

    def test_header_that_appears(self):
        for ask, flags in (('"maybe.h"', ()), ("<maybe.h>", ("--nvcc", "-I inc"))):
            with self.subTest(ask):
                place = self.folder / ("inc/maybe.h" if flags else "maybe.h")
                place.unlink(missing_ok=True)
                self.write("inc/other.h", "")
                self.write("program.cu", PROGRAM.replace("INCLUDE", OPTIONAL.format(ask)))
                self.assertEqual([self.value(*flags), self.value(*flags)], [1, 1])
                self.write(place.relative_to(self.folder), "#define VALUE 2\n")
                self.assertEqual(self.value(*flags), 2)
                place.unlink()
                self.assertEqual(self.value(*flags), 1)

    def test_header_that_a_macro_asks_for(self):
        self.write("program.cu", PROGRAM.replace("INCLUDE", '#define H "maybe.h"\n' + OPTIONAL.format("H")))
        self.assertEqual(self.value(), 1)
        self.write("maybe.h", "#define VALUE 2\n")
        self.assertEqual(self.value(), 2)

    def test_header_that_hides_another(self):
        flags = ("--nvcc", "-I first -I second")
        self.write("first/other.h", "")
        self.write("second/deep/value.h", "#define VALUE 1\n")
        for include, hiding in (("<deep/value.h>", "first/deep/value.h"), ('"deep/value.h"', "deep/value.h")):
            with self.subTest(include):
                self.write("program.cu", PROGRAM.replace("INCLUDE", "#include " + include))
                self.assertEqual(self.value(*flags), 1)
                self.write(hiding, "#define VALUE 2\n")
                self.assertEqual(self.value(*flags), 2)
                (self.folder / hiding).unlink()
                self.assertEqual(self.value(*flags), 1)

    def test_header_of_the_system_that_is_hidden(self):
        self.write("inc/other.h", "")
        self.write("program.cu", PROGRAM.replace("INCLUDE", "#include <cinttypes>\n#ifndef VALUE\n#define VALUE 1\n#endif"))
        self.assertEqual(self.value("--nvcc", "-I inc"), 1)
        self.write("inc/cinttypes", "#define VALUE 2\n")
        self.assertEqual(self.value("--nvcc", "-I inc"), 2)

    def test_link_that_is_changed(self):
        self.write("one.h", "#define VALUE 1\n")
        self.write("two.h", "#define VALUE 2\n")
        self.write("program.cu", PROGRAM.replace("INCLUDE", '#include "value.h"'))
        for name, value in (("one.h", 1), ("two.h", 2)):
            (self.folder / "value.h").unlink(missing_ok=True)
            (self.folder / "value.h").symlink_to(name)
            self.assertEqual(self.value(), value)

    def test_library(self):
        self.write("program.cu", 'extern "C" int answer();\n' + PROGRAM.replace("INCLUDE", "").replace(
            "VALUE", "1", 1).replace("value, VALUE", "answer(), answer()"))
        for value in (1, 2):
            source = self.write("answer.c", f"int answer(void) {{ return {value}; }}\n")
            subprocess.run(["cc", "-c", source, "-o", self.folder / "answer.o"], check=True)
            subprocess.run(["ar", "rcs", self.folder / "libanswer.a", self.folder / "answer.o"], check=True)
            self.assertEqual(self.value("--nvcc", f"-L{self.folder} -lanswer"), value)

    def test_file_that_the_assembler_takes_in(self):
        text = 'asm(".data\\n.globl answer\\nanswer: .incbin \\"answer.bin\\"\\n.text");\nextern "C" const char answer;\n'
        self.write("program.cu", text + PROGRAM.replace("INCLUDE", "").replace("VALUE", "1", 1).replace(
            "value, VALUE", "answer - '0', answer - '0'"))
        for value in (1, 2):
            self.write("answer.bin", str(value))
            self.assertEqual(self.value(), value)


class Check(Case):
    """The kernel of a lab, with its program and its PTX in entries of their own."""

    def setUp(self):
        super().setUp()
        self.kernel = self.folder / "kernel.cu"
        self.solution = (ROOT / "solutions/03_pipeline_primitives/kernel.cu").read_text()

    def passes(self):
        code, out, said = self.lab("check", "03", "--file", self.kernel)
        self.assertIn(code, (0, 1, 3), said + out)
        return code == 0

    def follows(self, include, header="broken.h"):
        """An #if around a wait follows the header: the wrong kernel fails, the right one passes."""
        wait = "__pipeline_wait_prior("
        self.assertIn(wait, self.solution)
        self.kernel.write_text(f"{include}\n{self.solution}".replace(wait, "if (!BROKEN) " + wait))
        for broken in (0, 1, 0):
            self.write(header, f"#define BROKEN {broken}\n")
            self.assertEqual(self.passes(), not broken)

    def test_quotes(self):
        self.follows('#include "broken.h"')

    def test_macro(self):
        self.follows('#define H "broken.h"\n#include H')

    def test_header_that_appears(self):
        self.kernel.write_text('#if __has_include("broken.h")\n#include "broken.h"\n#endif\n' + self.solution)
        self.assertTrue(self.passes())
        self.write("broken.h", "#error it is here\n")
        self.assertFalse(self.passes())

    def test_own_file_named_as_the_labs(self):
        self.kernel.write_text(self.solution)
        self.assertTrue(self.passes())
        self.write("lab.h", "#error it is here\n")
        self.assertFalse(self.passes())
        (self.folder / "lab.h").unlink()
        self.assertTrue(self.passes())


class Grade(Case):
    """A submission is compiled for itself alone, and sees no file beside itself."""

    def grade(self, out):
        code, text, said = self.lab("grade", self.folder / "class", "--out", self.folder / out, "--labs", "03", "--schedules", "1",
                                    "--jobs", "1", LAB_ROOT=str(ROOT))
        self.assertEqual(code, 0, said + text)
        return (self.folder / out / "results/one.json").read_text()

    def test_files_beside_a_submission_do_not_come_in(self):
        self.folder.chmod(0o755)
        solution = (ROOT / "solutions/03_pipeline_primitives/kernel.cu").read_text()
        for number, include in enumerate(("", '#include "beside.h"\n', '#if __has_include("beside.h")\n#error here\n#endif\n')):
            self.write("class/one/03_pipeline_primitives/kernel.cu", include + solution)
            self.write("class/one/03_pipeline_primitives/lab.h", "#error it is here\n")
            self.write("class/one/03_pipeline_primitives/beside.h", "#error it is here\n")
            with self.subTest(include):
                self.assertEqual('"compile-error"' in self.grade(f"out{number}"), include.startswith("#include"))


if __name__ == "__main__":
    unittest.main()
