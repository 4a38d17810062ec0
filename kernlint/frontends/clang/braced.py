"""Braces in the configuration of a launch: ``kernel<<<{columns, rows}, {32, 8}>>>(...)``.

CUDA's own compiler takes a braced list for the ``dim3`` there, clang does not and drops the launch.  Clang is given
parentheses instead, one byte for one byte, so that every offset stays: ``(columns, rows)`` is an expression with
commas, and the lowering, which has the text as it was written, reads its operands as the list.
"""

from __future__ import annotations

from kernlint.text.patterns import pattern

_CONFIGURATION = pattern(rb"<<<([^;]*?)>>>")
_OPENS = {b"("[0], b"["[0], b"{"[0]}
_CLOSES = {b")"[0], b"]"[0], b"}"[0]}


def parenthesised(text: bytes) -> bytes:
    """``text`` with parentheses for the braces around a grid or block of a launch; as long as it was."""
    if b"<<<" not in text:
        return text
    out: bytearray | None = None
    for match in _CONFIGURATION.finditer(text):
        if b"{" not in match[1]:
            continue
        for start, end in _lists(text, *match.span(1)):
            out = bytearray(text) if out is None else out
            out[start : start + 1], out[end : end + 1] = b"(", b")"
    return bytes(out) if out is not None else text


def _lists(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Where the braced arguments between ``start`` and ``end`` open and close; empty lists stay as they are."""
    found: list[tuple[int, int]] = []
    depth, opened, fresh = 0, -1, True
    for at in range(start, end):
        byte = text[at]
        if byte in _OPENS:
            if depth == 0 and fresh and byte == b"{"[0]:
                opened = at
            depth += 1
        elif byte in _CLOSES:
            depth -= 1
            if depth == 0 and opened >= 0:
                if text[opened + 1 : at].strip():
                    found.append((opened, at))
                opened = -1
        if not text[at : at + 1].isspace():
            fresh = depth == 0 and byte == b","[0]
    return found
