"""Directives put into sources for findings that are to stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.source import SourceError, decode
from kernlint.text.pythontext import in_literal, is_python


class IgnoreError(Exception):
    """A file cannot be given directives; the message is one clear line without the path."""


def directive(line: str, codes: Sequence[str], reason: str, mark: str = "//") -> str:
    """The directive that silences ``codes`` on ``line`` when it stands above it, indented like it; ``mark`` begins a
    comment there."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return f"{indent}{mark} kernlint: ignore[{', '.join(codes)}] {reason}"


def mark_at(path: str, data: bytes, start: int) -> str:
    """What begins a comment at byte ``start`` of a file: in a Python program ``#``, but not in the kernels
    that its strings hold."""
    return "#" if is_python(path) and not in_literal(data, start) else "//"


def may_stand_before(line: str) -> bool:
    """Whether a directive may follow ``line``: one behind a backslash would become part of a macro."""
    return not line.rstrip().endswith("\\")


def insert(raw: bytes, codes: Mapping[int, Sequence[str]], reason: str, path: str = "") -> tuple[bytes, list[int]]:
    """The bytes of the file ``path`` with a directive above each line (1-based) of ``codes``, and the lines left out.

    A line is left out when the one before it goes on with a backslash: a comment there would become part of a macro.
    Indentation, line breaks and encoding stay as they are.  Raises :class:`IgnoreError`.
    """
    try:
        text, encoding = decode(raw)
    except SourceError as error:
        raise IgnoreError(str(error)) from None
    if encoding == "utf-16":
        raise IgnoreError("is UTF-16 text; directives are only added to files in UTF-8 or Latin-1")
    lines, data = text.split("\n"), text.encode()
    left_out = []
    for number in sorted(codes, reverse=True):
        line = lines[number - 1]
        if number > 1 and not may_stand_before(lines[number - 2]):
            left_out.append(number)
            continue
        carriage = "\r" if line.endswith("\r") else ""
        start = len("".join(f"{before}\n" for before in lines[: number - 1]).encode())
        mark = mark_at(path, data, start)
        lines.insert(number - 1, directive(line, codes[number], reason, mark) + carriage)
    try:
        return "\n".join(lines).encode(encoding), sorted(left_out)
    except UnicodeEncodeError:
        raise IgnoreError(f"is read as {encoding}, which has no letters for the reason") from None
