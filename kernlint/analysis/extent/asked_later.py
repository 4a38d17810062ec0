"""Stores at a count in a row of so many elements, which is held against the count only when all are stored.

``for (...) if (near(j)) row[n++] = j; if (n > ROOM) overflow[0] = 1;`` or ``length[i] = min(n, ROOM)``: who asks that
knows of more than there is room for, and by then they are stored behind the row.  Silent where anything that stands
before the store, or ends its loops, speaks of the count.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.counts import count_of, moved
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.extent.full_counts import pushed_at
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Places, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, RootKind, Trace
from kernlint.analysis.wording import element
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """A store at a count in a row of ``room`` elements, with which the count is compared at ``span``, behind it."""

    access: Access
    room: Term
    span: Span

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        room = words(self.room)
        return Told(
            f"{element(self.access)} is written at a count that nothing keeps below {room}, of which there is room: "
            "whether there are more is asked when all of them have been stored",
            [Related(self.span, "here, behind the stores")],
            "there are more, as the question has it",
            f"test the count against {room} before the store",
        )


def _at_count(access: Access, known: Places) -> tuple[Symbol, Polynomial] | None:
    """The variable that a store is at, and how many elements the row, or the array, has."""
    push = pushed_at(access)
    if push is not None and not push.beyond:
        found = moved(polynomial(push.counted))
        if found is not None and found[0] is not None and not found[1]:
            return found[0], number(push.room)
    mine = known.get(access, ())
    room = mine[-1].row if len(mine) > 1 else None
    atoms = list(mine[-1].index.atoms) if room is not None else []
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    if room is None or symbol is None or mine[-1].index != polynomial(symbol.term) or mine[-1].pitch != number(1):
        return None
    size = next(iter(room.atoms)).symbol if len(room.atoms) == 1 else None
    return (symbol, room) if size is not None and room == polynomial(size.term) else None


def _behind(kernel: Trace, access: Access, made_of: frozenset[Symbol]) -> Iterator[tuple[Term, Span]]:
    """What is asked, stored or passed on of a count behind the loops that it is made in."""
    loops = [loop for loop in access.loops if made_of & set(loop.phis)]
    for test in kernel.conditions:
        if test.order > access.order and not set(loops) & set(test.loops):
            yield test.term, test.span
    for other in kernel.accesses:
        if other.order > access.order and other.value is not None and not set(loops) & set(other.loops):
            yield other.value, other.span


def _held_against(term: Term, made_of: frozenset[Symbol], room: Polynomial) -> bool:
    """Whether a number made of a count is compared with the room in a term, or is cut down to it."""
    for part in subterms(term):
        if part.op in ("lt", "le", "eq", "ne", "min") and len(part.args) == 2 and made_of & set(symbols(part)):
            for one, other in (part.args, part.args[::-1]):
                size, less = polynomial(other), part.op in ("lt", "le")
                if made_of & set(symbols(one)) and (size == room or (less and size == room - number(1))):
                    return True
    return False


def _asked_before(access: Access, kernel: Trace, made_of: frozenset[Symbol]) -> bool:
    """Whether anything before a store, or in its loops, speaks of the count."""
    if any(made_of & set(symbols(guard.term)) for guard in access.guards):
        return True
    loops = [loop for loop in access.loops if made_of & set(loop.phis)]
    ends = [term for loop in loops for term in loop.ends]
    ends += [test.term for test in kernel.conditions if set(loops) & set(test.loops)]
    return any(made_of & set(symbols(term)) for term in ends)


def _rounds(access: Access, made_of: frozenset[Symbol]) -> int:
    """How often a count moves at the most in loops of constant length; 0 where that cannot be told."""
    last = counter_ranges(access)
    loops = [loop for loop in access.loops if made_of & set(loop.phis)]
    return prod(last[loop.counter][1] + 1 if loop.counter in last else 0 for loop in loops)


def _of(access: Access, kernel: Trace, known: Places) -> Later | None:
    at = _at_count(access, known)
    count = count_of(at[0], kernel) if at is not None and at[0].kind is SymbolKind.PHI else None
    if at is None or count is None or count.most is not None or count.unit != 1:
        return None
    room = at[1].constant
    if not count.endless and (room is None or _rounds(access, count.made_of) <= room):
        return None
    if _asked_before(access, kernel, count.made_of):
        return None
    promised = {g.term for one in kernel.accesses for g in one.guards if g.kind is GuardKind.ASSERT}
    for term, span in _behind(kernel, access, count.made_of):
        if term not in promised and _held_against(term, count.made_of, at[1]):
            return Later(access, term_of(at[1]), span)
    return None


def _compute(facts: Facts) -> tuple[Later, ...]:
    kernel = facts[trace]
    if kernel.calls or numbers_made_up(facts):
        return ()
    out: list[Later] = []
    for access in kernel.accesses:
        if (
            access.kind is not AccessKind.WRITE
            or not access.loops
            or any(one.access.root is access.root for one in out)
        ):
            continue
        if access.root.kind not in (RootKind.PARAM, RootKind.VARIABLE):
            continue
        if any(symbol.kind is SymbolKind.PHI for symbol in symbols(access.offset)):
            found = _of(access, kernel, facts[places])
            out += [found] if found is not None else []
    return tuple(out)


asked_later = KernelAnalysis("asked_later", _compute, needs=(trace, places))
"""A :class:`Later` for each array of a kernel variant that has one, in order of the walk."""
