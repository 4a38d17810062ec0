"""Every example of every rule of every installed pack is run and compared with its marks."""

from __future__ import annotations

import pytest

from kernlint.testing import Case, cases, check


@pytest.mark.parametrize("case", cases(), ids=str)
def test_example(case: Case) -> None:
    check(case)
