"""Races in global memory: two threads of the grid that use one place, one of them with a plain write.

Threads of one block are ordered by its barriers, threads of two blocks by nothing within a kernel.  The launches
tried are small: a believable block (see :mod:`kernlint.analysis.scenarios`) and a few blocks along each axis whose
index the kernel reads.  A kernel that never asks for its block is taken to run as one, unless a launch shows more.

Scalars get values that no kernel can object to.  What bounds an index (``i < n``) is small, so that every thread
and iteration in bounds is seen; what only stands in an address (a pitch, a divisor) is larger than anything it has
to keep apart.  Silent wherever the place rests on memory, except for one idiom: an element picked by an index array
and updated without an atomic operation, which is a race as soon as an index occurs twice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from kernlint.analysis.accesses.changing import changing, without_copies_to_itself
from kernlint.analysis.accesses.needed import as_needed
from kernlint.analysis.accesses.pairs import (
    Pair,
    awaited,
    concurrent,
    conflicting,
    known,
    put_before,
    same_value,
    side,
    waits,
)
from kernlint.analysis.accesses.unseen import past
from kernlint.analysis.accesses.used_parts import as_used
from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses import COLLISION
from kernlint.analysis.excuses.atomics import ticket_reset
from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.excuses.flags import raised_flag
from kernlint.analysis.excuses.looks import same_either_way
from kernlint.analysis.excuses.relaxed import seen_next_time
from kernlint.analysis.excuses.winners import claimed
from kernlint.analysis.extent.extents import inner_array
from kernlint.analysis.launching.alone import alone
from kernlint.analysis.order import Order, order
from kernlint.analysis.scenarios.axes import by_lanes
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.search.collisions import asker_of
from kernlint.analysis.sharing.finder import Finder, GlobalRace
from kernlint.analysis.sharing.races import ALIKE, PAIRS, Place, followed, place
from kernlint.analysis.sharing.rows import in_row, inside_rows, moving
from kernlint.analysis.sharing.sizes_meant import rests_on_a_guess
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.cells import file_pointer
from kernlint.analysis.trace.events import Access, AccessKind, LoopContext, Root, RootKind, Trace
from kernlint.analysis.warps.lockstep import of_one_warp
from kernlint.prove.query import Refuted, Scope
from kernlint.record import replace
from kernlint.symbolic.terms import (
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    plain,
    symbols,
)
from kernlint.tree.nodes import Atomic
from kernlint.tree.nodes import Scope as Reach
from kernlint.tree.types import BOOL, I64, PointerType, Space


def grid_wide(of: Trace) -> bool:
    """Whether something orders the blocks of the grid: a grid barrier, or a call that may hold one."""
    maybe = (b for b in of.barriers if not (b.certain or b.unseen) and b.scope is not Reach.WARP)
    return any(b.scope is Reach.GRID for b in of.barriers) or any(maybe)


def _met_in_cluster(of: Trace, first: Access, second: Access) -> bool:
    """Whether the blocks of a cluster wait for each other between two accesses, in the text or around a loop that holds
    both.  How many blocks there are in a cluster the launch says, so that any two may be in one."""
    return any(
        first.order < barrier.order < second.order
        or any(loop in first.loops and loop in second.loops for loop in barrier.loops)
        for barrier in of.barriers
        if barrier.scope is Reach.CLUSTER
    )


def handshakes(of: Trace) -> bool:
    """Whether blocks may talk to each other: a fence for the device, or a loop that waits for memory."""
    if any(fence.scope in (Reach.GRID, Reach.SYSTEM) for fence in of.fences):
        return True
    reads = [access for access in of.accesses if access.volatile and access.kind is AccessKind.READ]
    tries = {id(access.node): access.value for access in of.accesses if access.atomic_op == "cas"} if reads else {}
    return any(_waits(loop, read, tries) for read in reads for loop in read.loops)


def _waits(loop: LoopContext, read: Access, tries: Mapping[int, Term | None]) -> bool:
    """Whether how long a loop goes on may hang on what is read in it.  ``tries``: what compare-and-swaps look for.

    Excused: ``while (*turn != mine);`` Still bad: ``for (; i < n; i += step) if (x[i] > *most) *most = x[i];`` Still
    bad: an update that is tried again until nobody has been quicker, or until it is no longer worth while.
    """
    if loop.doubtful or (loop.condition is None and not loop.exits):
        return True
    if any(_tried_again(term, tries) for term in loop.ends):
        return False  # each round of it has tried
    todo = [s for term in loop.ends for s in term.symbols]
    done: set[Symbol] = set()
    while todo:
        symbol = todo.pop()
        if symbol in done:
            continue
        done.add(symbol)
        if symbol.kind in (SymbolKind.UNKNOWN, SymbolKind.EXIT):
            return True
        if symbol.kind is SymbolKind.LOAD and symbol.origin[0] is read.root:
            return True
        for term in (symbol.init, symbol.step):
            todo += term.symbols if symbol.kind is SymbolKind.PHI and term is not None else ()
    return False


def _tried_again(term: Term, tries: Mapping[int, Term | None]) -> bool:
    """Whether a condition is that a compare-and-swap has found what had been read from its place before."""
    if term.op not in ("eq", "ne"):
        return False
    for found, other in (term.args, term.args[::-1]):
        symbol = plain(found).symbol
        looked_for = tries.get(id(symbol.origin)) if symbol is not None and symbol.kind is SymbolKind.UNKNOWN else None
        if looked_for is not None and looked_for.symbols and plain(looked_for) is plain(other):
            return True
    return False


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


def _same_everywhere(first: Access, second: Access) -> bool:
    return same_value(first, second) and all(
        symbol.uniformity is Uniformity.GRID for symbol in symbols(first.value or first.offset)
    )


def places(accesses: Sequence[Access], plain: Callable[[Access], bool] = known) -> dict[int, list[Access]]:
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
    but for a pointer variable of the file, or a member of one structure behind a parameter, that the kernel leaves as
    it is (it writes to the roots ``moved``)."""
    if root.kind is not RootKind.LOADED:
        return True
    if root.holder is None or id(root.holder) in moved:
        return False
    return file_pointer(root.holder) or _member_of_one(root, root.holder)


