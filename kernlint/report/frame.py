"""Code frames: source lines with the places that matter underlined and labelled."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from kernlint.record import dataclass
from kernlint.report.console import Line, cell, cells
from kernlint.result import Sources
from kernlint.source import SourceFile, Span

TAB = 4
"""Columns to which a tab advances in a frame."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to underline: the finding's own (``primary``, with carets) or a related one (with tildes)."""

    span: Span
    label: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class _Placed:
    """A mark on its line: columns ``start`` to ``end`` (0-based, tabs expanded, in terminal cells)."""

    mark: Mark
    line: int
    start: int
    end: int


def frames(marks: Iterable[Mark], sources: Sources, width: int, style: str, names: dict[str, str]) -> Iterator[Line]:
    """The lines of one frame per file, the file of the primary mark first.

    ``width``: columns to fit into; ``style``: how the primary mark is coloured; ``names``: shown paths.
    """
    by_file: dict[str, list[Mark]] = {}
    for mark in sorted(marks, key=lambda m: not m.primary):
        by_file.setdefault(mark.span.file, []).append(mark)
    placed = {file: [_place(mark, sources.get(file)) for mark in group] for file, group in by_file.items()}
    last = max((p.line for group in placed.values() for p in group), default=1)
    gutter = max(len(str(last)), 2)
    bar: Line = ((" " * (gutter + 2) + "|", "blue"),)
    for number, (file, group) in enumerate(placed.items()):
        if number:
            line = min(p.line for p in group)
            yield ((" " * gutter + ":::", "blue"), (f" {names.get(file, file)}:{line}", ""))
        yield bar
        yield from _file_frame(group, sources.get(file), gutter, width, style)
    yield bar


def gutter_of(marks: Iterable[Mark], sources: Sources) -> int:
    """Columns that line numbers of a frame take."""
    return max(2, *(len(str(sources.get(m.span.file).line_of(m.span.start))) for m in marks))


def _file_frame(group: list[_Placed], source: SourceFile, gutter: int, width: int, style: str) -> Iterator[Line]:
    room = max(width - gutter - 4, 20)
    lines = sorted({p.line for p in group})
    previous: int | None = None
    for line in lines:
        if previous is not None and line - previous > 1:
            between = source.line_text(previous + 1)
            if line - previous == 2:
                if between.strip():
                    yield _code(source.cell_of(previous + 1)[1], _crop(_expand(between), 0, 0, room)[0], gutter)
            else:
                yield (("." * 3 + " " * (gutter - 1) + "|", "blue"),)
        here = sorted((p for p in group if p.line == line), key=lambda p: (p.start, not p.mark.primary))
        text = _expand(source.line_text(line))
        shown, shift = _crop(text, min(p.start for p in here), max(p.end for p in here), room)
        yield _code(source.cell_of(line)[1], shown, gutter)
        for place in here:
            yield from _underline(place, shift, cells(shown), gutter, room, style)
        previous = line


def _code(line: int, text: str, gutter: int) -> Line:
    return ((f" {line:>{gutter}} | ", "blue"), (text, ""))


def _underline(place: _Placed, shift: int, shown: int, gutter: int, room: int, style: str) -> Iterator[Line]:
    start = max(place.start - shift, 0)
    length = max(min(place.end - shift, max(shown, start + 1)) - start, 1)
    look = style if place.mark.primary else "cyan"
    mark = ("^" if place.mark.primary else "~") * length
    bar = " " * (gutter + 2) + "| "
    label = place.mark.label
    free = room - start - length - 1
    if cells(label) <= free:
        yield ((bar, "blue"), (" " * start + mark, look), (f" {label}" if label else "", look))
        return
    yield ((bar, "blue"), (" " * start + mark, look))
    indent = start if room - start >= 32 else min(start, max(room - 48, 0))
    for part in textwrap.wrap(label, max(room - indent, 16), break_long_words=False, break_on_hyphens=False):
        yield ((bar, "blue"), (" " * indent + part, look))


def _place(mark: Mark, source: SourceFile) -> _Placed:
    line = source.line_of(mark.span.start)
    begin = source.line_starts[line - 1]
    text = source.line_text(line)
    head = source.data[begin : mark.span.start].decode("utf-8", "replace")
    if source.line_of(max(mark.span.end - 1, mark.span.start)) == line:
        inner = source.data[mark.span.start : mark.span.end].decode("utf-8", "replace")
    else:
        inner = text[len(head) :].rstrip()  # a place over several lines is marked on its first one
    start = cells(_expand(head))
    return _Placed(mark, line, start, max(start + 1, cells(_expand(head + inner.rstrip("\r\n")))))


def _expand(text: str) -> str:
    """Tabs to spaces; control characters, which could drive the terminal, to a visible stand-in."""
    out = []
    column = 0
    for character in text:
        if character == "\t":
            step = TAB - column % TAB
            out.append(" " * step)
            column += step
        else:
            character = character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
            out.append(character)
            column += cell(character)
    return "".join(out)


def _crop(text: str, start: int, end: int, room: int) -> tuple[str, int]:
    """The part of ``text`` to show and how many columns it is shifted left: all of it, or a window of ``room``
    columns around columns ``start`` to ``end``."""
    text = text.rstrip()
    if cells(text) <= room:
        return text, 0
    left = 0 if end + 2 <= room else max(0, min(start - 12, end - room // 2))
    if start < left:
        left = start
    shown: list[str] = []
    column = used = 0
    for character in text:
        if column >= left:
            if used + cell(character) > room - 1:
                shown.append("…")
                break
            shown.append(character)
            used += cell(character)
        column += cell(character)
    if left and shown:
        shown[0] = "…"
    return "".join(shown), left
