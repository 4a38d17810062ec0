"""Places that no surplus thread gets to: halos before a block, slots of threads, mirrored pictures, a block each."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

HALO = """
#define SIDE 64
#define HALO 16
__global__ void columns(float *out, const float *in, int height, int pitch) {{
    __shared__ float part[SIDE + HALO];
    const int x = blockIdx.x * 16 + threadIdx.x, top = blockIdx.y * SIDE - HALO + threadIdx.y;
    for (int i = 0; i < {rounds}; i++) part[threadIdx.y + i * 4] = top + i * 4 >= 0 ? in[(top + i * 4) * pitch + x] : 0;
    __syncthreads();
    const int y = blockIdx.y * SIDE + threadIdx.y;
    if (y < height) out[y * pitch + x] = part[threadIdx.y];
}}
void run(float *out, const float *in, int width, int height, int pitch) {{
    columns<<<dim3(width / 16, (height + SIDE - 1) / SIDE), dim3(16, 4)>>>(out, in, height, pitch);
}}
"""


@pytest.mark.parametrize(("rounds", "told"), [("4", False), ("20", True)])
def test_what_lies_before_a_block(rounds: str, told: bool) -> None:
    found = codes(HALO.format(rounds=rounds))
    assert bool({"KL101", "KL103"} & set(found)) is told


TURN = """
kernel void turn(global float *to, global const float *from, int pitch, int width, int height) {{
    const int x = get_global_id(0), y = get_global_id(1);
    to[y * pitch + x] = from[y * pitch + {at}];
}}
kernel void clear(global float *to, int pitch, int width, int height) {{
    if (get_global_id(0) < width && get_global_id(1) < height) to[get_global_id(1) * pitch + get_global_id(0)] = 0;
}}
"""


@pytest.mark.parametrize(("at", "told"), [("width - x - 1", False), ("x", True)])
def test_a_picture_that_is_mirrored_as_a_whole(at: str, told: bool) -> None:
    assert ("KL101" in codes(TURN.format(at=at), "k.cl")) is told


ROUNDS = """
struct State {{ int last; }};
kernel void mark(global uint *labels, uint pitch, global struct State *state, int rounds) {{
    const uint at = get_global_id(1) * pitch + get_global_id(0);
    if (labels[at] != 0) state->last = rounds;
}}
kernel void join(global uint *labels, uint pitch, global struct State *state, int rounds) {{
    if ({left} < rounds) return;
    const uint at = get_global_id(1) * pitch + get_global_id(0);
    labels[at] = labels[at] + 1;
}}
"""


@pytest.mark.parametrize(("left", "told"), [("state->last", False), ("get_global_id(0)", True)])
def test_a_number_that_only_data_are_compared_with(left: str, told: bool) -> None:
    assert ("KL101" in codes(ROUNDS.format(left=left), "k.cl")) is told
