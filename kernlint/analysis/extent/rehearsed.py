"""Launches in sight that are run: the emulator goes through the kernel with numbers for all that the host passes.

What the prover cannot put into one question (an index behind a helper's shifts, a layout that is rounded up twice, an
array of a struct that a loop goes through) a run simply does.  The host's variables get values under which its checks
hold: powers of two, or odd ones where something in sight rounds sizes up.  How two of them go together callers know, so
a fault counts only where it shows with *every* setting of a kind, whatever memory holds and whatever is passed for
arguments that the host does not make of its variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.tried import launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.replay import WARP, WAVE, arguments
from kernlint.analysis.trace.events import Trace
from kernlint.prove import effort
from kernlint.prove.emulate import Budget, Fault, FaultKind, LaunchSpec, Outcome
from kernlint.prove.query import Actor, Launch, Refuted
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, subterms, symbols

BUDGET = Budget(steps=50_000, blocks=2)
"""A few hundredths of a second."""

EVEN = (
    (32, 64, 128, 256, 32, 64, 128, 256, 32, 64, 128, 256, 32, 64, 128, 256),
    (256, 128, 64, 32, 256, 128, 64, 32, 256, 128, 64, 32, 256, 128, 64, 32),
    (64,) * 16,
)
"""Powers of two for the host's variables, in order of appearance: what is meant to divide something does."""

ODD = (
    (45, 333, 27, 201, 13, 9, 39, 51, 7, 35, 15, 11, 5, 25, 21, 3),
    (333, 45, 201, 27, 39, 51, 13, 9, 35, 7, 25, 21, 3, 5, 11, 15),
    (77,) * 16,
)
"""Numbers that nothing divides."""

OTHERS = (64, 7)
"""What is passed for arguments of which the host says nothing."""

SEEDS = (0, 1, 2)
"""Contents of memory."""

LARGEST = 1 << 20
"""Bytes of shared memory beyond which no launch is tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What running one launch showed: ``env`` are the host's variables, ``shared`` the bytes it gives."""

    launch: Launch
    spec: LaunchSpec
    env: Mapping[Symbol, int]
    faults: tuple[Fault, ...]

    def refuted(self, fault: Fault) -> Refuted:
        """A fault of the run in the prover's words."""
        first = fault.first
        actor = Actor(first.block, first.thread, fault.offset or 0)
        extent = self.spec.dynamic_shared
        return Refuted(self.spec.block, self.spec.grid, self.launch.values, actor, extent=extent, by="emulation")


def with_values(view: LaunchView, tried: Sequence[tuple[int, ...]], unit: int = 1) -> Iterator[dict[Symbol, int]]:
    """The values ``tried`` of the host's variables, multiples of ``unit``, as far as its checks allow them."""
    return islice(settings_of(view, unit, tried, apart=True), len(tried))


def runs(
    facts: Facts, view: LaunchView, kinds: frozenset[FaultKind], settings: Iterable[Mapping[Symbol, int]]
) -> list[Run]:
    """The launch with each of the values in ``settings``, as long as all of them show a fault of one of ``kinds`` at
    the same place; empty where one does not, or none can be run."""
    out: list[Run] = []
    common: set[tuple[object, ...]] = set()
    for env in settings:
        run = _run(facts, view, env, kinds)
        if run is None:
            return []
        places = {_place(fault) for fault in run.faults}
        common = places & common if out else places
        if not common:
            return []
        out.append(run)
    return [Run(one.launch, one.spec, one.env, tuple(_among(one.faults, common))) for one in out]


def _place(fault: Fault) -> tuple[object, ...]:
    return fault.kind, fault.name, fault.first.span


def _among(faults: Sequence[Fault], places: set[tuple[object, ...]]) -> Iterator[Fault]:
    return (fault for fault in faults if _place(fault) in places)


def _run(facts: Facts, view: LaunchView, env: Mapping[Symbol, int], kinds: frozenset[FaultKind]) -> Run | None:
    """What one launch shows; None where it cannot be run."""
    launch = launch_with(view, dict(env))
    shared = evaluate(view.fact.shared, env) if view.fact.shared is not None else None
    return None if launch is None else run_of(facts, launch, shared, env, kinds, OTHERS)


def run_of(
    facts: Facts,
    launch: Launch,
    shared: int | None,
    env: Mapping[Symbol, int],
    kinds: frozenset[FaultKind],
    others: Sequence[int],
) -> Run | None:
    """What a launch with numbers for its sizes shows, whatever memory holds and whichever of ``others`` is passed for
    what it leaves open; None where it cannot be run."""
    if None in launch.block or None in launch.grid or effort.spent():
        return None
    block, grid = launch.block, launch.grid
    if (launch.max_threads or 0) > 1024 or (shared is not None and not 0 < shared <= LARGEST):
        return None
    x, y, z = (size or 1 for size in block)
    a, b, c = (size or 1 for size in grid)
    # One of the blocks in the middle, as far as there are any, and the last one.
    some = tuple(dict.fromkeys(((a // 2, b // 2, c // 2), (a - 1, b - 1, c - 1))))
    spec = LaunchSpec((x, y, z), (a, b, c), some, shared)
    found: tuple[Fault, ...] | None = None
    for other in others:
        if found is None and not _outcome(facts, launch, spec, other, (0,)).of(*kinds):
            return Run(launch, spec, env, ())  # most are as they should be
        outcome = _outcome(facts, launch, spec, other, SEEDS)
        faults = tuple(fault for fault in outcome.of(*kinds) if fault.data_independent)
        if not faults:
            return Run(launch, spec, env, ())
        places = {_place(fault) for fault in faults}
        found = faults if found is None else tuple(_among(found, places))
    return Run(launch, spec, env, found or ())


def _outcome(facts: Facts, launch: Launch, spec: LaunchSpec, other: int, seeds: tuple[int, ...]) -> Outcome:
    from kernlint.prove.emulate import replay  # loaded for a kernel that has something to run

    language = facts.module.language
    given = arguments(facts.function, launch.values, other)
    outcome = replay(facts.function, spec, given, BUDGET, language, WAVE if language == "hip" else WARP, seeds)
    effort.spend(effort.STEP * outcome.steps)
    return outcome


def held_down(view: LaunchView) -> bool:
    """Whether the host makes a block of a size that it holds down: whoever calls it does not choose the block."""
    return any(part.op in ("min", "select") for side_ in view.fact.block or () for part in subterms(side_))


def halves(kernel: Trace) -> bool:
    """Whether a kernel divides the size of its block, as is done where shared memory is worked on by halves."""
    terms = [access.offset for access in kernel.accesses] + [test.term for test in kernel.conditions]
    terms += [term for loop in kernel.loops for phi in loop.phis for term in (phi.init, phi.step) if term is not None]
    return any(
        part.op in ("div", "shr", "mod", "and", "xor")
        and any(symbol in BLOCK_DIM or symbol in THREAD for symbol in symbols(part))
        for term in terms
        for part in subterms(term)
    )
