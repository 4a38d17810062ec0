"""Places in shared memory that data choose: what excuses them, each with a twin that nothing excuses."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, findings

KERNEL = """
__global__ void k(const int *key, const float *x, float *y, int n) {
  __shared__ float s[256];
  __shared__ int taken, given;
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (t == 0) taken = given = 0;
  s[t] = 0.0f;
  __syncthreads();
  @
}
"""


def kernel(body: str) -> str:
    return KERNEL.replace("@", body.strip())


@pytest.mark.parametrize(
    "body",
    [
        # one choice: a thread reads where it has written
        "int at = key[i] & 255; s[at] = x[i]; y[i] = s[at];",
        # each place is given out once
        "int a = atomicAdd(&taken, 1), b = atomicSub(&given, 1) & 255; if (a < 256) s[a] = x[i]; y[i] = s[b];",
        # two ends of one array
        "int l = key[i] & 127, r = 255 - (key[i + n] & 127); if (x[i] < 0.0f) s[l] = 1.0f; else s[r] = 2.0f;",
        # a stack of the thread's own: what data choose is a level of it
        "int d = 0; while (key[i + d] > 0) d = key[i + d]; s[t * 4 + (d & 3)] = 1.0f; y[i] = s[t * 4];",
        # a barrier between
        "s[key[i] & 255] = x[i]; __syncthreads(); y[i] = s[t];",
    ],
)
def test_excused(body: str) -> None:
    assert findings(SharedMemoryRace, kernel(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        "s[key[i] & 255] = x[i];\n  y[i] = s[key[i + n] & 255];  // bad",
        "int a = atomicAdd(&taken, 1);\n  if (a < 256) s[a] = x[i];\n  y[i] = s[t];  // bad",
        "if (x[i] < 0.0f) s[key[i] & 255] = 1.0f;\n  if (x[i] > 0.0f) s[t] = 2.0f;  // bad",
        "int d = key[i] & 3;\n  s[t * 4 & 255] = 1.0f;\n  y[i] = s[d * 64];  // bad",
        "s[min(255, max(0, (int)(x[i] * 256.0f)))] = 1.0f;\n  y[i] = s[255 - t];  // bad",
    ],
)
def test_still_bad(body: str) -> None:
    assert_marked(SharedMemoryRace, kernel(body))


def test_a_condition_of_the_iteration_before() -> None:
    code = """
__global__ void k(const float *mask, const float *x, float *y, int rounds) {
  __shared__ float tile[128];
  float sum = 0.0f;
  for (int r = 0; r < rounds; ++r) {
    tile[threadIdx.x] = x[r * 128 + threadIdx.x];  // bad
    __syncthreads();
    if (mask[r] == 0.0f) continue;
    for (int k = 0; k < 128; ++k) sum += tile[k];
    @
  }
  y[threadIdx.x] = sum;
}
"""
    assert_marked(SharedMemoryRace, code.replace("@", ""))
    faulty = code.replace("// bad", "").replace("if (mask[r] == 0.0f) continue;", "if (mask[r] != 0.0f)")
    assert findings(SharedMemoryRace, faulty.replace("@", "__syncthreads();")) == []


@pytest.mark.parametrize("guard", ["blockIdx.x > 0", "blockIdx.x == last", "blockIdx.x != 0 && blockIdx.x < last"])
def test_blocks_other_than_the_first(guard: str) -> None:
    code = f"""
