"""Ranges of a table in 64 bits that one kernel goes through in 32 bits and another in 64."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked

WHOLE = """
__global__ void lengths(const long long *first, const float *x, float *sum, int nodes) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    float s = 0.0f;
    for (long long e = first[v]; e < first[v + 1]; ++e) s += x[e] * x[e];
    sum[v] = s;
}
"""

CUT = """
__global__ void degrees(const {type} *{name}, const int *to, int *count, int nodes) {{
    const int v = blockIdx.x;
    if (v >= nodes) return;
    const {kept} begin = {name}[v];
    const {kept} end = {name}[v + 1];
    for ({kept} e = begin + threadIdx.x; e < end; e += blockDim.x)
        atomicAdd(&count[to[e]], 1);{bad}
}}
"""

CUDA = {
    "the ends are kept in an int": WHOLE + CUT.format(type="long long", name="first", kept="int", bad=" // bad"),
    "the ends are kept whole": WHOLE + CUT.format(type="long long", name="first", kept="long long", bad=""),
    "another table": WHOLE + CUT.format(type="long long", name="starts", kept="int", bad=""),
    "a table of 32 bits": WHOLE + CUT.format(type="int", name="first", kept="int", bad=""),
    "no other kernel": CUT.format(type="long long", name="first", kept="int", bad=""),
    "one entry, and no range": WHOLE
    + """
__global__ void pick(const long long *first, const float *x, float *to, int nodes) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    const int e = first[v];
    to[v] = x[e];
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(IndexOverflow, CUDA[name])
