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

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counted_stores import Drawn, drawn_stores
from kernlint.analysis.extent.counter_clamps import called, held_in
from kernlint.analysis.extent.counts import is_slot
from kernlint.analysis.extent.places import places_of
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.told import Told
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.finding import Related
from kernlint.record import dataclass, replace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Atomic, FunctionDecl
from kernlint.tree.types import IntType, PointerType, StructType, Type

List = tuple[str, str, int]
"""What a list and its counter are called, and the bytes from one slot to the next."""

Member = tuple[str, str]
"""What the members of an object are called that lead to a list, and that say how long it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Refused:
    """``kernel`` stores at slots below ``room`` alone, or (not ``drawn``) keeps places of its own there, by ``guard``;
    ``kind``: of the elements; ``beside``: slots of another list of the object."""

    kernel: str
    guard: Guard
    room: Term
    kind: Type
    drawn: bool = True
    beside: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Unrefused:
    """A store (``access``) at a slot that nobody compares with the room, as ``other`` does."""

    access: Access
    other: Refused

    @property
    def told(self) -> Told:
        """What to say."""
        room, other = words(self.other.room), self.other
        does = "draws slots of the same list, and stores only where there is room"
        if other.beside:
            does = "compares the slots of another list beside it with that"
        if not other.drawn:
            room = f"{self.access.root.name.rpartition('.')[0]}.{last_part(room)}"
            does = f"keeps places in such a list below {words(other.room)}"
        return Told(
            f"{self.access.root.name} is written at a slot that nothing keeps below {room}: {other.kernel} {does}",
            [Related(other.guard.span, f"there the {'slot' if other.drawn else 'place'} is compared with the room")],
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
    return symbol.term if symbol is not None and (symbol.kind is SymbolKind.PARAM or _in_memory(symbol)) else None


def _in_memory(symbol: Symbol) -> bool:
    """Whether a number is read from a fixed place of what an argument points to: a list's head, say."""
    place = symbol.origin if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple) else None
    return place is not None and place[0].kind is RootKind.PARAM and place[1].value is not None


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


def _in_lists(kernel: str, of: Trace) -> Iterator[tuple[Member, Refused]]:
    """The lists of objects whose places, of whatever threads, are kept below a number of the same object."""
    for access in of.accesses:
        owner = access.root.name.rpartition(".")[0]
        if not owner or access.root.kind is not RootKind.PARAM or is_drawn(access):
            continue
        whole = [place for place in places_of(access) if place.pitch == number(1)]
        for limit in (limit for place in whole for limit in place.limits if limit.slack == -1):
            room = _room(limit.most)
            symbol = room.symbol if room is not None else None
            if room is not None and symbol is not None and symbol.name.rpartition(".")[0] == owner:
                key = called(access.root), last_part(symbol.name)
                yield key, Refused(kernel, limit.guard, room, access.root.element, drawn=False)


def is_drawn(access: Access) -> bool:
    """Whether an access is made at a slot that a counter has given."""
    return any(is_slot(symbol) for symbol in symbols(access.offset))


def _kept_in_lists(facts: ModuleFacts) -> dict[Member, Refused]:
    found: dict[Member, Refused] = {}
    for kernel, of in facts[kernel_traces].compared():
        for mine, one in _in_lists(kernel.function.name, of):
            found.setdefault(mine, one)
    return found


kept_in_lists = ModuleAnalysis("kept_in_lists", _kept_in_lists, needs=(kernel_traces,))
"""What members of objects are called that lead to lists, with the members that places in them are kept below."""


def _kept_places(facts: Facts, one: Drawn, own: dict[Member, Refused]) -> Refused | None:
    """What keeps places in the list of a slot, which is a member of an argument as its counter is, below another member
    of it."""
    counter, owner = one.counter, one.access.root.name.rpartition(".")[0]
    if counter is None or not owner or counter.root.name.rpartition(".")[0] != owner or _list(one, counter) is None:
        return None
    if any(isinstance(symbol.origin, Atomic) for guard in counter.guards for symbol in symbols(guard.term)):
        return None  # each item is claimed once, and there may be room for all of them
    elsewhere: dict[Member, Refused] = facts[kept_in_lists]
    known = {**elsewhere, **own}
    mine = [refused for (list_, _), refused in known.items() if list_ == called(one.access.root)]
    return mine[0] if len(mine) == 1 else None


def by_data(counter: Access, access: Access) -> bool:
    """Whether data decide who stores at a slot, and no test of what the counter holds does."""
    tests = [
        guard for guard in (*counter.guards, *access.guards) if guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP)
    ]
    held = (counter.root, counter.offset)
    if any(_read_at(part, held) for guard in tests for part in subterms(guard.term)):
        return False
    return any(symbol.kind in _DATA for guard in tests for symbol in symbols(guard.term))


_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.EXIT})
"""What data hold, and what loops over them come to."""


def _list_beside(one: Drawn, drawn: Sequence[Drawn], kernel: str) -> Refused | None:
    """What keeps slots of another list of the same object below a member of it: the only one that says how many."""
    owner, element = one.access.root.name.rpartition(".")[0], one.access.root.element
    if not owner or one.counter is None or _list(one, one.counter) is None:
        return None
    beside = [other for other in drawn if other.access.root.element == element and other.times == one.times]
    found = {
        symbol.name: replace(refused, beside=True)
        for _, refused in _refused(kernel, beside)
        if (symbol := refused.room.symbol) is not None and symbol.name.rpartition(".")[0] == owner
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _read_at(term: Term, place: tuple[Root, Term]) -> bool:
    """Whether a number has been read at a place, or at one that may be it."""
    symbol = plain(term).symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return False
    root, offset = symbol.origin
    apart = offset.value is not None and place[1].value is not None and offset.value != place[1].value
    return root is place[0] and not apart


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
        other = other or _kept_places(facts, one, dict(_in_lists(facts.kernel.function.name, of)))
        other = other or _list_beside(one, drawn, facts.kernel.function.name)
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
        owners = {one.access.root.name.rpartition(".")[0], ""}
        asked = any(
            last_part(symbol.name) == name and (owners == {""} or symbol.name.rpartition(".")[0] in owners)
            for guard in counter.guards
            for symbol in symbols(guard.term)
        )
        if not asked and _at_hand(facts.function, name) and not _tested_by_host(facts, name):
            yield Unrefused(one.access, other)
            return


slots_elsewhere = KernelAnalysis(
    "slots_elsewhere", lambda facts: tuple(_of(facts)), needs=(trace, launch_context, refused_slots, kept_in_lists)
)
"""Each :class:`Unrefused` store of a kernel variant, and :class:`Emptied` access, the first one."""
