"""Waits of a branch for those lanes alone that happen to run together."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.wrong_warp_mask import WrongWarpMask

from tests.rules.marked import assert_marked

HEAD = """
__global__ void deposit(const int *cell, const float *mass, float *sum, float *seen, int n) {
    __shared__ float bin[32];
    __shared__ int first[32];
    const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    bin[lane] = 0.0f;
    first[lane] = -1;
    __syncwarp();
"""

CASES = {
    "sums of the branch": """
    if (i < n && cell[i] >= 0) {
        const unsigned here = __activemask();
        atomicAdd(&bin[cell[i]], mass[i]);
        __syncwarp(here); // bad
        seen[i] = bin[cell[i]];
    }
}
""",
    "a mask on the spot, behind an early end of the round": """
    for (int k = 0; k < n; ++k) {
        if (cell[k * 32 + lane] < 0) continue;
        first[cell[k * 32 + lane]] = lane;
        __syncwarp(__activemask()); // bad
        if (first[cell[k * 32 + lane]] == lane) sum[cell[k * 32 + lane]] = mass[k * 32 + lane];
    }
}
""",
    "the neighbour's number": """
    if (cell[i] >= 0) {
        bin[lane] = mass[i];
        __syncwarp(__activemask()); // bad
        sum[i] = bin[lane ^ 1];
    }
}
""",
    "all lanes wait behind the branch": """
    const bool there = i < n && cell[i] >= 0;
    if (there) atomicAdd(&bin[cell[i]], mass[i]);
    __syncwarp();
    if (there) seen[i] = bin[cell[i]];
}
""",
    "those of a ballot": """
    const bool there = cell[i] >= 0;
    const unsigned meant = __ballot_sync(0xffffffffu, there);
    if (there) {
        atomicAdd(&bin[cell[i]], mass[i]);
        __syncwarp(meant);
        seen[i] = bin[cell[i]];
    }
}
""",
    "what each has put there itself": """
    if (cell[i] >= 0) {
        bin[lane] = mass[i];
        __syncwarp(__activemask());
        sum[i] = bin[lane] * 2.0f;
    }
}
""",
    "one of those that run together adds for them": """
    if (cell[i] >= 0) {
        const unsigned here = __activemask();
        const int leader = __ffs(here) - 1;
        int at = 0;
        if (lane == leader) at = atomicAdd((int *)sum, __popc(here));
        __syncwarp(here);
        at = __shfl_sync(here, at, leader) + __popc(here & ((1u << lane) - 1u));
        seen[at] = mass[i];
    }
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_waits_in_branches(name: str) -> None:
    assert_marked(WrongWarpMask, HEAD + CASES[name])
