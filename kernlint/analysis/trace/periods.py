"""Barriers that threads come to in every so many rounds of a loop: ``if (j % 64 == 0) { ...; __syncthreads(); }``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import LoopContext
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, Term, subterms, symbols

LONGEST = 1 << 10
"""The most rounds between one barrier and the next that are gone through."""

SETTLED = (0, 37)
"""Values for what is the same in all rounds."""


def periods(loop: LoopContext, condition: Term, past: Term) -> Iterator[int]:
    """The number of rounds after which ``condition`` holds again, where ``past`` holds of all those between and of none
    at its ends; nothing where it is not so."""
    others = [one for one in {*symbols(condition), *symbols(past)} if one is not loop.counter]
    for period in sorted(set(_divisors(condition, loop))):
        if all(_returns(loop, condition, past, period, dict.fromkeys(others, value)) for value in SETTLED):
            yield period
            return


def _divisors(condition: Term, loop: LoopContext) -> Iterator[int]:
    """The numbers of which a condition takes a rest, of something that goes on with each round."""
    for term in subterms(condition):
        if term.op in ("mod", "and") and loop.counter in symbols(term.args[0]):
            value = term.args[1].value
            number = (value or 0) + (term.op == "and")
            if 1 < number <= LONGEST:
                yield number


def _returns(loop: LoopContext, condition: Term, past: Term, period: int, settled: dict[Symbol, int]) -> bool:
    held = [bool(evaluate(condition, {**settled, loop.counter: at})) for at in range(2 * period)]
    start = held.index(True) if True in held else period
    if start >= period or held != [at % period == start for at in range(2 * period)]:
        return False
    return all(bool(evaluate(past, {**settled, loop.counter: start + at})) for at in range(1, period))
