"""Uses of macros that look at a runtime's errors in some build, though not in this one.

``#define CHECK() look(cudaGetLastError())`` under an ``#ifdef`` and ``#define CHECK()`` under its ``#else``: the tree
has nothing where ``CHECK()`` stands, and the text says that somebody looks.  So may somebody where the other definition
calls a function of the program (``#define CHECK(text) leave_on_error(text)``): what that does stands elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernlint.source import Span
from kernlint.text.patterns import pattern

_RUNTIME = pattern(rb"<<<|\b(?:cuda|hip)[A-Z]")
_DEFINED = pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\([^)\n]*\))?)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_EMPTY = pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\([^)\n]*\)[ \t]*(?://[^\n]*)?\r?$", re.MULTILINE)
_CALLS = pattern(rb"(?<![\w.>])([A-Za-z_]\w*)[ \t]*\(")
_LIBRARY = pattern(
    rb"if|while|for|switch|return|sizeof|defined|do|(?:std|f|s|sn|v|vf)?printf|puts|fputs|putchar|fflush|assert|time"
    rb"|clock|memset|memcpy|malloc|free|exit|abort|static_cast|cout|cerr"
)
_LOOKS = pattern(rb"\b(?:cuda|hip)(?:Get|PeekAt)LastError\b|\b(?:cuda|hip)(?:Device|Stream|Thread)Synchronize\b")


def left_out_checks(text: bytes, path: str, headers: Iterable[bytes]) -> Iterator[Span]:
    """Where the source ``text`` uses macros that have several definitions, some of which look at errors.

    ``headers``: the texts of the files that it includes.
    """
    if _RUNTIME.search(text) is None:
        return
    several: set[bytes] = set()
    for each in (text, *headers):
        if b"define" not in each:
            continue
        empty = set(_EMPTY.findall(each))
        if not empty and _LOOKS.search(each) is None:
            continue
        looks: dict[bytes, list[bool]] = {}
        for name, _, body in _DEFINED.findall(each):
            asks = _LOOKS.search(body) is not None or (name in empty and _of_the_program(body))
            looks.setdefault(name, []).append(asks)
        several.update(name for name, found in looks.items() if any(found) and not all(found))
    if not several:
        return
    directive = rb"^[ \t]*#[ \t]*(?:define|undef|ifn?def|if|elif)\b[^\n]*"
    uses = re.compile(directive + rb"|\b(" + b"|".join(sorted(several)) + rb")\b", re.MULTILINE)
    for use in uses.finditer(text):
        if use.group(1):
            yield Span(path, *use.span())


def _of_the_program(body: bytes) -> bool:
    """Whether what a macro stands for calls a function that is none of the language's library."""
    return any(_LIBRARY.fullmatch(name) is None for name in _CALLS.findall(body))
