"""What a plain run on a GPU betrays of the labs' wrong versions: needs a GPU. The tables of docs/hardware.md.

    python3 tests/labs/hardware.py build/common/runner/lab-runner OUT.tsv [LAB…]
"""

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAYS = {"passed": "right", "wrong": "wrong result", "cuda-error": "error", "crash": "error", "timeout": "hangs"}
WORST = ["hangs", "error", "wrong result", "right"]


def versions(labs):
    for lab in sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir()):
        if not labs or lab[:2] in labs:
            yield lab, "solution", ROOT / "solutions" / lab / "kernel.cu"
            yield lab, "skeleton", ROOT / "labs" / lab / "kernel.cu"
            for kind in ("wrong", "correct"):
                for file in sorted((ROOT / "tests/labs" / lab / kind).glob("*.cu")):
                    yield lab, kind, file


def judge(version):
    lab, kind, file = version
    name = f"{lab[:2]}-{kind}" + (f"-{file.stem}" if kind in ("wrong", "correct") else "")
    command = [RUNNER, "check", lab[:2], "--device", "gpu", "--timeout", "5", "--file", file, "--json", "-"]
    try:
        (report,) = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=600).stdout)
    except (ValueError, subprocess.TimeoutExpired) as problem:
        return name, kind, f"not judged: {problem}"
    if report["compile_errors"]:
        return name, kind, "does not compile"
    seen = {SAYS.get(case["verdict"], case["verdict"]) for case in report["cases"]}
    others = seen.difference(WORST)
    return name, kind, f"not judged: {' '.join(sorted(others))}" if others else next((v for v in WORST if v in seen), "no case")


if __name__ == "__main__":
    RUNNER, out, labs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:]
    with ThreadPoolExecutor(8) as pool, out.open("w") as table:
        counts = Counter()
        for name, kind, verdict in pool.map(judge, versions(labs)):
            print(name, verdict, sep="\t", file=table, flush=True)
            counts[kind, verdict] += 1
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind:9} {verdict:13} {count}")
