"""Values of terms in mathematical integers: what a sum of products comes to if nothing in it wraps."""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, Term, plain


def exactly(term: Term, env: Mapping[Symbol, int]) -> int | None:
    """The value of a term under the values of its symbols; None where it is not known."""
    total = 0
    for mono, factor in polynomial(term).coefficients.items():
        value = factor - (1 << 32) if (1 << 31) <= factor < 1 << 32 else factor
        for atom in mono:
            bare = plain(atom)
            known = exactly(bare, env) if _taken_apart(bare) else evaluate(atom, env)
            if known is None:
                return None
            value *= known
        total += value
    return total


def _taken_apart(atom: Term) -> bool:
    """Whether what a conversion is made of has parts of its own."""
    return any(atom not in part for part in polynomial(atom).coefficients)
