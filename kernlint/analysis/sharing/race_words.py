"""Races in words: what each of two threads does, where, under which launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.replay import Replayed
from kernlint.analysis.scenarios.scenario import Provenance
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.trace.cells import file_pointer
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, Event, FenceEvent, RootKind, Trace
from kernlint.analysis.trace.images import pixel
from kernlint.finding import Related, Severity, Step, Witness
from kernlint.prove.query import Actor, Refuted
from kernlint.symbolic.show import out_of_sight
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import ArrayType


def severity(replayed: Replayed | None, pair: Pair, found: Refuted, *, seen: bool = True) -> Severity:
    """The level that a race's evidence supports.

    An error only when its witness was replayed, rests neither on data, nor on calls out of sight, nor on what is
    supposed of the phase, nor on a mode (a condition on the arguments alone: the host may never ask for that), and,
    where the size of the grid matters, under a launch that was ``seen`` and not guessed.
    """
    sure = replayed is not None and replayed.certain and not (pair.unseen or pair.supposed)
    certain = sure and not found.depends_on_data and seen
    return Severity.ERROR if certain and not any(map(_mode, (*pair.a.guards, *pair.b.guards))) else Severity.WARNING


def level(race: Race, replayed: Replayed | None, facts: Facts) -> Severity:
    """The level of a race in shared memory: at most a warning where only threads of one warp meet in OpenCL, a note
    where both the block and the numbers of the template are guesses, which no launch need bring together (a sort of
    ``N`` elements by ``N / 2`` threads), or where a place rests on a number that is out of sight: rows of ``_K_``
    elements are apart for all that the build puts there."""
    if race.shape.provenance is Provenance.GUESSED and numbers_made_up(facts):
        return Severity.NOTE
    if any(out_of_sight(side.offset) for side in (race.pair.a, race.pair.b)):
        return Severity.NOTE
    return Severity.WARNING if race.in_step else severity(replayed, race.pair, race.witness)


def actors(race: Race) -> tuple[Actor, Actor]:
    """Who makes the accesses of ``race``, in their order in time."""
    first, second = race.witness.first, race.witness.second
    assert second is not None
    return (second, first) if race.pair.reversed else (first, second)


IN_STEP = "no thread waits for another by itself, not even within a warp or wavefront: OpenCL does not promise it"
"""What a race rests on of which the threads of a warp in step would see nothing."""


def _mode(guard: Term) -> bool:
    kinds = {symbol.kind for symbol in symbols(guard)}
    return bool(kinds) and kinds <= {SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.LOAD}


def verb(access: Access) -> str:
    """What the access does, as a verb: reads, writes, updates atomically."""
    if access.kind is AccessKind.ATOMIC:
        return "updates" if access.atomic_op != "load" else "reads"
    return "writes" if access.kind is AccessKind.WRITE else "reads"


def element(access: Access, offset: int) -> int | None:
    """Index of the element of the object at byte ``offset``; None when the element's size is not known, and for
    images, whose pixels have several."""
    if access.root.kind is RootKind.IMAGE:
        return None
    size = access.root.element.size or access.size
    return offset // size if size else None


def cell(access: Access, offset: int) -> str:
    """``tile[32]``, the plain name of a single variable, ``pixel (0, 3) of image``."""
    root = access.root
    if root.kind is RootKind.IMAGE:
        return f"pixel ({', '.join(map(str, pixel(root, offset)))}) of {root.name}"
    if root.extent is not None and root.extent == root.element.size:
        return root.name
    inner = root.decl.type.element if root.decl is not None and isinstance(root.decl.type, ArrayType) else None
    if isinstance(inner, ArrayType) and inner.size is None:
        return f"an element of {root.name}"  # how long its rows are the build says
    index = element(access, offset)
    name = root.holder.name if root.holder is not None and file_pointer(root.holder) else root.name
    return name if index is None else f"{name}[{index}]"


def step(access: Access, actor: Actor) -> Step:
    """What one thread of the witness does."""
    return Step(
        actor.block,
        actor.thread,
        access.span,
        f"{verb(access)} {cell(access, actor.offset)}",
        element(access, actor.offset),
    )


def witness(first: Access, second: Access, found: Refuted, replayed: Replayed | None = None) -> Witness:
    """The prover's witness as it is shown: launch, values, one step for each thread; whether it was ``replayed``."""
    values = [(symbol.name, value) for symbol, value in found.values if not symbol.name.startswith("?")]
    steps = [step(first, found.first)]
    if found.second is not None:
        steps.append(step(second, found.second))
    return Witness(found.block, found.grid, tuple(values), tuple(steps), replayed is not None)


