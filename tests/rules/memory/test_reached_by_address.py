"""Private variables that are stored to by way of an address, and such whose address nobody stores to."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked

CASES = {
    "loaded by assembly in a helper": """
template <int N> __device__ void fetch(void *to, const void *from);
template <> __device__ void fetch<4>(void *to, const void *from) {
    int *word = reinterpret_cast<int *>(to);
    asm volatile("ld.global.ca.u32 {%0}, [%1];" : "=r"(*word) : "l"(from));
}
__global__ void spread(const int *next, int *out) {
    int at;
    fetch<4>(&at, next + threadIdx.x);
    out[at] = 1;
}
""",
    "the helper that loads gets another one's": """
template <int N> __device__ void fetch(void *to, const void *from);
template <> __device__ void fetch<4>(void *to, const void *from) {
    int *word = reinterpret_cast<int *>(to);
    asm volatile("ld.global.ca.u32 {%0}, [%1];" : "=r"(*word) : "l"(from));
}
__global__ void spread(const int *next, int *out) {
    int at, other;
    fetch<4>(&other, next + threadIdx.x);
    out[at] = other;  // bad
}
""",
    "handed over as bytes, out of sight": """
__device__ void fill(void *to);
__global__ void spread(int *out) {
    int at;
    void *bytes = &at;
    fill(bytes);
    out[at] = 1;
}
""",
    "addresses in a list": """
__global__ void spread(const int *next, int *out) {
    int a, b;
    int *both[2] = {&a, &b};
    for (int i = 0; i < 2; ++i) *both[i] = next[i];
    out[a + b] = 1;
}
""",
    "one of two addresses": """
__global__ void spread(const int *next, int *out, int swapped) {
    int a, b;
    int *first = swapped ? &b : &a;
    *first = next[0];
    first = swapped ? &a : &b;
    *first = next[1];
    out[a + b] = 1;
}
""",
    "halves of a wide one": """
__global__ void spread(const int *next, int *out) {
    long long wide;
    int *half = reinterpret_cast<int *>(&wide);
    half[0] = next[0];
    half[1] = next[1];
    out[wide & 255] = 1;
}
""",
    "a helper that stores for some threads": """
__device__ void fetch(int *to, int i, const int *next, int n) {
    if (i < n) *to = next[i];
}
__global__ void spread(const int *next, int *out, int n) {
    int at;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    fetch(&at, i, next, n);
    out[i] = at;  // bad
}
""",
    "an object that points to another one": """
struct Cell {
    int *at;
    __device__ void set(int value) { *at = value; }
};
__global__ void spread(const int *next, int *out) {
    int a, b;
    Cell cell{&b};
    cell.set(next[threadIdx.x]);
    out[a] = b;  // bad
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(UninitialisedPrivate, CASES[name])
