"""Launches, values and threads for which an index gets past the size that should hold it back.

A rule that knows of an access which size its index is meant to keep below asks here for a thread that makes the access
although it is not: under the launches in sight, under what the user states, else under a small launch of the block that
is believed in.  Where the user's statements exclude every such thread, there is nothing to report.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.bounds import GlobalId
from kernlint.analysis.launch_context import LaunchView, launch_context
from kernlint.analysis.limits import Indexed, limits
from kernlint.analysis.overreach import Fault, Overreach, capped
from kernlint.analysis.pairs import side
from kernlint.analysis.surplus import Exposed, Tier, guard_on
from kernlint.analysis.trace.events import Access
from kernlint.analysis.wording import element_size, witness_of
from kernlint.finding import Witness
from kernlint.prove.query import Answer, Bounds, Budget, Launch, Proved, Refuted, Side, Unknown
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    symbols,
)
from kernlint.tree.types import I64, IntType

BUDGET = Budget(steps=80, points=8_000, rlimit=0)

EXAMPLE = 101
"""Size for which a fault is shown where nothing says another: no multiple of anything."""


@dataclass(frozen=True, slots=True)
class Past:
    """``index`` of the access must stay below ``size``; both count the same things.  ``view``: the launch that the size
    is about (None: any)."""

    access: Access
    index: Term
    size: Term
    view: LaunchView | None = None


def of_exposed(one: Exposed, facts: Facts) -> Past | None:
    """What an access without a guard gets past."""
    if one.tier is Tier.SIBLING:
        part = None if one.guard is None else guard_on(one.guard, one.id)
        if part is None:
            return None
        left, right = (cast(arg, I64) for arg in part.args)
        size = right if part.op == "lt" else binary("add", right, const(1, I64), I64)
        return _whole(one, left, size, facts)
    index = _global_id(one.id)
    if one.tier is Tier.UNUSED_SIZE and one.size is not None:
        stated = facts[launch_context].stated
        known = (s for premise in stated for s in symbols(premise) if s.kind is SymbolKind.PARAM)
        symbol = next((s for s in known if s.name == one.size.name), None)
        if symbol is None:
            symbol = Symbol(SymbolKind.PARAM, one.size.name, I64, low=1, uniformity=Uniformity.GRID)
        return Past(one.access, index, cast(symbol.term, I64))
    if one.tier is Tier.ROUNDED_UP and one.cover is not None and one.cover.count is not None:
        return Past(one.access, index, cast(one.cover.count, I64), one.view)
    return None


def _whole(one: Exposed, index: Term, size: Term, facts: Facts) -> Past:
    """What gets past the array and not only past the test, where that keeps away from the edges too
    (``i < n - 1``, ``i + 1 < n``)."""
    bound = polynomial(size)
    slack = bound.coefficients.get((), 0)
    found: tuple[Indexed, ...] = facts[limits]
    shown = next((each for each in found if each.access is one.access), None)
    if shown is None or len(shown.dimensions) != 1 or bound.constant is not None or slack > 0:
        return Past(one.access, index, size)
    used = shown.dimensions[0].index
    if (used - polynomial(index)).constant is None:
        return Past(one.access, index, size)
    return Past(one.access, cast(term_of(used), I64), term_of(bound - number(slack)))


def _global_id(one: GlobalId) -> Term:
    """``block * ratio + thread`` of a global id; it counts as its ratio does."""
    ratio = term_of(Polynomial({one.symbols: one.factor}))
    total = binary("mul", cast(BLOCK[one.axis].term, I64), ratio, I64)
    for axis in sorted(one.threads):
        total = binary("add", total, cast(THREAD[axis].term, I64), I64)
    return total


def of_overreach(one: Overreach, facts: Facts) -> Past | None:
    """What an access with a wrong guard gets past."""
    if one.size is None:
        return None
    size = term_of(one.size)
    if one.fault is Fault.CLAMPED:
        index = capped(one.access, one.size)
        return None if index is None else Past(one.access, cast(index, I64), size)
    if one.fault is Fault.PADDED:
        return Past(one.access, cast(one.part.args[0], I64), size)
    found: tuple[Indexed, ...] = facts[limits]
    shown = next((each for each in found if each.access is one.access), None)
    if shown is None:
        return None
    for dimension in shown.dimensions:
        if len(shown.dimensions) == 1 or any(limit.part is one.part for limit in dimension.limits[:1]):
            return Past(one.access, term_of(dimension.index), size)
    return None


def _launches(past: Past, facts: Facts) -> list[tuple[Launch, tuple[Term, ...]]]:
    """Launches under which to look for a thread, each with what holds under it."""
    context = facts[launch_context]
    stated = context.stated
    if past.view is not None:
        return [
            (
                Launch.of(context.admission, past.view.block, max_threads=context.max_threads),
                (*past.view.premises, *stated),
            )
        ]
    if stated or context.launches:
        known = context.known_blocks
        block = known[0] if len(known) == 1 else (None, None, None)
        grid = context.grid or (None, None, None)
        found = [(Launch.of(context.admission, block, grid, context.max_threads), context.premises)]
        if stated:
            return found
        return found if len(context.launches) == 1 else []
    x, y, z = context.blocks[0].block
    used = {s.kind for s in (*symbols(past.index), *side(past.access).symbols)}
    scalars = {
        s
        for term in (past.size, past.index, past.access.offset, *side(past.access).facts)
        for s in symbols(term)
        if s.kind is SymbolKind.PARAM and isinstance(s.type, IntType) and s.type.bits > 8
    }
    ordered = sorted(scalars, key=lambda s: s.serial)
    size = EXAMPLE if (y, z) == (1, 1) else x + 5
    axes = {s.axis for s in symbols(past.index) if s.kind is SymbolKind.BLOCK} if SymbolKind.BLOCK in used else set()
    spread = tuple(-(-(size + 1) // side_) if axis in axes else 1 for axis, side_ in enumerate((x, y, z)))
    grid = (spread[0], spread[1], spread[2])
    alike = tuple((s, size) for s in ordered)
    apart = tuple((s, size - 4 * at) for at, s in enumerate(ordered))
    back = tuple((s, size - 4 * at) for at, s in enumerate(ordered[::-1]))
    launches = [Launch((x, y, z), grid, x * y * z, values) for values in dict.fromkeys((alike, apart, back))]
    return [(launch, ()) for launch in (*launches, Launch((x, y, z), max_threads=x * y * z))]


def asked(past: Past, facts: Facts) -> Answer:
    """Whether a thread makes the access with an index at or past the size; a proof rests on what the user states."""
    access = side(past.access)
    question = Side(past.index, 1, access.guards, access.counters)
    answer: Answer = Unknown("nothing was asked")
    for launch, premises in _launches(past, facts):
        answer = solve(Bounds(question, past.size, premises, launch=launch), BUDGET)
        if isinstance(answer, Refuted) and not answer.data_in_address and answer.first.offset >= (answer.extent or 0):
            return answer
    if isinstance(answer, Refuted):
        return Unknown("the thread depends on data")
    if isinstance(answer, Proved) and not facts[launch_context].stated:
        return Unknown("nothing is stated")
    return answer


def excluded(pasts: Sequence[Past | None], facts: Facts) -> bool:
    """Whether what the user states keeps every thread of ``pasts`` below its size."""
    if not facts[launch_context].stated or not pasts:
        return False
    return all(past is not None and isinstance(asked(past, facts), Proved) for past in pasts)


def example(past: Past | None, facts: Facts) -> Witness | None:
    """A launch and a thread that gets past the size; None where none is found at once."""
    answer = None if past is None else asked(past, facts)
    if past is None or not isinstance(answer, Refuted):
        return None
    env: dict[Symbol, int] = {**dict(answer.values), **dict(answer.first.data), **dict(answer.first.counters)}
    first = answer.first
    for places, sizes in ((BLOCK_DIM, answer.block), (GRID_DIM, answer.grid)):
        env.update(zip(places, sizes, strict=True))
    for places, sizes in ((THREAD, first.thread), (BLOCK, first.block)):
        env.update(zip(places, sizes, strict=True))
    offset = evaluate(past.access.offset, env)
    if offset is None:
        return None
    return witness_of(past.access, replace(answer, first=replace(first, offset=offset)), element_size(past.access))
