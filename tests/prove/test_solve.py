"""The typical queries get the verdict that is right, quickly and mostly without a solver."""

from __future__ import annotations

import time
from statistics import median

import pytest

from kernlint.prove import algebra, smt
from kernlint.prove.query import Budget, Proved, Refuted, Unknown
from kernlint.prove.solve import solve
from tests.prove.language import BDX, GX, TX, loaded, param, race, side
from tests.prove.problems import Problem, problems
from tests.prove.test_soundness import check_witness

ALL = problems()
WITHOUT_SOLVER = Budget(rlimit=0)


@pytest.mark.parametrize("problem", ALL, ids=[p.name for p in ALL])
def test_verdict(problem: Problem) -> None:
    answer = solve(problem.query, WITHOUT_SOLVER)
    if problem.safe:
        assert isinstance(answer, Proved)
    else:
        assert isinstance(answer, Refuted)
        check_witness(problem.query, answer)


def test_algebra_is_fast() -> None:
    times = []
    for problem in ALL:
        start = time.perf_counter()
        algebra.prove(problem.query, WITHOUT_SOLVER)
        times.append(time.perf_counter() - start)
    assert median(times) < 0.010  # a tenth of that on the machine it was written on


def test_same_answer_every_time() -> None:
    for problem in ALL[::5]:
        assert solve(problem.query, WITHOUT_SOLVER) == solve(problem.query, WITHOUT_SOLVER)


@pytest.mark.parametrize("problem", ALL[::4], ids=[p.name for p in ALL[::4]])
def test_solver_agrees(problem: Problem) -> None:
    if not smt.available():
        pytest.skip("z3 is not installed")
    answer = smt.ask(problem.query, Budget())
    if answer is not None:
        assert isinstance(answer, Proved if problem.safe else Refuted)
    if isinstance(answer, Refuted):
        check_witness(problem.query, answer)


def test_unknown_says_why() -> None:
    index = loaded("index[i]", 0, 3)
    answer = solve(race(side(TX), side(index, index < TX)), Budget(steps=5, points=0, rlimit=0))
    assert answer == Unknown("index from memory")
    n = param("n")
    answer = solve(race(side(GX % n), side(GX % (n * n + BDX))), Budget(steps=5, points=0, rlimit=0))
    assert isinstance(answer, Unknown) and answer.reason


def test_without_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt, "import_module", _missing)
    monkeypatch.setattr(smt, "find_spec", lambda name: None)
    n = param("n")
    query = race(side(TX * n % 7), side(TX * n % 7 + 8, n.eq(5)))
    assert solve(query, Budget(steps=3, points=0)) == Unknown("no solver")


def _missing(name: str) -> None:
    raise ImportError(name)


def test_deep_terms_give_an_answer() -> None:
    deep = TX
    for step in range(95):
        deep = (deep ^ step) + 1
    for budget in (WITHOUT_SOLVER, Budget(rlimit=1000)):
        assert isinstance(solve(race(side(deep), side(deep)), budget), Proved | Refuted | Unknown)
