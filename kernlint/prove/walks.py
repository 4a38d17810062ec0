"""Walks that were made: searches ask for the same ones again and again, as most of what they vary is mentioned by one
of the two accesses alone, and an access is asked about with many others."""

from __future__ import annotations

from kernlint.prove.choices import Chosen, threads
from kernlint.prove.collect import Collector, Points
from kernlint.prove.query import Triple

KEPT = 60_000
"""Points that are kept at least (twice as many at most), counting each walk as :data:`ENTRY` more."""

ENTRY = 8

SHORT = 8
"""A walk of so few threads and rounds is made again as fast as it is found."""

Done = dict[tuple[object, ...], tuple[Points, int]]


class _Walks:
    """The walks of late, and those before them: what is asked for again is of late."""

    def __init__(self) -> None:
        self.late: Done = {}
        self.before: Done = {}
        self.held = 0

    def forget(self) -> None:
        """Forget all walks."""
        self.late, self.before, self.held = {}, {}, 0

    def walk(self, key: tuple[object, ...]) -> tuple[Points, int] | None:
        """The walk with this key, if it was made."""
        done = self.late.get(key)
        if done is None:
            done = self.before.get(key)
            if done is not None:
                self.keep(key, done)
        return done

    def keep(self, key: tuple[object, ...], done: tuple[Points, int]) -> None:
        """Remember a walk."""
        if self.held > KEPT:
            self.before, self.late, self.held = self.late, {}, 0
        self.held += len(done[0]) + ENTRY
        self.late[key] = done


made = _Walks()
"""The walks of this process."""


def walk(
    side: Collector,
    values: tuple[int, ...],
    places: tuple[Triple, ...],
    chosen: Chosen,
    limits: tuple[int, ...],
    most: int,
    data: tuple[int, ...],
) -> tuple[Points, int]:
    """What ``side.walk`` gives for the ``chosen`` threads."""
    # accesses that differ in names alone share the function
    key = (side.walk, values, places, chosen, limits, most, data)
    done = made.walk(key)
    if done is None:
        done = side.walk(values, places, threads(chosen), limits, most, data)
        if done[1] > SHORT:
            made.keep(key, done)
    return done
