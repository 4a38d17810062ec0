"""Bounds faults in the last iterations of loops, which no walk from the first one on reaches."""

from __future__ import annotations

import pytest

from kernlint.prove import last
from kernlint.prove.query import Budget, Refuted
from kernlint.prove.solve import solve
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import const, substitute
from kernlint.tree.types import I64
from tests.prove.language import BDX, TX, E, bounds, counter, loaded, param, side, symbol_of
from tests.prove.test_soundness import check_witness

SMALL = Budget(steps=60, points=4000, rlimit=0)


def refuted(index: E, extent: int, *loops: tuple[E, E | int], values: tuple[tuple[E, int], ...] = ()) -> Refuted:
    query = bounds(side(index, loops=loops), extent, block=(64, 1, 1), values=values)
    answer = solve(query, SMALL)
    assert isinstance(answer, Refuted)
    check_witness(query, answer)
    return answer


def test_the_last_of_many_iterations() -> None:
    k, n = counter("k"), param("n")
    answer = refuted(k * 64 + TX, 61 * 64, (k, k <= n), values=((n, 61),))
    assert answer.first.counters == ((symbol_of(k), 61),)


def test_each_thread_has_its_own_last_iteration() -> None:
    k, n = counter("k"), param("n")
    answer = refuted(TX + k * BDX, 5000, (k, TX + k * BDX <= n), values=((n, 5000),))
    assert answer.first.offset == 5000 * 4 and answer.first.thread[0] == 5000 % 64


def test_loops_within_loops() -> None:
    k, j, n = counter("k"), counter("j"), param("n")
    answer = refuted(k * 100 + j, 100 * 100, (k, k < n), (j, j <= k), values=((n, 101),))
    assert dict(answer.first.counters)[symbol_of(k)] == 100


def test_a_loop_that_does_not_run_has_no_last_iteration() -> None:
    k, n = counter("k"), param("n")
    query = bounds(side(k * 64 + TX + 5000, loops=((k, k + 10 <= n),)), 1, block=(64, 1, 1), values=((n, 3),))
    assert last.refute(query, SMALL) is None
    assert not isinstance(solve(query, SMALL), Refuted)


@pytest.mark.parametrize("what", ["squares", "data", "unequal"])
def test_no_closed_form_no_answer(what: str) -> None:
    k, n = counter("k"), param("n")
    condition = {"squares": k * k < n, "data": k < loaded("v") * k, "unequal": k.ne(n)}[what]
    assert last.last_iteration(condition.term, symbol_of(k)) is None


def test_it_is_the_last_one() -> None:
    k, n = counter("k"), param("n")
    for step in (1, 2, 3, 7):
        for condition in (k * step < n, k * step <= n, k * step + 2 < n):
            term = last.last_iteration(condition.term, symbol_of(k))
            assert term is not None
            for size in range(5, 40):
                end = evaluate(term, {symbol_of(n): size})
                assert end is not None
                for at, holds in ((end, 1), (end + 1, 0)):
                    image = substitute(condition.term, {symbol_of(k): const(at, I64)})
                    assert evaluate(image, {symbol_of(n): size}) == holds
