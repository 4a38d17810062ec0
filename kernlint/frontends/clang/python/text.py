"""Pieces of program text, each with its place in the host file, or with none where a library writes it."""

from __future__ import annotations

from kernlint.record import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """``data``, and where parts of it come from: (start, end, offset in the host file), in order."""

    data: bytes
    places: tuple[tuple[int, int, int], ...] = ()

    def __add__(self, other: Text) -> Text:
        moved = tuple((a + len(self.data), b + len(self.data), at) for a, b, at in other.places)
        return Text(self.data + other.data, self.places + moved)

    def cut(self, start: int, end: int) -> Text:
        """The part from ``start`` to ``end``."""
        places = []
        for low, high, at in self.places:
            first, last = max(low, start), min(high, end)
            if first < last:
                places.append((first - start, last - start, at + first - low))
        return Text(self.data[start:end], tuple(places))

    def split(self) -> list[Text]:
        """The parts between commas outside parentheses and brackets, without space around them; empty ones left out."""
        found, depth, start = [], 0, 0
        for index, char in enumerate(self.data + b","):
            if char in b"([{<":
                depth += 1
            elif char in b")]}>":
                depth -= 1
            elif char == 0x2C and (depth <= 0 or index == len(self.data)):
                part = self.cut(start, index)
                left = len(part.data) - len(part.data.lstrip())
                part = part.cut(left, len(part.data.rstrip()))
                if part.data:
                    found.append(part)
                start = index + 1
        return found


def made(text: str) -> Text:
    """Text that stands nowhere in the host file."""
    return Text(text.encode())


def joined(parts: list[Text], separator: str = "") -> Text:
    """``parts`` one behind the other."""
    out = Text(b"")
    for index, part in enumerate(parts):
        out = out + made(separator) + part if index else part
    return out
