"""Compilers that wait behind the headers make what nvcc makes, and nvcc takes over wherever they cannot.

--all compares every lab's solution, wrong versions and exercises, which takes minutes.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER, SERVER, STOP, NVCC = (Path(sys.argv.pop(1)).absolute() for _ in range(4))
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/labs"))
import lab_versions  # noqa: E402
ALL = "--all" in sys.argv and not sys.argv.remove("--all")
FLAGS = ["-O0", "-lineinfo", "-std=c++20", f"-I{ROOT / 'common/check/student'}"]
INTERNAL = re.compile(r"_(?:[0-9a-f]{8}_\d+_\w+?_cu_(?:[0-9a-f]{8}|main)(?:_\d+)?)")


class Server:
    """A compiler that has read these headers, for one target."""

    def __init__(self, headers, arch):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        (self.path / "headers").write_text(headers)
        command = [SERVER, "serve", self.path, "device", STOP, NVCC, *FLAGS, "-gencode", f"arch={arch},code={arch}"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        (self.path / "pid").write_text(str(self.process.pid))

    def compile(self, source, folder):
        done = subprocess.run([SERVER, "compile", source, folder, "60", "", self.path, "kernel.ptx"], capture_output=True, text=True)
        return done.returncode, done.stderr

    def close(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def headers(source):
    return "".join(f"{line}\n" for line in source.read_text().splitlines() if line.startswith("#include"))


def neutral(ptx):
    """Without the names that differ from one call of nvcc to the next, and the debugger's table of them."""
    text = re.sub(r"^\.b8 .*\n|^\t?\.b(32|64) .*\n", "", ptx, flags=re.M)
    return INTERNAL.sub("_id", text)


def samples():
    chosen = [ROOT / "solutions/02_memcpy_async/kernel.cu", lab_versions.file("08", "wrong/asks_once")]
    if ALL:
        chosen += sorted(ROOT.glob("solutions/*/kernel.cu")) + sorted(ROOT.glob("solutions/*/*/*.cu"))
        chosen += [file for lab in lab_versions.labs() for file in lab_versions.files(lab, "wrong")]
    return sorted(chosen, key=headers)  # a server that is not used ends


class Same(unittest.TestCase):
    def test_ptx_of_servers_is_that_of_nvcc(self):
        servers = {}
        with tempfile.TemporaryDirectory() as folder:
            for source in samples():
                lead = headers(source)
                arch = "compute_90a" if "tensormap" in str(source) else "compute_90"
                server = servers.get((lead, arch)) or servers.setdefault((lead, arch), Server(lead, arch))
                with self.subTest(source=source.relative_to(ROOT)):
                    code, said = server.compile(source, folder)
                    self.assertEqual(code, 0, said)
                    reference = Path(folder, "reference.ptx")
                    subprocess.run([NVCC, *FLAGS, "-ptx", f"-arch={arch}", source, "-o", reference], check=True)
                    self.assertEqual(neutral(Path(folder, "kernel.ptx").read_text()), neutral(reference.read_text()))
        for server in servers.values():
            server.close()


class Idle(unittest.TestCase):
    def wait_until_ready(self, server):
        """It has read its headers when it closes a connection that asks for nothing."""
        path = Path(server.path, "socket")
        while not path.exists():
            self.assertIsNone(server.process.poll(), "the server is gone")
            time.sleep(0.05)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(str(path))
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(connection.recv(1), b"")

    def wakes(self, server):
        """How often its process has gone to sleep."""
        return re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[1]

    def test_a_server_without_work_sleeps_until_its_socket_is_removed(self):
        server = Server("#include <cstdint>\n", "compute_90")
        self.addCleanup(server.close)
        self.wait_until_ready(server)
        time.sleep(0.5)
        before = self.wakes(server)
        time.sleep(3)
        self.assertEqual(self.wakes(server), before)
        Path(server.path, "socket").unlink()
        self.assertEqual(server.process.wait(timeout=60), 0)


