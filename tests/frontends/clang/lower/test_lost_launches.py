"""Launches in host code of which the compiler kept too little."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
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


TURN = """
#include <library/gemm.h>
template <typename A> __global__ void turn(long count, A *x, const long *sizes) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        __shared__ long first;
        if (i == 0) first = sizes[0];
        __syncthreads();
        x[i] = first;
    }
}
template <typename Input> void run(Input x, const long *sizes, long count) {
    using Element = typename library::Gemm<float>::Element;
    const int groups = x.size(0), others = x.size(1);
    turn<<<1, BLOCK, 0, x.stream()>>>(FIRST, reinterpret_cast<Element *>(x.data()), sizes);
}
"""


@pytest.mark.parametrize(
    ("block", "first", "bad"),
    [
        ("count", "count", False),
        ("groups", "groups", False),
        ("dim3(groups, 1)", "groups", False),
        ("others", "groups", True),
        ("256", "count", True),
    ],
)
def test_a_block_as_large_as_an_argument(block: str, first: str, bad: bool) -> None:
    code = TURN.replace("BLOCK", block).replace("FIRST", first)
    assert bool(findings(BarrierDivergence, code)) is bad
