"""Objects that are gone through as arrays of another type, in templates of which several instances are in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

LANES = """
template <typename T>
__global__ void cut(const T *in, T *out, const int *ends, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 four = *reinterpret_cast<const float4 *>(in + 4 * i);
    if (4 * i + 4 > ends[blockIdx.y]) {
        T *lane = reinterpret_cast<T *>(&four);
        for (int j = 0; j TEST; ++j) lane[j] = 4 * i + j < ends[blockIdx.y] ? lane[j] : T(0);
    }
    out[i] = T(four.x + four.y + four.z + four.w);
}
void run(float *x, int *y, OTHER *z, int n) {
    cut<<<dim3((n + 127) / 128, 8), 128>>>(x, x, y, n);
    cut<<<dim3((n + 127) / 128, 8), 128>>>(z, z, y, n);
}
"""


@pytest.mark.parametrize(
    ("test", "other", "bad"),
    [
        ("<= 4", "int", True),
        ("< 4", "int", False),
        ("< 4", "double", False),  # which of the two is handed what is there for it, the host decides
        ("<= 2", "double", True),
        ("< 8", "int", False),
    ],
)
def test_one_lane_too_many(test: str, other: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, LANES.replace("TEST", test).replace("OTHER", other))
    assert bool(found) is bad, [one.message for one in found]
