"""Conditions of which nothing says that threads disagree on them, and loops that begin for sure."""

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace
from kernlint_rules.synchronisation.wrong_fence import WrongFence

from kernlint.finding import Severity
from tests.rules.marked import findings

LOST = """
__global__ void k(const float *x, float *out, int *at, int n) {
  __shared__ float s[64];
  for (int i = threadIdx.x; i < (n + blockDim.x - 1) / blockDim.x * blockDim.x; i += blockDim.x) {
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) { @lost }
    out[i] = s[63 - threadIdx.x];
    __syncthreads();
  }
}
"""


@pytest.mark.parametrize(
    ("lost", "told"),
    [("at[i] = i + FIRST;", False), ("at[i] = FIRST;", False), ("at->last = FIRST + i;", False)],
)
def test_what_a_lost_statement_reads_it_does_not_change(lost: str, told: bool) -> None:
    assert bool(findings(BarrierDivergence, LOST.replace("@lost", lost))) is told


AFTER = """
__global__ void k(const int *next, float *out, int n, int most) {
  __shared__ int s[64];
  int left = most;
  for (int i = threadIdx.x; i < n; i += 64) left = @step;
  for (int r = 0; r < left; ++r) {
    s[threadIdx.x] = r;
    __syncthreads();
    out[r * 64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
  }
}
"""


@pytest.mark.parametrize(("step", "told"), [("next[left]", False), ("next[left + threadIdx.x]", True)])
def test_a_variable_after_a_loop_varies_as_it_does_in_the_loop(step: str, told: bool) -> None:
    assert bool(findings(BarrierDivergence, AFTER.replace("@step", step))) is told


UNSEEN = """
int rows_of(float *tile, int lane);
__global__ void k(float *x, float *out) {
  __shared__ float s[64];
  for (int r = 0; r < rows_of(x, threadIdx.x); ++r) {
    s[threadIdx.x] = x[threadIdx.x + r];
    __syncthreads();
    out[r * 64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
  }
}
"""


def test_what_an_unseen_function_makes_of_its_arguments_is_not_known() -> None:
    assert not [f for f in findings(BarrierDivergence, UNSEEN) if f.severity is not Severity.NOTE]


DIGITS = """
__device__ void count(int *counts, int *s, const int *x, int n, int shift) {
  if (threadIdx.x < 4) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&s[(x[i] >> shift) & 3], 1);
  __syncthreads();
  for (int i = 0; i < 4; ++i) counts[i] = s[i];
  __syncthreads();
}
__device__ void digits(int *s, const int *x, int n, int wanted, int *out) {
  int counts[4];
  int left = wanted;
  for (int shift = 30; shift >= 0; shift -= 2) {
    count(counts, s, x, n, shift);
    for (int i = 0; i < 4; ++i) {
      int found = counts[i];
      if (found == 1 && left == 1) {
        *out = shift;
        return;
      }
      if (found >= left) break;
      left -= found;
    }
  }
  *out = -1;
}
__global__ void k(const int *x, int *out, int n, int wanted) {
  __shared__ int s[32];
  int at;
  digits(s, x, n, wanted, &at);
  for (int i = threadIdx.x; i < (n + blockDim.x - 1) / blockDim.x * blockDim.x; i += blockDim.x) {
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = i;
    __syncthreads();
    if (i < n) out[i] = s[0] + at;
    __syncthreads();
  }
}
void run(const int *x, int *out, int n, int wanted) { k<<<1, 128>>>(x, out, n, wanted); }
"""


def test_a_loop_that_begins_for_sure_leaves_its_barriers_behind() -> None:
    """Who comes out of it has met one, and all come out by the same way."""
    assert not findings(SharedMemoryRace, DIGITS)
    assert findings(SharedMemoryRace, DIGITS.replace("  __syncthreads();\n}\n__device__", "}\n__device__"))


DRAWN = """
__device__ int cursor;
__global__ void k(const int *first, float *out, float *tmp, int n) {
  const int lane = threadIdx.x % 32;
  while (true) {
    int i = 0;
    if (lane == 0) i = atomicAdd(&cursor, 1);
    i = __shfl_sync(0xffffffff, i, 0);
    if (@done) break;
    const int from = first[i], upto = first[i + 1];
    for (int k = from + lane; k < upto; k += 32) tmp[k] = k;
    __syncwarp();
    for (int k = from + lane; k < upto; k += 32) out[k] = tmp[from] + tmp[k];
  }
}
"""


@pytest.mark.parametrize("done", ["i >= n", "i == n"])
def test_an_item_of_work_that_a_warp_draws_is_no_wait(done: str) -> None:
    """Who counts each time that he looks waits for nobody, whichever way he leaves."""
    assert not findings(WrongFence, DRAWN.replace("@done", done))


def test_a_long_chain_of_shuffles_is_gone_through_once() -> None:
    steps = "".join(f"v += __shfl_xor_sync(0xffffffff, v, {1 << i % 5}); " for i in range(40))
    code = "__global__ void k(const int *x, int *out) { int v = x[threadIdx.x]; " + steps + "out[v] = v; }"
    assert not findings(WrongFence, code)


ONE_BLOCK = """
__global__ void positive(const int *x, int *y, long long n) {
    __shared__ int count;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i == 0) count = 0;
        __syncthreads();
        if (x[i] > 0) atomicAdd(&count, 1);
        __syncthreads();
        y[i] = count;
    }
}
void run(const int *x, int *y, long long n) { positive<<<LAUNCH>>>(x, y, n); }
"""


@pytest.mark.parametrize(("launch", "bad"), [("1, n", False), ("1, n + 1", True), ("2, n", False), ("1, 256", True)])
def test_a_block_of_as_many_threads_as_are_asked_for(launch: str, bad: bool) -> None:
    assert bool(findings(BarrierDivergence, ONE_BLOCK.replace("LAUNCH", launch))) is bad


