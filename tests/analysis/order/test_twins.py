"""Each fault of order in a kernel of its own is found, and its correct twin gives rise to nothing at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.finding import Severity
from tests.analysis.order.twins import PAIRS, kinds, said, twin

FILES = sorted(PAIRS.iterdir())

OPEN: frozenset[tuple[str, bool]] = frozenset()
"""(file, broken) where what is said is not right yet."""


def cases(broken: bool) -> list[object]:
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.xfail(strict=True)] if (path.name, broken) in OPEN else [])
        for path in FILES
    ]


@pytest.mark.parametrize("path", cases(True))
def test_broken(path: Path) -> None:
    found = said(path, twin(path, broken=True))
    assert {name for name, severity, _ in found if severity is not Severity.NOTE} & kinds(path), found


@pytest.mark.parametrize("path", cases(False))
def test_correct(path: Path) -> None:
    found = said(path, twin(path, broken=False))
    assert not [one for one in found if one[1] is not Severity.NOTE]
