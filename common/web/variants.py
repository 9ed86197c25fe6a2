"""The kernels of the playground in all their variants, as PTX.

docs/playground/NN_name.toml lists a kernel's switches, and NN_name.cu is its text. Lines between `#if SWITCH == value`,
`#elif`, `#else` and `#endif` belong to some variants only; the name of a switch with numbers stands for its number. All
variants are compiled at once, each in a namespace of its own, since nvcc takes longer to start than to compile one."""

import gzip
import hashlib
import itertools
import json
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "docs/playground"
FLAGS = ["-O3", "-lineinfo", "-std=c++20"]


def names():
    return sorted(path.stem for path in KERNELS.glob("*.toml"))


def description(name):
    return tomllib.loads((KERNELS / f"{name}.toml").read_text())


def target(name):
    return description(name).get("target", "sm_90a")


def resolved(text, values):
    """The text of one variant, without the directives."""
    out, open_ifs = [], []  # (are lines kept, has a branch been kept, are lines around it kept)
    for number, line in enumerate(text.splitlines(), 1):
        kept = open_ifs[-1][0] if open_ifs else True
        if found := re.fullmatch(r"\s*#(if|elif) (\w+) == (\w+)", line):
            true = str(values[found[2]]) == found[3]
            if found[1] == "if":
                open_ifs.append((kept and true, true, kept))
            else:
                _, done, around = open_ifs[-1]
                open_ifs[-1] = (around and true and not done, done or true, around)
        elif line.strip() == "#else":
            _, done, around = open_ifs[-1]
            open_ifs[-1] = (around and not done, True, around)
        elif line.strip() == "#endif":
            open_ifs.pop()
        elif re.match(r"\s*#(if|elif)", line):
            raise ValueError(f"line {number}: write #if SWITCH == value")
        elif kept:
            out.append(re.sub(r"\b[A-Z][A-Z_]+\b", lambda word: str(values.get(word[0], word[0])), line))
    if open_ifs:
        raise ValueError("an #endif is missing")
    return "\n".join(out) + "\n"


def combinations(kernel):
    switches = kernel.get("control", [])
    for values in itertools.product(*(switch["values"] for switch in switches)):
        yield dict(zip((switch["name"] for switch in switches), values))


def key(values):
    """As the page asks for a variant."""
    return ",".join(map(str, values.values()))


def together(named):
    """One file with all variants: number n is in namespace vn, and its lines are numbered as in its own text."""
    includes = dict.fromkeys(line for _, text in named for line in text.splitlines() if line.startswith("#include"))
    parts = ["\n".join(includes)]
    for number, (name, text) in enumerate(named):
        blank = re.sub(r"^#include.*", "", text, flags=re.M)
        parts.append(f'namespace v{number} {{\n#line 1 "/{name}.cu"\n{blank}}}')
    return "\n".join(parts) + "\n"


def without_namespace(text):
    """Mangled names as they would be outside the namespaces vn: _ZN2v34ringEPKf becomes _Z4ringPKf."""
    out, at = [], 0
    for found in re.finditer(r"N\d+v\d+?(?=[1-9])", text):
        if found.start() < at:
            continue
        digits = re.match(r"N(\d+)", found[0])
        # "N3v124ring": the namespace's length says where its name ends.
        end = found.start() + len(digits[0]) + int(digits[1])
        length = re.match(r"\d+", text[end:])
        if not re.fullmatch(r"v\d+", text[found.start() + len(digits[0]):end]) or not length:
            continue
        stop = end + len(length[0]) + int(length[0])
        if text[stop:stop + 1] != "E":
            continue
        out += [text[at:found.start()], text[end:stop]]
        at = stop + 1
        # Without the namespace, every substitution that follows counts one less.
        rest = re.match(r"\w*", text[at:])[0]
        out.append(re.sub(r"S(\d*)_", lambda s: "S_" if s[1] == "0" else f"S{int(s[1]) - 1}_" if s[1] else s[0], rest))
        at += len(rest)
    return "".join([*out, text[at:]])


def debug_names(section):
    """The section .debug_str with the names in it rewritten; nvcc writes them as bytes."""
    def rewritten(found):
        data = bytes(int(value) for value in re.findall(r"\d+", found[2].replace(".b8", "")))
        name = without_namespace(data.rstrip(b"\0").decode())
        return found[1] + "\n.b8 " + ",".join(str(value) for value in name.encode() + b"\0") + "\n"
    return re.sub(r"^(\$?\w+:)\s*((?:\.b8 [\d, ]+\s*)+)", rewritten, section, flags=re.M)


