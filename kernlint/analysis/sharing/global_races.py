"""Races in global memory: two threads of the grid that use one place, one of them with a plain write.

Threads of one block are ordered by its barriers, threads of two blocks by nothing within a kernel.  The launches
tried are small: a believable block (see :mod:`kernlint.analysis.scenarios`) and a few blocks along each axis whose
index the kernel reads.  A kernel that never asks for its block is taken to run as one, unless a launch shows more.

Scalars get values that no kernel can object to.  What bounds an index (``i < n``) is small, so that every thread
and iteration in bounds is seen; what only stands in an address (a pitch, a divisor) is larger than anything it has
to keep apart.  Silent wherever the place rests on memory, except for one idiom: an element picked by an index array
and updated without an atomic operation, which is a race as soon as an index occurs twice.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence

from kernlint.analysis.accesses.pairs import (
    Pair,
    awaited,
    concurrent,
    conflicting,
    known,
    placed,
    put_before,
    same_value,
    side,
    waits,
)
from kernlint.analysis.accesses.unseen import past
from kernlint.analysis.assumptions import applies, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses import COLLISION
from kernlint.analysis.excuses.atomics import ticket_reset
from kernlint.analysis.excuses.blocks import met_by_made_up_numbers
from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.excuses.promised import said_to_differ
from kernlint.analysis.excuses.views import slice_of_rows
from kernlint.analysis.extent.extents import inner_array
from kernlint.analysis.launching.alone import alone
from kernlint.analysis.order import Order, order
from kernlint.analysis.scenarios.numbers import addresses, monomials, pitches, powers, scalar, stated, trips, went_round
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.search.collisions import Asker, asker_of, unsettled
from kernlint.analysis.search.supposed import on_data, truncated, unordered
from kernlint.analysis.sharing.races import ALIKE, PAIRS, Place, followed, place
from kernlint.analysis.sharing.rows import in_row, inside_rows, moving
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.cells import file_pointer
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind, Trace
from kernlint.prove.query import Launch, Overlap, Refuted, Scope, Triple, is_shared
from kernlint.record import dataclass, field, replace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    GRID_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    plain,
    substitute,
    symbols,
)
from kernlint.tree.nodes import Scope as Reach
from kernlint.tree.types import IntType, PointerType, Space

BOUNDS = ((256, 512, 768, 1024, 1280, 1536, 1792), (1280, 1024, 768, 512, 256, 1792, 1536))
"""Values for scalars that bound indices: few enough for a small launch to fill, and multiples of whatever kernels take
for granted that sizes are multiples of."""


@dataclass(frozen=True, slots=True)
class GlobalRace:
    """Two accesses of global memory that collide.  ``across``: the threads are of two blocks.  ``scattered``: the
    place comes from an index array, and the witness takes two of its entries to be equal."""

    pair: Pair
    witness: Refuted
    shape: Scenario
    across: bool
    scattered: bool = False

    @property
    def root(self) -> Root:
        """The object that both access."""
        return self.pair.first.root


def _grid(shape: Scenario, read: tuple[bool, bool, bool], pair: Pair) -> Triple:
    """A small grid for a block: a few blocks along the axes whose index is read, those of a launch in sight; twice as
    many as the number by which the addresses of ``pair`` divide that of all blocks."""
    if None not in shape.grid:
        x, y, z = shape.grid
        return x or 1, y or 1, z or 1
    many = {1: 4, 2: 3}.get(sum(read), 2)
    found = {part for at in (pair.a, pair.b) for part in _portions(at.offset)}
    x, y, z = (
        given or max([many if used else 1, *(2 * by for along, by in found if along == axis)])
        for axis, (given, used) in enumerate(zip(shape.grid, read, strict=True))
    )
    return x, y, z


PORTIONS = 8
"""Parts, at most, into which a kernel cuts the grid, that a small one is still made of."""


@functools.lru_cache(maxsize=1 << 12)
def _portions(term: Term) -> tuple[tuple[int, int], ...]:
    """(axis, number) for each number by which the size of the grid is divided in ``term``."""
    found: dict[tuple[int, int], None] = {}
    if term.op in ("div", "shr"):
        whole, by = term.args[0], term.args[1].value or 0
        whole = plain(whole)
        by = 1 << min(by, 31) if term.op == "shr" else by
        if whole.symbol in GRID_DIM and 1 < by <= PORTIONS:
            found[GRID_DIM.index(whole.symbol), by] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_portions(arg)))
    return tuple(found)


def _scalars(query: Overlap) -> tuple[list[Symbol], list[Symbol]]:
    """Integer arguments of a query: those that bound something, and those that only stand in addresses."""
    every: dict[Symbol, None] = {}
    alone: set[Symbol] = set()
    joint: set[Symbol] = set()
    strides: set[Symbol] = set()
    for at in (query.a, query.b):
        every.update((symbol, None) for symbol in at.symbols if scalar(symbol) and is_shared(symbol, query))
        for fact in at.facts:
            for product in _bounding(fact):
                (alone if len(product) == 1 else joint).update(product)
        for mono in monomials(at.offset):
            inside = [symbol for atom in mono for symbol in symbols(atom)]
            if not all(scalar(symbol) for symbol in inside):
                strides.update(atom.args[0] for atom in mono if atom.op == "sym")
    bounding = alone | (joint - strides)
    known_ = {symbol for symbol, _ in query.launch.values}
    free = [symbol for symbol in every if symbol not in known_]
    return [s for s in free if s in bounding], [s for s in free if s not in bounding]


@functools.lru_cache(maxsize=1 << 12)
def _bounding(fact: Term) -> tuple[tuple[Symbol, ...], ...]:
    """Products of arguments that stand by themselves on a side of a comparison, or a number of times in it: ``i < n``,
    ``i < rows * columns``, ``i < n / 16``."""
    found: dict[tuple[Symbol, ...], None] = {}
    if fact.op in ("lt", "le"):
        monos = list((polynomial(fact.args[0]) - polynomial(fact.args[1])).coefficients)
        for mono in monos:
            if len(mono) == 1 and mono[0].op == "div" and (mono[0].args[1].value or 0) > 0:
                monos += polynomial(mono[0].args[0]).coefficients
            if mono and all(atom.op == "sym" and scalar(atom.args[0]) for atom in mono):
                found[tuple(atom.args[0] for atom in mono)] = None
    for arg in fact.terms:
        found.update(dict.fromkeys(_bounding(arg)))
    return tuple(found)


def _stride(access: Access) -> int:
    """Threads along x for which a constant stride of the loops around an access stands; a great number without."""
    form = polynomial(access.offset).coefficients
    unit = form.get((THREAD[0].term,), 0)
    if unit <= 0:
        return 1 << 31
    counts = [
        value // unit
        for mono, value in form.items()
        if len(mono) == 1 and mono[0].op == "sym" and mono[0].args[0].kind is SymbolKind.COUNTER and value > unit
    ]
    return min(counts, default=1 << 31)


WARPS = (64, 32)
"""Warp sizes under each of which a race has to show where the kernel leaves the size open."""


def _by_warp(pair: Pair) -> bool:
    return any(symbol is WARP_SIZE for at in (pair.a, pair.b) for symbol in at.symbols)


@dataclass(slots=True)
class Finder:
    """Asks for collisions of pairs under small launches."""

    asker: Asker
    shapes: Scenarios
    doubtful: set[int] = field(default_factory=set)

    def _own_fault(self, pair: Pair, within: Scope, launch: Launch) -> bool:
        """Whether it is the kernel's fault that threads meet, and not that of a guessed block that is too large for
        the rows it writes: then objects written by such accesses are left alone."""
        if self.shapes.seen:
            return True
        if pair.first is not pair.second:
            return id(pair.first.root) not in self.doubtful
        look = self.asker.toucher.revisited if within == "blocks" else self.asker.toucher.crowded
        if not met_by_made_up_numbers.holds(pair, look(pair.a, launch)):
            return True
        self.doubtful.add(id(pair.first.root))
        return False

    def meet(self, pair: Pair, within: Scope, warps: bool = False) -> tuple[Refuted, Scenario] | None:
        """A witness for two threads of one block, or of two, under all shapes guessed or one of those seen; ``warps``:
        of two warps."""
        found: tuple[Refuted, Scenario] | None = None
        free = _of_one_cell(pair) or unordered(pair)
        for shape in self.shapes.plausible:
            grid = _grid(shape, self.shapes.blocks, pair)
            room = shape.threads if within == "block" else max(grid)
            witness = None
            for size in WARPS if room > 1 and _by_warp(pair) else (0,) if room > 1 else ():
                witness = self._under(pair, within, shape, grid, size, warps)
                if witness is None and free is not pair:
                    witness = self._under(free, within, shape, grid, size, warps)
                    witness = None if witness is None else replace(witness, depends_on_data=True)
                if witness is None:
                    break
            if witness is not None:
                found = found or (witness, shape)
                if self.shapes.seen:
                    return found
            elif not self.shapes.seen:
                return None
        return found

    def _under(
        self, pair: Pair, within: Scope, shape: Scenario, grid: Triple, warp: int, warps: bool
    ) -> Refuted | None:
        most = min(_stride(pair.first), _stride(pair.second))
        if not self.shapes.seen and grid[0] * shape.block[0] > most:
            # a grid-stride loop with a constant stride: the stride is the size of the grid
            grid = max(most // shape.block[0], 1), grid[1], grid[2]
            if within == "blocks" and max(grid) < 2:
                return None
        counts = (*trips(pair, shape), *addresses(pair), *self.asker.said.numbers)
        counts = (*counts, *stated(pair, counts))
        if warp:
            counts = (*counts, (WARP_SIZE, warp))
        admission = self.shapes.admission
        launch = replace(Launch.of(admission, shape.block, max_threads=shape.threads, values=counts), grid=grid)
        private = pair.private - {symbol for symbol, _ in launch.values}
        said = self.asker.said
        premises = (*said.premises, *went_round(pair, launch), *powers(pair))
        query = Overlap(
            pair.a,
            pair.b,
            within,
            pair.tied,
            exclude_same_warp=warps,
            premises=premises,
            private=private,
            launch=launch,
        )
        if unsettled(query):
            return None
        bounding, others = _scalars(query)
        strides = pitches(others, query)
        if strides is None:
            return None
        for values in BOUNDS:
            under = launch.told((*strides, *zip(bounding, values, strict=False)))
            small = within != "blocks" or max(grid) <= 4
            if small and self.asker.toucher.apart(pair.a, pair.b, pair.tied, under, blocks=within == "blocks"):
                continue
            witness = self.asker.ask(replace(query, launch=under))
            if witness is not None and not witness.data_in_address:
                return witness if self._own_fault(pair, within, under) else None
            if not bounding:
                break
        return None


def _grid_wide(of: Trace) -> bool:
    """Whether something orders the blocks of the grid: a grid barrier, or a call that may hold one."""
    maybe = (b for b in of.barriers if not (b.certain or b.unseen) and b.scope is not Reach.WARP)
    return any(b.scope is Reach.GRID for b in of.barriers) or any(maybe)


def handshakes(of: Trace) -> bool:
    """Whether blocks may talk to each other: a fence for the device, or a loop that waits for memory."""
    if any(fence.scope in (Reach.GRID, Reach.SYSTEM) for fence in of.fences):
        return True
    return any(access.volatile and access.kind is AccessKind.READ and access.loops for access in of.accesses)


def _one_block_chosen(access: Access) -> bool:
    """Whether the access hangs on something that a block found out while it ran, such as that it is the last one."""
    found = (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI)
    return any(
        symbol.kind in found and symbol.uniformity is not Uniformity.GRID
        for guard in access.guards
        for symbol in symbols(guard.term)
    )


def across(first: Access, second: Access, *, inside: bool = True) -> Pair:
    """The pair as threads of two blocks make it: in any order, each in iterations of its own; ``inside``: provided that
    no index leaves an array within an object."""
    a, b = (side(access, in_row(access) if inside else ()) for access in (first, second))
    moving = (SymbolKind.PHI, SymbolKind.LOAD, SymbolKind.EXIT, SymbolKind.UNKNOWN, SymbolKind.TRIPS)
    begun = min((loop.serial for loop in (*first.loops, *second.loops)), default=None)
    private = frozenset(
        symbol
        for symbol in (*a.symbols, *b.symbols)
        if begun is not None and symbol.kind in moving and symbol.serial > begun
    )
    return Pair(first, second, a, b, private=private)


def _of_one_cell(pair: Pair) -> Pair | None:
    """``pair`` without what data have to say of one side, when it is about one cell that the other side writes whatever
    the data: a flag that one thread resets while those of other blocks set it.  None: it is not of that kind."""
    for write, other, at in ((pair.first, pair.second, pair.b), (pair.second, pair.first, pair.a)):
        if write is other or write.kind is not AccessKind.WRITE or other.kind is not AccessKind.ATOMIC:
            continue
        if write.offset != other.offset or any(s.uniformity is not Uniformity.GRID for s in symbols(write.offset)):
            continue
        if write.loops or any(on_data(guard.term) for guard in write.guards):
            continue
        guards = tuple(g for g in at.guards if not _own_data(g, write.root))
        freed = replace(at, guards=guards)
        return replace(pair, b=freed) if at is pair.b else replace(pair, a=freed)
    return None


def _own_data(guard: Term, but: Root) -> bool:
    """Whether a condition is on data of the thread's own, and no word of what ``but`` holds."""
    found = [symbol for symbol in symbols(guard) if symbol.kind is SymbolKind.LOAD]
    return any(s.uniformity > Uniformity.WARP for s in found) and all(s.origin[0] is not but for s in found)


