"""How often a loop of the host runs whose condition rests on the number of its rounds and on constants alone."""

from __future__ import annotations

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, Term, symbols

MOST_ROUNDS = 1100
"""Rounds that are counted: the largest block that can be launched has 1024 threads."""


def rounds(condition: Term, counter: Symbol) -> int | None:
    """The first value of ``counter`` for which ``condition`` does not hold; None where that is not known, or large."""
    if set(symbols(condition)) != {counter}:
        return None
    for number in range(MOST_ROUNDS):
        holds = evaluate(condition, {counter: number})
        if not holds:
            return None if holds is None else number
    return None
