"""Builds the documentation as a site: stages the pages, then calls mkdocs (which must be importable).

The pages are written for GitHub. Their copies for mkdocs differ: a link to a folder leads to its README.md, a link to a
file that is not on the site becomes plain text, hazards.md has the whole texts of the rules, wrong-versions.md gets its
tables, as do the two pages points.md, `a-rule` and `./lab explain a-rule` link to the rule, and what is in <details> is marked as Markdown. Beside the
pages go slides.js and slides.css, which present the decks of docs/slides."""

import argparse
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import editor_server
import hazards_site
import playground_site
import questions_site

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.M | re.S)
STYLE = """.md-grid { max-width: 76rem }
.md-typeset table:not([class]) { font-size: .66rem }
.md-typeset table:not([class]) :is(th, td) { padding: .5em .8em }
.md-typeset table:not([class]) th { min-width: 0 }
.md-typeset td code { word-break: normal }
.md-typeset pre > code { font-size: .74em }
.md-typeset img { background: #fff; border-radius: .2rem }
@media (max-width: 48em) {
  .md-typeset table:not([class]) td:first-child { min-width: 7em }
  .md-typeset p:has(> img[src$=".svg"]) { overflow-x: auto }
  .md-typeset img[src$=".svg"]:not([src$="report.svg"]) { max-width: none }
}
html[lang="zh"] :is(em, i, cite) { font-style: normal; font-weight: 600 }
html[lang="zh"] .md-typeset { word-break: normal; line-break: strict }
.md-header__button.language { font-size: .7rem; line-height: 1.2rem }
.md-content, .md-grid { min-width: 0 }
.md-typeset pre, .md-typeset img { max-width: 100% }
@media print { .md-typeset pre > code { white-space: pre-wrap } }
"""


def fail(what, next_step):
    sys.exit(f"lab: error: {what}\n     next: {next_step}")


def pages():
    yield ROOT / "README.md"
    yield from sorted(DOCS.rglob("*.md"))
    yield from sorted((ROOT / "labs").glob("*/README*.md"))


@functools.cache
def rules():
    page = DOCS / "hazards.md"
    return set(re.findall(r'<a id="([a-z-]+)">', page.read_text())) if page.exists() else set()


def link(page, target):
    """The target of a link on the site; None if the site does not contain it."""
    path, _, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        return target
    goal = (page.parent / path).resolve()
    if goal.is_dir() and (goal / "README.md").exists():
        path = path.rstrip("/") + "/README.md"
        goal = goal / "README.md"
    shown = goal.suffix == ".svg" or goal in set(pages())
    return path + ("#" + anchor if anchor else "") if shown else None


def block_of(lines):
    """The first line of the block that the last line belongs to."""
    blank = max((number for number, line in enumerate(lines) if not line.strip()), default=-1)
    return lines[min(blank + 1, len(lines) - 1)]


