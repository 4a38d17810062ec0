"""Updates under conditions on data in loops whose rounds a barrier parts."""

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint import registry
from tests.rules.marked import assert_marked, findings

RULE = registry.load().get("KL201")

NEAREST = """\
__global__ void nearest(const float *x, float *out) {
    __shared__ float best[512];
    __shared__ int who[512];
    int t = threadIdx.x;
    best[t] = x[blockIdx.x * 512 + t];
    best[t + 256] = x[blockIdx.x * 512 + t + 256];
    who[t] = t;
    who[t + 256] = t + 256;
    for (int u = 0; (1 << u) < 512; u++) {
        __syncthreads();
        if (t < (512 >> (u + 1))) {
            int a = %s, b = (t * 2 + 1) << u;
            if (best[a] > best[b]) {
                best[a] = best[b];%s
                who[a] = who[b];%s
            }
        }
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = who[0];
}
"""


def test_threads_of_one_round_have_places_of_their_own():
    assert_marked(RULE, NEAREST % ("(t * 2) << u", "", ""))


def test_threads_that_share_one_are_found():
    assert_marked(RULE, NEAREST % ("(t / 64 * 2) << u", " // bad", " // bad"))


PLANES = """
__global__ void hash(const float *x, const float *planes, unsigned char *out, int count, int dims) {
  extern __shared__ float held[];
  for (int i = threadIdx.x; i < count * (dims + 1); i += blockDim.x) held[i] = planes[i];
  unsigned char *bits = (unsigned char *)(held + count * (dims + LAST));
  __syncthreads();
  const int b = threadIdx.x % count;
  const float *plane = held + b;
  float s = 0.0f;
  for (int d = 0; d < dims; d++) {
    s += x[d] * *plane;
    plane = plane + count;
  }
  bits[threadIdx.x] = s > *plane;
  __syncthreads();
  out[threadIdx.x] = bits[threadIdx.x ^ 1];
}
"""


@pytest.mark.parametrize(("last", "told"), [("1", False), ("0", True)])
def test_a_loop_that_moved_a_pointer_went_no_further_than_its_condition(last: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, PLANES.replace("LAST", last))) is told


TREE = """
__global__ void sums(const int *x, int *y) {
  __shared__ int held[256];
  const int id = threadIdx.x, all = blockDim.x;
  held[id] = x[id];
  __syncthreads();
  int step, mask;
  for (step = 1, mask = FIRST; step < all; step <<= 1) {
    NEXT
    if ((id & mask) == mask) held[id] += held[id - step];
    __syncthreads();
  }
  y[id] = held[id];
}
"""


@pytest.mark.parametrize(
    ("first", "next_", "told"),
    [
        ("1", "mask |= step;", False),
        ("0", "mask = 2 * mask + 1;", False),
        ("0", "mask += step;", False),
        ("0", "mask = 1;", True),  # an odd place reads another odd one
    ],
)
def test_masks_that_grow_with_the_step(first: str, next_: str, told: bool) -> None:
    code = TREE.replace("FIRST", first).replace("NEXT", next_)
    assert bool(findings(SharedMemoryRace, code)) is told


FAR = """
__global__ void turn(float *rows, int n%s) {
    extern __shared__ float row[];
    const int t = threadIdx.x, part = %s / 3;
    for (int i = 0; i < n; ++i, rows += %s) {
        row[t] = rows[t];
        __syncthreads();
        rows[t] = row[t / part * part + (part - 1 - t %% part)];
        %s
    }
}
void go(float *rows, int n, int width) {
    if (width %% 3 != 0 || width <= 0 || width > 1024) return;
    turn<<<1, %s, %s * sizeof(float)>>>(rows, n%s);
}
"""


@pytest.mark.parametrize("behind", ["", "__syncthreads();"])
@pytest.mark.parametrize("told", [True, False])
def test_threads_that_meet_far_apart_in_a_block(behind: str, told: bool) -> None:
    """The kernel is told the size of its block, or knows it."""
    param, size, block, arg = (", int width", "width", "width", ", width") if told else ("", "768", "768", "")
    code = FAR % (param, size, size, behind, block, block, arg)
    assert bool(findings(SharedMemoryRace, code)) is not bool(behind)


STAGES = """
__global__ void k(const float *x, float *out, int n) {
  __shared__ float s[3 * 128];
  size_t into = 0, from = 0, put = 0, get = 0;
  s[put + threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int t = 1; t < n; ++t) {
    float v = s[get + 127 - threadIdx.x];
    into = (into + 1) % @stages;
    put = into * 128;
    s[put + threadIdx.x] = x[t * 128 + threadIdx.x];
    from = (from + 1) % @stages;
    get = from * 128;
    __syncthreads();
    out[t * 128 + threadIdx.x] = v;
  }
}
void run(const float *x, float *out, int n) { k<<<1, 128>>>(x, out, n); }
"""


@pytest.mark.parametrize(("stages", "told"), [("2", False), ("3", False), ("1", True)])
def test_places_of_stages_that_an_iteration_makes_for_the_next(stages: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, STAGES.replace("@stages", stages))) is told
