"""Both front ends over the same OpenCL: the same trees, up to conversions that the language implies.

Each is the other's check. Where they may differ is in ``EXCUSED``, with the reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.frontends.pycparser import PycparserFrontend
from kernlint.source import SourceFile
from kernlint.testing import cases
from kernlint.tree.dump import module_text
from kernlint.tree.nodes import Module

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "fixtures").rglob("*.cl"))

EXCUSED = {
    "KL700-language-error-opencl-bad-2": "a call that nobody accepts: clang drops it, pycparser resolves it",
    "KL700-language-error-opencl-bad-4": "does not parse: clang goes on behind the error, pycparser cannot",
    "KL701-local-declaration-scope-opencl-bad-2": "clang drops the extent of an array that has no place there",
}
"""Files of ``fixtures`` and examples of rules on which the front ends differ, and why."""

KERNELS = {
    "helpers, vectors, images, copies": """
typedef struct { int a; float4 b; } Pair;
__constant float table[3] = {1.0f, 2.0f, 3};
float add(float *p, __global const float *q, int n) { return p[n] + *q; }
inline int square(int x) { return x * x; }
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void k(__global float *out, __global const uchar *in, __global Pair *s, const uint n, __local float *tmp,
       read_only image2d_t img, sampler_t smp) {
  __local int tile[64][4];
  size_t g = get_global_id(0);
  int l = get_local_id(0), acc = 0;
  float4 v = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
  float own[3];
  if (g >= n) return;
  for (int i = 0; i < 4; i++) { tile[l][i] = in[g] + i; acc += tile[l][i]; }
  barrier(CLK_LOCAL_MEM_FENCE);
  v.xy = vload2(0, out); v.s2 = s[g].b.w; v = v * 2;
  own[0] = table[1]; out[g] = (float)acc + v.x + add(own, out, 2) + fmin(v.y, 1) + (g < 3 ? 1 : 2.0f);
  while (acc > 0) { acc >>= 1; if (acc == 7) continue; else break; }
  switch (acc) { case 1: out[0] = 1; break; default: out[1] = 'a'; }
  do { acc--; } while (acc);
  atomic_inc((__global int *)out); s->a += sizeof(Pair); out[g] = read_imagef(img, smp, (int2)(l, 1)).x;
  uchar u = in[0] << 2; u = -u; tmp[l & 1u] = convert_float(u); tmp[0] = native_sin(v.x);
  int4 c = v > 1.0f; tmp[1] = select(1.0f, 2.0f, c.x); tmp[2] = !acc;
  event_t e = async_work_group_copy(tmp, out, 16, 0); wait_group_events(1, &e); out[g] = acc ? v.x : square(l);
}
""",
    "unions, enumerators, macros, constants": """
typedef union { int i; float f; } Both;
enum { FIRST, FIFTH = 5 };
#define AT(x, y) ((y) * w + (x))
struct N { struct { int a[2]; } q; short s; };
int sign_of(int n) { if (n < 0) return -1; return n; }
__kernel void k(__global float4 *p, int w, __global struct N *n, __global int *o, __constant int *c) {
  float4 a = p[AT(get_global_id(0), 1)]; int2 b = {1, 2};
  Both u; u.f = a.x; o[0] = u.i; o[FIFTH] = n->q.a[1] ? FIRST : sign_of(3);
  __local float t[32]; __local float *tp = t + 1; *tp = 2; (*tp)++; tp[0] += 1;
  float m[2][2] = {{1, 2}, {3, 4}}; a.lo = a.hi; a = -a; a *= 2.0f; a = a + (float4)(1, 2, 3, 4); int q = a.x > 0 && w;
  o[1] = as_int(a.x); o[2] = (int)a.y % 3; long big = (long)w * w; o[3] = big >> 2; o[4] = ~w; o[5] = max(w, 0);
  char ch = w; o[6] = ch == 'x' + q + b.y;
  #pragma unroll 4
  for (int i = 0, j = 9; i < j; ++i, j--) o[i] = c[i];
  vstore4(a, 0, (__global float *)p); o[7] = w == 0 ? 1 : w == 1 ? 2 : 3; uint z = 1 << 3;
  if (w & 1) { ; } else o[8] = 1 + z;
  for (;;) { break; }
  o[9] = INT_MAX; a.x = M_PI_F; a.y = m[0][1]; uchar4 uc = convert_uchar4_sat(a); o[10] = uc.s0;
  goto end; end: o[11] = 0; atomic_add(&o[1], 2); int arr[4]; o[12] = sizeof(arr) / sizeof(arr[0]);
}
""",
    "functions under macros, pragmas between, half": """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define KERNEL(name) __kernel void name
