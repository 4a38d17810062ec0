"""Kernels that are hard to follow: no analysis fails on them, and nothing false is proved of them."""

from __future__ import annotations

import re

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.verdict.proofs import EXITED, verdicts
from kernlint.finding import Severity
from kernlint.frontends.base import FrontendOptions
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.prove.emulate import Argument, Budget, FaultKind, LaunchSpec, run
from kernlint.registry import load
from kernlint.run.engine import Engine, default_frontend
from kernlint.source import SourceFile
from kernlint.tree.types import FloatType, IntType

# Races, barriers, bounds: p is proved, x must not be, a dot may be anything.
ODD: dict[str, tuple[str, str, str]] = {
    "recursion": (
        "xpx",
        "cu",
        "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
        "__global__ void k(int *x) { x[threadIdx.x] = f(threadIdx.x); }",
    ),
    "mutual": (
        "xpx",
        "cu",
        "__device__ int g(int n);\n"
        "__device__ int f(int n) { return n ? g(n - 1) : 0; }\n"
        "__device__ int g(int n) { return n ? f(n - 1) : 1; }\n"
        "__global__ void k(int *x) { x[f(threadIdx.x)] = 1; }",
    ),
    "recursive_write": (
        "xpx",
        "cu",
        "__device__ void f(int *x, int n) { if (n) { x[n] = 1; f(x, n - 1); } }\n"
        "__global__ void k(int *x) { f(x, threadIdx.x); }",
    ),
    "recursive_barrier": (
        "xxx",
        "cu",
        "__device__ void f(int n) { if (n) { __syncthreads(); f(n - 1); } }\n"
        "__global__ void k(int *x) { __shared__ int s[64]; s[threadIdx.x] = 1; f(4); x[threadIdx.x] = "
        "s[63 - threadIdx.x]; }",
    ),
    "funptr": (
        "xpx",
        "cu",
        "typedef int (*F)(int);\n"
        "__device__ int a(int v) { return v; }\n"
        "__device__ int b(int v) { return -v; }\n"
        "__global__ void k(int *x, int c) { F f = c ? a : b; x[threadIdx.x] = f(threadIdx.x); }",
    ),
    "funptr_param": ("xpx", "cu", "__global__ void k(int *x, int (*f)(int)) { x[f(threadIdx.x)] = 1; }"),
    "funptr_table": (
        "xxx",
        "cu",
        "__device__ int a(int v) { return v; }\n"
        "__device__ int (*table[2])(int) = {a, a};\n"
        "__global__ void k(int *x) { x[table[threadIdx.x & 1](threadIdx.x)] = 1; }",
    ),
    "goto_loop": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { int i = 0; again: if (i < n) { x[i * 32 + threadIdx.x] = i; "
        "++i; goto again; } }",
    ),
    "goto_into": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; if (n > 3) goto middle; for (i = 0; i < "
        "n; ++i) { x[i] = 1; middle: x[i + 1] = 2; } }",
    ),
    "irreducible": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; if (n & 1) goto b; a: x[i] = 1; if (i > "
        "n) return; b: x[i + 1] = 2; ++i; goto a; }",
    ),
    "goto_out": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) if "
        "(x[i * n + j] == 7) goto done; x[0] = 1; done: x[threadIdx.x] = 2; }",
    ),
    "computed_goto": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { void *t[] = {&&a, &&b}; goto *t[n & 1]; a: x[threadIdx.x] = "
        "1; return; b: x[0] = 2; }",
    ),
    "ptx_unknown": (
        "xxx",
        "cu",
        '__global__ void k(int *x) { asm volatile("frobnicate.sync %0;" :: "r"(x[threadIdx.x])); '
        "x[threadIdx.x + 1] = 1; }",
    ),
    "ptx_store": (
        "x..",
        "cu",
        '__global__ void k(int *x) { asm volatile("st.global.s32 [%0], %1;" :: "l"(x), "r"(threadIdx.x) : "memory"); }',
    ),
    "ptx_garbage": (
        "xp.",
        "cu",
        '__global__ void k(int *x) { asm("{ .reg .pred p; setp.eq.s32 p, %1, 0; @p bra L; mov.s32 %0, 1; '
        'L: }" : "=r"(x[threadIdx.x]) : "r"(x[0])); }',
    ),
    "ptx_barrier": (
        "xx.",
        "cu",
        '__global__ void k(int *x) { __shared__ int s[64]; s[threadIdx.x] = 1; asm volatile("bar.sync 3, '
        '64;"); x[threadIdx.x] = s[63 - threadIdx.x]; }',
    ),
    "data_index": (
        "xpx",
        "cu",
        "__global__ void k(const int *p, int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "if (i < n) x[p[i]] = i; }",
    ),
    "data_chain": (
        "xpx",
        "cu",
        "__global__ void k(const int *p, int *x, int n) { int i = threadIdx.x; for (int j = 0; j < n; "
        "++j) i = p[i]; x[i] = 1; }",
    ),
    "data_bound": (
        "xpx",
        "cu",
        "__global__ void k(const int *p, int *x) { for (int j = p[threadIdx.x]; j < p[threadIdx.x + 1]; "
        "++j) x[j] = 1; }",
    ),
    "endless_barrier": (
        "xp.",
        "cu",
        "__global__ void k(int *x) { __shared__ int s[64]; while (true) { s[threadIdx.x] = x[0]; "
        "__syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; } }",
    ),
    "spin": ("p..", "cu", "__global__ void k(volatile int *flag, int *x) { while (*flag == 0) ; x[threadIdx.x] = 1; }"),
    "while_break": (
        "ppp",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; while (1) { if (i >= n) break; x[i] = "
        "1; i += blockDim.x; } }",
    ),
    "collatz": (
        "xpx",
        "cu",
        "__global__ void k(int *x) { unsigned n = threadIdx.x + 1; int c = 0; while (n != 1) { n = n & 1 "
        "? 3 * n + 1 : n / 2; ++c; } x[c] = 1; }",
    ),
    "loop_ne": (
        "..x",
        "cu",
        "__global__ void k(int *x, int n) { for (int i = threadIdx.x; i != n; i += 3) x[i] = 1; }",
    ),
    "loop_mul": (
        "xp.",
        "cu",
        "__global__ void k(int *x, unsigned n) { for (unsigned i = threadIdx.x; i < n; i *= 2) x[i] = 1; }",
    ),
    "loop_wrap": ("..x", "cu", "__global__ void k(int *x, unsigned n) { for (unsigned i = n; i >= 0; --i) x[i] = 1; }"),
    "nested12": (
        "..x",
        "cu",
        "__global__ void k(int *x, int n) { "
        + "".join(f"for (int i{j} = 0; i{j} < n; ++i{j}) " for j in range(12))
        + "x["
        + " + ".join(f"i{j}" for j in range(12))
        + "] = 1; }",
    ),
    "many_ifs": (
        "xpx",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; "
        + "".join(f"if (n & {1 << j}) i += {3**j % 1000}; " for j in range(24))
        + "x[i] = 1; }",
    ),
    "deep_expr": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; x["
        + "(" * 300
        + "i"
        + "".join(f" + n * {j})" for j in range(300))
        + "] = 1; }",
    ),
    "deep_blocks": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { " + "{ if (n > threadIdx.x) " * 150 + "x[n] = 1;" + "}" * 150 + " }",
    ),
    "hash_index": (
        "xpx",
        "cu",
        "__global__ void k(int *x, int n) { unsigned h = threadIdx.x; for (int i = 0; i < 5; ++i) { h ^= "
        "h << 13; h ^= h >> 17; h ^= h << 5; } x[h % n] = 1; }",
    ),
    "switch": (
        "xxx",
        "cu",
        "__global__ void k(int *x, int n) { switch (threadIdx.x % 7) { case 0: x[0] = 1; case 1: x[1] = "
        "2; break; default: x[n] = 3; case 5: __syncthreads(); } }",
    ),
    "duff": (
        "x.x",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; switch (n % 4) { case 0: do { x[i++] = "
        "0; case 3: x[i++] = 3; case 2: x[i++] = 2; case 1: x[i++] = 1; } while (--n > 0); } }",
    ),
    "alloca": (
        "xpx",
        "cu",
        "__global__ void k(int *x, int n) { int *p = (int *)malloc(n * sizeof(int)); p[threadIdx.x] = 1; "
        "x[threadIdx.x] = p[0]; free(p); }",
    ),
    "ptr_cast": (
        "xpx",
        "cu",
        "__global__ void k(char *x, long a) { *(int *)(a + threadIdx.x) = 1; *(double *)(x + threadIdx.x) = 2; }",
    ),
    "ptr_swap": (
        "p.x",
        "cu",
        "__global__ void k(int *a, int *b, int n) { for (int i = 0; i < n; ++i) { a[threadIdx.x] = "
        "b[threadIdx.x + 1]; int *t = a; a = b; b = t; __syncthreads(); } }",
    ),
    "linked": (
        "xxx",
        "cu",
        "struct N { N *next; int v; };\n__global__ void k(N *n, int *x) { while (n) { x[n->v] = 1; n = n->next; } }",
    ),
    "virtual": (
        "xxx",
        "cu",
        "struct B { __device__ virtual int f(int) { return 1; } };\n"
        "__global__ void k(B *b, int *x) { x[b->f(threadIdx.x)] = 1; }",
    ),
    "lambda": (
        "xpx",
        "cu",
        "template <class F> __device__ void each(int n, F f) { for (int i = threadIdx.x; i < n; i += "
        "blockDim.x) f(i); }\n"
        "__global__ void k(int *x, int n) { each(n, [=](int i) { x[i] = x[n - i]; }); }",
    ),
    "template_rec": (
        "xpx",
        "cu",
        "template <int N> struct R { __device__ static void go(int *x) { x[N] = 1; R<N - 1>::go(x); } };\n"
        "template <> struct R<0> { __device__ static void go(int *x) {} };\n"
        "__global__ void k(int *x) { R<200>::go(x); }",
    ),
    "float_index": (
        "xpx",
        "cu",
        "__global__ void k(float *x, float s) { x[(int)(threadIdx.x * s)] = 1; x[(int)floorf(s)] = 2; }",
    ),
    "negative_shift": (
        "xpx",
        "cu",
        "__global__ void k(int *x, int n) { x[threadIdx.x << (n - 40)] = 1; x[1 << n] = 2; }",
    ),
    "div_zero": (
        "xpx",
        "cu",
        "__global__ void k(int *x, int n) { x[threadIdx.x / n] = 1; x[threadIdx.x % (n - n)] = 2; }",
    ),
    "min_int": ("..x", "cu", "__global__ void k(int *x, int n) { x[-n] = 1; x[n * n * n * n] = 2; x[abs(n)] = 3; }"),
    "zero_array": ("x.x", "cu", "__global__ void k(int *x) { __shared__ int s[0]; s[threadIdx.x] = 1; x[0] = s[0]; }"),
    "vla_like": ("xxx", "cu", "__global__ void k(int *x, int n) { int a[n]; a[threadIdx.x] = 1; x[0] = a[0]; }"),
    "empty": ("ppp", "cu", "__global__ void k() {}"),
    "barrier_in_switch": (
        ".x.",
        "cu",
        "__global__ void k(int *x, int n) { switch (n) { case 1: __syncthreads(); break; case 2: if "
        "(threadIdx.x) { __syncthreads(); } } x[threadIdx.x] = 1; }",
    ),
    "barrier_ternary": (
        "xx.",
        "cu",
        "__device__ int b() { __syncthreads(); return 1; }\n"
        "__global__ void k(int *x) { x[threadIdx.x] = threadIdx.x > 3 ? b() : 0; x[0] = x[1] && b(); }",
    ),
    "coop": (
        "x.x",
        "cu",
        "#include <cooperative_groups.h>\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(int *x) { auto g = cg::this_grid(); x[g.thread_rank()] = 1; g.sync(); x[0] = "
        "x[g.size() - 1]; }",
    ),
    "cl_recursive_macro": (
        "xxx",
        "cl",
        "#define A B\n#define B A\n__kernel void k(__global int *x, int A) { x[get_global_id(0)] = B; }",
    ),
    "cl_image": (
        "x.x",
        "cl",
        "__kernel void k(read_only image2d_t i, write_only image2d_t o, sampler_t s) { int2 c = "
        "(int2)(get_global_id(0), get_global_id(1)); write_imagef(o, c, read_imagef(i, s, c)); }",
    ),
    "cl_vector": (
        "x.x",
        "cl",
        "__kernel void k(__global float4 *x, __global int4 *i) { x[i[get_global_id(0)].s2].s3 = 1; "
        "x[i[0].w].xy = (float2)(1, 2); vstore3((float3)(1), get_local_id(0), (__global float *)x); }",
    ),
    "cl_axis": ("x.x", "cl", "__kernel void k(__global int *x, uint d) { x[get_global_id(d)] = get_local_size(d); }"),
    "cl_async": (
        "xxx",
        "cl",
        "__kernel void k(__global int *x, __local int *l) { event_t e = async_work_group_copy(l, x, 64, "
        "0); if (get_local_id(0) == 0) wait_group_events(1, &e); x[get_local_id(0)] = l[0]; }",
    ),
    "cl_pipe": (
        "x.x",
        "cl",
        "__kernel void k(read_only pipe int p, __global int *x) { int v; if (read_pipe(p, &v) == 0) x[v] = 1; }",
    ),
    "cl_block": ("xxx", "cl", "__kernel void k(__global int *x) { void (^f)(void) = ^{ x[0] = 1; }; f(); }"),
    "hip_wave": (
        "x.x",
        "hip",
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(int *x) { int l = __lane_id(); unsigned long long m = __ballot(l & 1); "
        "x[__popcll(m)] = 1; x[__builtin_amdgcn_readfirstlane(l)] = 2; }",
    ),
    "rec_table": (
        "xpx",
        "cu",
        "__device__ int table[512];\n"
        "__device__ void f(int n) { if (n < 0) return; table[n] = threadIdx.x; f(n - 1); }\n"
        "__global__ void k(int *x) { f(threadIdx.x); }",
    ),
    "rec_div_barrier": (
        "xxx",
        "cu",
        "__device__ void f(int n) { __syncthreads(); if (n > 0 && threadIdx.x < n) f(n - 1); }\n"
        "__global__ void k(int *x) { f(4); x[threadIdx.x] = 1; }",
    ),
    "rec_value": (
        "xpx",
        "cu",
        "__device__ int f(int n) { return n < 2 ? 0 : f(n - 2); }\n"
        "__global__ void k(int *x) { x[f(threadIdx.x)] = threadIdx.x; }",
    ),
    "asm_out": ("xp.", "cu", '__global__ void k(int *x) { asm("mov.s32 %0, 1;" : "=r"(x[threadIdx.x / 2])); }'),
    "asm_inout": (
        "xp.",
        "cu",
        '__global__ void k(int *x, int n) { asm volatile("add.s32 %0, %0, %1;" : "+r"(x[threadIdx.x % '
        'n]) : "r"(threadIdx.x)); }',
    ),
    "asm_out_unknown": (
        "xxx",
        "cu",
        '__global__ void k(int *x) { asm("weird.op %0, %1;" : "=r"(x[threadIdx.x / 2]) : "r"(threadIdx.x)); }',
    ),
    "virtual2": (
        "xxx",
        "cu",
        "struct B { __device__ virtual int f(int i) { return i; } };\n"
        "struct D : B { __device__ int f(int i) override { return 0; } };\n"
        "__global__ void k(B *b, int *x) { x[b->f(threadIdx.x)] = threadIdx.x; }",
    ),
    "virtual_local": (
        "xxx",
        "cu",
        "struct B { __device__ virtual int f(int i) { return i; } };\n"
        "struct D : B { __device__ int f(int i) override { return 0; } };\n"
        "__global__ void k(int *x) { D d; B &b = d; x[b.f(threadIdx.x)] = threadIdx.x; }",
    ),
    "union2": (
        "..x",
        "cu",
        "union U { int i[4]; float f; unsigned char c[16]; };\n"
        "__global__ void k(U *x) { U u; u.f = threadIdx.x * 1.5f; x[threadIdx.x].c[u.c[3]] = "
        "threadIdx.x; }",
    ),
    "clock_index": ("xpx", "cu", "__global__ void k(int *x) { x[clock() % 64] = threadIdx.x; }"),
    "pp": (
        "pp.",
        "cu",
        "__global__ void k(int *x) { int *p = x; int **q = &p; *q = x + threadIdx.x % 2; p[threadIdx.x & "
        "~1] = threadIdx.x; }",
    ),
    "memcpy": ("x..", "cu", "__global__ void k(int *x) { memcpy(x + threadIdx.x, x + threadIdx.x + 1, 8); }"),
    "atomic_index": (
        "xp.",
        "cu",
        "__global__ void k(int *c, int *x) { int i = atomicAdd(c, 1); x[i / 2] = threadIdx.x; }",
    ),
    "shfl_index": (
        "xp.",
        "cu",
        "__global__ void k(int *x) { x[__shfl_sync(0xffffffffu, threadIdx.x, 0)] = threadIdx.x; }",
    ),
    "char_loop": (
        "x..",
        "cu",
        "__global__ void k(int *x, int n) { for (signed char c = 0; c < n; ++c) x[c + threadIdx.x * 128] "
        "= threadIdx.x; }",
    ),
    "bitfield": (
        "x..",
        "cu",
        "struct S { int a : 4, b : 4; };\n"
        "__global__ void k(S *x) { if (threadIdx.x & 1) x[threadIdx.x / 2].a = 1; else x[threadIdx.x / "
        "2].b = threadIdx.x; }",
    ),
    "bytes_overlap": ("x..", "cu", "__global__ void k(char *c) { *(int *)(c + threadIdx.x) = threadIdx.x; }"),
    "vec_scalar": (
        "x..",
        "cu",
        "__global__ void k(float *x) { ((float4 *)x)[threadIdx.x / 2].y = threadIdx.x; x[4 * threadIdx.x] = 1; }",
    ),
    "static_local": (
        "x..",
        "cu",
        "__device__ int next() { static int c; return c++; }\n__global__ void k(int *x) { x[next()] = threadIdx.x; }",
    ),
    "surface": ("x..", "cu", "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(threadIdx.x, s, 0, 0); }"),
    "syncwarp": (
        "x..",
        "cu",
        "__global__ void k(int *x) { __shared__ int s[64]; s[threadIdx.x] = threadIdx.x; __syncwarp(); "
        "x[threadIdx.x] = s[63 - threadIdx.x]; }",
    ),
    "cond_effect": (
        "x..",
        "cu",
        "__global__ void k(int *x, int n) { int i = threadIdx.x; while (i++ < n) x[i] = threadIdx.x; }",
    ),
    "comma": ("x..", "cu", "__global__ void k(int *x) { int i = threadIdx.x, j = (i /= 2, i); x[j] = threadIdx.x; }"),
    "struct_copy": (
        "x..",
        "cu",
        "struct S { int i, j; };\n"
        "__global__ void k(int *x) { S a = {(int)threadIdx.x, 1}; S b = a; b.i /= 2; a = b; x[a.i] = "
        "threadIdx.x; }",
    ),
    "member_op": (
        "x..",
        "cu",
        "struct I { int v; __device__ I &operator++() { v = 0; return *this; } __device__ operator int() "
        "const { return v; } };\n"
        "__global__ void k(int *x) { I i{(int)threadIdx.x}; ++i; x[i] = threadIdx.x; }",
    ),
    "ctor": (
        "x..",
        "cu",
        "struct I { int v; __device__ I(int n) : v(n / 2) {} };\n"
        "__global__ void k(int *x) { I i(threadIdx.x); x[i.v] = threadIdx.x; }",
    ),
    "dtor": (
        "x.x",
        "cu",
        "struct G { int *p; __device__ ~G() { *p = threadIdx.x; } };\n__global__ void k(int *x) { G g{x}; }",
    ),
    "range_for": (
        "x..",
        "cu",
        "__global__ void k(int *x) { int a[3] = {0, 1, 1}; for (int v : a) x[threadIdx.x + v] = threadIdx.x; }",
    ),
    "while_assign": (
        "x.x",
        "cu",
        "__global__ void k(int *x, const int *nx) { int i = threadIdx.x; while ((i = nx[i]) > 0) x[i] = threadIdx.x; }",
    ),
    "barrier_loop_break": (
        "xx.",
        "cu",
        "__global__ void k(int *x, int n) { __shared__ int s[64]; for (int i = 0; i < n; ++i) { "
        "s[threadIdx.x] = i; __syncthreads(); if (x[threadIdx.x] == i) break; x[i] = s[0]; "
        "__syncthreads(); } }",
    ),
    "barrier_cond_data": (
        "x..",
        "cu",
        "__global__ void k(const int *p, int *x) { __shared__ int s[64]; s[threadIdx.x] = 1; if (p[0]) "
        "__syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }",
    ),
    "grid_sync_fake": (
        "x..",
        "cu",
        "__global__ void k(int *x) { x[blockIdx.x] = 1; __threadfence(); __syncthreads(); x[gridDim.x - "
        "1 - blockIdx.x] = 2; }",
    ),
    "grid_stride_bad": (
        "x..",
        "cu",
        "__global__ void k(int *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i "
        "+= blockDim.x) x[i] = threadIdx.x; }",
    ),
    "unsigned_wrap": (
        "x..",
        "cu",
        "__global__ void k(int *x) { unsigned i = threadIdx.x * 0x80000000u; x[i >> 31] = threadIdx.x; }",
    ),
    "shift_wrap": ("x..", "cu", "__global__ void k(int *x) { x[(threadIdx.x << 27) >> 27] = threadIdx.x; }"),
    "uchar": ("pp.", "cu", "__global__ void k(int *x) { x[(unsigned char)threadIdx.x] = threadIdx.x; }"),
    "and_not": ("x..", "cu", "__global__ void k(int *x) { x[threadIdx.x & ~1u] = threadIdx.x; }"),
    "cl_offset": (
        "x..",
        "cl",
        "__kernel void k(__global int *x) { x[get_global_id(0) - get_global_offset(0)] = 1; "
        "x[get_global_id(0) / 2] = get_global_id(0); }",
    ),
    "cl_private_ptr": (
        "x..",
        "cl",
        "__kernel void k(__global int *x) { int i = get_global_id(0); int *p = &i; *p = 0; x[i] = get_global_id(0); }",
    ),
    "cl_swz": (
        "x..",
        "cl",
        "__kernel void k(__global int4 *x) { if (get_local_id(0) & 1) x[get_local_id(0) / 2].xy = 1; "
        "else x[get_local_id(0) / 2].yz = 2; }",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_not_followed_is_unknown_and_says_why(name: str) -> None:
    expected, suffix, code = ODD[name]
    [module] = default_frontend().parse_file(SourceFile(f"{name}.{suffix}", code.encode()), FrontendOptions())
    facts = ModuleFacts(module)
    function = module.kernels[-1].variants[0]
    found = Facts(facts, module.kernels[-1], function)[verdicts]
    for mark, verdict in zip(expected, (found.races, found.barriers, found.bounds), strict=True):
        assert verdict.status in {"p": ("proved",), "x": ("unknown", "refuted")}.get(mark, (verdict.status,)), found
        assert verdict.reason or verdict.status == "proved"
    # What is proved holds in the emulator, where it can run the kernel.
    texts = [text for verdict in (found.races, found.barriers, found.bounds) for text in verdict.assumptions]
    blocks = {int(match[1]) for text in texts if (match := re.match(r"block = (\d+)\b(?! x)", text))}
    for threads in blocks or {64, 300}:
        for grid, number in ((1, 5), (2, threads), (3, 2 * threads - 3)):
            if grid > 1 and any("grid.x = " in text for text in texts):
                continue
            args: dict[str, Argument] = {p.name: number for p in function.params if isinstance(p.type, IntType)}
            args |= {p.name: 1.5 for p in function.params if isinstance(p.type, FloatType)}
            launch = LaunchSpec((threads, 1, 1), (grid, 1, 1))
            outcome = run(function, launch, args, Budget(steps=20_000), module.language)
            if found.races.status == "proved":
                assert not [fault for fault in outcome.of(FaultKind.RACE) if not fault.benign], found.races
            if found.barriers.status == "proved" and EXITED not in found.barriers.assumptions:
                assert not outcome.of(FaultKind.BARRIER_DIVERGENCE), found.barriers


RIGHT = ("empty", "spin", "while_break", "pp", "uchar", "recursion", "goto_out", "linked", "union2", "data_index")


@pytest.mark.parametrize("name", ODD)
def test_no_rule_fails_on_them(name: str) -> None:
    _, suffix, code = ODD[name]
    selection = Selection(load(), Config())
    outcome = Engine(load(), selection).check_source(SourceFile(f"{name}.{suffix}", code.encode()), selection)
    assert not [note for note in outcome.notifications if note.kind in ("rule-crash", "front-end-failure")]
    if name in RIGHT:
        assert not [r for r in outcome.results if r.finding.severity is not Severity.NOTE], outcome.results
