"""Values of 64 bits that are cut to 32 on their way, and numbers of elements in 32 bits that end an index of 64."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import assert_pair, findings

PAIRS = {
    "a stride that a helper takes as int": """
__device__ const float *member(const float *p, int which, int step) { return p + which * step; }  // only bad
__device__ const float *member(const float *p, int which, long long step) { return p + which * step; }  // only good
__global__ void gather(const float *a, float *o, int rows, int cols, long long pitch, long long step) {
    const float *mine = member(a, blockIdx.z, step);
    int r = threadIdx.x;
    for (int c = 0; c < cols; ++c)
        if (r < rows) o[r + c * pitch] = mine[r];  // bad
}
""",
    "a stride that a variable keeps in 32 bits": """
__global__ void gather(const float *a, float *o, int rows, int cols, long long step) {
    const int down = step;  // only bad
    const long long down = step;  // only good
    int r = threadIdx.x;
    for (int c = 0; c < cols; ++c)
        if (r < rows) o[r + c * step] = a[(int)blockIdx.y * down + r];  // bad
}
""",
    "a product that a variable keeps in 32 bits": """
__global__ void gather(const float *a, float *o, int rows, int cols, long long step) {
    const int first = (int)blockIdx.y * step;  // only bad
    const long long first = (int)blockIdx.y * step;  // only good
    int r = threadIdx.x;
    for (long long c = 0; c < cols; ++c)
        if (r < rows) o[r + c * step] = a[first + r];  // bad
}
""",
    "a product that is longer than the index that somebody widened": """
__global__ void clear(float *x, int planes, int high, int wide) {
    const int all = planes * high * wide;  // bad  // only bad
    const long long all = (long long)planes * high * wide;  // only good
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) x[i] = 0.0f;
}
""",
    "a number of elements that the host cuts for an index of 64 bits": """
__global__ void clear(float *x, int all) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += 262144) x[i] = 0.0f;  // only bad
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += 262144) x[i] = 0.0f;  // only good
}
void run(float *x, int high, int wide) {
    const long long all = (long long)high * wide;  // only bad
    const int all = high * wide;  // only good
    clear<<<1024, 256>>>(x, all);  // bad
}
""",
    "a size that another kernel of the same launch gets whole": """
