#!/usr/bin/env python3
"""Compares the protocol check with brute force: `random_protocols.py EXPLORE [--count N] [--seed S]`.

Makes small random protocols of two to four warps and one to three barriers, runs each in a random order, and asks EXPLORE
(explore.cpp) what it finds in the record of that run. Here, each order is tried: something is wrong with a protocol if in
some order
- no warp can go on, though not all have ended,
- a wait is for a phase that is over, and so is the next one, or it returns in another phase than in the run,
- bytes are announced or land in a later phase than in the run,
- a phase gets more arrivals than it counts,
- arrivals at a named barrier are left over, and none were in the run.
If something is wrong, the check must say so with an order that shows it; if nothing is, it must find nothing.
"""

import argparse
import random
import subprocess
import sys

WARP = 32


class World:
    """How far each warp has come, and what the barriers count."""

    def __init__(self, protocol):
        self.at = [0] * len(protocol.warps)
        self.waiting = [None] * len(protocol.warps)
        self.phase = [0] * len(protocol.barriers)
        self.pending = [count or 0 for count in protocol.barriers]
        self.bytes = [0] * len(protocol.barriers)
        self.flying = []

    def copy(self):
        other = object.__new__(World)
        other.at, other.waiting, other.flying = self.at[:], self.waiting[:], self.flying[:]
        other.phase, other.pending, other.bytes = self.phase[:], self.pending[:], self.bytes[:]
        return other

    def key(self):
        return (tuple(self.at), tuple(self.waiting), tuple(self.phase), tuple(self.pending), tuple(self.bytes),
                tuple(sorted(self.flying)))


class Protocol:
    """barriers: the count of an mbarrier, or None: a named one. warps: lists of (kind, barrier, number)."""

    def __init__(self, barriers, warps):
        self.barriers, self.warps = barriers, warps

    def next(self, world, warp):
        return self.warps[warp][world.at[warp]] if world.at[warp] < len(self.warps[warp]) else None

    def moves(self, world):
        for warp in range(len(self.warps)):
            operation = self.next(world, warp)
            if operation and world.waiting[warp] is None:
                kind, barrier, parity = operation
                if kind != "wait" or world.phase[barrier] & 1 != parity:
                    yield "step", warp
        for copy in sorted(set(world.flying)):
            yield "land", copy

    def settle(self, world, barrier):
        if world.pending[barrier] or world.bytes[barrier]:
            return False
        world.phase[barrier] += 1
        world.pending[barrier] = self.barriers[barrier]
        return True

    def carry_out(self, world, move):
        """Changes the world; returns the barrier that has completed a phase, or None."""
        what, which = move
        if what == "land":
            world.flying.remove(which)
            _, barrier, size = self.warps[which[0]][which[1]]
            world.bytes[barrier] -= size
            return barrier if self.settle(world, barrier) else None
        kind, barrier, number = self.warps[which][world.at[which]]
        if kind == "sync":
            world.waiting[which] = barrier
        else:
            if kind == "issue":
                world.flying.append((which, world.at[which]))
            world.at[which] += 1
        if kind in ("sync", "signal"):
            world.pending[barrier] += WARP
            if world.pending[barrier] >= number:
                world.pending[barrier] = 0
                world.phase[barrier] += 1
                for warp, at in enumerate(world.waiting):
                    if at == barrier:
                        world.waiting[warp] = None
                        world.at[warp] += 1
            return None
        completed = False
        if kind == "arrive":
            world.bytes[barrier] += number
            world.pending[barrier] -= 1
            completed = self.settle(world, barrier)
        elif kind == "expect":
            world.bytes[barrier] += number
            completed = self.settle(world, barrier)
        return barrier if completed else None

    def ended(self, world):
        return all(at == len(warp) for at, warp in zip(world.at, self.warps)) and not world.flying


