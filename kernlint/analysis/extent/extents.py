"""Accesses that leave their array: below its start, or beyond an extent that is known.

Arrays of constant extent (private, shared, constant) are asked about as they are; memory behind a pointer parameter
only whether an access can lie *before* it.  What an index or a guard takes from memory, from parameters or from calls
that are not modelled is not speculated on: such an access is passed over, but for data under a mask or a remainder,
whose largest value is taken.  The blocks tried are those of :mod:`kernlint.analysis.launching.launch_context`; without
a known one, a shared array may still speak for itself (:attr:`Outside.reason`).
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.extent import clamped_loops
from kernlint.analysis.extent.before_start import before_start, shifted
from kernlint.analysis.extent.checked_limits import at_limits
from kernlint.analysis.extent.clamped_arguments import at_clamps, clamped_arguments
from kernlint.analysis.extent.digits import at_divisors
from kernlint.analysis.extent.farthest import farthest
from kernlint.analysis.extent.leaving import (
    FEW,
    OWN,
    PLACE,
    UNLIMITED,
    Fields,
    Outside,
    decidable,
    leaves,
    limited,
    masked,
    within,
)
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import limits_of
from kernlint.analysis.extent.raised import raised
from kernlint.analysis.extent.told_numbers import beyond_told, name_of
from kernlint.analysis.launching.believed_blocks import believed_blocks
from kernlint.analysis.launching.launch_context import Block, LaunchContext, launch_context
from kernlint.analysis.launching.member_limits import Limit, member_limits, with_limits
from kernlint.analysis.replay import Replayed, Replayer
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root, RootKind, Trace
from kernlint.finding import Severity
from kernlint.prove.meet import WARP
from kernlint.prove.query import Refuted, Side
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    SymbolKind,
    Term,
    cast,
    symbols,
)
from kernlint.tree.nodes import Assign, Cast, IncDec, IntLit, Member, Subscript
from kernlint.tree.types import I64, ArrayType, Space


def _of_array(kernel: Trace, context: LaunchContext, fields: Fields, access: Access) -> Outside | None:
    """An access to an array of known extent."""
    extent = access.root.extent
    assert extent is not None
    return _asked(kernel, context, fields, access, access.offset, access.size or 1, extent, inner=False)


def _one_too_many(kernel: Trace, context: LaunchContext, fields: Fields, access: Access) -> Outside | None:
    """An access to the element right behind an array and to none further: one that is too small for the type that it is
    viewed as is too small by more."""
    extent, size = access.root.extent, access.size or 1
    assert extent is not None
    if not access.loops or extent <= size:
        return None
    found = _of_array(kernel, context, fields, access)
    if found is None or found.witness.first.offset != extent:
        return None
    more = _asked(kernel, context, fields, access, access.offset, size, extent + size, inner=False)
    return found if more is None or more.witness.first.offset == extent else None


def _of_clamped(kernel: Trace, access: Access) -> Outside | None:
    """An access by loops that clamped data end, to an array of known extent."""
    extent = access.root.extent
    assert extent is not None
    found = clamped_loops.beyond(kernel, access, access.offset, access.size or 1, extent)
    return None if found is None else Outside(access, found, extent, below=False, reason="", data=True)


def _at_limits(facts: Facts, access: Access) -> Outside | None:
    """An access by arguments that the host lets be too large, to an array of known extent."""
    extent = access.root.extent
    assert extent is not None
    limits: tuple[Limit, ...] = facts[member_limits]
    views = tuple(with_limits(view, limits) for view in facts[launch_context].launches)
    found = at_limits(facts[trace], access, views, at_divisors(access.offset), extent)
    return None if found is None else Outside(access, found, extent, below=False, reason="", data=False, given=True)


def _of_told(facts: Facts, access: Access) -> Outside | None:
    """An access by numbers as large as comments say, to an array of known extent."""
    extent, said = access.root.extent, dict(facts.options.ranges)
    if not said or extent is None or access.span.file != facts.module.path:
        return None
    found = beyond_told(facts[trace], facts.function, access, access.offset, access.size or 1, extent, said)
    if found is None:
        return None
    told = ", ".join(f"{name_of(symbol, facts.function)} = {value}" for symbol, value in found.values)
    return Outside(access, found, extent, below=False, reason="", data=False, told=f"{told}, which a comment")


def inner_array(access: Access) -> int | None:
    """Elements of the array within an object (a field, a row) that an access subscripts; 1: nobody can tell, larger
    ones are meant by it, as at the end of a struct.

    Rows of which the first is used to get at all of them (``tile[0][i]``) do not count.
    """
    node = access.node
    while isinstance(node, Assign | IncDec | Cast):
        node = node.operand if isinstance(node, Cast) else node.target
    if not isinstance(node, Subscript) or access.index is None or not isinstance(node.base.type, ArrayType):
        return None
    base = node.base
    if isinstance(base, Subscript):
        first = base.index.operand if isinstance(base.index, Cast) else base.index
        if isinstance(first, IntLit) and first.value == 0:
            return None
    elif not isinstance(base, Member):
        return None  # the object itself
    return node.base.type.extent or None


def _of_inner(kernel: Trace, context: LaunchContext, fields: Fields, access: Access) -> Outside | None:
    """An access to an array within an object."""
    count = inner_array(access)
    if count is None or count == 1 or access.index is None:
        return None
    return _asked(kernel, context, fields, access, cast(access.index, I64), 1, count, inner=True)


ANY: tuple[Block, ...] = ((1, 1, 1), (32, 1, 1), (8, 8, 1), (256, 1, 1))
"""Blocks that stand for all: what happens in each of these does not depend on the block."""


SIZED: tuple[Block, ...] = ((32, 1, 1), (256, 1, 1), (1024, 1, 1))
"""Blocks from the least to the most that anybody launches."""


def _in_any_block(asked: Side, extent: int, grid: Block, context: LaunchContext) -> Refuted | None:
    """A thread that leaves ``[0, extent)`` in a block of one warp, where in each other block some thread does too."""
    found: dict[Block, Refuted] = {}
    for block in ANY:
        if block[0] * block[1] > context.max_threads or not context.admission.permits(block):
            continue
        answer = leaves(asked, extent, block, context, grid=grid, budget=FEW)
        if answer is None or answer.first.offset < extent - asked.size:
            return None
        found[block] = answer
    return found.get((32, 1, 1)) or next(iter(found.values()), None)


def _asked(
    kernel: Trace,
    context: LaunchContext,
    fields: Fields,
    access: Access,
    place: Term,
    size: int,
    extent: int,
    *,
    inner: bool,
) -> Outside | None:
    """Whether ``size`` units at ``place`` can leave an object of ``extent`` units, perhaps with arguments at the
    numbers that the kernel clamps them to."""
    found = _left(kernel, context, fields, access, place, size, extent, inner, {})
    clamps = {} if found is not None else clamped_arguments(access, context.launches)
    if not clamps:
        return found
    found = _left(kernel, context, fields, access, place, size, extent, inner, clamps)
    if found is None or found.below:
        return None
    values = at_clamps(clamps)
    witness = replace(found.witness, values=(*found.witness.values, *values))
    told = ", ".join(f"{symbol.name} = {value}" for symbol, value in values)
    return replace(found, witness=witness, sure=False, told=f"{told}, which the clamp")


def _left(
    kernel: Trace,
    context: LaunchContext,
    fields: Fields,
    access: Access,
    place: Term,
    size: int,
    extent: int,
    inner: bool,
    clamps: Mapping[Term, Term],
) -> Outside | None:
    """Whether ``size`` units at ``place`` can leave an object of ``extent`` units, where ``clamps`` are numbers."""
    if place.value is not None and 0 <= place.value <= extent - size:
        return None
    place, data = masked(given := place)
    if data and fields.take_apart(given):
        return None
    most = None if data else raised(access, place, extent)
    if most is not None:
        place, access, data = *most, True
    grid = context.grid
    private = access.root.space is Space.PRIVATE
    several = _several_blocks(context, access, place) if grid is None else ()
    known, free = PLACE if grid is not None or private or several else OWN, limited(access)
    if not all(symbol.kind in known or symbol in free for symbol in symbols(place)):
        return None
    if within(interval(place), extent - size):
        return None
    if within(interval(place, refine([guard.term for guard in access.guards])), extent - size):
        return None
    asked = decidable(access, place, clamps)
    if asked is None:
        return None
    asked = Side(asked.offset, size, asked.guards, asked.counters)
    for block, blocks in several:
        found = leaves(asked, extent, block, context, grid=blocks)
        below = found is not None and not 0 <= found.first.offset < UNLIMITED
        if found is None or (access.root.space is Space.SHARED and (below or found.first.offset < extent)):
            continue
        return Outside(access, found, extent, below, "", data, inner, access.root.space is Space.GLOBAL)
    if several:
        return None
    for block, reason in believed_blocks(kernel, context, access, asked):
        found = leaves(asked, extent, block, context, grid=grid or (1, 1, 1))
        if found is None and place is access.offset and not context.stated:
            found = farthest(access, block)  # behind more threads and rounds than a search goes through
        if found is not None:
            below = found.first.offset < 0 or found.first.offset >= 1 << 31
            sure = not reason or any(c.block == block and c.source != "usual" for c in context.blocks)
            sure = sure and not found.values  # an argument may never be so large
            return Outside(access, found, extent, below, reason, data, inner, sure)
    if not any(candidate.known for candidate in context.blocks):
        found = _in_any_block(asked, extent, grid or (1, 1, 1), context)
        if found is not None and 0 <= found.first.offset < UNLIMITED:
            return Outside(access, found, extent, False, "", data, inner, True)
    if _falls(place):
        return None  # the last threads get below the start, if there are so many: the array says that there are not
    # Where the block's size is in the place, it is before the start in small blocks perhaps, and made for large ones.
    sized = any(s.kind is SymbolKind.BLOCK_DIM for s in asked.symbols)
    sizes = [block for block in SIZED if context.admission.permits(block)] or context.known_blocks or SIZED
    low = [leaves(asked, UNLIMITED, block, context) for block in (sizes if sized else sizes[:1])]
    wrong = [one for one in low if one is not None and (one.first.offset < 0 or one.first.offset >= UNLIMITED)]
    return Outside(access, wrong[0], extent, True, "", data, inner, True) if len(wrong) == len(low) else None


def _several_blocks(context: LaunchContext, access: Access, place: Term) -> tuple[tuple[Block, Block], ...]:
    """Blocks and grids of launches in sight that have a block for each part of the data, where an access counts in
    blocks to shared memory, which does not get larger with the grid, or to a variable of the program in global memory.
    In shared memory the first one is asked, and two blocks where the grid follows a size, as the author may know that
    there are never many."""
    axes = {s.axis for s in symbols(place) if s.kind is SymbolKind.BLOCK}
    shared = access.root.space is Space.SHARED
    if not axes or not (shared or (access.root.space is Space.GLOBAL and access.root.kind is RootKind.VARIABLE)):
        return ()
    found: dict[tuple[Block, Block], None] = {}
    for view in context.launches:
        x, y, z = view.block
        grid = [
            size.value if size.value is not None else 2 if of.kind in _BY_SIZE and shared else 0
            for size, of in zip(view.fact.grid or (), view.covers, strict=False)
        ]
        if x and y and z and len(grid) == 3 and all(size > 0 for size in grid) and any(grid[at] > 1 for at in axes):
            most = 2 if shared else max(grid)
            found[(x, y, z), (min(grid[0], most), min(grid[1], most), min(grid[2], most))] = None
    return tuple(found)[: 1 if shared else LAUNCHES]


_BY_SIZE = (Cover.ROUNDED_UP, Cover.EXACT)

LAUNCHES = 4
"""Launches whose threads are asked about an array of the program's."""


