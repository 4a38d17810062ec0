"""What searches about one kernel may cost together."""

from __future__ import annotations

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.prove import effort
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile

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
