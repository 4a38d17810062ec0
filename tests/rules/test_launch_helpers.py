"""Launches in helpers, whose callers say how large grid and block are."""

from __future__ import annotations

import pytest
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
