"""Launches with a space in their brackets, ``kernel<< <grid, block>> >(...)``, as some editors put it.

CUDA's own compiler takes that, clang does not.
"""

from __future__ import annotations

from kernlint.text.patterns import pattern

_OPENING = pattern(rb"(?<!<)<< <(?!<)")
_CLOSING = pattern(rb">> >(?=\s*\()")


def joined(text: bytes) -> bytes:
    """``text`` with the three characters side by side and the space after them; as long as it was."""
    if b"<< <" not in text:
        return text
    out: bytearray | None = None
    for match in _OPENING.finditer(text):
        start = match.start()
        if text[max(0, start - 12) : start].rstrip().endswith(b"operator"):
            continue  # `operator<< <int>`
        out = bytearray(text) if out is None else out
        out[start : start + 4] = b"<<< "
    if out is None:
        return text
    for match in _CLOSING.finditer(text):
        out[match.start() : match.end()] = b">>> "
    return bytes(out)
