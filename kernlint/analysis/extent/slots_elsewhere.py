"""Slots of one counter and list that are compared with the room in one place of a file, and with nothing in another.

``slot = atomicAdd(buf.count, 1); if (slot >= buf.capacity) return;`` says that more may ask for a slot than there is
room.  Whoever else draws slots from the counter of that name, stores to the list of that name at them, has the capacity
at hand and asks nothing of the slot, stores past the end when the others are refused.

A counter that goes down (``top = atomicSub(free.count, 1)``) gives negative numbers once its list is empty: who asks
whether one such number is negative says so of the others that do not come and go with it.

Silent where any condition speaks of the slot, where what the counter holds is tested before it goes up, where a test of
the host speaks of the capacity before the launch, and where data have no say in who takes a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counted_stores import Drawn, drawn_stores
from kernlint.analysis.extent.counter_clamps import called, held_in
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.told import Told
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import IntType, PointerType, StructType, Type

List = tuple[str, str, int]
"""What a list and its counter are called, and the bytes from one slot to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Refused:
    """``kernel`` stores at slots below ``room`` alone, by ``guard``; ``kind``: of the elements."""

    kernel: str
    guard: Guard
    room: Term
    kind: Type


@dataclass(frozen=True, slots=True, eq=False)
class Unrefused:
    """A store (``access``) at a slot that nobody compares with the room, as ``other`` does."""

    access: Access
    other: Refused

    @property
    def told(self) -> Told:
        """What to say."""
        room = words(self.other.room)
        return Told(
            f"{self.access.root.name} is written at a slot that nothing keeps below {room}: {self.other.kernel} draws "
            "slots of the same list, and stores only where there is room",
            [Related(self.other.guard.span, "there the slot is compared with the room")],
            "more threads ask for a slot than there is room",
            f"store only where the slot, and each one drawn with it, is less than {room}",
        )


def _list(one: Drawn, counter: Access) -> List | None:
    """The list that a slot is of, where nothing else says which place is meant."""
    plain = one.rest.constant is not None and not one.in_columns
    alone = not {symbol.kind for symbol in symbols(counter.offset)} - {SymbolKind.PARAM}
    if not plain or not alone or one.access.root.kind is not RootKind.PARAM or counter.root.kind is not RootKind.PARAM:
        return None
    return called(one.access.root), called(counter.root), one.times


def _room(cap: Polynomial | None) -> Term | None:
    """The argument, or the number, that a cap is one less than."""
    room = cap + number(1) if cap is not None else None
    if room is None or len(room.coefficients) != 1:
        return None
    if room.constant is not None:
        return term_of(room) if room.constant > 1 else None
    ((mono, times),) = room.coefficients.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 else None
    return symbol.term if symbol is not None and symbol.kind is SymbolKind.PARAM else None


def _refused(kernel: str, drawn: Iterable[Drawn]) -> Iterator[tuple[List, Refused]]:
    for one in drawn:
        room, mine = _room(one.cap), _list(one, one.counter) if one.counter is not None else None
        tests = [guard for guard in one.access.guards if one.made_of & set(symbols(guard.term))]
        if room is not None and mine is not None and tests:
            yield mine, Refused(kernel, tests[0], room, one.access.root.element)


def _compute(facts: ModuleFacts) -> dict[List, Refused]:
    found: dict[List, Refused] = {}
    for kernel, of in facts[kernel_traces].compared():
        for mine, one in _refused(kernel.function.name, drawn_stores(of, {})):
            found.setdefault(mine, one)
    return found


refused_slots = ModuleAnalysis("refused_slots", _compute, needs=(kernel_traces,))
"""The lists whose slots a kernel of the file compares with an argument: a :class:`Refused` for each."""


def by_data(counter: Access, access: Access) -> bool:
    """Whether data decide who stores at a slot, and no test of what the counter holds does."""
    tests = [
        guard for guard in (*counter.guards, *access.guards) if guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP)
    ]
    if any(held_in(part) is counter.root for guard in tests for part in subterms(guard.term)):
        return False
    return any(symbol.kind is SymbolKind.LOAD for guard in tests for symbol in symbols(guard.term))


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """An access at a number that a ``counter`` has given which goes down; ``test``: what keeps it from being negative,
    None where no condition speaks of it, or of what the counter holds."""

    access: Access
    counter: Access
    slot: Symbol
    test: Guard | None


