"""Two lists of accesses: do two different threads touch one byte?  A hash join over cells of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

from kernlint.prove.collect import Point, Points
from kernlint.prove.query import Overlap, Triple
from kernlint.symbolic.terms import Symbol

WARP = 32
"""Threads of a warp."""


def warp(point: Point, block: Triple) -> tuple[Triple, int]:
    """The block of ``point`` and the number of its warp in it."""
    x, y, z = point[2]
    return point[1], (x + block[0] * (y + block[1] * z)) // WARP


def meeting(
    query: Overlap,
    block: Triple,
    ours: Points,
    theirs: Points,
    our_counters: Sequence[Symbol],
    their_counters: Sequence[Symbol],
) -> tuple[Point, Point] | None:
    """Two points of threads that the query is about on one byte, of different warps if there are such."""
    ties = [
        (our_counters.index(x), their_counters.index(y), shift)
        for x, y, shift in query.tied
        if x in our_counters and y in their_counters
    ]
    unit = gcd(query.a.size, query.b.size)
    if unit > 1 and not (_aligned(ours, unit) and _aligned(theirs, unit)):
        unit = 1
    common = cells(ours, query.a.size, unit) & cells(theirs, query.b.size, unit)
    if not common or (ours is theirs and len(common) == len(ours) * (query.a.size // unit)):
        return None  # nothing in common, or each thread has its own
    own, other_own = _owners(query, block, ours, query.a.size, unit), _owners(query, block, theirs, query.b.size, unit)
    common = {cell for cell in common if own[cell] is None or own[cell] != other_own[cell]}
    if not common:
        return None
    table = _table(query, block, theirs, [(y, shift) for _, y, shift in ties], unit, common)
    fallback: tuple[Point, Point] | None = None
    count = query.a.size // unit
    for point in ours:
        start = point[0] // unit
        if count == 1 and start not in common:
            continue
        extra: tuple[Any, ...] = tuple(point[3][x] for x, _, _ in ties)
        if query.require_same_warp:
            extra += warp(point, block)
        for cell in range(start, start + count):
            if cell not in common:
                continue
            for other in table.get((cell, extra), ()):
                if other[2] == point[2] and other[1] == point[1]:
                    continue
                if query.within == "blocks" and other[1] == point[1]:
                    continue
                if query.require_same_warp or warp(other, block) != warp(point, block):
                    return point, other
                if not query.exclude_same_warp and fallback is None:
                    fallback = (point, other)
    return fallback


def _owners(query: Overlap, block: Triple, points: Points, size: int, unit: int) -> dict[int, object]:
    """Who alone touches each cell, of those of whom no two can be a pair: a thread, a block where other blocks are
    asked for, a warp where other warps are; None: several.  Remembered with ``points``."""
    blocks, warps = query.within == "blocks", query.exclude_same_warp and not query.require_same_warp
    key = (size, unit, "block" if blocks else block if warps else "thread")
    found = points.owners.get(key)
    if found is None:
        found = points.owners[key] = {}
        count = size // unit
        known = found.setdefault
        for point in points:
            owner = point[1] if blocks else warp(point, block) if warps else point[1:3]
            first = point[0] // unit
            for cell in range(first, first + count):
                if known(cell, owner) != owner:
                    found[cell] = None
    return found


def _aligned(points: Points, unit: int) -> bool:
    """Whether all accesses start at multiples of ``unit`` bytes."""
    return gcd(*cells(points, 1, 1)) % unit == 0


def cells(points: Points, size: int, unit: int) -> set[int]:
    """What :func:`_cells` gives for a whole list, remembered with it."""
    found = points.cells.get((size, unit))
    if found is None:
        found = points.cells[size, unit] = _cells(points, size, unit)
    return found


def _cells(points: Sequence[Point], size: int, unit: int) -> set[int]:
    """The cells of ``unit`` bytes that accesses of ``size`` bytes touch."""
    if size == unit:
        return {point[0] // unit for point in points}
    count = size // unit
    return {cell for point in points for cell in range(point[0] // unit, point[0] // unit + count)}


def _table(
    query: Overlap,
    block: Triple,
    points: Sequence[Point],
    ties: Sequence[tuple[int, int]],
    unit: int,
    common: set[int],
) -> dict[Any, list[Point]]:
    """For every ``common`` cell (and iteration) the few points that suffice as partners for any thread."""
    table: dict[Any, list[Point]] = {}
    count = query.b.size // unit
    for point in points:
        start = point[0] // unit
        if count == 1 and start not in common:
            continue
        extra: tuple[Any, ...] = tuple(point[3][y] + shift for y, shift in ties)
        if query.require_same_warp:
            extra += warp(point, block)
        for cell in range(start, start + count):
            if cell not in common:
                continue
            kept = table.setdefault((cell, extra), [])
            if len(kept) < 4 and not any(_alike(query, block, point, k, len(kept)) for k in kept):
                kept.append(point)
    return table


def _alike(query: Overlap, block: Triple, x: Point, y: Point, kept: int) -> bool:
    """Whether ``y``, one of ``kept``, does as a partner wherever ``x`` does: two threads, or threads of two warps
    (blocks), suffice for every third."""
    if x[2] == y[2] and x[1] == y[1]:
        return True
    if query.within == "blocks":
        return x[1] == y[1]
    if kept == 1 and not query.exclude_same_warp:
        return False
    return warp(x, block) == warp(y, block)
