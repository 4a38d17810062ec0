"""Each pair: the fault is found at its line, its cure is silent."""

from __future__ import annotations

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from tests.frontends.python.pairs import HEAD, PAIRS, Pair


def found(code: str) -> list[tuple[str, set[int], str]]:
    registry = load()
    selection = Selection(registry, Config())
    source = SourceFile("kernel.py", (HEAD + code).encode())
    outcome = Engine(registry, selection).check_source(source, selection)
    loud = [result.finding for result in outcome.results if result.finding.severity is not Severity.NOTE]
    return [
        (f.rule, {source.line_of(at.start) for at in (f.span, *(r.span for r in f.related[:4]))}, f.message)
        for f in loud
    ]


OPEN = {"barrier behind a return"}
"""Faults that are not found yet."""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_pair(pair: Pair) -> None:
    lines = {n for n, line in enumerate((HEAD + pair.bad).splitlines(), 1) if "# FAULT" in line}
    got = found(pair.bad)
    assert (pair.name in OPEN) is not any(rule in pair.kinds and near & lines for rule, near, _ in got), got
    assert not found(pair.good)