def _member_of_one(root: Root, holder: Root) -> bool:
    """Whether a pointer is read from one place that arguments alone say, behind a parameter."""
    at = root.held_at
    return holder.kind is RootKind.PARAM and at is not None and all(s.kind is SymbolKind.PARAM for s in symbols(at))


def _compute(facts: Facts) -> tuple[GlobalRace, ...]:
    of = facts[trace]
    groups = places(as_used(without_copies_to_itself((*of.accesses, *of.images)), facts.reached))
    alike = not facts[scenarios].seen and _warps_alike(of)
    if not groups or not followed(of) or facts[alone] or (alike and not _by_block(of)):
        return ()
    asker = asker_of(facts, of)
    finder = Finder(asker, facts[scenarios])
    blocks_free = not grid_wide(of)
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
                free = blocks_free and not _met_in_cluster(of, first, second)
                race = _judge(finder, first, second, facts[order], free, talking)
                asked[key] = asked.get(key, 0) + before - asker.left
                if race is None or _one_winner(first, second, of):
                    continue
                if not alike or race.across or of_one_warp(race.witness):
                    found[key] = race
    return tuple(found.values())


def _warps_alike(of: Trace) -> bool:
    """Whether a kernel works as a warp and asks for nothing but the lane, and perhaps the block: any other warp of a
    block would do the same once more, so that it is launched with one."""
    together = bool(of.warp_ops) or any(barrier.scope is Reach.WARP for barrier in of.barriers) or by_lanes(of)
    return together and all(map(_by_lane, _places(of)))


def _places(of: Trace) -> Iterator[Term]:
    """Where a kernel works, and under which conditions."""
    for event in (*of.accesses, *of.barriers, *of.warp_ops):
        yield from (guard.term for guard in event.guards)
        if isinstance(event, Access):
            yield event.offset


def _by_block(of: Trace) -> bool:
    return any(symbol.kind is SymbolKind.BLOCK for term in _places(of) for symbol in term.symbols)


def _by_lane(term: Term) -> bool:
    if term.symbol is not None:
        return term.symbol.kind is not SymbolKind.THREAD
    if term.op in ("mod", "and"):
        lanes = term.args[1]
        if lanes.symbol is WARP_SIZE or lanes.value == {"mod": 32, "and": 31}[term.op]:
            return not any(symbol.kind is SymbolKind.BLOCK for symbol in term.symbols)
    return all(map(_by_lane, term.terms))


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


def _one_winner(first: Access, second: Access, of: Trace) -> bool:
    """Whether both accesses are those of the one thread that an atomic operation has picked, under the same condition
    on what it found."""
    ours = {g.term for g in first.guards} & {g.term for g in second.guards}
    if not any(isinstance(s.origin, Atomic) for term in ours for s in symbols(term) if s.kind is SymbolKind.UNKNOWN):
        return False
    return claimed.holds(first, of) and (first is second or claimed.holds(second, of))


