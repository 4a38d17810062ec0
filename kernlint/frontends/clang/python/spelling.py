"""Statements of Python 2 in today's spelling, in as many characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.text.patterns import pattern

_PRINT = pattern(r"(^[ \t]*|[:;][ \t]*)print(?=[ \t]*[\"'\w`(-])[ \t]", re.MULTILINE)
_EXCEPT = pattern(r"^([ \t]*except[ \t]+[\w.]+|[ \t]*except[ \t]*\([^()\n]*\)),([ \t]*\w+[ \t]*:)", re.MULTILINE)
_RAISE = pattern(r"^([ \t]*raise[ \t]+[\w.]+),", re.MULTILINE)
_LONG = pattern(r"(?<=\d)[lL]\b")


def spellings(text: str) -> Iterator[str]:
    """A text as it is, then as Python 2 would have to be written today."""
    yield text
    text = _PRINT.sub(r"\1print,", text)
    text = _EXCEPT.sub(r"\1.\2", text)
    text = _RAISE.sub(r"\1<", text)
    yield _LONG.sub(" ", text)
