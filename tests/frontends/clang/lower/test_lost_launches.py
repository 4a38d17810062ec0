"""Launches in host code of which the compiler kept too little."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

COMPACT = """
#include <library/gemm.h>
template <typename A> __global__ void compact(long count, A *x, long *places, const long *sizes) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int used;
    if (threadIdx.x == 0) used = 0;
    __syncthreads();
    if (i < count && sizes[i] > 0) places[atomicAdd(&used, 1)] = i;
}
template <typename Input> void run(Input x, long *places, const long *sizes, long count) {
    using Operation = library::Gemm<float>;
    using Element = typename Operation::Element;
    CALL
}
template <typename Input> void again(Input x, long *places, const long *sizes, long count) {
    using Element = typename library::Gemm<float>::Element;
    OTHER
}
"""
CALL = "compact<<<SIZES>>>(count, reinterpret_cast<Element *>(x.data()), places, sizes);"


@pytest.mark.parametrize(
    ("sizes", "other", "bad"),
    [
        ("1, count, 0, x.stream()", "", False),
        ("dim3(1, 1, 1), dim3(count)", "", False),
        ("1, 256", "// compact<<<4, count>>> of old", False),
        ("4, 256", "", True),
        ("blocks(count), 256", "", True),
    ],
)
def test_sizes_that_the_text_gives(sizes: str, other: str, bad: bool) -> None:
    code = COMPACT.replace("CALL", CALL.replace("SIZES", sizes)).replace("OTHER", other)
    assert bool(findings(GlobalMemoryRace, code)) is bad
