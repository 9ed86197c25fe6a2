"""What people wait for, measured: {name of the cost: {kind: value}}, each value the less the better.

`processor` is the processor time in seconds of all processes that took part, `wall` the time that somebody waited, and
`instructions` a count by callgrind. Times are medians, but for the device's loops, which take the best of several.
"""

import ctypes
import json
import os
import pty
import re
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/grader"), str(ROOT / "tests/labs")]
import lab_versions  # noqa: E402
import load  # noqa: E402  how a class of made-up submissions is graded

TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36
SUBMISSIONS = 10


class Unmeasured(Exception):
    """Why a cost cannot be measured here, in a line."""


def adopt():
    """Compilers outlive the command that started them; here they stay below this process, so that their time counts."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processor_seconds():
    """The sum for all processes below this one, including those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total, processes = ended.ru_utime + ended.ru_stime, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
            processes.setdefault(int(fields[1]), []).append((int(process.name), sum(map(int, fields[11:15])) / TICKS))
        except (OSError, IndexError):
            pass  # it has just ended
    todo = [os.getpid()]
    while todo:
        for child, seconds in processes.get(todo.pop(), []):
            total += seconds
            todo.append(child)
    return total


def timed(action):
    """{"wall": …, "processor": …} of the action."""
    began, used = time.monotonic(), processor_seconds()
    action()
    return {"wall": time.monotonic() - began, "processor": processor_seconds() - used}


def median(times):
    return {kind: statistics.median(one[kind] for one in times) for kind in times[0]}


