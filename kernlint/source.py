"""Source text, places in it, and where they really come from.

Every place in kernlint is a pair of byte offsets into the UTF-8 text of one file.  Lines and columns are
computed only when somebody asks: a run that finds nothing never pays for them.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right

from kernlint.record import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range ``[start, end)`` of byte offsets into the UTF-8 text of ``file``.

    ``file`` is the path as the user named it (or an included file's path as the front end opened it).
    A span that stands inside a macro expansion is the place where the macro is *used*.
    """

    file: str
    start: int
    end: int

    def join(self, other: Span) -> Span:
        """The smallest span that covers both; ``self`` when they lie in different files."""
        if other.file != self.file:
            return self
        return Span(self.file, min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Position:
    """A place for people: 1-based ``line``; 1-based ``column`` in characters; ``utf16`` column for SARIF.  In a
    notebook ``line`` is one of the ``cell`` of that number (0: no notebook)."""

    line: int
    column: int
    utf16: int
    cell: int = 0

    @property
    def shown(self) -> str:
        """``12:3``, in a notebook ``cell 4:12:3``."""
        place = f"{self.line}:{self.column}"
        return f"cell {self.cell}:{place}" if self.cell else place


class SourceError(Exception):
    """A file could not be read as text; the message is one clear line without the path."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of one file.

    ``data`` is UTF-8 without a byte-order mark.  ``encoding`` says what the bytes on disk were
    (``utf-8``, ``utf-8-sig``, ``utf-16``, ``latin-1``).  A kernel that stands inside a host string has the
    host's path as ``path`` and its own offset in the host's text as ``base``.  Of a notebook ``data`` is the text
    of its code cells, and ``cells`` has the line at which each begins and its number, both counted from 1.
    """

    path: str
    data: bytes
    encoding: str = "utf-8"
    base: int = 0
    cells: tuple[tuple[int, int], ...] = ()
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    @property
    def line_starts(self) -> list[int]:
        """Byte offset of the first byte of every line (computed once)."""
        starts = self._starts
        if not starts:
            starts.append(0)
            at = self.data.find(b"\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.data.find(b"\n", at + 1)
        return starts

    def line_of(self, offset: int) -> int:
        """1-based line that holds byte ``offset``; offsets past the end give the last line."""
        return bisect_right(self.line_starts, max(offset, 0))

    def position(self, offset: int) -> Position:
        """Line and columns of byte ``offset`` (clamped to the text)."""
        offset = min(max(offset, 0), len(self.data))
        line = self.line_of(offset)
        head = self.data[self.line_starts[line - 1] : offset].decode("utf-8", "replace")
        cell, shown = self.cell_of(line)
        return Position(shown, len(head) + 1, len(head.encode("utf-16-le", "surrogatepass")) // 2 + 1, cell)

    def cell_of(self, line: int) -> tuple[int, int]:
        """The cell that a 1-based line of the text is in, and its number there; 0 and the line in other files."""
        at = bisect_right(self.cells, (line, sys.maxsize)) - 1
        if at < 0:
            return 0, line
        first, cell = self.cells[at]
        return cell, line - first + 1

    def line_text(self, line: int) -> str:
        """Text of the 1-based ``line`` without its line break; empty when there is no such line."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] if line < len(starts) else len(self.data)
        return self.data[starts[line - 1] : end].decode("utf-8", "replace").rstrip("\r\n")

    def text(self, span: Span) -> str:
        """The text under ``span``, whose offsets are taken to be of this file."""
        return self.data[span.start : span.end].decode("utf-8", "replace")


def decode(raw: bytes) -> tuple[str, str]:
    """Text and encoding of ``raw``: BOMs are honoured, then UTF-8, then Latin-1.

    Raises :class:`SourceError` for a binary file (a NUL byte in what is not UTF-16).
    """
    if raw.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise SourceError("UTF-32 text, which is not supported")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16"), "utf-16"
        except UnicodeDecodeError:
            raise SourceError("not valid UTF-16 text in spite of its byte-order mark") from None
    if b"\0" in raw:
        raise SourceError("binary file (it holds a NUL byte)")
    if raw.startswith(b"\xef\xbb\xbf"):
        raw, name = raw[3:], "utf-8-sig"
    else:
        name = "utf-8"
    try:
        return raw.decode("utf-8"), name
    except UnicodeDecodeError:
        return raw.decode("latin-1"), "latin-1"


MAX_BYTES = 64 << 20
"""A source file above this many bytes is refused rather than read into memory."""


def read(path: str) -> SourceFile:
    """Read the file at ``path``.

    Raises :class:`SourceError` with one clear line when it is missing, unreadable, a folder, a device or a
    FIFO, over :data:`MAX_BYTES`, or binary.
    """
    try:
        if os.path.isdir(path):
            raise SourceError("is a folder, not a file")
        if not os.path.isfile(path):
            if os.path.islink(path) and not os.path.exists(path):
                raise SourceError("is a dangling link or a loop of links")
            raise SourceError("is not a regular file" if os.path.exists(path) else "does not exist")
        size = os.path.getsize(path)
        if size > MAX_BYTES:
            raise SourceError(f"is too large ({size} bytes; the limit is {MAX_BYTES})")
        with open(path, "rb") as handle:
            raw = handle.read()
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}") from None
    text, encoding = decode(raw)
    if path.lower().endswith(".ipynb"):
        from kernlint.text import notebook

        try:
            text, cells = notebook.text_of(text)
        except notebook.NotebookError as error:
            raise SourceError(str(error)) from None
        return SourceFile(path, text.encode("utf-8", "replace"), "utf-8", cells=cells)
    return SourceFile(path, raw if encoding == "utf-8" else text.encode("utf-8"), encoding)
