"""Launches of few elements, and threads at the edge of a block: where small grids with large sizes show nothing.

A kernel that takes the number of a thread apart into coordinates (``id % nx``, ``id / nx % ny``) gets no further than
the first rows of a grid in a launch of a few blocks, unless all of its sizes are small.  And in loops of many rounds
that a barrier of the block is in, what neighbouring blocks have in common is at their common edge: asked about are the
last thread of one block and the first of the next, each in all of its rounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Trace
from kernlint.prove.admission import Admission, Way
from kernlint.prove.query import Overlap, Side, Triple
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    const,
    subterms,
)
from kernlint.tree.nodes import Scope
from kernlint.tree.types import BOOL, IntType

FIRST = 8
"""The least size of a small launch, the others are multiples of it: rows with a rim of a few cells have an inside."""

MOST_SIZES = 4
"""Sizes of the host that a small launch is made of."""

MOST_BLOCKS, MOST_THREADS = 32, 2048
"""What a small launch has at most."""

EDGES = (1, 2)
"""Threads on each side of the edge of a block: with fewer, more rounds can be gone through."""

MOST_WAYS = 3
"""Launches in sight of which small ones are made."""

Few = tuple[Triple, tuple[tuple[Symbol, int], ...]]


def takes_apart(pair: Pair) -> bool:
    """Whether a place of a pair, or what decides about it, rests on the number of a thread divided by a size."""
    terms = (term for at in (pair.a, pair.b) for term in (at.offset, *at.facts))
    return any(
        part.op in ("div", "mod")
        and any(symbol.kind is SymbolKind.PARAM for symbol in part.args[1].symbols)
        and any(symbol in BLOCK for symbol in part.args[0].symbols)
        for term in terms
        for part in subterms(term)
    )


def dealt_alike(pair: Pair, admission: Admission) -> bool:
    """Whether blocks are an argument apart, and a launch makes it, and another one that says how far each of them goes,
    out of one size: windows that overlap, where the step is a part of their length."""
    forms = [polynomial(at.offset).coefficients for at in (pair.a, pair.b)]
    blocks = [mono for form in forms for mono in form if len(mono) == 2 and any(atom.symbol in BLOCK for atom in mono)]
    steps = {atom.symbol for mono in blocks for atom in mono if atom.symbol is not None} - {*BLOCK}
    facts = (fact for at in (pair.a, pair.b) for fact in at.facts if not any(one in fact.symbols for one in BLOCK))
    ends = {symbol for fact in facts for symbol in fact.symbols} - steps
    return any(
        images[step] != images[end] and set(images[step].symbols) & set(images[end].symbols)
        for images in (dict(way.images) for way in admission.ways[:MOST_WAYS])
        for step in steps & images.keys()
        for end in ends & images.keys()
        if end.kind is SymbolKind.PARAM
    )


def few(admission: Admission, block: Triple, wanted: Collection[Symbol]) -> Iterator[Few]:
    """Grids of a few blocks, with the values of all the scalars ``wanted``, that launches in sight come to where the
    sizes they are made of are small."""
    for way in admission.ways[:MOST_WAYS]:
        found = _few(way, block, wanted)
        if found is not None:
            yield found


def _few(way: Way, block: Triple, wanted: Collection[Symbol]) -> Few | None:
    images = dict(way.images)
    if any(symbol not in images for symbol in (*wanted, GRID_DIM[0])):
        return None
    grid = [images[axis] for axis in GRID_DIM if axis in images]
    made = [*grid, *(images[symbol] for symbol in wanted)]
    sizes = list(dict.fromkeys(one for term in made for one in term.symbols))
    if not sizes or len(sizes) > MOST_SIZES or not all(isinstance(one.type, IntType) for one in sizes):
        return None
    given = dict.fromkeys(sizes, FIRST)
    more = list(dict.fromkeys(one for term in grid for one in term.symbols))
    for turn in range(8 * len(more)):
        shape = [evaluate(term, given) for term in grid]
        blocks = _product(shape)
        if blocks is None or blocks > MOST_BLOCKS or blocks * _threads(block) > MOST_THREADS:
            return None
        if blocks > 1:
            return _launch(way, images, given, wanted, shape)
        given[more[turn % len(more)]] *= 2
    return None


def _launch(
    way: Way,
    images: Mapping[Symbol, Term],
    given: dict[Symbol, int],
    wanted: Collection[Symbol],
    shape: list[int | None],
) -> Few | None:
    """The launch of the sizes ``given``, unless a check of the host refuses it."""
    values = {symbol: evaluate(images[symbol], given) for symbol in wanted}
    known = {**given, **{symbol: value for symbol, value in values.items() if value is not None}}
    if len(known) < len(given) + len(values) or any(evaluate(check, known) == 0 for check in way.checks):
        return None
    x, y, z = (*(one or 1 for one in shape), 1, 1)[:3]
    return (x, y, z), tuple((symbol, known[symbol]) for symbol in wanted)


def _product(sizes: list[int | None]) -> int | None:
    found = 1
    for size in sizes:
        if size is None or size < 1:
            return None
        found *= size
    return found


def _threads(block: Triple) -> int:
    return block[0] * block[1] * block[2]


# ----------------------------------------------------------------------------------------------------------- edges


def in_turns(pair: Pair, of: Trace) -> bool:
    """Whether both accesses are made in one loop whose rounds a barrier of the block keeps apart."""
    return any(
        loop in pair.first.loops and loop in pair.second.loops
        for barrier in of.barriers
        if barrier.scope is Scope.BLOCK
        for loop in barrier.loops
    )


def at_edges(query: Overlap) -> Iterator[Overlap]:
    """A question of two blocks, asked of the last threads of the first block and the first threads of the second one,
    along each axis that the places speak of; either side in either."""
    spoken = {*query.a.offset.symbols, *query.b.offset.symbols}
    for axis, edge in itertools.product(range(3), EDGES):
        size = query.launch.block[axis] or 0
        if BLOCK[axis] in spoken and (query.launch.grid[axis] or 0) > 1 and size > edge:
            low, high = (axis, 0, size - edge, size), (axis, 1, 0, edge)
            yield replace(query, a=_at(query.a, *low), b=_at(query.b, *high))
            if query.a != query.b:
                yield replace(query, a=_at(query.a, *high), b=_at(query.b, *low))


def _at(side: Side, axis: int, block: int, least: int, end: int) -> Side:
    """A side as threads from ``least`` on of one block make it, that are the first of it along other axes."""
    wanted = {symbol: 0 for other in range(3) if other != axis for symbol in (THREAD[other], BLOCK[other])}
    wanted[BLOCK[axis]] = block
    known = [symbol for symbol in (*wanted, THREAD[axis]) if symbol in side.symbols]
    guards = [_test("eq", symbol.term, wanted[symbol]) for symbol in known if symbol in wanted]
    if THREAD[axis] in known:
        thread = THREAD[axis].term
        guards += [_test("lt", thread, end), binary("le", const(least, thread.type), thread, BOOL)]
    return replace(side, guards=(*guards, *side.guards))


def _test(op: str, term: Term, value: int) -> Term:
    return binary(op, term, const(value, term.type), BOOL)
