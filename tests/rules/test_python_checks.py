"""What Python hosts check before a launch, and sizes of work-groups that they leave to the runtime."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_pairs import found

ROWS = """
import cupy as cp

DAYS, STATIONS = 90000, 40000

_clip = cp.RawKernel(r'''
extern "C" __global__ void clip(float *level, const int days, const int stations, const float most)
{
    const int day = blockIdx.x * blockDim.x + threadIdx.x;
    if (day >= days) return;
    for (int s = 0; s < stations; ++s)
        level[day * stations + s] = fminf(level[day * stations + s], most);
}
''', "clip")

def clip(level, most):
    CHECK
    _clip(((DAYS + 127) // 128,), (128,), (level, np.int32(DAYS), np.int32(STATIONS), np.float32(most)))
"""


@pytest.mark.parametrize(
    "check",
    [
        "pass",
        "assert level.shape == (DAYS, STATIONS) and level.dtype == cp.float32",
        "assert level.flags.c_contiguous and level.shape == (DAYS, STATIONS)",
        "if level.dtype != cp.float32 or level.shape != (DAYS, STATIONS): raise ValueError(level)",
    ],
)
def test_parts_of_a_check(check: str) -> None:
    assert [rule for rule, _, _ in found(ROWS.replace("CHECK", check))] == ["index-overflow"]
    assert not found(ROWS.replace("CHECK", check).replace("day * stations", "(long long)day * stations"))


FIELD = """
import pyopencl as cl

TEXT = '''
__kernel void slope(__global const float *h, __global float *s, const int w, const int d)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= d - EDGE) return;
    s[(y + 1) * w + x] = h[(y + 1) * w + x] - h[y * w + x];
}
'''

def slope(queue, ctx, h):
    d, w = h.shape
    if d < 2 or h.dtype != np.float32:
        raise ValueError("a field of float32")
    prg = cl.Program(ctx, TEXT).build()
    h_g = cl.Buffer(ctx, cl.mem_flags.READ_ONLY, h.nbytes)
    s_g = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 4 * d * w)
    prg.slope(queue, (w, d), LOCAL, h_g, s_g, np.int32(w), np.int32(d))
"""


def test_groups_of_any_size() -> None:
    faulty = FIELD.replace("d - EDGE", "d").replace("LOCAL", "None")
    assert [rule for rule, _, _ in found(faulty)] == ["wrong-bounds-guard"]
    assert not found(FIELD.replace("EDGE", "1").replace("LOCAL", "None"))


PLANE = """
from elsewhere import extents

@cuda.jit
def brighten(image, by):
    y, x = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        image[y, x] += by

def run(image, by):
    grid, block = EXTENTS
    brighten[grid, block](cuda.to_device(image), by)
"""


def test_names_of_extents() -> None:
    assert not found(PLANE.replace("EXTENTS", "extents(image.shape)"))
    assert [one[0] for one in found(PLANE.replace("EXTENTS", "(image.shape[0] + 15) // 16, 16"))] == ["uncovered-tail"]
