"""The solver's answers agree with the others where it is asked at all."""

from __future__ import annotations

from random import Random

import pytest

from kernlint.prove import algebra, smt
from kernlint.prove.query import Budget, Proved, Refuted
from kernlint.symbolic.terms import binary, const, unknown
from kernlint.tree.types import BOOL, F32, I32
from tests.prove.language import TX, E, bounds, counter, loaded, param, race, side
from tests.prove.oracle import Sample, counterexample
from tests.prove.test_soundness import check_witness

pytestmark = pytest.mark.skipif(not smt.available(), reason="z3 is not installed")
BUDGET = Budget(rlimit=200_000)


def test_random_queries() -> None:
    decided = 0
    for seed in range(40):
        sample = Sample(Random(seed))
        answer = smt.ask(sample.query, BUDGET)
        if isinstance(answer, Proved):
            assert counterexample(sample, answer) is None
        elif isinstance(answer, Refuted):
            check_witness(sample.query, answer)
            proof = algebra.prove(sample.query, Budget())
            assert proof is None or proof.assumptions
        decided += answer is not None
    assert decided >= 15


def test_bits() -> None:
    m = param("m", 0, 1000)
    assert isinstance(smt.ask(race(side(TX ^ m), side(TX ^ m)), Budget()), Proved)
    assert isinstance(smt.ask(race(side(TX & 5), side(TX & 5)), Budget()), Refuted)
    assert isinstance(smt.ask(bounds(side(TX | 64), 1088), Budget()), Proved)


def test_warps_and_ties() -> None:
    k = counter("k")
    step = side(TX + 3 * k, loops=((k, 4),))
    assert isinstance(smt.ask(race(step, step, tied=((k, k, 0),)), Budget()), Proved)
    assert isinstance(smt.ask(race(step, step, tied=((k, k, 1),)), Budget()), Refuted)
    slot = side(TX >> 5)
    assert isinstance(smt.ask(race(slot, slot, exclude_same_warp=True), Budget()), Proved)
    answer = smt.ask(race(slot, slot, require_same_warp=True), Budget())
    assert isinstance(answer, Refuted) and answer.same_warp


def test_what_it_cannot_say() -> None:
    strange = E(binary("lt", const(0, F32), unknown("float", F32), BOOL))
    index = side(TX)
    assert smt.ask(race(index, index), Budget(rlimit=0)) is None
    odd = race(index, side(TX + 1, strange))
    assert not isinstance(smt.ask(odd, Budget()), Refuted)
    value = loaded("v", 0, 10)
    answer = smt.ask(race(side(value), side(value)), Budget())
    assert isinstance(answer, Refuted) and answer.depends_on_data and answer.data_in_address
    assert smt.ask(race(side(E(unknown("x", I32)) * TX), index), Budget(rlimit=1)) is None
