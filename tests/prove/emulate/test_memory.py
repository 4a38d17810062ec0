"""Bounds, initialisation, alignment, and the same bytes seen in several types."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernlint.prove.emulate import Buffer, FaultKind, Outcome
from kernlint.tree.types import Space

Emulate = Callable[..., Outcome]


def test_out_of_bounds_of_an_argument(emulate: Emulate) -> None:
    text = """__global__ void copy(float* to, const float* from, int n) {
      int i = threadIdx.x;
      if (i <= n) to[i] = from[i];
    }"""
    faults = emulate(text, 32, 1, {"to": Buffer(40), "from": Buffer(40), "n": 10}).faults
    assert {(fault.name, fault.first.action, fault.element, fault.space) for fault in faults} == {
        ("to", "write", 10, Space.GLOBAL),
        ("from", "read", 10, Space.GLOBAL),
    }
    assert all(fault.first.thread == (10, 0, 0) for fault in faults)
    assert emulate(text, 32, 1, {"to": Buffer(44), "from": Buffer(44), "n": 10}).clean


def test_negative_offsets_are_out_of_bounds_of_anything(emulate: Emulate) -> None:
    text = "__global__ void left(float* a) { a[(int)threadIdx.x - 1] = 0; }"
    fault = emulate(text).of(FaultKind.OUT_OF_BOUNDS)[0]
    assert (fault.element, fault.offset, fault.first.thread) == (-1, -4, (0, 0, 0))


@pytest.mark.parametrize(("space", "qualifier"), [(Space.SHARED, "__shared__ "), (Space.PRIVATE, "")])
def test_arrays_have_their_type_as_extent(emulate: Emulate, space: Space, qualifier: str) -> None:
    text = f"__global__ void f(int* out, int n) {{ {qualifier}int a[4]; a[n] = 1; out[0] = a[n]; }}"
    assert {fault.kind for fault in emulate(text, 1, 1, {"n": 3}).faults} == set()
    faults = emulate(text, 1, 1, {"n": 4}).of(FaultKind.OUT_OF_BOUNDS)
    assert {(fault.space, fault.name, fault.element) for fault in faults} == {(space, "a", 4)}


def test_dynamic_shared_memory_is_as_large_as_the_launch_says(emulate: Emulate) -> None:
    text = """__global__ void f(int* out) {
      extern __shared__ int s[];
      s[threadIdx.x] = 1;
      out[threadIdx.x] = s[threadIdx.x];
    }"""
    assert emulate(text, 64, shared=256).clean
    assert emulate(text, 64).clean  # not known: not judged
    assert {fault.element for fault in emulate(text, 64, shared=128).faults} == {32}


def test_an_inner_dimension_is_exceeded(emulate: Emulate) -> None:
    text = "__global__ void f(int n) { __shared__ int tile[4][8]; tile[1][n] = 0; }"
    fault = emulate(text, 1, 1, {"n": 8}).faults[0]
    assert fault.kind is FaultKind.OUT_OF_BOUNDS and fault.inner and fault.element == 8
    assert emulate(text, 1, 1, {"n": 7}).clean
    assert any(not fault.inner for fault in emulate(text, 1, 1, {"n": 24}).faults)


def test_uninitialised_shared_memory(emulate: Emulate) -> None:
    text = """__global__ void partials(float* out, int n) {
      __shared__ float s[8];
      if (threadIdx.x < n) s[threadIdx.x] = 1;
      __syncthreads();
      if (threadIdx.x == 0) { float sum = 0; for (int i = 0; i < 8; ++i) sum += s[i]; out[0] = sum; }
    }"""
    fault = emulate(text, 32, 1, {"n": 5}).faults[0]
    assert (fault.kind, fault.space, fault.name, fault.element, fault.count) == (
        FaultKind.UNINITIALISED,
        Space.SHARED,
        "s",
        5,
        3,
    )
    assert emulate(text, 32, 1, {"n": 8}).clean


def test_an_uninitialised_buffer(emulate: Emulate) -> None:
    text = "__global__ void f(int* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }"
    assert emulate(text, 32).clean
    fault = emulate(text, 32, 1, {"a": Buffer(initialised=False)}).faults[0]
    assert fault.kind is FaultKind.UNINITIALISED and fault.name == "a"


def test_vectors_must_be_aligned(emulate: Emulate) -> None:
    text = "__global__ void f(float* a, int n) { *reinterpret_cast<float4*>(a + n) = make_float4(0, 0, 0, 0); }"
    assert emulate(text, 1, 1, {"n": 4}).clean
    assert [fault.kind for fault in emulate(text, 1, 1, {"n": 6}).faults] == [FaultKind.MISALIGNED]


def test_vload_needs_no_alignment(emulate: Emulate) -> None:
    text = "__kernel void f(__global float* a, int n) { vstore4(vload4(0, a + n), 1, a + n); }"
    assert emulate(text, 1, 1, {"n": 3}, language="opencl").clean


def test_null(emulate: Emulate) -> None:
    text = "__global__ void f(int* a, int* b) { if (b) *b = 1; *a = 2; }"
    fault = emulate(text, 1, 1, {"a": 0, "b": 0}).faults[0]
    assert fault.kind is FaultKind.NULL and fault.count == 1


CASTS = """#include <cassert>
#include <cstdint>
union Word { float f; unsigned u; unsigned char b[4]; };
struct Pair { char tag; double value; short s[3]; };
__device__ void bump(int& x, int by) { x += by; }
__device__ int* next(int* p) { return p + 1; }
__global__ void casts(int* out) {
  __shared__ __align__(16) unsigned char raw[64];
  unsigned* words = (unsigned*)raw;
  words[0] = 0x40490fdbu, words[1] = 0;
  assert(*(float*)raw > 3.1415f && *(float*)raw < 3.1416f);
  assert(raw[0] == 0xdb && raw[3] == 0x40);
  raw[1] = 0; raw[2] = 0x80; raw[3] = 0x3f; raw[0] = 0;
  assert(((float*)raw)[0] == 1.0f);
  ((double*)raw)[1] = -2.5;
  assert(*(double*)(raw + 8) == -2.5 && ((unsigned*)raw)[3] == 0xc0040000u);
  short* halves = (short*)(raw + 16);
  halves[0] = -2; halves[1] = 1;
  assert(*(int*)halves == 0x1fffe);
  assert(__float_as_uint(1.0f) == 0x3f800000u && __uint_as_float(0xbf800000u) == -1.0f);
  Word w; w.u = 0x3f800000u;
  assert(w.b[3] == 0x3f);
  Pair p{'x', 1.5, {1, 2, 3}}, q = p;
  q.s[1] = 7;
  assert(p.s[1] == 2 && q.s[1] == 7 && q.value == 1.5 && sizeof(Pair) == 24);
  Pair* r = &q;
  r->value += 1;
  assert(q.value == 2.5 && (*r).tag == 'x');
  int local = 5, *at = &local;
  *at += 2;
  bump(local, 3);
  assert(local == 10);
  int a[4] = {1, 2};
  assert(*next(a) == 2 && a[3] == 0 && next(a) - a == 1 && &a[3] > a);
  uintptr_t number = (uintptr_t)&a[2];
  assert((int*)number == a + 2 && *(int*)number == 0);
  int* table[2] = {a, &local};
  assert(*table[1] == 10 && table[0][1] == 2);
  float4 v = *(float4*)(raw + 32 - 32);
  v.y = 8;
  float4* there = (float4*)(raw + 32);
  *there = v;
  assert(there->x == 1.0f && ((float*)raw)[9] == 8.0f);
  memcpy(out, a, 8);
  assert(out[0] == 1 && out[1] == 2);
}
"""


def test_the_same_bytes_in_several_types(emulate: Emulate) -> None:
    outcome = emulate(CASTS, 1)
    assert outcome.clean, outcome


def test_struct_arguments(emulate: Emulate) -> None:
    text = """struct View { float* data; int n; int shape[2]; };
    __global__ void f(View v) { v.n -= 1; v.data[v.n * v.shape[1] + threadIdx.x] = v.shape[0]; }"""
    outcome = emulate(text, 4, 1, {"v": {"data": Buffer(64), "n": 3, "shape": (2, 7)}})
    assert {fault.element for fault in outcome.of(FaultKind.OUT_OF_BOUNDS)} == {16}


def test_contents_are_the_callers(emulate: Emulate) -> None:
    text = """#include <cassert>
    __constant__ int weights[3] = {5, 6, 7};
    __global__ void f(const int* a, const float* b) {
      assert(a[threadIdx.x] == 3 * threadIdx.x + 1);
      assert(b[2] == 0.5f);
      assert(weights[1] == 6);
    }"""
    assert emulate(text, 32, 1, {"a": Buffer(fill=lambda i: 3 * i + 1), "b": Buffer(fill=lambda _i: 0.5)}).clean
