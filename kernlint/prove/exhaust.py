"""Proof by going through everything: for a block of known shape whose addresses rest on nothing but threads and
short loops (swizzles by xor, hand-made permutations).

Guards that rest on anything else are left out, which can only add accesses.  Machine arithmetic is exact, so such a
proof assumes nothing.
"""

from __future__ import annotations

from kernlint.prove.choices import dims_of
from kernlint.prove.collect import Overrun, Points, collector
from kernlint.prove.hints import launch_bounds
from kernlint.prove.meet import meeting
from kernlint.prove.query import Bounds, Budget, Proved, Query, Side, Triple
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Ranges
from kernlint.symbolic.terms import GRID_DIM, THREAD, Symbol, symbols

ROUNDS = 256
"""A loop of more iterations is not walked."""


def prove(query: Query, budget: Budget) -> Proved | None:
    """A proof that no pair (no access) of any thread is at fault, or None."""
    if not isinstance(query, Bounds) and query.within != "block":
        return None
    x, y, z = query.launch.block
    if x is None or y is None or z is None:
        return None
    block = (x, y, z)
    known = query.launch.known()
    shared = [symbol for symbol in known if symbol not in query.private]
    sides = (query.access,) if isinstance(query, Bounds) else (query.a, query.b)
    if not all(_settled(side, set(shared)) for side in sides) or x * y * z > budget.points:
        return None
    grid = tuple(known.get(dim, 1) for dim in GRID_DIM)
    values = {**dims_of(block, (grid[0], grid[1], grid[2])), **known}
    try:
        points = [_points(side, query, shared, [values[s] for s in shared], block, budget.points) for side in sides]
    except (Overrun, ArithmeticError):
        return None
    found = [entry for entry in points if entry is not None]
    if len(found) < len(points):
        return None
    if isinstance(query, Bounds):
        extent = evaluate(query.extent, known)
        safe = extent is not None and all(0 <= p[0] <= extent - query.access.size for p in found[0][0])
    else:
        (ours, our_counters), (theirs, their_counters) = found
        safe = meeting(query, block, ours, theirs, our_counters, their_counters) is None
    return Proved((), "exhaustion") if safe else None


def _settled(side: Side, known: set[Symbol]) -> bool:
    """Whether the address rests only on threads, the loops around it and known values."""
    allowed = known | set(THREAD) | {loop.counter for loop in side.counters if loop.condition is not None}
    return all(symbol in allowed for symbol in symbols(side.offset))


def _points(
    side: Side, query: Query, shared: list[Symbol], values: list[int], block: Triple, most: int
) -> tuple[Points, tuple[Symbol, ...]] | None:
    """Everything that ``side`` can touch, and the counters of the points; raises :class:`Overrun` when that is too
    much."""
    used = set(symbols(side.offset))
    allowed = set(shared) | set(THREAD)
    loops = []
    for loop in side.counters:  # a loop matters where its counter does; others leave the address as it is
        within = allowed | {loop.counter}
        if loop.condition is not None and all(symbol in within for symbol in symbols(loop.condition)):
            loops.append(loop)
            allowed = within
        elif loop.counter in used:
            return None
    guards = tuple(guard for guard in side.guards if all(symbol in allowed for symbol in symbols(guard)))
    walked = replace(side, guards=guards, counters=tuple(loops))
    found = collector(walked, query, shared, Ranges(launch_bounds(query.launch)), strict=True)
    if found is None or found.data or len(found.counters) != len(loops):
        return None
    x, y, z = block
    threads = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    points, _ = found.walk(values, [(0, 0, 0)], threads, [ROUNDS] * len(loops), most, ())
    return points, found.counters
