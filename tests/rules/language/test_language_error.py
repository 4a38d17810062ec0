"""What no compiler accepts, and errors that only a missing name brings about."""

from __future__ import annotations

import pytest
from kernlint_rules.language.language_error import LanguageError

from kernlint.rule import Example
from kernlint.testing import analyse
from tests.rules.marked import assert_marked, findings

BAD = {
    "a semicolon": """
__global__ void k(int *o) {
    int a = 1 // bad
    o[a] = 0;
}
""",
    "a parenthesis": """
__global__ void k(int *o, int n) {
    if (threadIdx.x < n { // bad
        o[threadIdx.x] = 0;
    }
}
""",
}


@pytest.mark.parametrize("name", BAD)
def test_grammar(name: str) -> None:
    assert_marked(LanguageError, BAD[name])
    assert_marked(LanguageError, BAD[name].replace("__global__", "__kernel").replace("int *", "__global int *").replace(
        "threadIdx.x", "get_local_id(0)"), "opencl")  # fmt: skip


GOOD = {
    "no kernel": """
int sum(int a) {
    int b = 1
    return a + b;
}
""",
    "a loop macro of a header that is not there": """
#include "loops.h"
__global__ void k(int *o, int n) {
    FOR_EACH(i, n)
        o[i] = 0;
}
""",
    "a loop macro that the build defines": """
__global__ void k(int *o, int n) {
    FOR_EACH(i, n)
        o[i] = 0;
    FOR_EACH(i, n) ON(i) o[i] = 1
}
""",
    "a missing header anywhere": """
#include "loops.h"
__global__ void k(int *o) {
    int a = 1
    o[a] = 0;
}
""",
    "a macro of the toolkit's": """
__global__ void k(unsigned *arrived) {
    unsigned old;
    asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;" : "=r"(old) : _ASM_POINTER(arrived), "r"(1u) : "memory");
    arrived[1] = old;
}
""",
    "braces for a block": """
__global__ void k(int *o) { o[threadIdx.x] = 0; }
void run(int *o, int n) { k<<<{1, 1}, {32, 4, 1}>>>(o); }
""",
    "a width that is not declared": """
const int bits = WIDTH;
constexpr int twice = bits * 2;
#define MORE (WIDTH * 4)
__global__ void k(unsigned *o) {
    o[0] = (1u << MORE) + (1u << twice) + (1u << (WIDTH * 8));
}
""",
}


@pytest.mark.parametrize("name", GOOD)
def test_what_a_name_may_mend(name: str) -> None:
    assert not findings(LanguageError, GOOD[name])


def test_pieces_of_programs() -> None:
    head = 'const char *head = "__global__ void k(int *o) { int a = 1; if (a < 2) { o[a] = 0 }";'
    whole = head.replace('0 }";', '0 } }"; // bad')
    for text in (head, whole):
        found = analyse(LanguageError, Example("cuda", True, text, ())).results
        assert bool(found) is (text is whole)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("__kernel void map(ulong total ARGUMENTS) {\n  if (get_global_id(0) < total) { LOADS }\n}\n", False),
        ("__kernel void map(ulong total arguments) {\n  if (get_global_id(0) < total) { }\n}\n", True),
        ("#define STEP 2\n__kernel void map(__global int *p) {\n  p[0] = p[1] STEP;\n}\n", True),
    ],
)
def test_what_the_host_hands_in_where_a_name_stands_is_no_error_of_grammar(text: str, told: bool) -> None:
    assert bool(findings(LanguageError, text, "opencl")) is told


