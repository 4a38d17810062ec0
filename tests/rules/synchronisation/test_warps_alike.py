"""Kernels that ask for nothing but the lane and the block: each further warp of a block would do the same once more."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

LANES = """
kernel void best(global const uint *cost, global uint *out, global uint *least) {
    uint at = get_group_id(0) * 64 + get_sub_group_local_id();
    uint mine = cost[at];
    uint all = sub_group_reduce_min(mine);
    out[at] = mine - all;
    WHERE = all + mine;MARK
}
"""


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("least[get_group_id(0) * get_max_sub_group_size() + get_sub_group_local_id()]", False),
        ("least[get_group_id(0) * 4 + get_sub_group_id()]", True),
        ("least[get_group_id(0) * 64 + get_local_id(0) / 2]", True),
        ("least[get_sub_group_local_id()]", True),  # two blocks
    ],
)
def test_sub_groups_of_one_block(where: str, told: bool) -> None:
    assert_marked(GlobalMemoryRace, LANES.replace("WHERE", where).replace("MARK", "  // bad" * told), "opencl")


CUDA = """
__global__ void best(const float *x, float *out, float *y) {
    int lane = threadIdx.x & 31;
    float v = x[blockIdx.x * 32 + lane];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) out[AT] = v;MARK
    y[blockIdx.x * 32 + lane] = v;
}
"""


@pytest.mark.parametrize(("at", "told"), [("blockIdx.x", False), ("blockIdx.x / 2", True)])
def test_warps_of_one_block(at: str, told: bool) -> None:
    assert_marked(GlobalMemoryRace, CUDA.replace("AT", at).replace("MARK", "  // bad" * told))


def test_a_launch_in_sight_has_its_say() -> None:
    host = "void run(const float *x, float *out, float *y) { best<<<9, 64>>>(x, out, y); }\n"
    code = CUDA.replace("AT", "blockIdx.x").replace("MARK", "  // bad").replace("= v;\n}", "= v + lane;  // bad\n}")
    assert_marked(GlobalMemoryRace, code + host)


SAME = """
kernel void best(read_only image2d_t image, sampler_t how, global const uint *x, global uchar2 *out) {
    uint g = get_group_id(0);
    intel_sub_group_avc_ime_payload_t search = sub_group_search(x[g], WITH);
    intel_sub_group_avc_ime_result_t met = sub_group_met(image, how, search);
    uchar2 both = {sub_group_first_of(met), sub_group_second_of(met)};
    out[g] = both;MARK
}
"""


@pytest.mark.parametrize(("given", "told"), [("g * 4", False), ("get_local_id(0)", True)])
def test_what_a_sub_group_finds_together(given: str, told: bool) -> None:
    """Functions that nobody has in sight make one value of what is the same for all, as far as anybody knows."""
    code = SAME.replace("WITH", given).replace("MARK", "  // bad" * told)
    for size in ("16,1,1", "64,1,1"):
        assert_marked(GlobalMemoryRace, code, "opencl", block=size, grid="4,1,1")
