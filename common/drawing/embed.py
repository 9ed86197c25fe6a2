"""The stepper's page: page.html with the files that it names in it. As a C++ source: embed.py PAGE FILE… > stepper_files.inc"""

import re
import sys
from pathlib import Path

PIECE = 12_000  # characters: what a string literal may hold everywhere


def page(template):
    """{{title}}, {{language}} and {{recording}} are left for whoever shows a recording."""
    return re.sub(r"\{\{(\w+\.(?:js|css))\}\}", lambda name: (template.parent / name[1]).read_text(), template.read_text())


def constant(name, text):
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    return f"constexpr std::string_view {name} =\n" + "\n".join(f'    R"~embedded~({piece})~embedded~"' for piece in pieces) + ";\n"


if __name__ == "__main__":
    print(constant("stepper_page_html", page(Path(sys.argv[1]))))