HIDDEN = """#include <cstdio>
namespace { __device__ int hidden = 5; __global__ void first(int* p) { *p = hidden; } }
static __device__ int other = 7;
static __global__ void second(int* p) { *p += other; }
int main() {
    int *p, value = 0;
    cudaMalloc(&p, sizeof(int));
    first<<<1, 1>>>(p);
    second<<<1, 1>>>(p);
    cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d\\n", value, NUMBER);
    return cudaDeviceSynchronize();
}
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.number = time.time_ns()

    def run_text(self, text, *options, **environment):
        """Runs a program that has not been compiled before."""
        self.number += 1
        source = Path(self.folder.name, "program.cu")
        source.write_text(text.replace("NUMBER", str(self.number % 1_000_000_007)))
        done = subprocess.run(
            [RUNNER, "run", source, *options], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
        )
        return done.returncode, done.stdout, done.stderr

    def servers(self):
        return {one.parent.name: int(one.read_text()) for one in Path(ROOT, ".asynclab/servers").glob("*/pid")}

    def test_internal_names_are_found_again_and_again(self):
        for _ in range(3):  # headers read now, headers read before, precompiled headers
            code, out, said = self.run_text(HIDDEN)
            self.assertEqual((code, out.split()[0]), (0, "12"), said)

    def test_error_is_nvccs_own(self):
        wrong = HIDDEN.replace("*p = hidden", "*p = hiden")
        self.assertEqual(self.run_text(wrong), self.run_text(wrong, ASYNCLAB_WARM="0"))

    def test_error_of_the_hosts_compiler_is_nvccs_own(self):
        wrong = HIDDEN.replace("int value", "__attribute__((mode(XX))) int value").replace("*p, value = 0", "*p; int value = 0")
        wrong = wrong.replace("int main() {", '__asm__("no such instruction");\nint main() {')
        codes = [self.run_text(wrong)[0], self.run_text(wrong, ASYNCLAB_WARM="0")[0]]
        self.assertEqual(codes, [2, 2])

    def test_header_that_is_read_twice_is_no_error(self):
        Path(self.folder.name, "mine.h").write_text("#include <cooperative_groups.h>\n#include <cuda/barrier>\n")
        code, out, said = self.run_text(HIDDEN.replace("namespace {", '#include "mine.h"\nnamespace {'))
        self.assertEqual((code, out.split()[0]), (0, "12"), said)

    def test_macro_before_a_header_counts(self):
        text = "#define NDEBUG\n#include <cassert>\n" + HIDDEN.replace("*p = hidden", "assert(false); *p = hidden")
        code, out, said = self.run_text(text)
        self.assertEqual((code, out.split()[0]), (0, "12"), said)

    def test_server_that_dies_is_replaced(self):
        self.run_text(HIDDEN)
        for server in self.servers().values():
            try:
                os.kill(server, signal.SIGKILL)
            except ProcessLookupError:
                pass
        code, out, said = self.run_text(HIDDEN)
        self.assertEqual((code, out.split()[0]), (0, "12"), said)

    def test_flags_that_servers_do_not_understand_are_left_to_nvcc(self):
        code, out, said = self.run_text(HIDDEN, "--nvcc", "-Xptxas=-v")
        self.assertEqual((code, out.split()[0]), (0, "12"), said)

    def test_no_server_where_none_is_wanted(self):
        def servers():  # for these headers: other tests start servers of their own
            return {one for one in Path(ROOT, ".asynclab/servers").glob("*/headers") if "cinttypes" in one.read_text()}
        before = servers()
        text = "#include <numbers>\n#include <cinttypes>\n" + HIDDEN
        self.assertEqual(self.run_text(text, ASYNCLAB_WARM="0")[0], 0)
        self.assertEqual(servers() - before, set())


if __name__ == "__main__":
    unittest.main()
