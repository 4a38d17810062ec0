"""Counts that get as large as the array is, which is a place in it no longer.

``if (m < 48) ++m;`` lets a count be 48, in a loop that data or arguments end; a store at ``v[m]`` that nothing keeps
from that, or a search downwards that begins there (``s = m; while (s > 0 && v[s - 1] > x) { v[s] = v[s - 1]; --s; }``),
is made behind the end once the array is full.  So is one under a test that lets the size itself pass (``top <= 20``
beside 20 elements), or that asks for one place before two are taken, or a way out of the loop behind the store that
comes one too late (``v[m++] = x; if (m > 48) break;``).  A test of the count that fails for the full array keeps it
inside; one that asks something of data besides may hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import Count, cap_of, count_of, left_before, lowest_cap, moved, ways
from kernlint.analysis.extent.extents import inner_array, numbers_made_up
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, symbols

_ROUNDS = frozenset({SymbolKind.COUNTER, SymbolKind.TRIPS})
_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, *_ROUNDS})


@dataclass(frozen=True, slots=True, eq=False)
class Full:
    """A store at a count (``name``) that gets as large as the array, or row of it, ``room``; ``guard``: the test that
    lets it, None where the count itself stops there.  ``other``: a store at the same count that the test keeps inside,
    where nothing asks how large the count is here."""

    access: Access
    name: str
    room: int
    guard: Guard | None = None
    other: Access | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pushed:
    """A store at a ``counted`` place and ``beyond`` elements on, in an array or row of ``room`` elements."""

    access: Access
    counted: Term
    beyond: int
    room: int


def pushed_at(access: Access) -> Pushed | None:
    """The count that a store is at, in an array or a row of a constant number of elements."""
    if access.kind is not AccessKind.WRITE:
        return None
    found = place_in_row(access)
    if found is None or found[1] < 2:
        return None
    place, room = found
    counted = [mono for mono in place.coefficients if any(_counts(s) for atom in mono for s in symbols(atom))]
    if len(counted) != 1 or len(counted[0]) != 1 or place.coefficients[counted[0]] != 1:
        return None
    rest = {mono: times for mono, times in place.coefficients.items() if mono and mono != counted[0]}
    if access.root.kind is RootKind.VARIABLE:
        if any(len(mono) != 1 or mono[0].symbol is None or mono[0].symbol.kind not in _ROUNDS for mono in rest):
            return None
    elif any(s.kind not in _OWN and s.kind is not SymbolKind.PARAM for m in rest for a in m for s in symbols(a)):
        return None
    return Pushed(access, counted[0][0], place.coefficients.get((), 0), room)


def _counts(symbol: Symbol) -> bool:
    return symbol.kind in (SymbolKind.PHI, SymbolKind.UNKNOWN)


def place_in_row(access: Access) -> tuple[Polynomial, int] | None:
    """The place of an access in its row, or in an array that has none, and how many places there are."""
    row = inner_array(access)
    if row is not None and row > 1 and access.index is not None:
        return polynomial(access.index), row
    place, extent, size = element_of(access), access.root.extent, access.root.element.size
    if place is None or not size:
        return None
    if access.root.kind is RootKind.VARIABLE:
        return (place, extent // size) if extent else None
    # Rows of memory that an argument points to: all else in the place is a multiple of their length.
    lengths = {abs(times) for mono, times in place.coefficients.items() if mono and not _at_count(mono)}
    return (place, lengths.pop()) if len(lengths) == 1 and access.root.kind is RootKind.PARAM else None


def _at_count(mono: tuple[Term, ...]) -> bool:
    return any(_counts(symbol) for atom in mono for symbol in symbols(atom))


def reaches(push: Pushed, count: Count, step: int, under: tuple[Term, ...]) -> tuple[int | None, Guard | None]:
    """(the largest place of a store by one way that its count is chosen, ``step`` from a variable; the test that says
    so); None: no number does."""
    best = None if count.most is None else _met(count.most, count) + step
    by: Guard | None = None
    chosen = lowest_cap(under, count.made_of)
    if chosen is not None and (best is None or _met(chosen, count) + step < best):
        best = _met(chosen, count) + step
    for guard in push.access.guards:
        if guard.kind is GuardKind.AFTER_LOOP:
            continue
        for part in conjuncts(guard.term):
            caps = [(cap_of(part, symbol.term), step) for symbol in count.made_of] + [(cap_of(part, push.counted), 0)]
            for cap, more in caps:
                if cap is None or cap.constant is None:
                    continue
                last = _met(cap.constant + more - step, count) + step
                if best is None or last <= best:
                    best, by = last, guard
    return (None if best is None else best + push.beyond), by


def _met(most: int, count: Count) -> int:
    """The largest number up to one that a count may be."""
    return most - (most - count.first) % count.unit


def _of(access: Access, of: Trace) -> Full | None:
    push = pushed_at(access)
    if push is None:
        return None
    for value, under in ways(push.counted):
        base, step = moved(value) or (None, 0)
        count = count_of(base, of) if base is not None else None
        if base is None or count is None or not count.endless:
            continue
        last, guard = reaches(push, count, step, under)
        if last is None and _stopped_behind(access, count) == push.room - push.beyond - step:
            return Full(access, base.name, push.room)
        if last is None or not push.room <= last <= push.room + _slip(access, push, guard):
            continue
        at = dict.fromkeys(count.made_of, last - push.beyond - step)
        at |= {symbol: 0 for symbol in symbols(access.offset) if symbol.kind in _ROUNDS}
        if not left_before(access, count, at[base]) and _reached(access, at, under):
            return Full(access, base.name, push.room, guard)
    return None


def _stopped_behind(access: Access, count: Count) -> int | None:
    """The largest number that a count is at a store, where all that asks for it stands behind and leaves the loop once
    the store has made it too large: ``v[m++] = x; if (m > 16) break;``."""
    most: list[int] = []
    known = {part for guard in access.guards for part in conjuncts(guard.term)}
    ends = [end for loop in access.loops for end in (*loop.exits, *loop.leaves, *loop.returns)]
    if any(count.made_of & set(symbols(part)) for part in known):
        return None
    for term, span in ends:
        mine = [part for part in conjuncts(term) if count.made_of & set(symbols(part))]
        if not mine:
            continue
        behind = span.file == access.span.file and span.start >= access.span.end
        if len(mine) > 1 or not behind or not known.issuperset({*conjuncts(term)} - {*mine}):
            return None
        cap = lowest_cap([negate(mine[0])], count.made_of)
        if cap is None:
            return None
        most.append(cap + count.unit)
    return min(most, default=None)


def _slip(access: Access, push: Pushed, guard: Guard | None) -> int:
    """How much more than a size is taken for it: in memory of unknown size only the size itself."""
    return push.beyond if access.root.kind is not RootKind.VARIABLE else push.room if guard is not None else 0


def _beside(access: Access, of: Trace) -> Full | None:
    """A store that nothing keeps inside, beside one at the same count that a test keeps there: to the same array, or to
    one that is as long, of the same place."""
    push = pushed_at(access)
    for value, under in ways(push.counted) if push is not None else ():
        base, step = moved(value) or (None, 0)
        count = count_of(base, of) if base is not None and base.kind is SymbolKind.PHI else None
        if push is None or base is None or count is None or not count.endless or not access.loops:
            continue
        if reaches(push, count, step, under)[0] is not None or left_before(access, count, push.room):
            continue
        at = dict.fromkeys(count.made_of, push.room)
        for other in of.accesses if _reached(access, at, under) else ():
            guard = _keeps(other, push, count) if other is not access and _beside_it(other, access) else None
            if guard is not None:
                return Full(access, base.name, push.room, guard, other)
    return None


def _beside_it(other: Access, access: Access) -> bool:
    """Whether an access is to the same array, or is to the same place in another list of the same rows."""
    if other.root is access.root or other.root.kind is not RootKind.PARAM or access.root.kind is not RootKind.PARAM:
        return other.root is access.root and access.root.kind is RootKind.VARIABLE
    place = element_of(access)
    return place is not None and place == element_of(other)


def _keeps(other: Access, push: Pushed, count: Count) -> Guard | None:
    """The test that keeps another store at a count inside the array: the last place that it lets through is the last
    one."""
    mine = pushed_at(other)
    for value, under in ways(mine.counted) if mine is not None else ():
        base, step = moved(value) or (None, 0)
        if mine is not None and base in count.made_of and mine.room == push.room:
            last, guard = reaches(mine, count, step, under)
            if last == push.room - 1 and guard is not None:
                return guard
    return None


def _reached(access: Access, at: dict[Symbol, int], under: tuple[Term, ...]) -> bool:
    """Whether no test that is made before an access fails with a full array: one that speaks of the count rests on
    nothing but numbers then, or on data as well."""
    mine = set(at)
    parts: Iterator[Term] = (part for guard in access.guards for part in conjuncts(guard.term))
    for part in (*under, *parts):
        if not mine & set(symbols(part)):
            continue
        value = evaluate(part, at)
        if value == 0 or (value is None and not _open(part, at)):
            return False
    return True


def _open(part: Term, at: dict[Symbol, int]) -> bool:
    """Whether a truth holds with a full array, or for some data."""
    if part.op in ("lor", "land"):
        sides = [evaluate(side, at) for side in part.args]
        ways_ = [_open(side, at) if value is None else value != 0 for side, value in zip(part.args, sides, strict=True)]
        return any(ways_) if part.op == "lor" else all(ways_)
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(part))


def _compute(facts: Facts) -> tuple[Full, ...]:
    of = facts[trace]
    if of.calls or numbers_made_up(facts):
        return ()
    found: dict[Root, Full] = {}
    for access in of.accesses:
        root = access.root
        if access.kind is not AccessKind.WRITE or root in found:
            continue
        one = _of(access, of) if any(_counts(s) for s in symbols(access.offset)) else None
        if one is None and root.kind in (RootKind.VARIABLE, RootKind.PARAM):
            one = _beside(access, of) if access.loops and access.offset.value is None else None
        if one is not None:
            found[root] = one
    return tuple(found.values())


full_counts = KernelAnalysis("full_counts", _compute, needs=(trace,))
"""A :class:`Full` for each array of a kernel variant that has one, in order of the walk."""
