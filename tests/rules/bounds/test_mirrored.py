"""Coordinates that are mirrored at one size and tested against another."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

FLIP = """
struct Part { int left, top, width, height; };
__global__ void flip(const unsigned char *in, unsigned char *out, const Part *parts, const int *turned, int pitch,
                     int padded) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
    const Part part = parts[blockIdx.z];
    if (x >= LIMIT || y >= part.height) return;
    const int row = turned[blockIdx.z] & 1 ? part.height - 1 - y : y;
    const int many = min(4, LIMIT - x);
    for (int k = 0; k < many; ++k) {
        const unsigned at = turned[blockIdx.z] & 2 ? part.left + part.width - 1 - (x + k) : part.left + x + k;
        out[y * pitch + x + k] = in[(part.top + row) * pitch + at];
    }
}
"""


@pytest.mark.parametrize(
    ("limit", "bad"), [("padded", True), ("part.width", False), ("min(padded, part.width)", False)]
)
def test_parts_of_a_picture(limit: str, bad: bool) -> None:
    assert ("KL105" in codes(FLIP.replace("LIMIT", limit), "k.cu")) is bad


TURN = """
__kernel void turn(__global const float *in, __global float *out, const int w, const int h, const int stride) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (TEST) return;
    const int u = ACROSS, v = h - 1 - y;
    out[y * stride + x] = in[v * stride + u];
}
"""


@pytest.mark.parametrize(
    ("test", "across", "bad"),
    [
        ("x >= stride || y >= h", "w - 1 - x", True),
        ("x >= w || y >= h", "w - 1 - x", False),
        ("x >= stride || x >= w || y >= h", "w - 1 - x", False),
        ("x >= stride || y >= h", "stride - 1 - x", False),
        ("x >= stride || y >= stride", "w - 1 - x", False),  # nothing says that it is tested against another size
        ("x >= stride || y >= h", "max(w - 1 - x, 0)", False),
    ],
)
def test_half_a_turn(test: str, across: str, bad: bool) -> None:
    assert ("KL105" in codes(TURN.replace("TEST", test).replace("ACROSS", across), "k.cl")) is bad


LAUNCHED = """
__global__ void turn(const float *in, float *out, int w, int h, int across) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= across || y >= h) return;
    const int u = w - 1 - x, v = h - 1 - y;
    out[y * w + x] = in[v * w + u];
}
void run(const float *in, float *out, int w, int h) {
    turn<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h, PASSED);
}
"""


@pytest.mark.parametrize(("passed", "bad"), [("w", False), ("w - 1", False), ("(w + 3) / 4 * 4", True)])
def test_what_the_launch_passes(passed: str, bad: bool) -> None:
    assert ("KL105" in codes(LAUNCHED.replace("PASSED", passed), "k.cu")) is bad
