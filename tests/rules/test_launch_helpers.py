"""Launches in helpers, whose callers say how large grid and block are."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted
from kernlint_rules.launch.group_does_not_divide import GroupDoesNotDivide
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.swapped_launch_arguments import SwappedLaunchArguments

from tests.rules.marked import findings

HELPER = """
__global__ void clear(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0.0f;
}
static void launch(int blocks, int threads, float *x, int n) { clear<<<blocks, threads>>>(x, n); }
void run(float *x, int n) {
    const int threads = 128;
    const int blocks = BLOCKS;
    launch(GIVEN, x, n);  // called
}
"""


@pytest.mark.parametrize("blocks", ["(n + threads - 1) / threads", "min((n + threads - 1) / threads, 65535)"])
def test_grid_and_block_exchanged_in_a_call(blocks: str) -> None:
    code = HELPER.replace("BLOCKS", blocks)
    (found,) = findings(SwappedLaunchArguments, code.replace("GIVEN", "threads, blocks"))
    (called, _) = found.related
    assert code.replace("GIVEN", "threads, blocks")[called.span.start :].startswith("launch(threads, blocks")
    assert not findings(SwappedLaunchArguments, code.replace("GIVEN", "blocks, threads"))


def test_the_call_belongs_to_a_block_that_is_too_large() -> None:
    code = HELPER.replace("BLOCKS", "4").replace("GIVEN", "blocks, 2048")
    (found,) = findings(LaunchLimits, code)
    assert [one.message for one in found.related] == ["called here", "the kernel"]


HELD = """
cl_int run(cl_command_queue queue, cl_kernel kernel, cl_device_id device, size_t n, size_t wished) {
    size_t most = 0, group = WISHED;
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(most), &most, nullptr);
    STEPS
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
}
"""


@pytest.mark.parametrize(
    ("wished", "steps", "told"),
    [
        ("wished", "size_t all = (n + group - 1) / group * group; group = group < most ? group : most;", True),
        ("wished", "size_t all = n + group - n % group; if (most < group) group = most;", True),
        ("wished", "group = group < most ? group : most; size_t all = (n + group - 1) / group * group;", False),
        ("256", "size_t all = (n + group - 1) / group * group; if (most < group) group = most;", False),
        ("wished", "size_t all = (n + group - 1) / group * group; if (most < group) return -1;", False),
        ("wished", "size_t all = (n + 511) / 512 * 512; if (most < group) group = most;", False),
        (
            "wished",
            "size_t all = (n + group - 1) / group * group; if (most < group) group = most; if (all % group) return -1;",
            False,
        ),
    ],
)
def test_a_group_that_is_held_down_after_the_work_was_rounded_to_it(wished: str, steps: str, told: bool) -> None:
    code = HELD.replace("WISHED", wished).replace("STEPS", steps)
    assert any("held down" in one.message for one in findings(GroupDoesNotDivide, code)) is told


COUNTED = """
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
void abort();
__global__ void select(const float *x, int n, int *found, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ADD
}
__global__ void gather(const float *x, const int *found, int m, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) y[i] = x[found[i]];
}
int run(const float *x, int n, int *found, int *count, float *y) {
    int m = 0;
    if (n < 1) return 0;
    BEGIN
    select<<<(n + 255) / 256, 256>>>(x, n, found, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&m, count, sizeof(int), cudaMemcpyDeviceToHost));
    LAUNCH
    return m;
}
"""
BEGIN = "CHECK(cudaMemset(count, 0, sizeof(int)));"
ADD = "if (x[i] > 0.5f) found[atomicAdd(count, 1)] = i;"
LAUNCH = "gather<<<(m + 255) / 256, 256>>>(x, found, m, y); CHECK(cudaGetLastError());"


@pytest.mark.parametrize(
    ("begin", "add", "launch", "told"),
    [
        (BEGIN, ADD, LAUNCH, True),
        ("CHECK(cudaMemcpy(count, &m, sizeof(int), cudaMemcpyHostToDevice));", ADD, LAUNCH, True),
        (BEGIN, "float v = x[i]; if (v < 0.5f) return; found[atomicAdd(count, 1)] = i;", LAUNCH, True),
        (BEGIN, ADD, "if (m == 0) return 0; " + LAUNCH, False),
        (BEGIN, ADD, "if (m > 0) { " + LAUNCH + " }", False),
        (BEGIN, ADD, "gather<<<m / 256 + 1, 256>>>(x, found, m, y); CHECK(cudaGetLastError());", False),
        (BEGIN, ADD, "gather<<<(m + 255) / 256, 256>>>(x, found, m, y);", False),  # nobody looks
        (BEGIN, "found[atomicAdd(count, 1)] = i;", LAUNCH, False),  # every thread counts
        ("", ADD, LAUNCH, False),  # perhaps the caller's count goes on
    ],
)
def test_no_blocks_where_nothing_was_counted(begin: str, add: str, launch: str, told: bool) -> None:
    code = COUNTED.replace("ADD", add, 1).replace("BEGIN", begin).replace("LAUNCH", launch)
    assert any("there are no blocks" in one.message for one in findings(LaunchLimits, code)) is told


TOGETHER = """
__global__ void clear(float *x, unsigned long n) {
    unsigned long i = blockIdx.x * (unsigned long)blockDim.x + threadIdx.x;
    if (i < n) x[blockIdx.y * n + i] = 0.0f;
}
int run(float *x, unsigned long rows, unsigned long n) {
    const unsigned long tiles = (n + 127) / 128;
    if (rows == 0 || n == 0 || rows > LIMIT) return 1;
    clear<<<dim3(tiles, rows), 128>>>(x, n);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("limit", "told"),
    [("2147483647 / tiles", True), ("65535 / tiles", False), ("65535", False), ("2147483647 / n", False)],
)
def test_blocks_that_are_held_down_together(limit: str, told: bool) -> None:
    found = findings(LaunchLimits, TOGETHER.replace("LIMIT", limit))
    assert any("blocks along y" in one.message for one in found) is told


PEAKS = """
__global__ void peaks(const float *x, float *y) {
    extern __shared__ float part[];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
class Launcher {
    dim3 grid_, block_;
    size_t shared_;
    cudaStream_t stream_;
public:
    Launcher(unsigned blocks, unsigned threads, size_t shared = 0, cudaStream_t stream = nullptr)
        : grid_{blocks, 1, 1}, block_{threads, 1, 1}, shared_{shared}, stream_{stream} {}
    template <typename K, typename... Args> void operator()(K kernel, Args... args) const {
        kernel<<<grid_, block_, shared_, stream_>>>(args...);
    }
};
template <typename K, typename... Args>
void launch(K kernel, int blocks, int threads, size_t shared, Args... args) {
    kernel<<<blocks, threads, shared>>>(args...);
}
void run(const float *x, float *y, unsigned blocks, cudaStream_t stream) { CALL; }
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("Launcher{blocks, 64, 0, stream}(peaks, x, y)", True),
        ("Launcher(blocks, 64)(peaks, x, y)", True),
        ("Launcher{blocks, 64, 64 * sizeof(float), stream}(peaks, x, y)", False),
        ("launch(peaks, blocks, 64, 0, x, y)", True),
        ("launch(peaks, blocks, 64, 64 * sizeof(float), x, y)", False),
    ],
)
def test_what_launches_passes_on_the_size_of_shared_memory(call: str, told: bool) -> None:
    found = findings(DynamicSharedMemoryOmitted, PEAKS.replace("CALL", call))
    assert ["gives it none" in one.message for one in found] == [True] * told
