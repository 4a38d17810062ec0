"""Counts that stop at the size of an array, which is a place in it no longer.

``if (m < 48) ++m;`` lets a count be 48, in a loop that data or arguments end; a store at ``v[m]`` that nothing keeps
from that, or a search downwards that begins there (``s = m; while (s > 0 && v[s - 1] > x) { v[s] = v[s - 1]; --s; }``),
is made behind the end once the array is full.  A test of the count that fails for the full array keeps it inside; one
that asks something of data besides may hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.extents import inner_array, numbers_made_up
from kernlint.analysis.extent.pushed import counters
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, symbols

_ROUNDS = frozenset({SymbolKind.COUNTER, SymbolKind.TRIPS})
_FREE = frozenset({SymbolKind.LOAD, SymbolKind.PARAM})


@dataclass(frozen=True, slots=True, eq=False)
class Full:
    """A store at a count (``name``) that is as large as the array, or row of it, when that is full: ``room``."""

    access: Access
    name: str
    room: int


def _ways(term: Term, under: tuple[Term, ...] = ()) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """The values that a term may have, each with the conditions that choose it."""
    term = plain(term)
    if term.op == "select":
        cond, then, other = term.args
        yield from _ways(then, (*under, *conjuncts(cond)))
        yield from _ways(other, (*under, *conjuncts(negate(cond))))
    elif term.op == "call" and str(term.args[0]).startswith("after"):
        yield from _ways(term.args[1], under)
    else:
        yield term, under


def _largest(count: Symbol) -> int | None:
    """The largest value of a count that goes up by one under a test of itself against a number, and only so."""
    made_of = counters(count)
    top: int | None = None
    for symbol in made_of:
        for value, under in _ways(symbol.step) if symbol.step is not None else ():
            if polynomial(value).coefficients.get((), 0) != 1:
                continue
            caps = [cap for part in under for one in made_of if (cap := _cap(part, one)) is not None]
            if not caps:
                return None
            top = max(min(caps), top or 0)
    return top


def _cap(part: Term, count: Symbol) -> int | None:
    """The number that a truth keeps a count below."""
    slack = slack_of(part)
    if slack is None:
        return None
    rest = slack[0] + polynomial(count.term)
    return None if set(rest.coefficients) - {()} else rest.coefficients.get((), 0) - slack[1] + 1


def _place(access: Access) -> tuple[Polynomial, int] | None:
    """The place of an access in its row, or in an array that has none, and how many places there are."""
    row = inner_array(access)
    if row is not None and row > 1 and access.index is not None:
        return polynomial(access.index), row
    place, extent, size = element_of(access), access.root.extent, access.root.element.size
    return None if place is None or not extent or not size else (place, extent // size)


def _of(access: Access) -> Full | None:
    found = _place(access)
    if found is None or found[1] < 2:
        return None
    place, room = found
    moving = [atom.symbol for atom in place.atoms]
    counts = [symbol for symbol in moving if symbol is not None and symbol.kind is SymbolKind.PHI]
    if len(counts) != 1 or place.coefficients.get((counts[0].term,)) != 1 or not _endless(access, counters(counts[0])):
        return None
    count = counts[0]
    if any(symbol is None or symbol.kind not in _ROUNDS for symbol in moving if symbol is not count):
        return None
    beyond = place.coefficients.get((), 0)
    top = _largest(count)
    if top is None or top + beyond != room:
        return None
    at = {count: top, **{symbol: 0 for symbol in moving if symbol is not None and symbol is not count}}
    return Full(access, count.name, room) if _reached(access, at) else None


def _endless(access: Access, made_of: set[Symbol]) -> bool:
    """Whether data or arguments say how long the loops around an access go on, and none is left by a count."""
    left = (term for loop in access.loops for term, _ in (*loop.exits, *loop.leaves))
    if any(made_of & set(symbols(term)) for term in left):
        return False
    conditions = [loop.condition for loop in access.loops if loop.condition is not None]
    return any(symbol.kind in _FREE for condition in conditions for symbol in symbols(condition))


def _reached(access: Access, at: dict[Symbol, int]) -> bool:
    """Whether no test that is made before an access fails with a full array: one that speaks of the count rests on
    nothing but numbers then, or on data as well."""
    mine = set(at)
    for guard in access.guards:
        for part in conjuncts(guard.term):
            about = set(symbols(part))
            if not mine & about:
                continue
            value = evaluate(part, at)
            if value == 0 or (value is None and not _open(part, at)):
                return False
    return True


def _open(part: Term, at: dict[Symbol, int]) -> bool:
    """Whether a truth holds with a full array, or for some data."""
    if part.op in ("lor", "land"):
        sides = [evaluate(side, at) for side in part.args]
        ways = [_open(side, at) if value is None else value != 0 for side, value in zip(part.args, sides, strict=True)]
        return any(ways) if part.op == "lor" else all(ways)
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(part))


def _compute(facts: Facts) -> tuple[Full, ...]:
    of = facts[trace]
    if of.calls or numbers_made_up(facts):
        return ()
    found: dict[Root, Full] = {}
    for access in of.accesses:
        root = access.root
        if access.kind is not AccessKind.WRITE or root.kind is not RootKind.VARIABLE or root in found:
            continue
        one = _of(access) if any(s.kind is SymbolKind.PHI for s in symbols(access.offset)) else None
        if one is not None:
            found[root] = one
    return tuple(found.values())


full_counts = KernelAnalysis("full_counts", _compute, needs=(trace,))
"""A :class:`Full` for each array of a kernel variant that has one, in order of the walk."""
