"""Vectors at odd places, and code that takes care."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, assert_pair, findings

CUDA = {
    "a thread for each element": """
__global__ void k(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = *reinterpret_cast<const float4 *>(x + i); // bad
    y[i] = v.x + v.w;
}
""",
    "a constant offset": """
__global__ void k(const float *x, float2 *y) {
    y[threadIdx.x] = reinterpret_cast<const float2 *>(x + 1)[threadIdx.x]; // bad
}
""",
    "rows with one element of padding": """
__global__ void k(const float4 *x, float *y) {
    __shared__ float tile[8][33];
    int r = threadIdx.x / 8, c = threadIdx.x % 8;
    *reinterpret_cast<float4 *>(&tile[r][4 * c]) = x[threadIdx.x]; // bad
    __syncthreads();
    y[threadIdx.x] = tile[c][r];
}
""",
    "behind one sum for each warp": """
__global__ void k(const float4 *x, float *y) {
    extern __shared__ float pool[];
    int warps = (blockDim.x + 31) / 32;
    float4 *cache = reinterpret_cast<float4 *>(pool + warps);
    cache[threadIdx.x] = x[threadIdx.x]; // bad
    __syncthreads();
    y[threadIdx.x] = cache[0].x + pool[0];
}
""",
    "rows of any length with a rest": """
