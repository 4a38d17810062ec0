"""Polynomial normal form of terms over mathematical integers.

Exact for ``+ - *``, negation, shifts left by constants, signed quotients of multiples of a constant by it, masks
that clear low bits alone and value-keeping conversions, *as long as nothing wraps*;
every other operation is an atom, so two occurrences of the same quotient cancel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from kernlint.symbolic.terms import Symbol, Term, binary, cast, const, symbols
from kernlint.tree.types import I64, IntType

Monomial = tuple[Term, ...]
"""A product of atoms (symbols, or terms that are no polynomials), sorted."""

Atom = TypeVar("Atom")
"""What a monomial is a product of."""


def divided(mono: tuple[Atom, ...], by: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """The quotient of two monomials, or None."""
    if not by:
        return mono
    rest = list(mono)
    for atom in by:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


class Polynomial:
    """A sum of integer multiples of monomials; zero coefficients are not kept."""

    __slots__ = ("coefficients",)

    def __init__(self, coefficients: dict[Monomial, int]) -> None:
        self.coefficients = {mono: value for mono, value in coefficients.items() if value}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.coefficients == other.coefficients

    def __hash__(self) -> int:
        return hash(frozenset(self.coefficients.items()))

    def __add__(self, other: Polynomial) -> Polynomial:
        return self._plus(other, 1)

    def __neg__(self) -> Polynomial:
        return self.scaled(-1)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self._plus(other, -1)

    def _plus(self, other: Polynomial, factor: int) -> Polynomial:
        out = dict(self.coefficients)
        for mono, value in other.coefficients.items():
            total = out.get(mono, 0) + value * factor
            if total:
                out[mono] = total
            else:
                del out[mono]
        return _made(out)

    def __mul__(self, other: Polynomial) -> Polynomial:
        out: dict[Monomial, int] = {}
        for a, x in self.coefficients.items():
            for b, y in other.coefficients.items():
                mono = tuple(sorted((*a, *b), key=_order)) if a and b else a or b
                out[mono] = out.get(mono, 0) + x * y
        return Polynomial(out)

    def scaled(self, factor: int) -> Polynomial:
        """This polynomial times ``factor``."""
        return _made({mono: value * factor for mono, value in self.coefficients.items()} if factor else {})

    @property
    def constant(self) -> int | None:
        """The value of a polynomial without atoms, else None."""
        if not self.coefficients:
            return 0
        return self.coefficients[()] if len(self.coefficients) == 1 and () in self.coefficients else None

    @property
    def atoms(self) -> set[Term]:
        """All atoms that occur."""
        return {atom for mono in self.coefficients for atom in mono}

    def degree_of(self, symbol: Symbol) -> int:
        """Highest power in which ``symbol`` occurs as an atom."""
        return max((mono.count(symbol.term) for mono in self.coefficients), default=0)

    def coefficient(self, symbol: Symbol) -> Polynomial | None:
        """The factor of ``symbol``; None when the polynomial is not affine in it (also hidden in an atom)."""
        out: dict[Monomial, int] = {}
        for mono, value in self.coefficients.items():
            count = mono.count(symbol.term)
            if count > 1:
                return None
            rest = list(mono)
            if count:
                rest.remove(symbol.term)
            if any(atom.op != "sym" and any(s is symbol for s in symbols(atom)) for atom in rest):
                return None
            if count:
                out[tuple(rest)] = value
        return Polynomial(out)

    def without(self, chosen: Iterable[Symbol]) -> Polynomial:
        """The part that has none of the ``chosen`` symbols as atoms of its monomials."""
        terms = {symbol.term for symbol in chosen}
        return Polynomial({m: c for m, c in self.coefficients.items() if not terms.intersection(m)})

    def __repr__(self) -> str:
        if not self.coefficients:
            return "0"
        text = ""
        for mono, value in sorted(self.coefficients.items(), key=lambda each: each[1] < 0):  # what is added comes first
            factors = ([str(abs(value))] if abs(value) != 1 or not mono else []) + [repr(atom) for atom in mono]
            sign = (" - " if value < 0 else " + ") if text else "-" if value < 0 else ""
            text += sign + "*".join(factors)
        return text


def _made(coefficients: dict[Monomial, int]) -> Polynomial:
    """A polynomial of coefficients none of which is zero."""
    made = object.__new__(Polynomial)
    made.coefficients = coefficients
    return made


def _order(term: Term) -> tuple[str, int]:
    return (term.args[0].name if term.op == "sym" else f"~{term.op}", hash(term))


def number(value: int) -> Polynomial:
    """The constant polynomial ``value``."""
    return _made({(): value} if value else {})


def term_of(poly: Polynomial) -> Term:
    """A term of 64-bit integers for ``poly``."""
    total = const(0, I64)
    for mono, value in poly.coefficients.items():
        product = const(value, I64)
        for atom in mono:
            product = binary("mul", product, cast(atom, I64), I64)
        total = binary("add", total, product, I64)
    return total


LIMIT = 64
"""Products of more monomials than this are kept as an atom."""


def _cleared(mask: int | None, kind: IntType) -> int:
    """How many low bits a mask clears that keeps all others (``x & ~511`` is ``(x >> 9) * 512``); 0 for others."""
    if mask is None:
        return 0
    low = -mask if mask < 0 else (1 << kind.bits) - mask
    return low.bit_length() - 1 if 1 < low < 1 << (kind.bits - 1) and low & (low - 1) == 0 else 0


def polynomial(term: Term) -> Polynomial:
    """Normal form of an integer ``term``, on the premise that no operation in it wraps; not to be changed."""
    done: Polynomial | None = term.form
    if done is None:
        done = term.form = _polynomial(term)
    return done


def _polynomial(term: Term) -> Polynomial:
    op = term.op
    if op == "const":
        return number(term.args[0])
    if op == "add":
        added = term.args[1]
        kind = term.type
        if added.op == "const" and isinstance(kind, IntType) and not kind.signed and added.args[0] > kind.high // 2:
            # ``i - 1`` of an unsigned i: the constant is a subtraction in disguise.
            return polynomial(term.args[0]) + number(added.args[0] - kind.high - 1)
        return polynomial(term.args[0]) + polynomial(added)
    if op == "sub":
        return polynomial(term.args[0]) - polynomial(term.args[1])
    if op == "neg":
        return -polynomial(term.args[0])
    if op == "mul":
        a, b = polynomial(term.args[0]), polynomial(term.args[1])
        if len(a.coefficients) * len(b.coefficients) <= LIMIT:
            return a * b
    if op == "shl" and term.args[1].op == "const":
        return polynomial(term.args[0]).scaled(1 << term.args[1].args[0])
    if op == "and" and isinstance(term.type, IntType):
        for value, mask in (term.args, term.args[::-1]):
            bits = _cleared(mask.value, term.type)
            if bits:
                return _made({(binary("shr", value, const(bits, term.type), term.type),): 1 << bits})
    if op == "cast" and isinstance(term.type, IntType) and isinstance(term.args[0].type, IntType):
        return polynomial(term.args[0])
    if op == "div" and isinstance(term.type, IntType) and term.type.signed:
        by, over = term.args[1].value or 0, polynomial(term.args[0])
        if by > 0 and all(value % by == 0 for value in over.coefficients.values()):
            return _made({mono: value // by for mono, value in over.coefficients.items()})
    return _made({(term,): 1})
