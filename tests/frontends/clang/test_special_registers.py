"""Special registers in inline PTX that have one percent sign."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.frontends.clang.sregs import escaped
from tests.rules.marked import assert_marked


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (b'asm("mov.u32 %0, %laneid;" : "=r"(lane));', False),
        (b'asm volatile("mov.u64 %0, %globaltimer;\\n" : "=l"(t));', False),
        (b'asm("mad.lo.u32 %0, %ctaid.y, %ntid.x, %1;" : "=r"(i) : "r"(j));', False),
        (b'asm("mov.u32 %0, %%laneid;" : "=r"(lane));', True),
        (b'asm("add.u32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));', True),
        (b'asm("mov.u32 %[smid], 0;" : [smid] "=r"(c));', True),
        (b"int c = n %clock64; asm();", True),
    ],
)
def test_a_second_sign_in_place_of_the_first_letter(text: bytes, same: bool) -> None:
    out = escaped(text)
    assert len(out) == len(text)
    assert (out == text) == same


@pytest.mark.parametrize("clock", ['asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t))', "t = clock64()"])
def test_a_clock_that_ends_the_rounds_of_some_warps(clock: str) -> None:
    code = f"""
__device__ long long now() {{ long long t; {clock}; return t; }}
__global__ void steps(float *x, long long most) {{
    __shared__ float part[256];
    __shared__ int over;
    const long long start = now();
    for (;;) {{
        STOP
        part[threadIdx.x] = x[threadIdx.x];
        __syncthreads();MARK
        x[threadIdx.x] = part[255 - threadIdx.x];
        __syncthreads();
    }}
}}
"""
    own = code.replace("STOP", "if (now() - start > most) break;").replace("MARK", " // bad")
    assert_marked(BarrierDivergence, own)
    one = "if (threadIdx.x == 0) over = now() - start > most; __syncthreads(); if (over) break;"
    assert_marked(BarrierDivergence, code.replace("STOP", one).replace("MARK", ""))
