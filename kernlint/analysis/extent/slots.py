"""Stores at slots that a counter hands out, which nobody compares with the room that there is.

``slot = atomicAdd(count, 1); list[slot] = i;`` goes as far as threads find something.  Two things say that there may
be more of them than room:

* what has been stored is used later, here or in another kernel of the file, as far as ``min(*count, room)`` says;
* the list has a constant number of elements, data decide who takes a slot, and more threads may do so than there are
  elements: all threads of a grid, or of a block that is larger.

A test of the room that is left says nothing once the slot is past it: ``capacity - slot >= 3`` is a difference of
unsigned numbers, and threads that found no room have counted on.

Silent where a test anywhere in the kernel speaks of the slot, where one of the counter keeps threads from counting on,
and where the room is as large as the number of items that threads are tested against.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import is_slot
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, LoopContext, Root, RootKind, Trace
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Assign, Cast, IncDec, Member, Node, Subscript
from kernlint.tree.types import ArrayType, IntType, Space

LARGE = 1 << 16
"""Elements of a list that may be meant for every thread of any launch."""


@dataclass(frozen=True, slots=True, eq=False)
class Clamp:
    """``kernel`` goes by a counter up to ``limit`` at most, by ``guard``; ``lists``: what it reads or writes then."""

    kernel: str
    guard: Guard
    limit: Term
    lists: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Overfull:
    """A store (``access``) at a slot of a list of ``room`` elements, in words; ``clamp``: who minds that there may be
    more; ``wraps``: the test of what is left."""

    access: Access
    room: str
    clamp: Clamp | None = None
    wraps: Guard | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A store at a slot: ``times`` bytes from one to the next, ``rest`` of the offset; ``counter``: what hands it
    out."""

    access: Access
    slot: Symbol
    times: int
    rest: Polynomial
    counter: Access


def called(root: Root) -> str:
    """What kernels of a file call the same object: the name of an argument, or of the member that leads to it."""
    return root.name.replace("->", ".").rpartition(".")[2]


def _held(term: Term) -> Root | None:
    """The object that a number has been read from."""
    symbol = plain(term).symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return None
    root = symbol.origin[0]
    return root if isinstance(root, Root) else None


def _limits(guard: Guard) -> Iterator[tuple[Root, Term, bool]]:
    """The objects whose numbers a guard goes by, what it holds them down to, and whether it does: it may only ask if
    there are more."""
    parts = conjuncts(guard.term)
    for part in subterms(guard.term):
        root = _held(part.args[1]) if part.op == "lt" else None
        if root is not None and _is_room(part.args[0]):
            yield root, part.args[0], False
        sides = part.args if part.op == "min" else part.args[1:] if part.op == "select" else ()
        if part.op == "select" and (
            part.args[0].op not in ("lt", "le") or {*map(plain, sides)} != {*map(plain, part.args[0].args)}
        ):
            continue
        for one, limit in (sides, sides[::-1]) if len(sides) == 2 else ():
            root = _held(one)
            if root is not None and _is_room(limit):
                yield root, limit, True
    if guard.kind is GuardKind.LOOP and len(parts) > 1:  # i < *count && i < room
        ends = [(part.args[0], part.args[1]) for part in parts if part.op == "lt"]
        for at, end in ends:
            root = _held(end)
            for same, limit in ends if root is not None else ():
                if same == at and root is not None and _is_room(limit):
                    yield root, limit, True


def _is_room(limit: Term) -> bool:
    symbol = plain(limit).symbol
    return (limit.value or 0) > 1 or (symbol is not None and symbol.kind is SymbolKind.PARAM)


def _clamps(facts: ModuleFacts) -> dict[str, list[Clamp]]:
    found: dict[str, list[Clamp]] = {}
    kernels = facts.module.kernels
    for kernel in kernels if len(kernels) <= KERNELS else ():
        known: dict[tuple[Guard, str, Term], set[str]] = {}
        for access in facts[kernel_traces].of(kernel.variants[0]).accesses:
            for guard in access.guards:
                for root, limit, holds in _limits(guard):
                    lists = known.setdefault((guard, called(root), limit), set())
                    lists |= {called(access.root)} if holds else set()
        for (guard, counter, limit), lists in known.items():
            found.setdefault(counter, []).append(Clamp(kernel.function.name, guard, limit, frozenset(lists)))
    return found


