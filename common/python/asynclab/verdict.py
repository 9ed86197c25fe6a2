"""What `run --json` says, as objects. The JSON's schema is verdict.schema.json beside this file."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """One side of a finding."""

    file: str  #: as the compiler named it
    line: int  #: from 1; 0: unknown
    column: int  #: from 1; 0: unknown
    threads: str  #: "threads 0-127 of block 0"
    action: str  #: what they did there

    @classmethod
    def of(cls, record):
        return cls(*(record.get(key, "" if key in ("file", "threads", "action") else 0) for key in ("file", "line", "column", "threads", "action")))

    def __str__(self):
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Finding:
    """Something that the hazard detector reports. `rule` is stable: later versions do not rename rules."""

    rule: str
    severity: str  #: "error", "warning" or "note"
    kernel: str
    message: str
    remedy: str
    first: Place | None
    others: tuple[Place, ...]
    count: int  #: how often it was seen
    record: dict = field(repr=False, compare=False)  #: the JSON object

    @classmethod
    def of(cls, record):
        first = record.get("first")
        return cls(record["rule"], record["severity"], record.get("kernel", ""), record["message"], record.get("remedy", ""),
                   Place.of(first) if first else None, tuple(map(Place.of, record.get("others", []))), record.get("count", 1), record)

    def __str__(self):
        return f"{self.first}: {self.severity}: {self.rule}" if self.first else f"{self.severity}: {self.rule}"


@dataclass(frozen=True)
class Verdict:
    """The verdict about one program. `verdict` is "passed", "hazard", "incomplete", "not-supported", "timeout", "failed",
    "compile-error" or "not-run"; docs/scripts.md says what each means."""

    verdict: str
    findings: tuple[Finding, ...]
    incomplete: tuple[dict, ...]  #: what was not judged: "what" and "next" each
    exit_code: int  #: of the program
    report: str = field(repr=False)  #: what ./lab run prints
    record: dict = field(repr=False, compare=False)

    @classmethod
    def of(cls, record, report):
        return cls(record["verdict"], tuple(map(Finding.of, record.get("findings", []))), tuple(record.get("incomplete", [])),
                   record.get("exit_code", 0), report, record)

    @property
    def passed(self):
        """Nothing was found, and nothing was left out."""
        return self.verdict == "passed"

    @property
    def errors(self):
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def problem(self):
        """Why the program was not run; empty if it was."""
        return self.record.get("problem", "")

    def raise_for_hazards(self):
        """Raises HazardError unless the verdict is "passed"."""
        if not self.passed:
            raise HazardError(self)


class HazardError(AssertionError):
    """The verdict is not "passed". `verdict` is the verdict; str() is the report."""

    def __init__(self, verdict):
        super().__init__(f"{verdict.verdict}: {', '.join(map(str, verdict.findings)) or verdict.problem}\n{verdict.report}".rstrip())
        self.verdict = verdict
