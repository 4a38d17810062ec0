"""Numbers that are taken apart into digits and put together again."""

from __future__ import annotations

from kernlint.analysis.values.products import factors
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import Term, plain


def repacked(inside: Term) -> bool:
    """Whether two digits of a number that 32 bits hold are put together again, closer than they were, and so make no
    larger one: ``(key >> bits) * n + (key & ((1 << bits) - 1))``."""
    parts = _parts(inside)
    low = {plain(arg) for part in parts if part.op == "and" for arg in part.args}
    high = [one for part in parts if part.op == "mul" for one in map(plain, factors(part)) if one.op == "shr"]
    return any(plain(one.args[0]) in low and _in_32_bits(one.args[0]) for one in high)


def _parts(term: Term) -> list[Term]:
    """What is added up."""
    out: list[Term] = []
    stack = [term]
    while stack:
        at = plain(stack.pop())
        if at.op == "add":
            stack.extend(at.args)
        else:
            out.append(at)
    return out


def _in_32_bits(number: Term) -> bool:
    low, high = interval(number)
    return low is not None and high is not None and low >= -(1 << 31) and high < 1 << 32