CERTAIN = {
    "a call with one argument too few": ("opencl", """
float blend(float a, float b, float t) { return a + (b - a) * t; }
__kernel void k(__global float *o) { o[get_global_id(0)] = blend(o[0], o[1], 0.5f); }
__kernel void m(__global float *o) {
    o[get_global_id(0)] = blend(o[0], o[1]); // bad
}
"""),
    "a constant that gets no value": ("opencl", """
typedef struct { float w[3]; } Weights;
__constant float scale = 2.0f;
__constant Weights weights; // bad
__kernel void k(__global float *o) { o[get_global_id(0)] = weights.w[0] * scale; }
"""),
    "a pointer into the wrong memory": ("opencl", """
float first(__local float *p) { return p[0]; }
__kernel void k(__global float *o) {
    o[get_global_id(0)] = first(o); // bad
}
"""),
    "a constant handed over as data": ("opencl", """
__constant float tab[2] = { 1.0f, 2.0f };
float first(__global float *p) { return p[0]; }
__kernel void k(__global float *o) {
    o[get_global_id(0)] = first(tab); // bad
}
"""),
    "a length of the host's": ("opencl", """
__kernel void k(__global float *o, const int n) {
    float row[n]; // bad
    for (int i = 0; i < n; ++i) row[i] = o[i];
    o[0] = row[n - 1];
}
"""),
    "the fourth of three": ("opencl", """
typedef struct { float3 at; } Ball;
__kernel void k(__global Ball *b, __global float *o) {
    o[get_global_id(0)] = b[0].at.w; // bad
}
"""),
    "four numbers in one": ("opencl", """
__kernel void k(__global float *o, read_only image2d_t image, sampler_t s) {
    float v = read_imagef(image, s, (int2)(0, 0)); // bad
    o[0] = v;
}
"""),
    "a member that there is not": ("cuda", """
struct Ray { float3 from; float3 to; };
__global__ void k(const Ray *rays, float *o) {
    o[threadIdx.x] = rays[threadIdx.x].length; // bad
}
"""),
    "a function of the host": ("cuda", """
inline float half_of(float x) { return x * 0.5f; }
__global__ void k(float *o) {
    o[threadIdx.x] = half_of(o[threadIdx.x]); // bad
}
"""),
    "a template without its last argument": ("cuda", """
template <typename T> __device__ T mix(T a, T b, T t) { return a + (b - a) * t; }
__global__ void k(float *o) {
    o[threadIdx.x] = mix(o[0], o[1]); // bad
}
"""),
    "a launch without its last argument": ("cuda", """
__global__ void k(float *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = 0; }
void run(float *o) {
    k<<<1, 32>>>(o); // bad
}
"""),
    "what may not change": ("cuda", """
__global__ void k(const float *in, float *o, int n) {
    const int i = threadIdx.x;
    if (i < n) o[i] = in[i];
    in[i] = 0; // bad
    i += 32; // bad
}
"""),
    "a value for shared memory": ("cuda", """
__global__ void k(int *o) {
    __shared__ int count = 0; // bad
    atomicAdd(&count, 1);
    o[0] = count;
}
"""),
    "a second time": ("cuda", """
__device__ float twice(float x) { return x + x; }
__device__ float twice(float x) { return 2 * x; } // bad
__global__ void k(float *o) { o[0] = twice(o[1]); }
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", CERTAIN)
def test_what_the_text_itself_rules_out(name: str) -> None:
    language, text = CERTAIN[name]
    assert_marked(LanguageError, text, language)
    missing = '#include "project.h"\n' + text
    assert not findings(LanguageError, missing, language)
    chosen = "#ifndef PLAIN\n" + text + "#endif\nint rest;\n"
    assert not findings(LanguageError, chosen, language)


CURED = {
    "a parameter of some builds": ("opencl", """
float blend(float a, float b
#ifdef MIXED
    , float t
#endif
) { return a + b; }
__kernel void k(__global float *o) { o[get_global_id(0)] = blend(o[0], o[1], 0.5f); }
"""),
    "a macro that may be another": ("opencl", """
#ifndef VEC
#define VEC float3
#endif
__kernel void k(__global VEC *b, __global float *o) { VEC v = b[0]; o[0] = v.w; }
"""),
    "a type that may be another": ("opencl", """
#ifdef WIDE
typedef float4 vec;
#else
typedef float3 vec;
#endif
typedef vec point;
__kernel void k(__global point *b, __global float *o) { point v = b[0]; o[0] = v.w; }
"""),
    "arguments of a macro that nobody defines": ("opencl", """
float blend(float a, float b, float t) { return a + (b - a) * t; }
__kernel void k(__global float *o) { o[get_global_id(0)] = blend(o[0], REST); }
"""),
    "spaces that a later language makes one": ("opencl", """
float first(float *p) { return p[0]; }
__kernel void k(__global float *o) { o[get_global_id(0)] = first(o); }
"""),
    "a length that is a constant": ("opencl", """
__kernel void k(__global float *o) {
    const int n = 4;
    float row[n];
    for (int i = 0; i < n; ++i) row[i] = o[i];
    o[0] = row[n - 1];
}
"""),
    "a word for both sides": ("cuda", """
#define BOTH __host__ __device__
BOTH inline float half_of(float x) { return x * 0.5f; }
constexpr float third(float x) { return x / 3.0f; }
__global__ void k(float *o) { o[threadIdx.x] = half_of(o[threadIdx.x]) + third(o[0]); }
"""),
    "a default": ("cuda", """
__device__ float blend(float a, float b, float t = 0.5f) { return a + (b - a) * t; }
__global__ void k(float *o) { o[threadIdx.x] = blend(o[0], o[1]); }
"""),
    "a member of a part that is not in sight": ("cuda", """
struct Ray {
    float3 from;
#include "ray_members.inc"
};
__global__ void k(const Ray *rays, float *o) { o[threadIdx.x] = rays[threadIdx.x].length; }
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", CURED)
def test_what_something_out_of_sight_may_cure(name: str) -> None:
    language, text = CURED[name]
    assert not findings(LanguageError, text, language)
