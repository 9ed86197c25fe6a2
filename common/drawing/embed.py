"""A page with the files that it names in it, as a C++ source: embed.py NAME PAGE > NAME.inc"""

import json
import re
import sys
import tomllib
from pathlib import Path

PIECE = 12_000  # characters: what a string literal may hold everywhere
RULES = Path(__file__).resolve().parents[1] / "sim/rules"


def rules(language):
    """{name: {"title", "why", "remedy"}}, the rules' texts in another language than English, as JSON."""
    texts = tomllib.loads((RULES / f"{language}.toml").read_text())
    selected = {name: {part: one[part] for part in ("title", "why", "remedy") if part in one} for name, one in texts.items()}
    return json.dumps(selected, ensure_ascii=False, separators=(",", ":"))


def page(template):
    """{{title}} and other names that are no file's are left for drawing::filled()."""
    text = re.sub(r"\{\{(\w+\.(?:js|css))\}\}", lambda name: (template.parent / name[1]).read_text(), template.read_text())
    return re.sub(r"\{\{rules_(\w+)\}\}", lambda language: rules(language[1]), text)


def constant(name, text):
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    return f"constexpr std::string_view {name} =\n" + "\n".join(f'    R"~embedded~({piece})~embedded~"' for piece in pieces) + ";\n"


if __name__ == "__main__":
    print(constant(f"{sys.argv[1]}_html", page(Path(sys.argv[2]))))
