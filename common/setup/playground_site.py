"""The playground on the site: one page for each kernel of docs/playground, and the simulated device for browsers."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "common/web"
sys.path[:0] = [str(WEB), str(ROOT / "common/drawing")]
import embed  # noqa: E402
import wasm  # noqa: E402
import variants  # noqa: E402

MADE = ROOT / "build/playground"  # PTX that is kept from one time to the next
WORDS = {
    "": {"title": "Playground", "lead": "Change a switch, and the simulated device runs the kernel again, here in your browser. The marked lines are "
         "those that the report is about. `./lab run` gives the same report for a program of yours.",
         "chapter": "Chapter: [{}]({}).", "try": "Try it: [{}]({}) runs in your browser."},
    "zh": {"title": "演练场", "lead": "改动任意一个开关，模拟设备就会在浏览器里重新运行这个 kernel。标出的行就是报告所说的行。对于你自己的程序，`./lab run` 给出同样的报告。",
           "chapter": "对应章节：[{}]({})。", "try": "动手试试：[{}]({})，直接在浏览器里运行。"},
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def device():
    """The folder with the compiled device; None: it cannot be made here."""
    built = ROOT / "build/web/common/web"
    if problem := wasm.missing():
        if all((built / name).exists() for name in wasm.OUTPUT):
            return built
        say(f"lab: the site has no playground: {problem}\n"
            "     next: install it (Debian, Ubuntu: apt install emscripten; elsewhere: https://emscripten.org) and build the site again")
        return None
    if not built.exists():
        say("lab: compiling the simulated device for browsers (some minutes, once)")
    try:
        return wasm.build(ROOT / "build/web")
    except (subprocess.CalledProcessError, FileNotFoundError) as problem:
        say(f"lab: the site has no playground: the simulated device could not be compiled for browsers ({problem})\n"
            "     next: run python3 common/web/wasm.py and read the compiler's messages")
        return None


def fill(folder, names):
    """Writes the device, the scripts and the kernels to a folder of the site. False: there is no device."""
    built = device()
    if not built:
        return False
    folder.mkdir(parents=True)
    shutil.copy(built / "playground.js", folder / "device.js")
    (folder / "device.wasm.gz").write_bytes(gzip.compress((built / "playground.wasm").read_bytes(), 9, mtime=0))
    for part in sorted((WEB / "page").iterdir()):
        shutil.copy(part, folder)
    (folder / "stepper.html").write_text(embed.page(ROOT / "common/drawing/stepper/page.html"))
    (folder / "rules_zh.json.gz").write_bytes(gzip.compress(embed.rules("zh").encode(), 9, mtime=0))
    MADE.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.json.gz").write_bytes(variants.made(name, MADE))
    return True


def word(record, key, language):
    return record[f"{key}_{language}" if language else key]


def page(name, language):
    """The page of one kernel."""
    kernel, words = variants.description(name), WORDS[language]
    return (f"---\nhide:\n  - toc\n---\n\n# {name[:2]} {word(kernel, 'title', language)}\n\n{word(kernel, 'text', language)}\n\n"
            f"{words['chapter'].format(name, f'../walkthrough/{name}.md')} {words['lead']}\n\n"
            f'<div class="playground" data-kernel="{name}" lang="{language or "en"}"></div>\n')


def link(name, language):
    """A line for the chapter."""
    return WORDS[language]["try"].format(word(variants.description(name), "title", language), f"../playground/{name}.md")


def stage(pages):
    """Adds the playground to the staged pages of the site; the pages' names, by language."""
    names = variants.names()
    if not fill(pages / "playground", names):
        return {}
    made = {}
    for language in WORDS:
        docs = pages / "docs" / language
        (docs / "playground").mkdir(parents=True)
        for name in names:
            (docs / "playground" / f"{name}.md").write_text(page(name, language))
            chapter = docs / "walkthrough" / f"{name}.md"
            head, rest = chapter.read_text().split("\n## ", 1)
            chapter.write_text(f"{head.rstrip()}\n\n{link(name, language)}\n\n## {rest}")
        made[language] = [(docs / "playground" / f"{name}.md").relative_to(pages).as_posix() for name in names]
    general = pages / "docs/playground.md"
    text = general.read_text()
    general.write_text(text.replace("<!-- playground -->", f'<div class="playground" data-examples="{" ".join(names)}" lang="en"></div>'))
    return made
