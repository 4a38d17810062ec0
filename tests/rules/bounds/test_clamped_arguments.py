"""Arrays that are gone through as far as an argument says which the kernel itself clamps to a number."""

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_marked, findings

BINS = """
__kernel void levels(__global const uchar *pixels, __global uint *out, const uint planes, const uint n) {
    __local uint table[SIZE];
    const uint used = min(planes, (uint)LIMIT);
    const uint lid = get_local_id(0);
    MORE
    for (uint i = lid; i < 64 * used; i += get_local_size(0))
        table[i] = 0;MARK
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n) atomic_inc(&table[pixels[get_global_id(0)] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 64) atomic_add(&out[lid], table[lid]);
}
"""


def code(size: str, limit: str, more: str = "", bad: bool = False) -> str:
    text = BINS.replace("SIZE", size).replace("LIMIT", limit).replace("MORE", more)
    return text.replace("MARK", " // bad" if bad else "")


@pytest.mark.parametrize(
    ("size", "limit", "more", "bad"),
    [
        ("64", "4", "", True),
        ("128", "4", "", True),
        ("256", "4", "", False),
        ("64", "1", "", False),
        ("64", "4", "if (planes > 1) return;", False),  # the kernel asks more of the argument
    ],
)
def test_as_far_as_the_clamp(size: str, limit: str, more: str, bad: bool) -> None:
    assert_marked(ArrayIndexOutOfRange, code(size, limit, more, bad), "opencl")


def test_what_is_said() -> None:
    (found,) = findings(ArrayIndexOutOfRange, code("64", "4"), "opencl")
    assert "with planes = 4, which the clamp allows, " in found.message
    assert found.severity.name == "WARNING"


LAUNCHED = """
__global__ void fill(float *out, int parts) {
    __shared__ float sums[64];
    for (int i = threadIdx.x; i < 32 * min(parts, 8); i += blockDim.x)
        sums[i] = 0;MARK
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}
void run(float *out, int parts) {
    CHECK
    fill<<<4, 32>>>(out, PASSED);
}
"""


@pytest.mark.parametrize(
    ("check", "passed", "bad"),
    [("", "parts", True), ("", "2", False), ("if (parts > 2) return;", "parts", False), ("", "min(parts, 2)", False)],
)
def test_what_a_launch_says_counts(check: str, passed: str, bad: bool) -> None:
    text = LAUNCHED.replace("CHECK", check).replace("PASSED", passed)
    assert_marked(ArrayIndexOutOfRange, text.replace("MARK", " // bad" if bad else ""))
