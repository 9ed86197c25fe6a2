"""Compiles all versions of a lab together, and answers for nvcc when the runner asks for one of them.

nvcc spends its time on headers: forty versions of a lab in one file, each in a namespace of its own, take as long as four
by themselves. What it makes is cut into the versions' PTX and objects again. A script in the place of nvcc hands these to
the runner, which checks each file as ./lab check does; all other arguments go to nvcc itself.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

# Names of one length: replacing one by another leaves mangled names, and objects, intact.
SPACE, ANY = "version_{:03}_", "version_any_"
# As common/compile/compiler.cpp says.
FLAGS = ["-O0", "-Xcompiler", "-g1,-gdwarf-4,-fno-optimize-sibling-calls", "-lineinfo"]
LABEL = re.compile(r"\$L__info_string\d+")

SCRIPT = r"""#!/bin/sh
# Stands in for nvcc in the tests of one lab: tests/labs/together.py has compiled its versions already.
flags= out= source= keep= before=
for word; do
    case $before:$word in
        -o:*) out=$word ;;
        --keep-dir:*) keep=$word ;;
        *:-o | *:--keep | *:--keep-dir) ;;
        *:*.cu) source=$word ;;
        *) flags="$flags $word" ;;
    esac
    before=$word
done
case $source in
@SOURCES@
    *) exec '@NVCC@' "$@" ;;
esac
ptx() { # for $1, into $2
    first=@FOLDER@/$version.@FIRST@.ptx
    if [ -e "@FOLDER@/$version.$1.ptx" ]; then
        cp "@FOLDER@/$version.$1.ptx" "$2"
    elif [ -e "$first" ] && [ -z "$ASYNCLAB_EACH_TARGET" ]; then
        # Compiled for one target: the code for it, on the other, unless that is to be looked at.
        sed "s/^\\.target .*/.target sm_${1#compute_}/" "$first" >"$2"
    else
        '@NVCC@' @FLAGS@ -ptx -arch=$1 -DALONE="1$version" '@FOLDER@/all.cu' -o "$2.all" &&
            sed "s/version_${version}_/@ANY@/g" "$2.all" >"$2"
    fi
}
case $flags in
    ' @FLAGS@ -ptx -arch='*) ptx ${flags##*=} "$out"; exit ;;
    ' @FLAGS@ -c -gencode arch='*)
        # nvcc keeps the PTX that it makes on its way, too.
        [ -z "$keep" ] || ptx ${flags##*code=} "$keep/$(basename "$source" .cu).ptx" || exit
        # The namespace is in symbols, and in the names by which kernels and variables are registered.
        LC_ALL=C sed "s/version_${version}_/@ANY@/g" '@FOLDER@/all.o' >"$out.all" &&
            exec objcopy --redefine-sym lab_entry_@ANY@=lab_entry --redefine-sym lab_signature_@ANY@=lab_signature "$out.all" "$out" ;;
    *--dryrun*) exit 1 ;; # where it looks for headers; nothing is remembered of these files
    ' @FLAGS@ '*) exec '@NVCC@' "$@" ;; # more is wanted than a check needs
