"""The editor of ./lab docs: who may ask it for something, and what it does with a file.

    editor_test.py RUNNER"""

import http.client
import json
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common/setup"), str(ROOT / "tests/labs"), str(Path(__file__).parent)]
import browser  # noqa: E402
import docs_site  # noqa: E402
import editor_server  # noqa: E402
import lab_versions  # noqa: E402

RUNNER = Path(sys.argv.pop(1)).resolve()
PROGRAM = """#include <cstdio>
__global__ void last(int* out) {
    __shared__ int all[64];
    all[threadIdx.x] = threadIdx.x;
BARRIER    out[threadIdx.x] = all[63 - threadIdx.x];
}
int main() {
    int* out;
    cudaMalloc(&out, 256);
    last<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
"""
WRONG, RIGHT = PROGRAM.replace("BARRIER", ""), PROGRAM.replace("BARRIER", "    __syncthreads();\n")


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.file = Path(cls.folder.name) / "mine.cu"
        cls.file.write_text(WRONG)
        (Path(cls.folder.name) / "index.html").write_text("the site")
        cls.editor = editor_server.Editor([cls.file], RUNNER)
        cls.addClassCleanup(cls.editor.folder.cleanup)
        cls.server = docs_site.server_of(cls.folder.name, 0, cls.editor)
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    def request(self, method, path, body=None, headers=None, token=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=280)
        self.addCleanup(connection.close)
        own = {"X-Lab-Token": self.editor.token} if token else {}
        connection.request(method, path, body, {**own, **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer

    def ask(self, request, **asked):
        status, text, _ = self.request("POST", f"/editor/{request}", json.dumps(asked))
        return status, json.loads(text)


class WhoMayAsk(Served):
    def test_only_with_the_token(self):
        for path in ("/editor/", "/editor/editor.js", "/editor/step.html"):
            self.assertEqual(self.request("GET", path, token=False)[0], 403, path)
            self.assertEqual(self.request("GET", path + "?token=guess", token=False)[0], 403, path)
        for what in ("files", "file", "save", "run", "draw"):
            self.assertEqual(self.request("POST", f"/editor/{what}", "{}", token=False)[0], 403, what)
        self.assertEqual(self.request("GET", f"/editor/?token={self.editor.token}", token=False)[0], 200)
        self.assertEqual(self.ask("files")[0], 200)

    def test_only_from_this_machine_by_its_name_and_from_its_own_pages(self):
        port = self.server.server_port
        for host in ("example.org", f"example.org:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}"):
            self.assertEqual(self.request("POST", "/editor/files", "{}", {"Host": host})[0], 403, host)
        self.assertEqual(self.request("POST", "/editor/files", "{}", {"Host": f"localhost:{port}"})[0], 200)
        self.assertEqual(self.request("POST", "/editor/files", "{}", {"Origin": "http://example.org"})[0], 403)
        self.assertEqual(self.request("POST", "/editor/files", "{}", {"Origin": f"http://127.0.0.1:{port}"})[0], 200)
        self.assertEqual(self.server.server_address[0], "127.0.0.1")
        status, _, answer = self.request("OPTIONS", "/editor/files", headers={"Origin": "http://example.org"})
        self.assertGreaterEqual(status, 400)
        self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def test_only_files_that_it_lists(self):
        names = self.ask("files")[1]["files"]
        self.assertIn("labs/05_wait_group/kernel.cu", names)
        self.assertIn("mine.cu", names)
        self.assertFalse(any(name.startswith("solutions") for name in names))
        for name in ("/etc/passwd", "../mine.cu", "labs/../labs/05_wait_group/kernel.cu", "labs/05_wait_group/check.cpp", str(self.file), "", None, "mine.cu/"):
            for what in ("file", "save", "run"):
                self.assertEqual(self.ask(what, name=name, text="x")[0], 404, name)
        for path in ("/editor/../mine.cu", "/editor/mine.cu", "/editor/editor_server.py", "/editor/%2e%2e/docs_site.py", "/editor/step.html"):
            self.assertEqual(self.request("GET", path)[0], 404, path)

    def test_requests_have_a_size_and_a_form(self):
        self.assertEqual(self.request("POST", "/editor/save", b"x", {"Content-Length": str(2 << 20)})[0], 413)
        self.assertEqual(self.request("POST", "/editor/save", "[]")[0], 400)
        self.assertEqual(self.request("POST", "/editor/save", "{")[0], 400)
        self.assertEqual(self.ask("save", name="mine.cu", text=7)[0], 400)
        self.assertEqual(self.ask("everything")[0], 404)
        self.assertEqual(self.file.read_text(), WRONG)

    def test_its_pages_may_load_nothing_else(self):
        for path in ("/editor/", "/editor/editor.js"):
            headers = self.request("GET", path)[2].headers
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")

    def test_the_site_is_served_as_before(self):
        self.assertEqual(self.request("GET", "/index.html", token=False)[:2], (200, "the site"))


class WhatItDoes(Served):
    def test_a_file_of_ones_own_runs_and_is_saved_only_when_asked(self):
        status, said = self.ask("run", name="mine.cu", text=RIGHT)
        self.assertEqual((status, said["passed"], said["findings"]), (200, True, []), said)
        self.assertEqual(self.file.read_text(), WRONG)
        status, said = self.ask("run", name="mine.cu", text=WRONG)
        self.assertFalse(said["passed"])
        self.assertEqual([(one["line"], one["severity"]) for one in said["findings"][:1]], [(5, "error")])
        self.assertTrue(said["findings"][0]["remedy"])
        chinese = self.ask("run", name="mine.cu", text=WRONG, language="zh")[1]["findings"][0]
        self.assertEqual((chinese["line"], chinese["rule"]), (5, said["findings"][0]["rule"]))
        self.assertRegex(chinese["message"], "[\u4e00-\u9fff]")
        for what in ("step", "trace"):
            self.assertEqual(self.ask("draw", name="mine.cu", what=what)[1]["page"], f"{what}.html")
            status, page, answer = self.request("GET", f"/editor/{what}.html")
            self.assertEqual(status, 200)
            self.assertIn("<html", page)
            self.assertIn("sandbox", answer.headers["Content-Security-Policy"])
        self.assertEqual(self.ask("draw", name="labs/05_wait_group/kernel.cu", what="step")[0], 404)  # it has not run
        self.assertEqual(self.ask("save", name="mine.cu", text=RIGHT)[1], {"saved": True})
        self.assertEqual(self.file.read_text(), RIGHT)
        self.file.write_text(WRONG)

    def test_a_lab_is_checked_and_its_file_stays(self):
        name = "labs/01_synchronous_staging/kernel.cu"
        before = (ROOT / name).read_text()
        _, said = self.ask("run", name=name, text=(ROOT / "solutions/01_synchronous_staging/kernel.cu").read_text())
        self.assertEqual((said["passed"], said["points"]), (True, said["possible"]), said)
        wrong = lab_versions.file("01", "wrong/no_barrier_after_staging").read_text()
        _, said = self.ask("run", name=name, text=wrong)
        self.assertFalse(said["passed"])
        self.assertTrue(any(one["line"] and one["severity"] == "error" for one in said["findings"]))
        self.assertEqual((ROOT / name).read_text(), before)

    def test_what_does_not_compile_is_marked_at_its_line(self):
        _, said = self.ask("run", name="mine.cu", text=RIGHT.replace("int* out;", "int* out"))
        self.assertFalse(said["passed"])
        self.assertTrue(said["text"])
        self.assertIn("error", [one["severity"] for one in said["findings"]], said)

    def test_every_file_of_the_course_has_a_name_that_check_knows(self):
        for name, (path, of) in editor_server.course_files().items():
            self.assertTrue(path.exists())
            self.assertRegex(of, r"^\d\d(\.h?\d+)?$", name)

    @unittest.skipUnless(browser.PROGRAM, "there is no chromium")
    def test_its_page_opens_the_first_own_file_in_both_languages(self):
        for language, words in (("en", ("Compile and check", "File")), ("zh", ("编译并检查", "文件"))):
            document, console = browser.browse(f"http://127.0.0.1:{self.server.server_port}/editor/?token={self.editor.token}&language={language}")
            self.assertEqual(console, [])
            for word in words:
                self.assertIn(word, document)
            self.assertIn(f'<div>{WRONG.count(chr(10)) + 1}</div>', document)


unittest.main()
