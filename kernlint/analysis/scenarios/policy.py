"""Which scenarios are believed of a kernel: those in sight, else those that its own numbers speak for.

What the user says, ``reqd_work_group_size`` and launches of the same file settle the matter.  Without them the axes
that the kernel uses (:mod:`~kernlint.analysis.scenarios.axes`), the strides of its loops and indices
(:mod:`~kernlint.analysis.scenarios.strides`) and the extents of its arrays
(:mod:`~kernlint.analysis.scenarios.fitting`) say what block it was written for.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.admitted import admitted, computed_blocks
from kernlint.analysis.launching.chosen_blocks import chosen_blocks
from kernlint.analysis.launching.launches import flat_axes, launches, speaks_of
from kernlint.analysis.scenarios.axes import (
    axes_read,
    idle_axes,
    left_out,
    local_axes,
    mentioned_in,
    one_warp,
    used_axes,
)
from kernlint.analysis.scenarios.fitting import fitted
from kernlint.analysis.scenarios.scenario import Provenance, Scenario, Scenarios, Sizes
from kernlint.analysis.scenarios.strides import coefficients, parts_of
from kernlint.analysis.scenarios.tables import CUBES, DEFAULTS, PLANES, USUAL, Block
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, symbols
from kernlint.tree.types import Space


def _compute(facts: Facts) -> Scenarios:
    of = facts[trace]
    mentioned = mentioned_in(of)
    x, y, z = (symbol in mentioned for symbol in THREAD)
    threads = (x, y, z) if x or y or z else axes_read(facts)
    # A size alone (the number of all blocks, to wait for the last) is no word on how many axes the grid has.
    x, y, z = (BLOCK[axis] in mentioned or (axis == 0 and GRID_DIM[0] in mentioned) for axis in range(3))
    launched = facts[admitted]
    seen = tuple(_seen(facts)) or tuple(
        Scenario(block, (None, None, None), "a launch in sight", Provenance.LAUNCHED)
        for block in computed_blocks(launched, threads)
        if block[0] * block[1] * block[2] <= (facts.function.bounds.max_threads or 1024)
    )
    if seen:
        narrowed = tuple(replace(one, admission=launched.under(one.block, one.grid)) for one in seen)
        return Scenarios(narrowed, True, threads, (x, y, z), admission=launched)
    if facts.function.bounds.given:  # the sizes in the kernel are meant for that block, and for no other
        return Scenarios((), False, threads, (x, y, z), admission=launched)
    tested, working = used_axes(of)
    if idle := idle_axes(of, tested, working):
        threads = (threads[0] and 0 not in idle, threads[1] and 1 not in idle, threads[2] and 2 not in idle)
        x, y, z = x and 0 not in idle, y and 1 not in idle, z and 2 not in idle
    flat = flat_axes(facts[launches])
    threads = (threads[0] and 0 not in flat, threads[1] and 1 not in flat, threads[2] and 2 not in flat)
    sized = frozenset(axis for axis in tested if BLOCK_DIM[axis] not in working)
    guessed = (_as_said(one, facts[assumed]) for one in _guessed(facts, of, mentioned, threads, sized))
    single = frozenset(axis for axis in tested if BLOCK[axis] not in working)
    possible = [one for one in dict.fromkeys(guessed) if launched.permits(one.block)]
    return Scenarios(tuple(possible), False, threads, (x, y, z), single, launched)


def _as_said(guess: Scenario, said: Assumed) -> Scenario:
    """A guess that does not go against what the user says of the block alone."""
    about = [one for one in said.premises if all(symbol in BLOCK_DIM for symbol in symbols(one))]

    def fits(block: Block) -> bool:
        env = dict(zip(BLOCK_DIM, block, strict=True))
        return all(evaluate(one, env) != 0 for one in about)

    if fits(guess.block):
        return guess
    given = dict(said.values)
    x, y, z = (given.get(symbol, size) for symbol, size in zip(BLOCK_DIM, guess.block, strict=True))
    for block in ((x, y, z), *((size, y, z) for size in USUAL), *((*plane, z) for plane in PLANES), *CUBES):
        if block[0] * block[1] * block[2] <= 1024 and fits(block):
            return replace(guess, block=block, reason="a block as assumed")
    return guess


def _seen(facts: Facts) -> Iterator[Scenario]:
    options, bounds, said = facts.options, facts.function.bounds, facts[assumed]
    grid: Sizes = said.grid or options.grid or (None, None, None)
    block = said.block or options.block
    if block is not None:
        yield Scenario(block, grid, "the block given by the user", Provenance.STATED)
        return
    if bounds.required is not None:
        yield Scenario(bounds.required, grid, "the required work-group size", Provenance.COMPILED)
        return
    found: dict[Scenario, None] = {}
    for launch in facts[launches]:
        if not speaks_of(launch, facts.function):
            continue
        ways = tuple(chosen_blocks(launch))
        if not ways or any(min(block) < 1 or block[0] * block[1] * block[2] > 1024 for block, _ in ways):
            return  # one launch is not understood: what it does is not known
        for block, sizes in ways:
            grid = grid if launch.grid is None else sizes
            found[Scenario(block, grid, "a launch in sight", Provenance.LAUNCHED)] = None
    yield from found


def _guessed(
    facts: Facts, of: Trace, mentioned: set[Symbol], threads: tuple[bool, ...], sized: frozenset[int]
) -> Iterator[Scenario]:
    """The scenarios that the kernel's own numbers speak for.  ``sized``: axes along which the size of the block stands
    in tests against a size alone, and says no more of it."""
    axes = tuple(axis for axis in range(3) if threads[axis])
    if not axes:
        if any(access.root.space is Space.SHARED and access.writes for access in of.accesses):
            yield Scenario(DEFAULTS[1], reason="a usual block")  # memory shared by one thread would be no use
        else:
            yield Scenario(DEFAULTS[0], reason="no thread index is used")
        return
    local = local_axes(of)
    axes = tuple(axis for axis in axes if axis in local) or axes[:1]
    axes = tuple(axis for axis in axes if not left_out(of, axis)) or axes
    limit = facts.function.bounds.max_threads or 1024
    fixed: dict[int, int] = {}
    parts = parts_of(of)
    for axis in axes:
        if BLOCK_DIM[axis] not in mentioned or axis in sized:
            counts = coefficients(of, axis)
            if counts:
                fixed[axis] = min(max(sorted(set(counts)), key=counts.count), parts.get(axis, 1024))
    chosen = fitted(of, axes, fixed, limit)
    yield chosen
    if chosen.threads > 32 and one_warp(of):
        yield Scenario((32, 1, 1), reason="one warp", provenance=Provenance.INFERRED)


scenarios = KernelAnalysis("scenarios", _compute, needs=(trace, launches, assumed, admitted))
"""The :class:`Scenarios` of a kernel variant."""
