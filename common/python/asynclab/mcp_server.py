"""`asynclab mcp`: the Model Context Protocol over stdin and stdout, for agents that write or repair CUDA kernels.

What a model sends is not trusted: the program runs in a box (./lab run --box), with limits on time, memory, processes and output."""

import json
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from asynclab.memory_model import LitmusError, litmus
from asynclab.runner import AsynclabError, call, explain, run

LIMIT = 1 << 20  # bytes of source
INSTRUCTIONS = """Checks CUDA programs for races, missing waits, deadlocks and out-of-bounds accesses on a simulated GPU (sm_80 to sm_100a); no GPU is used.
Call run with a whole program (kernel, and a main that launches it with small sizes and returns 1 if the result is wrong). Choose sizes with a ragged
tail and more rounds than stages. "passed" means: nothing was found under the schedules and orders that were run with this input; it proves nothing
about other inputs. "hazard" names a rule, the line and the remedy; it is not a matter of luck, so change the program and do not run it again unchanged.
"incomplete" and "not-supported" are no passes. Call explain with a rule's name for a wrong and a right example, step to see what was in flight, and
litmus to ask what PTX's memory model allows a few instructions of two or more threads to do."""


def shown(verdict):
    """The verdict for a model: what it has to know to go on."""
    return {"verdict": verdict.verdict, "problem": verdict.problem, "exit_code": verdict.exit_code, "incomplete": list(verdict.incomplete),
            "findings": [{"rule": one.rule, "severity": one.severity, "at": str(one.first), "message": one.message, "remedy": one.remedy,
                          "others": [f"{place}: {place.threads} {place.action}" for place in one.others]} for one in verdict.findings],
            "protocol": verdict.record.get("protocol"), "schedules": verdict.record.get("schedules"), "report": verdict.report[:20_000]}


@contextmanager
def file_of(source):
    if len(source.encode()) > LIMIT:
        raise AsynclabError(f"the source is longer than {LIMIT >> 20} MiB")
    with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        yield file


def seconds(timeout):
    return min(max(timeout, 1), 300)


def server(box=True):
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise AsynclabError("the protocol's Python SDK (version 2) is missing: pip install 'asynclab[mcp]'") from None
    tools = MCPServer("asynclab", instructions=INSTRUCTIONS)

    @tools.tool(name="run")
    def run_source(source: str, arch: str = "", timeout: float = 60, strict: bool = False, arguments: list[str] = []) -> str:  # noqa: B006
        """Compiles and runs a CUDA C++ program on the simulated device and returns the verdict as JSON.

        source: a whole .cu file with main(). arch: what to compile for, compute_90a unless given or unless the program needs compute_100a.
        timeout: seconds, at most 300. strict: warnings count as errors. arguments: of the program. The program can read no files,
        write none, open no sockets and start no processes."""
        try:
            with file_of(source) as file:
                return json.dumps(shown(run(file, *arguments, arch=arch or None, timeout=seconds(timeout), strict=strict, box=box)))
        except AsynclabError as problem:
            return json.dumps({"verdict": "not-run", "problem": str(problem)})

    @tools.tool(name="explain")
    def explain_rule(rule: str = "") -> str:
        """A rule's title, reason, remedy, and a wrong and a right example; without a name, the names and titles of all rules."""
        try:
            found = explain(rule or None)
        except AsynclabError as problem:
            return str(problem)
        return json.dumps(found if rule else [{"name": one["name"], "severity": one["severity"], "title": one["title"]} for one in found])

    @tools.tool(name="step")
    def step_at_finding(source: str, arch: str = "", timeout: float = 60) -> str:
        """Runs the program and returns the last steps of the block before its first finding: which warp executed which line,
        what was in flight, which barriers had which phase."""
        try:
            with file_of(source) as file:
                page = file.with_name("step.json")
                done = call(["run", file, "--step", page, "--timeout", f"{seconds(timeout):g}", *(["--arch", arch] if arch else []), *["--box"] * box])
                return (page.read_text() if page.exists() else "")[:200_000] or done.stderr[-4000:]
        except AsynclabError as problem:
            return str(problem)

    @tools.tool(name="litmus")
    def memory_model(threads: list[str], initial: dict[str, int] = {}, blocks: list[int] = [], outcome: dict[str, int] = {}) -> str:  # noqa: B006
        """What PTX's memory model allows: all outcomes of a few instructions of two or more threads, and which accesses race.

        threads: the instructions of each thread, such as "st.weak.u32 [x], 1; st.release.gpu.u32 [flag], 1;" and
        "ld.acquire.gpu.u32 r0, [flag]; setp.eq.u32 p, r0, 1; @p ld.weak.u32 r1, [x];". ld, st, atom, red, fence, membar, bar.sync, mov,
        add, sub, setp and guards are known; names in brackets are 32-bit variables; there are no branches and no asynchronous copies.
        initial: values of variables, otherwise 0. blocks: each thread's block; by default, each is in one of its own.
        outcome: values in question, such as {"1:r0": 1, "1:r1": 0}; the answer's "allowed" says whether the model allows them."""
        try:
            return json.dumps(litmus(threads, initial, blocks or None, outcome or None))
        except LitmusError as problem:
            return json.dumps({"problem": str(problem)})

    return tools


def main(arguments):
    if arguments not in ([], ["--no-box"]):
        print("asynclab: error: 'mcp' takes no arguments but --no-box; it speaks the protocol on stdin and stdout", file=sys.stderr)
        return 2
    try:
        server(box=not arguments).run()
    except AsynclabError as problem:
        print(f"asynclab: error: {problem}", file=sys.stderr)
        return 2
    return 0
