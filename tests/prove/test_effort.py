"""What searches about one kernel may cost together."""

from __future__ import annotations

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.prove import algebra, effort
from kernlint.prove.query import Budget, Refuted, Unknown
from kernlint.prove.solve import solve
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile
from tests.prove.language import TX, race, side

RACE = """__global__ void k(int *out) {
    __shared__ int t[64];
    t[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = t[(threadIdx.x * 5 + 3) % 64];
}
void run(int *out, int *q) { WALK k<<<1, 64>>>(out); }
void again(int *out) { k<<<1, 64>>>(out); }
"""


def outcome(text: str = RACE) -> FileOutcome:
    registry = load()
    engine = Engine(registry, Selection(registry, Config()))
    return engine.check_source(SourceFile("a.cu", text.replace("WALK", "q[0] = 1;").encode()), engine.selection)


def cuts(found: FileOutcome) -> list[str]:
    return [note.message for note in found.notifications if note.kind == "budget"]


def test_nobody_counts_outside_of_a_kernel() -> None:
    effort.spend(effort.LIMIT)
    assert not effort.spent()


def test_a_question_about_a_kernel_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(algebra, "prove", lambda query, budget: asked.append(query))
    query, budget = race(side(TX % 7), side(TX % 7)), Budget(rlimit=0)
    with effort.of_kernel():
        first, again = solve(query, budget), solve(race(side(TX % 7), side(TX % 7)), budget)
        assert isinstance(first, Refuted) and first is again and len(asked) == 1
        effort.spend(effort.LIMIT)
        assert solve(query, budget) is first and not effort.was_cut()
        effort._now.left = effort.LIMIT
        solve(race(side(TX % 7), side(TX % 5)), budget)
        assert len(asked) == 2
    with effort.of_kernel():
        solve(query, budget)
    solve(query, budget)
    solve(query, budget)  # nobody counts
    assert len(asked) == 5


def test_an_answer_that_was_cut_short_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algebra, "prove", lambda query, budget: None)
    query = race(side(TX % 7), side(TX % 7))
    with effort.of_kernel():
        effort.spend(effort.LIMIT - 1)
        effort.next_turn()
        effort.spend(1)
        assert isinstance(solve(query, Budget(rlimit=0)), Unknown)
        effort._now.left = effort.LIMIT
        assert isinstance(solve(query, Budget(rlimit=0)), Refuted)


def test_each_asker_has_half_of_what_is_left() -> None:
    with effort.of_kernel():
        effort.next_turn()
        effort.spend(effort.LIMIT // 2)
        assert effort.spent() and effort.was_cut()
        effort.next_turn()
        assert not effort.spent()
        effort.spend(effort.LIMIT)
        assert effort.spent()
    assert not effort.spent()
    with effort.of_kernel():
        assert not effort.was_cut()


def test_what_was_cut_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome()
    assert [result.finding.rule for result in found.results] == ["shared-memory-race"] and not cuts(found)
    monkeypatch.setattr(effort, "LIMIT", 0)
    found = outcome()
    assert not [result for result in found.results if result.finding.rule == "shared-memory-race"]
    assert cuts(found) == ["kernel k raises more questions than are asked of one kernel; some were left out"]


def test_host_functions_share_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernlint.analysis.launching.launches.STEPS", 1)
    assert cuts(outcome()) == ["the host functions of the file are large: they are not all followed"]
