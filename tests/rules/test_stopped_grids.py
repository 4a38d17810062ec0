"""Launches whose threads follow a size up to a number and stop there, of kernels with one element a thread."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.uncovered_tail import UncoveredTail

from tests.rules.marked import assert_marked, assert_pair, findings

POWERS = """
typedef unsigned long long word;
__global__ void phases(float2 *psi, word states) {
    const word s = (word)blockIdx.x * blockDim.x + threadIdx.x;
    BODY psi[s] = make_float2(1.0f, 0.0f);
}
int prepare(float2 *psi, int bits) {
    if (bits < 1 || bits > MOST) return 1;
    const word states = (word)1 << bits;
    unsigned threads = 256, blocks = 0;
    if (states < threads) threads = (unsigned)states;
    blocks = (unsigned)(states / threads);
    CAP
    phases<<<blocks, threads>>>(psi, states);MARK
    return 0;
}
"""
ONE = "if (s < states)"
STEPS = "for (word t = s; t < states; t += (word)gridDim.x * blockDim.x)"
CAP = "if (blocks > 1024) blocks = 1024;"


@pytest.mark.parametrize(
    ("body", "most", "cap", "mark"),
    [
        pytest.param(ONE, "30", CAP, " // bad", id="more states than threads"),
        pytest.param(STEPS, "30", CAP, "", id="steps of the grid"),
        pytest.param(ONE, "18", CAP, "", id="no more states than threads"),
        pytest.param(ONE, "30", "", "", id="no cap"),
    ],
)
def test_a_size_that_is_a_power(body: str, most: str, cap: str, mark: str) -> None:
    code = POWERS.replace("BODY", body).replace("MOST", most).replace("CAP", cap).replace("MARK", mark)
    assert_marked(UncoveredTail, code.replace("psi[s]", "psi[t]") if body == STEPS else code)


HELPER = """
struct Grid { int blocks, threads; };
static int bounded(int wanted, int most) { return wanted > most ? most : wanted; }
__global__ void wet(float *field, const float *by, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) return;
    field[i] += by[i];
}
void step(float *field, const float *by, int rows, int columns) {
    Grid to;
    to.threads = 128;
    to.blocks = bounded((rows * columns + to.threads - 1) / to.threads, 4096);  // only bad
    to.blocks = bounded((rows * columns + to.threads - 1) / to.threads, 0x7fffffff);  // only good
    wet<<<to.blocks, to.threads>>>(field, by, rows, columns);  // bad
}
"""


def test_a_cap_in_a_helper() -> None:
    assert_pair(UncoveredTail, HELPER)


ITEMS = """
#include <CL/cl.h>
static const char *text = R"(
__kernel void decay(__global float *x, const uint n) {
    const uint i = get_global_id(0);
    if (i < n) x[i] *= 0.5f;
}
)";
void run(cl_command_queue queue, cl_program program, cl_mem x, cl_uint n) {
    cl_kernel decay = clCreateKernel(program, "decay", NULL);
    size_t all = (n + 63) / 64 * 64;
    const size_t group = 64;
    CAP
    clSetKernelArg(decay, 0, sizeof x, &x);
    clSetKernelArg(decay, 1, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, decay, 1, NULL, &all, &group, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(("cap", "found"), [("if (all > 65536) all = 65536;", True), ("", False)])
def test_work_items(cap: str, found: bool) -> None:
    assert bool(findings(UncoveredTail, ITEMS.replace("CAP", cap))) == found


PIECES = """
__global__ void add(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
void run(float *x, int n) {
    for (int at = 0; at < n; at += 65536) {
        const int here = n - at < 65536 ? n - at : 65536;
        add<<<(here + 255) / 256, 256>>>(x + at, here);
    }
}
void fixed(float *x, int n) { add<<<1, 256>>>(x, n); }
"""


def test_pieces_and_grids_that_follow_nothing() -> None:
    assert not findings(UncoveredTail, PIECES)


CHECKED = """
__global__ void add(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}
void run(float *x, int n) {
    if (n <= 0 || n > 131072) return;  // only good
    if (n <= 0 || n > 131073) return;  // only bad
    const int blocks = min((n + 255) / 256, 512);
    add<<<blocks, 256>>>(x, n);  // bad
}
"""


def test_a_cap_that_a_check_never_lets_act() -> None:
    assert_pair(UncoveredTail, CHECKED)
