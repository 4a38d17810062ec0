"""Edits carried out on a text, and where its places are afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.finding import Edit
from kernlint.record import dataclass
from kernlint.source import SourceFile, Span


class PatchError(ValueError):
    """Edits do not fit the text or each other; the message says how."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Edits of one file in order, none of which touches what another one replaces."""

    path: str
    edits: tuple[Edit, ...]

    def apply(self, data: bytes) -> bytes:
        """``data`` with the edits made; what they do not replace is kept byte for byte."""
        pieces, at = [], 0
        for edit in self.edits:
            pieces += [data[at : edit.span.start], edit.text.encode()]
            at = edit.span.end
        return b"".join([*pieces, data[at:]])

    def moved(self, span: Span) -> Span:
        """Where ``span`` of the old text is in the new one: an end inside of what was replaced moves to the nearest
        end of its replacement, and what is inserted at an end stays outside."""
        if span.file != self.path:
            return span
        start, end = self._moved(span.start, True), self._moved(span.end, False)
        return Span(span.file, start, max(start, end))

    def _moved(self, offset: int, opening: bool) -> int:
        shift = 0
        for edit in self.edits:
            start, end, length = edit.span.start, edit.span.end, len(edit.text.encode())
            if end < offset or (end == offset and (opening or start < end)):
                shift += length - (end - start)
            elif start < offset:
                return start + shift + (0 if opening else length)
        return offset + shift

    @property
    def regions(self) -> tuple[tuple[int, int], ...]:
        """The byte ranges of the new text that the edits made, empty where they only deleted."""
        found, shift = [], 0
        for edit in self.edits:
            length = len(edit.text.encode())
            found.append((edit.span.start + shift, edit.span.start + shift + length))
            shift += length - (edit.span.end - edit.span.start)
        return tuple(found)


def patch(source: SourceFile, edits: Iterable[Edit]) -> Patch:
    """The patch that ``edits`` of ``source`` are, their line breaks made those of the text.

    Raises :class:`PatchError` for edits of another file, outside of the text, inside a character, that overlap, or that
    change nothing.
    """
    data = source.data
    newline = "\r\n" if data.partition(b"\n")[0].endswith(b"\r") else "\n"
    ordered = sorted(edits, key=lambda edit: (edit.span.start, edit.span.end))
    made: list[Edit] = []
    at = 0
    for edit in ordered:
        start, end = edit.span.start, edit.span.end
        if edit.span.file != source.path:
            raise PatchError(f"an edit is of {edit.span.file}")
        if not 0 <= start <= end <= len(data):
            raise PatchError("an edit is outside of the text")
        if start < at or (made and made[-1].span == edit.span):
            raise PatchError("two edits overlap")
        if any(0x80 <= byte < 0xC0 for byte in (data[start : start + 1] + data[end : end + 1])):
            raise PatchError("an edit cuts a character")
        at = end
        made.append(Edit(edit.span, edit.text.replace("\r\n", "\n").replace("\n", newline)))
    if not any(data[e.span.start : e.span.end] != e.text.encode() for e in made):
        raise PatchError("the edits change nothing")
    return Patch(source.path, tuple(made))


def encoded(data: bytes, encoding: str, raw: bytes) -> bytes:
    """``data`` in the encoding of the file that held ``raw`` (see :func:`kernlint.source.decode`), mark included.

    Raises :class:`PatchError` when the encoding has no letter for something.
    """
    if encoding == "utf-8":
        return data
    if encoding == "utf-8-sig":
        return b"\xef\xbb\xbf" + data
    if encoding == "utf-16":
        mark, name = raw[:2], "utf-16-le" if raw[:2] == b"\xff\xfe" else "utf-16-be"
        return mark + data.decode().encode(name)
    try:
        return data.decode().encode(encoding)
    except UnicodeEncodeError:
        raise PatchError(f"the file is read as {encoding}, which has no letters for what is to be inserted") from None


def changed_lines(source: SourceFile, edits: Sequence[Edit]) -> list[tuple[int, str, str]]:
    """Lines that ``edits`` take away (``-``, with their number in the old text) and put in (``+``, in the new one).

    There are none when the edits do not fit the text, which has changed then.
    """
    import difflib

    try:
        new = patch(source, edits).apply(source.data)
    except PatchError:
        return []
    one, other = (data.decode("utf-8", "replace").splitlines() for data in (source.data, new))
    found: list[tuple[int, str, str]] = []
    for kind, i, k, j, m in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [(number + 1, "-", one[number]) for number in range(i, k)]
            found += [(number + 1, "+", other[number]) for number in range(j, m)]
    return found


def overlap(one: Span, other: Span) -> bool:
    """Whether two places have something in common; an empty one counts where it stands."""
    return one.file == other.file and max(one.start, other.start) <= min(one.end, other.end)
