"""Objects whose pairs are hard to tell leave the others their questions."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.search.collisions import Asker, Race
from kernlint.source import Span
from tests.rules.marked import findings

SPREAD = """
__kernel void spread(__global int *cells, int w, int h, __global int *again) {
    __local int tile[ROWS][COLUMNS];
    __local bool votes[VOTES];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int gx = get_global_id(0), gy = get_global_id(1);
    for (int b = ly, y = gy - 1; b < ROWS; b += get_local_size(1), y += get_local_size(1))
        for (int a = lx, x = gx - 1; a < COLUMNS; a += get_local_size(0), x += get_local_size(0))
            tile[b][a] = x >= 0 && x < w && y >= 0 && y < h ? cells[y * w + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int me = lx + get_local_size(0) * ly, i = lx + 1, j = ly + 1;
    bool more = true;
    while (more) {
        if (tile[j][i] == 1) {
            int a = tile[j - 1][i - 1], b = tile[j - 1][i], c = tile[j - 1][i + 1], d = tile[j][i - 1];
            int e = tile[j][i + 1], f = tile[j + 1][i - 1], g = tile[j + 1][i], k = tile[j + 1][i + 1];
            if (a == 2 || b == 2 || c == 2 || d == 2 || e == 2 || f == 2 || g == 2 || k == 2) tile[j][i] = 2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        votes[me] = tile[j][i] == 2 && (tile[j - 1][i] == 1 || tile[j][i + 1] == 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = VOTES / 2; n > 0; n >>= 1) {
            if (me < n) votes[me] = votes[me] || votes[me + n];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        more = votes[0];
        LAST
    }
    votes[me] = tile[j][i] == 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx == 0 && ly == 0 && votes[1]) atomic_inc(again);
}
"""


@pytest.mark.parametrize(("last", "bad"), [("", True), ("barrier(CLK_LOCAL_MEM_FENCE);", False)])
def test_the_second_object_is_asked_about_too(last: str, bad: bool) -> None:
    found = findings(SharedMemoryRace, SPREAD.replace("LAST", last), "opencl")
    assert any("votes" in one.message for one in found) is bad


PARTS = """
__device__ void part(float *cells, const int *places, int turn, float f) {
    cells[places[threadIdx.x + turn * 64] & 1023] += f;
    __syncthreads();
}
__global__ void several(const int *places, float *out, float f) {
    __shared__ float cells[1024];
    for (int i = threadIdx.x; i < 1024; i += 64) cells[i] = f;
    __syncthreads();
    part(cells, places, 0, f);
    part(cells, places, 1, f * 2);
    part(cells, places, 2, f * 3);
    out[threadIdx.x] = cells[63 - threadIdx.x];
    cells[threadIdx.x] = f;
}
void run(const int *places, float *out) { several<<<1, 64>>>(places, out, 1.f); }
"""


def test_every_two_places_have_a_question_before_the_same_two_have_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Span, Span]] = []

    def race(asker: Asker, pair: Pair, *, warp: bool = False) -> Race | None:
        if not warp:
            asked.append((pair.first.span, pair.second.span))
            asker.left -= 1
        return None

    monkeypatch.setattr(Asker, "race", race)
    findings(SharedMemoryRace, PARTS)
    different = len(set(asked))
    assert different < len(asked)
    assert len(set(asked[:different])) == different


def test_the_calls_between_which_a_barrier_may_come_are_named_first() -> None:
    code = """
    __device__ void put_one(float *s, int i, float v) { s[i] = v; }
    __device__ void put(float *s, float v) { put_one(s, threadIdx.x, v); }
    __device__ float one(const float *s, int i) { return s[i]; }
    __device__ float mirrored(const float *s) { return one(s, 127 - threadIdx.x); }
    __device__ void turn(float *s, const float *in, float *out) {
        put(s, in[threadIdx.x]);         // first
        out[threadIdx.x] = mirrored(s);  // second
    }
    __global__ void turned(const float *in, float *out) {
        __shared__ float s[128];
        turn(s, in, out);
    }
    void run(const float *in, float *out) { turned<<<1, 128>>>(in, out); }
    """
    (found,) = findings(SharedMemoryRace, code)
    lines = [code[: one.span.start].count("\n") for one in found.related if one.message == "called from here"]
    assert [code.splitlines()[at].rpartition(" ")[2] for at in lines[:2]] == ["first", "second"]
    assert len(lines) == len(set(lines)) == 5


NEAREST = """
__global__ void nearest(const float *from, const long *starts, const float *to, const long *ends, const long *batches,
                        float *out, int k, long length) {
    extern __shared__ float there[];
    const long block = blockDim.x, batch = batches[blockIdx.x];
    const long begin = starts[batch] + block * blockIdx.x, end = min(begin + block, starts[batch + 1]);
    if (begin >= end) return;
    const long mine = begin + threadIdx.x, first = ends[batch], last = ends[batch + 1];
    float *here = there + block * length, *least = here + block * length;
    for (int i = 0; i < k; ++i) least[threadIdx.x * k + i] = 1e30f;
    if (mine < end)
        for (long i = 0; i < length; ++i) here[threadIdx.x + i * block] = from[mine * length + i];
    for (long tile = first; tile < last; tile += block) {
        const long one = tile + threadIdx.x;
        if (one < last)
            for (long i = 0; i < length; ++i) there[threadIdx.x * length + i] = to[one * length + i];
        __syncthreads();
        const long many = min(last - tile, block);
        if (mine < end)
            for (long j = 0; j < many; ++j) {
                float sum = 0;
                for (long i = 0; i < length; ++i) {
                    const float d = here[threadIdx.x + i * block] - there[j * length + i];
                    sum += d * d;
                }
                int at = k - 1;
                while (at > 0 && least[threadIdx.x * k + at - 1] > sum) {
                    least[threadIdx.x * k + at] = least[threadIdx.x * k + at - 1];
                    --at;
                }
                if (sum < least[threadIdx.x * k + at]) least[threadIdx.x * k + at] = sum;
            }
        LAST
    }
    if (mine < end)
        for (int i = 0; i < k; ++i) out[mine * k + i] = least[threadIdx.x * k + i];
}
"""


@pytest.mark.parametrize(("last", "bad"), [("", True), ("__syncthreads();", False)])
def test_what_is_dear_to_ask_leaves_the_simple_pairs_theirs(last: str, bad: bool) -> None:
    found = findings(SharedMemoryRace, NEAREST.replace("LAST", last))
    assert ["previous" in one.message for one in found] == [True] * bad
