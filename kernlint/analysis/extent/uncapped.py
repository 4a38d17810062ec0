"""Arrays that a thread fills as far as they go, and reads as far as it has counted.

A store that a test of the count keeps inside says that there may be more to count than the array has room for.  Where
the count goes on beside that test, it is no end for whoever reads the array later::

    for (int t = 0; t < triangles; t++)
        if (hit(t)) {
            if (hits < 64) at[hits] = t;
            hits++;
        }
    for (int k = 0; k < hits; k++) use(at[k]);

Silent where anything else is asked of the count or of the index: a cap after the loop, a second condition, an exit.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.pushed import counted, counters, limits, most
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class Uncapped:
    """An access to elements as far as ``guard`` says, which is a count that ``push`` keeps going past the array; the
    store itself is under ``cap``."""

    access: Access
    push: Access
    cap: Guard
    guard: Guard


def element_of(access: Access) -> Polynomial | None:
    """Which element of its array an access is to, or is to a field of."""
    size = access.root.element.size
    form = polynomial(access.offset)
    if not size or not access.size:
        return None
    inside = form.coefficients.get((), 0) % size
    form = form - number(inside)
    if inside + access.size > size or any(value % size for value in form.coefficients.values()):
        return None
    return Polynomial({mono: value // size for mono, value in form.coefficients.items()})


def _pushes(group: Sequence[Access]) -> dict[Symbol, tuple[Access, Guard]]:
    """The stores at a count under a test of it that the count is not under, by the variables it is made of."""
    found: dict[Symbol, tuple[Access, Guard]] = {}
    for one in group:
        place = element_of(one)
        atoms = [] if place is None else list(place.atoms)
        symbol = atoms[0].symbol if len(atoms) == 1 else None
        if one.kind is not AccessKind.WRITE or symbol is None or symbol.kind is not SymbolKind.PHI:
            continue
        cap = _cap(one, symbol)
        made_of = counters(symbol) if cap is not None and place == polynomial(symbol.term) else set()
        if cap is not None and made_of and goes_on(one, made_of):
            found.update(dict.fromkeys(made_of, (one, cap)))
    return found


def _cap(push: Access, count: Symbol) -> Guard | None:
    """The test that keeps a store at ``count`` inside its array."""
    room = (push.root.extent or 0) // (push.root.element.size or 1)
    for guard in push.guards:
        for part in conjuncts(guard.term) if guard.loop is None else ():
            slack = slack_of(part)
            if slack is not None:
                last = slack[0] + polynomial(count.term)
                if set(last.coefficients) <= {()} and last.coefficients.get((), 0) - slack[1] == room - 1:
                    return guard
    return None


def goes_on(push: Access, made_of: set[Symbol]) -> bool:
    """Whether nothing that a count is made of asks how large it is, and data or arguments say how often it goes up."""
    if any(_asks(end, made_of) for symbol in made_of for end in (symbol.init, symbol.step) if end is not None):
        return False
    conditions = [loop.condition for loop in push.loops if loop.condition is not None]
    if any(made_of & set(symbols(condition)) for condition in conditions):
        return False
    if any(loop.exits or loop.leaves for loop in push.loops):
        return False
    free = (SymbolKind.PARAM, SymbolKind.LOAD)
    return any(symbol.kind in free for condition in conditions for symbol in symbols(condition))


def _asks(term: Term, made_of: set[Symbol]) -> bool:
    """Whether a selection in a term rests on one of ``made_of``."""
    if term.op == "select" and made_of & set(symbols(term.args[0])):
        return True
    return term.op in ("min", "max") or any(_asks(part, made_of) for part in term.terms)


def _of(group: Sequence[Access]) -> Uncapped | None:
    pushes = _pushes(group)
    plain = {symbol: push for symbol, (push, _) in pushes.items()}
    for access in group if pushes else ():
        place = element_of(access)
        if place is None or access in plain.values():
            continue
        mine = {s for atom in place.atoms for s in symbols(atom)}
        ends: list[tuple[Access, Guard]] = []
        for left, guard in limits(access):
            if mine & {s for atom in left.atoms for s in symbols(atom)}:
                largest = most(place + left, access.loops)
                end = counted(largest, plain) if largest is not None else None
                if end is None or end[1] < -1:
                    break  # something else keeps it inside
                ends.append((end[0], guard))
        else:
            if len(ends) == 1 and ends[0][0].order < access.order and not _told(access, ends[0][1], mine, set(plain)):
                push, guard = ends[0]
                cap = next(cap for one, cap in pushes.values() if one is push)
                return Uncapped(access, push, cap, guard)
    return None


def _told(access: Access, end: Guard, mine: set[Symbol], counts: set[Symbol]) -> bool:
    """Whether a guard other than ``end`` says something of the count or of what is in the index, ``mine``."""
    asked = mine | counts
    for guard in access.guards:
        loop = guard.loop if guard.kind is GuardKind.AFTER_LOOP else None
        ended = loop is not None and not (loop.exits or loop.leaves)
        if guard is not end and not ended and asked & set(symbols(guard.term)):
            return True
    return any(_ends_early(term, asked, counts) for loop in access.loops for term, _ in (*loop.exits, *loop.leaves))


def _ends_early(exit_: Term, asked: set[Symbol], counts: set[Symbol]) -> bool:
    """Whether a loop is left by something that is said of the index, but for a comparison with the count itself."""
    for part in conjuncts(exit_):
        found = set(symbols(part))
        if asked & found and (part.op not in ("lt", "le", "eq", "ne") or not counts & found or _chooses(part)):
            return True
    return False


def _chooses(term: Term) -> bool:
    return term.op in ("min", "max", "select") or any(map(_chooses, term.terms))


def _compute(facts: Facts) -> tuple[Uncapped, ...]:
    of = facts[trace]
    groups: dict[Root, list[Access]] = {}
    for access in () if of.calls else of.accesses:
        root = access.root
        if root.kind is RootKind.VARIABLE and root.space is Space.PRIVATE and not root.path and root.extent:
            groups.setdefault(root, []).append(access)
    return tuple(found for group in groups.values() if (found := _of(group)) is not None)


uncapped = KernelAnalysis("uncapped", _compute, needs=(trace,))
"""An :class:`Uncapped` for each array of a kernel variant that has one."""
