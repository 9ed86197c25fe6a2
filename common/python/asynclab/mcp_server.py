"""`asynclab mcp`: the Model Context Protocol over stdin and stdout, for agents that write or repair CUDA kernels.

Everything that a model sends is treated as a student's file is: the program runs in the box of the runner's own, with
limits on time, memory and output."""

import json
import sys
import tempfile
from pathlib import Path

from asynclab.runner import AsynclabError, call, explain, run

LIMIT = 1 << 20  # bytes of source
INSTRUCTIONS = """Checks CUDA programs for races, missing waits, deadlocks and out-of-bounds accesses on a simulated H100, without a GPU.
Call run with a whole program (kernel and main that launches it with small sizes). "passed" means: nothing was found under the schedules
and orders that were run with this input; it does not prove other inputs right. "hazard" names a rule, the line and the remedy. "incomplete" is
not a pass: something was not judged. Call explain with a rule's name for a wrong and a right example."""


def shown(verdict):
    """The verdict for a model: what it has to know to go on."""
    return {"verdict": verdict.verdict, "problem": verdict.problem, "exit_code": verdict.exit_code, "incomplete": list(verdict.incomplete),
            "findings": [{"rule": one.rule, "severity": one.severity, "at": str(one.first), "message": one.message, "remedy": one.remedy,
                          "others": [f"{place}: {place.threads} {place.action}" for place in one.others]} for one in verdict.findings],
            "protocol": verdict.record.get("protocol"), "schedules": verdict.record.get("schedules"), "report": verdict.report[:20_000]}


def checked(source, arch, timeout, strict, arguments):
    if len(source.encode()) > LIMIT:
        raise AsynclabError(f"the source is longer than {LIMIT >> 20} MiB")
    with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        return run(file, *arguments, arch=arch, timeout=min(max(timeout, 1), 300), strict=strict)


def server():
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise AsynclabError("the protocol's Python SDK (version 2) is missing: pip install 'asynclab[mcp]'") from None
    tools = MCPServer("asynclab", instructions=INSTRUCTIONS)

    @tools.tool(name="run")
    def run_source(source: str, arch: str = "", timeout: float = 60, strict: bool = False, arguments: list[str] = []) -> str:  # noqa: B006
        """Compiles and runs a CUDA C++ program on the simulated device and returns the verdict as JSON.

        source: a whole .cu file with main(). arch: compute_90a unless given; compute_80, compute_90 or compute_100a. timeout: seconds, at most 300.
        strict: warnings count as errors. arguments: of the program."""
        try:
            return json.dumps(shown(checked(source, arch or None, timeout, strict, arguments)))
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
        with tempfile.TemporaryDirectory(prefix="asynclab-") as folder:
            file = Path(folder) / "kernel.cu"
            file.write_text(source)
            page = Path(folder) / "step.json"
            done = call(["run", file, "--step", page, "--timeout", f"{min(max(timeout, 1), 300):g}", *(["--arch", arch] if arch else [])])
            text = page.read_text() if page.exists() else ""
        return text[:200_000] or done.stderr[-4000:]

    return tools


def main(arguments):
    if arguments:
        print("asynclab: error: 'mcp' takes no arguments; it speaks the protocol on stdin and stdout", file=sys.stderr)
        return 2
    try:
        server().run()
    except AsynclabError as problem:
        print(f"asynclab: error: {problem}", file=sys.stderr)
        return 2
    return 0
