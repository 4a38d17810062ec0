"""Elements behind the last one that a thread has put into an array of its own.

``v[n++] = x`` under a condition fills as many elements as there are, and ``n`` says how many.  A loop over them that
looks at the next one too (``j < n - i``, ``v[j + 1]``) gets to ``v[n]`` in its first round, which nobody has set and
which, where the array was full, is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, LoopContext, Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space

STEPS = 16
"""Variables of loops that are looked at to find where a count began."""


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """A read of the element behind those that ``push`` has stored, in a loop that ``guard`` ends."""

    access: Access
    push: Access
    guard: Guard


def counters(symbol: Symbol) -> set[Symbol]:
    """The variables of loops that a count is made of; empty where it does not go up by one from 0."""
    found: set[Symbol] = set()
    todo = [symbol]
    zero = False
    while todo:
        at = todo.pop()
        if at in found:
            continue
        if len(found) >= STEPS or at.init is None or at.step is None:
            return set()
        found.add(at)
        for term in (at.init, at.step):
            for end in _ends(plain(term)):
                if end.value == 0:
                    zero = True
                    continue
                base = polynomial(end)
                if base.coefficients.get((), 0) not in (0, 1):
                    return set()
                rest = list(base.atoms)
                inner = rest[0].symbol if len(rest) == 1 else None
                if inner is None or inner.kind is not SymbolKind.PHI:
                    return set()
                todo.append(inner)
    return found if zero else set()


def _ends(term: Term) -> Iterator[Term]:
    """The values that a term may have, by its conditions, and after loops."""
    if term.op == "select":
        for arg in term.args[1:]:
            yield from _ends(plain(arg))
    elif term.op == "call" and str(term.args[0]).startswith("after"):
        yield from _ends(plain(term.args[1]))
    else:
        yield term


def _pushes(group: Sequence[Access]) -> dict[Symbol, Access]:
    """The stores at a count, by the variables that it is made of."""
    found: dict[Symbol, Access] = {}
    for one in group:
        place = element_of(one)
        symbols_ = [] if place is None else [atom.symbol for atom in place.atoms]
        if one.kind is AccessKind.WRITE and place is not None and len(symbols_) == 1 and symbols_[0] is not None:
            symbol = symbols_[0]
            if symbol.kind is SymbolKind.PHI and place == polynomial(symbol.term):
                found.update(dict.fromkeys(counters(symbol), one))
    return found


def element_of(access: Access) -> Polynomial | None:
    size = access.root.element.size
    form = polynomial(access.offset)
    if not size or access.size != size or any(value % size for value in form.coefficients.values()):
        return None
    return Polynomial({mono: value // size for mono, value in form.coefficients.items()})


def limits(access: Access) -> Iterator[tuple[Polynomial, Guard]]:
    """What guards say, as sums that are not negative; a loop that goes up by one until it meets a number is below."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            if slack is not None:
                yield slack[0] - number(slack[1]), guard
            elif part.op == "ne" and guard.kind is GuardKind.LOOP and guard.loop is not None:
                apart = polynomial(part.args[1]) - polynomial(part.args[0])
                step = apart.coefficients.get((guard.loop.counter.term,), 0)
                if abs(step) == 1:
                    yield (apart if step < 0 else -apart) - number(1), guard


def most(index: Polynomial, loops: Sequence[LoopContext]) -> Polynomial | None:
    """The largest value of an index over the rounds of loops that make it smaller; None where one makes it larger."""
    out = index
    for loop in loops:
        step = out.coefficients.get((loop.counter.term,), 0)
        if step > 0 or any(loop.counter in symbols(atom) for atom in out.atoms if atom.symbol is not loop.counter):
            return None
        out = out - Polynomial({(loop.counter.term,): step})
    return out


def counted(most: Polynomial, pushes: dict[Symbol, Access]) -> tuple[Access, int] | None:
    """(push, elements beyond) of an index that is the final count and a number."""
    beyond = most.coefficients.get((), 0)
    rest = most - number(beyond)
    if len(rest.coefficients) != 1:
        return None
    ((mono, times),) = rest.coefficients.items()
    atom = plain(mono[0])
    if len(mono) != 1 or times != 1 or atom.op != "call" or not str(atom.args[0]).startswith("after"):
        return None
    symbol = plain(atom.args[1]).symbol
    push = pushes.get(symbol) if symbol is not None else None
    return None if push is None else (push, beyond)


def _of(group: Sequence[Access]) -> Behind | None:
    pushes = _pushes(group)
    for access in group if pushes else ():
        place = element_of(access)
        if access.kind is not AccessKind.READ or place is None:
            continue
        mine = {s for atom in place.atoms for s in symbols(atom)}
        known: list[tuple[Access, int, Guard]] = []
        for left, guard in limits(access):
            if mine & {s for atom in left.atoms for s in symbols(atom)}:
                largest = most(place + left, access.loops)
                found = counted(largest, pushes) if largest is not None else None
                if found is None:
                    break  # something else may keep it inside
                known.append((*found, guard))
        else:
            told = any(mine & set(symbols(guard.term)) for guard in access.guards if guard.loop is None)
            push, beyond, guard = min(known, key=lambda one: one[1]) if known else (access, -1, access.guards[0])
            if beyond == 0 and not told and _alone(group, access, push):
                return Behind(access, push, guard)
    return None


def _alone(group: Sequence[Access], read: Access, push: Access) -> bool:
    """Whether nothing but the push stores to the array before the loops of a read, and nothing of a later one does."""
    outer = read.loops[0] if read.loops else None
    return outer is not None and all(
        one is push or not one.writes or one.order > read.order or outer in one.loops for one in group
    )


def _compute(facts: Facts) -> tuple[Behind, ...]:
    of = facts[trace]
    groups: dict[Root, list[Access]] = {}
    for access in () if of.calls else of.accesses:
        root = access.root
        if root.kind is RootKind.VARIABLE and root.space is Space.PRIVATE and not root.path and _set_by_hand(root):
            groups.setdefault(root, []).append(access)
    return tuple(found for group in groups.values() if (found := _of(group)) is not None)


def _set_by_hand(root: Root) -> bool:
    return root.decl is not None and root.decl.init is None


pushed = KernelAnalysis("pushed", _compute, needs=(trace,))
"""A :class:`Behind` for each array of a kernel variant that has one."""


def last_of_run(access: Access, place: Polynomial | None) -> Polynomial | None:
    """The last of a run of places, one of which is ``place``, by the only condition of the innermost loop."""
    if place is None or not access.loops:
        return None
    inner = access.loops[-1]
    ends = [left for left, guard in limits(access) if guard.loop is inner and guard.kind is GuardKind.LOOP]
    if len(ends) != 1 or inner.exits or inner.leaves:
        return None
    return most(place + ends[0], (inner,))
