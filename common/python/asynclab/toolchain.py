"""The compiler of an installed package: the machine's nvcc, or NVIDIA's wheels from PyPI. A clone has common/setup for this.

What was found is in toolchain.json, in the user's state folder, until nvcc or the host compiler changes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OLDEST = (12, 4)
PROBE = """#if !__has_include(<cuda/barrier>) || !__has_include(<cuda/ptx>) || !__has_include(<cooperative_groups.h>)
#error the CUDA C++ core libraries or cooperative_groups.h are missing
#endif
#include <cuda_pipeline.h>
__global__ void probe(float* data) { data[threadIdx.x] = sqrtf(data[threadIdx.x]); }
int main() { probe<<<1, 32>>>(nullptr); }
"""


class Missing(SystemExit):
    """Ends the program with a message and exit code 2."""

    def __init__(self, what, next_step):
        print(f"asynclab: error: {what}\n     next: {next_step}", file=sys.stderr)
        super().__init__(2)


def state_folder():
    named = os.environ.get("LAB_STATE")
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(named) if named else (Path(base) if base.startswith("/") else Path.home() / ".local/state") / "asynclab"


def wheels():
    """The versions that the clone's set-up takes, too."""
    text = (Path(__file__).resolve().parent / "tree/common/setup/nvcc.sh").read_text()
    return re.search(r"^wheels=\((.*?)\)", text, re.M | re.S)[1].split()


def candidates(state):
    """Paths of nvcc, the preferred first."""
    if named := os.environ.get("LAB_NVCC"):
        found = shutil.which(named)
        if not found:
            raise Missing(f"LAB_NVCC is '{named}', but there is no such program", "set LAB_NVCC to the path of nvcc, or unset it")
        yield Path(found)
        return
    if on_path := shutil.which("nvcc"):
        yield Path(on_path)
    for folder in (
        os.environ.get("CUDA_HOME"),
        os.environ.get("CUDA_PATH"),
        "/usr/local/cuda",
        "/opt/cuda",
        sys.prefix + "/nvidia/cu13",
        *(f"{path}/nvidia/cu13" for path in sys.path if path),
        state / "cuda/nvidia/cu13",
    ):
        if folder and (Path(folder) / "bin/nvcc").is_file():
            yield Path(folder) / "bin/nvcc"


def version_of(nvcc):
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True)
    found = re.search(r"release (\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else None


def problem_of(nvcc, host):
    """Why it cannot be used; empty: it compiles a small kernel."""
    version = version_of(nvcc)
    if not version:
        return "does not run"
    if version < OLDEST:
        return f"is CUDA {version[0]}.{version[1]}, too old ({OLDEST[0]}.{OLDEST[1]} or newer is needed)"
    with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
        source = Path(folder) / "probe.cu"
        source.write_text(PROBE)
        done = subprocess.run([nvcc, "-ccbin", host, "-std=c++17", "-arch=compute_90a", "-c", source, "-o", Path(folder) / "probe.o"], capture_output=True, text=True)
    error = next((line for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()), "no reason given")
    return "" if done.returncode == 0 else f"cannot compile a small kernel ({error})"


def usable(nvcc, host):
    problem = problem_of(nvcc, host)
    if problem:
        print(f"asynclab: {nvcc} {problem}", file=sys.stderr)
    return not problem


def fetch(state):
    print("asynclab: fetching NVIDIA's compiler from PyPI (nvcc 13.0, 100 MB) …", file=sys.stderr, flush=True)
    part = state / "cuda.part"
    shutil.rmtree(part, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--no-deps", "--target", part, *wheels()])
    if done.returncode:
        raise Missing(
            "this machine has no usable nvcc, and downloading one from PyPI failed (see above)",
            "connect to the network, or install the CUDA toolkit 12.4 or newer and set LAB_NVCC=/path/to/nvcc",
        )
    shutil.rmtree(state / "cuda", ignore_errors=True)
    part.rename(state / "cuda")
    return state / "cuda/nvidia/cu13/bin/nvcc"


def identity(path):
    """Changes when the program does."""
    status = Path(path).stat()
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def include_dirs(nvcc):
    done = subprocess.run([sys.executable, Path(__file__).resolve().parent / "tree/common/setup/cuda_headers.py", nvcc], capture_output=True, text=True)
    return done.stdout.split("\n")[:-1]


def prepared():
    """The state folder, with a toolchain.json that fits this machine."""
    state = state_folder()
    host = shutil.which(os.environ.get("CXX") or "g++")
    if not host:
        raise Missing("there is no g++, which nvcc needs for the host's code", "install g++ (on Debian and Ubuntu: apt install g++), or name a compiler in CXX")
    file, stamp = state / "toolchain.json", state / "toolchain.stamp"
    if file.exists() and stamp.exists():
        nvcc = json.loads(file.read_text())["nvcc"]
        if Path(nvcc).exists() and stamp.read_text() == "\n".join([identity(nvcc), identity(host), os.environ.get("LAB_NVCC", "")]):
            return state
    state.mkdir(parents=True, exist_ok=True)
    named = os.environ.get("LAB_NVCC")
    for find in (lambda: candidates(state), lambda: [] if named else [fetch(state)]):
        found = next((nvcc for nvcc in find() if usable(nvcc, host)), None)
        if found:
            break
    else:
        raise Missing(
            "no nvcc on this machine can compile a small kernel (see above)" if not named else f"LAB_NVCC: {named} cannot be used (see above)",
            "install the CUDA toolkit 12.4 or newer and set LAB_NVCC=/path/to/nvcc",
        )
    nvcc = found
    record = {
        "nvcc": str(nvcc),
        "version": ".".join(map(str, version_of(nvcc))),
        "flags": ["-ccbin", host],
        "include_dirs": include_dirs(nvcc),
        "host_compiler": host,
        "origin": "LAB_NVCC" if named else "found",
    }
    for path, text in ((file, json.dumps(record, indent=4) + "\n"), (stamp, "\n".join([identity(nvcc), identity(host), os.environ.get("LAB_NVCC", "")]))):
        part = path.with_suffix(".part")
        part.write_text(text)
        part.replace(path)
    return state