def prose(page, text):
    def linked(found):
        target = link(page, found[2])
        return f"[{found[1]}]({target})" if target else found[1]

    chinese = page.name.endswith(".zh.md") or page.is_relative_to(DOCS / "zh")
    to_rules = os.path.relpath(DOCS / ("zh/hazards.md" if chinese else "hazards.md"), page.parent)

    def rule(found):
        return f"[{found[0]}]({to_rules}#{found[1]})" if found[1] in rules() else found[0]

    # Headings and links stay as they are.
    text = re.sub(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", linked, text)
    lines = []
    for line in text.split("\n"):
        if not line.startswith("#"):
            parts = re.split(r"(\[(?:[^\[\]])*\]\([^)\s]+\))", line)
            parts[::2] = [re.sub(r"`(?:\./lab explain )?([a-z]+(?:-[a-z]+)*)`", rule, part) for part in parts[::2]]
            line = "".join(parts)
        # Python-Markdown needs an empty line before a list.
        if re.match(r"([-*]|\d+\.) ", line) and lines and lines[-1].strip() and not re.match(r"([-*]|\d+\.) |  ", lines[-1]):
            lines.append("")
        # And one after a later paragraph of an item: otherwise the next item becomes a part of it.
        if re.match(r"([-*]|\d+\.) ", line) and lines and lines[-1].startswith("  ") and re.match("  ", block_of(lines)):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def text_of(page):
    """The page's text with the reports that it shows; where the device has been built, the rules' whole texts in place of their list."""
    for language, listed in hazards_site.PAGES.items():
        if page == listed and (rules := hazards_site.rules(language)):
            return hazards_site.whole(rules, language)
    return hazards_site.with_reports(page.read_text())


def for_mkdocs(page):
    text = re.sub(r"\A<!-- follows .*? -->\n", "", text_of(page))  # the title has to come first
    if page == DOCS / "wrong-versions.md":  # its tables are not in git
        sys.path.append(str(ROOT / "tests/labs"))
        import versions_page
        text += "\n" + "\n".join(versions_page.tables())
    if page.name == "points.md":
        sys.path.append(str(ROOT / "tests/labs"))
        import points
        text += "\n" + "\n".join(points.tables("zh" if page.is_relative_to(DOCS / "zh") else ""))
    # Python-Markdown indents the contents of a numbered list's item by four columns, GitHub by three.
    text = re.sub(r"^   (?! )(?=.)", "    ", text, flags=re.M) if re.search(r"^   ```", text, re.M) else text
    text = re.sub(r"^<details>", '<details markdown="1">', text, flags=re.M)
    return "".join(part if number % 2 else prose(page, part) for number, part in enumerate(FENCE.split(text)))


def navigation(index):
    """The order of the site's pages: that of the links on the index page, grouped by its headings."""
    entries, section = [], None
    for line in index.read_text().splitlines():
        if heading := re.match(r"## (.+)", line):
            section = {heading[1]: []}
            entries.append(section)
        for title, target in re.findall(r"(?:^- |^  |^\| )\[([^\]]+)\]\(([^)#]+\.md)\)", line)[:1]:
            entry = {title: os.path.relpath(index.parent / target, ROOT)}
            (next(iter(section.values())) if section else entries).append(entry)
    return [entry for entry in entries if not isinstance(next(iter(entry.values())), list) or next(iter(entry.values()))]


def labs_and_questions(folder, language):
    """Navigation to the labs' pages and their questions; the pages of the questions are written here."""
    suffix = f".{language}.md" if language else ".md"
    labs = sorted(lab.name for lab in (ROOT / "labs").iterdir() if lab.is_dir())
    questions = []
    for lab in labs:
        if text := questions_site.page(lab, language):
            (folder / "pages/labs" / lab / f"questions{suffix}").write_text(text)
            questions.append(f"labs/{lab}/questions{suffix}")
    title = "实验" if language == "zh" else "Labs"
    return [{title: [f"labs/{lab}/README{suffix}" for lab in labs]}, *([{questions_site.WORDS[language]["title"]: questions}] if questions else [])]


def is_chinese(page):
    """Of the path of a page in the site's sources."""
    return page.startswith("docs/zh/") or page.endswith(".zh.md")


def other_language(page):
    """The page with the same contents in the other language, if there is one."""
    if page in ("README.md", "docs/zh/README.md"):
        return "docs/zh/README.md" if page == "README.md" else "README.md"
    if page.startswith("docs/"):
        return page.replace("docs/zh/", "docs/") if is_chinese(page) else page.replace("docs/", "docs/zh/", 1)
    return page.replace(".zh.md", ".md") if is_chinese(page) else page.removesuffix(".md") + ".zh.md"


def languages(folder):
    """What the theme has to know: the language of each page, and the address of its translation."""
    staged = sorted(page.relative_to(folder).as_posix() for page in folder.rglob("*.md"))
    others = {page: re.sub(r"(^|/)README\.html$", r"\1index.html", other_language(page).removesuffix(".md") + ".html")
              for page in staged if other_language(page) in staged}
    return {"languages": {page: "zh" if is_chinese(page) else "en" for page in staged}, "other": others, "alternate": True}


def stage(folder, playground=False):
    for page in pages():
        copy = folder / "pages" / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(for_mkdocs(page))
    for pictures in ("docs/pictures", "docs/zh/pictures"):
        shutil.copytree(ROOT / pictures, folder / "pages" / pictures)
    (folder / "pages/site.css").write_text(STYLE + questions_site.STYLE)
    (folder / "pages/quiz.js").write_text(questions_site.SCRIPT)
    for name in ("slides.js", "slides.css"):
        shutil.copy(Path(__file__).with_name(name), folder / "pages")
    played = playground_site.stage(folder / "pages") if playground else {}
    nav = [{"Start": "README.md"}, {"Documentation": "docs/README.md"}, *navigation(DOCS / "README.md")]
    nav += labs_and_questions(folder, "")
    if played:
        nav.append({playground_site.WORDS[""]["title"]: played[""]})
    for name in filter(None, questions_site.WORDS):
        language, of_labs = DOCS / name / "README.md", labs_and_questions(folder, name)
        if name in played:
            of_labs.append({playground_site.WORDS[name]["title"]: played[name]})
        nav.append({re.search(r"^# (.+)$", language.read_text(), re.M)[1]:
                    [os.path.relpath(language, ROOT), *navigation(language), *of_labs]})
    shutil.copytree(Path(__file__).with_name("theme"), folder / "theme")
    settings = (DOCS / "mkdocs.yml").read_text() + "extra: " + json.dumps(languages(folder / "pages"), ensure_ascii=False) + "\n"
    if played:
        settings = settings.replace("  - quiz.js\n", "  - quiz.js\n  - playground/playground.js\n").replace("  - slides.css\n", "  - slides.css\n  - playground/playground.css\n")
    (folder / "mkdocs.yml").write_text(settings + "docs_dir: pages\nnav: " + json.dumps(nav, ensure_ascii=False) + "\n")


def build(out, playground):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stage(folder, playground)
        # Without this variable, mkdocs-material prints an advertisement for other programs.
        return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", out.resolve()],
                              cwd=folder, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # a page asks for more files at once than the 5 connections that usually may wait


def server_of(out, port, editor=None):
    handler = editor_server.served(editor, Quiet) if editor else Quiet
    return Server(("127.0.0.1", port), functools.partial(handler, directory=out))


def serve(out, port, files):
    editor = editor_server.Editor(files) if editor_server.RUNNER.exists() else None
    try:
        server = server_of(out, port, editor)
    except OSError as problem:
        fail(f"cannot serve the site on port {port}: {problem.strerror}", "./lab docs --port 0 chooses a free port")
    if editor:
        print(f"editor: http://127.0.0.1:{server.server_port}/editor/?token={editor.token}   (keep this address to yourself)")
    print(f"http://127.0.0.1:{server.server_port}/   press Ctrl-C to stop", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


def main():
    parser = argparse.ArgumentParser(
        prog="lab docs", description="Builds the documentation as a searchable site and serves it on this machine.")
    parser.add_argument("--build", metavar="DIR", type=Path, help="build the site in DIR and do not serve it")
    parser.add_argument("--port", type=int, default=8000, help="the port to serve it on (default: 8000; 0: any free one)")
    parser.add_argument("--edit", metavar="FILE", action="append", default=[], help="a CUDA file of your own that the editor opens, beside those of the labs")
    parser.add_argument("--no-playground", action="store_true", help="leave out the playground, which needs Emscripten and nvcc")
    parser.add_argument("--fetch", action="store_true", help="only fetch what builds the site, and build nothing")  # docs.sh does
    parser.add_argument("--default", type=Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    out = arguments.build or arguments.default
    if arguments.build and out.exists() and not (out / "search").exists() and any(out.iterdir()):
        fail(f"{out} is not empty and does not contain a site, so it stays as it is", "give --build a new or empty folder")
    for file in arguments.edit:
        if not Path(file).is_file():
            fail(f"there is no file {file}", "check the path after --edit")
    if build(out, not arguments.no_playground):
        fail("mkdocs could not build the site (its messages are above)", "./lab test docs names broken links")
    if arguments.build:
        print(f"{out / 'index.html'}")
    else:
        serve(out, arguments.port, arguments.edit)


if __name__ == "__main__":
    main()
