"""Starts the runner, of an installed package or of a clone."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from asynclab import installation
from asynclab.verdict import Verdict


class AsynclabError(RuntimeError):
    """The runner could not do what was asked: a wrong argument, a missing file or compiler. str() says what to do next."""


def call(arguments, *, timeout=None, cwd=None, environment=None):
    """Runs `asynclab ARGUMENTS` without a terminal. Raises AsynclabError if it does not end within `timeout` seconds."""
    command = [*installation.command(), *map(str, arguments)]
    try:
        return subprocess.run(command, env={**os.environ, **installation.environment(), **(environment or {})}, cwd=cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        raise AsynclabError(f"{' '.join(command[:3])} has not ended after {timeout:g} s") from None


def verdict_of(arguments, *, timeout=None, cwd=None):
    """The verdict of `run ARGUMENTS`."""
    with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
        result = Path(folder) / "result.json"
        done = call(["run", "--json", result, *arguments], timeout=timeout, cwd=cwd)
        if not result.exists():
            raise AsynclabError((done.stderr or done.stdout).strip() or f"run ended with {done.returncode}")
        record = json.loads(result.read_text())
    if record["verdict"] == "not-run":
        raise AsynclabError(record.get("problem") or done.stderr.strip())
    return Verdict.of(record, (done.stdout + done.stderr).strip())


def run(source, *arguments, arch=None, schedules=None, strict=False, suppress=None, timeout=60.0, box=False, nvcc=()):
    """Compiles a CUDA program and runs it on the simulated device, as `asynclab run` does.

    source: path of a .cu file.  arguments: of the program.  arch: "compute_90a" unless given.  schedules: how many; by
    default up to four, as time permits.  strict: warnings count as errors.  suppress: path of a file of suppressions.
    timeout: seconds for the program.  box: the program may only read itself and the system's libraries, write no files,
    open no sockets and start no processes.  nvcc: further arguments for nvcc.
    Returns a Verdict. Raises AsynclabError for a missing file or a machine without a usable compiler.
    """
    options = ["--timeout", f"{timeout:g}"]
    for name, value in (("--arch", arch), ("--schedules", schedules), ("--suppress", suppress)):
        options += [name, value] if value is not None else []
    options += ["--strict"] * bool(strict) + ["--box"] * bool(box) + [word for flag in nvcc for word in ("--nvcc", flag)]
    return verdict_of([source, *options, *(["--", *arguments] if arguments else [])])


def explain(rule=None):
    """A rule's record (`name`, `severity`, `title`, `why`, `remedy`, `wrong`, `right` …), or the list of all."""
    done = call(["explain", *([rule] if rule else []), "--json"])
    if done.returncode:
        raise AsynclabError(done.stderr.strip())
    return json.loads(done.stdout)
