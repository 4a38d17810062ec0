"""Scalars by which bits are taken from an index, and put into one: what they are meant to be.

``x & m`` with a scalar ``m`` keeps the bits of ``x`` that the host says, and ``x | p`` sets bits that ``x`` lacks: it
is ``x + p`` then.  An index that a kernel takes apart and puts together again that way is meant to be another one for
each thread, and whether the numbers make it so, nobody in sight says.  A mask in an address is taken to drop nothing.
Masks that are made in sight, and constants, are what they are.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.scenarios.numbers import pitches, scalar
from kernlint.prove.query import Overlap, Side
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, Term, binary, const
from kernlint.tree.types import BOOL, IntType


def in_addresses(scalars: Sequence[Symbol], query: Overlap) -> list[tuple[Symbol, int]] | None:
    """Values for scalars of addresses: of masks, and as :func:`pitches` gives them to others; None when there are too
    many."""
    kept = _masks(query.a.offset) | _masks(query.b.offset)
    others = pitches([symbol for symbol in scalars if symbol not in kept], query)
    return None if others is None else [*others, *((symbol, _ones(symbol)) for symbol in scalars if symbol in kept)]


def all_kept(pair: Pair) -> list[Term]:
    """That the scalars which are masks in an address keep all bits."""
    found = sorted(_masks(pair.a.offset) | _masks(pair.b.offset), key=lambda symbol: symbol.serial)
    return [binary("eq", symbol.term, const(_ones(symbol), symbol.type), BOOL) for symbol in found]


def _ones(symbol: Symbol) -> int:
    assert isinstance(symbol.type, IntType)
    return symbol.type.wrap(-1)


@functools.lru_cache(maxsize=1 << 12)
def _masks(term: Term) -> frozenset[Symbol]:
    """The scalars that are masks in an address."""
    found: set[Symbol] = set()
    if term.op == "and" and term.type is not BOOL:
        for mask, other in (term.args, term.args[::-1]):
            while mask.op in ("cast", "not"):
                mask = mask.args[0]
            known = mask.symbol
            if known is not None and scalar(known) and not _said(other):
                found.add(known)
    return frozenset(found.union(*map(_masks, term.terms)))


def with_bits_apart(pair: Pair) -> Pair:
    """A pair where bits that a scalar sets in an address are none of those that stand there already."""
    found = tuple(dict.fromkeys((*_set(pair.a.offset), *_set(pair.b.offset))))
    return replace(pair, a=_under(pair.a, found), b=_under(pair.b, found)) if found else pair


def _under(side: Side, guards: tuple[Term, ...]) -> Side:
    return replace(side, guards=(*side.guards, *guards))


@functools.lru_cache(maxsize=1 << 12)
def _set(term: Term) -> tuple[Term, ...]:
    """That the bits which are set in ``term`` by a scalar were not set before."""
    found: dict[Term, None] = {}
    kind = term.type
    if term.op == "or" and isinstance(kind, IntType) and kind is not BOOL:
        one, other = term.args
        if one.value is None and other.value is None and _said(one) != _said(other):
            found[binary("eq", binary("and", one, other, kind), const(0, kind), BOOL)] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_set(arg)))
    return tuple(found)


def _said(term: Term) -> bool:
    """Whether a number is made of scalars and constants alone."""
    return all(map(scalar, term.symbols))