ROUNDED = """
__global__ void starts(unsigned *sizes, const int count, unsigned *total) {
  __shared__ unsigned s[512];
  unsigned sum = 0;
  const unsigned end = (count + @less) & ~511;
  for (unsigned k = threadIdx.x; k < @end; k += 512) {
    s[threadIdx.x] = k < count ? sizes[k] : 0;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int i = 0; i < 512; i++) { const unsigned one = s[i]; s[i] = sum; sum += one; }
    __syncthreads();
    if (k < count) sizes[k] = s[threadIdx.x];
  }
  if (threadIdx.x == 0) *total = sum;
}
void go(unsigned *sizes, int n, unsigned *total) { starts<<<1, 512>>>(sizes, n, total); }
"""


@pytest.mark.parametrize(("end", "told"), [("end", False), ("end + 8", True), ("count", True)])
def test_a_mask_rounds_to_a_multiple(end: str, told: bool) -> None:
    assert bool(findings(BarrierDivergence, ROUNDED.replace("@less", "511").replace("@end", end))) is told


STREAM = """
static uint repeat(__local uchar *dst, uint pos, uint back, uint count) {
    if (back == 0 || back > pos) return pos;
    for (uint i = get_local_id(0); i < count; i += 64) dst[pos + i] = dst[pos - back + i % back];
    @behind
    return pos + count;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void unpack(__global const uchar *src, __global const uint *code, uint codes, __global uchar *out) {
    __local uchar dst[4096];
    uint pos = 0;
    for (uint t = 0; t < codes; ++t) {
        const uint count = code[3 * t];
        for (uint i = get_local_id(0); i < count; i += 64) dst[pos + i] = src[pos + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        pos = repeat(dst, pos + count, code[3 * t + 1], code[3 * t + 2]);
    }
    for (uint i = get_local_id(0); i < pos; i += 64) out[i] = dst[i];
}
"""


@pytest.mark.parametrize(("behind", "told"), [("barrier(CLK_LOCAL_MEM_FENCE);", False), ("", True)])
def test_a_return_of_the_last_round_that_passes_a_barrier_by_passes_the_write_by(behind: str, told: bool) -> None:
    found = findings(SharedMemoryRace, STREAM.replace("@behind", behind), language="opencl")
    assert bool(found) is told


MOVING = """
__global__ void shells(const int *kinds, const float *x, float *out, int items) {
    __shared__ float part[256];
    __shared__ int most, step;
    if (threadIdx.x == 0) { most = kinds[0]; step = kinds[1]; }
    __syncthreads();
    const int width = 256 / step, lane = threadIdx.x % width, group = threadIdx.x / width;
    part[threadIdx.x] = 0.0f;
    for (int k = 0; k < items; ++k) {
        const int last = (most + 1) * 3;
        for (int n = group; n < last + END; n += step) {
            __syncthreads();
            if (n < last) part[threadIdx.x] += x[k * last + n];
        }
    }
    out[blockIdx.x * 256 + threadIdx.x] = part[threadIdx.x];
}
void run(const int *kinds, const float *x, float *out, int items) { shells<<<16, 256>>>(kinds, x, out, items); }
"""


@pytest.mark.parametrize(("end", "told"), [("group", False), ("lane", True), ("0", True)])
def test_an_end_that_moves_with_the_start_is_the_same_number_of_rounds(end: str, told: bool) -> None:
    assert bool(findings(BarrierDivergence, MOVING.replace("END", end))) is told


POWERS = """
__global__ void axis(const float *x, float *y) {
    __shared__ float cov[64];
    __shared__ int flat;
    const int t = threadIdx.x;
    cov[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    float v = 1.0f, w = 1.0f;
    for (int k = 0; k < ROUNDS; ++k) {
        const float a = v * cov[FROM] + w * cov[1];
        w = v * cov[1] + w * cov[2];
        v = a;
    }
    flat = v == 0.0f && w == 0.0f;
    __syncthreads();
    if (!flat) y[blockIdx.x * 64 + t] = v;
}
void run(const float *x, float *y) { axis<<<8, 64>>>(x, y); }
"""


@pytest.mark.parametrize(("rounds", "start", "told"), [("8", "0", False), ("8", "t", True), ("t", "0", True)])
def test_what_all_threads_make_alike_in_a_loop(rounds: str, start: str, told: bool) -> None:
    code = POWERS.replace("ROUNDS", rounds).replace("FROM", start)
    assert any("write flat" in one.message for one in findings(SharedMemoryRace, code)) is told


WHOLE_BLOCKS = """
__device__ int up(int n, int step) { return (n + step - 1) / step * step; }
__global__ void k(const int *x, int *out, const int *kept, int n) {
  __shared__ int count;
  int most = n;
  if (@rounded) most = up(n, blockDim.x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < most; i += gridDim.x * blockDim.x) {
    const int v = i < n ? x[i] : -1;
    if (out != kept) {
      if (threadIdx.x == 0) count = 0;
      __syncthreads();
      if (v != -1) atomicAdd(&count, 1);
      __syncthreads();
      if (threadIdx.x == 0) out[i / blockDim.x] = count;
      __syncthreads();
    }
  }
}
"""


@pytest.mark.parametrize(("rounded", "told"), [("out != kept", False), ("out == kept", True), ("n > 64", True)])
def test_what_was_chosen_under_the_condition_of_a_barrier_is_settled_there(rounded: str, told: bool) -> None:
    """The loop goes as far as whole blocks do wherever its barriers are met."""
    assert bool(findings(BarrierDivergence, WHOLE_BLOCKS.replace("@rounded", rounded))) is told
