"""Tests that run kernels: the decorator `asynclab.case`, and a plugin for pytest that shows the report of a failed one."""

import functools

from asynclab.verdict import HazardError, Verdict


def case(function=None, *, allow=()):
    """Marks a test that returns a Verdict, a Launched, or several of them: it fails unless each verdict is "passed".

    allow: rules whose findings are accepted, as in `@asynclab.case(allow=["bank-conflict"])`.
    """
    if function is None:
        return functools.partial(case, allow=allow)

    @functools.wraps(function)
    def test(*arguments, **options):
        __tracebackhide__ = True
        result = function(*arguments, **options)
        for one in result if isinstance(result, (list, tuple)) else [result]:
            verdict = getattr(one, "verdict", one)
            verdict = one if isinstance(one, Verdict) else verdict
            if not isinstance(verdict, Verdict):
                raise TypeError(f"{function.__name__} is an asynclab.case, so it returns what asynclab.run or Kernel.launch has returned; it returned {type(one).__name__}")
            accepted = verdict.verdict == "hazard" and all(finding.rule in allow or finding.severity != "error" for finding in verdict.findings)
            if not (verdict.passed or accepted):
                raise HazardError(verdict)

    return test


def pytest_runtest_makereport(item, call):
    """The report in a section of its own, and the error in one line."""
    if call.excinfo is not None and call.excinfo.errisinstance(HazardError):
        error = call.excinfo.value
        item.add_report_section("call", "asynclab", error.verdict.report or error.verdict.problem)
        error.args = (str(error).partition("\n")[0],)
