"""What PTX's memory model allows: every execution of a few lines for two or more threads, judged by the axioms of the PTX ISA's
chapter "Memory Consistency Model" (https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model)."""

import itertools
import re
from dataclasses import dataclass, field

SCOPES = ("cta", "cluster", "gpu", "sys")
MOST = 300_000  #: candidates that are looked at
OPERATIONS = {"add": lambda old, a: old + a, "exch": lambda old, a: a, "and": lambda old, a: old & a, "or": lambda old, a: old | a,
              "xor": lambda old, a: old ^ a, "min": min, "max": max}


class LitmusError(ValueError):
    """The test cannot be read, or has too many executions. str() says which line."""


@dataclass(eq=False)
class Event:
    """One instruction of one thread."""

    thread: int
    text: str
    kind: str  #: "ld", "st", "atom", "fence", "bar", or what only computes: "mov", "add", "sub", "setp.eq" …
    operands: list = field(default_factory=list)
    guard: tuple = None  #: (register, value that it must be)
    place: str = ""  #: the variable
    scope: str = ""
    acquires: bool = False
    releases: bool = False
    strong: bool = False
    sc: bool = False
    operation: str = ""

    @property
    def reads(self):
        return self.kind in ("ld", "atom")

    @property
    def target(self):
        return self.operands[0] if self.kind not in ("st", "fence", "bar") and self.operation != "red" else None

    def __str__(self):
        return f"thread {self.thread}: {self.text}"


