"""How much data there is, as comments state it."""

from __future__ import annotations

import pytest

from kernlint.policy.amounts import said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prompts of up to 1M tokens, 128 heads of size 128", {(1_000_000, 128, 128)}),
        ("the number of rows can be raised up to 65000 rows with enough memory", {(65000,)}),
        ("Lattices go up to 128^3 x 64 sites.", {(128**3, 64)}),
        ("row by row. Up to 50 million rows and 5000 columns.", {(50_000_000, 5000)}),
        ("2x2 pooling. Inputs such as 2933 x 190 x 64 x 64 are met.", {(2933, 190, 64, 64)}),
        ("at most 512 slots; up to 64 million atoms", {(512,), (64_000_000,), (64_000_000, 512)}),
        ("Fields have more than 2^31 entries in large runs", {(1 << 31,)}),
        ("files of up to 64 GB, in 3 ms, 16-bit", set()),
        ("more than 2^31 elements are refused by the host", set()),
        ("not made for 40000 x 40000 images", set()),
        ("tiles of 64 x 64", set()),
        ("the year is 2019, and version 3 of it", set()),
    ],
)
def test_said(text: str, expected: set[tuple[int, ...]]) -> None:
    assert set(said(text)) == expected
