"""``mixed-launch-dimensions``: what only a launch in sight shows."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.mixed_launch_dimensions import MixedLaunchDimensions

from tests.rules.marked import findings

GRID = """
__global__ void damp(float *v, int n) {
    const int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) v[i] *= 0.5f;
}
void run(float *v, int n) { damp<<<GRID, BLOCK>>>(v, n); }
"""


@pytest.mark.parametrize("grid, block, bad", [("(n + 63) / 64", "64", True), ("8", "64", True), ("64", "64", False)])
def test_a_block_index_times_the_grid_needs_blocks_as_large_as_the_grid(grid: str, block: str, bad: bool) -> None:
    assert bool(findings(MixedLaunchDimensions, GRID.replace("GRID", grid).replace("BLOCK", block))) is bad


def test_nothing_is_said_of_a_block_index_times_the_grid_without_a_launch() -> None:
    assert not findings(MixedLaunchDimensions, GRID.partition("void run")[0])


TASKS = """
__global__ void reverse(const char *in, char *out, int length, int tasks) {
    const int task = TASK;
    if (task >= tasks) return;
    for (int i = threadIdx.x; i < length; i += 32)
        out[task * length + i] = in[task * length + length - 1 - i];  // bad
}
void run(const char *in, char *out, int length, int tasks) {
    reverse<<<dim3(1, GRID), dim3(32, ROWS)>>>(in, out, length, tasks);
}
"""


@pytest.mark.parametrize(
    "task, grid, rows, bad",
    [
        ("threadIdx.y", "tasks", "1", True),
        ("blockIdx.y * blockDim.y + threadIdx.y", "tasks", "1", False),
        ("threadIdx.y", "1", "1", False),
        ("threadIdx.y", "tasks", "8", False),
    ],
)
def test_blocks_spread_along_an_axis_that_the_kernel_knows_threads_of_only(
    task: str, grid: str, rows: str, bad: bool
) -> None:
    code = TASKS.replace("TASK", task, 1).replace("GRID", grid).replace("ROWS", rows)
    assert bool(findings(MixedLaunchDimensions, code)) is bad


BEST = """
__global__ void best(const float *energy, float *out, int members) {
    float least = 1e30f;
    if (threadIdx.x < members) least = FIRST;
    for (int i = blockIdx.x + blockDim.x + threadIdx.x; i < blockIdx.x + members; i += blockDim.x)
        least = fminf(least, energy[i]);  // bad
    out[blockIdx.x * blockDim.x + threadIdx.x] = least;
}
"""


@pytest.mark.parametrize(
    "first, bad", [("energy[blockIdx.x + threadIdx.x]", False), ("energy[threadIdx.x]", True), ("1.0f", True)]
)
def test_the_block_size_leads_on_from_where_the_block_begins(first: str, bad: bool) -> None:
    assert bool(findings(MixedLaunchDimensions, BEST.replace("FIRST", first))) is bad


SHADE = """
__global__ void shade(float *out, int w, int h, float k) {
    const int x = ACROSS, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = k * x;
}
void run(float *out, int w, int h) { shade<<<dim3(GRID, (h + 15) / 16), dim3(16, 16)>>>(out, w, h, 2.0f); }
"""


@pytest.mark.parametrize(
    "across, grid, bad",
    [
        ("threadIdx.x", "(w + 15) / 16", True),
        ("threadIdx.x", "1", False),
        ("threadIdx.x", "4", False),
        ("blockIdx.x * blockDim.x + threadIdx.x", "(w + 15) / 16", False),
        ("blockIdx.x * 16 + threadIdx.x", "(w + 15) / 16", False),
    ],
)
def test_blocks_that_share_the_work_ask_which_they_are(across: str, grid: str, bad: bool) -> None:
    assert bool(findings(MixedLaunchDimensions, SHADE.replace("ACROSS", across).replace("GRID", grid))) is bad


PARTS = """
__global__ void sums(const int *in, int *out, int n, int *next) {
    __shared__ int part;
    if (threadIdx.x == 0) part = atomicAdd(next, 1);
    __syncthreads();
    const int i = part * 256 + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
void run(const int *in, int *out, int n, int *next) { sums<<<(n + 255) / 256, 256>>>(in, out, n, next); }
"""


def test_parts_may_be_handed_out() -> None:
    assert not findings(MixedLaunchDimensions, PARTS)


CELLS = """
struct Group { int weight; float angle[8]; };
__global__ void turn(Group *groups, const float *by) {
    const int group = blockIdx.x * blockDim.y;
    PLACE
}
"""


@pytest.mark.parametrize(
    "place, bad",
    [
        ("groups[group].angle[threadIdx.x & 7] = by[group];", False),
        ("Group *own = &groups[group]; if (threadIdx.x < 8) own->angle[threadIdx.x] = by[group];", False),
        ("groups[group + threadIdx.x].weight = 1;", True),
    ],
)
def test_elements_of_what_a_block_has_for_itself(place: str, bad: bool) -> None:
    assert bool(findings(MixedLaunchDimensions, CELLS.replace("PLACE", place))) is bad
