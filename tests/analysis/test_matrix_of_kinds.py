"""Faults of the kinds that are not bounds, each in the ways that real code has of getting to them, with their twins.

A fault is told for what it is, not for how an index, a pointer, a barrier or a launch reaches it.  Each cell of the
matrix is a fault in a context: the kernel with the fault is told of by one of the rules named, its mended twin by none.
:data:`LOST` are the cells that are not told, by reason.
"""

from __future__ import annotations

import functools
import re

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.rule import RuleClass
from tests.rules.marked import findings

HERE = "blockIdx.x * blockDim.x + threadIdx.x"
FAULTS: dict[str, tuple[RuleClass, str, str]] = {
    "unpublished": (
        SharedMemoryRace,
        "s[t] = in[i]; out[i] = s[B - 1 - t];",
        "s[t] = in[i]; SYNC; out[i] = s[B - 1 - t];",
    ),
    "no barrier in rounds": (
        SharedMemoryRace,
        "s[t] = in[i]; SYNC; for (int w = B / 2; w > 0; w >>= 1) { if (t < w) s[t] += s[t + w]; } out[i] = s[0];",
        "s[t] = in[i]; SYNC; for (int w = B / 2; w > 0; w >>= 1) { if (t < w) s[t] += s[t + w]; SYNC; } out[i] = s[0];",
    ),
    "next round": (
        SharedMemoryRace,
        "float sum = 0; for (int k = 0; k < n; k += B) { s[t] = in[k + t]; SYNC;"
        " for (int j = 0; j < B; ++j) sum += s[j]; } out[i] = sum;",
        "float sum = 0; for (int k = 0; k < n; k += B) { s[t] = in[k + t]; SYNC;"
        " for (int j = 0; j < B; ++j) sum += s[j]; SYNC; } out[i] = sum;",
    ),
    "barrier of some": (
        BarrierDivergence,
        "if (i < n) { s[t] = in[i]; SYNC; out[i] = s[t ^ 1]; }",
        "s[t] = i < n ? in[i] : 0.0f; SYNC; if (i < n) out[i] = s[t ^ 1];",
    ),
    "all to one": (GlobalMemoryRace, "out[0] += in[i];", "atomicAdd(&out[0], in[i]);"),
    "in place": (
        GlobalMemoryRace,
        "if (i > 0 && i < n - 1) out[i] = out[i - 1] + out[i + 1];",
        "if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];",
    ),
    "sum of nothing": (
        UninitialisedPrivate,
        "float sum; for (int j = i; j < n; j += 1024) sum += in[j]; out[i] = sum;",
        "float sum = 0; for (int j = i; j < n; j += 1024) sum += in[j]; out[i] = sum;",
    ),
    "part of a table": (
        UninitialisedSharedMemory,
        "if (t < 64) s[t] = 0; SYNC; atomicAdd(&s[(int)in[i] & 255], 1.0f); SYNC; out[i] = s[t];",
        "s[t] = 0; SYNC; atomicAdd(&s[(int)in[i] & 255], 1.0f); SYNC; out[i] = s[t];",
    ),
}
TAKEN = "const float *in, float *out, int n"
LAUNCH = f"void go({TAKEN}) {{ k<<<(n + 255) / 256, 256>>>(in, out, n); }}"
BEGIN = f"__shared__ float s[256]; int t = threadIdx.x, i = {HERE};"
CONTEXTS: dict[str, str] = {
    "as it is": f"__global__ void k({TAKEN}) {{ {BEGIN} BODY }} {LAUNCH}",
    "helper": f"__device__ void work(float *s, {TAKEN}, int t, int i) {{ BODY }} __global__ void k({TAKEN})"
    f" {{ __shared__ float s[256]; work(s, in, out, n, threadIdx.x, {HERE}); }} {LAUNCH}",
    "member": "struct R { float *s; const float *in; float *out; int n; __device__ void run(int t, int i) { BODY } };"
    f" __global__ void k({TAKEN}) {{ __shared__ float b[256]; R r; r.s = b; r.in = in; r.out = out; r.n = n;"
    f" r.run(threadIdx.x, {HERE}); }} {LAUNCH}",
    "lambda": f"__global__ void k({TAKEN}) {{ __shared__ float s[256]; auto work = [&](int t, int i) {{ BODY }};"
    f" work(threadIdx.x, {HERE}); }} {LAUNCH}",
    "template": f"template <typename T, int W> __global__ void k(const T *in, T *out, int n) {{ __shared__ T s[W];"
    f" int t = threadIdx.x, i = blockIdx.x * W + t; BODY }}"
    f" void go({TAKEN}) {{ k<float, 256><<<(n + 255) / 256, 256>>>(in, out, n); }}",
    "left by all": f"__global__ void k({TAKEN}, const int *done) {{ {BEGIN} if (*done) return; BODY }}"
    f" void go({TAKEN}, const int *done) {{ k<<<(n + 255) / 256, 256>>>(in, out, n, done); }}",
    "one mode": f"__global__ void k({TAKEN}, int mode) {{ {BEGIN} if (mode == 1) {{ BODY }} }}"
    f" void go({TAKEN}, int mode) {{ k<<<(n + 255) / 256, 256>>>(in, out, n, mode); }}",
    "slice": f"__global__ void k({TAKEN}) {{ __shared__ float all[4][256]; float *s = all[blockIdx.x & 3];"
    f" int t = threadIdx.x, i = {HERE}; BODY }} {LAUNCH}",
    "group": f"#include <cooperative_groups.h>\n__global__ void k({TAKEN}) {{ __shared__ float s[256];"
    f" auto g = cooperative_groups::this_thread_block(); int t = g.thread_rank(), i = {HERE}; BODY }} {LAUNCH}",
    "second of two": f"__global__ void first(float *out, int n) {{ int i = {HERE}; if (i < n) out[i] = 0; }}"
    f" __global__ void k({TAKEN}) {{ {BEGIN} BODY }} void go({TAKEN}) {{ first<<<(n + 255) / 256, 256>>>(out, n);"
    " k<<<(n + 255) / 256, 256>>>(in, out, n); }",
}
LOST: dict[tuple[str, str], str] = {}
"""Cells that are not told, with the reason."""


@functools.cache
def code(context: str, body: str) -> str:
    """A body in a context."""
    width = "W" if context == "template" else "256"
    sync = "g.sync()" if context == "group" else "__syncthreads()"
    body = re.sub(r"\bB\b", width, body).replace("SYNC", sync)
    return CONTEXTS[context].replace("BODY", body)


FILLED = f"""
__global__ void k(const float *in, float *out, int m) {{
    __shared__ float s[256];
    int t = threadIdx.x, i = {HERE};
    if (t < m) s[t] = 0;
    __syncthreads();
    if (ASKED) atomicAdd(&s[(int)in[i] & 255], 1.0f);
    __syncthreads();
    if (t < m) out[i] = s[t];
}}
void go(const float *in, float *out, int n, int m) {{ k<<<(n + 255) / 256, 256>>>(in, out, m); }}
"""


@pytest.mark.parametrize(("asked", "bad"), [("m == 256", False), ("m >= 256", False), ("m > 0", True)])
def test_a_place_that_data_name_is_read_where_the_conditions_hold(asked: str, bad: bool) -> None:
    assert bool(findings(UninitialisedSharedMemory, FILLED.replace("ASKED", asked))) is bad


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_each_context_and_its_twin_in_none(fault: str, context: str) -> None:
    rule, bad, good = FAULTS[fault]
    assert not findings(rule, code(context, good))
    assert bool(findings(rule, code(context, bad))) is ((fault, context) not in LOST)