__global__ void copy(const float *a, float *o, long long wide) {
    for (long long c = threadIdx.x; c < wide; c += blockDim.x) o[blockIdx.x * wide + c] = a[c];
}
__global__ void twice(const float *a, float *o, int wide) {  // only bad
__global__ void twice(const float *a, float *o, long long wide) {  // only good
    for (int c = threadIdx.x; c < wide; c += blockDim.x) o[blockIdx.x * wide + c] = 2.0f * a[c];  // bad
}
void run(const float *a, float *o, int rows, int half) {
    long long wide = 2LL * half;
    copy<<<rows, 128>>>(a, o, wide);
    twice<<<rows, 128>>>(a, o, wide);
}
""",
    "a count that another kernel has widened its index for": """
__global__ void first(float *x, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
__global__ void second(float *x, unsigned long long n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;  // only bad
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;  // only good
    if (i < n) x[i] += 1.0f;  // bad
}
""",
    "clamped coordinates along axes of which a comment says how long they are": """
__global__ void mark(unsigned *bits, const float *p, int n,
                     int side) {  // cells along each axis, up to 2048
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = min(max((int)p[3 * i], 0), side - 1), y = min(max((int)p[3 * i + 1], 0), side - 1);
    int z = min(max((int)p[3 * i + 2], 0), side - 1);
    unsigned long long cell = x + y * side + z * side * side;  // only bad
    unsigned long long cell = x + ((unsigned long long)z * side + y) * side;  // only good
    atomicOr(&bits[cell / 32], 1u << (cell % 32));  // bad
}
""",
    "a product that a helper gets as its place": """
__device__ void put(unsigned *bits, unsigned long long at) { atomicOr(&bits[at / 32], 1u << (at % 32)); }
__global__ void mark(unsigned *bits, const int *p, int n,
                     int side) {  // cells along each axis, up to 2048
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = min(p[3 * i], side - 1), y = min(p[3 * i + 1], side - 1), z = min(p[3 * i + 2], side - 1);
    unsigned long long cell = x + y * side + z * side * side;  // bad  // only bad
    unsigned long long cell = x + ((unsigned long long)z * side + y) * side;  // only good
    put(bits, cell);
}
""",
    "a block's number and a number of threads that a template gives": """
template <int THREADS> __global__ void fade(float *x, int high, int wide) {
    int i = blockIdx.x * THREADS + threadIdx.x;  // only bad
    long long i = (long long)blockIdx.x * THREADS + threadIdx.x;  // only good
    if (i / wide < high) x[i] *= 0.5f;  // bad
}
void run(float *x, int high, int wide) {
    const long long all = (long long)high * wide;
    fade<256><<<(unsigned)((all + 255) / 256), 256>>>(x, high, wide);
}
""",
    "a conversion after the product": """
__global__ void fill(float *x, int wide) {
    for (int c = threadIdx.x; c < wide; c += blockDim.x)
        x[(size_t)((int)blockIdx.x * wide + c)] = 1.0f;  // bad  // only bad
        x[(size_t)blockIdx.x * wide + c] = 1.0f;  // only good
}
""",
}


@pytest.mark.parametrize("text", PAIRS.values(), ids=PAIRS.keys())
def test_cut(text: str) -> None:
    assert_pair(IndexOverflow, text)


OPENCL = {
    "a count of 64 bits, which no kernel of OpenCL has by habit": """
__kernel void fill(__global uint *x, const ulong n) {
    int i = get_global_id(0);  // only bad
    size_t i = get_global_id(0);  // only good
    if (i >= n) return;  // bad
    x[i * 16] = 1;
}
""",
    "a number of elements that a comment counts": """
// The columns of a volume may have more than 2^32 elements.
__kernel void unfold(__global float *x, const uint a, const uint b, const uint c, const uint d) {
    const uint all = a * b * c * d;  // bad  // only bad
    const ulong all = (ulong)a * b * c * d;  // only good
    for (ulong i = get_global_id(0); i < all; i += get_global_size(0)) x[i] = 0.0f;
}
""",
    "a group's number that was kept in 32 bits and is widened in another kernel": """
__kernel void first(__global float *x, const int wide) {
    const int row = get_group_id(0);
    for (int c = get_local_id(0); c < wide; c += get_local_size(0)) x[(size_t)row * wide + c] = 1.0f;
}
__kernel void second(__global float *x, const int wide) {
    const int row = get_group_id(0);
    for (int c = get_local_id(0); c < wide; c += get_local_size(0))
        x[row * wide + c] += 1.0f;  // bad  // only bad
        x[(size_t)row * wide + c] += 1.0f;  // only good
}
""",
}


@pytest.mark.parametrize("text", OPENCL.values(), ids=OPENCL.keys())
def test_cut_in_opencl(text: str) -> None:
    assert_pair(IndexOverflow, text, "opencl")


@pytest.mark.parametrize(
    ("cut", "told"),
    [("const int down = step;", [Severity.WARNING]), ("const int down = (int)step;", [Severity.NOTE])],
)
def test_cuts_that_somebody_has_written_are_notes(cut: str, told: list[Severity]) -> None:
    """Of another parameter that is multiplied whole: who writes the cut knows that the number is small."""
    found = findings(
        IndexOverflow,
        "__global__ void gather(const float *a, float *o, int rows, int cols, long long pitch, long long step) {\n"
        f"    {cut}\n    int r = threadIdx.x;\n    for (int c = 0; c < cols; ++c)\n"
        "        if (r < rows) o[r + c * pitch] = a[(int)blockIdx.y * down + r];\n}\n",
    )
    assert [one.severity for one in found] == told


GIVEN = """
#include <cstdlib>
__global__ void copy(const float *a, float *o, int wide) {
    for (int c = threadIdx.x; c < wide; c += blockDim.x) o[blockIdx.x * wide + c] = a[c];
}
int main(int argc, char **argv) {
    SIZES
    float *a, *o;
    cudaMalloc(&a, wide * sizeof(float));
    cudaMalloc(&o, (size_t)rows * wide * sizeof(float));
    copy<<<rows, 128>>>(a, o, wide);
    cudaFree(a);
    return cudaFree(o);
}
"""


@pytest.mark.parametrize(("number", "bad"), [("70000", True), ("4096", False)])
@pytest.mark.parametrize(
    "sizes",
    [
        "int rows = argc > 1 ? atoi(argv[1]) : NUMBER, wide = argc > 2 ? atoi(argv[2]) : NUMBER;",
        "int rows = NUMBER, wide = NUMBER; if (argc > 1) rows = atoi(argv[1]);",
    ],
)
def test_numbers_for_what_a_user_leaves_out(sizes: str, number: str, bad: bool) -> None:
    text = GIVEN.replace("SIZES", sizes).replace("NUMBER", number)
    assert bool(findings(IndexOverflow, text)) is bad


PARTIAL = """
__kernel void partial(__global float *out, __global const float *x, uint n, uint each) {
    KIND group = get_group_id(0);
    const uint begin = WIDEgroup * each;
    float sum = 0.0f;
    for (uint i = begin + get_local_id(0); i < min(n, begin + each); i += get_local_size(0)) sum += x[i];
    if (get_local_id(0) == 0) out[group] = sum;
}
"""


@pytest.mark.parametrize(("kind", "wide"), [("size_t", ""), ("int", ""), ("uint", ""), ("uint", "(ulong)")])
def test_opencl_makes_products_of_ids_in_64_bits_anyway(kind: str, wide: str) -> None:
    text = PARTIAL.replace("KIND", kind).replace("WIDE", wide)
    assert not findings(IndexOverflow, text, "opencl")