esac
echo "tests/labs/together.py compiles with other flags than:$flags" >&2
exit 1
"""


def combined(files, targets, only):
    """One source of all files. The headers come first: inside of the namespaces their include guards make them empty. `only`:
    for which targets a file is compiled, if not for all."""
    includes = re.compile(r"^#include .*$", re.M)
    text = "\n".join(dict.fromkeys(line for file in files for line in includes.findall(file.read_text()))) + "\n"
    for number, file in enumerate(files):
        space, begin = SPACE.format(number), len(text)
        text += f"namespace {space} {{\n"
        for name in ("lab_entry", "lab_signature"):
            text += f"#undef {name}\n#define {name} {name}_{space}\n"
        text += f'#include "{file}"\n}}\n'
        others = set(targets[1:]) - set(only.get(file, targets))  # the host's side is made with the first one
        archs = "".join(f" && __CUDA_ARCH__ != {re.sub('[^0-9]', '', arch)}0" for arch in sorted(others))
        text = text[:begin] + f"#if ALONE == 1{number:03} || (!ALONE{archs})\n" + text[begin:] + "#endif\n"
    return text


def items(ptx):
    """The text in front of the first function or variable, each of these, and the rest."""
    head, parts, depth = [], [], 0
    lines = iter(ptx.splitlines(keepends=True))
    for line in lines:
        begins = re.match(r"\.(visible|weak|extern|func|entry|global|const|shared)\b", line)
        if not depth and line.startswith("\t.file"):
            return "".join(head), ["".join(part) for part in parts], line + "".join(lines)
        if not depth and not begins and not parts:
            head.append(line)
            continue
        if not depth and (begins or not parts):
            parts.append([])
        parts[-1].append(line)
        code = line.split("//")[0]
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
    return "".join(head), ["".join(part) for part in parts], ""


class Parts:
    """The PTX of all versions."""

    def __init__(self, ptx):
        self.head, self.parts, tail = items(ptx)
        self.files, _, strings = tail.partition("\t.section\t.debug_str")
        self.strings = re.split(r"^(?=\$L__info_string)", strings.rpartition("}")[0].partition("{\n")[2], flags=re.M)
        # Comments between two functions name the second.
        self.owners = [set(map(int, re.findall(r"(?<=12version_)\d{3}(?=_)", re.sub(r"//.*", "", part)))) for part in self.parts]

    def of(self, versions):
        """The functions and variables of some versions, and those that belong to no version."""
        text = self.head + "".join(part for part, owner in zip(self.parts, self.owners) if not owner or owner & versions) + self.files
        used = set(LABEL.findall(text))
        debug = "".join(string for string in self.strings if string.split(":")[0] in used)
        return text + ("\t.section\t.debug_str\n\t{\n" + debug + "\n\t}\n" if debug else "")


def compile_together(folder, files, targets, toolchain, flags, only):
    """Fills `folder`; false if the versions do not compile together."""
    (folder / "all.cu").write_text(combined(files, targets, only))
    kept, source, nvcc = folder / "keep", folder / "all.cu", [toolchain["nvcc"], *flags]
    kept.mkdir()
    first = ["-c", "--keep", "--keep-dir", kept, "-gencode", f"arch={targets[0]},code={targets[0]}", source, "-o", folder / "all.o"]
    commands = [first, *(["-ptx", f"-arch={arch}", source, "-o", kept / f"{arch}.ptx"] for arch in targets[1:])]
    if any(subprocess.run([*nvcc, *command], stderr=subprocess.DEVNULL).returncode for command in commands):
        return False
    (kept / "all.ptx").rename(kept / f"{targets[0]}.ptx")
    for arch in targets:
        parts = Parts((kept / f"{arch}.ptx").read_text())
        versions = {number for number, file in enumerate(files) if arch in only.get(file, targets)}
        (kept / "checked.ptx").write_text(parts.of(versions))
        ptxas = Path(toolchain["nvcc"]).parent / "ptxas"
        if ptxas.exists() and subprocess.run([ptxas, "-O1", f"-arch={arch}", "-m64", kept / "checked.ptx", "-o", "/dev/null"],
                                             stderr=subprocess.DEVNULL).returncode:
            return False
        for number in versions:
            (folder / f"{number:03}.{arch}.ptx").write_text(parts.of({number}).replace(SPACE.format(number), ANY))
    shutil.rmtree(kept)
    sources = "\n".join(f"    '{file}') version={number:03} ;;" for number, file in enumerate(files))
    stand_in(folder, SCRIPT, toolchain, {"SOURCES": sources, "FLAGS": " ".join(flags), "FIRST": targets[0], "ANY": ANY})
    return True


def stand_in(folder, script, toolchain, known):
    """Writes the script that is called in the place of nvcc, and a state folder for the runner that names it."""
    known = {**known, "NVCC": toolchain["nvcc"], "FOLDER": str(folder)}
    nvcc = folder / "nvcc"
    nvcc.write_text(re.sub(r"@([A-Z]+)@", lambda match: known[match[1]], script))
    nvcc.chmod(0o755)
    linker = folder / "linker"  # GNU gold takes half the time of the default one
    linker.write_text(f'#!/bin/sh\nexec \'{toolchain["host_compiler"]}\' {"-fuse-ld=gold" if shutil.which("ld.gold") else ""} "$@"\n')
    linker.chmod(0o755)
    (folder / "state").mkdir()
    (folder / "state/toolchain.json").write_text(json.dumps({**toolchain, "nvcc": str(nvcc), "host_compiler": str(linker)}))


def toolchain(root):
    """What ./lab has found; empty: nothing yet."""
    state = Path(os.environ.get("LAB_STATE", root / ".asynclab")) / "toolchain.json"
    return json.loads(state.read_text()) if state.exists() else {}


def kept(folder, files, more, fill):
    """The runner's environment with what `fill` has put into a folder inside of `folder`; it is called when the files or `more`
    have changed. Nothing if it fails."""
    digest = hashlib.sha256(json.dumps(more).encode())
    for file in [Path(__file__), *map(Path, files)]:
        digest.update(str(file).encode() + file.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may begin at once
        made, stamp = folder / "together", folder / "together.sha256"
        if not stamp.exists() or stamp.read_text() != digest.hexdigest():
            stamp.unlink(missing_ok=True)
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            if not fill(made):
                return {}
            stamp.write_text(digest.hexdigest())
    return {"LAB_STATE": str(made / "state"), "ASYNCLAB_WARM": "0"}


def environment(root, folder, files, targets, only):
    """What the runner needs in its environment to take from `folder` what nvcc makes of the files, compiling them first if
    need be; nothing if they cannot be compiled together, so that nvcc says why. `only`: {file: targets} of those that are
    compiled for some targets."""
    found = toolchain(root)
    if not found:
        return {}
    include = root / "common/check/student"
    flags = [*found["flags"], *FLAGS, f"-I{include}", "-std=c++20"]
    return kept(folder, [*sorted(include.glob("*.h")), *files], [found, flags, targets, sorted((str(file), list(some)) for file, some in only.items())],
                lambda made: compile_together(made, files, targets, found, flags, only))
