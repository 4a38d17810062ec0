"""Names of the build that stand for sizes: bounds of arrays in shared or private memory, and a required block."""

from __future__ import annotations

from collections.abc import Collection

from kernlint.frontends.clang.unknowns import IDENTIFIER
from kernlint.text.patterns import pattern

LENGTH = 64
"""Threads of a block in a row, or elements of an array, where nothing says how many: two warps or more."""

SIDE = 16
"""The same of a block or an array that has the number along two axes: no device has blocks of 64 by 64."""

_SIZES = pattern(r"\breqd_work_group_size(?:__)?\s*\(([^()]*)\)|\b[A-Za-z_]\w*\s*((?:\[[^\[\];{}=]+\]\s*)+)\s*[;,={)]")
_STATEMENT = pattern(r"[;{}]")
_STORED = pattern(r"\b(?:__local|local|__shared__)\b")


def size_names(text: str, given: Collection[str]) -> dict[str, bool]:
    """Those of the names that stand in bounds of shared arrays or in a required block; True: along two axes at once."""
    found: dict[str, bool] = {}
    if not given:
        return found
    for match in _SIZES.finditer(text):
        block, bounds = match.groups()
        if bounds is not None:
            begin = max(
                (at.end() for at in _STATEMENT.finditer(text, max(0, match.start() - 200), match.start())), default=0
            )
            if _STORED.search(text, begin, match.start()) is None:
                continue
        words = IDENTIFIER.findall(block if bounds is None else bounds)
        for name in given:
            if name in words:
                found[name] = found.get(name, False) or words.count(name) > 1
    return found
