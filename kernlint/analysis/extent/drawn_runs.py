"""Runs of slots that a counter hands out together, of which the first alone is compared with the room.

``s = atomicAdd(count, 2); if (s >= room) return; list[s] = a; list[s + 1] = b;`` is past the end where one place is
left.  So is a loop that stores at ``list[s + j]``.  A store at the slot itself beside, under the same test, says that
the list begins there.  The slot may have been handed on to the other threads of a warp or block, each of which stores
at a place of its own behind it: ``if (base < room) list[base + rank] = i``.  Where all that is drawn is a multiple of a
number, as the room may be, the last run just fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counted_stores import Drawn, drawn_stores
from kernlint.analysis.extent.counter_clamps import called, held_in
from kernlint.analysis.extent.counts import cap_of
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, Root, Trace, WarpEvent
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.wording import element
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class BehindFirst:
    """A store (``access``) some places behind a slot that ``guard`` keeps below ``room``."""

    access: Access
    room: Term
    guard: Guard

    @property
    def told(self) -> Told:
        """What to say."""
        room = words(self.room)
        return Told(
            f"{element(self.access)} is written past the end of {self.access.root.name}, of {room} elements, where the "
            "slot is the last one: the test keeps that below the room, and not what is stored behind it",
            [Related(self.guard.span, "the slot itself is tested here")],
            "the counter hands the last slot out to a thread that stores several elements",
            "test the last place of the run",
        )


def _count(of: Trace, found: dict[str, int]) -> None:
    for access in of.accesses:
        if access.kind is AccessKind.ATOMIC and access.atomic_op in ("add", "inc"):
            step = access.value.value if access.value is not None and access.atomic_op == "add" else 1
            name = called(access.root)
            found[name] = gcd(found.get(name, 0), step or 1)


def _steps(facts: ModuleFacts) -> dict[str, int]:
    """By what counters are called, the number that all that is added to them is a multiple of."""
    found: dict[str, int] = {}
    for _, of in facts[kernel_traces].compared():
        _count(of, found)
    return found


counter_steps = ModuleAnalysis("counter_steps", _steps, needs=(kernel_traces,))
"""The unit that each counter of a file's kernels goes up by."""


def _as_room(cap: Polynomial) -> Term | None:
    """The argument, or the number, that is one more than the most that a test lets a slot be."""
    room = cap + number(1)
    if room.constant is not None:
        return term_of(room) if room.constant > 1 else None
    ((mono, times), *more) = room.coefficients.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 and not more else None
    return mono[0] if symbol is not None and symbol.kind is SymbolKind.PARAM else None


def _behind(one: Drawn) -> tuple[int, bool] | None:
    """(places behind the slot, whether a loop goes on from there) of a store; None where anything else has a say."""
    loops = {(loop.counter.term,) for loop in one.access.loops}
    moving = {mono: by for mono, by in one.rest.coefficients.items() if mono}
    first = one.rest.coefficients.get((), 0)
    if one.in_columns or one.times != one.access.root.element.size or first % one.times or first < 0:
        return None
    if any(mono not in loops or by != one.times for mono, by in moving.items()):
        return None
    return first // one.times, bool(moving)


def _in_run(counter: Access, first: int) -> bool:
    """Whether a place behind a slot is one that has been drawn with it, and none of another list."""
    step = counter.value.value if counter.value is not None and counter.atomic_op == "add" else 1
    return first < (FEW if step is None else step)


FEW = 8
"""Places of a run whose length is no number that are stored one by one."""


