"""What one use of an array says of its extent, asked of the others; and uses that say nothing."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

CASES: dict[str, tuple[RuleClass, str, str]] = {
    "what is stored for all threads is made of what some have read": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void shade(const float *height, const float *sun, float *light, int cells) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float h = 0.0f;
    if (c < cells) h = height[c];
    light[c] = h * sun[0] + 1.0f;  // bad
}
""",
    ),
    "padding is filled with a copy and zeros": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void pad(const float *in, float *padded, int cells) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    padded[c] = c < cells ? in[c] : 0.0f;
}
""",
    ),
    "a table has room for all threads, and writes are tested": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void pick(const float *table, float *out, int n) {
    float v = table[threadIdx.x];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = v;
}
""",
    ),
    "the last step of a tile is tested for one array": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void dots(const float *x, const float *y, float *out, int n) {
    float sum = 0.0f;
    for (int first = 0; first < n; first += 64) {
        int k = first + threadIdx.x;
        float a = k < n ? x[k] : 0.0f;
        sum += a * y[k];  // bad
    }
    atomicAdd(out, sum);
}
""",
    ),
    "whole tiles are taken for granted everywhere": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void dots(const float *x, const float *y, float *out, int n) {
    float sum = 0.0f;
    for (int first = 0; first < n; first += 64) sum += x[first + threadIdx.x] * y[first + threadIdx.x];
    atomicAdd(out, sum);
}
""",
    ),
    "a crop reads what it tests against and writes smaller rows": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void place(const float *in, float *out, int in_w, int in_h, int out_w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < in_w && y < in_h) out[y * out_w + x] = in[y * in_w + x];
}
""",
    ),
    "a nearest neighbour is looked up in the source and stored by the source's width": (
        WrongBoundsGuard,
        "opencl",
        """
__kernel void shrink(__global const float *in, __global float *out, const int in_w, const int out_w, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= in_w || y >= rows) return;
    out[y * out_w + x] = in[y * in_w + x * in_w / out_w];  // bad
}
""",
    ),
    "the test comes after the read": (
        LateBoundsGuard,
        "opencl",
        """
__kernel void fold(__global const float *in, __global float *out, const int n, __local float *part) {
    const int i = get_global_id(0);
    part[get_local_id(0)] = in[i];  // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) out[i] = part[get_local_id(0) ^ 1];
}
""",
    ),
    "an argument may be as large as its test lets it": (
        ArrayIndexOutOfRange,
        "cuda",
        """
__global__ void ranks(const int *in, int *out, int count) {
    __shared__ int held[128];
    if (count > 128) return;
    for (int k = 0; k <= count; ++k) held[k] = in[k];  // bad
    __syncthreads();
    out[threadIdx.x] = held[threadIdx.x & 63];
}
""",
    ),
    "an argument is kept small enough": (
        ArrayIndexOutOfRange,
        "cuda",
        """
__global__ void ranks(const int *in, int *out, int count) {
    __shared__ int held[129];
    if (count > 128) return;
    for (int k = 0; k <= count; ++k) held[k] = in[k];
    __syncthreads();
    out[threadIdx.x] = held[threadIdx.x & 63];
}
""",
    ),
    "a mark for nothing is used as an index": (
        NegativeIndex,
        "cuda",
        """
__global__ void label(const int *key, const int *name, int *out, int n, int wanted) {
    int at = -1;
    for (int k = 0; k < n; ++k)
        if (key[k] == wanted) at = k;
    out[threadIdx.x] = name[at];  // bad
}
""",
    ),
    "a search that something always wins, and one that is asked": (
        NegativeIndex,
        "cuda",
        """
__global__ void label(const float *cost, const int *key, const int *name, int *out, int n, int wanted) {
    int best = -1, at = -1;
    float least = 3.0e38f;
    bool found = false;
    for (int k = 0; k < n; ++k) {
        if (cost[k] < least) {
            least = cost[k];
            best = k;
        }
        if (key[k] == wanted) {
            at = k;
            found = true;
        }
    }
    out[threadIdx.x] = name[best];
    if (found) out[threadIdx.x + 256] = name[at];
}
""",
    ),
    "a vector of which the first element is tested, in rows of a loop": (
        WrongBoundsGuard,
        "opencl",
        """
__kernel void columns(__global const float *in, __global float *out, const int rows, const int width) {
    const int c = 4 * get_global_id(0);
    if (c >= width) return;
    float4 sum = (float4)(0.0f);
    for (int r = 0; r < rows; ++r) sum += vload4(0, in + r * width + c);  // bad
    for (int k = 0; k < 4 && c + k < width; ++k) out[c + k] = k == 0 ? sum.x : sum.y;
}
""",
    ),
    "the step before is left out for the first one, in 64 bits": (
        NegativeIndex,
        "cuda",
        """
__global__ void march(const float *first, float *steps, long long count, long long lanes, long long depth,
                      long long w) {
    long long h = blockIdx.x, x = threadIdx.x;
    if (h >= lanes || x >= w) return;
    for (long long t = 0; t < count; ++t) {
        const float *before = t == 0 ? first : steps + (t - 1) * (lanes * depth * w);
        for (long long k = 0; k < depth; ++k) {
            long long at = h * depth * w + x + k * w;
            steps[t * (lanes * depth * w) + at] = 0.5f * before[at];
        }
    }
}
""",
    ),
    "each thread takes three vectors, and there are as many threads as vectors": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void halve(float2 *v, int values) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < values / 2)
        for (int k = 0; k < 3; ++k) v[3 * t + k].x *= 0.5f;  // bad
}
""",
    ),
    "each thread takes three vectors, and there are so many fewer threads": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void halve(float2 *v, int values) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < values / 6)
        for (int k = 0; k < 3; ++k) v[3 * t + k].x *= 0.5f;
}
""",
    ),
    "data are clamped to the size instead of the last index": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void grade(const float *x, const float *curve, float *out, int n, int knots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = min(max((int)x[i], 0), knots);
    float v = curve[k];  // bad
    if (k + 1 < knots) v = 0.5f * (v + curve[k + 1]);
    out[i] = v;
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    rule, language, code = CASES[name]
    wanted = {number for number, line in enumerate(code.splitlines(), 1) if line.endswith("// bad")}
    loud = [one for one in findings(rule, code, language) if one.severity is not Severity.NOTE]
    assert {code.encode()[: one.span.start].count(b"\n") + 1 for one in loud} == wanted
