#!/usr/bin/env python3
"""What the protocol check explores in the reference solutions: the table of docs/simulator.md, on stdout.

python3 tests/labs/orders.py [LAB…]        by default, the labs from 05 on
"""

import json
import re
import subprocess
import sys

import lab_versions


def cases(lab):
    checked = subprocess.run(["./lab", "check", lab, "--solutions", "--schedule", "lazy", "--json"],
                             cwd=lab_versions.ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(checked.stdout)[0]["cases"]


def main():
    print("| lab | operations | most in a case | states | milliseconds | explored |\n|---|---|---|---|---|---|")
    for lab in sys.argv[1:] or [lab for lab in lab_versions.labs() if int(re.match(r"\d+", lab)[0]) >= 5]:
        all_ = [case["protocol"] for case in cases(lab)]
        not_all = sorted({one["not_all"] for one in all_} - {""})
        print(f"| {lab} | {sum(one['operations'] for one in all_):,} | {max(one['operations'] for one in all_):,} "
              f"| {sum(one['states'] for one in all_):,} | {sum(one['seconds'] for one in all_) * 1000:.1f} "
              f"| {'; '.join(not_all) or 'every order'} |")


if __name__ == "__main__":
    main()
