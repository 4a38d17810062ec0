"""Launches of which much is not known: how many items a list has, who passes the grid, which of several it is."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

LATE, MISSING = registry.load().get("KL103"), registry.load().get("KL101")

STREAMS = """\
#include <vector>
struct Part { const char *from; unsigned long size; unsigned parts; };
__global__ void parse(Part *part, int count) {
    __shared__ Part own[4];
    const int at = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x %% 32;
    %s
    __syncthreads();
    if (at < count && lane == 0) own[threadIdx.x / 32].parts = 3;
    __syncthreads();
    if (at < count && lane == 0) part[at] = own[threadIdx.x / 32];
}
void launch(Part *part, int count) { parse<<<(count + 3) >> 2, 128>>>(part, count); }
"""

READ = "if (lane == 0) own[threadIdx.x / 32] = part[at];  // bad"
TESTED = "if (at < count && lane == 0) own[threadIdx.x / 32] = part[at];"

LIST = """\
struct List {
    explicit List(size_t room) : count(0), most(room) { cudaMalloc(&d, sizeof(Part) * room); }
    ~List() { cudaFree(d); }
    void add() { if (count < most) count++; }
    size_t count, most;
    Part *d;
};
"""

ONCE = """\
void once(std::vector<int> &from) {
    List list(from.size());
    for (const auto &one : from) list.add();
    launch(list.d, list.count);
}
"""

TWICE = """\
int twice(std::vector<int> &from, int given) {
    List list(from.size());
    for (const auto &one : from) list.add();
    launch(list.d, list.count);
    if (given <= 0) return 1;
    launch(list.d, list.count);
    return 0;
}
"""


@pytest.mark.parametrize("host", ["", LIST + ONCE, LIST + TWICE])
def test_a_count_that_a_loop_has_made_may_be_any(host):
    assert_marked(LATE, STREAMS % READ + host)
    assert_marked(LATE, STREAMS % TESTED + host)


def test_a_count_that_is_checked_to_be_whole_blocks():
    host = "int whole(Part *part, int n) { if (n % 4 != 0) return 1; launch(part, n); return 0; }\n"
    assert_marked(LATE, (STREAMS % READ.replace("// bad", "") + host).replace("void launch", "static void launch"))


COLUMNS = """\
struct Sizes { int rows, cols, stride; };
template <int T>
__global__ void columns(const float *m, Sizes d, float b, float *v) {
    __shared__ float sum[256];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, j = blockIdx.x * T + threadIdx.x;
    float own = 0;
    if (j < d.cols)
        for (int i = threadIdx.y; i < d.rows; i += 256 / T) own += m[i * d.stride + j];
    sum[t] = own;
    __syncthreads();
    for (int s = 128; s >= T; s >>= 1) {
        if (t < s) sum[t] += sum[t + s];
        __syncthreads();
    }
    %s
}
void columns_of(dim3 grid, dim3 block, const float *m, Sizes d, float b, float *v) {
    if (block.x == 16) columns<16><<<grid, block>>>(m, d, b, v);
    else if (block.x == 32) columns<32><<<grid, block>>>(m, d, b, v);
}
"""


def test_who_passes_the_grid_says_nothing_of_what_it_is_made_for():
    assert_marked(MISSING, COLUMNS % "if (t < T) v[j] = sum[t] + b * v[j];  // bad")
    assert_marked(MISSING, COLUMNS % "if (t < T && j < d.cols) v[j] = sum[t] + b * v[j];")


POSITIONS = """\
template <int G, class From>
__global__ void align(From from, int *out, int n) {
    const int at = blockIdx.x * (blockDim.x / G) + threadIdx.x / G;
    const int own = from[at];%s
    int s = 0;
    for (int i = threadIdx.x %% G; i < 100; i += G) s += i * own;
    if (at < n && s > 5) out[at] = from[at];
}
template <class From>
void call(From from, int *out, int n) { align<16, From><<<(n + 15) / 16, 256>>>(from, out, n); }
"""


def test_a_class_that_can_be_indexed_is_no_memory():
    counted = "void go(int *out, int n, int first) { call(thrust::make_counting_iterator<int>(first), out, n); }\n"
    assert_marked(LATE, POSITIONS % "" + counted)
    assert_marked(LATE, POSITIONS % "  // bad" + "void go(const int *p, int *out, int n) { call(p, out, n); }\n")


COPIES = """\
%s
__global__ void copies(const float *a, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    if (i < n) v = a[i];
    v = v * 3.0f + 1.0f;
    %s
}
void go(const float *a, float *out, int n) {
    dim3 block(256), grid(blocks_for(n, block.x));
    copies<<<grid, block>>>(a, out, n);
}
"""


@pytest.mark.parametrize("helper", ["int blocks_for(int n, int block);", '#include "not_in_sight.h"'])
def test_a_grid_that_a_function_out_of_sight_makes_may_be_any(helper):
    assert_marked(MISSING, COPIES % (helper, "out[i] = v;  // bad"))
    assert_marked(MISSING, COPIES % (helper, "if (i < n) out[i] = v;"))
