"""Accesses beyond an allocation that the same file shows: the launch is tried with sizes that fit nothing evenly.

For a launch in sight whose pointer arguments lead to allocations in sight, the host's variables get values (odd ones,
so that no block size divides them) under which the host's checks hold.  Grid, block, arguments and extents follow from
them, and every access whose index rests on nothing else is tried for all threads.  So it is when the user states the
launch, the extents and the scalars (see :mod:`kernlint.analysis.assumptions`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from math import gcd, lcm

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.assumptions import assumed, is_dynamic
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.branches import either_way
from kernlint.analysis.extent.chosen_data import furthest
from kernlint.analysis.extent.emptied import with_nothing
from kernlint.analysis.extent.fixed_room import placing, whatever_sizes
from kernlint.analysis.extent.made_apart import LAUNCH, SHAPE, made_apart
from kernlint.analysis.extent.pitches import narrow_rows, pitches
from kernlint.analysis.extent.places import places
from kernlint.analysis.extent.rehearsed import EVEN, ODD, halves, held_down, runs, with_values
from kernlint.analysis.extent.row_lengths import longer_rows
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.stated_ends import at_ends
from kernlint.analysis.extent.tried import extents_of, host_symbols, is_small, launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import HostFacts, host
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, Root, RootKind, Trace
from kernlint.analysis.wording import element_size
from kernlint.prove.admission import Axes
from kernlint.prove.emulate import Fault, FaultKind
from kernlint.prove.query import Bounds, Budget, Launch, Proved, Refuted
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    Symbol,
    SymbolKind,
    Term,
    const,
    is_one_bit,
    subterms,
    symbols,
)
from kernlint.tree.types import I64, IntType, Space, VectorType

BUDGET = Budget(steps=100, points=20_000, rlimit=0)

Pitched = tuple[tuple[Term, Term], ...]

LARGE = Budget(steps=100, points=4_000, rlimit=0)

LARGEST = (1 << 31) - 1
"""Bytes beyond which memory is not tried: where a product wraps, another rule tells of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Allocated:
    """An access beyond its allocation: ``extent`` in bytes under the values of the witness; ``size``: the extent as
    the host computes it or the user states it; ``view``: the launch (None: one that the user states).  ``times``: how
    many times the extent would do for the access, where that goes into an element: then the host counts in another
    unit than the kernel (None: it is not just that)."""

    access: Access
    view: LaunchView | None
    witness: Refuted
    extent: int
    size: Term
    times: int | None = None

    @property
    def fixed(self) -> bool:
        """Whether the host writes all sizes of the launch as numbers: the values of the witness are the program's."""
        return self.view is None or not host_symbols(self.view)

    @property
    def in_other_unit(self) -> bool:
        """Whether the memory is as large in bytes as it should be in elements: the allocation is at fault, not a test
        of the index.  A grid that is made for so many times fewer says that the test is."""
        covers = self.view.covers if self.view is not None else ()
        fewer = any(part.op in ("div", "shr") for one in covers if one.count for part in subterms(one.count))
        return self.times is not None and self.guarded and not fewer and self.access.root.space is not Space.SHARED

    @property
    def of_blocks(self) -> bool:
        """Whether each block has one place: no thread of a launch is surplus then, there are too few places."""
        place = {symbol.kind for symbol in symbols(self.access.offset)} & LAUNCH
        alone = SymbolKind.BLOCK in place and SymbolKind.THREAD not in place
        return alone and self.access.root.space is not Space.SHARED

    @property
    def test(self) -> Guard | None:
        """The last test of the thread's index that stands before the access; which thread of a block it is (``l == 0``)
        says nothing of a place that each block has."""
        block_alone = self.of_blocks
        for guard in reversed(self.access.guards):
            kinds = {symbol.kind for symbol in symbols(guard.term)} & LAUNCH
            if kinds and not (block_alone and kinds == {SymbolKind.THREAD}):
                return guard
        return None

    @property
    def guarded(self) -> bool:
        """Whether some test of the thread's index stands before the access."""
        return self.test is not None or self.witness.data_in_address


def _divisor(size: Term) -> int:
    """What the host's variables are multiples of, as it divides by that and lets no remainder count."""
    unit = 1
    for at in subterms(size):
        divisor = at.args[1].value if at.op in ("div", "shr") and isinstance(at.type, IntType) else None
        if divisor is not None and 0 < divisor <= 1024 and not polynomial(at.args[0]).coefficients.get((), 0):
            unit = lcm(unit, divisor if at.op == "div" else 1 << min(divisor, 10))
    return unit


