"""Refutation of bounds by the last iterations of loops: that is where an index is largest.

Walks go through loops from their first iteration on, and seldom come to the end.  Where a loop runs while
``a * k < b`` for its counter ``k``, with an ``a`` above 0 and a ``b`` that the loop does not change, the last iteration
is ``(b - 1) / a``: put for ``k``, it leaves a question without that loop.
"""

from __future__ import annotations

from kernlint.prove import enumerate
from kernlint.prove.query import Actor, Bounds, Budget, LoopRange, Refuted, Side
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, Term, binary, const, substitute
from kernlint.tree.types import I64


def refute(query: Bounds, budget: Budget) -> Refuted | None:
    """A launch, values and a thread that leaves the array in the last iteration of the loops around the access; None
    when none was found, or no last iteration is known."""
    images: dict[Symbol, Term] = {}
    guards = list(query.access.guards)
    left: list[LoopRange] = []
    for loop in query.access.counters:
        condition = None if loop.condition is None else substitute(loop.condition, images)
        last = None if condition is None else last_iteration(condition, loop.counter)
        if condition is None or last is None:
            left.append(replace(loop, condition=condition))
            continue
        images[loop.counter] = last
        # the loop begins, and what was computed is one of its iterations in machine integers too
        guards += [substitute(condition, {loop.counter: const(0, I64)}), substitute(condition, {loop.counter: last})]
    if not images:
        return None
    offset = substitute(query.access.offset, images)
    asked = Side(offset, query.access.size, tuple(substitute(guard, images) for guard in guards), tuple(left))
    found = enumerate.refute(replace(query, access=asked), budget)
    return None if found is None else _with_counters(found, query, images)


def last_iteration(condition: Term, counter: Symbol) -> Term | None:
    """The largest ``counter`` for which ``condition`` holds, if it holds for 0; None where no closed form is seen."""
    if condition.op not in ("lt", "le"):
        return None
    slack = polynomial(condition.args[1]) - polynomial(condition.args[0])
    if condition.op == "lt":
        slack = slack - number(1)
    factor = slack.coefficient(counter)
    step = None if factor is None else -factor
    if step is None or not _positive(step):
        return None
    most = term_of(slack.without((counter,)))
    return most if step.constant == 1 else binary("div", most, term_of(step), I64)


def _positive(step: Polynomial) -> bool:
    """Whether a step is above 0: a number that is, or a multiple of sizes of the launch."""
    sizes = {symbol.term for symbol in (*BLOCK_DIM, *GRID_DIM)}
    return bool(step.coefficients) and step.atoms <= sizes and all(value > 0 for value in step.coefficients.values())


def _with_counters(found: Refuted, query: Bounds, images: dict[Symbol, Term]) -> Refuted | None:
    """``found`` with the iterations that were put in."""
    first: Actor = found.first
    env: dict[Symbol, int] = {**dict(found.values), **dict(first.data), **dict(first.counters)}
    for places, sizes in (
        (BLOCK_DIM, found.block),
        (GRID_DIM, found.grid),
        (THREAD, first.thread),
        (BLOCK, first.block),
    ):
        env.update(zip(places, sizes, strict=True))
    counters = []
    for loop in query.access.counters:
        image = images.get(loop.counter)
        value = env.get(loop.counter) if image is None else evaluate(image, env)
        if value is None:
            return None
        env[loop.counter] = value
        counters.append((loop.counter, value))
    return replace(found, first=replace(first, counters=tuple(counters)))
