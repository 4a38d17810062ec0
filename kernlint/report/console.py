"""Styled lines, turned into plain text, or by rich (imported only then) into coloured text."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TextIO

    from rich.console import Console

Segment = tuple[str, str]
"""Text and its rich style ("" for none)."""

Line = Sequence[Segment]


def wants_color(color: str, to_file: bool = False) -> bool:
    """Whether to colour: ``always``, ``never``, or ``auto``: on a terminal unless ``NO_COLOR`` is set."""
    if color != "auto":
        return color == "always"
    if to_file or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def terminal_width() -> int:
    """Columns to write for: the terminal's, 100 when there is none; between 40 and 200."""
    columns = int(given) if (given := os.environ.get("COLUMNS", "")).isdigit() else 0
    if not columns:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (OSError, ValueError):
            columns = 0
    columns = columns or 100
    return min(max(columns, 40), 200)


def console(color: str, width: int | None = None) -> Console:
    """A rich console on standard output; without colours no line ends in spaces."""
    from rich.console import Console

    def closed() -> NoReturn:
        raise BrokenPipeError

    colored = wants_color(color)
    trimmed: Any = None if colored else Trimmed(sys.stdout)
    out = Console(
        file=trimmed,
        force_terminal=colored or None,
        no_color=not colored,
        width=width or min(terminal_width(), 100),
        highlight=False,
    )
    out.on_broken_pipe = closed  # type: ignore[method-assign]
    return out


class Trimmed(io.TextIOBase):
    """A stream on top of ``out`` that leaves out the spaces at the ends of lines."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._held = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream below."""
        return self._out.encoding

    def isatty(self) -> bool:
        """Whether the stream below is a terminal."""
        return self._out.isatty()

    def write(self, text: str) -> int:
        """Write whole lines; spaces wait for what follows."""
        *lines, last = (self._held + text).split("\n")
        rest = last.rstrip(" ")
        self._held = last[len(rest) :]
        self._out.write("".join(line.rstrip(" ") + "\n" for line in lines) + rest)
        return len(text)

    def flush(self) -> None:
        """Pass on what the stream below holds."""
        self._out.flush()


def to_text(lines: Iterable[Line], colored: bool) -> str:
    """The lines as one string."""
    if not colored:
        return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    target = Console(file=out, force_terminal=True, color_system="standard", width=10_000, highlight=False)
    for line in lines:
        target.print(Text.assemble(*line), soft_wrap=True)
    return out.getvalue()


def cells(text: str) -> int:
    """Columns that ``text`` takes on a terminal."""
    return len(text) if text.isascii() else sum(cell(c) for c in text)


def cell(character: str) -> int:
    """Columns of one character: 0 for a combining mark, 2 for a wide one."""
    import unicodedata  # only where a text is not of plain letters

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
