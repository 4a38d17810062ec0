"""Statements of Python 2 in today's spelling, in as many characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

_PRINT = pattern(r"(^[ \t]*|[:;][ \t]*)print(?=[ \t]*[\"'\w`(-])[ \t]", re.MULTILINE)
_PRINT_TO = pattern(r"(^[ \t]*|[:;][ \t]*)print([ \t]*)>>", re.MULTILINE)
_EXEC = pattern(r"(^[ \t]*|[:;][ \t]*)exec[ \t](?=[ \t]*[\"'\w])", re.MULTILINE)
_EXCEPT = pattern(r"^([ \t]*except[ \t]+[\w.]+|[ \t]*except[ \t]*\([^()\n]*\)),([ \t]*\w+[ \t]*:)", re.MULTILINE)
_RAISE = pattern(r"((?:^|[:;])[ \t]*raise[ \t]+[\w.]+),", re.MULTILINE)
_LONG = pattern(r"(?<=\d)[lL]\b")
_WORDS = pattern(
    r"""(?P<kept>\#[^\n]*|\"{3}(?s:\\.|.)*?\"{3}|'{3}(?s:\\.|.)*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"""
    r"|<>|`(?P<shown>[^`\n]*)`|(?<![\w.])(?<![eE][-+])(?P<octal>0)(?=[0-7]+(?![\w.]))|\b(?P<unicode>[uU])(?=[rR][\"'])"
    r"|(?P<lambda>\blambda[ \t]*)\((?P<names>[^()\n]*)\)(?=[ \t]*:)"
)
"""Words that are no longer Python's, outside of comments and strings, which may be programs of their own."""


def spellings(text: str) -> Iterator[str]:
    """A text as it is, then as Python 2 would have to be written today."""
    yield text
    text = _PRINT.sub(r"\1print,", text)
    text = _PRINT_TO.sub(r"\1print,\2 ", text)
    text = _EXEC.sub(r"\1exec,", text)
    text = _EXCEPT.sub(r"\1.\2", text)
    text = _RAISE.sub(r"\1<", text)
    text = _LONG.sub(" ", text)
    yield _WORDS.sub(_today, text)


def _today(match: Match[str]) -> str:
    """``!=`` for ``<>``, parentheses for backquotes and none around the parameters of a ``lambda``, a name for an octal
    number, which says nothing of it, and ``r"`` for ``ur"``."""
    if (kept := match["kept"]) is not None:
        return kept
    if (shown := match["shown"]) is not None:
        return f"({shown})"
    if (names := match["names"]) is not None:
        return f"{match['lambda']} {names} "
    return "_" if match["octal"] else " " if match["unicode"] else "!="
