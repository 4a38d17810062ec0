"""Arithmetic in floating point as quotients of sums, exactly: what ``(x - low) / (high - low) * n`` is at ``high``.

Numbers are fractions, and so are constants of the program that formulas of numbers give; arguments, data and calls are
atoms.  Rounding is left out.
"""

from __future__ import annotations

import struct
from fractions import Fraction

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Binary, Cast, Expr, FloatLit, IntLit, Ref, Unary, VarDecl
from kernlint.tree.types import FloatType, IntType, Space

TERMS = 24
"""Terms of a sum; with more a quotient is given up."""

Sum = dict[tuple[Term, ...], Fraction]
"""A sum of products of atoms, each times a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """``above / below``."""

    above: Sum
    below: Sum

    def __sub__(self, other: Ratio) -> Ratio:
        above = _added(_times(self.above, other.below), _times(other.above, self.below), -1)
        return Ratio(above, _times(self.below, other.below))

    @property
    def value(self) -> Fraction | None:
        """The number that this is."""
        if not self.above:
            return Fraction(0)
        mono, below = next(iter(self.below.items()))
        by = self.above.get(mono, Fraction(0)) / below
        return by if _alike(self.above, self.below, by) else None

    def split(self, atom: Term) -> tuple[Sum, Sum] | None:
        """(factor, rest) of an atom above, where it stands there once in each product and nowhere below."""
        factor: Sum = {}
        rest: Sum = {}
        if any(atom in mono for mono in self.below):
            return None
        for mono, value in self.above.items():
            if mono.count(atom) > 1:
                return None
            left = list(mono)
            if atom in mono:
                left.remove(atom)
            (factor if atom in mono else rest)[tuple(left)] = value
        return (factor, rest) if factor else None


def _alike(one: Sum, other: Sum, by: Fraction) -> bool:
    return bool(by) and one.keys() == other.keys() and all(one[mono] == other[mono] * by for mono in one)


def _added(one: Sum, other: Sum, sign: int = 1) -> Sum:
    out = dict(one)
    for mono, value in other.items():
        total = out.get(mono, Fraction(0)) + sign * value
        if total:
            out[mono] = total
        else:
            out.pop(mono, None)
    return out


def _times(one: Sum, other: Sum) -> Sum:
    out: Sum = {}
    for a, x in one.items():
        for b, y in other.items():
            mono = tuple(sorted((*a, *b), key=id))
            total = out.get(mono, Fraction(0)) + x * y
            if total:
                out[mono] = total
            else:
                out.pop(mono, None)
    return out


_ONE: Sum = {(): Fraction(1)}


def ratio(term: Term) -> Ratio | None:
    """A term as a quotient of sums; None where it gets too long, or is divided by nothing."""
    value = term.args[0] if term.op == "const" else None
    if isinstance(value, (int, float)):
        whole = Fraction(value) if value == value and abs(value) != float("inf") else None
        if isinstance(value, float) and whole is not None:
            whole = _meant(value)
        return None if whole is None else Ratio({(): whole} if whole else {}, _ONE)
    if term.op == "cast" and (isinstance(term.type, FloatType) or isinstance(term.args[0].type, IntType)):
        return ratio(term.args[0])
    if term.op == "neg":
        inner = ratio(term.args[0])
        return None if inner is None else Ratio(_times(inner.above, {(): Fraction(-1)}), inner.below)
    kept = isinstance(term.type, FloatType) or term.op != "div"
    if term.op in ("add", "sub", "mul", "div") and kept:
        left, right = (ratio(part) for part in term.args)
        if left is None or right is None:
            return None
        made = _made(term.op, left, right)
        return made if made is not None and len(made.above) + len(made.below) <= TERMS else None
    named = _named(term)
    if named is not None:
        return named
    return Ratio({(term,): Fraction(1)}, _ONE) if isinstance(term.type, (IntType, FloatType)) else None


def _named(term: Term) -> Ratio | None:
    """What a constant of the program is, by the formula that stands in the source."""
    symbol = term.symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return None
    root = symbol.origin[0]
    decl = root.decl if isinstance(root, Root) and root.kind is RootKind.VARIABLE and not root.path else None
    fixed = decl is not None and (decl.const or root.space is Space.CONSTANT) and not decl.volatile
    return _written(decl.init, 0) if fixed and decl is not None and isinstance(decl.type, FloatType) else None


_DEEP = 12
"""Levels of a formula that are looked at."""


def _written(expr: Expr | None, deep: int) -> Ratio | None:
    """A formula of numbers as a quotient; quotients of whole numbers are not followed."""
    if isinstance(expr, (IntLit, FloatLit)):
        return ratio(Term("const", (expr.value,), expr.type))
    if deep > _DEEP:
        return None
    if isinstance(expr, Ref):
        return _written(expr.decl.init, deep + 1) if isinstance(expr.decl, VarDecl) and expr.decl.const else None
    if isinstance(expr, Cast) and (isinstance(expr.type, FloatType) or isinstance(expr.operand.type, IntType)):
        return _written(expr.operand, deep + 1)
    if isinstance(expr, Unary) and expr.op == "-":
        inner = _written(expr.operand, deep + 1)
        return None if inner is None else Ratio(_times(inner.above, {(): Fraction(-1)}), inner.below)
    op = _OPS.get(expr.op) if isinstance(expr, Binary) else None
    if isinstance(expr, Binary) and op is not None and (op != "div" or isinstance(expr.type, FloatType)):
        left, right = _written(expr.lhs, deep + 1), _written(expr.rhs, deep + 1)
        return None if left is None or right is None else _made(op, left, right)
    return None


_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def _made(op: str, left: Ratio, right: Ratio) -> Ratio | None:
    if op == "mul":
        return Ratio(_times(left.above, right.above), _times(left.below, right.below))
    if op == "div":
        return Ratio(_times(left.above, right.below), _times(left.below, right.above)) if right.above else None
    if op == "sub":
        return left - right
    above = _added(_times(left.above, right.below), _times(right.above, left.below))
    return Ratio(above, _times(left.below, right.below))


def _meant(value: float) -> Fraction:
    """The decimal number of few digits that is written where a float, or a double, is."""
    single = value == _single(value)
    for digits in range(1, 9 if single else 17):
        near = f"{value:.{digits}g}"
        if float(near) == value or (single and _single(float(near)) == value):
            return Fraction(near)
    return Fraction(value)


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value


def at(of: Ratio, atom: Term, end: Ratio) -> Ratio | None:
    """What a quotient is with something else in place of an atom that it has once."""
    parts = of.split(atom)
    if parts is None:
        return None
    factor, rest = parts
    return Ratio(_added(_times(factor, end.above), _times(rest, end.below)), _times(of.below, end.below))


def solved(one: Ratio, atom: Term, other: Ratio) -> Ratio | None:
    """The value of an atom for which two quotients are equal, of which the first has it once, and the other not."""
    parts = one.split(atom)
    if parts is None or any(atom in mono for mono in (*other.above, *other.below)):
        return None
    factor, rest = parts
    # factor * x + rest == other * below
    above = _added(_times(other.above, one.below), _times(rest, other.below), -1)
    below = _times(factor, other.below)
    return Ratio(above, below) if below else None


def mentions(of: Ratio, atom: Term) -> bool:
    """Whether an atom, or what it is made of, stands in a quotient."""
    mine = set(symbols(atom))
    return any(mine & set(symbols(part)) for mono in (*of.above, *of.below) for part in mono)
