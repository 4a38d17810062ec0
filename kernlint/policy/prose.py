"""Comments as running text, and the code that stands before one in its line, for all that is read from comments."""

from __future__ import annotations

import re

from kernlint.text.patterns import pattern

MARK = pattern(r"^[ \t]*(?://[/!]?|/\*+!?|\*+(?!/)|#+)[ \t]?|\*+/[ \t]*$", re.M)
"""What makes lines a comment."""
MARK_BEHIND = pattern(r"^[ \t]*(?://[/!]?<?|/\*+!?<?|\*+(?!/)|#+)[ \t]?|\*+/[ \t]*$", re.M)
"""The same, with Doxygen's sign for what stands before it (``//!<``)."""
POINTER = pattern(r"\*\s*(?:(?:const|restrict|__restrict__|__restrict)\s+)*([A-Za-z_]\w*)\s*(?=[,;)]|$)")
"""A pointer that is declared."""


def prose(text: str, mark: re.Pattern[str] = MARK) -> str:
    """A comment in one line, without its marks."""
    return " ".join(mark.sub("", text).split())


def line_before(data: bytes, start: int) -> bytes:
    """The code before a place in its line."""
    return data[data.rfind(b"\n", 0, start) + 1 : start]
