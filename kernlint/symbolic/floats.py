"""Numbers in floating point that stand in the text: ``(int)(0.1f * 25)``, as the machine works them out.

Operations on ``float`` and ``double`` round to the nearest (IEEE 754); a conversion to an integer drops what is behind
the point (C17 6.3.1.4).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from kernlint.tree.types import FloatType, IntType, Type

if TYPE_CHECKING:
    from kernlint.symbolic.terms import Term

MOST = 64
"""Operations, at most, of which a number is worked out."""

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "sqrt": math.sqrt,
    "fabs": math.fabs,
    "fmin": min,
    "fmax": max,
}

_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "min": min,
    "max": max,
}

_FORMATS = {32: "f", 64: "d"}


def number(term: Term) -> float | None:
    """What a term without symbols comes to; None where that is not known, or no finite number."""
    if term.symbols or term.size > MOST:
        return None
    try:
        value = _number(term)
    except (ArithmeticError, ValueError, TypeError, struct.error):
        return None
    return value if value is not None and math.isfinite(value) else None


def _number(term: Term) -> float | None:
    if term.op == "const":
        return _as(term.args[0], term.type)
    values = [_number(part) for part in term.terms]
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    if term.op == "cast":
        return _as(known[0], term.type)
    if not isinstance(term.type, FloatType):
        return None
    if term.op == "neg":
        return -known[0]
    if term.op == "call":
        name = str(term.args[0]).partition("@")[0].rpartition("::")[2]
        function = _FUNCTIONS.get(name) or _FUNCTIONS.get(name.removesuffix("f"))
    else:
        function = _OPERATIONS.get(term.op)
    return None if function is None else _as(function(*known), term.type)


def _as(value: float, type_: Type) -> float | None:
    """A number as a type holds it; None where that is not known."""
    if isinstance(type_, IntType):
        whole = math.trunc(value)
        return whole if type_.low <= whole <= type_.high else None
    form = _FORMATS.get(type_.bits) if isinstance(type_, FloatType) else None
    return None if form is None else float(struct.unpack(form, struct.pack(form, value))[0])
