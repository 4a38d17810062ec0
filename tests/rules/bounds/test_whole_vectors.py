"""What must be a whole number of something, by how a kernel or its host go about it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from kernlint.finding import Severity
from tests.rules.bounds.test_wrong_axes import codes
from tests.rules.marked import findings

CUDA = """
__global__ void pairs(float *c, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i >= n) return;
    *(float2 *)&c[PLACE] = make_float2(1.0f, 2.0f);
}
"""

OPENCL = """
__kernel void pairs(__global float *c, int n) {
    int i = get_global_id(0) * 2;
    if (i >= n) return;
    vstore2((float2)(1.0f), 0, c + get_global_id(1) * n + i);
}
"""


def seen(code: str, language: str = "cuda") -> bool:
    return any(found.severity is not Severity.NOTE for found in findings(WrongBoundsGuard, code, language))


def test_rows_of_aligned_vectors_are_whole() -> None:
    """Else the second row would be misaligned; of a single row, and of vectors by elements, nothing follows."""
    assert not seen(CUDA.replace("PLACE", "blockIdx.y * n + i"))
    assert seen(CUDA.replace("PLACE", "i"))
    assert seen(OPENCL, "opencl")
    word = CUDA.replace("*(float2 *)&c[PLACE] = make_float2(1.0f, 2.0f)", "*(unsigned long long *)(c + PLACE) = 0")
    assert not seen(word.replace("PLACE", "blockIdx.y * n + i"))
    assert seen(word.replace("PLACE", "i"))


LAUNCH = """
extern __shared__ float x[];
__global__ void padded(const float *in, float *out, int k) {
    for (int i = threadIdx.x; i < k; i += blockDim.x) x[(i >> 5) * 34 + (i & 31)] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += blockDim.x) out[i] = x[(i >> 5) * 34 + (i & 31)];
}
void host(const float *in, float *out, int k) {
    padded<<<1, 256, SIZE>>>(in, out, k);
}
"""


@pytest.mark.parametrize(
    ("size", "short"),
    [
        ("k / 32 * 34 * sizeof(float)", False),
        ("(k >> 5) * 34 * sizeof(float)", False),
        ("(k + 31) / 32 * 34 * sizeof(float)", False),
        ("k / 32 * 33 * sizeof(float)", True),
        ("k * sizeof(float)", True),
    ],
)
def test_what_the_host_divides_is_a_multiple(size: str, short: bool) -> None:
    assert bool(findings(DynamicSharedMemoryOmitted, LAUNCH.replace("SIZE", size))) is short


MASKED = """
__global__ void mask(float *x, const unsigned *keep, const float *bias, int n, int dim) {
    float4 *quads = reinterpret_cast<float4 *>(x);
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float4 v = quads[i];
        v.x += keep[i] ? bias[i % dim] : 0.0f;
        quads[i] = v;
    }
    for (int i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x) x[i] += 1.0f;
}
void host(float *x, const unsigned *keep, const float *bias, int rows, int dim) {
    int count = COUNT;
    mask<<<(count + 255) / 256, 256>>>(x, keep, bias, count, dim / 4);
}
"""


@pytest.mark.parametrize(
    ("count", "bad"), [("rows * dim / 4", False), ("(rows * dim) >> 2", False), ("rows * dim", True)]
)
def test_what_the_host_divides_counts_vectors(count: str, bad: bool) -> None:
    assert seen(MASKED.replace("COUNT", count)) is bad


ROWS = """
__kernel void lighten(__global const float *in, __global float *out, int across, int down, int in_step, int out_step) {
  int x = get_global_id(0) * 8;
  const int y = get_global_id(1);
  if (x >= across || y >= down) return;
  in += y * in_step; out += y * out_step;
  if (x + 8 <= across) vstore8(vload8(0, in + x) * 1.5f, 0, out + x);
  else for (; x < across; ++x) out[x] = in[x] * 1.5f;
}
"""

OTHER = """
__kernel void darken(__global const float *in, __global float *out, int across, int down, int in_step, int out_step) {
  const int x = get_global_id(0) * 8, y = get_global_id(1);
  if (x >= across || y >= down) return;
  %svstore8(vload8(0, in + y * in_step + x) * 0.5f, 0, out + y * out_step + x);
}
"""


@pytest.mark.parametrize(
    ("before", "test", "wrong"),
    [
        (ROWS, "", True),
        (ROWS, "if (x + 8 <= across) ", False),
        # rows with a distance of their own may end in padding, as far as anybody knows
        ("", "", False),
        (ROWS.split("  else for")[0] + "}\n", "", False),
    ],
)
def test_rows_that_others_end_one_by_one(before: str, test: str, wrong: bool) -> None:
    assert codes(before + OTHER % test, "k.cl") == (["KL102"] if wrong else [])


FOURS = """
__global__ void shade(const float *in, float *out, int across, int pitch_in, int pitch_out) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y;
  if (x + 3 < across) { for (int k = 0; k < 4; ++k) out[y * pitch_out + x + k] = in[y * pitch_in + x + k] * 0.5f; }
  else for (int k = x; k < across; ++k) out[y * pitch_out + k] = in[y * pitch_in + k] * 0.5f;
}
"""

SUM = """
__global__ void sum(const float *in, float *out, int across, int pitch_in, int pitch_out) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y;
  if (x >= across) return;
  for (int k = 0; k < 4; ++k) %sout[y * pitch_out + x + k] += in[y * pitch_in + x + k];
}
"""


@pytest.mark.parametrize(
    ("before", "test", "wrong"),
    [(FOURS, "", True), (FOURS, "if (x + k < across) ", False), ("", "", False)],
)
def test_groups_of_rows_that_others_end_one_by_one(before: str, test: str, wrong: bool) -> None:
    assert codes(before + SUM % test) == (["KL102"] if wrong else [])