def _same_everywhere(first: Access, second: Access) -> bool:
    return same_value(first, second) and all(
        symbol.uniformity is Uniformity.GRID for symbol in symbols(first.value or first.offset)
    )


def _places(accesses: Sequence[Access], plain: Callable[[Access], bool] = known) -> dict[int, list[Access]]:
    groups: dict[int, list[Access]] = {}
    moved = {id(access.root) for access in accesses if access.writes and isinstance(access.type, PointerType)}
    for access in accesses:
        if access.root.space is Space.GLOBAL and plain(access) and _one_object(access.root, moved):
            if inner_array(access) == 1 and access.index is not None and moving(access.index):
                continue  # how far apart the objects really are is not in sight
            groups.setdefault(id(access.root), []).append(access)
    return {key: group for key, group in groups.items() if any(a.writes for a in group)}


def _one_object(root: Root, moved: set[int]) -> bool:
    """Whether a root is one object for all threads: what a pointer read from memory names may be another each time,
    but for a pointer variable of the file that the kernel leaves as it is (it writes to the roots ``moved``)."""
    if root.kind is not RootKind.LOADED:
        return True
    return root.holder is not None and file_pointer(root.holder) and id(root.holder) not in moved


def _compute(facts: Facts) -> tuple[GlobalRace, ...]:
    of = facts[trace]
    groups = _places((*of.accesses, *of.images))
    if not groups or not followed(of) or facts[alone]:
        return ()
    asker = asker_of(facts, of)
    finder = Finder(asker, facts[scenarios])
    blocks_free = not _grid_wide(of)
    talking = handshakes(of) and not facts[order].words  # in words of which nothing is known
    ended = waits(of.asyncs)
    found: dict[tuple[int, Place, Place], GlobalRace] = {}
    asked: dict[tuple[int, Place, Place], int] = {}
    for group in groups.values():
        for gap in range(min(len(group), 1 + PAIRS // len(group))):
            for first, second in zip(group, group[gap:], strict=False):
                if not _plain(first, second) or awaited(first, second, ended):
                    continue
                if asker.left <= 0:
                    return tuple(found.values())
                key = (id(first.root), place(first.span), place(second.span))
                if key in found or asked.get(key, 0) >= ALIKE:
                    continue
                before = asker.left
                race = _judge(finder, first, second, facts[order], blocks_free, talking)
                asked[key] = asked.get(key, 0) + before - asker.left
                if race is not None:
                    found[key] = race
    return tuple(found.values())


def _within_warps(pair: Pair) -> bool:
    """Whether a barrier of the warp stands between two accesses, so that only threads of two warps can collide."""
    first, second = pair.first, pair.second
    if (first.warp_labels, second.warp_labels) == (first.labels, second.labels):
        return False
    return next(concurrent(first, second, warp=True), None) is None


def _plain(first: Access, second: Access) -> bool:
    """Whether a pair is worth asking for: a plain write is among it, or a thread that has updated a cell atomically
    then reads it as if it were alone (a read before the update is mostly a shortcut that the update makes good)."""
    if AccessKind.WRITE in (first.kind, second.kind):
        return True
    return first.kind is AccessKind.ATOMIC and second.kind is AccessKind.READ and not second.volatile


def _judge(
    finder: Finder, first: Access, second: Access, known_order: Order, blocks_free: bool, talking: bool
) -> GlobalRace | None:
    """The race of a pair.  ``blocks_free``: no barrier orders the blocks of the grid."""
    if conflicting(first, second) and not same_value(first, second):
        for pair in concurrent(first, second):
            if put_before(pair):
                continue
            told = past(finder.asker.unseen, pair)
            answer = finder.meet(inside_rows(told), "block", _within_warps(pair)) if told is not None else None
            if answer is None or told is None or excused(COLLISION, told, answer[0]):
                continue
            if known_order.within_block(first, second) is None:
                return GlobalRace(told, *answer, across=False)
    talked = talking and (first is not second or _one_block_chosen(first))
    if (
        blocks_free
        and not _same_everywhere(first, second)
        and not talked
        and not ticket_reset.holds((first, second), None)
    ):
        pair = across(first, second)
        answer = finder.meet(pair, "blocks")
        if (
            answer is not None
            and not excused(COLLISION, pair, answer[0])
            and known_order.between_blocks(first, second) is None
        ):
            return GlobalRace(pair, *answer, across=True)
    return None


global_races = KernelAnalysis("global_races", _compute, needs=(trace, scenarios, assumed, order, alone))
"""The races in global memory of one kernel variant whose places rest on no memory."""


# ------------------------------------------------------------------------------------------------------- scatter


@dataclass(frozen=True, slots=True)
class Scatter:
    """A plain write of an element that an index array picks, or (``counted``) a counter in shared memory.

    ``updates``: the element's old value goes into the new one, so that equal indices lose updates.  ``race``: two
    threads with equal indices.  ``fixed``: no data pick the element, only whether a thread updates it.
    """

    access: Access
    race: GlobalRace
    updates: bool
    counted: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Picked:
    """What data pick in an address, each with one value for all threads in its place: loads, and whole ``terms`` that
    are numbers made from loads in floating point.  ``alike``: all threads of a block load the same."""

    loads: dict[Symbol, Term]
    terms: dict[Term, Term] = field(default_factory=dict)
    alike: bool = False


def _chosen(access: Access) -> Picked | None:
    """The varying loads in the address of ``access``; None when there are none, or they cannot be told apart."""
    loads: dict[Symbol, Term] = {}
    for symbol in symbols(access.offset):
        if symbol.kind is SymbolKind.LOAD and symbol.uniformity is Uniformity.VARYING:
            loads[symbol] = const(1, symbol.type) if isinstance(symbol.type, IntType) else symbol.term
    odd = {symbol for symbol, image in loads.items() if image is symbol.term}
    terms: dict[Term, Term] = {}
    if odd:
        truncated(access.offset, lambda term: const(1, term.type), terms)
        left = symbols(substitute(access.offset, loads, dict(terms)))
        if any(symbol in odd for symbol in left):
            return None
    return Picked(loads, terms) if loads else None


def _alike(access: Access) -> Picked | None:
    """The loads in the address of ``access`` that are the same for a whole block."""
    loads: dict[Symbol, Term] = {
        symbol: const(1, symbol.type)
        for symbol in symbols(access.offset)
        if symbol.kind is SymbolKind.LOAD and symbol.uniformity > Uniformity.GRID and isinstance(symbol.type, IntType)
    }
    return Picked(loads, alike=True) if loads else None


def updates(access: Access) -> bool:
    """Whether the value written is made from what the same place held and from something of the thread's own, or is
    a count of threads; or takes the place of what it held because it is the greater or the less of the two.

    Where all that is added hangs on the element alone, a second thread with the same index would add it twice: such
    a kernel is written for indices that differ.
    """
    if access.value is None:
        return False
    loads = [symbol for symbol in symbols(access.value) if symbol.kind is SymbolKind.LOAD]
    old = [symbol for symbol in loads if symbol.origin[0] is access.root and symbol.origin[1] == access.offset]
    if _blended(access.value, old):
        return False
    picked = set(symbols(access.offset))
    own = [s for s in loads if s not in old and s not in picked and _by_thread(s.origin[1], picked)]
    counts = all(symbol in old for symbol in symbols(access.value))
    return (bool(old) and (bool(own) or counts)) or (bool(own) and any(_beats(g.term, access) for g in access.guards))


def _beats(term: Term, write: Access) -> bool:
    """Whether a condition is that what a write puts into its place is less, or more, than what was there."""
    if term.op in ("land", "lor", "lnot"):
        return any(_beats(arg, write) for arg in term.args)
    if term.op not in ("lt", "le") or write.value is None:
        return False
    held = [
        any(s.kind is SymbolKind.LOAD and s.origin == (write.root, write.offset) for s in arg.symbols)
        for arg in term.args
    ]
    put = set(write.value.symbols)
    return held in ([True, False], [False, True]) and any(s in put for s in term.args[held.index(False)].symbols)


def _blended(value: Term, old: Collection[Symbol]) -> bool:
    """Whether bits of the old value stand beside bits of another one (``(x & m) | (old & ~m)``): a choice, no sum."""
    value = plain(value)
    if value.op != "or":
        return False
    parts = []
    for part in value.args:
        part = plain(part)
        parts.append(part.op == "and" and any(symbol in old for symbol in symbols(part)))
    return parts in ([True, False], [False, True]) and all(_masked_part(part) for part in value.args)


def _masked_part(part: Term) -> bool:
    return part.op == "and" or (part.op == "cast" and _masked_part(part.args[0]))


def _by_thread(offset: Term, picked: Collection[Symbol], depth: int = 3) -> bool:
    """Whether a place is that of the thread itself: its index is used, and no memory but what lies at such places
    (``depth`` steps) and is not what was ``picked``."""
    found = symbols(offset)
    loads = [symbol for symbol in found if symbol.kind is SymbolKind.LOAD]
    if not loads:
        return any(symbol.kind is SymbolKind.THREAD for symbol in found)
    return depth > 0 and any(s not in picked and _by_thread(s.origin[1], picked, depth - 1) for s in loads)


def _counted(access: Access, of: Trace) -> Picked | None:
    """The results of atomic operations on shared memory in the address of ``access``, each as 0: every block counts
    from the start, so two blocks may well get the same."""
    shared = {id(a.node) for a in of.accesses if a.kind is AccessKind.ATOMIC and a.root.space is Space.SHARED}
    found: dict[Symbol, Term] = {
        symbol: const(0, symbol.type)
        for symbol in symbols(access.offset)
        if symbol.kind is SymbolKind.UNKNOWN and id(symbol.origin) in shared and isinstance(symbol.type, IntType)
    }
    return Picked(found) if found else None


def _scatters(facts: Facts) -> tuple[Scatter, ...]:
    of = facts[trace]
    if not followed(of) or handshakes(of):
        return ()
    asker = asker_of(facts, of)
    finder = Finder(asker, facts[scenarios])
    atomics = {id(access.root) for access in of.accesses if access.kind is AccessKind.ATOMIC}
    promised = tuple(one for one in facts.options.unlike if applies(one, facts))
    out: list[Scatter] = []
    shared = [a for a in of.accesses if a.root.space is Space.SHARED and a.kind is AccessKind.WRITE and _scattered(a)]
    for group in (*_places(of.accesses, _scattered).values(), shared):
        for access in group:
            if access.kind is not AccessKind.WRITE or id(access.root) in atomics:
                continue
            if slice_of_rows.holds(access, None) or said_to_differ.holds(access, promised):
                continue
            if access.root.space is Space.SHARED and not updates(access):
                continue
            updated = updates(access)
            images, counted = _chosen(access), _counted(access, of)
            ways = (False,) if access.root.space is Space.SHARED else (True,) if counted else (False, True)
            fixed = False
            if images is None and counted is None and updated:
                images, ways = _alike(access), (False,)
                fixed = images is None and any(_on_loads(guard.term) for guard in access.guards)
                if fixed:
                    images = Picked({})
                    ways = (False,) if access.root.space is Space.SHARED else (False, True)
            picked = images or counted
            race = _equal_indices(finder, access, picked, ways) if picked is not None else None
            if race is not None:
                out.append(Scatter(access, race, updated, bool(counted), fixed))
    return tuple(out)


def _equal_indices(finder: Finder, access: Access, picked: Picked, ways: tuple[bool, ...]) -> GlobalRace | None:
    """Two threads (of one block, of two: ``ways``) that write one element when their indices are equal."""
    plain, images = side(access), picked.loads
    memo = dict(picked.terms)
    above = Uniformity.GRID if picked.alike else Uniformity.WARP
    loops = []
    for loop in plain.counters:
        condition = None if loop.condition is None else substitute(loop.condition, images, memo)
        loops.append(replace(loop, condition=None if condition is None or _on_loads(condition, above) else condition))
    guards = (substitute(guard, images, memo) for guard in plain.guards)
    told = replace(
        plain,
        offset=substitute(plain.offset, images, memo),
        guards=tuple(guard for guard in guards if not _on_loads(guard, above)),
        counters=tuple(loops),
    )
    if same_value(access, access):
        return None
    # Threads of one block are in one round of a loop that they wait in.
    same = next((pair for pair in concurrent(access, access) if pair.carried is None), None)
    for apart in ways:
        pair = Pair(access, access, told, told, () if apart or same is None else same.tied)
        answer = finder.meet(pair, "blocks" if apart else "block")
        if answer is not None:
            return GlobalRace(pair, *answer, across=apart, scattered=True)
    return None


def _scattered(access: Access) -> bool:
    return placed(access, lambda guard: _on_loads(guard, Uniformity.GRID))


def _on_loads(term: Term, above: Uniformity = Uniformity.WARP) -> bool:
    """Whether a condition rests on memory that varies: that it may hold is part of what is taken for granted."""
    return any(s.kind is SymbolKind.LOAD and s.uniformity > above for s in symbols(term))


scatters = KernelAnalysis("scatters", _scatters, needs=(trace, scenarios, assumed))
"""The plain writes of one kernel variant to elements picked by index arrays (in shared memory, only updates)."""
