"""Kinds of false alarm that real code showed, and the faults beside them that must still be seen."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

CASES: dict[str, tuple[RuleClass, str]] = {
    "a view of an object by a type that the host excludes": (
        ArrayIndexOutOfRange,
        """
template <typename T>
__global__ void pack(const T *in, T *out) {
    const int4 held = *reinterpret_cast<const int4 *>(&in[threadIdx.x * 8]);
    const T *v = reinterpret_cast<const T *>(&held);
    T sum = 0;
    for (int k = 0; k < 8; ++k) sum += v[k];
    out[threadIdx.x] = sum;
}
void run(const void *in, void *out, int kind) {
    if (kind == 1) pack<float><<<1, 64>>>((const float *)in, (float *)out);
    else pack<short><<<1, 64>>>((const short *)in, (short *)out);
}
""",
    ),
    "the same view by one type": (
        ArrayIndexOutOfRange,
        """
__global__ void pack(const float *in, float *out) {
    const int4 held = *reinterpret_cast<const int4 *>(&in[threadIdx.x * 8]);
    const float *v = reinterpret_cast<const float *>(&held);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += v[k]; // bad
    out[threadIdx.x] = sum;
}
""",
    ),
    "a position computed in an array of the thread's own": (
        FloatingPointIndex,
        """
__global__ void turn(const float *in, float *out, const float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float at[2] = {m[0] * x + m[1] * y, m[2] * x + m[3] * y};
    int u = at[0];
    if (x < width && u >= 0 && u < width) out[y * width + x] = in[y * width + u];
}
""",
    ),
    "a flattened index of the block beside rows of x": (
        GlobalMemoryRace,
        """
__global__ void rows(float *out, unsigned *clear, const float *in, int dim, int n) {
    int at = blockIdx.x * dim + threadIdx.x;
    if (threadIdx.x < dim) out[at] = in[at] * 2.0f;
    unsigned block = blockIdx.x * gridDim.y + blockIdx.y;
    unsigned all = gridDim.x * gridDim.y * blockDim.x;
    for (unsigned k = block * blockDim.x + threadIdx.x; k < n; k += all) clear[k] = 0u;
}
""",
    ),
    "a loop from and to the thread's own element": (
        BarrierDivergence,
        """
__global__ void steps(float *d, const float *v, int T, int C, int B, int H) {
    __shared__ float k[64];
    const int tid = threadIdx.x, b = blockIdx.x / H, h = blockIdx.x % H, n = T / B;
    for (int t = b * n * C + h * 64 + tid; t < (b + 1) * n * C + h * 64 + tid; t += C) {
        __syncthreads();
        k[tid] = v[t];
        __syncthreads();
        d[t] = k[63 - tid];
    }
}
""",
    ),
    "readers picked in floating point": (
        SharedMemoryRace,
        """
__global__ void __launch_bounds__(256) sums(const float *in, float *out, int n) {
    __shared__ float part[33];
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = in[i * 256 + threadIdx.x];
        __syncthreads();
        float v = threadIdx.x < (blockDim.x / 32.f) ? part[threadIdx.x % 32] : 0.0f;
        __syncthreads();
        if (threadIdx.x < 8) out[i * 8 + threadIdx.x] = v;
    }
}
""",
    ),
    "a scratch array of a helper that is called twice": (
        SharedMemoryRace,
        """
__device__ float total(float v, float *part) {
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; // bad
    __syncthreads();
    return part[threadIdx.x % 8];
}
__global__ void __launch_bounds__(256) twice(const float *in, float *out) {
    __shared__ float part[8];
    float a = total(in[threadIdx.x], part);
    float b = total(in[threadIdx.x] * a, part);
    out[threadIdx.x] = a + b;
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    rule, code = CASES[name]
    assert_marked(rule, code)


WARPS = """
__global__ void __launch_bounds__(256) combine(float *x) {
    __shared__ float part[8][32];
    float v = x[threadIdx.y * 32 + threadIdx.x];
    part[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    if (%s %% 2 == 0) {
        v += part[threadIdx.y + 1][threadIdx.x];
        __syncthreads();
        part[threadIdx.y][threadIdx.x] = v;
    } else {
        %s;
    }
    __syncthreads();
    x[threadIdx.y * 32 + threadIdx.x] = v + part[0][threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("index", "other", "level"),
    [
        ("threadIdx.y", "__syncthreads()", Severity.NOTE),
        ("threadIdx.y", "v += 1.0f", Severity.WARNING),
        ("threadIdx.x", "__syncthreads()", Severity.WARNING),
    ],
)
def test_whole_warps_with_a_barrier_on_each_side(index: str, other: str, level: Severity) -> None:
    found = findings(BarrierDivergence, WARPS % (index, other))
    assert found
    assert all((f.severity is Severity.NOTE) == (level is Severity.NOTE) for f in found)
