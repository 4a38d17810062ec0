"""Accesses beyond an allocation that the same file shows: the launch is tried with sizes that fit nothing evenly.

For a launch in sight whose pointer arguments lead to allocations in sight, the host's variables get values (odd ones,
so that no block size divides them) under which the host's checks hold.  Grid, block, arguments and extents follow from
them, and every access whose index rests on nothing else is tried for all threads.  So it is when the user states the
launch, the extents and the scalars (see :mod:`kernlint.analysis.assumptions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernlint.analysis.assumptions import assumed, is_dynamic
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launch_context import LaunchView, launch_context
from kernlint.analysis.pairs import side
from kernlint.analysis.replay import Replayer
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root, RootKind, Trace
from kernlint.analysis.wording import element, element_size, verb, witness_of
from kernlint.finding import Related, Severity, Witness
from kernlint.prove.query import Bounds, Budget, Launch, Refuted
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, const, symbols
from kernlint.tree.types import I64, IntType

BUDGET = Budget(steps=100, points=20_000, rlimit=0)

THREADS = 4096
"""Launches of more threads are not tried."""

VALUES = ((333, 45, 27, 21, 13, 9), (77, 201, 35, 15, 11, 7), (45, 33, 301, 19, 5, 3))
"""Values of the host's variables, in order of appearance."""

_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


@dataclass(frozen=True, slots=True, eq=False)
class Allocated:
    """An access beyond its allocation: ``extent`` in bytes under the values of the witness; ``size``: the extent as
    the host computes it or the user states it; ``view``: the launch (None: one that the user states)."""

    access: Access
    view: LaunchView | None
    witness: Refuted
    extent: int
    size: Term

    @property
    def guarded(self) -> bool:
        """Whether some test of the thread's index stands before the access."""
        return any(s.kind in _LAUNCH for guard in self.access.guards for s in symbols(guard.term))


def _host_symbols(view: LaunchView) -> list[Symbol]:
    terms = [*(view.fact.grid or ()), *(view.fact.block or ()), *(term for _, term in view.images)]
    terms += [size for _, size in view.fact.extents]
    found: dict[Symbol, None] = {}
    for term in terms:
        found.update(dict.fromkeys(symbols(term)))
    return list(found)


def _settings(view: LaunchView) -> Iterator[dict[Symbol, int]]:
    """Values of the host's variables under which its checks hold."""
    found = _host_symbols(view)
    if not found or len(found) > 6 or any(s.kind is not SymbolKind.PARAM for s in found):
        if found:
            return
        yield {}
        return
    for values in VALUES:
        chosen = dict(zip(found, values, strict=False))
        if all(evaluate(check, chosen) != 0 for check in view.checks):
            yield chosen


def _sizes(terms: tuple[Term, ...] | None, env: dict[Symbol, int]) -> tuple[int, int, int] | None:
    if terms is None:
        return None
    values = [evaluate(term, env) for term in terms]
    if any(value is None or value < 1 for value in values):
        return None
    x, y, z = (value or 1 for value in values)
    return x, y, z


def _tried(kernel: Trace, view: LaunchView, env: dict[Symbol, int]) -> Iterator[Allocated]:
    block, grid = _sizes(view.fact.block, env), _sizes(view.fact.grid, env)
    if block is None or grid is None:
        return
    values: list[tuple[Symbol, int]] = []
    for symbol, term in view.images:
        value = evaluate(term, env)
        if symbol.kind is SymbolKind.PARAM and value is not None and isinstance(symbol.type, IntType):
            values.append((symbol, symbol.type.wrap(value)))
    extents = {name: (size, evaluate(size, env)) for name, size in view.fact.extents}
    yield from _beyond(kernel, view, Launch(block, grid, values=tuple(values)), extents)


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
    yield from _beyond(facts[trace], None, Launch(block, grid, values=values), extents)


def _beyond(
    kernel: Trace, view: LaunchView | None, launch: Launch, extents: Mapping[str, tuple[Term, int | None]]
) -> Iterator[Allocated]:
    """Accesses beyond ``extents`` (as computed, and in bytes) under one launch with numbers for all its sizes."""
    (bx, by, bz), (gx, gy, gz) = launch.block, launch.grid
    threads = (bx or 1) * (by or 1) * (bz or 1)
    if threads > 1024 or threads * (gx or 1) * (gy or 1) * (gz or 1) > THREADS:
        return
    launch = replace(launch, max_threads=threads)
    known = {symbol for symbol, _ in launch.values}
    for access in kernel.accesses:
        size, extent = extents.get(access.root.name, (None, None))
        if not sized_by_launch(access.root) or size is None or extent is None or extent <= 0 or not access.size:
            continue
        asked = side(access)
        if not all(s in known or s.kind in _LAUNCH or s.kind is SymbolKind.COUNTER for s in asked.symbols):
            continue
        if any(loop.counter in symbols(access.offset) and (loop.exits or loop.leaves) for loop in access.loops):
            continue
        answer = solve(Bounds(asked, const(extent, I64), launch=launch), BUDGET)
        if isinstance(answer, Refuted) and not answer.depends_on_data:
            yield Allocated(access, view, answer, extent, size)


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
        for env in _settings(view):
            for one in _tried(kernel, view, env):
                found.setdefault(one.access, one)
    return tuple(found.values())


def in_words(
    found: Sequence[Allocated], why: str, again: Replayer
) -> tuple[Span, str, Severity, list[Related], Witness]:
    """Place, message, level, related places and witness for accesses beyond allocations; ``why`` ends the message.

    An error is what was replayed with sizes that the host writes as numbers; sizes tried may not be the program's.
    """
    first = next((one for one in found if one.access.writes), found[0])
    access = first.access
    size = element_size(access)
    block, thread = first.witness.first.block, first.witness.first.thread
    at, count = first.witness.first.offset // size, first.extent // size
    seen = {access.span}
    related: list[Related] = []
    if first.view is not None:
        told = f"launched here, with {show(first.size)} bytes behind {access.root.name}"
        related.append(Related(first.view.fact.span, told))
    what = "the allocation" if first.view is not None else "the extent that is stated"
    for other in found:
        if other.access.span not in seen and len(related) < 4:
            seen.add(other.access.span)
            related.append(Related(other.access.span, f"{element(other.access)} is {verb(other.access)} here"))
    message = (
        f"{element(access)} is {verb(access)} beyond {what}: thread {thread} of block {block} reaches element "
        f"{at} of {count}; {why}"
    )
    replayed = again.beyond(first.witness, access.span, access.root, first.extent)
    certain = replayed is not None and replayed.certain and not (first.view and _host_symbols(first.view))
    severity = Severity.ERROR if certain else Severity.WARNING
    return access.span, message, severity, related, witness_of(access, first.witness, size, replayed)


allocated = KernelAnalysis("allocated", _compute, needs=(trace, launch_context, assumed))
"""Each :class:`Allocated` of a kernel, an access once."""
