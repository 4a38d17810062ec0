"""Statements, functions and expressions: a kernel checks itself by assertions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernlint.prove.emulate import FaultKind, Outcome

Emulate = Callable[..., Outcome]

STATEMENTS = """#include <cassert>
__device__ int classify(int x) {
  int r = 0;
  switch (x) {
    case 0: r += 1;
    case 1: r += 10; break;
    case 2: case 3: { r += 100; break; }
    case 4: return -1;
    default: r = 7;
  }
  return r;
}
__device__ int skip(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    switch (i % 3) { case 0: continue; case 1: sum += 10; break; default: if (i > 6) goto_out: break; }
    if (i == 7) break;
    sum += i;
  }
  return sum;
}
__global__ void statements(int n) {
  assert(classify(0) == 11 && classify(1) == 10 && classify(3) == 100 && classify(4) == -1 && classify(9) == 7);
  assert(skip(n) == (1 + 10) + 2 + (4 + 10) + 5 + 10);
  int count = 0, i = 10;
  do { if (i == 8) continue; ++count; } while (--i > 5);
  assert(count == 4 && i == 5);
  while (true) { if (i-- == 0) break; }
  assert(i == -1);
  unsigned down = 0;
  for (unsigned u = 3; u-- > 0;) down = down * 10 + u;
  assert(down == 210);
  for (int s = 64; s > 0; s >>= 1) ++count;
  assert(count == 11);
  int outer = 0;
  for (int a = 0; a < 4; a++) for (int b = a; b <= 4; b += 2) { if (b == 3) continue; outer += a * b; }
  assert(outer == 2 * 2 + 2 * 4 + 1);
  int k = 5, j = k++ + ++k;
  assert(k == 7 && j == 12);
  int m[3] = {1, 2, 3}, at = 0;
  m[at++] += 5;
  assert(at == 1 && m[0] == 6 && m[at]-- == 2 && m[1] == 1);
  int c = (k = 3, k + 1);
  assert(c == 4 && (k > 2 ? c : k) == 4 && !(k > 5 && 1 / 0));
  signed char tiny = 127; tiny += 1;
  unsigned char byte = 250; byte += 10;
  assert(tiny == -128 && byte == 4);
  assert(-7 / 2 == -3 && -7 % 3 == -1 && (-8 >> 1) == -4 && (unsigned)-1 > 5u);
  bool flag = 5; flag = flag + flag;
  assert(flag == 1);
  assert((int)3.99f == 3 && (int)-3.99f == -3 && (unsigned)-1.5f == 0u && (int)1e20f == 2147483647);
}
"""


def test_statements(emulate: Emulate) -> None:
    outcome = emulate(STATEMENTS, 1, 1, {"n": 12})
    assert outcome.clean, outcome


FUNCTIONS = """#include <cassert>
struct Acc {
  int total, n;
  __device__ Acc(int start) : total(start), n(0) {}
  __device__ Acc& add(int v) { total += v; ++n; return *this; }
  __device__ int& count() { return n; }
  __device__ int operator()(int x) const { return total + x; }
};
template <class F> __device__ int fold(int n, F f) { int r = 0; for (int i = 0; i < n; ++i) r += f(i); return r; }
template <int N, class T> __device__ T power(T x) { if constexpr (N == 0) return 1; else return x * power<N - 1>(x); }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ void split(int x, int& high, int* low) { high = x / 10; *low = x % 10; }
__device__ void fill(int (&a)[4], int v) { for (int i = 0; i < 4; ++i) a[i] = v + i; }
__device__ float4 twice(float4 v) { v.x *= 2; v.w *= 2; return v; }
__global__ void functions() {
  Acc a(5);
  a.add(3).add(4);
  a.count() += 10;
  assert(a.total == 12 && a.n == 12 && a(1) == 13);
  Acc b = a;
  b.add(1);
  assert(a.total == 12 && b.total == 13);
  int calls = 0, base = 100;
  assert(fold(4, [&](int i) { ++calls; return i; }) == 6 && calls == 4);
  auto shifted = [=](int i) { return base + i; };
  base = 0;
  assert(fold(3, shifted) == 303);
  assert(fold(2, a) == 25);
  assert(power<5>(3) == 243 && fib(10) == 55);
  int high, low;
  split(47, high, &low);
  assert(high == 4 && low == 7);
  int four[4];
  fill(four, 8);
  assert(four[3] == 11);
  float4 v = twice(make_float4(1, 2, 3, 4));
  assert(v.x == 2 && v.y == 2 && v.w == 8);
  int& ref = four[1];
  const int& same = four[1];
  ref = 77;
  assert(same == 77);
  assert(four[1] == 77 && min(3, max(1, 2)) == 2 && abs(-4) == 4);
  assert(__popc(0xf0f0u) == 8 && __clz(1) == 31 && __ffs(8) == 4 && __brev(1u) == 0x80000000u);
  assert(__mulhi(1 << 30, 1 << 30) == 1 << 28 && __umulhi(0xffffffffu, 2u) == 1u);
}
"""


def test_functions(emulate: Emulate) -> None:
    outcome = emulate(FUNCTIONS, 1)
    assert outcome.clean, outcome


VECTORS = """
#define CHECK(c) if (!(c)) out[-1] = 1
__kernel void vectors(__global int* out) {
  int4 v = (int4)(1, 2, 3, 4);
  v.xy = v.yx;
  CHECK(v.x == 2 && v.y == 1 && v.s3 == 4);
  int4 w = v * 10 + (int4)(1);
  CHECK(w.x == 21 && w.w == 41);
  int2 h = w.hi;
  CHECK(h.x == 31 && h.y == 41);
  w.lo = h;
  CHECK(w.x == 31 && w.z == 31);
  int4 less = v < (int4)(2, 2, 2, 2);
  CHECK(less.x == 0 && less.y == -1);
  int4 chosen = less ? v : (int4)(9), same = select((int4)(9), v, less);
  CHECK(chosen.x == 9 && chosen.y == 1 && same.x == 9 && same.y == 1);
  uchar4 b = convert_uchar4((int4)(300, 5, -1, 7));
  CHECK(b.x == 44 && b.z == 255);
  float4 f = as_float4((int4)(0x3f800000));
  CHECK(f.x == 1.0f && f.w == 1.0f && dot(f, f) == 4.0f);
  vstore4(w, 1, out);
  CHECK(out[4] == 31 && out[7] == 41 && vload2(3, out).y == 41);
  CHECK(rotate(0x80000001u, 1u) == 3u && clamp(9, 1, 5) == 5 && mad24(3, 4, 5) == 17);
  CHECK(select(1, 2, 0) == 1 && get_global_size(0) == 1 && get_local_size(5) == 1 && get_global_id(7) == 0);
}
"""


def test_vectors(emulate: Emulate) -> None:
    outcome = emulate(VECTORS, 1, language="opencl")
    assert outcome.clean, outcome


def test_launch_quantities(emulate: Emulate) -> None:
    text = """#include <cassert>
    __global__ void where(int* seen) {
      assert(blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2 && gridDim.x == 2 && gridDim.y == 3);
      assert(threadIdx.x < 4 && threadIdx.y < 3 && threadIdx.z < 2 && blockIdx.x < 2 && blockIdx.y < 3);
      int block = blockIdx.y * gridDim.x + blockIdx.x;
      int lin = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      seen[block * 24 + lin] = 1;
    }"""
    outcome = emulate(text, (4, 3, 2), (2, 3))
    assert outcome.clean
    assert outcome.blocks == ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 2, 0))


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("goto end; end: ;", "goto"),
        ('asm volatile("mystery %0;" : "=r"(n));', "assembly"),
        ("unknown_library(a, n);", "unknown_library"),
    ],
)
def test_what_is_not_modelled_ends_the_run_with_a_reason(emulate: Emulate, statement: str, reason: str) -> None:
    text = f"""void __device__ unknown_library(int*, int);
    __global__ void f(int* a, int n) {{ if (n) {{ {statement} }} a[0] = n; }}"""
    outcome = emulate(text, 1, 1, {"n": 1})
    assert not outcome.finished and outcome.unsupported is not None and reason in outcome.unsupported
    assert emulate(text, 1, 1, {"n": 0}).clean  # only what is reached counts


def test_failed_assertions_are_told(emulate: Emulate) -> None:
    text = "#include <cassert>\n__global__ void f(int n) { assert(threadIdx.x < n); }"
    fault = emulate(text, 8, 1, {"n": 5}).faults[0]
    assert (fault.kind, fault.first.thread, fault.count) == (FaultKind.ASSERTION, (5, 0, 0), 3)
