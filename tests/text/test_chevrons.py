"""Launches with a space in their brackets."""

from __future__ import annotations

import pytest
from kernlint_rules.language.language_error import LanguageError

from kernlint.text.chevrons import joined
from tests.analysis.launched import launches_of, shown
from tests.rules.marked import findings

SPACED = """
template <typename T, int TILE>
__global__ void fill(T *to, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) to[i] = T(0);
}
template <typename T> void reset(T *to, int n) { fill<T, 64> << <(n + 63) / 64, 64 >> >(to, n); }
template void reset<float>(float *to, int n);
"""


def test_brackets_are_put_together() -> None:
    assert joined(b"k << <1, 32 >> > (x);") == b"k <<< 1, 32 >>>  (x);"
    assert joined(b"k<<<1, 32>>>(x);") == b"k<<<1, 32>>>(x);"


@pytest.mark.parametrize("text", [b"friend S &operator<< <T>(S &, T);", b"operator << <int>(s, 1);", b"a << 1;"])
def test_what_is_no_launch_stays(text: bytes) -> None:
    assert joined(text) == text


def test_such_a_launch_is_one() -> None:
    assert not findings(LanguageError, SPACED)
    (fact,) = launches_of(SPACED)
    assert fact.kernel is not None and not fact.kernel.forced
    assert "64" in shown(fact)
