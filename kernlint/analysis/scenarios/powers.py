"""Arguments that are powers of two by what a kernel makes of them: masks, and halves of halves."""

from __future__ import annotations

import functools

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.paired_halves import paired_lengths
from kernlint.prove.query import Side
from kernlint.symbolic.terms import Symbol, Term, binary, const, is_one_bit
from kernlint.tree.types import BOOL, IntType


def powers(pair: Pair) -> list[Term]:
    """That scalars are powers of two where masks are made of them, or of half of them: ``x & (p / 2 - 1)`` is meant to
    be ``x % (p / 2)``; and so are lengths that loops go through in pairs of halves."""
    masks = dict.fromkeys((*_masks_of(pair.a), *_masks_of(pair.b)))
    lengths = dict.fromkeys((*paired_lengths(pair.a), *paired_lengths(pair.b)))
    return [*map(is_power, masks), *map(_is_power, lengths)]


@functools.lru_cache(maxsize=1 << 10)
def _masks_of(side: Side) -> tuple[Symbol, ...]:
    """The scalars of :func:`powers` in one access and its conditions."""
    return tuple(dict.fromkeys([symbol for term in (side.offset, *side.facts) for symbol in _masks(term)]))


@functools.lru_cache(maxsize=1 << 12)
def _masks(term: Term) -> tuple[Symbol, ...]:
    """The scalars of which some power of two part less 1 is a mask in ``term``."""
    found: dict[Symbol, None] = {}
    if term.op == "and":
        left = list(term.args)
        while left:
            mask = left.pop()
            if mask.op in ("cast", "not", "select"):  # of a choice, either
                left += mask.args[mask.op == "select" :]
                continue
            symbol = _scaled(mask.args[0]) if mask.op == "add" and _is_minus_one(mask.args[1]) else None
            if symbol is not None:
                found[symbol] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_masks(arg)))
    return tuple(found)


def _is_minus_one(term: Term) -> bool:
    return isinstance(term.type, IntType) and term.value in (-1, term.type.wrap(-1))


def _scaled(term: Term) -> Symbol | None:
    """The scalar of which a term is half, a quarter, twice..."""
    while term.op in ("cast", "shl", "shr") or (term.op in ("div", "mul") and is_one_bit(term.args[1].value)):
        term = term.args[0]
    return term.symbol if term.symbol is not None and scalar(term.symbol) else None


def is_power(symbol: Symbol) -> Term:
    """That a scalar is a power of two (or 0)."""
    return _is_power(symbol.term)


def _is_power(term: Term) -> Term:
    less = binary("add", term, const(-1, term.type), term.type)
    return binary("eq", binary("and", term, less, term.type), const(0, term.type), BOOL)
