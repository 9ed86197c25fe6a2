"""A stand-in for nvcc that finds a mistake in each kernel at once, for tests of what is collected and reported.

What the real compilers make of `#error` is in shapes_test.py, at the grader's own choice of isolation.
"""

import atexit
import json
import os
import shutil
import tempfile
from pathlib import Path

TREE = Path(os.environ.get("LAB_ROOT", Path(__file__).resolve().parents[2]))
NVCC = r"""#!/bin/sh
out= source= before=
for word; do
    case $before:$word in
        -o:*) out=$word ;;
        *:*.cu) source=$word ;;
    esac
    before=$word
done
text=$(cat "$source") || { echo "cannot open $source" >&2; exit 1; }
case $text in
    *'void nothing()'*) exec cp "$source" "$out" ;; # the grader asks whether the compiler works here
esac
echo "kernel.cu(1): error: $(head -n 1 "$source")" >&2
exit 2
"""


def use():
    """Has the graders that this process starts call it."""
    known = Path(os.environ.get("LAB_STATE", TREE / ".asynclab")) / "toolchain.json"
    if not known.exists():
        return
    state = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, state, ignore_errors=True)
    state.chmod(0o755)  # a grader that is root compiles as another user
    nvcc = state / "nvcc"
    nvcc.write_text(NVCC)
    nvcc.chmod(0o755)
    (state / "toolchain.json").write_text(json.dumps({**json.loads(known.read_text()), "nvcc": str(nvcc)}))
    os.environ["LAB_STATE"] = str(state)
