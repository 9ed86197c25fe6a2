#!/usr/bin/env python3
"""Pages that quote a measurement quote docs/performance.md. Each text below stands in its page, with the page's figures for
{row/column}: a row is found by its first cells, and a column is counted from 0."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PERFORMANCE = ROOT / "docs/performance.md"

QUOTED = [
    ("docs/performance.md", "gains {10_tma_prefetch_ring, 6 stages/4} as launched and {10_tma_prefetch_ring, 6 stages/7} with one block"),
    ("docs/performance.md", "instead of {14_cluster_multicast/2} as launched, 699 instead of {14_cluster_multicast/5}"),
    ("docs/walkthrough/05_wait_group.md", "two stages give {05_wait_group, 2 stages/5} GB/s, three {05_wait_group, 3 stages/5}, "
     "four {05_wait_group, 4 stages/5}, six {05_wait_group, 6 stages/5}"),
    ("docs/zh/walkthrough/05_wait_group.md", "两级 {05_wait_group, 2 stages/5} GB/s，三级 {05_wait_group, 3 stages/5}，"
     "四级 {05_wait_group, 4 stages/5}，六级 {05_wait_group, 6 stages/5}"),
    ("labs/05_wait_group/README.md", "two stages moved {05_wait_group, 2 stages/5} GB/s, three {05_wait_group, 3 stages/5}, "
     "four {05_wait_group, 4 stages/5} and six {05_wait_group, 6 stages/5}"),
    ("labs/05_wait_group/README.zh.md", "两级达到 {05_wait_group, 2 stages/5} GB/s，三级 {05_wait_group, 3 stages/5}，"
     "四级 {05_wait_group, 4 stages/5}，六级 {05_wait_group, 6 stages/5}"),
    ("docs/walkthrough/09_tma_bulk_1d.md", "gains a factor of {10_tma_prefetch_ring, 6 stages/4} as launched and {10_tma_prefetch_ring, 6 stages/7} with"),
    ("docs/zh/walkthrough/09_tma_bulk_1d.md", "按原样启动快到 {10_tma_prefetch_ring, 6 stages/4} 倍，每个 SM 一个线程块时快到 {10_tma_prefetch_ring, 6 stages/7} 倍"),
    ("docs/walkthrough/14_cluster_multicast.md", "the multicast version {14_cluster_multicast/2}."),
    ("docs/zh/walkthrough/14_cluster_multicast.md", "multicast 版本为 {14_cluster_multicast/2}。"),
    ("docs/walkthrough/18_wgmma_ring.md", "the solution reached {lab 18/1} and cuBLAS {lab 18/2}"),
    ("docs/zh/walkthrough/18_wgmma_ring.md", "参考解答为 {lab 18/1}，cuBLAS 为 {lab 18/2}"),
    ("labs/18_wgmma_ring/README.md", "the reference solution reaches {lab 18/1} TFLOP/s for 4096³"),
    ("labs/18_wgmma_ring/README.zh.md", "达到 {lab 18/1} TFLOP/s"),
    ("labs/19_multicast_gemm/README.md", "the reference solution reaches {lab 19, clusters of two/1} TFLOP/s"),
]


def rows():
    for line in PERFORMANCE.read_text().splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.split("|")[1:-1]]


def figure(found):
    row, column = found[1].split("/")
    matching = [cells for cells in rows() if row in (cells[0], f"{cells[0]}, {cells[1]}")]
    if not matching:
        raise ValueError(f"docs/performance.md has no row '{row}'")
    return matching[0][int(column)]


class Figures(unittest.TestCase):
    def test_pages_quote_the_page_that_has_the_figures(self):
        for page, text in QUOTED:
            with self.subTest(page):
                expected = re.sub(r"\{([^}]+)\}", figure, text)
                self.assertIn(" ".join(expected.split()), " ".join((ROOT / page).read_text().split()))


if __name__ == "__main__":
    unittest.main()
