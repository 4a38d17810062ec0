"""Which integer arguments of a question bound something, and which only stand in addresses."""

from __future__ import annotations

import functools
from collections.abc import Collection

from kernlint.analysis.scenarios.numbers import monomials, scalar
from kernlint.prove.query import Overlap, Side, is_shared
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, Term, symbols

FIRST = 3
"""The value of a scalar that an index only has to be above: with a large one nothing is left of a small launch."""


def scalars(query: Overlap) -> tuple[list[Symbol], list[Symbol]]:
    """Integer arguments of a query: those that bound something, and those that only stand in addresses."""
    ours, theirs = _arguments(query.a), _arguments(query.b)
    known_ = {symbol for symbol, _ in query.launch.values}
    every = dict.fromkeys((*ours.every, *theirs.every))
    free = [symbol for symbol in every if symbol not in known_ and is_shared(symbol, query)]
    bounding = ours.alone | theirs.alone | ((ours.joint | theirs.joint) - (ours.strides | theirs.strides))
    return [s for s in free if s in bounding], [s for s in free if s not in bounding]


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The integer arguments of one access: ``every`` one; those that bound something ``alone``, and in products;
    ``strides``: those by which what moves is multiplied.  ``signs``: of those in comparisons, whether an index has to
    be above them (see :func:`lowest`); ``factors``: those that stand in products or conditions of another kind."""

    every: tuple[Symbol, ...]
    alone: frozenset[Symbol]
    joint: frozenset[Symbol]
    strides: frozenset[Symbol]
    signs: tuple[tuple[Symbol, bool], ...]
    factors: frozenset[Symbol]


@functools.lru_cache(maxsize=1 << 10)
def _arguments(side: Side) -> _Arguments:
    """The arguments of an access: what it adds to questions about all its pairs."""
    alone: set[Symbol] = set()
    joint: set[Symbol] = set()
    signs: dict[tuple[Symbol, bool], None] = {}
    factors: set[Symbol] = set()
    for fact in side.facts:
        for product in _bounding(fact):
            (alone if len(product) == 1 else joint).update(product)
        above, others = _signs(fact)
        signs.update(dict.fromkeys(above))
        factors.update(others)
    strides = {
        atom.args[0] for mono in monomials(side.offset) if any(map(_moves, mono)) for atom in mono if atom.op == "sym"
    }
    every = tuple([symbol for symbol in side.symbols if scalar(symbol)])
    bounds, products = frozenset(alone), frozenset(joint)
    return _Arguments(every, bounds, products, frozenset(strides), tuple(signs), frozenset(factors | strides))


@functools.lru_cache(maxsize=1 << 12)
def _signs(fact: Term) -> tuple[tuple[tuple[Symbol, bool], ...], frozenset[Symbol]]:
    """The symbols that stand by themselves in a comparison, each with whether what threads make is above it, and all
    others of a condition."""
    if fact.op not in ("lt", "le"):
        return (), frozenset(fact.symbols)
    factors: set[Symbol] = set()
    signs: list[tuple[Symbol, bool]] = []
    form = (polynomial(fact.args[0]) - polynomial(fact.args[1])).coefficients
    threads = {value > 0 for mono, value in form.items() if any(map(_moves, mono))}
    for mono, value in form.items():
        if len(mono) == 1 and mono[0].op == "sym":
            signs.append((mono[0].args[0], value > 0 and threads == {False}))
        else:
            factors.update(s for atom in mono for s in symbols(atom))
    return tuple(signs), frozenset(factors)


def lowest(query: Overlap, bounding: Collection[Symbol]) -> dict[Symbol, int]:
    """Values for those of the ``bounding`` arguments that indices have to be above, and that are no bound else."""
    if not bounding:
        return {}
    ours, theirs = _arguments(query.a), _arguments(query.b)
    above = {symbol for one in (ours, theirs) for symbol, is_above in one.signs if is_above}
    above -= {symbol for one in (ours, theirs) for symbol, is_above in one.signs if not is_above}
    return {symbol: FIRST for symbol in bounding if symbol in above and symbol not in ours.factors | theirs.factors}


def _moves(atom: Term) -> bool:
    """Whether a part of an index is not the same for all threads."""
    return not all(map(scalar, symbols(atom)))


@functools.lru_cache(maxsize=1 << 12)
def _bounding(fact: Term) -> tuple[tuple[Symbol, ...], ...]:
    """Products of arguments that stand by themselves on a side of a comparison, or a number of times in it: ``i < n``,
    ``i < rows * columns``, ``i < n / 16``."""
    found: dict[tuple[Symbol, ...], None] = {}
    if fact.op in ("lt", "le"):
        monos = list((polynomial(fact.args[0]) - polynomial(fact.args[1])).coefficients)
        for mono in monos:
            if len(mono) == 1 and mono[0].op == "div" and (mono[0].args[1].value or 0) > 0:
                monos += polynomial(mono[0].args[0]).coefficients
            if mono and all(atom.op == "sym" and scalar(atom.args[0]) for atom in mono):
                found[tuple(atom.args[0] for atom in mono)] = None
    for arg in fact.terms:
        found.update(dict.fromkeys(_bounding(arg)))
    return tuple(found)
