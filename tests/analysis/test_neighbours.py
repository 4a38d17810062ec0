"""Elements of others that a list names, read from the array that is written in place."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

KERNEL = """
__global__ void relaxed(REAL *x, const REAL *old, const int *near, const int *colour, int n, int degree, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  BODY
}
"""
MEAN = """
  float sum = 0.0f;
  for (int k = 0; k < degree; ++k) sum += x[near[i * degree + k]];
  x[i] = sum / degree;
"""


def told(body: str, real: str = "float") -> bool:
    return any(
        "written in place" in one.message and one.severity.value == "warning"
        for one in findings(KERNEL.replace("BODY", body).replace("REAL", real), select="KL205")
    )


@pytest.mark.parametrize(
    "body",
    [
        MEAN,
        "x[i] = 0.5f * (x[i] + x[near[i]]);",
        "x[i] = x[near[i]];",
        "x[i] += 0.1f * (x[near[2 * i]] + x[near[2 * i + 1]] - 2.0f * x[i]);",
        "for (int c = 0; c < 3; ++c) x[i * 3 + c] = 0.5f * (x[i * 3 + c] + x[near[i] * 3 + c]);",
    ],
)
def test_sums_of_what_others_write(body: str) -> None:
    assert told(body)


@pytest.mark.parametrize(
    "body",
    [
        MEAN.replace("+= x[", "+= old["),  # another array
        "if (colour[i] == 2) { " + MEAN + " }",  # data say who writes
        "x[i] = fminf(x[i], x[near[i]]);",  # the least, sooner or later
        "x[n + i] = 0.5f * (x[n + i] + x[near[i]]);",  # the other half
        "x[near[i]] = 0.5f * x[i];",  # a plain store to what data name
        "x[i] = 0.5f * (x[i] + x[near[i] * 3]);",  # elements of another stride
    ],
)
def test_what_is_left_alone(body: str) -> None:
    assert not told(body)


def test_whole_numbers_are_left_alone() -> None:
    assert not told("x[i] = x[i] + x[near[i]];", "int")


HERD = """
#define SHARE 256
struct Herd { float2 *at; const int *seen; int count; };
__global__ void step(Herd h, float2 *pull, float dt) {
    int i = blockIdx.x * SHARE + threadIdx.x;
    if (TEST) { h.at[i].x += dt; h.at[i].y -= dt; }
    __syncthreads();
    if (TEST) pull[i].x = h.at[h.seen[i * 4]].x + h.at[h.seen[i * 4 + 1]].x;
}
void run(Herd h, float2 *pull, float dt) { step<<<BLOCKS, SHARE>>>(h, pull, dt); }
"""


def behind_a_barrier(test: str, blocks: str) -> bool:
    code = HERD.replace("TEST", test).replace("BLOCKS", blocks)
    return any("other blocks may not have written" in one.message for one in findings(code, select="KL205"))


def test_a_barrier_of_the_block_does_not_wait_for_the_elements_of_others() -> None:
    assert behind_a_barrier("i < h.count", "(h.count + SHARE - 1) / SHARE")
    assert not behind_a_barrier("i < h.count", "1")  # the block is all there is
    assert not behind_a_barrier("threadIdx.x < SHARE", "h.count")  # blocks that are whole may keep to themselves


SPRINGS = """
__global__ void springs(float3 *x, TYPE *next, const int *row, const int *near, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 own = x[i], sum = make_float3(0, 0, 0);
    for (int e = row[i]; e < row[i + 1]; ++e) {
        float3 d = make_float3(x[near[e]].x - own.x, x[near[e]].y - own.y, x[near[e]].z - own.z);
        float k = 1.0f / sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
        sum.x += k * d.x; sum.y += k * d.y; sum.z += k * d.z;
    }
    TARGET[i] = make_float3(own.x + sum.x, own.y + sum.y, own.z + sum.z);
}
"""


def test_vectors_are_written_in_place_as_numbers_are() -> None:
    def told_of(target: str) -> bool:
        code = SPRINGS.replace("TARGET", target).replace("TYPE", "float3")
        return any("written in place" in one.message for one in findings(code, select="KL205"))

    assert told_of("x")
    assert not told_of("next")


CAREFUL = """
#define ADD(sum, rest, value) { const float y_ = (value) - rest, t_ = sum + y_; rest = (t_ - sum) - y_; sum = t_; }
__global__ void means(const float *in, float *out, int n, int width, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float sum = 0.0f, rest = 0.0f;
  for (int i = 0; i <= r; ++i) ADD(sum, rest, in[i * width + x]);
  for (int i = 0; i < n; ++i) {
    if (i + r < n) ADD(sum, rest, in[(i + r) * width + x]);
    if (i - r - 1 >= 0) ADD(sum, rest, -in[(i - r - 1) * width + x]);
    out[i * width + x] = sum;
  }
}
"""


def test_sums_that_are_made_of_one_another_many_times_over_are_looked_through_once() -> None:
    assert not findings(CAREFUL, select="KL205")
