"""Every example of every rule of this pack is run and compared with its marks."""

import pytest

from kernlint.testing import cases, check


@pytest.mark.parametrize("case", cases("kernlint_contention"), ids=str)
def test_example(case):
    check(case)
