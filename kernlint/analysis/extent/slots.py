"""Stores at slots that a counter hands out, which nobody compares with the room that there is.

``slot = atomicAdd(count, 1); list[slot] = i;`` goes as far as threads find something, and so does a list that a thread
fills and leaves the count of in memory.  Two things say that there may be more than room:

* what has been stored is used later, here, in another kernel of the file or by the host, as far as ``min(*count,
  room)`` says, and nothing keeps the slot below that: no test does, or one that lets the room itself pass;
* the list has a constant number of elements, as it is declared or as the host allocates it, data decide who takes a
  slot, and more threads may do so than there are elements: all threads of a grid, or of a block that is larger;
* the counter itself stands behind so many elements of the list, and data decide who takes a slot;
* each of many counters has a row of a constant number of elements (``s = atomicAdd(&fill[c], 1); items[c * 24 + s] =
  i``), and data say whose row a thread stores in.

A test of the room that is left says nothing once the slot is past it: ``capacity - slot >= 3`` is a difference of
unsigned numbers, and threads that found no room have counted on.

A row whose counter goes down too, in any kernel of the file, gets back what was taken out of it: it has room for that.

Silent where a test anywhere in the kernel speaks of the slot, where one of the counter keeps threads from counting on,
and where the room is as large as the number of items that threads are tested against.
"""

from __future__ import annotations

from math import gcd

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.checked_limits import limits_of
from kernlint.analysis.extent.counted_stores import Drawn, drawn_stores
from kernlint.analysis.extent.counter_clamps import Clamp, called, clamped_counters, held_down_by_host, held_in
from kernlint.analysis.extent.counts import is_slot
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, LoopContext, Root, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import AddressOf, Assign, Atomic, Cast, IncDec, IntLit, Member, Node, Ref, Subscript
from kernlint.tree.types import ArrayType, IntType, Space
from kernlint.tree.walk import walk

FEW = 8
"""A row of fewer elements may be one of so many neighbours as there are by nature."""

LARGE = 1 << 16
"""Elements of a list that may be meant for every thread of any launch."""


@dataclass(frozen=True, slots=True, eq=False)
class Overfull:
    """A store (``access``) at a slot of a list of ``room`` elements, in words; ``clamp``: who minds that there may be
    more; ``wraps``: the test of what is left; ``lets_through``: whether a test lets the room itself pass."""

    access: Access
    room: str
    clamp: Clamp | None = None
    wraps: Guard | None = None
    lets_through: bool = False


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
        if (root := held_in(part)) is not None
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


def _before_counter(one: Drawn) -> int | None:
    """The places of a list that ends where its own counter stands: ``list[atomic_inc(list + 255)] = i``."""
    if one.counter is None or one.counter.root is not one.access.root or one.in_columns or _wraps(one):
        return None
    apart = (polynomial(one.counter.offset) - one.rest).constant
    return apart // one.times if apart is not None and apart > 0 else None


def _allocated(one: Drawn, facts: Facts) -> int | None:
    """The constant number of elements that each launch in sight has for the list, where none says how many threads
    there are at most."""
    if one.access.root.kind is not RootKind.PARAM or one.rest.constant is None or _wraps(one):
        return None
    rooms: set[int | None] = set()
    for view in facts[launch_context].launches:
        extent = dict(view.fact.extents).get(one.access.root.name)
        tests = [part for check in view.checks for part in conjuncts(check)]
        threads = {s for size in (*(view.fact.grid or ()), *(view.fact.threads or ())) for s in symbols(size)}
        few = any(True for symbol in threads for _ in limits_of(symbol, tests))
        rooms.add(
            None if extent is None or extent.value is None or few else (extent.value - one.rest.constant) // one.times
        )
    return rooms.pop() if len(rooms) == 1 else None


def _wraps(one: Drawn) -> bool:
    """Whether a counter begins anew at a number: what counts up to ``atomicInc``'s second argument gets no further."""
    node = one.counter.node if one.counter is not None else None
    if not isinstance(node, Atomic) or node.op != "inc" or not node.operands:
        return False
    limit = node.operands[0]
    while isinstance(limit, Cast):
        limit = limit.operand
    return not (isinstance(limit, IntLit) and limit.value & 0xFFFFFFFF == 0xFFFFFFFF)


