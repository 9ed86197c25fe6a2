"""The editor that `./lab docs` serves on this machine: a lab's file, or one of the user's own, compiled by their nvcc and
judged by the runner, in the box and with the limits of ./lab check and ./lab run.

Whoever can ask this server for something can run code as the user. So it listens on the loopback interface only, and each
request needs the token that was printed, the right Host, and no foreign Origin. It opens the files that it lists, and
changes one only when it is asked to save."""

import json
import os
import re
import secrets
import signal
import subprocess
import tempfile
import threading
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "build/common/runner/lab-runner"
PARTS = Path(__file__).with_name("editor")
MOST_BYTES = 1 << 20  # of a request: no kernel has as many
MOST_SECONDS = 300
OWN = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
MADE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts"


class Refused(Exception):
    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def course_files(root=ROOT):
    """{name: (path, the lab or exercise as ./lab check names it)}"""
    files = {}
    for lab in sorted((root / "labs").glob("[0-9][0-9]_*")):
        number = lab.name[:2]
        for path in [lab / "kernel.cu", *sorted(lab.glob("drills/*.cu")), *sorted(lab.glob("hunts/*.cu"))]:
            kind, _, rest = path.parent.name.partition("_")
            of = number if path.name == "kernel.cu" else f"{number}.{'h' if kind == 'hunts' else ''}{path.stem.split('_')[0].lstrip('h')}"
            if path.exists():
                files[path.relative_to(root).as_posix()] = (path, of)
    return files