def _falls(place: Term) -> bool:
    """Whether a place gets smaller from thread to thread (``S[15 - threadIdx.x]``)."""
    found = []
    for thread in (0, WARP - 1):
        values = {s: thread if s in THREAD else WARP if s in BLOCK_DIM else 0 for s in symbols(place)}
        value = evaluate(place, values)
        if value is None:
            return False
        found.append(-1 if value >= 1 << 31 else value)  # wrapped: below the start
    return found[1] < found[0]


def _reshaped(root: Root) -> bool:
    """Whether an object is no array by its own type: what is in it depends on the type it is viewed as."""
    return root.decl is None or not isinstance(root.decl.type, ArrayType)


def numbers_made_up(facts: Facts) -> bool:
    """Whether sizes and indices may rest on numbers that nobody would use together: no code in sight asks for the
    instance of a template, and some of its arguments are numbers that the source does not give it; or a macro has a
    number that was made up to get through a test of the preprocessor."""
    if facts.module.numbers_made_up:
        return True
    function = facts.function
    return function.forced and not function.told and any(t.lstrip("-").isdigit() for _, t in function.template_args)


def _compute(facts: Facts) -> tuple[Outside, ...]:
    kernel = facts[trace]
    made_up = facts.function.forced
    if numbers_made_up(facts):
        return ()
    found: list[Outside] = []
    fields = Fields(kernel)
    done: set[tuple[int, Term, tuple[Term, ...]]] = set()
    for access in kernel.accesses:
        root = access.root
        if not access.size or (access.asynchronous and access.size != access.type.size):
            continue  # of a copy the last element is looked at
        # What a dispatch by type makes of a template goes further than what the host lets pass.
        by_type = _reshaped(root) and (made_up or len(facts.kernel.variants) > 1)
        array = root.kind is RootKind.VARIABLE and root.extent is not None
        if not array and root.kind is not RootKind.PARAM and not _of_object(access):
            continue
        key = (id(root), access.offset, tuple(guard.term for guard in access.guards))
        if key in done:
            continue
        done.add(key)
        outside: Outside | None = None
        if not by_type:
            outside = _of_inner(kernel, facts[launch_context], fields, access)
        if outside is not None:
            pass
        elif array and by_type:
            outside = _one_too_many(kernel, facts[launch_context], fields, access)
        elif array:
            outside = _of_array(kernel, facts[launch_context], fields, access) or _of_clamped(kernel, access)
            outside = outside or _at_limits(facts, access) or _of_told(facts, access)
        elif root.space in (Space.GLOBAL, Space.CONSTANT) and not shifted(facts[launch_context], access):
            outside = before_start(access, facts[launch_context], kernel.accesses)
        if outside is None or any(_impossible(guard.term) for guard in access.guards):
            continue
        if not _of_another(kernel, access):
            found.append(outside)
    return tuple(found)


