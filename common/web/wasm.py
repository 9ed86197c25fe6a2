"""Builds the playground: the simulated device for browsers, in a build folder of its own.

Emscripten's linker writes playground.js and playground.wasm. Nothing is done while no source has changed."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {"fmt": "fmt/format.h", "nlohmann": "nlohmann/json.hpp"}  # header-only libraries that the device uses
OUTPUT = ("playground.js", "playground.wasm")
MACHINE = """[binaries]
cpp = '{emcc}'
ar = '{emar}'
strip = 'true'

[built-in options]
cpp_args = ['-isystem{headers}', '-include{shim}', '-fwasm-exceptions', '-Wno-mismatched-tags']
cpp_link_args = ['-fwasm-exceptions']
werror = false
b_staticpic = false

[host_machine]
system = 'emscripten'
cpu_family = 'wasm32'
cpu = 'wasm32'
endian = 'little'
"""


def missing():
    """What is missing for a build, in words; empty: nothing."""
    return "" if shutil.which("em++") and shutil.which("emar") else "Emscripten (em++) is not installed"


def headers(folder):
    """A folder with the header-only libraries of this machine, and with nothing else of its system's headers."""
    state = ROOT / ".asynclab/include"
    for name, file in HEADERS.items():
        found = next((place for place in (state, Path("/usr/include"), Path("/usr/local/include")) if (place / file).exists()), None)
        if not found:
            return f"{file} is not installed"
        link = folder / name
        if not link.is_symlink() or link.resolve() != (found / name).resolve():
            folder.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(found / name)
    return ""


def tool(name):
    """meson or ninja: ./lab's own or the system's."""
    own = ROOT / ".asynclab/venv/bin" / name
    return str(own) if own.exists() else name


def environment():
    """Debian's Emscripten needs Debian's modules of Node.js, which a Node.js from elsewhere does not look for."""
    places = [place for place in (os.environ.get("NODE_PATH"), "/usr/share/nodejs") if place]
    return {**os.environ, "NODE_PATH": os.pathsep.join(places)}


def configure(folder):
    machine = folder.with_name(folder.name + ".ini")
    text = MACHINE.format(emcc=shutil.which("em++"), emar=shutil.which("emar"), headers=folder.with_name("web-headers"),
                          shim=ROOT / "common/web/library.h")
    if (folder / "build.ninja").exists() and machine.exists() and machine.read_text() == text:
        return
    machine.write_text(text)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([tool("meson"), "setup", folder, ROOT, "--cross-file", machine],
                   check=True, stdout=subprocess.DEVNULL)


def build(folder, jobs=2):
    """The folder with OUTPUT; raises subprocess.CalledProcessError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if problem := headers(folder.with_name("web-headers")):
        raise FileNotFoundError(problem)
    configure(folder)
    made = subprocess.run([tool("ninja"), "-C", folder, "-j", str(jobs), "--quiet", f"common/web/{OUTPUT[0]}"], env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:  # a compiler that we do not test with may warn
        print(made.stdout, file=sys.stderr)
    made.check_returncode()
    return folder / "common/web"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=lambda text: Path(text).resolve(), default=ROOT / "build/web",
                        help="the build folder (default: build/web)")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4))
    arguments = parser.parse_args()
    if problem := missing():
        sys.exit(f"lab: error: {problem}\n     next: install it (Debian, Ubuntu: apt install emscripten) and try again")
    print(build(arguments.folder, arguments.jobs))


if __name__ == "__main__":
    main()
