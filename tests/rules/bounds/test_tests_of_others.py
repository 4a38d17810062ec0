"""An index that only grows is tested against nothing that lies before the array."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import findings

GROWING = """
__global__ void nearest(const float *all, float *least, int *where, int j, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (all[i] < least[i] && i > j) { least[i] = all[i]; where[i] = j; }
}
"""

FALLING = """
__global__ void first(const float *all, int *where, int from, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int i = t - 1;
    while (all[i] > 0.5f && i > from) --i;
    where[t] = i;
}
"""


@pytest.mark.parametrize(("text", "told"), [(GROWING, False), (FALLING, True)])
def test_lower_bound(text: str, told: bool) -> None:
    assert bool(findings(LateBoundsGuard, text)) is told
