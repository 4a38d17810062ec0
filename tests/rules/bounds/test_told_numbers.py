"""Arrays of constant size, and numbers of which comments say how large they get."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

LABELS = """
#define CLASSES 16
__global__ void count(const int *labels,  // SAID
                      int *out, int n) {
    __shared__ int hist[CLASSES];
    if (threadIdx.x < CLASSES) hist[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) { CHECK atomicAdd(&hist[labels[i]], 1); }
    __syncthreads();
    if (threadIdx.x < CLASSES) out[threadIdx.x] = hist[threadIdx.x];
}
"""


@pytest.mark.parametrize(
    "said, check, bad",
    [
        ("0 .. 16", "", True),
        ("0 .. CLASSES", "", True),
        ("0 .. 15", "", False),
        ("class of each item, below CLASSES", "", False),
        ("labels are in [0, CLASSES]", "", True),
        ("0 .. CLASSES", "if (labels[i] >= CLASSES) continue;", False),
        ("0 .. 16", "if (labels[i] == CLASSES) continue;", False),
        ("one for each item", "", False),
        ("usually 0 .. 16", "", False),
    ],
)
def test_data(said: str, check: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, LABELS.replace("SAID", said).replace("CHECK", check))
    assert [one.message.split(": ")[1] for one in found] == (
        ["with labels = 16, which a comment allows, a thread reaches element 16 of 16"] if bad else []
    )


SALT = """
#define MOST 64  /* bytes */
typedef struct {
    uint length;  /* bytes, 0 .. MOST */
    uchar bytes[MOST];
} salt_t;
inline void put(uint *w, uint at, uint byte) { w[at >> 2] |= byte << ((at & 3) * 8); }
__kernel void first(__global const salt_t *salts, __global uint *out, uint counter) {
    uint msg[WORDS];
    for (uint i = 0; i < WORDS; i++) msg[i] = 0;
    __global const salt_t *salt = salts + get_global_id(0);
    const uint n = LENGTH;
    for (uint i = 0; i < n; i++) put(msg, i, salt->bytes[i]);
    for (uint i = 0; i < 4; i++) put(msg, n + i, counter >> (8 * i));
    out[get_global_id(0)] = msg[0] ^ msg[n / 4];
}
"""


@pytest.mark.parametrize(
    "words, length, bad",
    [
        ("(MOST + 3) / 4", "salt->length", True),
        ("MOST / 4 + 1", "salt->length", False),
        ("MOST / 4", "salt->length & 31", False),
        ("MOST / 4", "min(salt->length, 60u)", False),
    ],
)
def test_members_and_the_rounds_they_give_loops(words: str, length: str, bad: bool) -> None:
    source = SALT.replace("WORDS", f"({words})").replace("LENGTH", length)
    found = findings(ArrayIndexOutOfRange, source, "opencl")
    assert ["length = 64, which a comment allows" in one.message for one in found] == ([True] if bad else [])


SETS = """
// Category values are dense and run from 0 to kMost, both included.
constexpr int kMost = 256;
constexpr int kWords = WORDS;
struct Split { int start, count; };
__device__ void set(unsigned *bits, int at) { bits[at / 32] |= 1u << (at % 32); }
__global__ void build(const Split *splits, const int *chosen_categories, unsigned *out, int n) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    unsigned bits[kWords] = {};
    for (int i = 0; i < splits[s].count; ++i) set(bits, chosen_categories[splits[s].start + i]);
    for (int w = 0; w < kWords; ++w) out[s * kWords + w] = bits[w];
}
"""


def test_values_that_an_array_is_said_to_hold() -> None:
    assert findings(ArrayIndexOutOfRange, SETS.replace("WORDS", "(kMost + 31) / 32"))
    assert not findings(ArrayIndexOutOfRange, SETS.replace("WORDS", "kMost / 32 + 1"))


ORDER = """
struct Filter {
    int order;  // 1 .. 8
    float gain;
};
__global__ void run(Filter f, const float *x, float *y) {
    float c[SIZE];
    for (int k = 0; k <= f.order; ++k) c[k] = x[k] * f.gain;
    float s = 0;
    for (int k = 0; k <= f.order; ++k) s += c[k];
    y[threadIdx.x] = s;
}
"""


@pytest.mark.parametrize("size, bad", [("8", True), ("9", False)])
def test_arguments(size: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, ORDER.replace("SIZE", size))) is bad


TABLES = """
struct Table { float v[32], w[33]; };
__constant__ Table tables[4];
__device__ int held(int x, int low, int high) { return x < low ? low : (x > high ? high : x); }
__global__ void look(const float *x, const int *kind, float *y, float scale) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Table &t = tables[kind[i]];
    PLACE
    y[i] = t.FIELD[j] + t.FIELD[j + 1];
}
"""


@pytest.mark.parametrize(
    "place, bad",
    [
        ("int j = min((int)(x[i] * scale), 31);", True),
        ("int j = min((int)(x[i] * scale), 30);", False),
        ("unsigned j = (unsigned)floorf(x[i] * scale); if (j > 31) j = 31;", True),
        ("int j = held((int)(x[i] * scale), 0, 31);", True),
        ("int j = (int)fminf(fmaxf(x[i] * scale, 0.0f), 31.0f);", True),
        ("int j = (int)(x[i] * scale); if (j < 0 || j > 31) return;", True),
        ("int j = (int)(x[i] * scale); if (j < 0 || j >= 31) return;", False),
        ("int j = min((int)(x[i] * scale), 31); if (j + 1 > 31) return;", False),
        ("int j = (int)(x[i] * scale);", False),
    ],
)
def test_the_element_behind_one_that_is_clamped_to_the_last(place: str, bad: bool) -> None:
    source = TABLES.replace("PLACE", place)
    assert bool(findings(ArrayIndexOutOfRange, source.replace("FIELD", "v"))) is bad
    assert not findings(ArrayIndexOutOfRange, source.replace("FIELD", "w"))