def _meet(finder: Finder, pair: Pair, within: Scope, warps: bool = False) -> tuple[Refuted, Scenario] | None:
    """A witness at a place that is none before the start of what an argument leads to: with values that would make it
    one the kernel is not launched."""
    met = finder.meet(pair, within, warps)
    if met is None or pair.first.root.kind is not RootKind.PARAM or met[0].first.offset >= 0:
        return met
    begun = [binary("le", const(0), cast(at.offset, I64), BOOL) for at in (pair.a, pair.b)]
    a, b = (replace(at, guards=(*at.guards, one)) for at, one in zip((pair.a, pair.b), begun, strict=True))
    return finder.meet(replace(pair, a=a, b=b), within, warps)


def _judge(
    finder: Finder, first: Access, second: Access, known_order: Order, blocks_free: bool, talking: bool
) -> GlobalRace | None:
    """The race of a pair.  ``blocks_free``: no barrier orders the blocks of the grid."""
    if conflicting(first, second) and not same_value(first, second):
        for pair in concurrent(first, second):
            if put_before(pair) or raised_flag.holds((first, second), finder.asker.of):
                continue
            told = past(finder.asker.unseen, changing(pair))
            answer = _meet(finder, inside_rows(told), "block", _within_warps(pair)) if told is not None else None
            if answer is not None and told is not None and (closer := as_needed(told, finder.asker.of)) is not None:
                told, answer = closer, _meet(finder, inside_rows(closer), "block", _within_warps(pair))
            if answer is None or told is None or excused(COLLISION, told, answer[0]):
                continue
            if _comes_to_the_same(told, answer[0], finder.asker.of):
                continue
            if rests_on_a_guess(finder, inside_rows(told), "block", answer[0]):
                continue
            if known_order.within_block(first, second) is None:
                return GlobalRace(told, *answer, across=False)
    talked = talking and (first is not second or _one_block_chosen(first))
    if (
        blocks_free
        and not _same_everywhere(first, second)
        and not _as_other_blocks(first, second, finder.asker.of)
        and not talked
        and not ticket_reset.holds((first, second), None)
        and not raised_flag.holds((first, second), finder.asker.of)
    ):
        pair = changing(across(first, second))
        answer = _meet(finder, pair, "blocks")
        if answer is not None and (closer := as_needed(pair, finder.asker.of)) is not None:
            pair, answer = closer, _meet(finder, closer, "blocks")
        if (
            answer is not None
            and not excused(COLLISION, pair, answer[0])
            and not _comes_to_the_same(pair, answer[0], finder.asker.of)
            and known_order.between_blocks(first, second) is None
            and not rests_on_a_guess(finder, pair, "blocks", answer[0])
        ):
            return GlobalRace(pair, *answer, across=True)
    return None


def _as_other_blocks(first: Access, second: Access, of: Trace) -> bool:
    """Whether all blocks write the one result that the first one does, as none asks which it is or how many there are,
    and nothing reads there: more work than is needed, and the same result."""
    if not of.complete or of.calls or not (first.kind is second.kind is AccessKind.WRITE):
        return False
    if any(one.uniformity is not Uniformity.GRID for at in (first, second) for one in symbols(at.offset)):
        return False  # of several elements the first block has some, and the others seem to be meant for theirs
    which = (SymbolKind.BLOCK, SymbolKind.GRID_DIM, SymbolKind.UNKNOWN)
    terms = [*_places(of), *(one.value for one in of.accesses if one.writes and one.value is not None)]
    if any(symbol.kind in which for term in terms for symbol in symbols(term)):
        return False
    inside = [one for one in of.accesses if one.root.space is Space.GLOBAL]
    written = {id(one.root) for one in inside if one.writes}
    return not any(one.kind is not AccessKind.WRITE and id(one.root) in written for one in inside)


def _comes_to_the_same(pair: Pair, witness: Refuted, of: Trace) -> bool:
    """Whether it is no matter who comes first: for what is there then, or for what comes of it in the end."""
    return same_either_way.holds(pair, (witness, of)) or seen_next_time.holds(pair, of)


global_races = KernelAnalysis("global_races", _compute, needs=(trace, scenarios, assumed, order, alone))
"""The races in global memory of one kernel variant whose places rest on no memory."""


# ------------------------------------------------------------------------------------------------------- scatter
