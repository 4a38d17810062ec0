"""Evidence that threads without work exist and that an unguarded access is made by them too.

The tiers are those of the bounds family: ``B2`` the launch in sight rounds its grid up, or (``SAID``)
a comment says so; ``B3`` a size is passed but
never tested; ``SIBLING`` the kernel itself tests the same index elsewhere, and only there does its work; ``B4`` one
axis is guarded and another is not; ``B5`` nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kernlint.analysis.base import Facts, KernelAnalysis, Rounded
from kernlint.analysis.coverage import AxisCover, Cover, conjuncts
from kernlint.analysis.extent.before_block import before_block
from kernlint.analysis.extent.bounds import GlobalId, Reach, global_ids, grows, reaches
from kernlint.analysis.extent.launched import in_padded_row
from kernlint.analysis.extent.limits import Indexed, elements, limits
from kernlint.analysis.extent.no_surplus import without_surplus
from kernlint.analysis.extent.overrun import inside_own
from kernlint.analysis.extent.places import Places, places
from kernlint.analysis.extent.said_at import nearest_said
from kernlint.analysis.extent.sizes import BESIDE, BESIDE_ONE, UnusedSize, unused_sizes
from kernlint.analysis.extent.touched_before import touched_before
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.extent.wrong_guards.faults import in_host_terms
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView, launch_context
from kernlint.analysis.launching.padded import padded_by_callers
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Trace
from kernlint.analysis.wording import present
from kernlint.finding import Step, Witness
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space


class Tier(Enum):
    """Kinds of evidence, strongest first."""

    ROUNDED_UP = "B2"
    SAID = "said"
    SIBLING = "sibling"
    UNUSED_SIZE = "B3"
    OTHER_AXIS = "B4"
    NOTHING = "B5"


@dataclass(frozen=True, slots=True, eq=False)
class Exposed:
    """An access that surplus threads of ``axis`` make too.

    ``view`` and ``cover``: the launch of a B2.  ``guard``: the test of a SIBLING, and whether it comes ``late``, after
    the access.  ``size``: of a B3.  ``said``: the comment of a SAID.
    """

    reach: Reach
    axis: int
    tier: Tier
    view: LaunchView | None = None
    cover: AxisCover | None = None
    guard: Guard | None = None
    late: bool = False
    size: UnusedSize | None = None
    said: Rounded | None = None

    @property
    def access(self) -> Access:
        """The access itself."""
        return self.reach.access

    @property
    def id(self) -> GlobalId:
        """The global id along the axis."""
        return next(one for one in self.reach.ids if one.axis == self.axis)


def upper_bound(term: Term, axis: int) -> Term | None:
    """The bound U of a truth ``i < U`` or ``i <= U`` whose left side grows along ``axis`` and whose right side is the
    same for all threads and no number."""
    if term.op not in ("lt", "le"):
        return None
    left, right = term.args
    if not grows(left, axis) or right.value is not None:
        return None
    kinds = {symbol.kind for symbol in symbols(right)}
    if kinds & {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.UNKNOWN, SymbolKind.PHI}:
        return None
    return right  # type: ignore[no-any-return]


def guard_on(guard: Guard, one: GlobalId) -> Term | None:
    """The comparison in ``guard`` that bounds the global id ``one`` from above by something uniform."""
    for part in conjuncts(guard.term):
        if upper_bound(part, one.axis) is not None and any(
            (other.factor, other.symbols) == (one.factor, one.symbols) for other in global_ids(part.args[0], one.axis)
        ):
            return part
    return None


def _rounded(one: GlobalId, view: LaunchView) -> AxisCover | None:
    """The cover of the axis of ``one`` when the launch gives it surplus threads."""
    cover = view.covers[one.axis]
    if cover.kind is not Cover.ROUNDED_UP or cover.count is None:
        return None
    if cover.unit is None:
        return cover
    ratio = _ratio(one, view)
    return cover if ratio is not None and ratio == polynomial(cover.unit) else None


def _ratio(one: GlobalId, view: LaunchView) -> Polynomial | None:
    """Threads (or items) per block of ``one`` in the host's terms."""
    images = dict(view.images)
    product = number(one.factor)
    for atom in one.symbols:
        image = images.get(atom.args[0])
        if image is None or atom.args[0] not in BLOCK_DIM:
            return None
        product = product * polynomial(image)
    return product


