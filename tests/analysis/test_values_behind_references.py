"""Addresses of members of values that only a reference stands for."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

MEMBERS = """
template <class T, int L, class S> struct Ops {
    __device__ const T *begin() const { return ((S *)this)->first(); }
    __device__ T *begin() { return ((S *)this)->first(); }
    __device__ S least(const Ops<T, L, S> &other) const {
        const T *a = begin(), *b = other.begin();
        S made;
        T *to = made.begin();
        for (int i = 0; i < %s; i++) to[i] = a[i] < b[i] ? a[i] : b[i];%s
        return made;
    }
};
struct Triple : public Ops<unsigned, 3, Triple>%s {
    %s
    __device__ Triple() {}
    __device__ Triple(unsigned a, unsigned b, unsigned c) { x = a; y = b; z = c; }
    __device__ const unsigned *first() const { return &x; }
    __device__ unsigned *first() { return &x; }
};
__device__ Triple least(const Triple &a, const Triple &b) { return a.least(b); }
__device__ Triple cell(float at) { return Triple((unsigned)at, 0, 1); }
__global__ void k(unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Triple low = least(cell(0.5f * i), Triple(1, 2, 3));
    out[i] = low.x + low.y + low.z;
}
"""


@pytest.mark.parametrize(("bases", "members"), [(", public uint3", ""), ("", "unsigned x, y, z;")])
def test_a_member_of_a_value_has_the_others_beside_it(bases: str, members: str) -> None:
    rule = registry.load().get("KL104")
    assert_marked(rule, MEMBERS % ("3", "", bases, members))
    assert_marked(rule, MEMBERS % ("L + 1", "  // bad", bases, members))