def parsed(thread, line):
    text = line.strip()
    guard = re.match(r"@(!?)%?(\w+)\s+", text)
    body = re.sub(r"[\[\]%]", "", text[guard.end():] if guard else text)
    word, _, rest = body.partition(" ")
    parts, operands = word.split("."), [one.strip() for one in rest.split(",") if one.strip()]
    event = Event(thread, text + ";", parts[0], operands, (guard[2], not guard[1]) if guard else None)
    order = next((part for part in parts if part in ("weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "sc", "mmio")), "")
    event.scope = next((part for part in parts if part in SCOPES), "sys" if order in ("volatile", "mmio") else "gpu")
    event.acquires, event.releases = order in ("acquire", "acq_rel", "sc"), order in ("release", "acq_rel", "sc")
    event.strong = order not in ("", "weak")
    count = {"ld": 2, "st": 2, "bar": 1, "mov": 2, "add": 3, "sub": 3, "setp": 3}.get(parts[0])
    if parts[0] in ("membar", "fence"):
        levels = {"cta": "cta", "gl": "gpu", "sys": "sys"}
        event.kind, event.strong, count = "fence", True, 0
        if parts[0] == "membar":
            event.scope, event.sc, event.acquires, event.releases = levels.get(parts[-1], ""), True, True, True
        event.sc |= order == "sc"
        if not event.scope or not (event.acquires or event.releases) or "proxy" in parts:
            raise LitmusError(f"'{text}' is not understood: fence.sc, fence.acq_rel, fence.acquire and fence.release with a scope are, and membar")
    elif parts[0] in ("bar", "barrier"):
        if "sync" not in parts:
            raise LitmusError(f"'{text}' is not understood: of barriers, bar.sync is")
        event.kind = "bar"
    elif parts[0] in ("atom", "red"):
        event.kind, event.strong = "atom", True
        event.operation = next((part for part in parts[1:] if part in OPERATIONS or part == "cas"), "")
        if parts[0] == "red":
            event.operands, event.operation = ["", *operands], event.operation
        count = 4 if event.operation == "cas" else 3
        if not event.operation:
            raise LitmusError(f"'{text}' is not understood: the operations are {', '.join([*OPERATIONS, 'cas'])}")
    elif parts[0] == "setp":
        event.kind = word.rsplit(".", 1)[0] if parts[-1][1:].isdigit() else word
    elif count is None:
        raise LitmusError(f"'{text}' is not understood: ld, st, atom, red, fence, membar, bar.sync, mov, add, sub and setp are")
    if count is not None and len(event.operands) != count:
        raise LitmusError(f"'{text}' has {len(event.operands)} operands, and {count} are needed")
    if event.kind in ("ld", "st", "atom"):
        event.place = event.operands[0 if event.kind == "st" else 1]
    return event


class Rejected(Exception):
    """Not an execution: a value out of thin air, or a write that is not executed is read."""


class Values:
    """What each instruction computes, if the reads take their values from the writes that `sources` says."""

    def __init__(self, threads, initial, sources):
        self.threads, self.initial, self.sources, self.known, self.open = threads, initial, sources, {}, set()

    def once(self, key, compute):
        if key not in self.known:
            if key in self.open:
                raise Rejected
            self.open.add(key)
            self.known[key] = compute()
            self.open.discard(key)
        return self.known[key]

    def executed(self, event):
        return event.guard is None or self.once(("guard", event), lambda: bool(self.register(event, event.guard[0])) == event.guard[1])

    def register(self, event, name):
        if re.fullmatch(r"-?\d+|-?0x[0-9a-fA-F]+", name):
            return int(name, 0)
        line = self.threads[event.thread]
        for before in reversed(line[:line.index(event)]):
            if before.target == name and self.executed(before):
                return self.result(before)
        return 0

    def result(self, event):
        """What its register holds afterwards."""
        return self.once(("result", event), lambda: self.compute(event))

    def compute(self, event):
        if event.reads:
            source = self.sources[event]
            return self.initial.get(event.place, 0) if source is None else self.written(source)
        a, *more = [self.register(event, name) for name in event.operands[1:]]
        compare = event.kind.split(".")[-1]
        if event.kind.startswith("setp"):
            return int({"eq": a == more[0], "ne": a != more[0], "lt": a < more[0], "le": a <= more[0], "gt": a > more[0], "ge": a >= more[0]}[compare])
        return a + more[0] if event.kind == "add" else a - more[0] if event.kind == "sub" else a

    def writes(self, event):
        if event.kind == "atom" and event.operation == "cas":
            return self.result(event) == self.register(event, event.operands[2])
        return event.kind in ("st", "atom")

    def written(self, event):
        if not self.executed(event) or not self.writes(event):
            raise Rejected
        value = self.register(event, event.operands[3 if event.operation == "cas" else 2 if event.kind == "atom" else 1])
        return value if event.kind == "st" or event.operation == "cas" else OPERATIONS[event.operation](self.result(event), value)


def closed(pairs):
    """The transitive closure."""
    after = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    changed = True
    while changed:
        changed = False
        for reached in after.values():
            more = set().union(*(after.get(one, ()) for one in reached)) - reached
            if more:
                reached |= more
                changed = True
    return {(a, b) for a, reached in after.items() for b in reached}


def orientations(pairs, fixed):
    """Every way to order each of the pairs that agrees with `fixed` and has no cycle."""
    for choice in itertools.product((0, 1), repeat=len(pairs)):
        order = closed(fixed | {pair if not flip else pair[::-1] for pair, flip in zip(pairs, choice)})
        if all(a is not b for a, b in order):
            yield order


class Execution:
    """One choice of sources, with the relations that follow from it."""

    def __init__(self, events, blocks, values):
        self.blocks, self.values = blocks, values
        self.events = [one for one in events if values.executed(one)]
        self.memory = [one for one in self.events if one.place]
        self.writers = [one for one in self.memory if values.writes(one)]
        self.source = {one: values.sources[one] for one in self.memory if one.reads}
        if any(one is not None and one not in self.writers for one in self.source.values()):
            raise Rejected
        position = {one: i for i, one in enumerate(events)}
        self.program = {(a, b) for a in self.events for b in self.events if a.thread == b.thread and position[a] < position[b]}
        self.observed = closed({(one, read) for read, one in self.source.items() if one is not None and self.strong_pair(one, read)})

    def includes(self, event, other):
        return event.scope not in ("cta", "cluster") or self.blocks[event.thread] == self.blocks[other.thread]

    def strong_pair(self, a, b):
        """Morally strong."""
        return a.thread == b.thread or (a.strong and b.strong and self.includes(a, b) and self.includes(b, a))

    def synchronizes(self):
        releases = [(first, write) for write in self.writers if write.strong for first in self.events
                    if first.releases and (first is write or ((first, write) in self.program and (first.kind == "fence" or first.place == write.place)))]
        acquires = [(read, last) for read in self.source if read.strong for last in self.events
                    if last.acquires and (last is read or ((read, last) in self.program and (last.kind == "fence" or last.place == read.place)))]
        return {(first, last) for first, write in releases for read, last in acquires
                if (write, read) in self.observed and self.strong_pair(first, last)}

    def meets(self):
        """Barriers: the k-th of each thread with that number, in one block."""
        seen, met = {}, {}
        for one in self.events:
            if one.kind == "bar":
                key = (self.blocks[one.thread], self.values.register(one, one.operands[0]))
                count = seen[key, one.thread] = seen.get((key, one.thread), 0) + 1
                met.setdefault((key, count), []).append(one)
        for (key, _), there in met.items():
            if len(there) != len({thread for at, thread in seen if at == key}):
                raise Rejected  # a thread waits for ever
        pairs = {(a, b) for there in met.values() for a in there for b in there if a is not b}
        if pairs and any((b, a) in self.program for a, b in closed(self.program | pairs)):
            raise Rejected  # two threads wait for each other
        return pairs

    def allowed(self):
        """(causality order, coherence order) of each execution that the axioms allow."""
        fences = [pair for pair in itertools.combinations([one for one in self.events if one.sc], 2) if pair[0].thread != pair[1].thread and self.strong_pair(*pair)]
        direct = self.program | self.synchronizes() | self.meets()
        for order in orientations(fences, set()):
            base = closed(direct | order)
            cause = base | {(a, c) for a, b in self.observed for b2, c in base if b is b2}
            if any((b, a) in cause for a, b in order):
                continue
            # `base`: what has observed the write of an atomic operation comes after that write, not after its read.
            if any(one is not None and (read, one) in base for read, one in self.source.items()):
                continue
            together = [(a, b) for a, b in itertools.permutations(self.writers, 2) if a.place == b.place]
            fixed = {pair for pair in together if pair in cause}
            free = [(a, b) for a, b in itertools.combinations(self.writers, 2)
                    if a.place == b.place and self.strong_pair(a, b) and (a, b) not in fixed and (b, a) not in fixed]
            for coherence in orientations(free, fixed):
                if self.consistent(cause, coherence):
                    yield cause, coherence

    def consistent(self, cause, coherence):
        before = {(read, write) for read, one in self.source.items() for write in self.writers
                  if write.place == read.place and write is not read and (one is None or (one, write) in coherence)}
        if any((write, read) in cause for read, write in before):
            return False
        for one in self.source:
            if one in self.writers and any((one, write) in before and (write, one) in coherence and self.strong_pair(one, write) for write in self.writers):
                return False  # between the halves of an atomic operation
        seen = {(one, read) for read, one in self.source.items() if one is not None}
        local = {(a, b) for a, b in self.program if a.place and a.place == b.place}
        return all(a is not b for a, b in closed(local | {pair for pair in before | coherence | seen if self.strong_pair(*pair)}))

    def races(self, cause):
        for a, b in itertools.combinations(self.memory, 2):
            if a.place == b.place and a.thread != b.thread and (a in self.writers or b in self.writers):
                if not self.strong_pair(a, b) and (a, b) not in cause and (b, a) not in cause:
                    yield a, b

    def outcomes(self, coherence, registers, places):
        last = {place: [one for one in self.writers if one.place == place and not any((one, other) in coherence for other in self.writers)] or [None]
                for place in places}
        held = {}
        for thread, name in registers:
            line = [one for one in self.values.threads[thread] if one.target == name and self.values.executed(one)]
            held[f"{thread}:{name}"] = self.values.result(line[-1]) if line else 0
        for choice in itertools.product(*last.values()):
            memory = {place: self.values.initial.get(place, 0) if one is None else self.values.written(one) for place, one in zip(last, choice)}
            yield {**held, **memory}


def litmus(threads, initial=None, blocks=None, outcome=None):
    """What PTX's memory model allows a few lines to do.

    threads: the lines of each thread, as in ["st.relaxed.gpu.u32 [x], 1; …", "ld.acquire.gpu.u32 r0, [flag]; …"]. Names in
    brackets are variables of 32 bits. Known are ld, st, atom, red, fence, membar, bar.sync, mov, add, sub, setp, and guards
    (@p, @!p); there are no branches. initial: values of variables, otherwise 0. blocks: the number of each thread's block;
    without it, each thread is in a block of its own. outcome: values in question, as in {"1:r0": 1, "1:r1": 0, "x": 2}.
    Returns a dict: `outcomes` (each register "THREAD:NAME" that is loaded and each variable at the end), `races` (pairs of
    accesses that some execution leaves unordered, with the outcome of that execution), `races_always`, and, if `outcome` is
    given, `allowed`. Raises LitmusError.
    """
    lines = [[parsed(i, line) for line in re.split(r"[;\n]", re.sub(r"//.*", "", text)) if line.strip()] for i, text in enumerate(threads)]
    blocks = list(range(len(lines))) if blocks is None else blocks
    if len(blocks) != len(lines):
        raise LitmusError(f"{len(blocks)} blocks are named for {len(lines)} threads")
    events = [event for line in lines for event in line]
    places = sorted({event.place for event in events if event.place} | set(initial or {}))
    registers = sorted({(event.thread, event.target) for event in events if event.reads and event.target})
    reads = [event for event in events if event.reads]
    sources = [[None, *(one for one in events if one.kind in ("st", "atom") and one.place == read.place and one is not read)] for read in reads]
    size = 1
    for choices in sources:
        size *= len(choices)
    if size > MOST:
        raise LitmusError(f"the test has {size} candidate executions, and {MOST} can be looked at: leave out loads or stores")
    outcomes, races, clean = {}, {}, False
    for chosen in itertools.product(*sources):
        try:
            values = Values(lines, initial or {}, dict(zip(reads, chosen)))
            if any(not values.executed(read) and source is not None for read, source in zip(reads, chosen)):
                continue  # the same as with no source
            execution = Execution(events, blocks, values)
            for cause, coherence in execution.allowed():
                found = list(execution.races(cause))
                clean |= not found
                for state in execution.outcomes(coherence, registers, places):
                    outcomes[tuple(state.items())] = state
                    for pair in found:
                        races.setdefault(pair, state)
        except Rejected:
            continue
    states = [outcomes[key] for key in sorted(outcomes, key=str)]
    result = {"outcomes": states, "races": [{"first": str(a), "second": str(b), "outcome": state} for (a, b), state in races.items()],
              "races_always": bool(races) and not clean}
    if outcome is not None:
        known = set(states[0]) if states else set(outcome)
        if unknown := set(outcome) - known:
            raise LitmusError(f"the outcome names {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
        result["allowed"] = any(all(state[name] == value for name, value in outcome.items()) for state in states)
    return result
