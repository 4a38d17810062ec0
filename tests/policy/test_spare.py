"""What comments say of memory behind the last element of buffers."""

from __future__ import annotations

import pytest

from kernlint.policy.spare import READ, WRITTEN, said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Input buffers are allocated with 4 floats after their last element", {READ}),
        ("All buffers have 16 bytes of padding behind the last element", {READ, WRITTEN}),
        ("src and coeff are padded with 8 values past the end", {"src", "coeff"}),
        ("outputs are over-allocated by 4 elements beyond the last row", {WRITTEN}),
        ("Input buffers have no elements after the last one", set()),
        ("the input may have 4 floats after the last one", set()),
        ("reads four floats after the last row", set()),
        ("Output buffers have exactly n floats", set()),
    ],
)
def test_buffers(text: str, expected: set[str]) -> None:
    assert said(text) == expected
