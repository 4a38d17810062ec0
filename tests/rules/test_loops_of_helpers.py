"""What a function of the host has asked in a loop holds for what it gives back."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

WIDEN = """
__global__ void widen(const unsigned char *from, int columns, int rows, int pitch, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < columns * rows; i += gridDim.x * blockDim.x) to[(i / columns) * pitch + i % columns] = (float)from[i];
}
static int room(int least) { BODY }
void run(const unsigned char *from, float *to, int columns, int rows) {
    const int pitch = room(columns), all = room(rows);
    cudaMalloc((void **)&to, pitch * all * sizeof(float));
    widen<<<256, 256>>>(from, columns, rows, pitch, to);
    cudaFree(to);
}
"""


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ("int p = 1; while (p < least) p <<= 1; return p;", False),
        ("if (least < 2) return 2; int p = 32; while (p < least) p *= 2; return p;", False),
        ("int p = least; for (; p % 32 != 0; ) ++p; return p < least ? least : p;", False),
        ("int p = 1; while (p < 2) p <<= 1; return p;", True),
        ("if (least > 100) return 2; int p = 1; while (p < least) p <<= 1; return p;", True),
    ],
)
def test_what_a_helper_leaves(body: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, WIDEN.replace("BODY", body))) is bad
