"""Comments and string literals of Python programs, told apart without reading the program."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.text.patterns import pattern

_TOKEN = pattern(
    rb"""(?s:\#[^\n]*|\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')""",
)


def is_python(path: str) -> bool:
    """Whether a file is Python by its name; a notebook is taken for it."""
    return path.lower().endswith((".py", ".ipynb"))


def comments(data: bytes) -> Iterator[tuple[int, str]]:
    """Byte offset and text of every comment of the program, not of those in its strings."""
    for match in _TOKEN.finditer(data):
        if match.group().startswith(b"#"):
            yield match.start(), match.group().decode("utf-8", "replace")


def in_literal(data: bytes, offset: int) -> bool:
    """Whether the byte at ``offset`` is inside a string literal."""
    for match in _TOKEN.finditer(data):
        if match.start() >= offset:
            return False
        if offset < match.end():
            return not match.group().startswith(b"#")
    return False
