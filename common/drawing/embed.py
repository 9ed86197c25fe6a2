"""The files of the stepper's page as a C++ source: embed.py PAGE STYLE SCRIPT… > stepper_files.inc"""

import sys
from pathlib import Path

PIECE = 12_000  # characters: what a string literal may hold everywhere


def constant(name, text):
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    return f"constexpr std::string_view {name} =\n" + "\n".join(f'    R"~embedded~({piece})~embedded~"' for piece in pieces) + ";\n"


page, style, *scripts = (Path(name).read_text() for name in sys.argv[1:])
print(constant("stepper_page_html", page) + constant("stepper_style_css", style) + constant("stepper_script", "".join(scripts)))
