"""Stores at a count of which one is kept below the room by a test, and another to the same list by none.

``if (near && c < ROOM) list[c++ * n + p] = q;`` in one loop says that there may be more to list than there is room; the
loop behind it that goes on counting with ``list[c * n + p] = q; c++;`` asks nothing.  How elements lie in the list is
of no concern as long as both stores have the same place for the same count.  Room is a number or an argument.

Silent where anything else asks for the count, but whether it is 0: the way out of a loop, another branch; where each
way up has an end, and where no loop that the store is made in goes as far as data or arguments say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import Count, cap_of, count_of, endless, moved, ways
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind, Trace
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Unasked:
    """A store (``access``) at a count ``name`` that nothing keeps below ``room``, as ``guard`` does at ``other``."""

    access: Access
    name: str
    room: str
    other: Access
    guard: Guard

    @property
    def told(self) -> Told:
        """What to say."""
        return Told(
            f"{self.access.root.name} is written at a place that {self.name} counts, which nothing keeps below "
            f"{self.room}: elsewhere the kernel stores to it only as far as there is room",
            [
                Related(self.guard.span, f"there {self.name} is compared with the room"),
                Related(self.other.span, "the store that the test is for"),
            ],
            "data let as many elements through as there is room for",
            f"store, and count, only where {self.name} is less than {self.room}",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Push:
    access: Access
    count: Count
    base: Symbol
    under: tuple[Term, ...]
    by: Polynomial  # bytes from one element to the next
    rest: Polynomial


def _pushes(access: Access, of: Trace, known: dict[Symbol, Count | None]) -> Iterator[_Push]:
    """The counts that a store is at, by the ways in which they are chosen."""
    form = polynomial(access.offset)
    counting = {mono for mono in form.coefficients if any(_counts(s) for atom in mono for s in symbols(atom))}
    atoms = {atom for mono in counting for atom in mono if any(map(_counts, symbols(atom)))}
    if len(counting) != 1 or len(atoms) != 1:
        return
    (mono,), (atom,) = counting, atoms
    if sum(one == atom for one in mono) != 1:
        return
    by = Polynomial({tuple(one for one in mono if one != atom): form.coefficients[mono]})
    for value, under in ways(atom):
        base, step = moved(value) or (None, 0)
        if base is None or base.kind is not SymbolKind.PHI:
            continue
        if base not in known:
            known[base] = count_of(base, of)
        count = known[base]
        if count is not None:
            rest = Polynomial({m: times for m, times in form.coefficients.items() if m != mono})
            yield _Push(access, count, base, under, by, rest + by * number(step))


def _counts(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.PHI


def _cap(push: _Push) -> tuple[Term, Guard] | None:
    """(the room that a test keeps the count of a store below, the test)."""
    for guard in push.access.guards:
        for part in conjuncts(guard.term) if guard.kind is not GuardKind.AFTER_LOOP else ():
            for symbol in push.count.made_of:
                cap = cap_of(part, symbol.term)
                room = cap + number(1) if cap is not None else None
                if room is not None and _is_room(room) and _rows_of(push, room):
                    return term_of(room), guard
    return None


def _is_room(room: Polynomial) -> bool:
    if room.constant is not None:
        return room.constant > 1
    kinds = {symbol.kind for atom in room.atoms for symbol in symbols(atom)}
    return kinds == {SymbolKind.PARAM} and len(room.coefficients) == 1


def _rows_of(push: _Push, room: Polynomial) -> bool:
    """Whether a list has as many places as a test says: rows are as long, or nothing says how long they are."""
    if push.by.constant is None:
        return True  # columns: another size lies between one element and the next
    length = room * push.by
    moving = {mono: times for mono, times in push.rest.coefficients.items() if mono}
    ((mono, times),) = length.coefficients.items()
    whole = all(value % times == 0 and all(atom in one for atom in mono) for one, value in moving.items())
    return whole and min(moving.values(), default=times) == times


def _asks(part: Term, made_of: frozenset[Symbol]) -> bool:
    """Whether a truth speaks of a count, other than of whether it is 0."""
    if not made_of & set(symbols(part)):
        return False
    if part.op in ("land", "lor"):
        return any(_asks(arg, made_of) for arg in part.args)
    return part.op not in ("lt", "le", "eq", "ne") or all(arg.value != 0 for arg in part.args)


def _free(push: _Push, of: Trace, allowed: Sequence[Guard]) -> bool:
    """Whether nothing but the tests of other stores asks for a count, and some way up has no end."""
    made_of, access = push.count.made_of, push.access
    terms = [*push.under, *(guard.term for guard in access.guards)]
    for loop in of.loops:
        terms += loop.ends
    spans = {guard.span for guard in allowed}
    terms += [
        test.term
        for test in of.conditions
        if not any(s.start <= test.span.start <= test.span.end <= s.end for s in spans)
    ]
    if any(_asks(part, made_of) for term in dict.fromkeys(terms) for part in conjuncts(term)):
        return False
    inner = [loop for loop in access.loops if made_of & set(loop.phis)]
    return bool(inner) and endless(inner[-1:]) and _goes_up(inner[-1].phis, made_of)


def _goes_up(phis: Sequence[Symbol], made_of: frozenset[Symbol]) -> bool:
    """Whether a round of the loop around a store makes the count larger, whatever it is."""
    for symbol in phis:
        for value, under in ways(symbol.step) if symbol in made_of and symbol.step is not None else ():
            base, step = moved(value) or (None, 0)
            if base in made_of and step > 0 and not any(_asks(part, made_of) for part in under):
                return True
    return False


def _compute(facts: Facts) -> tuple[Unasked, ...]:
    of = facts[trace]
    groups: dict[Root, list[Access]] = {}
    for access in of.accesses if not of.calls and of.loops else ():
        write = access.kind is AccessKind.WRITE and access.root.kind is RootKind.PARAM
        if write and any(_counts(symbol) for symbol in symbols(access.offset)):
            groups.setdefault(access.root, []).append(access)
    found = (_of(group, of) for group in groups.values() if len(group) > 1)
    return tuple(one for one in found if one is not None)


def _of(group: Sequence[Access], of: Trace) -> Unasked | None:
    known: dict[Symbol, Count | None] = {}
    pushes = [push for access in group for push in _pushes(access, of, known)]
    capped = [(push, cap) for push in pushes if (cap := _cap(push)) is not None]
    held = {push.access for push, _ in capped}
    for push in pushes if capped else ():
        if push.access in held or push.count.most is not None:
            continue
        for other, (room, guard) in capped:
            same = other.base in push.count.made_of and (other.by, other.rest) == (push.by, push.rest)
            if same and _free(push, of, [guard for _, (_, guard) in capped]):
                return Unasked(push.access, push.base.name, words(room), other.access, guard)
    return None


counts_beside = KernelAnalysis("counts_beside", _compute, needs=(trace,))
"""An :class:`Unasked` for each list of a kernel variant that has one."""
