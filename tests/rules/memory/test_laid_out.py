"""Numbers and vectors behind others in a buffer or a structure, whose place nobody rounds up."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import assert_marked, findings

MEMBER = """
struct Pool {
    MEMBERS
    __device__ void take(unsigned v) { cell[used % 12] ^= v; ++used; }
    __device__ uint4 give(int k) const { return reinterpret_cast<const uint4 *>(cell)[k]; }MARK
};
__global__ void mix(const unsigned *in, uint4 *out, int n) {
    Pool pool;
    pool.used = 0;
    for (int k = 0; k < 12; ++k) pool.cell[k] = 0;
    for (int k = 0; k < n; ++k) pool.take(in[k]);
    out[threadIdx.x] = pool.give(1);
}
"""

SHARED_BUFFER = """
__global__ void step(const char *all, int n, int width, const double *basis, double *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int *moved = (const int *)FIRST;
    const double *const *rows = (const double *const *)SECOND;
    double sum = 0.0;
    for (int k = 0; k < width; ++k) sum += rows[i][k] * basis[(size_t)moved[i] * width + k];MARK
    out[i] = sum;
}
void run(const char *all, int n, int width, const double *basis, double *out) {
    CHECK
    step<<<(n + 127) / 128, 128>>>(all, n, width, basis, out);
}
"""

SEGMENTS = """
#include <vector>
struct Plan { size_t weights, order; };
static size_t up(size_t x, size_t to) { return (x + to - 1) / to * to; }
static Plan plan(size_t links) {
    Plan p;
    p.weights = 0;
    p.order = PLACE;
    return p;
}
__global__ void gather(const unsigned char *plan, size_t order, const float *x, float *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[reinterpret_cast<const unsigned long long *>(plan + order)[i]];MARK
}
void run(const unsigned char *all, const std::vector<SMALL> &links, const float *x, float *y, int n) {
    CHECK
    const Plan p = plan(links.size());
    gather<<<(n + 127) / 128, 128>>>(all, p.order, x, y, n);
}
"""


@pytest.mark.parametrize(
    ("members", "bad"),
    [
        ("int used; unsigned cell[12];", True),
        ("unsigned cell[12]; int used;", False),
        ("int used; __align__(16) unsigned cell[12];", False),
        ("int used; int pad[3]; unsigned cell[12];", False),
        ("unsigned long long seed; int used; unsigned cell[12];", True),
    ],
)
def test_members(members: str, bad: bool) -> None:
    text = MEMBER.replace("MEMBERS", members).replace("MARK", " // bad" if bad else "")
    assert_marked(MisalignedVectorAccess, text, "cuda")


def test_a_member_that_most_likely_is_in_registers_is_a_note() -> None:
    text = MEMBER.replace("MEMBERS", "int used; unsigned cell[12];").replace("used % 12", "3")
    assert [one.severity.name for one in findings(MisalignedVectorAccess, text, "cuda")] == ["NOTE"]


@pytest.mark.parametrize(
    ("first", "second", "check", "bad"),
    [
        ("all", "(all + n * sizeof(int))", "", True),
        ("(all + n * sizeof(double *))", "all", "", False),
        ("all", "(all + (n + 1) / 2 * 2 * sizeof(int))", "", False),
        ("all", "(all + n * sizeof(int))", "if (n % 2 != 0) return;", False),
        ("all", "(all + n * sizeof(int))", "if (n % 3 != 0) return;", True),
    ],
)
def test_behind_others_in_one_buffer(first: str, second: str, check: str, bad: bool) -> None:
    text = SHARED_BUFFER.replace("FIRST", first).replace("SECOND", second).replace("CHECK", check)
    assert_marked(MisalignedVectorAccess, text.replace("MARK", " // bad" if bad else ""), "cuda")


@pytest.mark.parametrize(
    ("place", "small", "check", "bad"),
    [
        ("p.weights + links * sizeof(float)", "float", "", True),
        ("up(p.weights + links * sizeof(float), 8)", "float", "", False),
        ("p.weights + links * sizeof(double)", "double", "", False),
        ("p.weights + links * sizeof(float)", "float", "if (links.size() % 2) return;", False),
        ("p.weights + links * 3 * sizeof(short)", "short", "", True),
        ("p.weights + links", "unsigned char", "", False),
    ],
)
def test_places_that_a_launch_passes(place: str, small: str, check: str, bad: bool) -> None:
    text = SEGMENTS.replace("PLACE", place).replace("SMALL", small).replace("CHECK", check)
    assert_marked(MisalignedVectorAccess, text.replace("MARK", " // bad" if bad else ""), "cuda")


BYTES = """
__kernel void shuffle_keys(__global const ulong *in, __global ulong *out, __local POINTEE *room) {
    __local ulong *own = (__local ulong *)room + get_local_id(0) * 2;
    own[0] = in[get_global_id(0)];MARK
    own[1] = own[0] ^ (own[0] >> 7);
    out[get_global_id(0)] = own[1];
}
"""


@pytest.mark.parametrize(
    ("pointee", "mark"), [("char", " // bad"), ("uchar", " // bad"), ("ulong", ""), ("ulong2", "")]
)
def test_local_memory_that_is_given_as_bytes(pointee: str, mark: str) -> None:
    assert_marked(MisalignedVectorAccess, BYTES.replace("POINTEE", pointee).replace("MARK", mark), "opencl")


def test_bytes_that_are_read_four_at_a_time_or_lie_in_an_array_of_the_kernel() -> None:
    words = BYTES.replace("POINTEE", "char").replace("MARK", "").replace("ulong", "uint")
    assert not findings(MisalignedVectorAccess, words, "opencl")
    own = BYTES.replace(", __local POINTEE *room", "").replace("MARK", "")
    own = own.replace("{\n", "{\n    __local char room[4096];\n", 1)
    assert not findings(MisalignedVectorAccess, own, "opencl")
