"""Each fault that the field reports, in several spellings: it is found at its line, its cure is silent."""

from __future__ import annotations

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from tests.frontends.python import (
    spellings_arrays,
    spellings_bounds,
    spellings_flow,
    spellings_host,
    spellings_launch,
    spellings_more,
    spellings_sync,
)
from tests.frontends.python.spellings_bounds import Spelling

HEAD = "import math\nimport numba\nimport numpy as np\nfrom numba import cuda, float32, float64, int32, int64\n\n"

ALL = (
    *spellings_bounds.SPELLINGS,
    *spellings_sync.SPELLINGS,
    *spellings_host.SPELLINGS,
    *spellings_more.SPELLINGS,
    *spellings_flow.SPELLINGS,
    *spellings_launch.SPELLINGS,
    *spellings_arrays.SPELLINGS,
    *spellings_arrays.SPELLINGS_OF_CONSTANTS,
)


def program(text: str, bad: bool) -> tuple[str, set[int]]:
    """One of the two programs, and the lines at which a finding counts."""
    own, other = ("# BAD", "# GOOD") if bad else ("# GOOD", "# BAD")
    lines = [line for line in (HEAD + text).splitlines() if not line.endswith(other)]
    return "\n".join(lines) + "\n", {n for n, line in enumerate(lines, 1) if line.endswith((own, "# FAULT"))}


def found(code: str) -> list[tuple[str, set[int], str]]:
    registry = load()
    selection = Selection(registry, Config())
    source = SourceFile("kernel.py", code.encode())
    outcome = Engine(registry, selection).check_source(source, selection)
    loud = [result.finding for result in outcome.results if result.finding.severity is not Severity.NOTE]
    return [
        (f.rule, {source.line_of(at.start) for at in (f.span, *(r.span for r in f.related[:4]))}, f.message)
        for f in loud
    ]


OPEN: frozenset[str] = frozenset()
"""Faults that are not found yet."""


@pytest.mark.parametrize("spelling", ALL, ids=lambda one: one[0])
def test_spelling(spelling: Spelling) -> None:
    name, rules, text = spelling
    bad, lines = program(text, True)
    got = found(bad)
    assert (name in OPEN) is not any(rule in rules and near & lines for rule, near, _ in got), got
    good, _ = program(text, False)
    assert not found(good)


@pytest.mark.parametrize("text", spellings_arrays.SILENT)
def test_nothing_is_said(text: str) -> None:
    assert not found(HEAD + spellings_arrays.KERNEL + text)