def _clamped(one: Drawn, clamps: list[Clamp], room: int | None, names: set[str]) -> Clamp | None:
    """A clamp of the counter to the room of the list that a slot is of, to which nothing keeps the slot."""
    for clamp in clamps:
        limit = clamp.limit.value
        if not _lets_through(one.cap, clamp.limit):
            continue
        if room is not None:
            if limit == room and one.counter is not None:
                return clamp
            continue
        if called(one.access.root) not in clamp.lists:
            continue
        size = plain(clamp.limit).symbol
        if size is not None and size.name.rpartition(".")[2] in names:
            continue  # as many as there are items
        if one.in_columns:
            return clamp
        moving = {mono: by for mono, by in one.rest.coefficients.items() if mono}
        if limit is not None and all(by % (limit * one.times) == 0 for by in moving.values()):
            return clamp
        if size is not None and all(any(_last(atom) == _last(clamp.limit) for atom in m) for m in moving):
            return clamp
    return None


def _lets_through(cap: Polynomial | None, limit: Term) -> bool:
    """Whether tests let a count be as large as a room."""
    if cap is None:
        return True
    if cap.constant is not None or limit.value is not None:
        return cap.constant == limit.value
    (mono, *more) = cap.coefficients
    return not more and len(mono) == 1 and cap.coefficients[mono] == 1 and _last(mono[0]) == _last(limit) != ""


def _host_clamp(one: Drawn, facts: Facts) -> Clamp | None:
    """A clamp by the host, of a number that it has copied from the counter, to what it has allocated for the list."""
    if one.counter is None or one.cap is not None or one.rest.constant is None:
        return None
    for view in facts[launch_context].launches:
        extent = dict(view.fact.extents).get(one.access.root.name)
        items = {s for mine, image in view.images if _tested(one.counter, mine) for s in symbols(image)}
        for clamp in held_down_by_host(view, one.counter.root.name) if extent is not None else ():
            as_large = extent is not None and polynomial(plain(clamp.limit)) * number(one.times) == polynomial(extent)
            if as_large and not (set(symbols(clamp.limit)) & items):
                return clamp
    return None


def _tested(counter: Access, size: Symbol) -> bool:
    return any(size in symbols(guard.term) for guard in counter.guards)


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


def _by_data(counter: Access) -> bool:
    """Whether data decide which threads take a slot, and nothing else chooses some of a block."""
    data = False
    for guard in counter.guards:
        kinds = {symbol.kind for symbol in symbols(guard.term)}
        if kinds & _DATA and guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP):
            data = True
        elif kinds & {SymbolKind.UNKNOWN, SymbolKind.WARP_SIZE} or (
            SymbolKind.THREAD in kinds and not all(map(_against_size, conjuncts(guard.term)))
        ):
            return False
    return data


def _row(one: Drawn, counter: Access) -> int | None:
    """The elements of a row, where rows are as far apart as their counters, times a constant number, and data say which
    row it is."""
    own = {mono: by for mono, by in polynomial(counter.offset).coefficients.items() if mono}
    moving = {mono: by for mono, by in one.rest.coefficients.items() if mono}
    if not moving or moving.keys() != own.keys() or one.in_columns or _wraps(one):
        return None
    if not any(symbol.kind is SymbolKind.LOAD for symbol in symbols(counter.offset)):
        return None
    apart = gcd(*own.values())  # from one counter to the next
    rooms = {by * apart / (own[mono] * one.times) for mono, by in moving.items()}
    room = int(rooms.pop()) if len(rooms) == 1 and all(length == int(length) for length in rooms) else 0
    return room if FEW <= room < LARGE else None


def _anybody(counter: Access, room: int, facts: Facts) -> bool:
    """Whether more threads than there is room may take a slot of one row: no test chooses some of a block."""
    for guard in counter.guards:
        kinds = {symbol.kind for symbol in symbols(guard.term)}
        if SymbolKind.WARP_SIZE in kinds or (
            SymbolKind.THREAD in kinds and not all(map(_against_size, conjuncts(guard.term)))
        ):
            return False
    if counter.root.space is Space.SHARED:
        return any(x * y * z > room for x, y, z in facts[launch_context].known_blocks)
    return all(_threads(view.fact.grid, view.block) > room for view in facts[launch_context].launches)