__global__ void k(const float *x, float *y, int last) {{
  __shared__ float s[128];
  if ({guard}) {{
    s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    y[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // bad
  }}
}}
"""
    assert_marked(SharedMemoryRace, code)


def test_sizes_are_solved_for() -> None:
    code = """
__global__ void k(const float *x, float *y, int rows, int columns, int planes) {
  __shared__ float s[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 4; ++k) {
    int p = blockIdx.z * 4 + k;
    if (p >= planes / (rows * columns)) break;
    if (c < columns && r < rows) s[threadIdx.y][threadIdx.x] = x[(p * rows + r) * columns + c];  // bad
    __syncthreads();
    if (c < columns && r < rows) y[(p * columns + c) * rows + r] = s[threadIdx.x][threadIdx.y];
  }
}
"""
    assert_marked(SharedMemoryRace, code)


def test_each_warp_votes_whether_the_tile_is_worth_it() -> None:
    code = """
__global__ void k(const float *mask, const float *x, float *y, int rounds) {
  __shared__ float tile[128];
  int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int r = 0; r < rounds; ++r) {
    tile[threadIdx.x] = mask[r * 128 + threadIdx.x];  // bad
    __syncthreads();
    if (__all_sync(0xffffffffu, tile[lane] == 0.0f)) continue;
    sum += tile[127 - threadIdx.x] * x[r];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
"""
    assert_marked(SharedMemoryRace, code)
    before = "if (__all_sync(0xffffffffu, tile[lane] == 0.0f)) continue;"
    after = "bool none = __all_sync(0xffffffffu, tile[lane] == 0.0f);\n    __syncthreads();\n    if (none) continue;"
    assert findings(SharedMemoryRace, code.replace(before, after)) == []


def test_the_greater_one_takes_the_place() -> None:
    code = """
__global__ void k(const int *cell, const float *x, float *best, int *seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (best[cell[i]] < x[i]) best[cell[i]] = x[i];  // bad
    if (!seen[cell[i]]) seen[cell[i]] = 1;
  }
}
"""
    assert_marked(GlobalMemoryRace, code)


BINS = """
__global__ void bins(const unsigned *data, unsigned *out, unsigned n) {
  __shared__ unsigned char held[64 * 64];
  const unsigned place = (threadIdx.x & ~63u) | ((threadIdx.x & 15) << 2) | ((threadIdx.x & 48) >> 4);
  unsigned char *own = held + place;
  for (unsigned i = 0; i < 16; i++) ((unsigned *)held)[threadIdx.x + i * 64] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    own[(data[i] >> 2 & 63u) * STEP]++;
    own[(data[i + n] >> 10 & 63u) * STEP]++;
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = held[threadIdx.x * 64];
}
void run(const unsigned *data, unsigned *out, unsigned n) { bins<<<32, 64>>>(data, out, n); }
"""


@pytest.mark.parametrize(("step", "told"), [("64", False), ("2", True)])
def test_bins_of_a_thread_each(step: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, BINS.replace("STEP", step))) is told


COLUMNS = """
__kernel void mix(__global const uint *in, __global uint *out, __local uint *state, uint pitch) {
    const uint t = get_local_id(0), pitches = PITCH;
    for (uint i = 0; i < 16; i++) state[i * pitches + t] = in[i];
    for (uint i = 0; i < 16; i++) {
        const uint left = state[(i + 15) % 16 * pitches + t];
        state[i * pitches + t] += state[PLACE];
    }
    out[get_global_id(0)] = state[t];
}
"""


@pytest.mark.parametrize("pitch", ["get_local_size(0)", "pitch"])
@pytest.mark.parametrize(("place", "told"), [("(left >> 28 & 15) * pitches + t", False), ("left >> 28 & 15", True)])
def test_rows_that_data_choose_in_a_column_of_the_thread(pitch: str, place: str, told: bool) -> None:
    code = COLUMNS.replace("PITCH", pitch).replace("PLACE", place)
    assert bool(findings(SharedMemoryRace, code, "opencl")) is told


BEST = """
typedef struct { int source; int target; } Link;
__kernel void best(__global const Link *links, const uint n, __global volatile uint *most) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const Link link = links[i];
        WAIT
        if (link.source > most[link.target]) most[link.target] = link.source;
    }
}
"""


@pytest.mark.parametrize(("wait", "told"), [("", True), ("while (most[n] != i) ;", False)])
def test_a_volatile_read_is_a_wait_where_its_loop_hangs_on_it(wait: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, BEST.replace("WAIT", wait), "opencl")) is told


PACKED = """
__global__ void tally(const unsigned char *packed, unsigned *sum, int n) {
    __shared__ unsigned seen[16];
    for (int c = threadIdx.x; c < 16; c += blockDim.x) seen[c] = 0;
    BARRIER
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        unsigned kind = (packed[k >> 2] >> ((k & 3) * 2)) & 3u;
        if (kind < 3u) atomicAdd(&seen[kind * 5], 1u);  // bad
    }
    __syncthreads();
    for (int c = threadIdx.x; c < 16; c += blockDim.x) atomicAdd(&sum[c], seen[c]);
}
"""


def test_one_of_the_numbers_that_are_packed_in_a_word() -> None:
    assert_marked(SharedMemoryRace, PACKED.replace("BARRIER", ""))
    assert_marked(SharedMemoryRace, PACKED.replace("BARRIER", "__syncthreads();").replace("// bad", ""))