def _sibling(kernel: Trace, reach: Reach, one: GlobalId, indexed: Sequence[Indexed]) -> tuple[Guard, bool] | None:
    """The test by which the kernel keeps surplus threads of ``one`` from all that it writes, and whether it comes
    after the access ``reach``; for what is written itself, a test elsewhere that the index is within its row."""
    access = reach.access
    if access.writes:
        row = _row_test(kernel, reach, one, indexed)
        return None if row is None else (row, False)
    writes = (a for a in kernel.accesses if a.writes and a.root.space is Space.GLOBAL)
    found: Guard | None = None
    for write in writes:
        guards = [guard for guard in write.guards if guard_on(guard, one) is not None]
        if not guards or all(_off_rim(access, guard, one) for guard in guards):
            return None
        found = found or guards[0]
    if found is None or (_strides_grid(found) and not _shared_test(kernel, access, found)):
        return None
    return found, found.span.start > access.span.start or found.kind is not GuardKind.EXIT


def _off_rim(access: Access, guard: Guard, one: GlobalId) -> bool:
    """Whether a test keeps threads off the rim of what an access reads, whose extents are known: no thread needs to be
    beyond it for that."""
    part = guard_on(guard, one)
    if part is None:
        return False
    left, right = map(polynomial, part.args)
    fixed = left.coefficients.get((), 0) - (part.op == "le")
    return inside_own(access, right - number(fixed))


def _strides_grid(guard: Guard) -> bool:
    """Whether a test is that of a loop in steps of the whole grid: any number of threads goes with any size then, and
    what they have one each of (states of random numbers, partial sums) is as long as the grid."""
    if guard.loop is None:
        return False
    counter = guard.loop.counter.term
    return any(
        counter in mono and any(atom.symbol in GRID_DIM for atom in mono)
        for part in conjuncts(guard.term)
        if part.op in ("lt", "le")
        for mono in polynomial(part.args[0]).coefficients
    )


def _shared_test(kernel: Trace, access: Access, guard: Guard) -> bool:
    """Whether the kernel keeps other accesses to the same object inside by ``guard``."""
    return any(other.root is access.root and guard in other.guards for other in kernel.accesses)


def _row_test(kernel: Trace, reach: Reach, one: GlobalId, indexed: Sequence[Indexed]) -> Guard | None:
    """The test of another access that keeps ``one`` below the length of the rows that the access is laid out in, of
    which it is the place within the row: beyond it begins the next row, which is another thread's."""
    dimensions = next((each.dimensions for each in indexed if each.access is reach.access), ())
    if len(dimensions) < 2 or dimensions[-1].limits or dimensions[-1].extra:
        return None
    row, place = dimensions[-2].pitch, dimensions[-1]
    if row.constant is not None or place.pitch.constant != 1:
        return None
    for other in kernel.accesses:
        for guard in other.guards:
            part = guard_on(guard, one)
            sides = () if part is None or part.op != "lt" else tuple(polynomial(arg) for arg in part.args)
            if sides == (place.index, row):
                return guard
    return None


def _padded(found: Places, access: Access, one: GlobalId, view: LaunchView, cover: AxisCover) -> bool:
    """Whether the surplus along the axis of ``one`` stays in rows that may be padded."""
    mine = [
        place
        for place in found.get(access, ())
        if any(symbol is BLOCK[one.axis] for atom in place.index.atoms for symbol in symbols(atom))
    ]
    return len(mine) == 1 and cover.count is not None and in_padded_row(mine[0], view, cover.count)


