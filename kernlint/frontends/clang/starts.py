"""What a first parse of a source lacked, and what was made up for it."""

from __future__ import annotations

from collections.abc import Callable

from kernlint.frontends.clang.preceding import Preceding
from kernlint.record import dataclass

NOTHING_BEFORE = Preceding()


@dataclass(frozen=True, slots=True)
class Start:
    """What the first parse of a source came to, before anything was made up for it but what was ``known``: what errors
    cost, the names that were unknown, and what was skipped."""

    losses: int
    unknown: frozenset[str]
    skipped: tuple[tuple[int, int], ...]
    known: str


Promising = Callable[[Start], bool]
"""Whether the names that a first parse lacks are worth declarations."""


@dataclass(frozen=True, slots=True)
class MadeUpText:
    """Declarations that were made up for a parse: their names, their text, and what errors cost all the same; and what
    the project puts before the source."""

    names: frozenset[str]
    text: str
    losses: int
    before: Preceding = NOTHING_BEFORE


NOTHING_MADE_UP = MadeUpText(frozenset(), "", 0)
"""Says that nothing is known that may be made up."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Declarations of ``names`` in ``text``, made up in so many ``rounds`` for a source that was ``start`` at first."""

    start: Start
    names: frozenset[str]
    text: str
    rounds: int


class Recipes:
    """What was made up for sources whose missing headers are all that they lack: the next time that one is read, for
    another file's sake, it is not sought again.  Nothing that the project was asked for is in it."""

    MOST = 64

    def __init__(self) -> None:
        self._kept: dict[object, Recipe] = {}

    def get(self, key: object) -> Recipe | None:
        """What was made up before."""
        return self._kept.get(key)

    def keep(self, key: object, recipe: Recipe) -> None:
        """Remember it."""
        if len(self._kept) >= self.MOST:
            self._kept.pop(next(iter(self._kept)))
        self._kept[key] = recipe
