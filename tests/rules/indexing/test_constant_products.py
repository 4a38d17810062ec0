"""Operations on constants that leave 32 bits, and those that only look like it."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked

KERNEL = """
#define SLOTS 90000000
constexpr int WIDTH = 48;
template <int N> struct Table { static constexpr long long bytes = (long long)N * 64; };
__global__ void place(const unsigned long long *key, unsigned *slot) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
    slot[i] = (unsigned)(key[i] %% room);
}
"""

CUDA = {
    "widened when it is done": KERNEL % "const unsigned long long room = SLOTS * WIDTH; // bad",
    "in a conversion": KERNEL % "unsigned long long room = (unsigned long long)(WIDTH * SLOTS) + 1ull; // bad",
    "a sum": KERNEL % "long long room = 2000000000 + SLOTS * 10; // bad",
    "without a sign, and widened": KERNEL % "unsigned long long room = SLOTS * 48u; // bad",
    "widened first": KERNEL % "const unsigned long long room = (unsigned long long)SLOTS * WIDTH;",
    "it fits": KERNEL % "const long long room = SLOTS * 16;",
    "the least number": KERNEL % "const long long room = -2147483647 - 1;",
    "bits that are mixed": KERNEL % "const unsigned room = 0x9e3779b9u * 0x85ebca6bu;",
    "a step of a hash": KERNEL % "const unsigned room = 2166136261u * 33u;",
    "in a type": KERNEL % "const long long room = Table<SLOTS>::bytes;",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(IndexOverflow, CUDA[name])


def test_numbers_of_an_instance_that_nobody_asks_for() -> None:
    code = """
template <int ROWS, int COLUMNS>
__global__ void fill(float *x) {
    const long long cells = ROWS * COLUMNS * 65536;
    x[threadIdx.x] = (float)cells;
}
"""
    assert_marked(IndexOverflow, code)


ATLAS = """
struct Atlas {
    static constexpr size_t texels() { return (size_t)16384 * 16384 * LAYERS; }
};
__global__ void lighten(float *depth) {
    const INDEX step = gridDim.x * blockDim.x;
    for (INDEX t = blockIdx.x * blockDim.x + threadIdx.x; t < Atlas::texels(); t += step) depth[t] += 1.0f;  // bad
}
"""


@pytest.mark.parametrize(
    ("layers", "index", "bad"), [("12", "int", True), ("7", "int", False), ("12", "unsigned", False)]
)
def test_numbers_that_an_index_never_gets_to(layers: str, index: str, bad: bool) -> None:
    code = ATLAS.replace("LAYERS", layers).replace("INDEX", index)
    assert_marked(IndexOverflow, code if bad else code.replace("// bad", ""))
