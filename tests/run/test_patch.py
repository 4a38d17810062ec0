"""Edits made on a text, places afterwards, and bytes in the file's own encoding."""

from __future__ import annotations

import pytest

from kernlint.finding import Edit
from kernlint.run.patch import Patch, PatchError, changed_lines, encoded, patch
from kernlint.source import SourceFile, Span, decode


def edit(start: int, end: int, text: str, file: str = "a.cu") -> Edit:
    return Edit(Span(file, start, end), text)


def made(data: bytes, *edits: Edit) -> Patch:
    return patch(SourceFile("a.cu", data), edits)


def test_edits_are_made_in_order_of_place() -> None:
    change = made(b"abcdef", edit(4, 5, "EE"), edit(1, 2, ""), edit(2, 2, "x"))
    assert change.apply(b"abcdef") == b"axcdEEf"
    assert change.regions == ((1, 1), (1, 2), (4, 6))


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([edit(0, 3, "x"), edit(2, 4, "y")], "overlap"),
        ([edit(1, 1, "x"), edit(1, 1, "y")], "overlap"),
        ([edit(3, 9, "")], "outside"),
        ([edit(2, 1, "")], "outside"),
        ([edit(0, 1, "x", "b.cu")], "of b.cu"),
        ([edit(0, 1, "a")], "nothing"),
        ([], "nothing"),
    ],
)
def test_what_does_not_fit_is_refused(edits: list[Edit], why: str) -> None:
    with pytest.raises(PatchError, match=why):
        made(b"abcdef", *edits)


def test_no_edit_cuts_a_character() -> None:
    data = "aéb".encode()
    with pytest.raises(PatchError, match="character"):
        made(data, edit(2, 2, "x"))
    assert made(data, edit(3, 3, "x")).apply(data) == "aéxb".encode()


def test_line_breaks_are_those_of_the_text() -> None:
    assert made(b"a\r\nb\r\n", edit(3, 3, "x\ny\n")).apply(b"a\r\nb\r\n") == b"a\r\nx\r\ny\r\nb\r\n"
    assert made(b"a\nb\n", edit(2, 2, "x\r\n")).apply(b"a\nb\n") == b"a\nx\nb\n"


@pytest.mark.parametrize(
    ("place", "there"),
    [
        ((0, 2), (0, 2)),  # before everything
        ((3, 5), (5, 7)),  # behind an insertion at its start
        ((1, 3), (1, 3)),  # what is inserted at its end stays outside
        ((5, 7), (7, 10)),  # it is what is replaced
        ((6, 9), (7, 12)),  # it begins inside of what is replaced
        ((8, 9), (11, 12)),
    ],
)
def test_places_move_along(place: tuple[int, int], there: tuple[int, int]) -> None:
    change = made(b"0123456789", edit(3, 3, "ab"), edit(5, 7, "xyz"))
    moved = change.moved(Span("a.cu", *place))
    assert (moved.start, moved.end) == there
    assert change.moved(Span("b.cu", *place)) == Span("b.cu", *place)


@pytest.mark.parametrize("raw", ["ä\n".encode(), b"\xef\xbb\xbf" + "ä\n".encode(), "ä\n".encode("latin-1")])
@pytest.mark.parametrize("mark", [b"", b"\xff\xfe", b"\xfe\xff"])
def test_bytes_come_back_in_their_encoding(raw: bytes, mark: bytes) -> None:
    if mark:
        raw = mark + "ä\n".encode("utf-16-le" if mark == b"\xff\xfe" else "utf-16-be")
    text, encoding = decode(raw)
    assert encoded(text.encode(), encoding, raw) == raw


def test_letters_that_an_encoding_lacks_are_refused() -> None:
    with pytest.raises(PatchError, match="latin-1"):
        encoded("€".encode(), "latin-1", b"\xe4")


def test_changed_lines_say_where() -> None:
    source = SourceFile("a.cu", b"a\nb\nc\n")
    assert changed_lines(source, [edit(2, 3, "B"), edit(6, 6, "d\n")]) == [(2, "-", "b"), (2, "+", "B"), (4, "+", "d")]
    assert changed_lines(source, [edit(2, 30, "B")]) == []
