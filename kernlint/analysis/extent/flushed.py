"""What is left of a buffer that has been handed over in whole parts, read where the buffer was full.

A block collects items in a buffer of 256 and hands over parts of 32 when fewer than 32 more would fit
(``n > 256 - 32``); what is left moves to the front.  The test says that as many as 256 may be there: then all parts
have been handed over, nothing is left, and what is read behind them lies behind the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True, eq=False)
class Flushed:
    """A read behind the ``room`` of a buffer when it was full; ``guard``: the test that so many may be there."""

    access: Access
    room: int
    guard: Guard


def _parts(access: Access) -> Iterator[tuple[Polynomial, int]]:
    """(items, size of a part) of an index that goes over all whole parts of some items."""
    size = access.root.element.size or 0
    for mono, value in polynomial(access.offset).coefficients.items():
        atom = plain(mono[0]) if len(mono) == 1 else None
        if atom is None or atom.op not in ("div", "shr") or not size or value % size:
            continue
        by = atom.args[1].value or 0
        part = by if atom.op == "div" else 1 << min(by, 16)
        if part > 1 and value // size == part and any(s.kind in _DATA for s in symbols(atom)):
            yield polynomial(plain(atom.args[0])), part


def _least(items: Polynomial, test: Term) -> int | None:
    """How many items there are at least by a test."""
    slack = slack_of(test)
    return None if slack is None else (items - slack[0] + number(slack[1])).constant


def _behind(access: Access) -> Flushed | None:
    extent, size = access.root.extent or 0, access.root.element.size or 0
    for items, share in _parts(access) if extent and size else ():
        mine = {s for atom in items.atoms for s in symbols(atom)}
        spoken = [g for g in access.guards if mine & set(symbols(g.term)) and g.kind is not GuardKind.AFTER_LOOP]
        parts = [(part, guard) for guard in spoken for part in conjuncts(guard.term)]
        if any(test.op not in ("lt", "le") or test.args[0].value is None for test, _ in parts):
            continue  # something keeps them from being many
        known = [(least, guard) for test, guard in parts if (least := _least(items, test)) is not None]
        least, guard = max(known, key=lambda one: one[0], default=(0, None))
        if guard is None or least < 1:
            continue
        room = least - 1 + share
        if extent // size % room == 0 and room % share == 0:
            return Flushed(access, room, guard)
    return None


def _compute(facts: Facts) -> tuple[Flushed, ...]:
    of = facts[trace]
    reads = (
        access
        for access in of.accesses
        if access.kind is AccessKind.READ
        and access.root.space is Space.SHARED
        and access.root.kind is RootKind.VARIABLE
    )
    found: dict[object, Flushed] = {}
    for access in reads:
        one = _behind(access) if access.root not in found else None
        if one is not None:
            found[access.root] = one
    return tuple(found.values())


flushed = KernelAnalysis("flushed", _compute, needs=(trace,))
"""Each :class:`Flushed` buffer of a kernel variant."""