class Run:
    """One order to the end: the phase of each operation and landing, and the record as text."""

    def __init__(self, protocol, chance):
        self.protocol, self.phases, self.landings, self.moves = protocol, {}, {}, []
        self.numbers, self.names = {}, []
        world = World(protocol)
        while True:
            moves = list(protocol.moves(world))
            if not moves:
                break
            move = chance.choice(moves)
            if move[0] == "step":
                operation = move[1], world.at[move[1]]
                kind, barrier, _ = protocol.next(world, move[1])
                if kind == "arrive" and not world.pending[barrier]:
                    break
                self.phases[operation] = world.phase[barrier]
                self.numbers[operation] = len(self.names)
                self.names.append(operation)
            else:
                self.landings[move[1]] = world.phase[protocol.warps[move[1][0]][move[1][1]][1]]
            self.moves.append(move)
            protocol.carry_out(world, move)
        self.complete = protocol.ended(world)
        self.left = [bool(world.pending[i]) for i, count in enumerate(protocol.barriers) if count is None]

    def text(self):
        lines = [f"warps {len(self.protocol.warps)}"]
        lines += ["named" if count is None else f"mbarrier {count}" for count in self.protocol.barriers]
        at = [0] * len(self.protocol.warps)
        for what, which in self.moves:
            if what == "land":
                lines.append(f"land {self.numbers[which]} {self.landings[which]}")
                continue
            operation = which, at[which]
            at[which] += 1
            kind, barrier, number = self.protocol.warps[which][operation[1]]
            fields = [which, barrier] + ([] if kind == "issue" else [self.phases[operation]])
            fields += [] if kind == "wait" else [number]
            lines.append(" ".join(map(str, [kind, *fields])))
        return "\n".join([*lines, "end", ""])

    def fault(self, world, move):
        """Carries it out; is something wrong?"""
        protocol = self.protocol
        wrong = False
        if move[0] == "step":
            kind, barrier, number = protocol.next(world, move[1])
            meant, now = self.phases[move[1], world.at[move[1]]], world.phase[barrier]
            wrong = ((kind == "wait" and now != meant) or (kind == "expect" and number > 0 and now > meant)
                     or (kind == "arrive" and world.pending[barrier] == 0))
        else:
            barrier = protocol.warps[move[1][0]][move[1][1]][1]
            wrong = world.phase[barrier] > self.landings[move[1]]
        completed = protocol.carry_out(world, move)
        return wrong or (completed is not None and self.misses(world, completed))

    def misses(self, world, barrier):
        for warp, operations in enumerate(self.protocol.warps):
            for i in range(world.at[warp], len(operations)):
                if operations[i][:2] == ("wait", barrier) and self.phases[warp, i] < world.phase[barrier]:
                    return True
        return False

    def wrong_end(self, world):
        if not self.protocol.ended(world):
            return True
        left = [bool(world.pending[i]) for i, count in enumerate(self.protocol.barriers) if count is None]
        return any(now and not then for now, then in zip(left, self.left))

    def is_wrong(self):
        """Every order; None: there are too many."""
        seen, open_ = set(), [World(self.protocol)]
        while open_:
            world = open_.pop()
            if world.key() in seen:
                continue
            seen.add(world.key())
            if len(seen) > 200_000:
                return None
            moves = list(self.protocol.moves(world))
            if not moves and self.wrong_end(world):
                return True
            for move in moves:
                other = world.copy()
                if self.fault(other, move):
                    return True
                open_.append(other)
        return False

    def shows(self, order):
        """Is it an order in which something goes wrong?"""
        world, wrong = World(self.protocol), False
        for step in order:
            operation = self.names[int(step.rstrip("l"))]
            move = ("land", operation) if step.endswith("l") else ("step", operation[0])
            if wrong or move not in list(self.protocol.moves(world)) or (move[0] == "step" and world.at[operation[0]] != operation[1]):
                return False
            wrong = self.fault(world, move)
        return wrong or (not list(self.protocol.moves(world)) and self.wrong_end(world))


