"""Lists of what a walk of a tree has yet to visit, that are shorter than the tree is deep.

A round of the walk takes one node out of ``stack[64]`` and puts its eight children in: on the way down to the last of
``n`` levels, of which a comment speaks, seven more wait on each.  Nothing asks how many there are.  Asked is only
for the levels above the last one, whose nodes have no children.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import moved, ways
from kernlint.analysis.extent.full_counts import place_in_row
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, LoopContext, Root, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """A store (``access``) to a list of ``room`` nodes, to which a round adds ``more`` on each of ``levels``."""

    access: Access
    room: int
    more: int
    levels: int


def _top(access: Access) -> tuple[Symbol, LoopContext] | None:
    """The count that a store is made at, with the loop that it is a variable of."""
    for symbol in symbols(access.offset):
        if symbol.kind is SymbolKind.PHI:
            loop = next((loop for loop in access.loops if symbol in loop.phis), None)
            if loop is not None:
                return symbol, loop
    return None


def _around(access: Access, top: Symbol, loop: LoopContext) -> tuple[Symbol, int]:
    """(the count that the rounds of a walk have, what a loop of constant length inside of one may add to it before its
    last round) for a count that such a loop moves: ``for (k < 4) if (near[k]) stack[top++] = child[k];``."""
    last = counter_ranges(access).get(loop.counter)
    if last is None or top.init is None or top.step is None:
        return top, 0
    begins = {moved(value) for value, _ in ways(top.init)}
    steps = [move for value, _ in ways(top.step) if (move := moved(value)) is not None]
    (begin, *others) = begins or {None}
    if others or begin is None or begin[0] is None or not steps or any(base is not top for base, _ in steps):
        return top, 0
    outer = [one for one in access.loops if one is not loop and begin[0] in one.phis]
    if not outer or len(steps) != len(list(ways(top.step))) or min(step for _, step in steps) < 0:
        return top, 0
    return begin[0], begin[1] + last[1] * max(step for _, step in steps)


def _beyond(access: Access, top: Symbol) -> list[int] | None:
    """How far places of an access lie beyond where the count is at the beginning of a round; None: nobody knows."""
    place = place_in_row(access)
    if place is None:
        return None
    found: list[int] = []
    known = counter_ranges(access)
    for value, _ in ways(term_of(place[0])):
        beyond = 0
        for mono, times in (value - polynomial(top.term)).coefficients.items():
            counter = mono[0].symbol if len(mono) == 1 else None
            if not mono:
                beyond += times
            elif counter in known and times > 0:
                beyond += times * known[counter][1]
            else:
                return None
        found.append(beyond)
    return found


def asks(of: Trace, counts: frozenset[Symbol], stores: Sequence[Access]) -> bool:
    """Whether a condition asks how large a count is, other than whether it is 0."""
    about = counts | {s for one in stores for s in symbols(one.offset) if s.kind is SymbolKind.PHI}
    terms = [test.term for test in of.conditions] + [guard.term for one in stores for guard in one.guards]
    for loop in of.loops:
        terms += loop.ends
    return any(
        _caps(part, about) for term in dict.fromkeys(terms) if about & set(symbols(term)) for part in _parts(term)
    )


def _parts(term: Term) -> tuple[Term, ...]:
    return (*conjuncts(term), *conjuncts(negate(term)))


def _caps(part: Term, about: frozenset[Symbol]) -> bool:
    if part.op in ("eq", "ne"):
        return bool(about & set(symbols(part))) and all(arg.value != 0 for arg in part.args)
    for truth in (part, negate(part)):
        slack = slack_of(truth)
        if slack is not None and any(slack[0].coefficients.get((one.term,), 0) < 0 for one in about):
            return slack[0].constant is None and slack[0].coefficients.get((), 0) not in (-1, 0)
    return False


def _of(group: Sequence[Access], of: Trace, levels: int) -> Pending | None:
    room = min((place[1] for one in group if (place := place_in_row(one)) is not None), default=0)
    tops: dict[Symbol, list[tuple[Access, int]]] = {}
    taken: set[Symbol] = set()
    for access in group:
        found = _top(access)
        if found is None:
            continue
        beyond = _beyond(access, found[0])
        if beyond is None:
            return None
        if access.kind is AccessKind.WRITE:
            top, more = _around(access, *found)
            tops.setdefault(top, []).extend((access, far + more) for far in beyond)
        elif min(beyond) < 0:
            taken.add(found[0])
    for top, stores in tops.items():
        access, far = max(stores, key=lambda store: store[1])
        more = far + 1
        if (
            top in taken
            and more > 0
            and more * (levels - 1) > room
            and not asks(of, frozenset({top}), [one for one, _ in stores])
        ):
            return Pending(access, room, more, levels)
    return None


def _compute(facts: Facts) -> tuple[Pending, ...]:
    levels = facts.options.levels
    of = facts[trace]
    if levels is None or of.calls:
        return ()
    groups: dict[Root, list[Access]] = {}
    for access in of.accesses:
        root = access.root
        if root.kind is RootKind.VARIABLE and root.space is Space.PRIVATE and root.extent and access.loops:
            groups.setdefault(root, []).append(access)
    found = (_of(group, of, levels) for group in groups.values() if len(group) > 1)
    return tuple(one for one in found if one is not None)


pending = KernelAnalysis("pending", _compute, needs=(trace,))
"""A :class:`Pending` for each list of a kernel variant that is too short."""
