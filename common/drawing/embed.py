"""The stepper's page: page.html with the files that it names in it. As a C++ source: embed.py PAGE FILE… > stepper_files.inc"""

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
    told = {name: {part: one[part] for part in ("title", "why", "remedy") if part in one} for name, one in texts.items()}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def page(template):
    """{{title}}, {{language}} and {{recording}} are left for whoever shows a recording."""
    text = re.sub(r"\{\{(\w+\.(?:js|css))\}\}", lambda name: (template.parent / name[1]).read_text(), template.read_text())
    return re.sub(r"\{\{rules_(\w+)\}\}", lambda language: rules(language[1]), text)


def constant(name, text):
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    return f"constexpr std::string_view {name} =\n" + "\n".join(f'    R"~embedded~({piece})~embedded~"' for piece in pieces) + ";\n"


if __name__ == "__main__":
    print(constant("stepper_page_html", page(Path(sys.argv[1]))))