def _over_the_grid(reach: Reach) -> bool:
    """Whether the threads of the whole grid are numbered through, whatever its shape: what caps the grid may be what
    there is."""
    found = elements(reach.access)
    return found is not None and any(
        {SymbolKind.BLOCK, SymbolKind.GRID_DIM} <= {symbol.kind for atom in mono for symbol in symbols(atom)}
        for mono in found[0].coefficients
    )


def _plain_layout(reach: Reach) -> bool:
    """Whether threads are laid out over elements as usual: along x at least, or along an axis whose fellows are
    guarded.  An index along y or z alone is most often that of a batch item, one for each block."""
    return 0 in reach.open_axes or bool(reach.guarded)


def _tiled(reach: Reach) -> bool:
    """Whether blocks stand on tiles of a size of the kernel's own in an image with a pitch: it takes the image to be
    made of whole tiles, and a size that it is passed for nothing says no more than that."""
    if any(BLOCK_DIM[one.axis].term in one.symbols for one in reach.ids):
        return False
    for mono in polynomial(reach.access.offset).coefficients:
        kinds = {atom.symbol.kind for atom in mono if atom.symbol is not None}
        if {SymbolKind.BLOCK, SymbolKind.PARAM} <= kinds:
            return True
    return False


EDGE = 32
"""Threads, at most, that load the edge of a tile."""


