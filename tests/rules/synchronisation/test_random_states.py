"""Random states of cuRAND and its like: drawing changes them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

KERNEL = """
#include <curand_kernel.h>
__global__ void k(TYPE *states, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = curand_uniform(WHICH); MARK
}
"""

WAYS = [
    # (type, state, threads, blocks, race)
    ("curandState", "states", 64, 1, True),
    ("curandState", "states + i", 64, 4, False),
    ("curandState", "&states[threadIdx.x]", 64, 1, False),
    ("curandState", "&states[threadIdx.x]", 64, 2, True),
    ("curandStatePhilox4_32_10_t", "states + i / 2", 64, 1, True),
    # up to 256 threads of one block draw from a state of this kind together
    ("curandStateMtgp32", "states", 256, 1, False),
    ("curandStateMtgp32", "states", 512, 1, True),
    ("curandStateMtgp32", "states", 64, 2, True),
    ("curandStateMtgp32", "states + blockIdx.x", 256, 8, False),
    ("curandStateMtgp32", "states + blockIdx.x", 512, 8, True),
    ("curandStateMtgp32", "states + blockIdx.x / 2", 128, 8, True),
    ("curandStateMtgp32", "states + 2 * blockIdx.x + threadIdx.x / 256", 512, 8, False),
]


@pytest.mark.parametrize(("type_", "which", "threads", "blocks", "race"), WAYS)
def test_states(type_: str, which: str, threads: int, blocks: int, race: bool) -> None:
    code = KERNEL.replace("TYPE", type_).replace("WHICH", which).replace("MARK", "// bad" if race else "")
    assert_marked(GlobalMemoryRace, code, block=f"{threads},1,1", grid=f"{blocks},1,1")


def test_a_mersenne_state_in_shared_memory_is_large_enough() -> None:
    from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

    code = """
#include <curand_kernel.h>
__global__ void k(float *out) {
    __shared__ curandStateMtgp32 state;
    out[threadIdx.x] = curand_uniform(&state);
}
"""
    assert_marked(ArrayIndexOutOfRange, code, block="256,1,1", grid="1,1,1")
