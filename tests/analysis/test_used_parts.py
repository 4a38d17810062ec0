"""Structs and vectors that are read whole, of which a part is used."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

SMOOTH = """
struct Cell { float depth, width; int id; };
__device__ float both(Cell cell) { return cell.depth + cell.width; }
__global__ void smooth(Cell *map, float2 *pairs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    BODY
}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("const float2 next = pairs[i + 1]; pairs[i].y = next.x;", False),
        ("const float2 next = pairs[i + 1], last = pairs[i - 1]; pairs[i].y = next.x + last.x;", False),
        ("const float2 next = pairs[i + 1]; pairs[i].y = next.x + next.y;", True),
        ("const float2 next = pairs[i + 1], last = pairs[i - 1]; pairs[i].y = next.x + last.y;", True),
        ("const float2 next = pairs[i + 1]; pairs[i] = next;", True),
        ("float2 next; next = pairs[i + 1]; pairs[i].y = next.x;", False),
        ("float2 next; next = pairs[i + 1]; const float *of = &next.x; pairs[i].y = of[1];", True),
        ("Cell next = map[i + 1]; map[i].width = next.depth;", False),
        ("Cell next = map[i + 1]; map[i].width = next.depth; map[i].id = next.id;", True),
        ("Cell next = map[i + 1]; map[i].width = both(next);", True),
        ("Cell next = map[i + 1]; Cell copy = next; map[i].width = copy.width;", True),
    ],
)
def test_reads_are_as_wide_as_what_is_used(body: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, SMOOTH.replace("BODY", body))) is told


TILE = """
__global__ void turn(const float2 *from, float *to) {
    __shared__ float2 tile[256];
    int t = threadIdx.x;
    tile[t] = from[blockIdx.x * 256 + t];
    __syncthreads();
    const float2 next = tile[(t + 64) % 256];
    tile[t].y = next.PART;
    __syncthreads();
    to[blockIdx.x * 256 + t] = tile[t].x + tile[t].y;
}
"""


@pytest.mark.parametrize(("part", "told"), [("x", False), ("y", True)])
def test_in_shared_memory_too(part: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, TILE.replace("PART", part))) is told


CONVERTED = """
__kernel void turn(__global uchar4 *image, const uint pixels) {
    const uint i = get_global_id(0);
    if (i >= pixels) return;
    const float4 p = convert_float4(image[i]);
    image[AT] = convert_uchar4_sat((float4)(p.z, p.y, p.x, p.w));
}
"""


@pytest.mark.parametrize(("at", "told"), [("i", False), ("pixels - 1 - i", True)])
def test_what_is_converted_on_its_way_has_its_parts_elsewhere(at: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, CONVERTED.replace("AT", at), "opencl")) is told