def shown(race: Race, replayed: Replayed | None = None) -> Witness:
    """The witness of a race."""
    return witness(race.pair.first, race.pair.second, race.witness, replayed)


def thread_name(actor: Actor, block: tuple[int, int, int]) -> str:
    """``thread 32`` in a block of one row, else ``thread (0, 2, 0)``."""
    x, y, z = actor.thread
    return f"thread {x}" if block[1] == block[2] == 1 else f"thread ({x}, {y}, {z})"


def device_fence(language: str) -> str:
    """How a fence for the whole device is spelt."""
    return "mem_fence(CLK_GLOBAL_MEM_FENCE)" if language == "opencl" else "__threadfence()"


def fence_for_barrier(race: Race, of: Trace) -> FenceEvent | None:
    """The fence for the whole device between two accesses to shared memory by threads of one warp: it is of no use for
    what one block alone sees, and stands where a barrier was meant."""
    first, second = race.accesses
    if not race.same_warp or race.pair.carried is not None:
        return None
    for fence in of.fences:
        wide = fence.scope in (Scope.GRID, Scope.SYSTEM) and "proxy" not in fence.name
        if wide and first.order < fence.order < second.order:
            return fence
    return None


def late_barrier(race: Race, of: Trace) -> BarrierEvent | None:
    """The barrier that ends the phase of a race too late: it comes after both accesses, and could stand between.

    It could when both accesses run once, one after the other, and nothing that follows it needs it where it is; where a
    warp counted on running in step it is there for the other warps.
    """
    first, second = race.pair.first, race.pair.second
    if first is second or race.pair.carried is not None or first.loops or second.loops or race.in_step:
        return None
    for barrier in of.barriers:
        ends = barrier.order > second.order and barrier.scope is Scope.BLOCK and barrier.certain and not barrier.named
        if not ends or barrier.loops or not any(label.barrier is race.pair.barrier for label in barrier.labels):
            continue
        after = (
            access
            for access in of.accesses
            if access.root is race.root
            and access.order > barrier.order
            and any(label.barrier is barrier for label in access.labels)
        )
        if any(access.writes or second.writes for access in after):
            return None
        return barrier
    return None


def calls(*events: Event) -> tuple[Related, ...]:
    """The call sites through which accesses and the like of helpers are reached, each once: those in the function that
    all are called from, between which a barrier may come, then innermost first."""
    stacks = [event.stack for event in events]
    common = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, zip(*stacks, strict=False)))
    parting = [stack[common] for stack in stacks if len(stack) > common]
    found = dict.fromkeys((*parting, *(span for stack in stacks for span in reversed(stack))))
    return tuple(Related(span, "called from here") for span in found)


def function_of(facts: Facts, race: Race) -> int:
    """The number of the function in which the later access of a race stands: what is written for warps that run in step
    is so from its first line to its last."""
    span = race.accesses[1].span
    for number, function in enumerate(facts.reached):
        own = function.span
        if own.file == span.file and own.start <= span.start < own.end:
            return number
    return -1


def alike(race: Race, others: Sequence[Race]) -> Iterator[Related]:
    """Where the same function lacks the same."""
    told = {access.span for access in race.accesses}
    for other in others:
        span = other.accesses[1].span
        if span not in told:
            told.add(span)
            yield Related(span, f"nor does anything order the accesses of {other.root.name} here")