#define GID get_global_id(0)
#if defined(cl_khr_fp16) && !defined(NEVER)
KERNEL(scale)(__global half *x, const half f) { x[GID] = x[GID] * f + 1.0h; }
#else
KERNEL(scale)(__global float *x, const float f) { x[GID] = x[GID] * f; }
#endif
KERNEL(turn)(__global uint *x, uint n) {
  uint i = GID;
  if (i < n) { x[i] = rotate(x[i], 3u) ^ popcount(x[i]); x[i] = clamp(x[i], 1u, n - 1); }
}
""",
}

EXPANDED = {
    "parameters that are arrays": """
float row(const float4 m[3]) { return m[0].x; }
uint next(uint state[4]) { return state[0] + 1; }
__kernel void k(__global float *x) { float4 m[3]; uint s[4]; x[0] = row(m) + next(s); }
""",
    "assembly, and enumerators larger than an int": """
typedef unsigned int u32;
enum { SMALL = 0x12345678, LARGE = 0xd76aa478u };
typedef enum { BAD = -3, FINE = 0 } status;
status judged(int x) { return x ? BAD : FINE; }
u32 permuted(const u32 a, const u32 b, const int c) {
  u32 r = 0;
  __asm__ __volatile__ ("V_PERM_B32 %0, %1, %2, %3;" : "=v"(r) : "v"(b), "v"(a), "v"(c));
  return r;
}
__kernel void k(__global u32 *p) {
  status s = judged(p[3]); if (s < 0) return;
  p[0] += (u32)(SMALL); p[1] += (u32)(LARGE); p[2] = permuted(p[0], p[1], 3);
  __asm__("nop");
}
""",
    "every assignment, empty statements, statements in braces": """
#define EITHER(n) ({ switch (n) { case 1: a = 2; break; default: { a = 3;; } } })
__kernel void k(__global int *p, int n) {
  int a = n;
  a ^= 1; a |= 2; a &= 3; a <<= 1; a >>= 1; a %= 7; a += 1; a -= 1; a *= 2; a /= 3; a = a^n; a^=n;
  switch (n) { case 1: a = 2;; int q = 1, r = 2; p[2] = q + r; break; case 2: ; }
  EITHER(n);
  p[a ^ 1] = a;;
}
""",
    "constants that a build chooses": """
#ifdef vendor_a
#define ROWS 4
#elif defined(vendor_b)
#define ROWS 8
#endif
__kernel void k(__global int *p) {
  int own[ROWS] = {0};
  for (int i = 0; i < ROWS; i++) p[i] = own[i];
}
""",
    "vectors that are wider than the language's": """
#define SUM(to, from) to.lo += from.lo; to.hi += from.hi;
__kernel void k(__global float *p, __global float16 *v) {
  float32 all = (float32)(0);
  SUM(all.lo, v[0]); SUM(all.hi, v[1]);
  p[0] = all.s1; p[1] = (all.sg); p[2] = (all.sh); p[3] = (all.sv);
}
""",
    "changes of type that macros make": """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HALF(x) as_half((ushort)(x))
