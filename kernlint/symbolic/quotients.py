"""Whole numbers made of quotients in floating point: ``(int)ceil(n / 256.0)``, ``(unsigned)(0.5f * n)``.

A float made of whole numbers by ``+ - * /`` is a fraction of two whole numbers, and its conversion to an integer is a
division of these, rounded towards zero as C converts (C17 6.3.1.4), down for ``floor``, up for ``ceil``.  That is exact
where the floats are: up to 2**24 for ``float`` and 2**53 for ``double``, more than any size of a launch.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import Term, binary, cast, const
from kernlint.tree.types import BOOL, I64, FloatType, IntType

_DEEP = 8
"""Operations in a float, at most."""

_FINE = 1 << 12
"""Parts that a constant fraction may be of, at most."""

_MANY = 1 << 31

_ROUNDED = {"ceil": "ceil", "ceilf": "ceil", "floor": "floor", "floorf": "floor", "trunc": "trunc", "truncf": "trunc"}

_ENDS = {"min": "min", "fmin": "min", "fminf": "min", "max": "max", "fmax": "max", "fmaxf": "max"}

_Ratio = tuple[Term, Term]
"""Numerator and denominator, the latter above zero."""

_ONE = const(1, I64)


def whole(value: Term, type_: IntType, *, counts: bool) -> Term | None:
    """The conversion of the float ``value`` to ``type_`` in whole numbers; None where it is not made of such.
    ``counts``: what the host computes sizes of: these are not negative."""
    found = _rounded(value, counts, _DEEP)
    return None if found is None else cast(found, type_)


def compared(op: str, left: Term, right: Term) -> Term | None:
    """``left op right`` (``lt``, ``le``, ``eq``, ``ne``) of which a side is a float, in whole numbers; None where a
    side is not made of such."""
    a, b = _ratio(left, False, _DEEP), _ratio(right, False, _DEEP)
    if a is None or b is None:
        return None
    return binary(op, _times(a[0], b[1]), _times(b[0], a[1]), BOOL)


def _rounded(value: Term, counts: bool, deep: int) -> Term | None:
    how = _way(value)
    ratio = _ratio(value.args[1] if how else value, counts, deep)
    if ratio is None:
        return None
    above, below = ratio
    if below.value == 1:
        return above
    low = 0 if counts else interval(above)[0]
    negative = low is None or low < 0
    exact = _divided(above, below, how) if how in ("ceil", "floor") or not negative else None
    if exact is not None or _added(above, below):
        return exact
    if how in ("", "trunc"):
        return binary("div", above, below, I64)
    if how == "ceil":
        above = binary("sub", binary("add", above, below, I64), _ONE, I64)
        if below.value is not None:
            above = binary("add", ratio[0], const(below.value - 1, I64), I64)
    if not negative:
        return binary("div", above, below, I64)
    parts = below.value
    if parts is None or parts & (parts - 1):
        return None
    return binary("shr", above, const(parts.bit_length() - 1, I64), I64)


def _added(above: Term, below: Term) -> bool:
    """Whether a fraction is a whole number but for what is added to it: ``x + 0.5``."""
    whole = polynomial(above).coefficients
    return below.value is not None and all(value % below.value == 0 for mono, value in whole.items() if mono)


def _divided(above: Term, below: Term, how: str) -> Term | None:
    """A whole number to which a part of one is added, without that; None for other fractions."""
    if below.value is None or not _added(above, below):
        return None
    parts = polynomial(above).coefficients
    rest = Fraction(parts.get((), 0), below.value)
    end = ceil(rest) if how == "ceil" else floor(rest)
    whole = {mono: value // below.value for mono, value in parts.items() if mono}
    return term_of(Polynomial({**whole, (): end} if end else whole))


def _way(value: Term) -> str:
    """How a call rounds; empty for what is none."""
    if value.op != "call" or len(value.args) != 2 or not isinstance(value.args[1], Term):
        return ""
    return _ROUNDED.get(str(value.args[0]).partition("@")[0].rpartition("::")[2], "")


def _ratio(value: Term, counts: bool, deep: int) -> _Ratio | None:
    if isinstance(value.type, IntType):
        return cast(value, I64), _ONE
    if deep == 0 or not isinstance(value.type, FloatType):
        return None
    if value.op == "const":
        return _constant(value.args[0])
    if value.op == "cast":
        return _ratio(value.args[0], counts, deep - 1)
    if _way(value):
        found = _rounded(value, counts, deep - 1)
        return None if found is None else (found, _ONE)
    if value.op == "call" and value.args[0] in _ENDS and len(value.args) == 3:
        ends = [_ratio(arg, counts, deep - 1) for arg in value.args[1:]]
        a, b = (None if end is None or end[1].value != 1 else end[0] for end in ends)
        return None if a is None or b is None else (binary(_ENDS[value.args[0]], a, b, I64), _ONE)
    if value.op not in ("add", "sub", "mul", "div"):
        return None
    left, right = _ratio(value.args[0], counts, deep - 1), _ratio(value.args[1], counts, deep - 1)
    return None if left is None or right is None else _joined(value.op, left, right, counts)


def _joined(op: str, left: _Ratio, right: _Ratio, counts: bool) -> _Ratio | None:
    (a, below_a), (b, below_b) = left, right
    if op == "mul":
        return _times(a, b), _times(below_a, below_b)
    if op == "div":
        if not (counts or ((low := interval(b)[0]) is not None and low > 0)):
            return None
        return _times(a, below_b), _times(below_a, b)
    if below_a == below_b:
        return binary(op, a, b, I64), below_a
    return binary(op, _times(a, below_b), _times(b, below_a), I64), _times(below_a, below_b)


def _times(a: Term, b: Term) -> Term:
    return b if a.value == 1 else a if b.value == 1 else binary("mul", a, b, I64)


def _constant(value: object) -> _Ratio | None:
    if not isinstance(value, (int, float)) or value != value or abs(value) >= _MANY:
        return None
    exact = Fraction(value)
    return (const(exact.numerator, I64), const(exact.denominator, I64)) if exact.denominator <= _FINE else None
