"""The programs that tests/labs/NN_name.versions describes, rebuilt into build/tests/labs/.

    lab_versions.py --make STAMP DEPFILE     rebuilds all of them, as Ninja asks for it

The base of wrong/NAME and correct/NAME is the lab's solution, that of drills/EXERCISE/NAME and hunts/EXERCISE/NAME the
exercise's. An entry drills/EXERCISE is the exercise as it is handed out; it says what rejects it, and is not rebuilt.
"""

import difflib
import functools
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNNER = Path(os.environ.get("LAB_RUNNER", ROOT / "build/common/runner/lab-runner")).resolve()
MADE = RUNNER.parents[2] / "tests/labs"
sys.path.append(str(HERE.parent))
import versions  # noqa: E402
from versions import VersionError  # noqa: E402

EXPECT = re.compile(r'case "(.+)"|([a-z-]+)')


def labs():
    return sorted(file.stem for file in HERE.glob("*.versions"))


@functools.cache
def entries(lab):
    """The lab's versions, by name: "wrong/no_wait", "drills/1_which_n/always_2", "drills/1_which_n"."""
    return versions.read(HERE / f"{lab}.versions", ("expect", "half", "cheat"))


def folder_of(name):
    return name.rpartition("/")[0]


def is_untouched(name):
    """Is this an exercise as it is handed out?"""
    return folder_of(name) in ("drills", "hunts")


def base(lab, name):
    """The program that an entry changes."""
    if is_untouched(name):
        return ROOT / "labs" / lab / f"{name}.cu"
    folder = folder_of(name)
    return ROOT / "solutions" / lab / ("kernel.cu" if folder in ("wrong", "correct") else f"{folder}.cu")


def expectation(entry):
    """(case, rule) that must reject it; one of them is None."""
    match = EXPECT.fullmatch(entry.expected.get("expect", ""))
    if not match:
        raise entry.error('its head says neither "expect: RULE" nor "expect: case "NAME""')
    return match.groups()


def text(lab, name):
    """The whole program; its head is a comment, without what it earns: that changes nothing for a compiler."""
    entry, source = entries(lab)[name], base(lab, name)
    if not source.exists():
        raise entry.error(f"there is no {source.relative_to(ROOT)}, which it would change")
    if folder_of(name) != "correct":
        expectation(entry)
    head = [f"expect: {value}" for key, value in entry.expected.items() if key == "expect"] + entry.about
    return "".join(f"// {line}\n" for line in head) + entry.applied(source.read_text())


def write(path, content):
    """Leaves a file alone that is right already: others look at the times of files."""
    if path.exists() and path.read_text() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(content)
    new.replace(path)


@functools.cache
def made(lab):
    """Rebuilds the lab's versions. {name: its file, or the VersionError that says why there is none}"""
    found = {}
    for name in entries(lab):
        if is_untouched(name):
            continue
        file = MADE / lab / f"{name}.cu"
        try:
            write(file, text(lab, name))
            found[name] = file
        except VersionError as problem:
            file.unlink(missing_ok=True)
            found[name] = problem
    for pattern in ("wrong/*.cu", "correct/*.cu", "drills/*/*.cu", "hunts/*/*.cu"):
        for file in (MADE / lab).glob(pattern):
            if name_of(file) not in found:
                file.unlink(missing_ok=True)
    return found


def name_of(file):
    """The entry of a rebuilt file."""
    return file.relative_to(MADE).with_suffix("").as_posix().partition("/")[2]


def files(lab, folder):
    """The rebuilt files of "wrong", "correct" or "drills/1_which_n"; without those that do not apply."""
    return [file for name, file in made(lab).items() if folder_of(name) == folder and isinstance(file, Path)]


def file(lab, name):
    """One rebuilt file. The lab may be given as its number."""
    found = made(next(one for one in labs() if one.startswith(lab)))[name]
    if isinstance(found, VersionError):
        raise found
    return found


def shown(wanted):
    """The whole program "05_wait_group/wrong/no_wait", or "05/wrong/no_wait"; stops with the names that are close."""
    known = {f"{lab}/{name}": (lab, name) for lab in labs() for name in entries(lab)}
    number, slash, rest = wanted.removesuffix(".cu").partition("/")
    full = next((lab for lab in labs() if number in (lab, lab[:2])), number) + slash + rest
    if full in known:
        return text(*known[full])
    last = full.rpartition("/")[2]
    close = [name for name in known if name.endswith(f"/{last}")] + difflib.get_close_matches(full, known, 6)
    close += [name for name in known if last and last in name]
    hint = f"choose from: {', '.join(dict.fromkeys(close[:6]))}" if close else "./lab test --versions lists them"
    raise LookupError(f"there is no version '{wanted}'\n     next: {hint}")


def make_all(stamp, depfile):
    """What cannot be rebuilt is said, and fails the lab's test, not the build."""
    read = [Path(__file__), HERE.parent / "versions.py"]
    for lab in labs():
        read.append(HERE / f"{lab}.versions")
        try:
            problems = [found for found in made(lab).values() if isinstance(found, VersionError)]
            read += {base(lab, name) for name in entries(lab) if not is_untouched(name)}
        except VersionError as problem:
            problems = [problem]
        print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    names = " ".join(str(path).replace(" ", "\\ ") for path in sorted(read))
    Path(depfile).write_text(f"{stamp}: {names}\n")
    Path(stamp).touch()


if __name__ == "__main__":
    make_all(*sys.argv[2:])