def _of(facts: Facts) -> Iterator[BehindFirst]:
    of = facts[trace]
    if not any(one.kind is AccessKind.ATOMIC for one in of.accesses):
        return
    known = [
        (one, room, far)
        for one in drawn_stores(of, {})
        if one.cap and (room := _as_room(one.cap)) and (far := _behind(one))
    ]
    begun = {(one.access.root, one.made_of, room) for one, room, (first, _) in known if first == 0}
    done: set[Root] = set()
    for one, room, (first, loop) in known:
        root, counter = one.access.root, one.counter
        if (not first and not loop) or counter is None or root in done or (root, one.made_of, room) not in begun:
            continue
        if not _in_run(counter, first):
            continue
        known_units: dict[str, int] = facts[counter_steps]
        units = dict(known_units)
        _count(of, units)
        unit = units[called(counter.root)]
        left = 1 if room.value is None else (room.value - 1) % unit + 1  # places from the last slot on
        if unit > 1 if room.value is None or loop else first < left:
            continue
        tests = [guard for guard in one.access.guards if one.made_of & set(symbols(guard.term))]
        if len(tests) == 1:
            done.add(root)
            yield BehindFirst(one.access, room, tests[0])


def handed_on(of: Trace) -> dict[Symbol, Access]:
    """The numbers that threads have got from another one that has drawn slots for all of them, by a shuffle or by way
    of shared memory; and the counter, where how many are drawn is not the same each time."""
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC and one.atomic_op == "add"}
    drawing = [one for one in counters.values() if one.value is not None and _differs(one.value)]
    found: dict[Symbol, Access] = {}
    if len(drawing) != 1:
        return found
    for access in of.accesses:
        for symbol in symbols(access.offset) if access.kind is AccessKind.WRITE else ():
            event = symbol.origin if symbol.kind is SymbolKind.UNKNOWN else None
            if isinstance(event, WarpEvent) and event.node.kind in ("shuffle", "broadcast"):
                given = (one for term in event.operands for one in symbols(term))
                if any(counters.get(id(one.origin)) is drawing[0] for one in given):
                    found[symbol] = drawing[0]
            root = held_in(symbol.term)
            if root is not None and root.space is Space.SHARED:
                stored = [one.value for one in of.accesses if one.root is root and one.writes]
                drawn = (plain(value).symbol if value is not None else None for value in stored)
                if all(one is not None and counters.get(id(one.origin)) is drawing[0] for one in drawn):
                    found[symbol] = drawing[0]
    return found


def _differs(step: Term) -> bool:
    """Whether a step is made of what threads or data say."""
    return any(s.kind in (SymbolKind.UNKNOWN, SymbolKind.LOAD, SymbolKind.PHI) for s in symbols(step))


def behind_base(access: Access, base: Symbol) -> bool:
    """Whether an access is a store at a place of a thread's own behind the first of a run."""
    found = elements(access)
    if access.kind is not AccessKind.WRITE or access.root.space is not Space.GLOBAL or found is None or found[1]:
        return False
    form = found[0].coefficients
    rest = {mono: by for mono, by in form.items() if mono != (base.term,)}
    kinds = {s.kind for mono in rest for atom in mono for s in symbols(atom)}
    return form.get((base.term,)) == 1 and bool(rest) and min(rest.values()) >= 0 and () not in rest and kinds <= _RANKS


def _past_base(access: Access, base: Symbol) -> BehindFirst | None:
    """A store behind the first of a run, which is all that is tested."""
    if not behind_base(access, base):
        return None
    tests = [(g, part) for g in access.guards for part in conjuncts(g.term) if base in symbols(part)]
    if len(tests) != 1:
        return None
    cap = cap_of(tests[0][1], base.term)
    room = _as_room(cap) if cap is not None else None
    return BehindFirst(access, room, tests[0][0]) if room is not None else None


_RANKS = frozenset({SymbolKind.THREAD, SymbolKind.UNKNOWN, SymbolKind.COUNTER})
"""What the place of a thread in a run is made of."""


def _compute(facts: Facts) -> tuple[BehindFirst, ...]:
    found = {one.access.root: one for one in _of(facts)}
    for base in handed_on(facts[trace]) if any(one.atomic_op for one in facts[trace].accesses) else ():
        for access in facts[trace].accesses:
            one = _past_base(access, base) if base in symbols(access.offset) else None
            if one is not None:
                found.setdefault(access.root, one)
    return tuple(found.values())


drawn_runs = KernelAnalysis("drawn_runs", _compute, needs=(trace, counter_steps))
"""A :class:`BehindFirst` for each list of a kernel variant that has one."""
