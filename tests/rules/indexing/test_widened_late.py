"""Numbers that are made in 32 bits and widened, or made in 64 and cut, where nothing in the kernel says how large."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked, assert_pair

WIDE = """
__global__ void raise(float *x, size_t n, float by) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}
"""

PAIRS = {
    "bytes of a cube that the host allocates": (
        WIDE
        + """
const int SIDE = 1400;
void run(float *host) {
    float *x;
    size_t bytes = SIDE * SIDE * SIDE * sizeof(float);  // bad  // only bad
    size_t bytes = sizeof(float) * SIDE * SIDE * SIDE;  // only good
    cudaMalloc(&x, bytes);
    raise<<<1 << 20, 256>>>(x, bytes / sizeof(float), 1.0f);
}
"""
    ),
    "items that the host counts in fewer bits than its kernel": (
        WIDE
        + """
void run(float *x, size_t shots, size_t samples) {
    int n = shots * samples;  // only bad
    size_t n = shots * samples;  // only good
    raise<<<(unsigned)((n + 255) / 256), 256>>>(x, n, 1.0f);  // bad
}
"""
    ),
    "a structure that counts its own cells": """
struct Field { int wide, high, deep; size_t all; float *cell; };
__global__ void fade(Field f) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= f.wide) return;
    f.cell[(z * f.high + y) * f.wide + x] *= 0.5f;  // bad  // only bad
    f.cell[((size_t)z * f.high + y) * f.wide + x] *= 0.5f;  // only good
}
void make(Field *f, int wide, int high, int deep) {
    f->wide = wide; f->high = high; f->deep = deep;
    f->all = (size_t)wide * high * deep;
    cudaMalloc(&f->cell, f->all * sizeof(float));
    fade<<<dim3((wide + 127) / 128, high, deep), 128>>>(*f);
}
""",
    "rows that a pitch of unknown length takes apart": """
__global__ void fade(unsigned short *slide, int pitch, int wide, int high) {  // only bad
__global__ void fade(unsigned short *slide, size_t pitch, int wide, int high) {  // only good
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= wide || y >= high) return;
    unsigned short *row = (unsigned short *)((char *)slide + y * pitch);
    row[x] >>= 1;  // bad
}
void run(unsigned short *slide, size_t pitch) {
    fade<<<dim3(1250, 3750), dim3(32, 16)>>>(slide, pitch, 40000, 60000);
}
""",
    "rows of constant length that a test counts": """
#define USERS 30000000
#define SLOTS 96
__global__ void clear(int *slot, const int *used) {
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= USERS) return;
    for (int k = 0; k < min(used[user], SLOTS); k++)
        slot[user * SLOTS + k] = 0;  // bad  // only bad
        slot[(size_t)user * SLOTS + k] = 0;  // only good
}
""",
    "what a loop of 64 bits goes on by": """
__global__ void set(char *x, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)  // bad  // only bad
    for (; i < n; i += gridDim.x * (unsigned long long)blockDim.x)  // only good
        x[i] = 1;
}
void run(char *x, unsigned long long n) {
    unsigned long long blocks = (n + 1023) / 1024;
    if (blocks > (1ull << 30)) blocks = 1ull << 30;
    set<<<(unsigned)blocks, 1024>>>(x, n);
}
""",
    "bits of a word of 64": """
__global__ void gather(const char *on, unsigned long long *word) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned long long w = 0;
    for (int b = 0; b < 64; b++)
        if (on[i * 64 + b]) w |= 1 << b;  // bad  // only bad
        if (on[i * 64 + b]) w |= 1ull << b;  // only good
    word[i] = w;
}
""",
    "the bit of a lane among 64": """
__global__ void below(unsigned long long *mask) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    mask[i] = (1u << (i % 64)) - 1u;  // bad  // only bad
    mask[i] = (1ull << (i % 64)) - 1u;  // only good
}
""",
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    assert_pair(IndexOverflow, PAIRS[name])


SILENT = {
    "a cube that fits": WIDE
    + """
const int SIDE = 1200;
void run(float *x) { raise<<<1 << 20, 256>>>(x, SIDE * SIDE * SIDE, 1.0f); }
""",
    "a count that was checked before it is cut": WIDE
    + """
void run(float *x, size_t shots, size_t samples) {
    if (shots * samples > 2147483647) return;
    int n = shots * samples;
    raise<<<(n + 255) / 256, 256>>>(x, n, 1.0f);
}
""",
    "a count of which one size was checked against a quotient by the other": WIDE
    + """
void run(float *x, size_t shots, size_t samples) {
    if (samples == 0 || shots > 0x7fffffffu / samples) return;
    int n = shots * samples;
    raise<<<(n + 255) / 256, 256>>>(x, n, 1.0f);
}
""",
    "a count for a kernel that has 32 bits itself": """
__global__ void raise(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
void run(float *x, size_t shots, size_t samples) {
    int n = shots * samples;
    raise<<<(n + 255) / 256, 256>>>(x, n);
}
""",
    "a limit that keeps threads within a type": """
__global__ void clear(int *slot, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i > 0x7ffffffe) return;
    slot[i * 4 + 1] = 0;
}
""",
    "rows of columns whose number is an argument": """
__global__ void clear(int *slot, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    slot[i % columns * 64 + threadIdx.x % 64] = 0;
}
""",
    "halves of a word of 64 bits": """
__global__ void gather(const char *on, unsigned long long *word) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned low = 0, high = 0;
    unsigned long long both = 0;
    for (int b = 0; b < 64; b++)
        if (on[i * 64 + b]) {
            if (b < 32) { low |= 1u << b; both |= 1u << b; }
            else high |= 1u << (b - 32);
        }
    word[i] = ((unsigned long long)high << 32) | low | both;
}
""",
    "masks of the lanes below": """
__global__ void pack(const int *on, int *to, int *count) {
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned mask = __ballot_sync(~0u, on[i]);
    int at = __popc(mask & ((1 << threadIdx.x) - 1));
    if (on[i]) to[blockIdx.x * 32 + at] = i;
}
void run(const int *on, int *to, int *count) { pack<<<64, 32>>>(on, to, count); }
""",
    "a size that is checked against another": """
__global__ void scale(float *x, int wide, int group) {
    int k = threadIdx.x;
    x[blockIdx.x * 96 * wide + k] *= group;
}
void run(float *x, const Shape &s) {
    int wide = s.of(1), group = wide / s.of(0);
    if (group != 128) return;
    scale<<<8, 128>>>(x, wide, group);
}
""",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert_marked(IndexOverflow, SILENT[name], "cuda")
