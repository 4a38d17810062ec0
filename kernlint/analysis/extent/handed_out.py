"""Lists in shared memory that threads fill by a counter they share, and read as far as was counted.

``slot = atomicAdd(&count, 1); if (slot < 64) list[slot] = i;`` keeps each store inside, and counts on when the list is
full: whoever goes through the list up to ``count`` leaves it.  Silent where the counter is written again after the
stores (held down, or taken up anew), where anything else keeps the index below, and where a block has no more threads
than the list has room, each of which stores once.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.pushed import limits, most
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import Uncapped, element_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, plain, symbols
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import Space

COUNTING = frozenset({"add", "inc"})
"""Atomic operations that hand out one number after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class _Push:
    """A store at the number that ``counter`` has handed out, under the test ``cap`` that it is below ``room``."""

    access: Access
    counter: Access
    cap: Guard
    room: int


def _pushes(of: Trace) -> Iterator[_Push]:
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC}
    for access in of.accesses:
        root = access.root
        if access.kind is not AccessKind.WRITE or root.space is not Space.SHARED or root.extent is None:
            continue
        place = element_of(access)
        atoms = [] if place is None else list(place.atoms)
        slot = plain(atoms[0]).symbol if len(atoms) == 1 else None
        if slot is None or slot.kind is not SymbolKind.UNKNOWN or not isinstance(slot.origin, Atomic):
            continue
        counter = counters.get(id(slot.origin))
        if counter is None or counter.atomic_op not in COUNTING or counter.root.kind is not RootKind.VARIABLE:
            continue
        room = root.extent // (root.element.size or 1)
        cap = _cap(access, slot, room)
        if cap is not None:
            yield _Push(access, counter, cap, room)


def _cap(push: Access, slot: Symbol, room: int) -> Guard | None:
    """The test that keeps a store inside: the last number that passes is that of the last element."""
    for guard in push.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            last = slack[0] + polynomial(slot.term) if slack is not None else None
            if slack is None or last is None or set(last.coefficients) - {()}:
                continue
            if last.coefficients.get((), 0) - slack[1] == room - 1:
                return guard
    return None


def _counted(form: Polynomial, push: _Push) -> bool:
    """Whether a largest index is what the counter holds, less 1."""
    rest = {mono: value for mono, value in form.coefficients.items() if mono}
    if len(rest) != 1 or form.coefficients.get((), 0) < -1:
        return False
    ((mono, times),) = rest.items()
    symbol = plain(mono[0]).symbol if len(mono) == 1 and times == 1 else None
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return False
    return bool(symbol.origin[0] is push.counter.root and symbol.origin[1] == push.counter.offset)


def _past(access: Access, push: _Push) -> Guard | None:
    """The guard that lets an access go as far as the counter says, where it is the only one that says how far."""
    place = element_of(access)
    if place is None or access is push.access or access.order < push.access.order:
        return None
    mine = {symbol for atom in place.atoms for symbol in symbols(atom)}
    found: list[Guard] = []
    for left, guard in limits(access):
        about = {symbol for atom in left.atoms for symbol in symbols(atom)}
        if not mine & about:
            continue
        largest = most(place + left, access.loops)
        if largest is None or not _counted(largest, push):
            return None  # something else keeps it inside
        found.append(guard)
    return found[0] if len(found) == 1 else None


def _compute(facts: Facts) -> tuple[Uncapped, ...]:
    of = facts[trace]
    out: list[Uncapped] = []
    for push in _pushes(of):
        if _few(push, facts):
            continue
        for access in of.accesses:
            guard = _past(access, push) if access.root is push.access.root else None
            if guard is not None and not _written_again(of, push, access):
                out.append(Uncapped(access, push.access, push.cap, guard))
                break
    return tuple(out)


def _few(push: _Push, facts: Facts) -> bool:
    """Whether a block is known to have no more threads than there is room, each of which stores once."""
    blocks = facts[launch_context].known_blocks
    begun = {loop for other in facts[trace].accesses if _cleared(other, push) for loop in other.loops}
    return bool(blocks) and set(push.access.loops) <= begun and all(x * y * z <= push.room for x, y, z in blocks)


def _cleared(other: Access, push: _Push) -> bool:
    """Whether an access sets the counter to 0."""
    plainly = other.root is push.counter.root and other.kind is AccessKind.WRITE
    return plainly and other.value is not None and other.value.value == 0


def _written_again(of: Trace, push: _Push, read: Access) -> bool:
    """Whether the counter is written otherwise between the stores and a read, or held down in another round."""
    for other in of.accesses:
        if other.root is not push.counter.root or not other.writes or other is push.counter:
            continue
        again = other.order > push.counter.order or set(other.loops) & set(push.access.loops)
        if push.counter.order < other.order < read.order or (again and not _cleared(other, push)):
            return True
    return False


handed_out = KernelAnalysis("handed_out", _compute, needs=(trace, launch_context))
"""An :class:`Uncapped` for each list of a kernel variant that is read past its end."""
