"""Timelines of whole programs: what overlaps, what does not, and the files that are written."""

import json
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

RUNNER = Path(sys.argv.pop(1))
PROGRAM = Path(__file__).resolve().parent / "programs" / "staged.cu"
VOID = {"meta", "br", "link"}


class Page(HTMLParser):
    """Fails where elements are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def lab(*arguments):
    return subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def hidden(events):
    """(cycles that copies are in flight, the part of it in which a warp computes), of the kernel as it is"""
    own = [event for event in events if event["ph"] == "X" and event["pid"] == 2]
    busy = set()
    for event in own:
        if event["cat"] == "compute":
            busy.update(range(event["ts"], event["ts"] + event["dur"]))
    flights = [range(event["ts"], event["ts"] + event["dur"]) for event in own if event["cat"] == "copy"]
    return sum(map(len, flights)), sum(len(busy.intersection(flight)) for flight in flights)


class Timeline(unittest.TestCase):
    def trace(self, flags, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "a<b>&.html"
            done = lab("run", "--trace", out, PROGRAM, "--nvcc", flags, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = Page(out.read_text())
            self.assertEqual(page.elements.count("table"), out.read_text().count("<caption>"))
            return json.loads(out.with_suffix(".json").read_text())["traceEvents"], done.stderr, page

    def test_double_buffering_overlaps(self):
        events, text, page = self.trace("-DSTAGES=2")
        flight, overlap = hidden(events)
        self.assertGreater(overlap, flight / 4)
        self.assertEqual(sum(e.get("cat") == "copy" and e["pid"] == 2 for e in events), 12)
        self.assertIn("wait_group 1", text)
        self.assertEqual(page.elements.count("svg"), 2)

    def test_a_wait_right_after_the_issue_hides_next_to_nothing(self):
        flight, overlap = hidden(self.trace("-DSTAGES=1")[0])
        self.assertGreater(flight, 0)
        self.assertLess(overlap, flight / 8)

    def test_synchronous_staging_has_no_copies_in_flight(self):
        events, text, page = self.trace("-DSYNCHRONOUS -DSTAGES=1")
        self.assertEqual(hidden(events), (0, 0))
        self.assertIn("no asynchronous copies", text)
        self.assertIn("global load", {event["name"] for event in events})
        self.assertEqual(page.elements.count("svg"), 1)

    def test_every_warp_of_the_chosen_block_has_a_lane(self):
        events, text, _ = self.trace("-DSTAGES=2", "--block", "1")
        self.assertIn("block 1", text)
        for warp in range(4):
            self.assertTrue(any(e["ph"] == "X" and e["pid"] == 2 and e["tid"] == warp for e in events))

    def test_a_block_that_does_not_exist_is_said_so(self):
        with tempfile.TemporaryDirectory() as folder:
            done = lab("run", "--trace", Path(folder) / "x", PROGRAM, "--block", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("block 2 of no launch has run", done.stderr)

    def test_a_kernel_that_hangs_has_no_speed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "hangs.cu"
            program.write_text(json.loads(lab("explain", "deadlock", "--json").stdout)["wrong"])
            done = lab("run", "--trace", Path(folder) / "hangs", program)
            self.assertIn("The kernel does not end, so its speed says nothing. Warp 0 waits for barrier at hangs.cu:", done.stderr)
            self.assertNotIn("times as fast", done.stderr)
            self.assertNotIn("more stages", done.stderr)
            self.assertIn("waits for", Path(folder, "hangs.html").read_text())

    def test_the_model_of_a_b200_is_said_to_be_published(self):
        published = "published figures of an NVIDIA B200. None of them was measured here"
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "trace"
            plain = lab("trace", "22", "--solutions", "--out", out).stdout
            self.assertIn("an NVIDIA H100's figures", " ".join(plain.split()))
            self.assertIn(published, " ".join(lab("trace", "22", "--solutions", "--out", out, "--model", "b200").stdout.split()))
            done = lab("run", "--trace", out, PROGRAM, "--nvcc", "-DSTAGES=2", "--model", "b200")
            self.assertIn(published, " ".join(done.stderr.split()))
            self.assertNotIn("figures", lab("run", "--trace", out, PROGRAM, "--nvcc", "-DSTAGES=2").stderr)

    def test_a_lab(self):
        with tempfile.TemporaryDirectory() as folder:
            done = lab("trace", "10", "--solutions", "--out", Path(folder) / "ring")
            self.assertEqual(done.returncode, 0, done.stderr)
            for what in ("10_tma_prefetch_ring", "mbarrier at", "times as fast"):
                self.assertIn(what, done.stdout)
            page = (Path(folder) / "ring.html").read_text()
            Page(page)
            self.assertIn("bulk copy 3", page)
            json.loads((Path(folder) / "ring.json").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
