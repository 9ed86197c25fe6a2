"""Where the runner is: in the installed package (tree/), or in the clone that this file is part of."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLED = HERE / "tree"
CLONE = HERE.parents[2]


def root():
    """The tree: labs/, solutions/, common/."""
    return INSTALLED if INSTALLED.exists() else CLONE


def command():
    """How the runner is started; arguments follow."""
    if INSTALLED.exists():
        return [str(INSTALLED / "build/common/runner/lab-runner")]
    return [os.environ.get("LAB_RUNNER") or str(CLONE / "lab")]


def environment():
    """Variables that the runner needs. An installed tree is shared: what a user edits is in a folder of their own."""
    if not INSTALLED.exists():
        return {}
    from asynclab import toolchain

    return {"LAB_ROOT": str(INSTALLED), "LAB_STATE": str(toolchain.prepared()), "LAB_SHARED": "1", "LAB_COMMAND": "asynclab"}
