"""Which other files a Python program was followed into."""

from __future__ import annotations

import os

from kernlint.frontends.python.neighbours import Neighbours

LAST_READ: dict[str, tuple[str, ...]] = {}
"""Other files that were read for the program that was followed last, by its path."""


def note_read(about: str, neighbours: Neighbours) -> None:
    """Keep which files were read for one."""
    whole = os.path.abspath(about)
    known = LAST_READ.get(whole, ())
    LAST_READ.clear()
    LAST_READ[whole] = tuple(dict.fromkeys((*known, *(path for path in neighbours.read if path != whole))))
