"""Which other files a Python program was followed into."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # asked of every source, most of which no program of Python reads
    from kernlint.frontends.python.neighbours import Neighbours

LAST_READ: dict[str, tuple[str, ...]] = {}
"""Other files that were read for the programs that were followed last, by their paths."""

KEPT = 64


def note_read(about: str, neighbours: Neighbours) -> None:
    """Keep which files were read for one."""
    whole = os.path.abspath(about)
    known = LAST_READ.get(whole, ())
    while len(LAST_READ) >= KEPT:
        del LAST_READ[next(iter(LAST_READ))]
    LAST_READ[whole] = tuple(dict.fromkeys((*known, *(path for path in neighbours.read if path != whole))))


def files_read(path: str) -> tuple[str, ...]:
    """Other files that the program at a path, the last that was looked at, was followed into."""
    return LAST_READ.get(os.path.abspath(path), ())
