"""Vectors and numbers at addresses that are no multiple: by numbers of a launch, by threads, by data."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import assert_marked

ROWS = """
__global__ void scale(float *m, int cols) {
    float4 *row = (float4 *)(m + (size_t)blockIdx.x * cols);
    for (int c = threadIdx.x; c < cols / 4; c += 256) {
        float4 v = row[c];MARK
        v.x *= 2.0f;
        row[c] = v;MARK
    }
}
void run(float *m, int rows) { scale<<<rows, 256>>>(m, COLS); }
"""

STRINGS = """
__global__ void hash(const char *chars, const int *begin, const int *bytes, unsigned *out, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    const char *p = chars + begin[s];
    int length = LENGTH, k = 0;
    unsigned h = 0;
    for (; k + 4 <= length; k += 4) h = h * 33 ^ *(const unsigned *)(p + k);MARK
    for (; k < length; ++k) h = h * 33 ^ p[k];
    out[s] = h;
}
"""

PACKED = """
struct ATTRIBUTE Cell { unsigned short scale; signed char value[SIZE]; };
__device__ int four(const Cell *c, int i) {
    return LOAD;MARK
}
__global__ void sums(const Cell *cells, int *out, int n) {
    int s = 0;
    for (int c = threadIdx.x; c < n; c += 64)
        for (int i = 0; i < 4; i++) s += four(cells + (size_t)blockIdx.x * n + c, i);
    atomicAdd(out + blockIdx.x, s);
}
"""


EVENTS = """
#define LENGTH SIZE
__global__ void keep(const float4 *where, const int *rows, const int n, float *log, unsigned *count, unsigned room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || where[i].w <= 0.0f) return;
    const unsigned slot = NUMBER;
    if (slot >= roomTEST) return;
    float *out = log + slot * LENGTH;
    *reinterpret_cast<float4 *>(out) = where[i];MARK
    for (int k = 4; k < LENGTH; ++k) out[k] = 0.0f;
}
"""


def events(number: str, size: str, bad: bool = False, test: str = "") -> str:
    """Rows of ``size`` numbers, the first four of which are stored as one."""
    text = EVENTS.replace("NUMBER", number).replace("SIZE", size).replace("TEST", test)
    return text.replace("MARK", " // bad" if bad else "")


PASSED = """
#include <cuda_runtime.h>
__global__ void halve(float *x, int quads, bool wide) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quadsTEST) return;
    float4 v = reinterpret_cast<float4 *>(x)[i];MARK
    x[4 * i] = 0.5f * (v.x + v.y + v.z + v.w);
}
void run(float *spectrum, int n, int rows) {
    const int quads = n / 4;
    for (int r = 0; r < rows; ++r) halve<<<(quads + 127) / 128, 128>>>(spectrum + PLACE, quads, n % 4 == 0);
}
"""


def passed(place: str, bad: bool = False, test: str = "") -> str:
    """A kernel of whole vectors, launched for a part of an array."""
    return PASSED.replace("PLACE", place).replace("TEST", test).replace("MARK", " // bad" if bad else "")


def packed(load: str, mark: str = "", size: int = 16, attribute: str = "") -> str:
    """Structs of ``size`` bytes behind a number of two, four of which one load takes."""
    text = PACKED.replace("LOAD", load).replace("MARK", mark and f" // {mark}").replace("SIZE", str(size))
    return text.replace("ATTRIBUTE", attribute)


CASES = {
    "all but the first number": passed("1", bad=True),
    "rows of six numbers": passed("6 * r", bad=True),
    "a number of whole vectors": passed("8 + 12 * r"),
    "rows of a length that is given": passed("(size_t)r * n"),
    "a flag that lets vectors in": passed("1", test=" || !wide"),
    "an address that is tested": passed("1", test=" || (unsigned long long)x % 16 != 0"),
    "a slot of seven numbers": events("atomicAdd(count, 1u)", "7", bad=True),
    "a slot of two numbers": events("atomicInc(count, 0xffffffffu)", "2", bad=True),
    "a slot of eight numbers": events("atomicAdd(count, 1u)", "((7 + 3) / 4 * 4)"),
    "slots of seven drawn by fours": events("atomicAdd(count, 4u)", "7"),
    "slots of six drawn by as many as are asked for": events("atomicAdd(count, room)", "6"),
    "every fourth slot of seven": events("atomicAdd(count, 1u)", "7", test=" || slot % 4"),
    "a row of five numbers that data choose": events("rows[i]", "5", bad=True),
    "a place that data choose": events("rows[i]", "1"),
    "a row of two numbers that data choose": events("rows[i]", "2"),
    "a word in structs of 18 bytes": packed("*(const int *)(c->value + 4 * i)", "bad"),
    "a word two bytes into structs of 20 bytes": packed("*(const int *)&c->value[4 * i]", "bad", size=18),
    "the same by subscript": packed("reinterpret_cast<const int *>(c->value)[i]", "bad"),
    "a word where structs leave room": packed("*(const int *)(c->value + 2 + 4 * i)", size=18),
    "halves of a word": packed("*(const short *)(c->value + 4 * i) | *(const short *)(c->value + 4 * i + 2) << 16"),
    "a member of a packed struct": """
struct __attribute__((packed)) Record { char kind; float value; };
__global__ void values(const Record *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].value;
}
""",
    "every second struct": """
struct Cell { unsigned short scale; signed char value[16]; };
__global__ void values(const Cell *cells, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = *(const int *)(cells[2 * i + 1].value + 0);
}
""",
    "a row of an odd length": ROWS.replace("COLS", "1030").replace("MARK", " // bad"),
    "a row of whole vectors": ROWS.replace("COLS", "1032").replace("MARK", ""),
    "runs back to back": STRINGS.replace("LENGTH", "begin[s + 1] - begin[s]").replace("MARK", " // bad"),
    "runs that may be padded": STRINGS.replace("LENGTH", "bytes[s]").replace("MARK", ""),
    "a word at every byte": """
__device__ unsigned word(const unsigned char *p) {
    return *(const unsigned *)p; // bad
}
__global__ void find(const unsigned char *file, int *at, int n, unsigned magic) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 <= n && word(file + i) == magic) atomicMin(at, i);
}
""",
    "a field of a pitched image": """
__global__ void twice(char *base, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) ((float *)(base + y * pitch))[x] *= 2.0f;
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(MisalignedVectorAccess, CASES[name])
