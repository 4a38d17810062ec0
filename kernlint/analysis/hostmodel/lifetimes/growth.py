"""Vectors on the device that grow: their elements move, and pointers to where they were lead nowhere.

``thrust::device_vector`` has the rules of ``std::vector`` ([vector.capacity]): what makes it longer than its capacity
allocates anew and gives the old memory back.  That it does is known where it was made with a size, nothing was reserved
for it, and it is then surely longer.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.model import At, Atom, Fate, Life, Number, Place, State, Thing, Value
from kernlint.tree import nodes as n

SIZE = "#size"
_ADDS = frozenset({"push_back", "emplace_back", "insert"})


def counts(args: list[Value]) -> bool:
    """Whether what a vector is constructed with begins with a number of elements."""
    return bool(args) and isinstance(args[0], (Number, Atom)) and len(args) <= 2


def moved_away(content: Thing, at: Place, e: n.Call, method: str, args: list[Value], s: State, reserved: bool) -> None:
    """Take note of what a method makes of a vector's elements, and of how long it is then.  ``reserved``: somewhere
    room is made ahead."""
    if content.api != "device":
        return
    place = At(at.thing, (*at.path, SIZE))
    before = s.memory.pop(place, None)
    after = args[0] if method in ("resize", "reserve", "assign") and args and not isinstance(args[0], At) else None
    longer = before is not None and (method in _ADDS or (after is not None and _larger(after, before)))
    if longer or (method == "resize" and not reserved and _more_than_there_were(after, content)):
        s.fates[content] = Fate(Life.FREED, False, e.span, f"moved by {method}")
    if method == "resize" and after is not None and not isinstance(after, At):
        s.memory[place] = after


def _more_than_there_were(after: Value | None, content: Thing) -> bool:
    """Whether a number is the size that a vector has, and something more."""
    if not isinstance(after, Atom) or after.op != "+":
        return False
    sizes = [part for part in after.args if isinstance(part, Atom) and part.op == "size" and At(content) in part.args]
    others = [part for part in after.args if part not in sizes]
    return len(sizes) == 1 and not (isinstance(others[0], Number) and others[0].value <= 0)


def _larger(after: Value, before: Value) -> bool:
    """Whether one number is surely larger than another, which is not negative."""
    if isinstance(after, Number) and isinstance(before, Number):
        return after.value > before.value
    if not isinstance(after, Atom) or before not in after.args or len(after.args) != 2:
        return False
    other = after.args[1] if after.args[0] == before else after.args[0]
    more = isinstance(other, Number) and (other.value > 1 if after.op == "*" else other.value > 0)
    return after.op in ("*", "+") and more
