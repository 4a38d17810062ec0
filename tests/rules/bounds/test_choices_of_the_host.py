"""Arguments that the host chooses among numbers, against arrays of constant length."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_marked

KERNEL = """
__global__ void average(float *film, int width, int samples) {{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float seen[8];
    for (int s = 0; s < samples; ++s) seen[s] = film[x] * s;{bad}
    float sum = 0;
    for (int s = 0; s < samples; ++s) sum += seen[s];
    film[x] = sum / samples;
}}
void run(float *film, int width, bool best, int level) {{
    {choice}
    average<<<(width + 127) / 128, 128>>>(film, width, samples);
}}
"""


@pytest.mark.parametrize(
    ("choice", "bad"),
    [
        ("const int samples = best ? 32 : 4;", True),
        ("int samples = 4; if (best) samples = 32;", True),
        ("int samples; if (level == 0) samples = 4; else if (level == 1) samples = 8; else samples = 16;", True),
        ("int samples; switch (level) { case 0: samples = 4; break; default: samples = 9; }", True),
        ("int samples = best ? 32 : 4; if (samples > 8) return;", False),
        ("int samples = best ? 32 : 4; samples = samples < 8 ? samples : 8;", False),
        ("const int samples = best ? 8 : 4;", False),
        ("int samples = 4; if (best) samples = 32; if (best) return;", False),
    ],
)
def test_what_is_chosen(choice: str, bad: bool) -> None:
    assert_marked(ArrayIndexOutOfRange, KERNEL.format(choice=choice, bad="  // bad" if bad else ""))