def _tried(
    kernel: Trace, view: LaunchView, env: dict[Symbol, int], among: Collection[Access] | None = None
) -> Iterator[Allocated]:
    """What is beyond its memory with the values ``env`` of the host's variables, of the accesses ``among``."""
    launch = launch_with(view, env)
    if launch is not None:
        extents = {name: (size, evaluate(size, env)) for name, size in extents_of(view)}
        if any(extent is not None and extent > LARGEST for _, extent in extents.values()):
            return
        yield from _beyond(kernel.accesses if among is None else among, kernel, view, launch, extents)


def _stated(facts: Facts) -> Iterator[Allocated]:
    """The launch and the extents that the user states."""
    said = facts[assumed]
    block, grid = said.block or facts.options.block, said.grid or facts.options.grid
    if block is None or grid is None:
        return
    values = tuple((symbol, value) for symbol, value in said.numbers if symbol.kind is SymbolKind.PARAM)
    env = dict(values)
    for symbols_, sizes in ((BLOCK_DIM, block), (GRID_DIM, grid)):
        env.update(zip(symbols_, sizes, strict=True))
    extents = {name: (size, evaluate(size, env)) for name, size in said.extents}
    yield from _beyond(facts[trace].accesses, facts[trace], None, Launch(block, grid, values=values), extents)


def _beyond(
    among: Iterable[Access],
    kernel: Trace,
    view: LaunchView | None,
    launch: Launch,
    extents: Mapping[str, tuple[Term, int | None]],
) -> Iterator[Allocated]:
    """Those of the accesses ``among`` all that get beyond ``extents`` (as computed, and in bytes) under one launch with
    numbers for all its sizes."""
    bx, by, bz = launch.block
    launch = replace(launch, max_threads=(bx or 1) * (by or 1) * (bz or 1))
    if launch.max_threads > 1024:
        return
    for access in among:
        size, extent = extents.get(access.root.name, (None, None))
        if sized_by_launch(access.root) and size is not None and extent is not None and extent > 0:
            found = _first(either_way(access, kernel.accesses), view, launch, size, extent)
            if found is not None:
                yield replace(found, access=access)


def _first(access: Access, view: LaunchView | None, launch: Launch, size: Term, extent: int) -> Allocated | None:
    """The first thread that gets beyond ``extent`` bytes; None where there is none, or the index rests on more than
    the launch says."""
    if not is_told(access, launch):
        far = furthest(access, launch, extent) if view is not None else None
        return None if far is None else Allocated(access, view, far, extent, size)
    asked = side(access)
    answer = solve(Bounds(asked, const(extent, I64), launch=launch), BUDGET if is_small(launch) else LARGE)
    if not isinstance(answer, Refuted) or answer.depends_on_data:
        return None
    return Allocated(
        access, view, answer, extent, size, _times(access, launch, extent, size) if view is not None else None
    )


def is_told(access: Access, launch: Launch) -> bool:
    """Whether the launch says all that the place of an access rests on."""
    known = {symbol for symbol, _ in launch.values}
    rest = side(access).symbols
    if not access.size or not all(s in known or s.kind in LAUNCH or s.kind is SymbolKind.COUNTER for s in rest):
        return False
    return not any(loop.counter in symbols(access.offset) and (loop.exits or loop.leaves) for loop in access.loops)


def fits(access: Access, facts: Facts) -> bool:
    """Whether an access keeps within what every launch in sight allocates for it, as far as trying tells."""
    views = facts[launch_context].launches
    if not views or facts[assumed].extents or any(one.access is access for one in facts[allocated]):
        return False
    return all(_tried_out(access, view) for view in views)


def _tried_out(access: Access, view: LaunchView) -> bool:
    size = next((size for name, size in extents_of(view) if name == access.root.name), None)
    if size is None:
        return False
    found = [(env, launch) for env in settings_of(view) if (launch := launch_with(view, env)) is not None]
    whole = [(env, launch) for env, launch in found if is_small(launch)]  # of the others some threads are tried
    if not whole or len(whole) < min(len(found), FEW) or not all(is_told(access, launch) for _, launch in found):
        return False
    return len(whole) == len(found) or all(_within(access, size, env, launch) for env, launch in whole)


def _within(access: Access, size: Term, env: Mapping[Symbol, int], launch: Launch) -> bool:
    """Whether no thread of a launch gets beyond an extent."""
    extent = evaluate(size, env)
    answer = solve(Bounds(side(access), const(extent, I64), launch=launch), BUDGET) if extent is not None else None
    return isinstance(answer, Proved) and not answer.assumptions  # such as that no difference wraps


FEW = 2
"""Launches that are tried out with all their threads before an access is taken to fit."""


