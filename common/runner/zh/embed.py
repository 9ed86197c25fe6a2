"""The tables of translations as initialisers of C++: embed.py FILE.toml… > translations.inc"""

import sys
import tomllib
from pathlib import Path


def table(file):
    """{English: Chinese}"""
    return tomllib.loads(Path(file).read_text())


def literal(text):
    return f'R"~({text})~"'


if __name__ == "__main__":
    for file in sys.argv[1:]:
        for english, other in table(file).items():
            print(f"{{{literal(english)}, {literal(other)}}},")