clamped_counters = ModuleAnalysis("clamped_counters", _clamps, needs=(kernel_traces,))
"""By what counters are called, how kernels of a file clamp them: a :class:`Clamp` for each."""


def drawn_stores(of: Trace) -> Iterator[Drawn]:
    """The stores at slots that no condition of the kernel speaks of."""
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC}
    asked: set[Symbol] | None = None
    for access in of.accesses if counters else ():
        slots = [symbol for symbol in symbols(access.offset) if is_slot(symbol)]
        if access.kind is not AccessKind.WRITE or len(slots) != 1:
            continue
        form, (slot,) = polynomial(access.offset), slots
        times = form.coefficients.get((slot.term,), 0)
        rest = Polynomial({mono: by for mono, by in form.coefficients.items() if mono != (slot.term,)})
        counter = counters.get(id(slot.origin))
        if times <= 0 or counter is None or any(slot in symbols(atom) for atom in rest.atoms):
            continue
        if asked is None:
            asked = {s for test in of.conditions for s in symbols(test.term)}
        if slot not in asked and not any(slot in symbols(guard.term) for guard in access.guards):
            yield Drawn(access, slot, times, rest, counter)


def _left(part: Term, slot: Symbol) -> Term | None:
    """The room of which a truth asks what is left behind a slot, in unsigned numbers."""
    if part.op not in ("lt", "le") or slot in symbols(part.args[0]) or (part.args[0].value == 0 and part.op == "le"):
        return None
    left = part.args[1]
    if left.op != "sub" or not isinstance(left.type, IntType) or left.type.signed or slot in symbols(left.args[0]):
        return None
    return left.args[0] if polynomial(left.args[1]).coefficients.get((slot.term,), 0) > 0 else None


def _wrapping(access: Access, of: Trace) -> Overfull | None:
    """A store at a slot that is tested by what is left behind it alone."""
    for slot in symbols(access.offset) if access.kind is AccessKind.WRITE else ():
        if not is_slot(slot) or polynomial(access.offset).coefficients.get((slot.term,), 0) <= 0:
            continue
        counter = next((one for one in of.accesses if one.node is slot.origin), None)
        tests = [(g, part) for g in access.guards for part in conjuncts(g.term) if slot in symbols(part)]
        rooms = [_left(part, slot) for _, part in tests]
        if counter is not None and rooms and rooms[0] is not None and None not in rooms and not _kept(counter):
            return Overfull(access, words(rooms[0]), wraps=tests[0][0])
    return None


def _kept(counter: Access) -> bool:
    """Whether a test of what the counter holds keeps threads from counting on."""
    return any(
        root is counter.root
        for guard in counter.guards
        for part in subterms(guard.term)
        if (root := _held(part)) is not None
    )


def _room_in(one: Drawn) -> int | None:
    """The elements of the array of constant length, or of the one in an object, that a slot is a place in."""
    node: Node = one.access.node
    while isinstance(node, Assign | IncDec | Cast | Member | Subscript):
        if isinstance(node, Subscript):
            kind = node.base.type
            if isinstance(kind, ArrayType) and kind.element.size == one.times and kind.extent:
                return kind.extent if isinstance(node.base, Member) or one.access.root.extent else None
        node = (
            node.operand
            if isinstance(node, Cast)
            else node.base
            if isinstance(node, Member | Subscript)
            else node.target
        )
    root = one.access.root
    if root.kind is RootKind.VARIABLE and root.extent and one.times == root.element.size:
        return root.extent // one.times
    return None


def _clamped(one: Drawn, clamps: list[Clamp], room: int | None, names: set[str]) -> Clamp | None:
    """A clamp of the counter to the room of the list that a slot is of."""
    for clamp in clamps:
        limit = clamp.limit.value
        if room is not None:
            if limit == room:
                return clamp
            continue
        if called(one.access.root) not in clamp.lists:
            continue
        size = plain(clamp.limit).symbol
        if size is not None and size.name.rpartition(".")[2] in names:
            continue  # as many as there are items
        moving = {mono: by for mono, by in one.rest.coefficients.items() if mono}
        if limit is not None and all(by % (limit * one.times) == 0 for by in moving.values()):
            return clamp
        if size is not None and all(any(_last(atom) == _last(clamp.limit) for atom in m) for m in moving):
            return clamp
    return None