def _of_object(access: Access) -> bool:
    """Whether memory is what a pointer leads to that an object has which is passed by its address, where a test keeps
    the place below a size: it begins where its places begin, then."""
    root = access.root
    fixed = root.kind is RootKind.LOADED and root.held_at is not None and root.held_at.value is not None
    if not fixed or root.holder is None or root.holder.kind is not RootKind.PARAM:
        return False
    found = elements(access)
    return found is not None and any(limit.slack <= 0 for limit in limits_of(found[0], access))


def _of_another(kernel: Trace, access: Access) -> bool:
    """Whether an access in a helper is made in a case that the thread has no part in (the degree of a polynomial), and
    another call hands over an array that has room for it: which case goes with which array, the callers know."""
    chosen = [guard for guard in access.guards if guard.loop is None and guard.span.file == access.span.file]
    if not access.stack or access.offset.value is None:
        return False
    if not any(guard.term.symbols and not {s.kind for s in symbols(guard.term)} & PLACE for guard in chosen):
        return False
    reach = access.offset.value + (access.size or 1)
    return any(
        other.span == access.span and other.root is not access.root and (other.root.extent or 0) >= reach
        for other in kernel.accesses
    )


def _impossible(guard: Term) -> bool:
    """Whether no values of what a test speaks of, masks and clamps of data among them, make it true."""
    return any(interval(part)[1] == 0 for part in conjuncts(guard))


def replayed(one: Outside, again: Replayer) -> tuple[Replayed | None, Severity]:
    """The access as the emulator saw it, and the level that this supports: an error where the extent is known, the
    block is not a guess, and no data is part of it.  Leaving a row but not the whole array is no error: it works."""
    seen = again.beyond(one.witness, one.access.span)
    certain = seen is not None and seen.certain and one.sure and one.extent is not None and not (one.data or one.inner)
    return seen, Severity.ERROR if certain else Severity.WARNING


outside = KernelAnalysis("outside", _compute, needs=(trace, launch_context, member_limits))
"""Each :class:`Outside` of a kernel, in order of the walk."""
