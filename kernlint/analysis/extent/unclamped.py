"""Coordinates without the clamps around them, and at which ends those keep them.

``min(max(x, 0), w - 1)``, ``clamp(x, 0, w - 1)``, ``x < 0 ? 0 : x``, ``(int)fminf(x, w - 1)`` and, as they handle an
end just so, mirrors and wraps: ``x < 0 ? -x : x``, ``x >= w ? x - w : x``.  Whether the place that is put there is the
last one is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.extent.places import moves
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Term, negate, plain, subterms, with_parts
from kernlint.tree.types import FloatType

_LESSER = frozenset({"min", "fmin", "fminf"})
_GREATER = frozenset({"max", "fmax", "fmaxf"})
_BOTH = frozenset({"clamp", "__saturatef", "saturate"})
_WHOLE = frozenset({"floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "rint", "rintf", "round", "roundf"})


@dataclass(frozen=True, slots=True)
class Unclamped:
    """What is clamped (``core``), and whether from below (``low``), and from above (``high``); ``size``: what it
    is kept below there, if that is a number of places."""

    core: Term
    low: bool
    high: bool
    size: Polynomial | None = None

    def at(self, below: bool) -> bool:
        """Whether it is clamped at the lower, or the upper end."""
        return self.low if below else self.high


@lru_cache(maxsize=8192)
def unclamped(term: Term) -> Unclamped | None:
    """What clamps hold; None where there are none around a term."""
    if not any(part.op in ("min", "max", "select", "call") for part in subterms(term)):
        return None
    found = _off(term)
    return found if found.low or found.high else None


def _off(term: Term) -> Unclamped:
    name, parts = (str(term.args[0]) if term.op == "call" else term.op), term.terms
    at = [part for part in parts if moves(part)]
    if name in _BOTH and parts and at == [parts[0]]:
        return Unclamped(_off(parts[0]).core, True, True, _behind(parts[-1]) if len(parts) == 3 else None)
    if (name in _LESSER or name in _GREATER) and len(at) == 1:
        inner = _off(at[0])
        size = _behind(next(part for part in parts if part is not at[0])) if name in _LESSER else inner.size
        return Unclamped(inner.core, inner.low or name in _GREATER, inner.high or name in _LESSER, size)
    if name == "select":
        return _chosen(term) or Unclamped(term, False, False)
    through = name == "cast" or name in _WHOLE or (name in _SCALES and isinstance(term.type, FloatType))
    if through and len(at) == 1:
        inner = _off(at[0])
        if inner.low or inner.high:
            core = with_parts(term, [inner.core if part is at[0] else part for part in parts])
            return Unclamped(core, inner.low, inner.high, inner.size if name == "cast" else None)
    return Unclamped(term, False, False)


_SCALES = frozenset({"add", "mul", "sub"})


def _chosen(term: Term) -> Unclamped | None:
    """What one arm of a choice is, where the other one takes its place behind an end."""
    cond, then, other = term.args
    for test, arm, instead in ((cond, other, then), (negate(cond), then, other)):
        inner = _off(arm)
        ends = {size for one, size in _compared(test) if plain(one) in (plain(arm), plain(inner.core))}
        if ends and moves(arm) and _made_of(instead, arm):
            size = next((size for size in ends if size is not None), inner.size)
            return Unclamped(inner.core, inner.low or None in ends, inner.high or ends != {None}, size)
    return None


def _compared(test: Term) -> Iterator[tuple[Term, Polynomial | None]]:
    """(number, what it is not below; None where it is below something) of what a test finds outside: one of several
    that may be."""
    if test.op == "lor":
        for part in test.args:
            yield from _compared(part)
    elif test.op in ("lt", "le"):
        smaller, larger = test.args
        if moves(smaller) is not moves(larger):
            size = _behind(smaller) if test.op == "lt" else polynomial(smaller)
            yield (smaller, None) if moves(smaller) else (larger, size)


def _behind(last: Term) -> Polynomial:
    """The place behind the last one, of whole numbers or such in floating point."""
    return polynomial(plain(last)) + number(1)


def _made_of(instead: Term, arm: Term) -> bool:
    """Whether a number is made of sizes, and of nothing that moves but what another one is made of."""
    own = set(subterms(arm))
    return all(part in own for part in subterms(instead) if part.symbol is not None and moves(part))
