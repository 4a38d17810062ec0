"""Races that there are for one order of two unknown sizes alone, and values that all threads put into shared memory."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

FINE = """
struct Plan {{ int modes, fine, rows; float2 *grid, *out; }};
__global__ void widen(int modes, int fine, int rows, float2 *grid, const float2 *out) {{
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < modes * rows; i += blockDim.x * gridDim.x) {{
        int k = i % modes, row = i / modes;
        int w = k - modes / 2 >= 0 ? k - modes / 2 : fine + k - modes / 2;
        grid[row * fine + {place}] = out[i];
    }}
}}
void run(Plan *p) {{ widen<<<(p->modes * p->rows + 255) / 256, 256>>>(p->modes, p->fine, p->rows, p->grid, p->out); }}
"""


@pytest.mark.parametrize(("place", "told"), [("w", False), ("w / 2", True)])
def test_which_of_two_members_is_the_larger_one_nobody_says(place: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, FINE.format(place=place))) is told


ADDED = """
__global__ void add(int *mass) {{
    int cell = threadIdx.x * 64 + blockIdx.y, sum = 0;
    if (blockIdx.x == 0) {{
        for (int i = 0; i < gridDim.x; i++) sum += mass[i * gridDim.y * blockDim.x + cell {beside}];
        mass[cell] = sum;
    }}
}}
void run(int copies, int cells, int filters, int *mass) {{ add<<<dim3(copies, cells), filters>>>(mass); }}
"""


@pytest.mark.parametrize(("beside", "told"), [("", False), ("+ 64", True)])
def test_a_number_of_the_kernel_that_stands_for_the_grid(beside: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, ADDED.format(beside=beside))) is told


TAKEN = """
__global__ void take(const int *from, const float *x, float *y, int n) {{
    __shared__ int which[256];
    which[threadIdx.x] = {first};
    while (which[threadIdx.x] < n) {{
        __shared__ int end;
        end = from[which[threadIdx.x] + 1];
        for (int i = from[which[threadIdx.x]] + threadIdx.x; i < end; i += blockDim.x) y[i] = 2.0f * x[i];
        __syncthreads();
        which[threadIdx.x] = which[threadIdx.x] + gridDim.x;
    }}
}}
"""


@pytest.mark.parametrize(("first", "told"), [("blockIdx.x", False), ("blockIdx.x + threadIdx.x / 32", True)])
def test_what_each_thread_keeps_at_its_own_place(first: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, TAKEN.format(first=first))) is told


UPSAMPLE = """
kernel void grow(global float *out, global const float *in, int width, int height, int step) {{
    const int x = get_global_id(0) * step, y = get_global_id(1) * step;
    if (y + 8 - step >= height || x + 8 - step >= width) return;
    const int s = {shift};
    const float value = in[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    for (int j = 0; j < {rows}; ++j)
        for (int i = 0; i < step; ++i) out[(y + j + s) * width + x + i + s] = value;
}}
"""


@pytest.mark.parametrize(("shift", "rows", "told"), [("(8 - step) / 2", "step", False), ("0", "step + 1", True)])
def test_places_before_the_start(shift: str, rows: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, UPSAMPLE.format(shift=shift, rows=rows), "opencl")) is told
