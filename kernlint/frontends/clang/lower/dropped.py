"""Statements of a block that left neither a node nor an error.

In a template clang drops a call whose operand has a type that it does not know, and says nothing of it there: the error
is at the declaration of the operand.  What shows is the text that no statement of the block covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind
from kernlint.frontends.clang.lower.context import Lowering
from kernlint.text.patterns import pattern

_PASSED = pattern(
    rb"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n\\]*(?:\\\r?\n[^\n\\]*)*|(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')",
    re.DOTALL | re.MULTILINE,
)
"""Comments and directives; what the group holds is kept apart, as strings may look like either."""
_WORD = pattern(rb"[A-Za-z_]\w*")
_NO_STATEMENT = pattern(rb"\s*(?:using|typedef|template|static_assert|namespace|friend|__extension__|_Pragma)\b")
_CONTINUED = pattern(r"\\\r?\n")
_INNERMOST = pattern(r"\{[^{}]*\}")
_LAST_RETURN = pattern(r"[{;]\s*return\b[^;]*;\s*\}")
_RETURNS = pattern(rb"return\b")
MOST = 4096
"""Bytes between two statements that are looked at."""


def dropped(lowering: Lowering, file: str | None, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Whole statements between two places of the main file where the tree has none: from their first word to the
    semicolon."""
    if file != lowering.path or not lowering.broken or not 0 < end - start <= MOST:
        return
    text = lowering.text[start:end]
    if _WORD.search(text) is None or b";" not in text:
        return
    text = _bare(lowering, start, end)
    yield from ((start + at, start + until) for at, until in _statements(text))


def returns(lowering: Lowering, file: str | None, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The statements between two places of the main file, in text that was lost, that return whatever else is so."""
    if file != lowering.path or not 0 < end - start <= MOST or b"return" not in lowering.text[start:end]:
        return
    text = _bare(lowering, start, end + lowering.text.startswith(b";", end))
    for at, until in _statements(text):
        if _RETURNS.match(text, at):
            yield start + at, start + until


def _bare(lowering: Lowering, start: int, end: int) -> bytes:
    """The text between two places, as long, without comments, directives, texts and what another build compiles."""
    text = lowering.text[start:end]
    text = _PASSED.sub(lambda found: (b'"' if found.group(1) else b" ") * len(found.group()), text)
    for first, last in lowering.skipped:
        if first < end and last > start:
            at, until = max(first - start, 0), min(last - start, len(text))
            text = text[:at] + b" " * (until - at) + text[until:]
    return text


def returns_lost(lowering: Lowering, block: Cursor) -> bool:
    """Whether a block out of a macro ends with a return that the compiler has dropped, for a value that it could not
    read: the one innermost block of what the macro stands for."""
    name = _WORD.match(lowering.source(block).encode())
    body = lowering.macro_body(name.group().decode()) if name is not None else ""
    inner = _INNERMOST.findall(_CONTINUED.sub(" ", body))
    if len(inner) != 1 or _LAST_RETURN.search(inner[0]) is None:
        return False
    return not any(
        child.kind in (CursorKind.RETURN_STMT, CursorKind.COMPOUND_STMT) for child in block.walk() if child is not block
    )


def _statements(text: bytes) -> Iterator[tuple[int, int]]:
    """What ends with a semicolon outside of all brackets, and has as many of each closed as it opens."""
    begin, depth = 0, 0
    for at, character in enumerate(text):
        if character in b"([{":
            depth += 1
        elif character in b")]}":
            depth -= 1
            if depth < 0:  # the rest of what a macro stands for
                begin, depth = at + 1, 0
        elif character == 0x3B and depth == 0:
            word = _WORD.search(text, begin, at)
            if word is not None and _NO_STATEMENT.match(text, begin) is None:
                yield begin + len(text[begin:at]) - len(text[begin:at].lstrip()), at
            begin = at + 1
