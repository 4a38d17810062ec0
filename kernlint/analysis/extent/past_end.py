"""Launches, values and threads for which an index gets past the size that should hold it back.

A rule that knows of an access which size its index is meant to keep below asks here for a thread that makes the access
although it is not: under the launches in sight, under what the user states, else under a small launch of the block that
is believed in.  Where the user's statements exclude every such thread, there is nothing to report.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.asking import Past, asked
from kernlint.analysis.extent.bounds import GlobalId
from kernlint.analysis.extent.limits import Indexed, limits
from kernlint.analysis.extent.surplus import Exposed, Tier, guard_on
from kernlint.analysis.extent.wrong_guards.ends import capped
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.prove.query import Proved
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK,
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
from kernlint.tree.types import I64


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


def excluded(pasts: Sequence[Past | None], facts: Facts) -> bool:
    """Whether what the user states keeps every thread of ``pasts`` below its size."""
    if not facts[launch_context].stated or not pasts:
        return False
    return all(past is not None and isinstance(asked(past, facts), Proved) for past in pasts)
