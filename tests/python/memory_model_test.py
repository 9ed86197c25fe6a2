"""asynclab.litmus: what PTX's memory model allows. Each outcome that must be forbidden has a neighbour in which it is allowed."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common/python"))
from asynclab.memory_model import LitmusError, litmus  # noqa: E402


def message_passing(store, load, first="", second="", **options):
    """Two threads: data, then a flag; the flag, and only then data."""
    return litmus([f"st.weak.u32 [x], 1; {first} {store} [flag], 1;", f"{load} r0, [flag]; {second} setp.eq.u32 p, r0, 1; @p ld.weak.u32 r1, [x];"],
                  outcome={"1:r0": 1, "1:r1": 0}, **options)


class MemoryModel(unittest.TestCase):
    def check(self, answer, allowed, races):
        self.assertEqual((answer["allowed"], bool(answer["races"])), (allowed, races), answer)

    def test_release_and_acquire(self):
        self.check(message_passing("st.release.gpu.u32", "ld.acquire.gpu.u32"), False, False)
        self.check(message_passing("st.relaxed.gpu.u32", "ld.acquire.gpu.u32"), True, True)
        self.check(message_passing("st.release.gpu.u32", "ld.relaxed.gpu.u32"), True, True)

    def test_fences_make_the_same_pattern(self):
        self.check(message_passing("st.relaxed.gpu.u32", "ld.relaxed.gpu.u32", "fence.acq_rel.gpu;", "fence.acq_rel.gpu;"), False, False)
        self.check(message_passing("st.relaxed.gpu.u32", "ld.relaxed.gpu.u32", "fence.release.gpu;", "fence.acquire.gpu;"), False, False)
        self.check(message_passing("st.relaxed.gpu.u32", "ld.relaxed.gpu.u32", "fence.acq_rel.gpu;"), True, True)
        self.check(message_passing("st.volatile.u32", "ld.volatile.u32", "membar.gl;", "membar.gl;"), False, False)
        self.check(message_passing("st.volatile.u32", "ld.volatile.u32"), True, True)

    def test_a_scope_that_does_not_reach(self):
        self.check(message_passing("st.release.cta.u32", "ld.acquire.cta.u32"), True, True)
        self.check(message_passing("st.release.cta.u32", "ld.acquire.cta.u32", blocks=[0, 0]), False, False)
        self.check(message_passing("st.release.cta.u32", "ld.acquire.gpu.u32"), True, True)

    def test_store_buffering(self):
        threads = ["st.relaxed.gpu.u32 [x], 1; {} ld.relaxed.gpu.u32 r0, [y];", "st.relaxed.gpu.u32 [y], 1; {} ld.relaxed.gpu.u32 r0, [x];"]
        for fence, allowed in (("", True), ("fence.acq_rel.gpu;", True), ("fence.sc.gpu;", False), ("fence.sc.cta;", True)):
            answer = litmus([one.format(fence) for one in threads], outcome={"0:r0": 0, "1:r0": 0})
            self.check(answer, allowed, False)

    def test_atomics(self):
        twice = litmus(["atom.add.u32 r0, [x], 1;"] * 2, outcome={"x": 1})
        self.check(twice, False, False)
        self.check(litmus(["ld.relaxed.gpu.u32 r0, [x]; add.u32 r1, r0, 1; st.relaxed.gpu.u32 [x], r1;"] * 2, outcome={"x": 1}), True, False)
        lock = "atom.acquire.gpu.cas.b32 r0, [lock], 0, 1; setp.eq.u32 p, r0, 0; @p ld.u32 r1, [x]; @p add.u32 r2, r1, 1; @p st.u32 [x], r2; @p {} [lock], 0;"
        self.check(litmus([lock.format("st.release.gpu.u32")] * 2, outcome={"x": 0}), False, False)
        self.check(litmus([lock.format("st.relaxed.gpu.u32")] * 2, outcome={"x": 0}), False, True)
        # A read-modify-write by another thread carries the release on.
        chain = ["st.weak.u32 [x], 1; st.release.gpu.u32 [y], 1;", "atom.relaxed.gpu.add.u32 r0, [y], 1;",
                 "ld.acquire.gpu.u32 r0, [y]; setp.eq.u32 p, r0, 2; @p ld.weak.u32 r1, [x];"]
        self.check(litmus(chain, outcome={"2:r0": 2, "1:r0": 1, "2:r1": 0}), False, False)

    def test_block_barriers(self):
        threads = ["st.u32 [x], 1; {}", "{} ld.u32 r0, [x];"]
        self.check(litmus([one.format("bar.sync 0;") for one in threads], blocks=[0, 0], outcome={"1:r0": 0}), False, False)
        self.check(litmus([one.format("") for one in threads], blocks=[0, 0], outcome={"1:r0": 0}), True, True)

    def test_nothing_out_of_thin_air(self):
        threads = ["ld.relaxed.gpu.u32 r0, [x]; st.relaxed.gpu.u32 [y], {};", "ld.relaxed.gpu.u32 r0, [y]; st.relaxed.gpu.u32 [x], {};"]
        self.check(litmus([one.format("r0") for one in threads], initial={"x": 0}, outcome={"0:r0": 0, "1:r0": 0}), True, False)
        self.assertEqual(len(litmus([one.format("r0") for one in threads])["outcomes"]), 1)
        self.check(litmus([one.format("1") for one in threads], outcome={"0:r0": 1, "1:r0": 1}), True, False)

    def test_what_cannot_be_asked(self):
        for threads, message in ((["ldmatrix.x4 r0, [x]"], "not understood"), (["ld.u32 r0"], "1 operands"), (["fence.proxy.async"], "not understood"),
                                 (["ld.u32 a, [x]; st.u32 [x], 1;" * 6] * 2, "candidate executions")):
            with self.assertRaisesRegex(LitmusError, message):
                litmus(threads)
        with self.assertRaisesRegex(LitmusError, "names 0:r9"):
            litmus(["ld.u32 r0, [x]"], outcome={"0:r9": 1})
        with self.assertRaisesRegex(LitmusError, "2 blocks"):
            litmus(["ld.u32 r0, [x]"], blocks=[0, 1])


unittest.main()
