"""Compiles the programs of all labs' questions together, each with every set of its values, and answers for nvcc when
./lab quiz runs one of them, as together.py does for a lab's versions.

The headers of all programs come first, so a program that includes too little is found in its text (`forgotten`).
"""

import re
import subprocess
import tomllib

import together

TARGET = "sm_90a"  # as ./lab run compiles
MAIN = "version_{:03}_main"
INCLUDE = re.compile(r"^#include .*$", re.M)
# Names that a program uses, and the headers that declare them.
HEADERS = {
    r"cuda::ptx|ptx::": ("cuda/ptx",),
    r"cooperative_groups::": ("cooperative_groups.h",),
    r"cuda::barrier": ("cuda/barrier",),
    r"cuda::(make_)?pipeline": ("cuda/pipeline",),
    r"__pipeline_": ("cuda_pipeline.h", "cuda_pipeline_primitives.h"),
    r"__mbarrier_": ("cuda_awbarrier_primitives.h", "cuda_awbarrier.h"),
    r"CUtensorMap|cuTensorMap": ("cuda.h", "cuda/ptx"),
    r"std::thread": ("thread",),
    r"std::vector": ("vector",),
}

SCRIPT = r"""#!/bin/sh
# Stands in for nvcc: tests/labs/question_programs.py has compiled the programs of all questions already.
flags= out= source= values= before=
for word; do
    case $before:$word in
        -o:*) out=$word ;;
        *:-o | *:--keep | *:--keep-dir | --keep-dir:*) ;;
        *:-D*) values="$values $word" ;;
        *:*.cu) source=$word ;;
        *) flags="$flags $word" ;;
    esac
    before=$word
done
case $source$values in
@PROGRAMS@
    *) exec '@NVCC@' "$@" ;;
esac
case $flags in
@OBJECTS@
esac
echo "tests/labs/question_programs.py compiles with other flags than:$flags" >&2
exit 1
"""


def programs(root):
    """(file, values, target) of each; the values of a question are drawn anew each time."""
    for path in sorted(root.glob("labs/*/questions.toml")):
        for question in tomllib.loads(path.read_text())["question"]:
            if "program" in question:
                for values in question.get("with", [{}]):
                    yield (path.parent / "questions" / question["program"], {name: value for name, value in values.items() if name != "answer"},
                           question.get("target", TARGET))


def forgotten(file):
    """A header that the program uses without including it."""
    text = file.read_text()
    included = set(re.findall(r'^#include [<"](.*)[>"]', text, re.M))
    return next((headers[0] for used, headers in HEADERS.items() if re.search(used, text) and not included & set(headers)), "")


def combined(chosen):
    """One source of all programs. Each line keeps its number; main() returns as it would under its own name."""
    includes = dict.fromkeys(line for file, _ in chosen for line in INCLUDE.findall(file.read_text()))
    names = sorted({name for _, values in chosen for name in values})
    # With -DNAME=4 a header that uses the name does not compile; nor does it here.
    parts = [*(f"#define {name} ?" for name in names), *includes, *(f"#undef {name}" for name in names)]
    for number, (file, values) in enumerate(chosen):
        text, count = re.subn(r"^int main\(\) \{", f'extern "C" int {MAIN.format(number)}() {{', INCLUDE.sub("", file.read_text()), flags=re.M)
        body, end, rest = text.rpartition("}")
        if count != 1 or rest.strip():
            raise ValueError(f"{file}: main() is not at the end, or takes arguments")
        parts += [f"namespace version_{number:03}_ {{", *(f"#define {name} {value}" for name, value in values.items()), f'#line 1 "{file}"',
                  f"{body}return 0; {end}", "}", *(f"#undef {name}" for name in values)]
    return "\n".join(parts) + "\n"


def flags_for(toolchain, root, target):
    arch = target.replace("sm_", "compute_")
    return [*toolchain.get("flags", []), "-O3", "-Xcompiler", "-g1,-gdwarf-4", "-lineinfo", f"-I{root}/common/check/student", "-std=c++20", "-c", "-gencode",
            f"arch={arch},code=[{arch}]"]


def compile_all(folder, chosen, toolchain, root):
    """Fills `folder`, with an object for each target; false if the programs do not compile together."""
    cases, objects = [], []
    for target in sorted({target for _, _, target in chosen}):
        programs, flags = [(file, values) for file, values, of in chosen if of == target], flags_for(toolchain, root, target)
        (folder / f"{target}.cu").write_text(combined(programs))
        quick = ["-O0" if flag == "-O3" else flag for flag in flags]  # of the host's side: nobody waits for it
        if subprocess.run([toolchain["nvcc"], *quick, folder / f"{target}.cu", "-o", folder / f"{target}.o"], stderr=subprocess.DEVNULL).returncode:
            return False
        cases += [f"    '{file}{''.join(f' -D{name}={value}' for name, value in sorted(values.items()))}') main={MAIN.format(number)} ;;"
                  for number, (file, values) in enumerate(programs)]
        objects.append(f"    ' {' '.join(flags)}') exec objcopy --redefine-sym $main=main '{folder}/{target}.o' \"$out\" ;;")
    together.stand_in(folder, SCRIPT, toolchain, {"PROGRAMS": "\n".join(cases), "OBJECTS": "\n".join(objects)})
    return True


def environment(root, folder):
    """The environment in which the runner takes the programs from `folder`; compiles them first if necessary."""
    toolchain = together.toolchain(root)
    chosen = list(programs(root))
    files = [__file__, *(file for file, _, _ in chosen)]
    return together.kept(folder, files, [toolchain, flags_for(toolchain or {}, root, TARGET), list(map(str, chosen))],
                         lambda made: compile_all(made, chosen, toolchain, root)) if toolchain else {}