def random_warps(chance, barriers, count):
    warps = []
    for _ in range(count):
        one = []
        body = [chance.randrange(len(barriers)) for _ in range(chance.randint(1, 3))]
        kinds = [chance.random() for _ in body]
        sizes = [WARP * chance.randint(2, max(2, count)) for _ in body]
        for lap in range(chance.randint(1, 3)):
            for barrier, kind, size in zip(body, kinds, sizes):
                if barriers[barrier] is None:
                    one.append(("sync" if kind < 0.7 else "signal", barrier, size))
                elif kind < 0.5:
                    one.append(("wait", barrier, (lap + (kind < 0.2)) & 1))
                elif kind < 0.85:
                    one.append(("arrive", barrier, 0))
                else:
                    one += [("arrive", barrier, 8), ("issue", barrier, 8)]
        warps.append(one)
    return warps


def ring(chance, count):
    """A producer, consumers, and perhaps something that does not fit."""
    laps, stages = chance.randint(1, 3), chance.randint(1, 2)
    barriers = [1] * stages + [count - 1] * stages
    copies = chance.random() < 0.5
    warps = [[] for _ in range(count)]
    for lap in range(laps):
        for stage in range(stages):
            warps[0] += [("wait", stages + stage, (lap + 1) & 1), ("arrive", stage, 8 if copies else 0)]
            if copies:
                warps[0].append(("issue", stage, 8))
            for consumer in warps[1:]:
                consumer += [("wait", stage, lap & 1), ("arrive", stages + stage, 0)]
    for _ in range(chance.randint(0, 2)):
        warp = chance.choice(warps)
        if not warp:
            continue
        i = chance.randrange(len(warp))
        change = chance.randrange(5)
        if change == 0:
            del warp[i]
        elif change == 1:
            warp.insert(i, warp[chance.randrange(len(warp))])
        elif change == 2:
            j = chance.randrange(len(warp))
            warp[i], warp[j] = warp[j], warp[i]
        elif change == 3:
            k = chance.randrange(len(barriers))
            barriers[k] = barriers[k] and max(1, barriers[k] + chance.choice((-1, 1)))
        else:
            barriers.append(None)
            for one in warps:
                if chance.random() < 0.8:
                    one.insert(chance.randint(0, len(one)), ("sync", len(barriers) - 1, WARP * chance.randint(2, count)))
    return barriers, warps


def protocol(chance):
    count = chance.randint(2, 4)
    if chance.random() < 0.5:
        return Protocol(*ring(chance, count))
    barriers = [chance.choice((None, 1, 2, 3)) for _ in range(chance.randint(1, 3))]
    return Protocol(barriers, random_warps(chance, barriers, count))


def runs(chance):
    while True:
        one = protocol(chance)
        for _ in range(5):
            run = Run(one, chance)
            if run.complete:
                yield run
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("explore")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    explore = subprocess.Popen([arguments.explore], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers, wrong, failures = {}, 0, 0
    for number, run in zip(range(arguments.count), runs(random.Random(arguments.seed))):
        text = run.text()
        explore.stdin.write(text)
        explore.stdin.flush()
        answer, *order = explore.stdout.readline().split()
        answers[answer] = answers.get(answer, 0) + 1
        expected = run.is_wrong()
        if expected is None or answer in ("not", "part"):
            continue
        wrong += expected
        if (answer == "wrong") != expected or (expected and not run.shows(order)):
            failures += 1
            print(f"protocol {number} of seed {arguments.seed}: the check says: {answer} {' '.join(order)}; "
                  f"brute force: {'wrong' if expected else 'fine'}\n{text}")
    explore.stdin.close()
    print(f"{arguments.count} protocols, {wrong} of them wrong; the check's answers: {answers}; {failures} disagree")
    sys.exit(failures > 0 or explore.wait())


if __name__ == "__main__":
    main()