def _times(access: Access, launch: Launch, extent: int, computed: Term) -> int | None:
    """See :attr:`Allocated.times`; what is ``computed`` as a number of such elements is in the right unit."""
    size = element_size(access)
    kind = access.root.element
    whole = kind.element.size or size if isinstance(kind, VectorType) else size  # parts of vectors may be counted
    if all(value % whole == 0 for value in polynomial(computed).coefficients.values()):
        return None

    def beyond(limit: int) -> bool:
        question = Bounds(side(access), const(limit, I64), launch=launch)
        return isinstance(solve(question, BUDGET if is_small(launch) else LARGE), Refuted)

    for times in (times for times in range(2, min(whole, MOST) + 1) if whole % times == 0):
        if not beyond(extent * times):
            return times if beyond(extent * times * 3 // 4) else None
    return None


MOST = 16
"""Bytes of the largest element that one is taken for."""


def sized_by_launch(root: Root) -> bool:
    """Whether the launch decides how large an object is: memory behind a parameter, dynamic shared memory."""
    return root.kind is RootKind.PARAM or is_dynamic(root.decl)


def _compute(facts: Facts) -> tuple[Allocated, ...]:
    kernel = facts[trace]
    found: dict[Access, Allocated] = {}
    if facts[assumed].extents:
        found.update((one.access, one) for one in _stated(facts))
    for view in facts[launch_context].launches:
        if not view.fact.extents:
            continue
        unit = lcm(_whole_elements(kernel, dict(extents_of(view))), *_said(view, dict(facts.options.multiples)))
        pitched = pitches(facts[places], view)
        for env in settings_of(view, unit):
            if narrow_rows(pitched, view, env):
                continue
            tried = list(_tried(kernel, view, env))
            if any(_given(kernel, one) for one in tried):
                tried = list(_tried(kernel, view, _of_one_length(env)))
            for one in tried:
                if one.access not in found and _by_itself_beyond(kernel, view, one, env):
                    found[one.access] = one
        for access, one in at_ends(view, unit, partial(_shown, kernel, view, pitched)):
            found.setdefault(access, one)
        found.update((one.access, one) for one in _of_nothing(kernel, view, facts[host]) if one.access not in found)
    return tuple(found.values())


def _shown(
    kernel: Trace, view: LaunchView, pitched: Pitched, env: Mapping[Symbol, int], among: Collection[Access] | None
) -> dict[Access, Allocated]:
    """What a launch with the values ``env`` shows that says something by itself."""
    if narrow_rows(pitched, view, dict(env)):
        return {}
    tried = _tried(kernel, view, dict(env), among)
    return {
        one.access: one for one in tried if not _given(kernel, one) and _by_itself_beyond(kernel, view, one, dict(env))
    }


def _by_itself_beyond(kernel: Trace, view: LaunchView, one: Allocated, env: dict[Symbol, int]) -> bool:
    """Whether what the values ``env`` show is the program's fault: memory is made for the sizes that the kernel is
    launched for, and rows that are as long as they have to be leave it."""
    if made_apart(one.access, one.size, one.witness, view):
        return False
    longer = longer_rows(one.access, one.size, view, env)
    return longer is None or any(_tried(kernel, view, longer, (one.access,)))


def _of_nothing(kernel: Trace, view: LaunchView, known: HostFacts) -> Iterator[Allocated]:
    """Accesses to memory that is made for a number of items which may be 0."""
    for env, empty in with_nothing(view, known):
        launch = launch_with(view, env)
        for access in kernel.accesses if launch is not None else ():
            size = empty.get(access.root.name)
            if launch is not None and size is not None and sized_by_launch(access.root) and is_told(access, launch):
                found = _first(access, view, launch, size, 0)
                if found is not None:
                    yield found


def _said(view: LaunchView, multiples: Mapping[str, int]) -> list[int]:
    """What comments say that the host's variables, or the arguments of the kernel, are multiples of."""
    named = (*host_symbols(view), *(symbol for symbol, _ in view.images))
    leaves = {last_part(symbol.name) for symbol in named}
    return [count for name, count in multiples.items() if name in leaves and 0 < count <= 1024]


def _whole_elements(kernel: Trace, sizes: Mapping[str, Term]) -> int:
    """What the host's variables are multiples of where the kernel reaches memory in vectors, larger than what the host
    counts in: that no part of one is left over is a premise."""
    unit = 1
    for access in kernel.accesses:
        size = sizes.get(access.root.name)
        if size is not None and access.size:
            counted = gcd(*polynomial(size).coefficients.values())
            unit = lcm(unit, access.size // gcd(access.size, counted) if counted else 1)
    return unit if unit <= MOST else 1


def _given(kernel: Trace, one: Allocated) -> bool:
    """Whether an array that the host is given is left, by reading it: that it is as long as the others that the
    kernel takes with it is a premise, of which the values tried know nothing."""
    mine = symbols(one.size)
    reads_alone = not any(access.writes for access in kernel.accesses if access.root is one.access.root)
    return reads_alone and bool(mine) and all(SHAPE.search(symbol.name) for symbol in mine)


def _of_one_length(env: dict[Symbol, int]) -> dict[Symbol, int]:
    """Values of the host's variables with arrays of the same extent along each axis."""
    first: dict[str, int] = {}
    out = {}
    for symbol, value in env.items():
        axis = SHAPE.search(symbol.name)
        out[symbol] = value if axis is None else first.setdefault(axis[1], value)
    return out


def _undersized(facts: Facts) -> tuple[Allocated, ...]:
    kernel = facts[trace]
    dynamic = {access.root for access in kernel.accesses if is_dynamic(access.root.decl)}
    if not kernel.complete or not dynamic:
        return ()
    found: dict[Access, Allocated] = {}
    for view in facts[launch_context].launches:
        given = view.fact.shared
        if given is None or given.value == 0 or _by_itself(given, view):
            continue
        of_sizes = kernel.accesses if given.value is not None else ()
        for access in (a for a in of_sizes if a not in found and is_dynamic(a.root.decl)):
            left = whatever_sizes(view, access, partial(_first, access, view, size=given, extent=given.value or 0))
            found.update(() if left is None else ((access, left),))
        whole = _whole_elements(kernel, {root.name: given for root in dynamic})
        for env in settings_of(view, lcm(_divisor(given), whole)):
            launch, size = launch_with(view, env), evaluate(given, env)
            if launch is None or size is None or size <= 0 or _odd(view, launch.block):
                continue
            small, all_blocks = replace(launch, grid=(1, 1, 1)), is_small(launch)
            free = {symbol for symbol, term in view.images if term.value is None} if given.value is not None else set()
            for access in kernel.accesses:
                if not is_dynamic(access.root.decl) or access in found:
                    continue
                mine = set(placing(access))
                if free & mine or (not all_blocks and any(symbol in GRID_DIM for symbol in mine)):
                    continue  # a number of bytes: what the sizes may be, the host knows
                one = _first(access, view, launch if all_blocks else small, given, size)
                if one is not None:
                    found[access] = one
        if not found and given.value is None:
            found.update((one.access, one) for one in _run(facts, view, given, lcm(_divisor(given), whole)))
    return tuple(found.values())


def _run(facts: Facts, view: LaunchView, given: Term, unit: int) -> Iterator[Allocated]:
    """Accesses beyond the dynamic shared memory of a launch that show when it is run; the host's variables are
    multiples of ``unit``."""
    kernel = facts[trace]
    for tried in (EVEN, ODD):
        done = runs(facts, view, _BEYOND, with_values(view, tried, unit))
        free = halves(kernel) or not held_down(view)
        if tried is ODD and free and any(_odd(view, run.launch.block) for run in done):
            return
        for run in done[:1]:
            for fault in run.faults:
                access = next((one for one in kernel.accesses if _same(one, fault)), None)
                if access is not None:
                    extent = run.spec.dynamic_shared or 0
                    yield Allocated(access, view, run.refuted(fault), extent, given)
        if done:
            return


_BEYOND = frozenset({FaultKind.OUT_OF_BOUNDS})


def _same(access: Access, fault: Fault) -> bool:
    """Whether a fault was seen at an access, and is one of dynamic shared memory."""
    at = fault.first.span
    if at is None or not is_dynamic(fault.decl) or not is_dynamic(access.root.decl):
        return False
    return access.span.file == at.file and access.span.start < at.end and at.start < access.span.end


def _odd(view: LaunchView, block: Axes) -> bool:
    """Whether a block that the host leaves open has a side that is no power of two: shared memory is mostly worked on
    by halves, and who chooses the block knows that."""
    return any(known is None and not is_one_bit(size) for known, size in zip(view.block, block, strict=True))


def _by_itself(given: Term, view: LaunchView) -> bool:
    """Whether a number of bytes rests on variables of which nothing else of the launch is made: callers know them."""
    rest = [*(view.fact.block or ()), *(view.fact.grid or ()), *(image for _, image in view.images)]
    return bool(symbols(given)) and not set(symbols(given)) & {symbol for term in rest for symbol in symbols(term)}


allocated = KernelAnalysis("allocated", _compute, needs=(trace, launch_context, assumed, places, host))
"""Each :class:`Allocated` of a kernel, an access once."""

undersized = KernelAnalysis("undersized", _undersized, needs=(trace, launch_context))
"""An :class:`Allocated` for each access beyond the dynamic shared memory that a launch in sight gives, once each."""
