"""Elements that an atomic counter picks: one for each thread, or the same for two."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

KERNEL = """
__global__ void k(unsigned *count, const int *keep, int *out, int n) {
    const unsigned t = threadIdx.x;
    unsigned at;
    DRAW
    out[at] = t; MARK
}
"""

DRAWS = {
    "at = atomicAdd(count, 0u);": True,
    "at = atomicOr(count, 0u);": True,
    "at = atomicAdd(count, t & 1);": True,
    "at = atomicAdd(count, t > 5 ? 1u : 0u);": True,
    "at = atomicSub(count, t / 64);": True,
    "at = t == 9 ? 3u : atomicAdd(count, 1u);": True,
    "at = 0; if (t != 40) at = atomicInc(count, 1u << 20);": True,
    "at = atomicAdd(count, 1u);": False,
    "at = atomicAdd(count, t + 1);": False,
    "at = atomicAdd(count, 1 + (t & 3));": False,
    # what is added where nothing is kept is not known, nor how many are asked for
    "at = atomicAdd(count, keep[t]);": False,
    "at = atomicAdd(count, n);": False,
    # threads that add nothing write nothing
    "at = atomicAdd(count, t & 1); if (!(t & 1)) return;": False,
    # no element at all
    "at = t == 9 ? ~0u : atomicAdd(count, 1u); if (at >= n) return;": False,
    "at = t < 64 ? t : atomicAdd(count, 1u);": False,
    # one counter for each thread
    "at = atomicAdd(count + t, 0u);": False,
    # one thread alone
    "if (t != 3) return; at = atomicAdd(count, 0u);": False,
}


@pytest.mark.parametrize("draw", DRAWS)
def test_draws(draw: str) -> None:
    code = KERNEL.replace("DRAW", draw).replace("MARK", "// bad" if DRAWS[draw] else "")
    assert_marked(GlobalMemoryRace, code, block="128,1,1", grid="1,1,1")


def test_a_slot_rests_on_an_order_of_threads() -> None:
    code = KERNEL.replace("DRAW", "at = atomicAdd(count, 0u);").replace("MARK", "")
    (found,) = findings(GlobalMemoryRace, code, block="128,1,1", grid="1,1,1")
    assert found.severity is Severity.WARNING
    assert found.witness is not None and found.witness.replayed
    assert {step.index for step in found.witness.steps} == {0}


def test_blocks_that_add_nothing() -> None:
    code = """
__global__ void k(int *count, int *out) {
    if (threadIdx.x == 0) out[atomicAdd(count, blockIdx.x)] = blockIdx.x; // bad
}
"""
    assert_marked(GlobalMemoryRace, code)
    for alike in (code.replace("blockIdx.x)]", "1)]"), code.replace("(count,", "(count + blockIdx.x,")):
        assert_marked(GlobalMemoryRace, alike.replace(" // bad", ""))


def test_equal_values_do_no_harm() -> None:
    code = KERNEL.replace("DRAW", "at = atomicAdd(count, 0u);").replace("MARK", "").replace("= t;", "= 1;")
    assert_marked(GlobalMemoryRace, code)