def _last(term: Term) -> str:
    symbol = plain(term).symbol
    return "" if symbol is None else symbol.name.rpartition(".")[2]


def _few(one: Drawn, room: int, of: Trace, facts: Facts) -> bool:
    """Whether each thread of the block stores once, and no block is known that has more threads than there is room."""
    blocks = facts[launch_context].known_blocks
    again = [loop for loop in one.access.loops if not any(_clears(other, loop) for other in of.accesses)]
    return not again and not any(x * y * z > room for x, y, z in blocks)


def _clears(other: Access, loop: LoopContext) -> bool:
    """Whether an access in a loop sets something in shared memory to 0: a counter may begin anew there."""
    zero = other.kind is AccessKind.WRITE and other.value is not None and other.value.value == 0
    return zero and loop in other.loops and other.root.space is Space.SHARED


_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.EXIT})


def _by_data(one: Drawn) -> bool:
    """Whether data decide which threads take a slot, and nothing else chooses some of a block."""
    data = False
    for guard in one.counter.guards:
        kinds = {symbol.kind for symbol in symbols(guard.term)}
        if kinds & _DATA and guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP):
            data = True
        elif kinds & {SymbolKind.UNKNOWN, SymbolKind.WARP_SIZE} or (
            SymbolKind.THREAD in kinds and not all(map(_against_size, conjuncts(guard.term)))
        ):
            return False
    return data


def _against_size(part: Term) -> bool:
    """Whether a truth keeps threads below a size that is passed, or read."""
    slack = slack_of(part)
    kinds = {symbol.kind for atom in slack[0].atoms for symbol in symbols(atom)} if slack is not None else set()
    return bool(kinds & {SymbolKind.PARAM, SymbolKind.LOAD})


def _crowded(one: Drawn, room: int, of: Trace, facts: Facts) -> bool:
    """Whether more threads may take a slot of one counter than there is room."""
    place = {symbol.kind for symbol in symbols(one.counter.offset)}
    if place - {SymbolKind.PARAM} or not room < LARGE or not _by_data(one) or one.counter.loops:
        return False
    if one.counter.root.space is Space.SHARED:
        return any(x * y * z > room for x, y, z in facts[launch_context].known_blocks) and not _few(
            one, room, of, facts
        )
    if one.counter.root.space is not Space.GLOBAL or one.access.root.space is not Space.GLOBAL:
        return False
    return all(_threads(view.fact.grid, view.block) > room for view in facts[launch_context].launches)


def _threads(grid: tuple[Term, ...] | None, block: tuple[int | None, ...]) -> int:
    """The threads of a launch, as many as :data:`LARGE` where its size is not a number."""
    total = 1
    for size in (*(term.value for term in grid or ()), *block):
        if size is None:
            return LARGE
        total *= size
    return total if grid else LARGE


def _compute(facts: Facts) -> tuple[Overfull, ...]:
    of = facts[trace]
    found: dict[Root, Overfull] = {}
    for access in of.accesses if any(one.kind is AccessKind.ATOMIC for one in of.accesses) else ():
        wrong = _wrapping(access, of) if access.root not in found else None
        if wrong is not None:
            found[access.root] = wrong
    for one in drawn_stores(of):
        root = one.access.root
        if root in found or _kept(one.counter):
            continue
        room = _room_in(one)
        own = {symbol.name.rpartition(".")[2] for guard in one.counter.guards for symbol in symbols(guard.term)}
        clamps: dict[str, list[Clamp]] = facts[clamped_counters]
        clamp = _clamped(one, clamps.get(called(one.counter.root), []), room, own)
        if clamp is not None and not (root.space is Space.SHARED and _few(one, room or 0, of, facts)):
            found[root] = Overfull(one.access, words(clamp.limit), clamp)
        elif clamp is None and room is not None and room > 1 and _crowded(one, room, of, facts):
            found[root] = Overfull(one.access, str(room))
    return tuple(found.values())


overfull = KernelAnalysis("overfull", _compute, needs=(trace, launch_context, clamped_counters))
"""An :class:`Overfull` for each list of a kernel variant that has one."""
