"""A grader's compilers that wait behind the headers: each copy is locked in before it reads a submission, and no request
harms the next."""

import array
import ctypes
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WARM, STOP, NVCC = (Path(sys.argv.pop(1)).absolute() for _ in range(3))
INTERNAL = re.compile(r"_[0-9a-f]{8}_\d+_\w+?_cu_(?:[0-9a-f]{8}|main)(?:_\d+)?")
ARCH = "compute_80"
FLAGS = ["-std=c++20", "-lineinfo"]
KERNEL = "__attribute__((global)) void kernel(int* p) { p[threadIdx.x] = blockIdx.x; }\n"
LIBC = ctypes.CDLL(None, use_errno=True)


def landlock(*readable):
    """Rules by which only these may be read, as the grader makes them; None: this kernel has none."""
    everything = (1 << 13) - 1
    rules = LIBC.syscall(444, struct.pack("Q", everything), 8, 0)
    if rules < 0:
        return None
    for path in readable:
        where = os.open(path, os.O_PATH)
        folder = Path(path).is_dir()
        assert LIBC.syscall(445, rules, 1, struct.pack("=Qi", 0b1101 if folder else 0b101, where), 0) == 0
        os.close(where)
    return rules


class Server:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        (self.path / "headers").write_text("#include <cstdint>\n")
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.rules = landlock(self.path, "/usr", "/lib", "/lib64", "/dev/null", NVCC.resolve().parents[1])
        given = {3: other.fileno(), **({} if self.rules is None else {4: self.rules})}
        high = {number: fcntl.fcntl(descriptor, fcntl.F_DUPFD, 50) for number, descriptor in given.items()}

        def place():
            for number, descriptor in high.items():
                os.dup2(descriptor, number, inheritable=True)

        self.process = subprocess.Popen(
            [WARM, "serve", self.path, "device", STOP, NVCC, *FLAGS, "-gencode", f"arch={ARCH},code={ARCH}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=tuple(given), preexec_fn=place, cwd=self.path,
            env={**os.environ, "ASYNCLAB_WARM_CONFINED": "1"})
        for descriptor in high.values():
            os.close(descriptor)
        other.close()

    def connection(self, seconds=60, data=2 << 30, size=64 << 20):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(self.control, [struct.pack("QQQ", seconds, data, size)], [theirs.fileno()])
        theirs.close()
        ours.settimeout(250)
        return ours

    def ask(self, text, **limits):
        """The compiler's status, its messages, and the PTX."""
        with tempfile.TemporaryDirectory() as folder, self.connection(**limits) as connection:
            rest, said, ptx = (Path(folder, name) for name in ("rest.ii", "said", "ptx"))
            rest.write_text(text)
            files = [os.open(rest, os.O_RDONLY), os.open(said, os.O_RDWR | os.O_CREAT), os.open(ptx, os.O_RDWR | os.O_CREAT)]
            socket.send_fds(connection, [request("ptx")], files)
            for descriptor in files:
                os.close(descriptor)
            answer = connection.recv(4)
            return struct.unpack("i", answer)[0] if answer else None, said.read_text(errors="replace"), ptx.read_text(errors="replace")

    def copies(self):
        return Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        self.control.close()
        self.process.wait(timeout=60)
        self.folder.cleanup()


def request(*outputs):
    return struct.pack("II64s", len(outputs), 0, b"".join(name.encode().ljust(16, b"\0") for name in outputs))


def marked(text):
    """As the preprocessor leaves it."""
    return '# 1 "/kernel.cu"\n' + text


class Confined(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()  # the server ends when the grader is gone

    def setUp(self):
        self.assertIsNone(self.server.process.poll())

    def compiles(self):
        status, said, ptx = self.server.ask(marked(KERNEL))
        self.assertEqual((status, said), (0, ""))
        self.assertIn(".visible .entry _Z6kernelPi", ptx)
        return ptx

    def test_what_it_makes_is_nvccs(self):
        ptx = self.compiles()
        with tempfile.TemporaryDirectory() as folder:
            source, reference = Path(folder, "kernel.cu"), Path(folder, "reference.ptx")
            source.write_text("#include <cstdint>\n#line 1 \"/kernel.cu\"\n" + KERNEL)
            subprocess.run([NVCC, *FLAGS, "-ptx", f"-arch={ARCH}", source, "-o", reference], check=True)
            code = [re.sub(r"^\t\.(file|loc).*\n", "", INTERNAL.sub("_id", text), flags=re.M).split(".section")[0]
                    for text in (ptx, reference.read_text())]
        self.assertEqual(*code)

    def test_files_outside_of_the_toolkit_are_closed(self):
        if self.server.rules is None:
            self.skipTest("this kernel has no Landlock")
        with tempfile.NamedTemporaryFile("w", suffix=".h") as secret:
            secret.write("#define SECRET 20250117\n#error 20250117\n")
            secret.flush()
            for name in (secret.name, "/etc/passwd", "/proc/self/environ", "/proc/self/fd/3", f"/proc/{os.getpid()}/cmdline"):
                with self.subTest(name=name):
                    status, said, _ = self.server.ask(marked(f'#include "{name}"\n' + KERNEL))
                    self.assertNotEqual(status, 0)
                    self.assertNotRegex(said, "20250117|root:|PATH=")
        self.compiles()

    def test_files_of_the_toolkit_are_open(self):
        status, said, _ = self.server.ask(marked("#include <crt/sm_80_rt.h>\n" + KERNEL))
        self.assertNotIn("Permission denied", said)
        self.assertIn(status, (0, 1 << 8, 2 << 8))

    def test_messages_and_files_have_an_end(self):
        endless = "".join(f"int bad_{i} = nothing_{i};\n" for i in range(20_000))
        status, said, _ = self.server.ask(marked("#pragma nv_diag_default 20\n" + endless), size=1 << 16)
        self.assertNotEqual(status, 0)
        self.assertLessEqual(len(said), 1 << 16)
        self.compiles()

    def test_memory_and_time_have_an_end(self):
        large = marked("constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) s ^= i * j; return s; }\n"
                       "template <int N> struct deep { deep<N + 1> next; };\nint x[] = {" + "f(1000), " * 2000 + "};\ndeep<0> d;\n" + KERNEL)
        for limits in ({"data": 96 << 20, "seconds": 5}, {"seconds": 1}):
            with self.subTest(limits=limits):
                status, _, _ = self.server.ask(large, **limits)
                self.assertNotEqual(status, 0)
        self.compiles()

    def test_a_client_that_leaves_ends_its_copy(self):
        with self.server.connection() as connection:
            read, write = os.pipe()  # the copy waits for it
            with tempfile.TemporaryFile() as output:
                socket.send_fds(connection, [request("ptx")], [read, output.fileno(), output.fileno()])
                os.close(read)
                for _ in range(500):
                    if self.server.copies():
                        break
                    time.sleep(0.02)
                self.assertEqual(len(self.server.copies()), 1)
        for _ in range(500):
            if not self.server.copies():
                break
            time.sleep(0.02)
        self.assertEqual(self.server.copies(), [])
        os.close(write)
        self.compiles()

    def test_odd_requests_are_dropped(self):
        before = self.server.descriptors()
        with tempfile.TemporaryFile() as file:
            for packet, count in ((b"", 0), (b"x", 1), (request("ptx"), 2), (request("ptx"), 6), (request("ptx"), 60), (b"\xff" * 72, 3),
                                  (request("ptx") + b"more", 3), (request("a", "b", "c", "d"), 5)):
                with self.server.connection() as connection:
                    numbers = array.array("i", [file.fileno()] * count)
                    connection.sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if count else [])
                    self.assertEqual(connection.recv(4), b"", (packet, count))
        self.compiles()
        for _ in range(500):
            if self.server.descriptors() <= before:
                break
            time.sleep(0.02)  # the server answers first and closes the connection after that
        self.assertLessEqual(self.server.descriptors(), before)

    def test_forbidden_calls_end_a_copy(self):
        """A list names the calls that a copy may make. Tests that the list is in force."""
        with self.server.connection() as connection:
            read, write = os.pipe()
            with tempfile.TemporaryFile() as output:
                socket.send_fds(connection, [request("ptx")], [read, output.fileno(), output.fileno()])
                os.close(read)
                for _ in range(500):
                    if self.server.copies():
                        break
                    time.sleep(0.02)
                status = ""
                for _ in range(500):
                    status = Path(f"/proc/{self.server.copies()[0]}/status").read_text()
                    if "Seccomp:\t2" in status:
                        break
                    time.sleep(0.02)
                self.assertIn("Seccomp:\t2", status)
                self.assertIn("NoNewPrivs:\t1", status)
                limits = Path(f"/proc/{self.server.copies()[0]}/limits").read_text()
                self.assertRegex(limits, r"Max processes +0 +0")
                self.assertRegex(limits, r"Max core file size +0 +0")
            os.close(write)

    def test_a_server_that_was_killed_is_noticed(self):
        other = Server()
        other.process.send_signal(signal.SIGKILL)
        other.process.wait()
        for _ in range(500):
            try:
                other.connection().close()
            except OSError:
                break
            time.sleep(0.02)  # a program that it had started holds the connection, too, until it ends
        else:
            self.fail("requests still go somewhere")
        other.close()


if __name__ == "__main__":
    unittest.main()
