"""Places that come out of an array of the thread's own: what it has put there moves with it, but for what is mixed and
cut down to the size of a table."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

CODE = """
__global__ void k(const unsigned *table, unsigned *out, unsigned seed) {
    __shared__ unsigned cache[1024];
    unsigned own[4];
    for (int w = threadIdx.x; w < 1024; w += 256) cache[w] = table[w];
    for (int j = 0; j < 4; ++j) own[j] = START;
    unsigned sum = 0;
    BARRIER
    for (int round = 0; round < 8; ++round) sum += cache[PLACE];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void run(const unsigned *table, unsigned *out, unsigned seed) { k<<<64, 256>>>(table, out, seed); }
"""
MIXED = "(seed ^ threadIdx.x) * 0x1000193u"


@pytest.mark.parametrize(
    ("start", "place", "barrier", "told"),
    [
        (MIXED, "own[round % 4] % 1024", "__syncwarp();", True),
        (MIXED, "own[round % 4] & 1023", "__syncwarp();", True),
        (MIXED, "own[round % 4] % 1024", "__syncthreads();", False),
        ("threadIdx.x + 256 * j", "own[round % 4]", "__syncwarp();", False),
    ],
)
def test_a_place_that_is_cut_down(start: str, place: str, barrier: str, told: bool) -> None:
    code = CODE.replace("START", start).replace("PLACE", place).replace("BARRIER", barrier)
    found = findings(SharedMemoryRace, code)
    assert any(one.severity is not Severity.NOTE for one in found) is told
