"""What a choice says of the values that it chooses between: ``most < x ? most : x`` is no more than ``most``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.symbolic.terms import Term
from kernlint.tree.types import IntType

Range = tuple[int, int]


def branches(choice: Term, of: Callable[[Term], Range]) -> tuple[Range, Range]:
    """The ranges of both values of a choice, each where it is the one."""
    test, *values = choice.args
    ranges = [of(value) for value in values]
    if test.op in ("lt", "le"):
        low, high = test.args
        for at, value in enumerate(values):
            value, strict = _whole(value), int((test.op == "lt") is (at == 0))
            # The first is chosen where ``low`` is below ``high``, the second where it is not.
            below, above = (low, high) if at == 0 else (high, low)
            least, most = ranges[at]
            if value == _whole(below):
                most = min(most, of(above)[1] - strict)
            elif value == _whole(above):
                least = max(least, of(below)[0] + strict)
            if least <= most:
                ranges[at] = least, most
    return ranges[0], ranges[1]


def as_they_are(term: Term) -> Iterator[Term]:
    """A term, and what it is widened from."""
    yield term
    while term.op == "cast":
        kind, inside = term.type, term.args[0].type
        if not isinstance(kind, IntType) or not isinstance(inside, IntType):
            return
        if inside.low < kind.low or inside.high > kind.high:
            return
        term = term.args[0]
        yield term


def _whole(term: Term) -> Term:
    *_, inner = as_they_are(term)
    return inner