__global__ void k(const float *x, float *y, int n) {
    const float *row = x + blockIdx.x * n;
    float s = 0.0f;
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
        float4 v = reinterpret_cast<const float4 *>(row)[i]; // bad
        s += v.x + v.y + v.z + v.w;
    }
    for (int i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x) s += row[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
""",
    "rows that are multiples": """
__global__ void k(const float *x, float *y, int n) {
    const float4 *row = reinterpret_cast<const float4 *>(x + blockIdx.x * n);
    float s = 0.0f;
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) s += row[i].x + row[i].y + row[i].z + row[i].w;
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
""",
    "an address that is tested": """
__global__ void k(const float *x, float *y, int n) {
    const float *row = x + blockIdx.x * n;
    float s = 0.0f;
    if (reinterpret_cast<unsigned long long>(row) % 16 == 0) {
        for (int i = threadIdx.x; i < n / 4; i += blockDim.x) s += reinterpret_cast<const float4 *>(row)[i].x;
    }
    for (int i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x) s += row[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
""",
    "a flag that says whether vectors fit": """
__global__ void k(const float *x, float *y, int n, bool fits) {
    const float *row = x + blockIdx.x * n;
    float s = 0.0f;
    int whole = fits ? n / 4 * 4 : 0;
    for (int i = threadIdx.x; i < whole / 4; i += blockDim.x) s += reinterpret_cast<const float4 *>(row)[i].x;
    for (int i = whole + threadIdx.x; i < n; i += blockDim.x) s += row[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
""",
    "threads that are picked": """
__global__ void k(const float *x, float *y) {
    int i = threadIdx.x;
    if (i % 4 == 0) y[i] = reinterpret_cast<const float4 *>(x + i)->x;
}
""",
    "places rounded up": """
__global__ void k(const float4 *x, float *y) {
    extern __shared__ float pool[];
    int warps = (blockDim.x + 31) / 32;
    float4 *cache = reinterpret_cast<float4 *>(pool + (warps + 3) / 4 * 4);
    cache[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = cache[0].x;
}
""",
    "rows with four elements of padding": """
__global__ void k(const float4 *x, float *y) {
    __shared__ float tile[8][36];
    int r = threadIdx.x / 8, c = threadIdx.x % 8;
    *reinterpret_cast<float4 *>(&tile[r][4 * c]) = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[c][r];
}
""",
    "an offset from a table": """
__global__ void k(const float *x, const int *first, float *y, int shift) {
    const float4 *row = reinterpret_cast<const float4 *>(x + first[blockIdx.x] + shift);
    y[threadIdx.x] = row[threadIdx.x].x;
}
""",
}


@pytest.mark.parametrize("code", CUDA.values(), ids=CUDA.keys())
def test_cuda(code: str) -> None:
    assert_marked(MisalignedVectorAccess, code)


def test_opencl() -> None:
    assert_marked(
        MisalignedVectorAccess,
        """
__kernel void k(__global const float *x, __global float *y) {
    const int i = get_global_id(0);
    const float4 a = vload4(0, x + i);
    vstore4(a, 0, y + 3 * i);
    const float8 b = *(__global const float8 *)(x + 4 * i); // bad
    y[i] = b.s0;
}
""",
        "opencl",
    )


def test_the_block_decides() -> None:
    code = CUDA["behind one sum for each warp"]
    assert not findings(MisalignedVectorAccess, code, block="128")
    assert findings(MisalignedVectorAccess, code, block="96")


LEFT_TO_THE_NEXT_MULTIPLE = """
__device__ unsigned rest(const float *p);
__global__ void sum(const float *in, float *out, int width) {
    const float *row = in + (long)blockIdx.x * width;
    unsigned skip = rest(row);
    const float4 *four = reinterpret_cast<const float4 *>(row + skip);
    float s = 0.0f;
    int k = threadIdx.x;
    for (; skip + 4 * k + 3 < width; k += blockDim.x) s += four[k].x + four[k].y;
    for (int c = threadIdx.x; c < width; c += blockDim.x) s += row[c];
    atomicAdd(out + blockIdx.x, s);
}
"""

NUMBERS_BEHIND_OTHERS = """
__global__ void stage(const int *at, const double *v, double *out, int count) {
    extern __shared__ char pool[];
    int *first = reinterpret_cast<int *>(pool);
    double *second = reinterpret_cast<double *>(first + count);
    first[threadIdx.x] = at[threadIdx.x];
    second[threadIdx.x] = v[threadIdx.x];  // bad
    __syncthreads();
    out[threadIdx.x] = second[first[threadIdx.x]];
}
"""


def test_a_place_that_is_not_known_may_be_the_next_multiple() -> None:
    assert not findings(MisalignedVectorAccess, LEFT_TO_THE_NEXT_MULTIPLE)


def test_numbers_of_eight_bytes_behind_an_argument_s_count_of_four() -> None:
    assert_marked(MisalignedVectorAccess, NUMBERS_BEHIND_OTHERS)
    padded = NUMBERS_BEHIND_OTHERS.replace("first + count", "first + 2 * count").replace("  // bad", "")
    assert_marked(MisalignedVectorAccess, padded)


CARVED = """
__global__ void solve(const double *f, double *out, int set) {
    extern __shared__ int mem[];
    double *value = (double *)&mem[set];
    int t = threadIdx.x;
    value[t] = f[t]; // bad
    mem[t] = t;
    __syncthreads();
    if (t == 0) { out[blockIdx.x] = value[mem[0]] + value[mem[1]]; }
}
"""
LAUNCHED = "void run(const double *f, double *out, int set, int n) { solve<<<n, BLOCK, set * 12>>>(f, out, set); }"


def test_one_layout_lets_all_accesses_down_and_is_told_once() -> None:
    assert_marked(MisalignedVectorAccess, CARVED)
    assert_marked(MisalignedVectorAccess, CARVED + LAUNCHED.replace("BLOCK", "128"))


def test_a_pitch_of_as_many_elements_as_threads_is_as_even_as_blocks_are() -> None:
    assert not findings(MisalignedVectorAccess, CARVED + LAUNCHED.replace("BLOCK", "set"))


HALVES = """
__global__ void widen(const unsigned char *codes, float *out, int columns) {
    const int bytes = HALF;
    const unsigned char *row = codes + (size_t)blockIdx.y * bytes;
    const int at = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (at + 8 <= bytesTEST) {
        const uint2 both = *reinterpret_cast<const uint2 *>(row + at);
        out[blockIdx.y * (columns / 8) + at / 8] = __popc(both.x) + __popc(both.y);
    } else {
        for (int k = at; k < bytes; ++k) out[blockIdx.y * (columns / 8) + at / 8] += __popc(row[k]);
    }
}
bool run(const unsigned char *codes, float *out, int rows, int columns) {
    if (columns < 1 || columns % GROUP != 0) return false;
    widen<<<dim3((columns / 16 + 127) / 128, rows), 128>>>(codes, out, columns);
    return true;
}
"""


@pytest.mark.parametrize("half", ["columns / 2", "columns >> 1"])
@pytest.mark.parametrize(
    "group, test, bad", [("4", "", True), ("8", "", True), ("16", "", False), ("4", " && bytes % 8 == 0", False)]
)
def test_rows_of_a_share_of_what_is_passed(half: str, group: str, test: str, bad: bool) -> None:
    code = HALVES.replace("HALF", half).replace("GROUP", group).replace("TEST", test)
    found = findings(MisalignedVectorAccess, code)
    assert bool(found) is bad
    assert not bad or "columns / 2 elements apart, which need not be a multiple of 8" in found[0].message


def test_a_private_object_that_registers_hold_is_a_note() -> None:
    code = """
__global__ void cross(const float *p, float *out) {
    float3 at = make_float3(p[0], p[1], p[2]);
    float2 &rest = *reinterpret_cast<float2 *>(&at.y);
    out[threadIdx.x] = rest.x * rest.y;
}
"""
    assert all(one.severity is Severity.NOTE for one in findings(MisalignedVectorAccess, code))


PLAN = """
STRUCT
__global__ void scale(Plan plan, float f) {
    float *row = plan.data + (size_t)blockIdx.y * plan.pitch;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < plan.n / 4) {
        float4 v = reinterpret_cast<float4 *>(row)[i];
        v.x *= f; v.y *= f; v.z *= f; v.w *= f;
        reinterpret_cast<float4 *>(row)[i] = v;
    } else if (i == plan.n / 4) {
        for (int s = plan.n / 4 * 4; s < plan.n; ++s) row[s] *= f;
    }
}
void run(const Plan &plan) { scale<<<dim3((plan.n / 4 + 128) / 128, plan.rows), 128>>>(plan, 2.0f); }
"""
PLAIN = "struct Plan { int n, rows, pitch; float *data; };"
OWN = "struct Plan { int n, rows, pitch = 0; float *data;"
UP = "static int up(int x, int a) { return (x + a - 1) UNIT; }"


@pytest.mark.parametrize(
    "made, bad",
    [
        (PLAIN + "void make(Plan *p, int n) { p->n = n; p->pitch = (n + 3) / 4 * 4; }", False),
        (PLAIN + "void make(Plan *p, int n) { p->n = n; p->pitch = (n + 1) / 2 * 2; }", True),
        (PLAIN + "void make(Plan *p, int n) { p->n = n; p->pitch = n; }", True),
        (PLAIN + UP.replace("UNIT", "/ a * a") + "Plan f(int n, int m) { return {n, m, up(n, 32), nullptr}; }", False),
        (PLAIN + UP.replace("UNIT", "& ~(a - 1)") + "void f(Plan &p, int n) { int w = up(n, 8); p.pitch = w; }", False),
        (OWN + "Plan(int w, int h) : n(w), rows(h), pitch((w + 7) & ~7) {} };", False),
        (
            PLAIN + "void a(Plan *p, int n) { p->pitch = (n + 3) / 4 * 4; } void b(Plan *p, int n) { p->pitch = n; }",
            True,
        ),
    ],
)
def test_pitches_that_are_rounded_up_where_they_are_stored(made: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, PLAN.replace("STRUCT", made))) is bad


def test_a_constant_number_of_elements_before_a_place_that_data_choose() -> None:
    code = """
template <int radius> __global__ void weigh(const float *factors, float *out, float at) {
    __shared__ float pool[2 * radius + EXTRA + 4 * radius];
    float *table = pool + 2 * radius + EXTRA;
    if (threadIdx.x < 4 * radius) table[threadIdx.x] = factors[threadIdx.x];
    __syncthreads();
    const float x = fabsf(at - threadIdx.x);
    const float4 w = ((const float4 *)table)[min((int)x, radius - 1)]; // bad
    out[threadIdx.x] = w.x * x + w.y;
}
void run(const float *f, float *out) { weigh<2><<<1, 64>>>(f, out, 1.0f); }
"""
    assert_marked(MisalignedVectorAccess, code.replace("EXTRA", "1"))
    assert not findings(MisalignedVectorAccess, code.replace("EXTRA", "4"))


COUNTED = """
__global__ void replay(const float4 *table, int kinds, float *sums, int bins, const int *which) {
    extern __shared__ float pool[];
    float4 *media = (float4 *)(pool + bins);
    for (int i = threadIdx.x; i < kinds; i += blockDim.x) media[i] = table[i]; // bad
    for (int i = threadIdx.x; i < BOUND; i += blockDim.x) pool[i] = 0.0f;
    __syncthreads();
    atomicAdd(&pool[which[threadIdx.x] % 8], media[0].x);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = pool[0];
}
void run(const float4 *t, int kinds, float *s, int bins, const int *w) {
    CHECK
    replay<<<8, 64, sizeof(float4) * kinds + sizeof(float) * bins>>>(t, kinds, s, bins, w);
}
"""


@pytest.mark.parametrize(
    "bound, check, bad",
    [
        ("bins", "", True),
        ("bins", "if (bins % 4) return;", False),
        ("bins", "bins = (bins + 3) / 4 * 4;", False),
        ("bins / 4 * 4", "", False),
        ("8", "", False),
    ],
)
def test_vectors_behind_as_many_single_elements_as_an_argument_says(bound: str, check: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, COUNTED.replace("BOUND", bound).replace("CHECK", check))) is bad


COPY = """
template <int N> struct __align__(2 * N) Wide { short part[N]; };
template <int N> __device__ void copy(const short *in, short *out, int n) {
    if ((unsigned long long)in % (2 * N) == 0MORE) {
        for (int i = threadIdx.x; i < n / N; i += blockDim.x)
            reinterpret_cast<Wide<N> *>(out)[i] = reinterpret_cast<const Wide<N> *>(in)[i]; // bad
        for (int i = n / N * N + threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];
    }
}
__global__ void store(const short *key, short *cache, const int *slots, long long key_pitch, long long page, int n) {
    copy<8>(key + blockIdx.x * key_pitch, cache + slots[blockIdx.x] * PITCH, n);
}
"""


@pytest.mark.parametrize(
    "more, pitch, bad",
    [
        ("", "page", True),
        (" && (unsigned long long)out % (2 * N) == 0", "page", False),
        ("", "key_pitch", False),  # the same rows: where one is aligned, so is the other
        ("", "8", False),
        (" && n % 8 == 0", "page", False),  # the shape was looked at
    ],
)
def test_a_test_of_another_array_s_address_says_nothing(more: str, pitch: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, COPY.replace("MORE", more).replace("PITCH", pitch))) is bad


def test_rows_whose_number_is_worked_out_of_one_index() -> None:
    code = """
__global__ void encode(const double *in, double *out, int samples, int length, int states) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= samples * states) return;
    const int s = p / states, e = p % states * 2;
    const double *base = in + (size_t)s * length;
    double a = 0;
    if (e + 1 < length) {
        const double2 v = reinterpret_cast<const double2 *>(base)[e / 2]; // bad
        a = v.x + v.y;
    } else if (e < length) {
        a = base[e];
    }
    out[p] = a;
}
"""
    assert_marked(MisalignedVectorAccess, code)
    assert not findings(MisalignedVectorAccess, code.replace("if (p >= ", "if (length % 2 || p >= "))


PARTS = """
__host__ __device__ inline size_t behind(int many) {
    return many * sizeof(float);  // only bad
    return (many * sizeof(float) + 15) / 16 * 16;  // only good
}
__global__ void spread(const float4 *in, const float *weight, int many, float4 *out) {
    extern __shared__ __align__(16) char pool[];
    float *w = (float *)pool;
    float4 *line = (float4 *)(pool + behind(many));
    for (int i = threadIdx.x; i < many; i += 64) w[i] = weight[i];
    line[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];  // bad
    __syncthreads();
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = 0; i < many; ++i) {
        const float4 v = line[(threadIdx.x + i) % 64];
        sum.x += w[i] * v.x;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
bool run(const float4 *in, const float *weight, int many, float4 *out) {
    if (many < 1 || many > 200) return false;
    spread<<<8, 64, behind(many) + 64 * sizeof(float4)>>>(in, weight, many, out);
    return true;
}
"""

TRIPLES = """
__global__ void bend(const float2 *in, const float *joint, int joints, float2 *out) {
    extern __shared__ float2 pool[];
    unsigned char *bytes = reinterpret_cast<unsigned char *>(pool);
    float *at = reinterpret_cast<float *>(bytes);
    float2 *line = reinterpret_cast<float2 *>(bytes + 3 * joints * sizeof(float));  // only bad
    float2 *line = reinterpret_cast<float2 *>(bytes + 4 * joints * sizeof(float));  // only good
    for (int i = threadIdx.x; i < 3 * joints; i += blockDim.x) at[i] = joint[i];
    line[threadIdx.x] = in[threadIdx.x];  // bad
    __syncthreads();
    float2 v = line[threadIdx.x];
    v.x += at[0];
    out[threadIdx.x] = v;
}
void run(const float2 *in, const float *joint, int joints, float2 *out) {
    if (joints % 2) return;  // only good
    bend<<<1, 128, 128 * sizeof(float2) + 4 * joints * sizeof(float)>>>(in, joint, joints, out);
}
"""


@pytest.mark.parametrize("code", [PARTS, TRIPLES], ids=["parts", "triples"])
def test_vectors_behind_numbers_in_an_array_of_bytes(code: str) -> None:
    assert_pair(MisalignedVectorAccess, code)


def test_as_many_numbers_as_vectors_have() -> None:
    even = PARTS.replace("many > 200) return", "many > 200 || many % 4) return").replace("  // bad", "")
    assert not findings(MisalignedVectorAccess, "\n".join(x for x in even.splitlines() if "// only good" not in x))


NO_VECTORS = """
template <bool WIDE>
__global__ void scale(float *rows, int width) {{
  float *row = rows + blockIdx.x * width;
  const int wide = WIDE ? width / 4 : {most};
  float4 *row4 = reinterpret_cast<float4 *>(row);
  for (int i = threadIdx.x; i < wide; i += 64) {{
    float4 v = row4[i];{mark}
    v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
    row4[i] = v;
  }}
  for (int i = wide * 4 + threadIdx.x; i < width; i += 64) row[i] *= 2;
}}
void run(float *rows, int width, int count) {{
  if (width % 4 == 0) scale<true><<<count, 64>>>(rows, width);
  else scale<false><<<count, 64>>>(rows, width);
}}
"""


@pytest.mark.parametrize("most, bad", [("0", False), ("width / 4", True)])
def test_a_loop_that_an_instance_never_enters(most: str, bad: bool) -> None:
    assert_marked(MisalignedVectorAccess, NO_VECTORS.format(most=most, mark="  // bad" if bad else ""))
