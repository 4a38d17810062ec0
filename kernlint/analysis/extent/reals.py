"""Terms with numbers in floating point put in: ``(int)ceil(32 * ratio) + 1`` at a ratio of 4 is 129.

Arithmetic is in double precision.  What comes so near a whole number that rounding may take it to either side, when it
is made one, has no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from kernlint.symbolic.terms import Symbol, Term, const, plain, rebuild, symbols
from kernlint.tree.types import FloatType, IntType

Reals = Mapping[Symbol, float]

NEAR = 1e-6
"""What a number in single precision may be off by, relative to it."""

BELOW = 1 - 1 / 4096
"""A number that is kept below another is so much of it."""

_WHOLE: dict[str, Callable[[float], float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "rint": round,
    "round": lambda x: math.floor(x + 0.5),
}
_OTHER: dict[str, Callable[..., float]] = {"fabs": abs, "fmin": min, "fmax": max, "min": min, "max": max}
_SUMS: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else math.nan,
    "min": min,
    "max": max,
}


def real(term: Term, known: Reals) -> float | None:
    """The value of a term in floating point; None where that is not known, or not sure."""
    value: float | None = None
    if term.op == "const":
        value = float(term.args[0]) if isinstance(term.args[0], (int, float)) else None
    elif term.symbol is not None:
        value = known.get(term.symbol)
    elif term.op == "cast":
        value = real(term.args[0], known)
        if value is not None and isinstance(term.type, IntType) and isinstance(term.args[0].type, FloatType):
            value = float(math.trunc(value)) if _sure(value) else None
    elif term.op == "neg":
        value = real(term.args[0], known)
        value = None if value is None else -value
    elif term.op == "call":
        value = _called(str(term.args[0]), [real(arg, known) for arg in term.args[1:]])
    elif term.op in _SUMS and len(term.args) == 2 and isinstance(term.type, FloatType):
        one, two = (real(arg, known) for arg in term.args)
        value = None if one is None or two is None else _SUMS[term.op](one, two)
    return value if value is not None and math.isfinite(value) else None


def _called(name: str, args: Sequence[float | None]) -> float | None:
    given = [arg for arg in args if arg is not None]
    if len(given) < len(args):
        return None
    name = name if name in _OTHER else name.removesuffix("f")
    if name in _WHOLE and len(given) == 1:
        return _WHOLE[name](given[0]) if _sure(given[0]) else None
    return _OTHER[name](*given) if name in _OTHER and given else None


def _sure(value: float) -> bool:
    """Whether rounding does not decide which whole number is next."""
    off = abs(value - round(value))
    return off == 0 or off > NEAR * max(1.0, abs(value))


def put_in(term: Term, known: Reals) -> Term:
    """A whole number with the numbers in floating point that are ``known`` put in, as far as they give whole ones."""
    if not known or not any(symbol in known for symbol in symbols(term)):
        return term
    if isinstance(term.type, IntType) and term.op in ("cast", "call"):
        value = real(term, known)
        if value is not None and value == round(value):
            return const(round(value), term.type)
    if term.symbol is not None:
        return term
    return rebuild(term, tuple(put_in(arg, known) if isinstance(arg, Term) else arg for arg in term.args))


def real_limits(value: Term, tests: Sequence[Term]) -> Iterator[float]:
    """The numbers that ``tests`` keep a value in floating point at or below."""
    value = plain(value)
    for test in tests:
        turned = test.op == "lnot"
        part = test.args[0] if turned else test
        if part.op not in ("lt", "le") or plain(part.args[int(turned)]) is not value:
            continue
        most = real(part.args[1 - int(turned)], {})
        if most is not None:
            yield most if turned == (part.op == "lt") else most * BELOW