class Editor:
    """What is edited, and the runs of the runner. One at a time."""

    def __init__(self, own_files=(), runner=RUNNER):
        self.token, self.runner = secrets.token_urlsafe(24), runner
        self.files = course_files()
        for file in map(Path, own_files):
            self.files[file.name if file.name not in self.files else str(file)] = (file.resolve(), "")
        self.own = [name for name, (_, of) in self.files.items() if not of]
        self.busy = threading.Lock()
        self.folder = tempfile.TemporaryDirectory(prefix="asynclab-editor-")
        self.text = None  # the file that ran last: (name, path)

    def path(self, name):
        if name not in self.files:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such file here")
        return self.files[name]

    def command(self, language, *words):
        """(exit status, stdout, stderr). The runner's own children end with it."""
        process = subprocess.Popen([self.runner, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True, cwd=ROOT,
                                   env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": language, "NO_COLOR": "1"})
        try:
            out, err = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, f"it was stopped after {MOST_SECONDS} s") from None
        return process.returncode, out, err

    def answer_files(self, _):
        return {"files": list(self.files), "own": self.own}

    def answer_file(self, asked):
        path, of = self.path(asked.get("name"))
        return {"text": path.read_text(errors="replace"), "lab": of}

    def answer_save(self, asked):
        path, _ = self.path(asked.get("name"))
        path.write_text(text_of(asked))
        return {"saved": True}

    def answer_run(self, asked):
        """Compiles and judges the text, which is not saved."""
        source, of = self.path(asked.get("name"))
        copy = Path(self.folder.name) / source.name
        copy.write_text(text_of(asked))
        self.text = (asked["name"], copy)
        words = ["check", of, "--file", copy] if of else ["run", copy, "--nvcc", f"-I{source.parent}"]
        numbers = Path(self.folder.name) / "verdict.json"
        numbers.unlink(missing_ok=True)
        status, out, err = self.command(language_of(asked), *words, "--device", "sim", "--format", "gcc", "--json", numbers)
        try:
            said = json.loads(numbers.read_text())
        except (OSError, ValueError):
            return {"passed": False, "text": (err or out)[-8000:], "findings": marks_of_compiler(err or out, copy.name)}
        verdict = verdict_of(said[0] if isinstance(said, list) else said, copy, status, err)
        return in_words_of(out + err, verdict) if language_of(asked) == "zh" else verdict

    def answer_draw(self, asked):
        """The stepper's page, or the timeline's, of what has run last."""
        what = asked.get("what")
        if what not in ("step", "trace") or not self.text or self.text[0] != asked.get("name"):
            raise Refused(HTTPStatus.NOT_FOUND, "run the file first")
        copy, (source, of) = self.text[1], self.path(self.text[0])
        page = Path(self.folder.name) / f"{what}.html"
        page.unlink(missing_ok=True)
        words = [what, of, "--file", copy, "--out", page] if of else ["run", copy, "--nvcc", f"-I{source.parent}", f"--{what}", page, "--device", "sim"]
        _, out, err = self.command(language_of(asked), *words)
        return {"page": f"{what}.html" if page.exists() else "", "text": "" if page.exists() else (err or out)[-4000:]}


def text_of(asked):
    if not isinstance(asked.get("text"), str):
        raise Refused(HTTPStatus.BAD_REQUEST, "the text is missing")
    return asked["text"]


def language_of(asked):
    return "zh" if asked.get("language") == "zh" else "en"


def marks_of_compiler(text, file):
    """"kernel.cu(12): error: …" and "kernel.cu:12:3: error: …": the lines that nvcc and ptxas name."""
    found = re.findall(rf"{re.escape(file)}(?:\((\d+)\)|:(\d+)(?::\d+)?): (error|warning)[^:]*: (.+)", text)
    return [{"line": int(one or other), "severity": severity, "message": message} for one, other, severity, message in found]


def in_words_of(report, verdict):
    """The JSON is in English. The report has the same findings, each with its remedy, in the reader's language."""
    said = {}
    for line, message, rule in re.findall(r"^\S+?:(\d+):\d+: \w+: (.+) \[([a-z-]+)\]$", report, re.M):
        said.setdefault((int(line), rule), message)
    for one in verdict["findings"]:
        if message := said.get((one["line"], one.get("rule"))):
            one.update(message=message, remedy="")
    names = iter(re.findall(r"^  ([✓✗◐○] .+?)(?:   .*)?$", report, re.M))
    verdict["cases"] = [next(names, name) for name in verdict["cases"]]
    return verdict


def verdict_of(said, copy, status, err):
    findings, texts = [], []
    for case in said.get("cases", [said]):
        for finding in case.get("findings", []):
            place = finding.get("first", {})
            findings.append({"line": place.get("line", 0) if Path(place.get("file", "")).name == copy.name else 0, "rule": finding.get("rule", ""),
                             "severity": finding.get("severity", "error"), "message": finding.get("message", ""), "remedy": finding.get("remedy", "")})
        if "name" in case:
            texts.append(f"{'✓' if case['passed'] else '✗'} {case['name']}" + (f": {case['message']}" if case.get("message") else ""))
    for finding in said.get("warnings", []) + said.get("notes", []):
        findings.append({"line": finding["first"]["line"], "rule": finding["rule"], "severity": finding["severity"], "message": finding["message"], "remedy": finding["remedy"]})
    errors = said.get("compile_errors") or (err if said.get("problem") else "")
    unique = list({(one["line"], one["rule"], one["message"]): one for one in findings}.values())
    return {"passed": status == 0, "points": said.get("points"), "possible": said.get("possible"), "cases": texts, "model": said.get("model"),
            "text": errors or said.get("output", "")[-8000:], "findings": marks_of_compiler(errors, copy.name) + unique}


def served(editor, site):
    """The site's request handler with the editor below /editor/."""

    class Handler(site):
        def refuse_unless_ours(self, query):
            port = self.server.server_port
            hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
            given = self.headers.get("X-Lab-Token") or query.get("token", [""])[0]
            origin = self.headers.get("Origin")
            if self.headers.get("Host") not in hosts or (origin and origin not in {f"http://{host}" for host in hosts}) or \
                    not secrets.compare_digest(given.encode(), editor.token.encode()):
                raise Refused(HTTPStatus.FORBIDDEN, "open the address that ./lab docs has printed")

        def send(self, status, kind, body, policy=OWN):
            self.send_response(status)
            for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"), ("Content-Security-Policy", policy),
                                ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff")):
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def guarded(self, answer):
            url = urlsplit(self.path)
            try:
                query = parse_qs(url.query)
                self.refuse_unless_ours(query)
                if not url.path.startswith("/editor/"):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such request")
                answer(url.path.removeprefix("/editor/"), query)
            except Refused as problem:
                self.close_connection = True  # what it still sends is not read
                self.send(problem.status, "application/json", json.dumps({"problem": str(problem)}).encode())
            except BrokenPipeError:
                pass

        def do_GET(self):
            self.guarded(self.part) if urlsplit(self.path).path.startswith("/editor/") else super().do_GET()

        def do_HEAD(self):
            self.guarded(self.part) if urlsplit(self.path).path.startswith("/editor/") else super().do_HEAD()

        def do_POST(self):
            self.guarded(self.ask)

        def part(self, name, query):
            kinds = {"": ("editor.html", "text/html"), "editor.js": ("editor.js", "text/javascript"), "editor.css": ("editor.css", "text/css")}
            if name in ("step.html", "trace.html") and (Path(editor.folder.name) / name).exists():
                return self.send(HTTPStatus.OK, "text/html; charset=utf-8", (Path(editor.folder.name) / name).read_bytes(), MADE)
            if name not in kinds:
                raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")
            file, kind = kinds[name]
            text = (PARTS / file).read_text().replace("{{token}}", editor.token).replace("{{language}}", "zh" if query.get("language") == ["zh"] else "en")
            self.send(HTTPStatus.OK, f"{kind}; charset=utf-8", text.encode())

        def ask(self, name, _):
            length = self.headers.get("Content-Length", "")
            if not length.isdigit():
                raise Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the request is missing")
            if int(length) > MOST_BYTES:
                raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES >> 20} MiB")
            answer = {"files": editor.answer_files, "file": editor.answer_file, "save": editor.answer_save, "run": editor.answer_run, "draw": editor.answer_draw}.get(name)
            if not answer:
                raise Refused(HTTPStatus.NOT_FOUND, "there is no such request")
            try:
                asked = json.loads(self.rfile.read(int(length)))
            except ValueError:
                asked = None
            if not isinstance(asked, dict):
                raise Refused(HTTPStatus.BAD_REQUEST, "the request is not a JSON object")
            if not editor.busy.acquire(blocking=False):
                raise Refused(HTTPStatus.CONFLICT, "something is running")
            try:
                said = answer(asked)
            except OSError as problem:
                raise Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"{problem.strerror or problem}") from None
            finally:
                editor.busy.release()
            self.send(HTTPStatus.OK, "application/json", json.dumps(said).encode())

    return Handler
