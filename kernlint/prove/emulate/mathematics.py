"""Functions of their arguments alone, by the names the front end gives them.

Floating-point results are those of the host's doubles: close, not the device's to the last bit.  Domain errors give
what IEEE gives (NaN, infinity), never an exception.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kernlint.text.patterns import pattern

Number = Any


def _safe(function: Callable[..., float], overflow: float = math.inf) -> Callable[..., float]:
    def run(*args: float) -> float:
        try:
            return function(*args)
        except OverflowError:
            return overflow
        except (ValueError, ZeroDivisionError):
            return math.nan

    return run


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _log(base: Callable[[float], float]) -> Callable[[float], float]:
    def run(x: float) -> float:
        if x > 0:
            return base(x)
        return -math.inf if x == 0 else math.nan

    return run


def _rounded(function: Callable[[float], Number]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


def _half_away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def _clz(x: int, bits: int) -> int:
    return bits - (x & ((1 << bits) - 1)).bit_length()


def _ctz(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return (x & -x).bit_length() - 1 if x else bits


def _rotate(x: int, by: int, bits: int) -> int:
    by %= bits
    x &= (1 << bits) - 1
    return ((x << by) | (x >> (bits - by))) & ((1 << bits) - 1)


def _reverse(x: int, bits: int) -> int:
    return int(format(x & ((1 << bits) - 1), f"0{bits}b")[::-1], 2)


def _low24(x: int) -> int:
    x &= 0xFFFFFF
    return x - (1 << 24) if x >> 23 else x


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _clamp(x: Number, low: Number, high: Number) -> Number:
    return low if x < low else high if x > high else x


def _smoothstep(a: float, b: float, x: float) -> float:
    t = _clamp(_divide(x - a, b - a), 0.0, 1.0)
    return float(t * t * (3 - 2 * t))


def _sum(a: Number, b: Number) -> float:
    if isinstance(a, tuple):
        return float(sum(x * y for x, y in zip(a, b, strict=True)))
    return float(a * b)


def _length(a: Number) -> float:
    return math.sqrt(_sum(a, a))


def _minus(a: Number, b: Number) -> Number:
    return tuple(x - y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a - b


def _normalize(a: Number) -> Number:
    size = _length(a)
    if isinstance(a, tuple):
        return tuple(_divide(x, size) for x in a)
    return _divide(a, size)


def _cross(a: Number, b: Number) -> Number:
    x = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return x if len(a) == 3 else (*x, 0.0)


TABLE: dict[str, Callable[..., Number]] = {
    "min": min,
    "max": max,
    "fmin": lambda a, b: b if a != a else a if b != b else min(a, b),
    "fmax": lambda a, b: b if a != a else a if b != b else max(a, b),
    "abs": abs,
    "fabs": abs,
    "clamp": _clamp,
    "saturate": lambda x: _clamp(x, 0.0, 1.0),
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "rsqrt": lambda x: _divide(1.0, math.sqrt(x)) if x >= 0 else math.nan,
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "exp": _safe(math.exp),
    "exp2": _safe(lambda x: 2.0**x),
    "exp10": _safe(lambda x: 10.0**x),
    "expm1": _safe(math.expm1),
    "log": _log(math.log),
    "log2": _log(math.log2),
    "log10": _log(math.log10),
    "log1p": lambda x: _log(math.log)(1.0 + x),
    "pow": _safe(lambda x, y: math.pow(x, y)),
    "sin": _safe(math.sin),
    "cos": _safe(math.cos),
    "tan": _safe(math.tan),
    "asin": _safe(math.asin),
    "acos": _safe(math.acos),
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": _safe(math.sinh),
    "cosh": _safe(math.cosh),
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": _safe(math.acosh),
    "atanh": _safe(math.atanh),
    "sinpi": _safe(lambda x: math.sin(math.pi * x)),
    "cospi": _safe(lambda x: math.cos(math.pi * x)),
    "erf": math.erf,
    "erfc": math.erfc,
    "tgamma": _safe(math.gamma),
    "lgamma": _safe(math.lgamma),
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "trunc": _rounded(math.trunc),
    "round": _rounded(_half_away),
    "rint": _rounded(round),
    "nearbyint": _rounded(round),
    "lrint": _rounded(round),
    "llrint": _rounded(round),
    "lround": _rounded(_half_away),
    "llround": _rounded(_half_away),
    "fmod": _safe(math.fmod),
    "remainder": _safe(math.remainder),
    "modf": lambda x: x - math.trunc(x) if math.isfinite(x) else 0.0,
    "fract": lambda x: x - math.floor(x) if math.isfinite(x) else 0.0,
    "frexp": lambda x: math.frexp(x)[0],
    "frexp_exponent": lambda x: math.frexp(x)[1],
    "ldexp": _safe(lambda x, n: math.ldexp(x, int(n))),
    "hypot": math.hypot,
    "copysign": math.copysign,
    "fdim": lambda a, b: max(a - b, 0.0),
    "fma": lambda a, b, c: a * b + c,
    "mad": lambda a, b, c: a * b + c,
    "fdivide": _divide,
    "divide": _divide,
    "rcp": lambda x: _divide(1.0, x),
    "recip": lambda x: _divide(1.0, x),
    "isnan": lambda x: int(x != x),
    "isinf": lambda x: int(math.isinf(x)),
    "isfinite": lambda x: int(math.isfinite(x)),
    "signbit": lambda x: int(math.copysign(1.0, x) < 0),
    "sign": _sign,
    "degrees": math.degrees,
    "radians": math.radians,
    "mix": lambda a, b, t: a + (b - a) * t,
    "step": lambda edge, x: 0.0 if x < edge else 1.0,
    "smoothstep": _smoothstep,
    "isequal": lambda a, b: int(a == b),
    "isnotequal": lambda a, b: int(a != b),
    "isgreater": lambda a, b: int(a > b),
    "isgreaterequal": lambda a, b: int(a >= b),
    "isless": lambda a, b: int(a < b),
    "islessequal": lambda a, b: int(a <= b),
    "dot": _sum,
    "length": _length,
    "distance": lambda a, b: _length(_minus(a, b)),
    "normalize": _normalize,
    "cross": _cross,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "neg": lambda a: -a,
    "lt": lambda a, b: int(a < b),
    "gt": lambda a, b: int(a > b),
    "le": lambda a, b: int(a <= b),
    "ge": lambda a, b: int(a >= b),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "popcount": lambda x, bits: (x & ((1 << bits) - 1)).bit_count(),
    "clz": _clz,
    "ctz": _ctz,
    "ffs": lambda x: (x & -x).bit_length(),
    "rotate": _rotate,
    "rotate_right": lambda x, by, bits: _rotate(x, -by, bits),
    "bitreverse": _reverse,
    "mul24": lambda a, b: _low24(a) * _low24(b),
    "mad24": lambda a, b, c: _low24(a) * _low24(b) + c,
    "mulhi": lambda a, b, bits: (a * b) >> bits,
    "mad_hi": lambda a, b, c, bits: ((a * b) >> bits) + c,
    "hadd": lambda a, b: (a + b) >> 1,
    "rhadd": lambda a, b: (a + b + 1) >> 1,
    "abs_diff": lambda a, b: abs(a - b),
    "sad": lambda a, b, c: abs(a - b) + c,
    "max3": max,
    "min3": min,
}
"""Functions by plain name; those in :data:`BITWISE` take the width of their first operand in bits last."""

BITWISE = frozenset({"popcount", "clz", "ctz", "rotate", "rotate_right", "bitreverse", "mulhi", "mad_hi"})
WHOLE = frozenset({"dot", "length", "distance", "normalize", "cross"})
"""Functions of whole vectors; all others work lane by lane."""

_ALIASES = {
    "powr": "pow",
    "pown": "pow",
    "powi": "pow",
    "maxmag": "fmax",
    "minmag": "fmin",
    "finite": "isfinite",
    "pow10": "exp10",
    "mul_hi": "mulhi",
    "fast_length": "length",
    "fast_distance": "distance",
    "fast_normalize": "normalize",
    "bit_reverse": "bitreverse",
    "hmax": "fmax",
    "hmin": "fmin",
    "usad": "sad",
    "uhadd": "hadd",
    "urhadd": "rhadd",
}
_PREFIX = pattern(r"^(?:__builtin_elementwise_|__builtin_amdgcn_|__builtin_|__|native_|half_)")
_MODE = pattern(r"_(?:rn|rz|ru|rd|ieee_rn|ieee_rz|sat)$")


def find(name: str, floating: bool) -> str | None:
    """The key in :data:`TABLE` for a function as the front end names it, None when it is not known.

    ``floating``: its result is a float; ``__hadd`` is a sum of halfs then, and an average of integers otherwise.
    """
    if name in TABLE:
        return name
    if floating and name.startswith("__h"):
        name = f"__builtin_{name[3:]}"
    plain = _MODE.sub("", _PREFIX.sub("", name))
    candidates = [plain, plain.removesuffix("f"), plain.removesuffix("l"), plain.removesuffix("f16")]
    if plain[:1] in ("f", "d", "h") and name.startswith("__"):
        candidates += [plain[1:], plain[1:].removesuffix("f")]
    elif plain[:1] == "h":
        candidates.append(plain[1:])
    for candidate in candidates:
        candidate = _ALIASES.get(candidate, candidate)
        if candidate in TABLE:
            return candidate
    return None