#define SAME(x) (x)
__kernel void k(__global half *h, __global float *f, __global int *n) {
  h[0] = HALF(n[0] >> 4) + as_half((ushort)n[1]); f[0] = as_float(SAME(n[1])) + SAME(n[2]);
  f[1] = as_float(as_int(f[2]));
}
""",
}
"""Kernels in which macros begin or end what a place is asked of, which the front ends take differently."""


def text_of(module: Module) -> list[str]:
    """The module as lines, without places, losses and implied conversions."""
    text = re.sub(r"(?:\{[^{}]*\})+(?=[\w(\-~!@*&'])", "", module_text(module))
    text = re.sub(r" @\d+|struct \(unnamed[^)]*\)", "", text)
    return [
        line
        for line in text.splitlines()
        if line.strip() and not line.startswith(("synthesised", "module")) and "loss[" not in line
    ]


def both(name: str, text: bytes) -> tuple[list[str], list[str]]:
    source = SourceFile(name, text)
    options = FrontendOptions()
    clang = ClangFrontend().parse_file(source, options)[0]
    (ours,) = PycparserFrontend().parse_file(source, options)
    return text_of(clang), text_of(ours)


@pytest.mark.parametrize("text", [*KERNELS.values(), *EXPANDED.values()], ids=[*KERNELS, *EXPANDED])
def test_the_same_tree(text):
    clang, ours = both("k.cl", text.encode())
    assert ours == clang


def test_the_build_that_gives_the_names_is_named():
    source = SourceFile("k.cl", EXPANDED["constants that a build chooses"].encode())
    (ours,) = PycparserFrontend().parse_file(source, FrontendOptions())
    assert ours.setting == "vendor_a defined"
    assert not ours.synthesised


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_places(name):
    """Every statement and access stands at the same bytes of the file."""
    from kernlint.tree.nodes import Assign, For, If, Member, Subscript
    from kernlint.tree.walk import walk

    source = SourceFile("k.cl", KERNELS[name].encode())

    def places(module: Module) -> set[tuple[str, int, int]]:
        return {
            (type(node).__name__, node.span.start, node.span.end)
            for function in module.functions
            if function.body is not None
            for node in walk(function.body)
            if isinstance(node, Assign | For | If | Member | Subscript)
        }

    clang = ClangFrontend().parse_file(source, FrontendOptions())[0]
    (ours,) = PycparserFrontend().parse_file(source, FrontendOptions())
    assert places(ours) == places(clang)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_fixtures(path):
    if path.name in EXCUSED:
        pytest.skip(EXCUSED[path.name])
    clang, ours = both(str(path), path.read_bytes())
    assert ours == clang


EXAMPLES = [case for case in cases("kernlint_rules") if case.example.language == "opencl"]


@pytest.mark.parametrize("case", EXAMPLES, ids=str)
def test_examples_of_rules(case):
    if str(case) in EXCUSED:
        pytest.skip(EXCUSED[str(case)])
    clang, ours = both("example.cl", case.example.code.encode())
    assert ours == clang


def test_findings_are_the_same_without_libclang(monkeypatch, tmp_path):
    """The whole tool on OpenCL where libclang cannot be loaded."""
    import subprocess
    import sys

    text = (
        "__kernel void k(__global int *x) {\n  __local int s[64];\n  s[get_local_id(0)] = x[get_global_id(0)];\n"
        "  x[get_global_id(0)] = s[63 - get_local_id(0)];\n}\n"
    )
    (tmp_path / "k.cl").write_text(text)
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    said = []
    for environment in ({}, {"KERNLINT_LIBCLANG": str(tmp_path / "nothing.so")}):
        import os

        command = [sys.executable, "-m", "kernlint", "--no-cache", "-v", "--format", "concise", "k.cl"]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
        )
        said.append(done.stdout)
        assert done.returncode == 1, done.stdout + done.stderr
    with_clang, without = ([line for line in out.splitlines() if "KL2" in line] for out in said)
    assert with_clang and with_clang == without
    assert "libclang cannot be loaded" in said[1] and "libclang cannot be loaded" not in said[0]
    command = [sys.executable, "-m", "kernlint", "--no-cache", "--frontend", "pycparser", "k.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "CUDA, HIP and programs in strings need libclang" in done.stdout + done.stderr


def test_what_is_not_understood_is_said():
    text = b"""
