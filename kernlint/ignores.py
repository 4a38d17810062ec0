"""Directives put into sources for findings that are to stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.source import SourceError, decode


class IgnoreError(Exception):
    """A file cannot be given directives; the message is one clear line without the path."""


def directive(line: str, codes: Sequence[str], reason: str) -> str:
    """The directive that silences ``codes`` on ``line`` when it stands above it, indented like it."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return f"{indent}// kernlint: ignore[{', '.join(codes)}] {reason}"


def may_stand_before(line: str) -> bool:
    """Whether a directive may follow ``line``: one behind a backslash would become part of a macro."""
    return not line.rstrip().endswith("\\")


def insert(raw: bytes, codes: Mapping[int, Sequence[str]], reason: str) -> tuple[bytes, list[int]]:
    """The bytes of a file with a directive above each of the lines (1-based) of ``codes``, and the lines left out.

    A line is left out when the one before it goes on with a backslash: a comment there would become part of a macro.
    Indentation, line breaks and encoding stay as they are.  Raises :class:`IgnoreError`.
    """
    try:
        text, encoding = decode(raw)
    except SourceError as error:
        raise IgnoreError(str(error)) from None
    if encoding == "utf-16":
        raise IgnoreError("is UTF-16 text; directives are only added to files in UTF-8 or Latin-1")
    lines = text.split("\n")
    left_out = []
    for number in sorted(codes, reverse=True):
        line = lines[number - 1]
        if number > 1 and not may_stand_before(lines[number - 2]):
            left_out.append(number)
            continue
        carriage = "\r" if line.endswith("\r") else ""
        lines.insert(number - 1, directive(line, codes[number], reason) + carriage)
    try:
        return "\n".join(lines).encode(encoding), sorted(left_out)
    except UnicodeEncodeError:
        raise IgnoreError(f"is read as {encoding}, which has no letters for the reason") from None