@dataclass(frozen=True, slots=True, eq=False)
class Emptied:
    """An access at a number that may be negative, as is asked of the ``other`` one."""

    access: Access
    other: Taken

    @property
    def told(self) -> Told:
        """What to say."""
        assert self.other.test is not None
        return Told(
            f"{self.access.root.name} is accessed at a number that a counter has given which goes down: it is negative "
            "when the list is empty, and nothing asks for that, as it does for another such number",
            [Related(self.other.test.span, "there it is tested")],
            "more threads take an element than there are",
            "go on only where no number that was taken is negative",
        )


def _taken(of: Trace) -> Iterator[Taken]:
    """The accesses at numbers that counters have given which go down, but those of which anything else is asked."""
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC and one.atomic_op == "sub"}
    for access in of.accesses if counters else ():
        for slot in symbols(access.offset) if access.kind is not AccessKind.ATOMIC else ():
            counter = counters.get(id(slot.origin))
            times = polynomial(access.offset).coefficients.get((slot.term,), 0)
            if counter is None or times <= 0 or not isinstance(slot.type, IntType) or not slot.type.signed:
                continue
            tests = [guard for guard in access.guards if slot in symbols(guard.term)]
            kept = [guard for guard in tests if any(_not_negative(part, slot) for part in conjuncts(guard.term))]
            if kept:
                yield Taken(access, counter, slot, kept[0])
            elif not any(slot in symbols(test.term) for test in of.conditions) and not _holds(counter, access):
                yield Taken(access, counter, slot, None)


def _not_negative(part: Term, slot: Symbol) -> bool:
    low = part.args[0].value if part.op in ("lt", "le") else None
    return low is not None and low >= -1 and slot in symbols(part.args[1])


def _holds(counter: Access, access: Access) -> bool:
    """Whether a test before an access, or before its slot is drawn, speaks of what the counter holds."""
    tests = (*counter.guards, *access.guards)
    return any(held_in(part) is counter.root for guard in tests for part in subterms(guard.term))


def _emptied(of: Trace) -> Iterator[Emptied]:
    """Accesses at numbers that may be negative, where the same counter is asked for that in another branch, or where
    only the other one of two is that are drawn together here, and not everywhere."""
    taken = list(_taken(of))
    drawn = [(one.root, one.offset) for one in of.accesses if one.kind is AccessKind.ATOMIC and one.atomic_op == "sub"]
    for one in taken:
        mine = one.counter.root, one.counter.offset
        for other in taken if one.test is None else ():
            theirs = other.counter.root, other.counter.offset
            if other.test is None or other.slot is one.slot:
                continue
            beside = any(other.slot in symbols(guard.term) for guard in one.access.guards)
            if theirs == mine or (beside and drawn.count(theirs) > drawn.count(mine)):
                yield Emptied(one.access, other)
                return


def _at_hand(function: FunctionDecl, name: str) -> bool:
    """Whether an argument, or a member of one, is called so."""
    for param in function.params:
        kind = param.type.pointee if isinstance(param.type, PointerType) else param.type
        if param.name == name or (isinstance(kind, StructType) and any(field.name == name for field in kind.fields)):
            return True
    return False


def _tested_by_host(facts: Facts, name: str) -> bool:
    """Whether something that a host asks before the launch is called so."""
    return any(
        last_part(symbol.name) == name
        for view in facts[launch_context].launches
        for check in view.checks
        for symbol in symbols(check)
    )


def _of(facts: Facts) -> Iterator[Unrefused | Emptied]:
    of = facts[trace]
    if of.calls or not any(one.kind is AccessKind.ATOMIC for one in of.accesses):
        return
    yield from _emptied(of)
    drawn = list(drawn_stores(of, {}))
    open_ = [one for one in drawn if one.cap is None]
    elsewhere: dict[List, Refused] = facts[refused_slots] if open_ else {}
    known = {**elsewhere, **dict(_refused(facts.kernel.function.name, drawn))}
    for one in open_:
        counter = one.counter
        mine = _list(one, counter) if counter is not None else None
        other = known.get(mine) if mine is not None else None
        if (
            counter is None
            or other is None
            or other.kind != one.access.root.element
            or not by_data(counter, one.access)
        ):
            continue
        symbol = other.room.symbol
        if symbol is None:
            yield Unrefused(one.access, other)
            return
        name = last_part(symbol.name)
        asked = any(last_part(symbol.name) == name for guard in counter.guards for symbol in symbols(guard.term))
        if not asked and _at_hand(facts.function, name) and not _tested_by_host(facts, name):
            yield Unrefused(one.access, other)
            return


slots_elsewhere = KernelAnalysis(
    "slots_elsewhere", lambda facts: tuple(_of(facts)), needs=(trace, launch_context, refused_slots)
)
"""Each :class:`Unrefused` store of a kernel variant, and :class:`Emptied` access, the first one."""
