"""Two sequences lined up with each other, as far as there is only one best way to do so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from kernlint.record import dataclass

LARGEST = 1_000_000
"""Pairs of a place and a name up to which all ways are weighed: about a second."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name may belong: ``fits`` tells which; a place that is ``free`` has a name or has none."""

    fits: Callable[[str], bool]
    free: bool = False


def lined_up(places: Sequence[Place], names: Sequence[str]) -> list[str | None]:
    """The name of each place; ``""`` for a free place that surely has none, None where it cannot be told.

    A place that has no name though it should, and a name that is left over, are faults. Only what is the same in every
    way with the fewest faults is told: one fault in the middle must not shift the names of all that follows.
    """
    for picked in ([p for p in places if not p.free], places):
        if len(picked) == len(names) and all(p.fits(n) for p, n in zip(picked, names, strict=True)):
            # Any other way would leave a name over: there is none as good.
            found = iter(names)
            taken = {id(p) for p in picked}
            return [next(found) if id(p) in taken else "" for p in places]
    if len(places) * len(names) > LARGEST:
        return [None] * len(places)
    return _weighed(places, names)


def _weighed(places: Sequence[Place], names: Sequence[str]) -> list[str | None]:
    ids = {name: i for i, name in enumerate(dict.fromkeys(names))}
    numbered = [ids[name] for name in names]
    distinct = list(ids)
    fitting = [[p.fits(name) for name in distinct] for p in places]
    fit = [[row[i] for i in numbered] for row in fitting]
    skips = [0 if p.free else 1 for p in places]
    before = _costs(fit, skips, len(names))
    after = _costs([row[::-1] for row in reversed(fit)], skips[::-1], len(names))
    after = [row[::-1] for row in reversed(after)]
    best = before[-1][-1]
    result: list[str | None] = []
    for i, (row, here, there) in enumerate(zip(fit, pairwise(before), pairwise(after), strict=True)):
        told: set[str] = set()
        for j, fits in enumerate(row):
            if fits and here[0][j] + there[1][j + 1] == best:
                told.add(names[j])
        if any(a + skips[i] + b == best for a, b in zip(here[0], there[1], strict=True)):
            told.add("")
        only = told.pop() if len(told) == 1 else None
        result.append(only if only or places[i].free else None)
    return result


def _costs(fit: list[list[bool]], skips: list[int], width: int) -> list[list[int]]:
    """``costs[i][j]``: the fewest faults with which the first ``i`` places and ``j`` names line up."""
    costs = [list(range(width + 1))]
    for row, skip in zip(fit, skips, strict=True):
        last = costs[-1]
        now = [last[0] + skip]
        for j, fits in enumerate(row):
            cost = min(last[j + 1] + skip, now[j] + 1)
            if fits and last[j] < cost:
                cost = last[j]
            now.append(cost)
        costs.append(now)
    return costs