def _by_part_of_block(access: Access, one: GlobalId) -> bool:
    """Whether only the first few threads of each block along ``one`` get there, as for the edges of a tile: how far the
    others would reach says nothing of them."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            most = part.args[1].value if part.op in ("lt", "le") else None
            kinds = {symbol.kind for symbol in symbols(part)}
            along = {symbol.axis for symbol in symbols(part)}
            if most is not None and most <= EDGE and kinds == {SymbolKind.THREAD} and along & one.threads:
                return True
    return False


def _row_of_block(reach: Reach, one: GlobalId) -> bool:
    """Whether a test keeps what a thread adds to its block's part of the index below the length of that part: each
    block has a row of its own, and the index is no number of a thread in the grid."""
    found = elements(reach.access)
    if found is None:
        return False
    parts = {m: v for m, v in found[0].coefficients.items() if any(a.symbol is BLOCK[one.axis] for a in m)}
    if len(parts) != 1:
        return False
    ((mono, length),) = parts.items()
    row = Polynomial({tuple(atom for atom in mono if atom.symbol is not BLOCK[one.axis]): length})
    rest = found[0] - Polynomial(parts)
    return any(
        truth.left.constant is None and rest + truth.left == row - number(1) for truth in truths(reach.access.guards)
    )


def _row_of_passed_length(reach: Reach, one: GlobalId) -> bool:
    """Whether the number of a block, perhaps as a quotient of the thread's, is multiplied by a size that is passed, and
    no thread's place in it is: the block has a row of that length (``tile * padded + lane``), which is the caller's."""
    found = elements(reach.access)
    if found is None:
        return False
    blocks, threads = set[Symbol](), set[Symbol]()
    for mono in found[0].coefficients:
        sizes = {atom.symbol for atom in mono if atom.symbol is not None and atom.symbol.kind is SymbolKind.PARAM}
        within = {symbol for atom in mono for symbol in symbols(atom)}
        if BLOCK[one.axis] in within:
            of = [atom for atom in mono if BLOCK[one.axis] in symbols(atom)]
            counted = all(atom.symbol is not None or (atom.op == "div" and atom.args[1].value) for atom in of)
            if not sizes or not counted:
                return False
            blocks |= sizes
        elif any(symbol.kind is SymbolKind.THREAD and symbol.axis in one.threads for symbol in within):
            threads |= sizes
    return bool(blocks) and blocks.isdisjoint(threads)


def _items_too(facts: Facts, access: Access, one: GlobalId) -> bool:
    """Whether the kernel keeps another access to the same array below what a launch rounds its grid up from: the rows
    of blocks are one row of items."""
    found: Places = facts[places]
    bounds = {place.bound for other in found if other.root is access.root for place in found[other]}
    for view in facts[launch_context].launches:
        cover = _rounded(one, view)
        sizes = (in_host_terms(size, dict(view.images)) for size in bounds if size is not None)
        if cover is not None and cover.count is not None and polynomial(cover.count) in sizes:
            return True
    return False


def _block_before(reach: Reach, one: GlobalId) -> bool:
    """Whether each block reads what lies before its own part and no further (``(blockIdx.x - 1) * 256 + t``, or under
    ``t < 32`` what is 32 before it): a launch has its last block for elements that are there, so all before it are
    full."""
    found = elements(reach.access)
    if found is None:
        return False
    parts = {m: v for m, v in found[0].coefficients.items() if any(a.symbol is BLOCK[one.axis] for a in m)}
    base = {m: v for m, v in found[0].coefficients.items() if not any(a.symbol in (*BLOCK, *THREAD) for a in m)}
    if len(parts) != 1 or not base:
        return False
    ((mono, length),) = parts.items()
    row = Polynomial({tuple(atom for atom in mono if atom.symbol is not BLOCK[one.axis]): length})
    inside = found[0] - Polynomial(parts)
    last = [Polynomial(base) + row - number(1)]
    last += [inside + truth.left for truth in truths(reach.access.guards) if not truth.left.constant]
    return length > 0 and any(end.constant is not None and end.constant < 0 for end in last)


def _needless(guard: Guard, access: Access, context: LaunchContext, one: GlobalId) -> bool:
    """Whether no launch in sight has a thread that a test would keep away."""
    test = guard_on(guard, one)
    return test is not None and without_surplus(access, test, context.launches, one.axis)


def _below_either(guard: Guard, one: GlobalId) -> bool:
    """Whether a test is against the smaller of two sizes: what is read before it may have as many elements as the
    other one says."""
    test = guard_on(guard, one)
    bound = plain(test.args[1]) if test is not None else None
    return bound is not None and bound.op == "min" and all(part.value is None for part in bound.args)


def _met(reach: Reach, guard: Guard, one: GlobalId) -> bool:
    """Whether the threads that a later test is for read only elements that those before the end read too."""
    test = guard_on(guard, one)
    return test is not None and touched_before(reach.access, test, one.axis)


def _evidence(facts: Facts, kernel: Trace, context: LaunchContext, reach: Reach, one: GlobalId) -> Exposed:
    axis = one.axis
    known = any(name == reach.access.root.name for view in context.launches for name, _ in view.fact.extents)
    # What is allocated in sight is tried, not guessed at.
    elsewhere = _by_part_of_block(reach.access, one) or _block_before(reach, one)
    elsewhere = elsewhere or before_block(facts[places], reach.access, one.axis, context.launches)
    row = _row_of_block(reach, one) or _row_of_passed_length(reach, one)
    elsewhere = elsewhere or (row and not _items_too(facts, reach.access, one))
    if not (reach.conditional or known or elsewhere):
        for view in context.launches:
            cover = _rounded(one, view)
            if cover is None or _padded(facts[places], reach.access, one, view, cover):
                continue
            if cover.capped and _over_the_grid(reach):
                continue
            if not padded_by_callers(view.fact.host, cover, facts.module_facts):
                return Exposed(reach, axis, Tier.ROUNDED_UP, view=view, cover=cover)
        told = () if context.launches else nearest_said(facts, facts.options.rounded)
        for said in told:
            if axis in said.axes:
                return Exposed(reach, axis, Tier.SAID, said=said)
        if told:
            return Exposed(reach, axis, Tier.NOTHING)  # the other axes are told apart
        indexed: tuple[Indexed, ...] = facts[limits]
        sibling = _sibling(kernel, reach, one, indexed)
        if sibling is not None and sibling[1] and (_below_either(sibling[0], one) or _met(reach, sibling[0], one)):
            sibling = None
        if sibling is not None and not _needless(sibling[0], reach.access, context, one):
            return Exposed(reach, axis, Tier.SIBLING, guard=sibling[0], late=sibling[1])
        known_ = (Cover.CONSTANT, Cover.EXACT)
        constant = bool(context.launches) and all(view.covers[axis].kind in known_ for view in context.launches)
        # A row of fixed length for each block: a size that only the values know is the length of that row.
        fixed = not any(one.symbols for one in reach.ids if one.axis == axis)
        sizes = [size for size in facts[unused_sizes] if not (fixed and size.in_values)]
        if not reach.guarded or len(reach.open_axes) > 1:
            sizes = [size for size in sizes if size.why not in (BESIDE, BESIDE_ONE)]
        alone = not reach.guarded or len(reach.open_axes) == 1
        if sizes and not constant and alone and _plain_layout(reach) and not _tiled(reach):
            return Exposed(reach, axis, Tier.UNUSED_SIZE, size=sizes[0])
    if reach.guarded:
        return Exposed(reach, axis, Tier.OTHER_AXIS)
    return Exposed(reach, axis, Tier.NOTHING)


def _compute(facts: Facts) -> tuple[Exposed, ...]:
    open_reaches = [reach for reach in facts[reaches] if reach.open_axes]
    if not open_reaches:
        return ()
    context = facts[launch_context]
    if context.all_exact:
        return ()
    single = {axis for axis in range(3) if context.launches and all(view.block[axis] == 1 for view in context.launches)}
    kernel = facts[trace]
    found = []
    for reach in open_reaches:
        for one in reach.ids:
            by_block = one.axis in single and BLOCK_DIM[one.axis].term in one.symbols
            if one.axis in reach.open_axes and not by_block:
                found.append(_evidence(facts, kernel, context, reach, one))
    return tuple(found)


surplus = KernelAnalysis("surplus", _compute, needs=(trace, reaches, limits, places, launch_context, unused_sizes))
"""An :class:`Exposed` for every open axis of every access whose launch is not provably exact, in order."""


def example(one: Exposed) -> Witness | None:
    """For an access behind a launch that rounds up: a size and the first surplus thread; None where the launch is
    not plain enough for one."""
    view, cover, axis = one.view, one.cover, one.axis
    if view is None or cover is None or cover.count is None or cover.unit is None or view.fact.block is None:
        return None
    unit, symbol = cover.unit.value, plain(cover.count).symbol
    block, threads = [term.value for term in view.fact.block], one.id.threads
    if (
        not isinstance(unit, int)
        or symbol is None
        or None in block
        or threads != {axis}
        or block[axis] != unit
        or unit < 2
    ):
        return None
    count = unit + unit // 2
    place, at = [0, 0, 0], [0, 0, 0]
    place[axis], at[axis] = 1, count - unit
    env = {BLOCK[axis]: 1, THREAD[axis]: count - unit}
    env |= {other: 0 for a in range(3) if a != axis for other in (BLOCK[a], THREAD[a])}
    for kernels, term in view.images:
        value = evaluate(term, {symbol: count})
        if value is not None:
            env[kernels] = value
    grid = [1, 1, 1]
    grid[axis] = 2
    access = one.access
    if any(evaluate(guard.term, env) == 0 for guard in access.guards):
        return None  # this thread does not get there
    index = None if access.index is None else evaluate(access.index, env)
    touched = f"{present(access)} {access.root.name}" + ("" if index is None else f"[{index}]")
    step = Step((place[0], place[1], place[2]), (at[0], at[1], at[2]), access.span, touched, index)
    x, y, z = (size or 1 for size in block)
    return Witness((x, y, z), (grid[0], grid[1], grid[2]), ((symbol.name, count),), (step,))