class Watch:
    """`lab watch` on a terminal."""

    def __init__(self, runner, lab, kernel):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([runner, "watch", lab, "--file", kernel], stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.until("watching")

    def until(self, text):
        """Reads until the terminal shows the text."""
        seen = ""
        while text not in seen:
            if not select.select([self.master], [], [], 300)[0]:
                raise Unmeasured(f"./lab watch never showed '{text}'")
            try:
                seen += os.read(self.master, 65536).decode(errors="replace")
            except OSError:  # the terminal is closed
                raise Unmeasured(f"./lab watch ended before it showed '{text}'") from None

    def end(self):
        os.write(self.master, b"q")
        self.process.wait(10)
        os.close(self.master)


def after_edits(runner, lab, texts, awaited):
    """The times from saving each of the texts in turn until `lab watch` shows the expected result."""
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "kernel.cu"
        kernel.write_text(texts[0])
        watch = Watch(runner, lab, kernel)
        times = []
        for text in texts[1:]:
            def save(text=text):
                kernel.write_text(text)
                watch.until("checking")
                watch.until(awaited)
            times.append(timed(save))
            watch.until("watching")
        watch.end()
        return median(times)


def in_the_kernel(source, number):
    """The first kernel's body has one statement more: the host's half of the program stays the same."""
    return re.sub(r"(__global__[^{;]*\{)", rf"\1 if (gridDim.z == {number + 7}) return;", source, count=1)


def for_the_host(source, number):
    return f"{source}\nstatic int saved_{number};\nint* address_{number}() {{ return &saved_{number}; }}\n"


def edits(source, edit, times):
    """The file as it is at first, and after each of the edits."""
    unique = time.time_ns() % 1_000_000_000  # so that no cache knows the texts
    return [edit(source, unique + i) for i in range(times + 1)]


def verdicts(runner, times):
    """From saving lab 03 to its verdict in `lab watch`, and from saving a wrong version of lab 05 to its first finding."""
    lab03 = next(ROOT.glob("solutions/03_*/kernel.cu")).read_text()
    lab05 = lab_versions.text("05_wait_group", "wrong/no_wait")
    rule = re.match(r"// expect: ([a-z-]+)", lab05)[1]
    yield "verdict after an edit in the kernel", after_edits(runner, "03", edits(lab03, in_the_kernel, times), " points")
    yield "verdict after an edit that the host sees", after_edits(runner, "03", edits(lab03, for_the_host, times), " points")
    yield "first finding of a failing kernel", after_edits(runner, "05", edits(lab05, in_the_kernel, times), rule)


def labs(runner, times):
    """From saving each lab's solution to its verdict in `lab watch`."""
    for kernel in sorted(ROOT.glob("solutions/*/kernel.cu")):
        number, source = kernel.parent.name[:2], kernel.read_text()
        for what, edit in (("in the kernel", in_the_kernel), ("that the host sees", for_the_host)):
            yield f"lab {number} after an edit {what}", after_edits(runner, number, edits(source, edit, times), " points")


def loops(runner, times):
    """A thousand million thread-instructions of each loop of `lab bench device`."""
    best = {}
    for _ in range(times):
        done = subprocess.run([runner, "bench", "device", "--json", "-"], capture_output=True, text=True)
        if done.returncode:
            raise Unmeasured(f"./lab bench device failed: {done.stderr.strip()}")
        for loop, speeds in json.loads(done.stdout).items():
            for detector, speed in speeds.items():
                best[loop, detector] = max(speed, best.get((loop, detector), 0))
    for (loop, detector), speed in best.items():
        yield name_of_loop(loop, detector == "on"), {"processor": 1e9 / speed}


def name_of_loop(loop, detector):
    return f"{loop} with the detector" if detector else loop


def grading(runner, _):
    """Made-up submissions of lab 01, graded one at a time."""
    parsed = type("Options", (), {"labs": "01", "jobs": 1, "isolation": None})
    lab = next(ROOT.glob("labs/01_*")).name
    with tempfile.TemporaryDirectory(prefix="asynclab-costs-") as folder:
        load.RUNNER = str(runner)
        submissions, out = Path(folder) / "class", Path(folder) / "out"
        load.make(submissions, SUBMISSIONS, [lab])
        yield f"grading {SUBMISSIONS} submissions of lab 01", timed(lambda: load.grade(submissions, out, parsed))


def run(*command, **options):
    done = subprocess.run([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        raise Unmeasured(f"{' '.join(map(str, command[:3]))} … failed: {(done.stderr.strip() or '(no message)').splitlines()[-1]}")


def instructions(runner, _):
    """Of the simulated device in one short launch of each loop, counted by callgrind. The counting program is built for
    a plain x86-64-v3, because valgrind knows no AVX-512, and because its counts then are those of any machine."""
    for tool, package in {"valgrind": "valgrind", "meson": "meson", "ninja": "ninja-build"}.items():
        if not shutil.which(tool):
            raise Unmeasured(f"{tool} is not on the PATH (apt install {package})")
    build = ROOT / "build/counting"
    if not (build / "build.ninja").exists():
        native = ROOT / "build/lab-native.ini"
        run("meson", "setup", build, ROOT, *(["--native-file", native] if native.exists() else []), "-Dcpp_args=-march=x86-64-v3",
            "-Dwerror=false", cwd=ROOT)
    run("ninja", "-C", build, "tests/costs/count_loops")
    with tempfile.TemporaryDirectory(prefix="asynclab-costs-") as folder:
        for loop in sorted((ROOT / "common/runner/bench").glob("*.cu")):
            text = re.sub(r"\s+", " ", loop.read_text())
            if '__global__ void bench(' not in text:
                continue  # it is no loop of the device
            arch = "compute_100a" if "tcgen05" in text else "compute_90a"
            ptx = Path(folder) / f"{loop.stem}.ptx"
            run(nvcc(), "-ptx", "-std=c++20", "-O3", "-lineinfo", f"-arch={arch}", loop, "-o", ptx)
            for detector in (False, True):
                out = Path(folder) / "callgrind"
                run("valgrind", "--tool=callgrind", "--toggle-collect=sim::machine::Gpu::launch*", f"--callgrind-out-file={out}", "-q",
                    build / "tests/costs/count_loops", loop.stem, ptx, "on" if detector else "off")
                count = int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])
                if not count:
                    raise Unmeasured("callgrind saw no call of sim::machine::Gpu::launch")
                yield name_of_loop(loop.stem, detector), {"instructions": count}


def nvcc():
    toolchain = Path(os.environ.get("LAB_STATE", ROOT / ".asynclab")) / "toolchain.json"
    return json.loads(toolchain.read_text())["nvcc"] if toolchain.exists() else "nvcc"


def build(_runner, _times):
    """What `./lab` builds first, from nothing, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="asynclab-costs-") as folder:
        native = ROOT / "build/lab-native.ini"
        run("meson", "setup", folder, ROOT, *(["--native-file", native] if native.exists() else []))
        yield "first build", timed(lambda: run("ninja", "-C", folder, "lab"))


def suite(_runner, _times):
    """`./lab test`, with everything built."""
    run("ninja", "-C", ROOT / "build")
    yield "suite", timed(lambda: run("meson", "test", "-C", ROOT / "build", "--no-rebuild"))


# By the words of the command line; those that take minutes are measured only if they are asked for.
QUICK = {"loops": loops, "verdicts": verdicts, "grading": grading}
SLOW = {"instructions": instructions, "labs": labs, "build": build, "suite": suite}
