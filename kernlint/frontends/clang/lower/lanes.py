"""The lanes of a vector that a member names."""

from __future__ import annotations

from kernlint.text.patterns import pattern

SWIZZLE = pattern(r"(?:[xyzw]{1,16}|[rgba]{1,4}|[sS][0-9a-fA-F]{1,16}|lo|hi|even|odd)$")


def lanes_of(name: str, lanes: int) -> tuple[int, ...]:
    """Lane numbers that a vector member selects (``x``, ``s3``, ``lo``, ``xyz``); empty when it is none."""
    if not SWIZZLE.match(name):
        return ()
    room = 4 if lanes == 3 else lanes
    named_halves = {
        "lo": range(room // 2),
        "hi": range(room // 2, room),
        "even": range(0, room, 2),
        "odd": range(1, room, 2),
    }
    if name in named_halves:
        return tuple(named_halves[name])
    if name[0] in "sS" and len(name) > 1:
        return tuple(int(digit, 16) for digit in name[1:])
    order = "rgba" if name[0] in "rgba" else "xyzw"
    return tuple(order.index(letter) for letter in name if letter in order)
