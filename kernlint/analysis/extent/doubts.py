"""What else than comparisons of a coordinate itself is asked of what it is made of, and may keep it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import Standing, counter_ranges
from kernlint.analysis.extent.places import moves
from kernlint.analysis.extent.wholes import truths_of_wholes
from kernlint.analysis.trace.events import GuardKind
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

OPAQUE = frozenset({SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.UNKNOWN, SymbolKind.TRIPS})
"""What may stand for anything."""

DIGITS = frozenset({"div", "mod", "shr", "and"})


def moving_of(form: Polynomial) -> Polynomial:
    return Polynomial({mono: value for mono, value in form.coefficients.items() if any(map(moves, mono))})


def part_of(form: Polynomial, own: set[Term]) -> Polynomial:
    """What of a sum is made of some of ``own``: the rest is what that is compared with, be it a number from memory."""
    return Polynomial({mono: value for mono, value in form.coefficients.items() if not own.isdisjoint(mono)})


def own_atoms(moving: Polynomial) -> set[Term]:
    return {atom for atom in moving.atoms if moves(atom)}


@lru_cache(maxsize=8192)
def is_digit(atom: Term) -> bool:
    """Whether all that moves in a number are digits of something."""
    if isinstance(atom.type, FloatType):
        return False
    if atom.op in DIGITS:
        return True
    parts = [part for part in atom.terms if moves(part)]
    return bool(parts) and all(map(is_digit, parts))


def asked_else(access: Standing, moving: Polynomial) -> Iterator[Term]:
    """What else than how it compares with what does not move is asked of what a coordinate is made of."""
    own = own_atoms(moving)
    beside = {atom for atom in polynomial(access.offset).atoms if moves(atom)} - own
    inner = frozenset(part for atom in own for part in inside(atom))
    still = _without_known_rounds(access, moving)

    def speaks(part: Term) -> bool:
        return _speaks_of(part, moving) or (still != moving and _speaks_of(part, still))

    known = {
        truth.part
        for truth in truths_of_wholes(access.guards, {*own, *polynomial(access.offset).atoms})
        if own.isdisjoint(truth.left.atoms) or part_of(truth.left, own) in (moving, -moving)
    }
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.kind is not GuardKind.AFTER_LOOP else ():
            about = _about(part)
            if part.op in ("lt", "le") and all(atom in beside for atom in about if moves(atom)):
                continue  # of other coordinates
            if part.op in ("lt", "le") and own & set(about) and speaks(part):
                continue
            kinds = [symbol for atom in about for symbol in symbols(atom)]
            if any(symbol.kind in OPAQUE for symbol in kinds) or any(
                _made_at(symbol.origin, own) for symbol in kinds if symbol.kind is SymbolKind.LOAD
            ):
                yield part
            elif _floating(part):
                if part not in known and not inner.isdisjoint(subterms(part)):
                    yield part  # of the number that a coordinate is the whole part of
            elif all(own.isdisjoint(subterms(atom)) for atom in about):
                continue
            elif guard.kind is not GuardKind.LOOP and not (part.op in ("lt", "le") and speaks(part)):
                yield part


def _floating(part: Term) -> bool:
    """Whether a truth is a comparison in floating point, or the opposite of one."""
    inner = part.args[0] if part.op == "lnot" else part
    return inner.op in ("lt", "le", "eq", "ne") and isinstance(inner.args[0].type, FloatType)


@lru_cache(maxsize=8192)
def inside(atom: Term) -> frozenset[Term]:
    """What data there is in a number that is made of it in floating point: it moves, and with it the number."""
    whole = atom
    while whole.op == "cast" and isinstance(whole.args[0].type, IntType):
        whole = whole.args[0]
    if whole.op != "cast" or not isinstance(whole.args[0].type, FloatType):
        return frozenset()
    return frozenset(part for part in subterms(whole.args[0]) if isinstance(part.type, FloatType) and moves(part))


def _about(part: Term) -> Iterable[Term]:
    """What a truth speaks of: of a comparison, what is not on both of its sides."""
    if part.op in ("lt", "le", "eq", "ne"):
        return (polynomial(part.args[1]) - polynomial(part.args[0])).atoms
    return (part,)


def _made_at(origin: object, own: set[Term]) -> bool:
    """Whether a number in memory stands where what a coordinate is made of says."""
    at = origin[1] if isinstance(origin, tuple) and len(origin) > 1 else None
    return isinstance(at, Term) and not own.isdisjoint(subterms(at))


def _speaks_of(part: Term, moving: Polynomial) -> bool:
    """Whether a comparison is one of a coordinate with what does not move, on either side."""
    form = moving_of(polynomial(part.args[1]) - polynomial(part.args[0]))
    if form in (moving, -moving):
        return True
    sides = [side for arg in part.args for side in (arg.args if arg.op in ("min", "max") else (arg,))]
    return any(moving_of(polynomial(side)) == moving for side in sides)


def _without_known_rounds(access: Standing, moving: Polynomial) -> Polynomial:
    """A sum without the rounds of loops of constant length, which tests of the rest are added up with."""
    ranges = counter_ranges(access)
    return Polynomial(
        {
            mono: value
            for mono, value in moving.coefficients.items()
            if not all(symbol in ranges for atom in mono for symbol in symbols(atom))
        }
    )


def _of_table(term: Term) -> bool:
    symbol = plain(term).symbol
    return symbol is not None and symbol.kind is SymbolKind.LOAD


def of_end(doubts: frozenset[Term], moving: Polynomial, below: bool) -> frozenset[Term]:
    """The truths that may keep a coordinate at an end: not those that keep some of its summands at the other one."""
    return frozenset(part for part in doubts if not _of_other_end(part, moving, below))


def _of_other_end(part: Term, moving: Polynomial, below: bool) -> bool:
    if part.op == "ne":  # of steps, that they lead somewhere
        steps = [side for side in part.args if side.value is None]
        return len(steps) == 1 and (interval(steps[0])[0] or -1) < 0 and _of_table(steps[0])
    if part.op not in ("lt", "le") or isinstance(part.args[0].type, FloatType):
        return False
    form = moving_of(polynomial(part.args[1]) - polynomial(part.args[0]))
    ways = {atom: value > 0 for mono, value in moving.coefficients.items() for atom in mono if moves(atom)}
    found = [(value > 0) is ways[atom] for mono, value in form.coefficients.items() for atom in mono if atom in ways]
    plain_ = all(sum(map(moves, mono)) == 1 for mono in form.coefficients if not own_atoms(moving).isdisjoint(mono))
    return bool(found) and plain_ and set(found) == {not below}
