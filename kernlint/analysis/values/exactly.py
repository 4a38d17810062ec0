"""Ranges of terms in mathematical integers: what a machine's integer would come to if nothing in it wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.analysis.launching.admitted_sizes import upper
from kernlint.symbolic.narrowing import FAR, Narrowing
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Term, plain, subterms
from kernlint.tree.types import IntType

Range = tuple[int, int]


def exact(term: Term, ranges: Narrowing, tested: Mapping[Term, Range] = {}) -> Range:
    """The range of a term if nothing in it wraps.  ``tested``: the bounds that tests give to values as they are."""
    raw: Range | None = None
    op = term.op
    if op in ("add", "sub", "mul"):
        (a, b), (c, d) = (exact(arg, ranges, tested) for arg in term.args)
        if op == "add":
            down = _taken_off(term)
            raw = a + c - down, b + d - down
        elif op == "sub":
            raw = a - d, b - c
        else:
            corners = (a * c, a * d, b * c, b * d)
            raw = min(corners), max(corners)
            for of, times in _undone(term):
                low, high = exact(of, ranges, tested)
                if low >= 0:
                    raw = max(raw[0], 0), min(raw[1], times * high)
    elif op == "neg":
        a, b = exact(term.args[0], ranges, tested)
        raw = -b, -a
    elif op == "select":
        (a, b), (c, d) = (exact(arg, ranges, tested) for arg in term.args[1:])
        raw = min(a, c), max(b, d)
    elif op == "shl" and term.args[1].value is not None:
        a, b = exact(term.args[0], ranges, tested)
        raw = a << term.args[1].value, b << term.args[1].value
    elif op == "shl":
        (a, b), (c, d) = (exact(arg, ranges, tested) for arg in term.args)
        raw = (a << c, b << d) if a >= 0 and c >= 0 and d < 64 else None
    elif op == "div":
        (a, b), (c, d) = (exact(arg, ranges, tested) for arg in term.args)
        raw = (a // d, b // c) if a >= 0 and c > 0 else None
    elif op == "mod":
        (a, b), (_, d) = (exact(arg, ranges, tested) for arg in term.args)
        raw = (0, min(b, d - 1)) if a >= 0 and d > 0 else None  # (what is divided by is a size)
    elif op == "cast" and isinstance(term.args[0].type, IntType):
        raw = exact(term.args[0], ranges, tested)
    if raw is None:
        raw = ranges.of(term)
    kind = term.type
    if term not in tested or not isinstance(kind, IntType):
        return raw
    low, high = tested[term]  # its type is no bound: that it is left is the question
    bottom = max(raw[0], low) if low > kind.low else raw[0]
    top = min(raw[1], high) if high < kind.high else raw[1]
    return min(bottom, top), top  # of values that were chosen too large for the test, those that it lets through


def _undone(product: Term) -> Iterator[tuple[Term, int]]:
    """What a quotient that is multiplied again was taken of, and how often it may be in the product: once in
    ``x / n * n``, and 128 times in ``x / ((n + 127) / 128) * n``, as a size n is no more than 128 to each such tile."""
    for quotient, factor in (product.args, product.args[::-1]):
        part = plain(quotient)
        if part.op != "div":
            continue
        of, divisor = part.args
        tiles = plain(divisor)
        if tiles == plain(factor):
            yield of, 1
        elif tiles.op == "div" and (tile := tiles.args[1].value) is not None and tile > 1:
            rest = polynomial(tiles.args[0]) - polynomial(factor)
            if (more := rest.constant) is not None and more >= tile - 1:
                yield of, tile


def _taken_off(term: Term) -> int:
    """What a sum is read too large by where it takes something off: ``x - 1`` of an unsigned x adds 2**32 - 1."""
    value, kind = term.args[1].value, term.type
    if value is None or not isinstance(kind, IntType) or kind.signed or value <= kind.high // 2:
        return 0
    return kind.high + 1


def groups(place: Term, ranges: Narrowing, facts: Iterable[Term]) -> dict[Term, Range]:
    """The bounds of those parts of a place that number the elements of groups, where a test lets through as many groups
    as a size has: ``group * m`` is below ``n`` where ``group < n / m``, and ``group * m + k`` where ``k < m``."""
    below = [(plain(low), plain(high)) for fact in facts for low, high in upper(fact)]
    quotients = [(group, *high.args) for group, high in below if high.op == "div"]
    parts = [part for part in subterms(place) if part.op in ("add", "mul")] if quotients else []
    out: dict[Term, Range] = {}
    for part in parts:
        for one, other in (part.args, part.args[::-1]):
            product = plain(one) if part.op == "add" else part
            if product.op != "mul" or (part.op == "add" and product not in parts):
                continue
            for factor, size in (product.args, product.args[::-1]):
                for group, whole, of in quotients:
                    if plain(factor) != group or plain(size) != plain(of):
                        continue
                    if part.op == "mul" or (plain(other), plain(size)) in below:
                        out[part] = -FAR, ranges.of(whole)[1]
    return out
