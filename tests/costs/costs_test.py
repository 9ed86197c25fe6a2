"""`./lab bench costs`: its records, its comparison of them, and its page. Nothing is timed here."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import costs
import history

HERE = Path(__file__).resolve().parent


def record(commit, machine=None, **values):
    """A record of the costs ring and alu: ring=1.5 is processor time, ring_count=700 are instructions."""
    made = {}
    for name, value in values.items():
        name, _, count = name.partition("_")
        made.setdefault(name, {})["instructions" if count else "processor"] = value
    return {"commit": commit, "date": "2026-01-02", "machine": machine or {"processor": "one", "cores": 2}, "load": 0.5, "costs": made}


def said(then, now):
    return list(history.slower(history.compare(then, now)))


class Slower(unittest.TestCase):
    def test_a_larger_count_is_said(self):
        self.assertEqual(said([record("abc1234", ring_count=100)], record("now", ring_count=131)),
                         ["slower: ring: 1.31 × the instructions of abc1234"])

    def test_an_equal_one_is_not(self):
        self.assertEqual(said([record("abc1234", ring_count=100, alu=1.0)], record("now", ring_count=100, alu=1.0)), [])

    def test_a_longer_time_is_said(self):
        self.assertEqual(said([record("abc1234", ring=1.0)], record("now", ring=2.0)), ["slower: ring: 2.00 × the processor time of abc1234"])

    def test_times_that_vary_are_not(self):
        self.assertEqual(said([record("abc1234", ring=1.0)], record("now", ring=1.1)), [])

    def test_it_is_the_last_record_that_has_the_cost(self):
        records = [record("older", ring=1.0), record("newer", ring=2.0), record("newest", alu=1.0)]
        self.assertEqual(said(records, record("now", ring=2.0)), [])
        self.assertEqual(len(said(records, record("now", ring=3.0))), 1)

    def test_times_of_another_machine_are_no_measure(self):
        self.assertEqual(said([record("abc1234", {"processor": "another", "cores": 64}, ring=1.0)], record("now", ring=9.0)), [])

    def test_times_of_a_busy_machine_are_no_measure_but_its_counts_are(self):
        busy = {**record("abc1234", ring=1.0, ring_count=100), "load": 2.1}
        self.assertEqual(said([busy], record("now", ring=9.0, ring_count=100)), [])
        self.assertEqual(len(said([busy], record("now", ring_count=131))), 1)
        self.assertEqual(len(said([{**busy, "load": 2.0}], record("now", ring=9.0))), 1)

    def test_counts_of_another_machine_are_one(self):
        self.assertEqual(len(said([record("abc1234", {"processor": "another", "cores": 64}, ring_count=1)], record("now", ring_count=9))), 1)


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "costs.jsonl"
        self.runner = Path(folder.name) / "runner"

    def run_costs(self, *words, **loops):
        """With a runner whose `bench device` answers at once: ring=1e9 is its speed with the detector."""
        answer = json.dumps({name: {"on": speed} for name, speed in loops.items()})
        self.runner.write_text(f"#!/bin/sh\necho '{answer}'\n")
        self.runner.chmod(self.runner.stat().st_mode | stat.S_IEXEC)
        return subprocess.run([sys.executable, HERE / "costs.py", "--runner", self.runner, "--records", self.file, "--times", "1", *words],
                              capture_output=True, text=True)

    def test_what_is_written_is_read(self):
        for commit in ("one", "two"):
            history.append(self.file, record(commit, ring=1.5))
        self.assertEqual(history.read(self.file), [record("one", ring=1.5), record("two", ring=1.5)])

    def test_no_file_is_no_record(self):
        self.assertEqual(history.read(self.file), [])
        done = self.run_costs("loops", ring=1e9)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no earlier record has these costs", done.stdout)

    def test_slower_fails_nothing_but_is_said(self):
        history.append(self.file, {**record("abc1234"), "machine": history.machine(), "costs": {"ring with the detector": {"processor": 1.0}}})
        done = self.run_costs("loops", ring=0.5e9)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("slower: ring with the detector: 2.00 × the processor time of abc1234", done.stdout)

    def test_equal_is_not(self):
        history.append(self.file, {**record("abc1234"), "machine": history.machine(), "costs": {"ring with the detector": {"processor": 1.0}}})
        done = self.run_costs("loops", ring=1e9)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1.00 ×", done.stdout)
        self.assertIn("nothing is slower", done.stdout)

    def refused(self, done, what):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 2, done.stderr)
        self.assertIn(what, done.stderr)
        self.assertIn("next: ", done.stderr)

    def test_a_broken_line_is_named(self):
        history.append(self.file, record("one"))
        self.file.write_text(self.file.read_text() + "<<<<<<< HEAD\n")
        self.refused(self.run_costs("loops"), "costs.jsonl:2: this line is no JSON")

    def test_a_line_that_is_no_record_is_named(self):
        for line, field in ((["list"], "commit"), ({**record("one"), "costs": 7}, "costs"), ({"commit": "one"}, "date")):
            self.file.write_text(json.dumps(line) + "\n")
            self.refused(self.run_costs("loops"), f"costs.jsonl:1: this record has no '{field}'")

    def test_costs_that_are_none(self):
        self.refused(self.run_costs("lops"), "there is no cost named lops")
        self.refused(self.run_costs("loops", "--times", "0"), "--times must be at least 1")

    def test_a_runner_that_fails_is_a_line(self):
        self.runner.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
        self.runner.chmod(0o755)
        done = subprocess.run([sys.executable, HERE / "costs.py", "--runner", self.runner, "--records", self.file, "loops"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("loops: not measured: ./lab bench device failed: broken", done.stdout)


class Commits(unittest.TestCase):
    def commit(self, changes, record_it):
        before, costs.git = costs.git, lambda *words: changes if words[0] == "status" else "abc12345"
        try:
            return costs.commit(record_it)
        finally:
            costs.git = before

    def test_a_record_belongs_to_a_commit(self):
        self.assertEqual(self.commit("", True), "abc12345")

    def test_changes_are_not_recorded_but_measured(self):
        self.assertEqual(self.commit(" M lab", False), "abc12345+")
        with open(os.devnull, "w") as nowhere:
            stderr, sys.stderr = sys.stderr, nowhere
            try:
                self.assertRaises(SystemExit, self.commit, " M lab", True)
            finally:
                sys.stderr = stderr


class Page(unittest.TestCase):
    def test_a_table_for_each_kind_with_ratios_to_its_first_record(self):
        text = "\n".join(history.tables([record("one", ring=1.0, ring_count=2_000_000), record("two", ring=1.5, alu=3.0)]))
        self.assertIn("| ring | 1.00 s | 1.50 s (1.50 ×) |", text)
        self.assertIn("| alu | – | 3.00 s |", text)
        self.assertIn("| ring | 2.0 M |", text)

    def test_it_follows_the_records(self):
        text = costs.PAGE.read_text()
        expected = history.page(text, history.read(costs.RECORDS))
        if os.environ.get("ASYNCLAB_BLESS"):
            costs.PAGE.write_text(expected)
        else:
            self.assertEqual(text, expected, "ASYNCLAB_BLESS=1 ./lab test costs   writes its tables anew")


unittest.main()
