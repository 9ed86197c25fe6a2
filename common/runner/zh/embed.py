"""The tables of translations as initialisers of C++: embed.py FILE.toml… > translations.inc"""

import sys
import tomllib
from pathlib import Path


def table(file):
    """{English: Chinese}; of a rule, {"NAME.remedy": its general remedy in Chinese}."""
    entries = tomllib.loads(Path(file).read_text())
    return {f"{key}.remedy" if isinstance(text, dict) else key: text.get("remedy", "") if isinstance(text, dict) else text
            for key, text in entries.items()}


def literal(text):
    return f'R"~({text})~"'


if __name__ == "__main__":
    for file in sys.argv[1:]:
        for english, other in table(file).items():
            print(f"{{{literal(english)}, {literal(other)}}},")
