"""Reads files of versions: programs that differ from a stored one by a few lines.

    == wrong/no_wait
    expect: missing-wait
    A barrier waits for threads, not for their copies.

     context as it stands in the base
    -a line that goes
    +a line that comes

An entry starts with "== NAME". The lines below it are its head: what is expected of it ("KEY: VALUE" lines), then what is
to say about it. Blocks follow, each after an empty line. The lines of a block that begin with a blank or "-" must stand in
the base exactly once, together, and after the place of the block before; those that begin with a blank or "+" replace them.
Empty lines of the base do not count: a block leaves them out. An entry without blocks is the base itself.
"""

import re
from dataclasses import dataclass
from pathlib import Path


class VersionError(Exception):
    """The entry cannot be read or applied; its text names the file, the line, and the entry."""


@dataclass
class Version:
    file: Path
    line: int  # of "== NAME", from 1
    name: str  # "wrong/no_wait"
    expected: dict  # KEY: VALUE of the head
    about: list  # the head's other lines
    blocks: list  # (line in the file, its lines)

    def error(self, what, line=None):
        return VersionError(f"{self.file}:{line or self.line}: error: {self.name}: {what}")

    def applied(self, base):
        """The program's text, made from the text of the base."""
        lines, out, at = base.split("\n"), [], 0
        filled = [i for i, line in enumerate(lines) if line]
        for number, block in self.blocks:
            if strange := next((line for line in block if line[0] not in " +-"), None):
                raise self.error(f"a line of a block begins with a blank, + or -: {strange}", number)
            old = [line[1:] for line in block if line[0] in " -" and line[1:]]
            place = self.place(old, [lines[i] for i in filled], number)
            if filled[place] < at:
                raise self.error("this block belongs before the one above it", number)
            out += lines[at : filled[place]]
            at = filled[place]
            for line in block:
                if line[0] == "+":
                    out.append(line[1:])
                elif line[1:]:  # the empty lines in front of it stay
                    out += lines[at : filled[place] + (line[0] == " ")]
                    at, place = filled[place] + 1, place + 1
        return "\n".join(out + lines[at:])

    def place(self, old, lines, number):
        """Where the lines of a block stand."""
        if not old:
            raise self.error("this block only adds lines: begin or end it with a line of the base", number)
        places = [i for i in range(len(lines) - len(old) + 1) if lines[i : i + len(old)] == old]
        if len(places) != 1:
            how = f"stands {len(places)} times in the base" if places else "does not stand in the base"
            raise self.error(f"this block {how}, from: {old[0].strip()}", number)
        return places[0]


def read(path, keys=("expect",)):
    """The file's versions, by name. `keys`: the keys that a head may set as KEY: VALUE."""
    path, found, number = Path(path), {}, 1
    parts = re.split(r"^(?=== )", path.read_text(), flags=re.M)
    if parts[0].strip():
        raise VersionError(f"{path}:1: error: the file does not begin with an entry (== NAME)")
    number += parts[0].count("\n")
    for part in parts[1:]:
        head, *rest = re.split(r"\n\n", part.rstrip("\n"), maxsplit=1)
        name, *said = head.split("\n")
        version = Version(path, number, name[3:].strip(), {}, [], [])
        for line in said:
            key, colon, value = line.partition(": ")
            if colon and key in keys:
                version.expected[key] = value
            else:
                version.about.append(line)
        line = number + len(said) + 2
        for block in rest[0].split("\n\n") if rest else []:
            lines = block.strip("\n").split("\n")
            if lines != [""]:
                version.blocks.append((line + len(block) - len(block.lstrip("\n")), lines))
            line += block.count("\n") + 2
        if version.name in found:
            raise version.error("there is another entry of this name")
        found[version.name] = version
        number += part.count("\n")
    return found
