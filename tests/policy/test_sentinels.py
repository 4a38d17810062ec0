"""What comments say of numbers in index arrays that are no place."""

from __future__ import annotations

import pytest

from kernlint.policy.sentinels import beside, said


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("slots: [tokens], -1 for rows of padding", ["slots"]),
        ("topk_ids is -1 in the rows of padding", ["topk_ids"]),
        ("parent[i] is -1 at the root", ["parent"]),
        ("left, right: first places of children, or -1", ["left", "right"]),
        ("ids are in 0 .. n-1", []),
        ("values are never -1", []),
        ("x is -1 * y", []),
        ("find returns -1 where there is none", []),
    ],
)
def test_named_arrays(text: str, names: list[str]) -> None:
    assert said(text) == names


@pytest.mark.parametrize(
    ("text", "told"),
    [("-1 where there is none", True), ("place of the item, or -1", True), ("n - 1 entries", False), ("-1.0", False)],
)
def test_beside_a_parameter(text: str, told: bool) -> None:
    assert bool(beside(text, "const int *next,")) is told
