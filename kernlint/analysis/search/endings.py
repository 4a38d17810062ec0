"""Accesses of which it is said that a loop around them ends: they are in its last iteration.

Two accesses on both sides of a loop's end meet in its last iteration, and walks, which go through loops from their
first one on, seldom get there.  Where that iteration is known as a term of what does not change in the loop it is put
in the counter's place, which leaves the same question with a loop less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.prove.last import last_iteration
from kernlint.prove.query import Actor, Overlap, Refuted, Side
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    const,
    negate,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.types import I64

Images = dict[Symbol, Term]


@dataclass(frozen=True, slots=True)
class AtEnds:
    """``query`` without loops in whose last iteration an access is; ``ours`` and ``theirs``: those iterations."""

    query: Overlap
    ours: Images
    theirs: Images

    def restored(self, found: Refuted) -> Refuted | None:
        """``found`` with the iterations that were put in; None where they are no numbers."""
        if found.second is None:
            return None
        first, second = (
            _with_counters(actor, found, images)
            for actor, images in ((found.first, self.ours), (found.second, self.theirs))
        )
        return None if first is None or second is None else replace(found, first=first, second=second)


def asked_at_ends(query: Overlap, ask: Callable[[Overlap], Refuted | None]) -> Refuted | None:
    """The answer to a question as it stands, or to the one with last iterations put in."""
    witness = ask(query)
    if witness is None and (ended := at_ends(query)) is not None:
        witness = ask(ended.query)
        witness = None if witness is None else ended.restored(witness)
    if witness is None and (begun := at_beginnings(query)) is not None:
        witness = ask(begun.query)
        witness = None if witness is None else begun.restored(witness)
    return witness


def asked_at_wide_steps(query: Overlap, ask: Callable[[Overlap], Refuted | None]) -> Refuted | None:
    """The answer to a question with iterations put in of which the first ones alone lie in one warp."""
    for wide in at_wide_steps(query):
        witness = ask(wide.query)
        if witness is not None:
            return wide.restored(witness)
    return None


def at_beginnings(query: Overlap) -> AtEnds | None:
    """The question with the first two iterations put in, of loops that both threads are in, one of them an iteration
    ahead, where the places have nothing to do with the iteration; None where there is no such loop.

    Walks go through iterations thread by thread, and do not get to the threads that meet in a large block.  Nor do they
    get to iterations that are many ahead: of those the first that the accesses may be in are put in.
    """
    placing = {*symbols(query.a.offset), *symbols(query.b.offset)}
    ours: Images = {}
    theirs: Images = {}
    for mine, other, shift in query.tied:
        first = 0 if abs(shift) == 1 and not placing & {mine, other} else None
        if abs(shift) >= MANY_AHEAD:
            ahead, behind = max(shift, 0), max(-shift, 0)
            rounds = (at for at in range(FIRST) if _may_be_in(query, mine, other, at + ahead, at + behind))
            first = next(rounds, None)
        if first is not None:
            ours[mine] = const(first + max(shift, 0), I64)
            theirs[other] = const(first + max(-shift, 0), I64)
    if not ours:
        return None
    return _at(query, ours, theirs)


MANY_AHEAD = 8
"""Iterations that walks of few threads get to, of a loop that has more."""

FIRST = 8
"""Iterations that are tried as the earlier one of two."""


def _may_be_in(query: Overlap, mine: Symbol, other: Symbol, x: int, y: int) -> bool:
    """Whether the conditions of both accesses leave it open that they are in iterations ``x`` and ``y``."""
    return all(
        any(evaluate(fact, {**dict.fromkeys(symbols(fact), value), counter: at}) != 0 for value in (0, PLENTY))
        for side, counter, at in ((query.a, mine, x), (query.b, other, y))
        for fact in side.guards
        if counter in symbols(fact)
    )


PLENTY = 1 << 20
"""A value for all else in a condition."""


def at_wide_steps(query: Overlap) -> Iterator[AtEnds]:
    """The question with the last iteration put in, of loops of a constant number of rounds that both threads are in the
    same iteration of, and one of the first iterations and the next one of the loop inside; none where the places are
    not made of steps that double.

    In a sort or a transform the distance between partners grows with the rounds of the outer loop: those of its first
    ones lie in one warp.
    """
    steps = {s for side in (query.a, query.b) for s in _doubled(side.offset)}
    ours: Images = {}
    theirs: Images = {}
    for mine, other, _ in (one for one in query.tied if one[2] == 0) if steps else ():
        loop = next((one for one in query.a.counters if one.counter is mine), None)
        last = _last_round(loop.condition, mine) if loop is not None and loop.condition is not None else 0
        if last > 0:
            ours[mine] = theirs[other] = const(last, I64)
    related = {counter for mine, other, _ in query.tied for counter in (mine, other)}
    inner = [
        next((loop.counter for loop in side.counters if loop.counter not in related), None)
        for side in (query.a, query.b)
    ]
    if not ours:
        return
    if any(inner):
        yield _at(query, ours, theirs)
    first, second = inner
    if first in steps and second in steps and first is not None and second is not None:
        for turn in range(WIDE):
            for here, there in ((turn, turn + 1), (turn + 1, turn)):
                yield _at(query, ours | {first: const(here, I64)}, theirs | {second: const(there, I64)})


WIDE = 3
"""Rounds of an inner loop that are tried one by one."""


def _doubled(place: Term) -> set[Symbol]:
    """The counters of which the bits of a place, or a power of two in it, are made."""
    parts = (part for part in subterms(place) if part.op in ("xor", "shl", "shr"))
    return {symbol for part in parts for symbol in part.symbols if symbol.kind is SymbolKind.COUNTER}


def _at(query: Overlap, ours: Images, theirs: Images) -> AtEnds:
    """The question in these iterations of both."""
    a, b = _begun(query.a, ours), _begun(query.b, theirs)
    tied = tuple(one for one in query.tied if one[0] not in ours and one[1] not in theirs)
    return AtEnds(replace(query, a=a, b=b, tied=tied), ours, theirs)


def _last_round(condition: Term, counter: Symbol) -> int:
    """The last iteration of a loop that ends after a few rounds, whatever else is; 0 of any other."""
    if any(symbol is not counter for symbol in condition.symbols):
        return 0
    for turn in range(MOST_ROUNDS + 1):
        if not evaluate(condition, {counter: turn}):
            return max(turn - 1, 0)
    return 0


MOST_ROUNDS = 40
"""Rounds of a loop whose last one is looked for: steps that double."""


def _begun(side: Side, images: Images) -> Side:
    """The side in those iterations, each of which has to begin."""
    running = [loop.condition for loop in side.counters if loop.counter in images and loop.condition is not None]
    guards = tuple(substitute(guard, images) for guard in (*side.guards, *running))
    loops = tuple(
        loop if loop.condition is None else replace(loop, condition=substitute(loop.condition, images))
        for loop in side.counters
        if loop.counter not in images
    )
    return replace(side, offset=substitute(side.offset, images), guards=guards, counters=loops)


def at_ends(query: Overlap) -> AtEnds | None:
    """The question with last iterations put in; None where none of them is stated, or known."""
    a, ours = _ended(query.a, {x for x, _, _ in query.tied})
    b, theirs = _ended(query.b, {y for _, y, _ in query.tied})
    return AtEnds(replace(query, a=a, b=b), ours, theirs) if ours or theirs else None


def _ended(side: Side, tied: set[Symbol]) -> tuple[Side, Images]:
    """The side without the loops that end after its iteration, and what their counters are there."""
    stated = set(side.guards)
    images: Images = {}
    extra: list[Term] = []
    for loop in side.counters:
        if loop.condition is None or loop.counter in tied:
            continue
        after = binary("add", loop.counter.term, const(1), I64)
        if negate(substitute(loop.condition, {loop.counter: after})) not in stated:
            continue
        last = last_iteration(loop.condition, loop.counter)
        if last is not None and not any(one.counter in last.symbols for one in side.counters if one is loop):
            images[loop.counter] = last
            # The loop begins, and what was computed is one of its iterations in machine integers too.
            extra += [substitute(loop.condition, {loop.counter: image}) for image in (const(0), last)]
    if not images:
        return side, images
    loops = tuple(
        loop if loop.condition is None else replace(loop, condition=substitute(loop.condition, images))
        for loop in side.counters
        if loop.counter not in images
    )
    guards = tuple(substitute(guard, images) for guard in (*side.guards, *extra))
    return replace(side, offset=substitute(side.offset, images), guards=guards, counters=loops), images


def _with_counters(actor: Actor, found: Refuted, images: Images) -> Actor | None:
    env: dict[Symbol, int] = {**dict(found.values), **dict(actor.data), **dict(actor.counters)}
    for axes, values in (
        (BLOCK_DIM, found.block),
        (GRID_DIM, found.grid),
        (THREAD, actor.thread),
        (BLOCK, actor.block),
    ):
        env.update(zip(axes, values, strict=True))
    counters = list(actor.counters)
    for counter, image in images.items():
        value = evaluate(image, env)
        if value is None:
            return None
        counters.append((counter, value))
    return replace(actor, counters=tuple(counters))