def _lowered(facts: ModuleFacts) -> frozenset[str]:
    bodies = [kernel.function.body for kernel in facts.module.kernels if kernel.function.body is not None]
    found: set[str] = set()
    for node in (node for body in bodies for node in walk(body)):
        target: Node | None = None
        if isinstance(node, Atomic) and node.op in ("sub", "dec"):
            target = node.pointer
        elif (isinstance(node, Assign) and node.op == "-") or (isinstance(node, IncDec) and node.op == "--"):
            target = node.target
        while isinstance(target, Cast | AddressOf | Subscript):
            target = target.base if isinstance(target, Subscript) else target.operand
        if isinstance(target, Member | Ref):
            found.add(target.field if isinstance(target, Member) else target.decl.name)
    return frozenset(found)


lowered_counters = ModuleAnalysis("lowered_counters", _lowered)
"""What numbers in memory are called that some kernel of a file makes less."""


def _against_size(part: Term) -> bool:
    """Whether a truth keeps threads below a size that is passed, or read."""
    slack = slack_of(part)
    kinds = {symbol.kind for atom in slack[0].atoms for symbol in symbols(atom)} if slack is not None else set()
    return bool(kinds & {SymbolKind.PARAM, SymbolKind.LOAD})


def _crowded(one: Drawn, counter: Access, room: int, of: Trace, facts: Facts) -> bool:
    """Whether more threads may take a slot of one counter than there is room."""
    place = {symbol.kind for symbol in symbols(counter.offset)}
    if place - {SymbolKind.PARAM} or not room < LARGE or not _by_data(counter):
        return False
    if counter.loops:  # as many as there are items
        lists = (counter.root.space, one.access.root.space)
        return set(lists) == {Space.GLOBAL} and all(map(_goes_to_size, counter.loops))
    if counter.root.space is Space.SHARED:
        return any(x * y * z > room for x, y, z in facts[launch_context].known_blocks) and not _few(
            one, room, of, facts
        )
    if counter.root.space is not Space.GLOBAL or one.access.root.space is not Space.GLOBAL:
        return False
    return all(_threads(view.fact.grid, view.block) > room for view in facts[launch_context].launches)


def _goes_to_size(loop: LoopContext) -> bool:
    """Whether a loop goes through all items of a number that is passed, the threads of the grid in turn."""
    steps = loop.condition is not None and SymbolKind.BLOCK in {symbol.kind for symbol in symbols(loop.condition)}
    return steps and loop.condition is not None and any(map(_against_size, conjuncts(loop.condition)))


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
    clamps: dict[str, list[Clamp]] = facts[clamped_counters]
    for one in drawn_stores(of, clamps):
        root, counter = one.access.root, one.counter
        if root in found or (counter is not None and _kept(counter)):
            continue
        room = _room_in(one)
        guards = (one.access if counter is None else counter).guards
        own = {symbol.name.rpartition(".")[2] for guard in guards for symbol in symbols(guard.term)}
        known = [clamp for name in sorted(one.names) for clamp in clamps.get(name, ())]
        clamp = _clamped(one, known, room, own) or _host_clamp(one, facts)
        if clamp is not None and not (root.space is Space.SHARED and _few(one, room or 0, of, facts)):
            found[root] = Overfull(one.access, words(clamp.limit), clamp, lets_through=one.cap is not None)
            continue
        if clamp is not None or counter is None or one.cap is not None:
            continue
        row = _row(one, counter)
        if row is not None and called(counter.root) not in facts[lowered_counters] and _anybody(counter, row, facts):
            found[root] = Overfull(one.access, str(row))
            continue
        room = _before_counter(one) if room is None else room
        room = _allocated(one, facts) if room is None else room
        if room is not None and room > 1 and _crowded(one, counter, room, of, facts):
            found[root] = Overfull(one.access, str(room))
    return tuple(found.values())


overfull = KernelAnalysis("overfull", _compute, needs=(trace, launch_context, clamped_counters, lowered_counters))
"""An :class:`Overfull` for each list of a kernel variant that has one."""
