"""Two parts of one buffer for two parameters: whether they have elements in common, as a kernel uses them.

The launch is tried with numbers for its sizes, and every place that its threads touch is put down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.extent.in_place import VALUES
from kernlint.analysis.extent.tried import is_small, launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Launch, LoopRange, Side
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, Term, binary, symbols
from kernlint.tree.types import I64

POINTS = 8_000
"""Places of one access that are put down under one launch."""

FEW = 4
"""Accesses through one parameter that are asked about."""


class _TooMany(Exception):
    """An access has more places than are put down, or one that the launch does not say."""


def in_common(view: LaunchView, used: Sequence[Access], others: Sequence[Access], start: Term, other: Term) -> bool:
    """Whether the kernel touches, through the one pointer, what it writes through the other or the other way round,
    whatever numbers its sizes are given.  ``start``, ``other``: where the pointers are in their buffer, in bytes."""
    apart = binary("sub", start, other, I64)
    told = {symbol for _, image in view.images for symbol in symbols(image)}
    if not told.issuperset(symbols(apart)) or len(used) > FEW or len(others) > FEW:
        return False
    met = 0
    for env in settings_of(view, tried=VALUES):
        launch, way = launch_with(view, env), evaluate(apart, env)
        if launch is None or way is None or not is_small(launch):
            return False
        try:
            if not _meet(used, others, launch, way):
                return False
        except _TooMany:
            return False
        met += 1
    return met > 0


def _meet(used: Sequence[Access], others: Sequence[Access], launch: Launch, way: int) -> bool:
    first, second = ([(one.writes, _places(side(one), launch)) for one in group] for group in (used, others))
    for writes, places in first:
        moved = {place + way for place in places}
        if any((writes or other) and not moved.isdisjoint(at) for other, at in second):
            return True
    return False


def _places(one: Side, launch: Launch) -> set[int]:
    """The bytes at which an access begins, in one launch."""
    found: set[int] = set()
    for count, env in enumerate(_iterations(one, launch)):
        if count > POINTS:
            raise _TooMany
        held = [evaluate(guard, env) for guard in one.guards]
        place = evaluate(one.offset, env)
        if place is None or None in held:
            raise _TooMany
        if all(held):
            found.add(place)
    return found


def _iterations(one: Side, launch: Launch) -> Iterator[dict[Symbol, int]]:
    for block in _cells(launch.grid):
        for thread in _cells(launch.block):
            env = launch.known()
            env.update(zip(BLOCK, block, strict=True))
            env.update(zip(THREAD, thread, strict=True))
            yield from _rounds(one.counters, env)


def _rounds(loops: Sequence[LoopRange], env: dict[Symbol, int]) -> Iterator[dict[Symbol, int]]:
    if not loops:
        yield env
        return
    loop = loops[0]
    if loop.condition is None:
        raise _TooMany
    for count in range(POINTS):
        inner = {**env, loop.counter: count}
        more = evaluate(loop.condition, inner)
        if more is None:
            raise _TooMany
        if not more:
            return
        yield from _rounds(loops[1:], inner)
    raise _TooMany


def _cells(sizes: tuple[int | None, int | None, int | None]) -> Iterator[tuple[int, int, int]]:
    x, y, z = (size or 1 for size in sizes)
    return ((i, j, k) for k in range(z) for j in range(y) for i in range(x))