def items(ptx):
    """The PTX's head (version, target), and its top-level items."""
    depth, item, out = 0, [], []
    for line in ptx.splitlines():
        if not line.strip() or (depth == 0 and line.startswith("//")):
            continue
        item.append(line)
        depth += line.count("{") - line.count("}") + line.count("(") - line.count(")")
        entry = re.match(r"\.(visible|weak|entry|func|section)", item[0]) and ";" not in item[0]
        if depth == 0 and (not entry or "}" in line):
            out.append("\n".join(item))
            item = []
    return out


def split(ptx, count):
    """The PTX of each variant."""
    own = [[] for _ in range(count)]
    for item in items(ptx):
        numbers = {int(number) for length, number in re.findall(r"_Z+N(\d+)v(\d+)", item.split("{")[0] if item.startswith(".section") else item)
                   for number in [number[:int(length) - 1]]}
        for number in numbers or range(count):
            own[number].append(item)
    return [tidy("\n".join(parts) + "\n") for parts in own]


def tidy(ptx):
    """One variant's PTX under its own names, and without files and names that it does not refer to."""
    head, section, tail = ptx.partition(".section\t.debug_str")
    head = without_namespace(head)
    used = set(re.findall(r"function_name (\S+?)[,;\s]", head))
    files = set(re.findall(r"\.loc\s+(\d+)", head)) | set(re.findall(r"inlined_at (\d+)", head))
    lines = [line for line in head.splitlines() if not (found := re.match(r"\s*\.file\s+(\d+)", line)) or found[1] in files]
    if not used:
        return "\n".join(lines) + "\n"
    entries = re.findall(r"^(\$?\w+):\s*((?:\.b8 [\d, ]+\s*)+)", tail, re.M)
    kept = "".join(f"{label}:\n{data.strip()}\n" for label, data in entries if label in used)
    return "\n".join(lines) + "\n.section\t.debug_str\n{\n" + debug_names(kept) + "}\n"


def toolchain():
    """nvcc and its flags, as ./lab has found them."""
    found = ROOT / ".asynclab/toolchain.json"
    return json.loads(found.read_text()) if found.exists() else {"nvcc": "nvcc", "flags": []}


def compiled(named, folder):
    """The PTX of each text; `named` has pairs of a kernel's name and a text."""
    folder.mkdir(parents=True, exist_ok=True)
    ptx = {}
    for target_of_all in dict.fromkeys(target(name) for name, _ in named):
        numbers = [number for number, (name, _) in enumerate(named) if target(name) == target_of_all]
        ptx.update(zip(numbers, compiled_for(target_of_all, [named[number] for number in numbers], folder)))
    return [ptx[number] for number in range(len(named))]


def compiled_for(arch, named, folder):
    source, out, tools = folder / "all.cu", folder / "all.ptx", toolchain()
    source.write_text(together(named))
    done = subprocess.run([tools["nvcc"], *tools["flags"], *FLAGS, f"-arch={arch}", "-ptx", source, "-o", out], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    text = out.read_text()
    source.unlink()
    out.unlink()
    return split(text, len(named))


def made(name, folder):
    """What the page needs of a kernel, as gzipped JSON; from `folder` unless something has changed."""
    text, kernel, tools = (KERNELS / f"{name}.cu").read_text(), description(name), toolchain()
    state = json.dumps([text, kernel, FLAGS, tools, Path(__file__).read_text()], sort_keys=True)
    kept = folder / f"{name}-{hashlib.sha256(state.encode()).hexdigest()[:16]}.json.gz"
    if kept.exists():
        return kept.read_bytes()
    values = list(combinations(kernel))
    sources = [resolved(text, one) for one in values]
    unlike = list(dict.fromkeys(sources))
    ptx = dict(zip(unlike, compiled([(name, one) for one in unlike], folder)))
    texts = list(dict.fromkeys(ptx.values()))
    data = {"file": f"/{name}.cu", "controls": kernel.get("control", []), "numbers": kernel.get("number", []), "launch": kernel["launch"],
            "ptx": texts, "sources": unlike,
            "variants": {key(one): [unlike.index(source), texts.index(ptx[source])] for one, source in zip(values, sources)}}
    packed = gzip.compress(json.dumps(data, ensure_ascii=False).encode(), 9, mtime=0)
    for old in folder.glob(f"{name}-*.json.gz"):
        old.unlink()
    kept.write_bytes(packed)
    return packed
