"""No proof is ever contradicted by exhaustive enumeration in 8-bit machine integers, and the check can tell."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernlint.prove import algebra
from kernlint.prove.attempt import Attempt
from kernlint.prove.query import Bounds, Budget, Overlap, Proved, Refuted
from kernlint.prove.solve import solve
from kernlint.prove.system import Poly, System
from kernlint.prove.translate import Suspect, Translator
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol
from tests.prove.oracle import Sample, counterexample

QUICK = Budget(steps=300, points=4000, rlimit=0)


@given(st.integers(0, 2**40))
@example(220550)  # a number that a premise gives to an unsigned symbol, negative
@settings(max_examples=100, deadline=None)
def test_answers_hold(seed: int) -> None:
    sample = Sample(Random(seed))
    answer = solve(sample.query, QUICK)
    if isinstance(answer, Proved):
        assert counterexample(sample, answer) is None
    elif isinstance(answer, Refuted):
        check_witness(sample.query, answer)


def check_witness(query: Overlap | Bounds, answer: Refuted) -> None:
    """Recompute a witness from the machine terms."""
    sides = (query.a, query.b) if isinstance(query, Overlap) else (query.access,)
    actors = [actor for actor in (answer.first, answer.second) if actor is not None]
    assert len(actors) == len(sides)
    assert answer.block[0] * answer.block[1] * answer.block[2] <= query.launch.max_threads
    for dim, hint in zip((*answer.block, *answer.grid), (*query.launch.block, *query.launch.grid), strict=True):
        assert hint is None or hint == dim
    for side, actor in zip(sides, actors, strict=True):
        env: dict[Symbol, int] = {**dict(answer.values), **dict(actor.counters), **dict(actor.data)}
        env.update(zip(BLOCK_DIM, answer.block, strict=True))
        env.update(zip(GRID_DIM, answer.grid, strict=True))
        env.update(zip(THREAD, actor.thread, strict=True))
        env.update(zip(BLOCK, actor.block, strict=True))
        assert all(t < d for t, d in zip(actor.thread, answer.block, strict=True))
        assert all(b < g for b, g in zip(actor.block, answer.grid, strict=True))
        assert all(evaluate(fact, env) for fact in (*side.facts, *query.premises))
        assert evaluate(side.offset, env) == actor.offset
        if isinstance(query, Bounds):
            assert answer.extent == evaluate(query.extent, env)
    if isinstance(query, Overlap):
        one, two = actors
        assert one.offset < two.offset + query.b.size and two.offset < one.offset + query.a.size
        assert (one.block, one.thread) != (two.block, two.thread)
        if query.within == "block":
            assert one.block == two.block
        if query.within == "blocks":
            assert one.block != two.block
        for ours, theirs, shift in query.tied:
            assert dict(one.counters)[ours] == dict(two.counters)[theirs] + shift
    else:
        assert answer.extent is not None
        assert actors[0].offset < 0 or actors[0].offset + query.access.size > answer.extent


def _ignores_sizes(patch: pytest.MonkeyPatch) -> None:
    """Accesses of several bytes are taken to meet only where they start together."""
    original = Attempt._meeting

    def broken(self: Attempt, difference: Poly, ours: int, theirs: int) -> Poly | None:
        return original(self, difference, 1, 1)

    patch.setattr(Attempt, "_meeting", broken)


def _forgets_wrapping(patch: pytest.MonkeyPatch) -> None:
    """Nothing is ever suspected of wrapping."""
    patch.setattr(Translator, "_suspects", lambda self, term, side, inner: inner)


def _believes_digits(patch: pytest.MonkeyPatch) -> None:
    """Every remainder is taken to be smaller than the divisor."""
    patch.setattr(System, "within", lambda self, p, limit: True)


def _acquits_all(patch: pytest.MonkeyPatch) -> None:
    """No suspect is found guilty."""

    def innocent(*_: object) -> set[Suspect]:
        return set()

    patch.setattr(algebra, "innocent", innocent)


def _wrong_rounding(patch: pytest.MonkeyPatch) -> None:
    """Bounds of private variables are one too low."""
    original = System.variable

    def broken(
        self: System,
        shared: bool,
        low: int | None = None,
        top: int | None = None,
        high: Poly | None = None,
        before: int | None = None,
    ) -> int:
        return original(self, shared, low, None if top is None else max(top - 1, 0), high, before)

    patch.setattr(System, "variable", broken)


@pytest.mark.parametrize(
    "sabotage", [_ignores_sizes, _forgets_wrapping, _believes_digits, _acquits_all, _wrong_rounding]
)
def test_a_broken_prover_is_caught(
    sabotage: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3000):
        sample = Sample(Random(seed))
        healthy = algebra.prove(sample.query, QUICK)
        with monkeypatch.context() as patch:
            sabotage(patch)
            verdict = algebra.prove(sample.query, QUICK)
        if verdict is not None and verdict != healthy and counterexample(sample, verdict) is not None:
            return
    raise AssertionError("3000 random queries did not notice")


def test_random_queries_are_not_trivial() -> None:
    proved = clean = refuted = 0
    for seed in range(120):
        answer = solve(Sample(Random(seed)).query, QUICK)
        proved += isinstance(answer, Proved) and answer.by == "algebra"
        clean += isinstance(answer, Proved) and answer.by == "algebra" and not answer.assumptions
        refuted += isinstance(answer, Refuted)
    assert proved >= 12 and clean >= 5 and refuted >= 12