__kernel void odd(__global float *x) { auto ^block = 3; x[0] = 1; }
__kernel void sound(__global float *x) { x[get_global_id(0)] = 1; }
__kernel void unknown(__global float *x, Strange y) { x[0] = mystery(y) + ABSENT; }
"""
    (module,) = PycparserFrontend().parse_file(SourceFile("k.cl", text), FrontendOptions())
    assert [kernel.name for kernel in module.kernels] == ["sound", "unknown"]
    assert [missed.name for missed in module.missed] == ["odd"]
    losses = {loss.kind for loss in module.kernels[1].function.losses}
    assert {"call", "name"} <= losses and {"Strange", "mystery", "ABSENT"} <= module.synthesised
    assert not module.kernels[0].function.losses


def test_functions_of_headers_are_read_when_they_are_called(tmp_path):
    header = "int twice(int x);\nint broken(int x) { auto ^y = x; }\nint twice(int x) { return helper(x) * 2; }\n"
    (tmp_path / "lib.h").write_text("int helper(int x) { return x + 1; }\n" + header)
    text = b'#include "lib.h"\n__kernel void k(__global int *x) { x[0] = twice(x[1]); }\n'
    (module,) = PycparserFrontend().parse_file(SourceFile(str(tmp_path / "k.cl"), text), FrontendOptions())
    assert {function.name for function in module.functions} == {"helper", "twice", "k"}
    assert not module.synthesised and not module.errors


def test_kernels_of_included_files_are_looked_at_there(tmp_path):
    (tmp_path / "other.cl").write_text("struct s { int x; };\nkernel void other(global struct s *p) { p[0].x = 1; }\n")
    text = b'#include "other.cl"\nkernel void k(global struct s *p) { p[get_global_id(0)].x = 2; }\n'
    for frontend in (ClangFrontend(), PycparserFrontend()):
        (module,) = frontend.parse_file(SourceFile(str(tmp_path / "k.cl"), text), FrontendOptions())
        assert [kernel.name for kernel in module.kernels] == ["k"]


def test_an_array_of_a_member_is_in_the_address_space_of_its_object():
    text = """typedef struct { uchar e; uchar q[16]; } part;
kernel void k(global char *p, global uchar *out, int n) {
  global part *one = (global part *)p + n;
  global uchar *at = (global uchar *)(one->q + 8 * n);
  out[0] = at[1];
}
"""
    clang, ours = both("k.cl", text.encode())
    assert ours == clang


def test_headers_and_branches(tmp_path):
    (tmp_path / "sizes.h").write_text("#define WIDTH 16\ntypedef float real;\n")
    head = b'#include "sizes.h"\n#include <gone.h>\n'
    text = head + b"__kernel void k(__global real *x) {\n#ifdef OFF\n  x[1] = 2;\n#endif\n  x[WIDTH] = 1;\n}\n"
    path = str(tmp_path / "k.cl")
    (module,) = PycparserFrontend().parse_file(SourceFile(path, text), FrontendOptions())
    assert module.missing_headers == ("gone.h",)
    (kernel,) = module.kernels
    assert [loss.kind for loss in kernel.function.losses] == ["inactive"]
    assert "x[16] = 1" in module_text(module).replace("{f32}", "")
    (on,) = PycparserFrontend().parse_file(SourceFile(path, text), FrontendOptions(defines=("OFF",)))
    assert "x[1] = " in module_text(on) and not on.kernels[0].function.losses
