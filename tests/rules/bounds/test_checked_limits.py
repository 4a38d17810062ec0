"""Arrays of constant size under arguments that host code checks against a number."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.bounds.test_wrong_axes import codes
from tests.rules.marked import findings

NEAREST = """
#include <stdexcept>
__global__ void nearest(const float *d, float *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best[16];
    for (int j = 0; j < k; ++j) best[j] = d[i * k + j];
    for (int j = 0; j < k; ++j) out[i * k + j] = best[k - 1 - j];
}
void run(const float *d, float *out, int n, int k) {
    if (CHECK) throw std::runtime_error("too many");
    nearest<<<(n + 127) / 128, 128>>>(d, out, n, PASSED);
}
"""


@pytest.mark.parametrize(
    ("check", "passed", "bad"),
    [
        ("k > 32", "k", True),
        ("k > 16", "k", False),
        ("k >= 17", "k", False),
        ("k <= 0 || k > 20", "k", True),
        ("n <= 0", "k", False),
        ("n <= 0", "24", True),
        ("k != 8 && k != 24", "k", True),
        ("k != 8 && k != 16", "k", False),
        ("k != 8 && k != 24 && n != 3", "k", False),
        ("k > 32", "k / 2", False),
        ("k > 65536", "k", False),
        ("k > 32 || k * n > 4096", "k", True),
        ("k > 32 || k > n", "k", True),
        ("k * n > 4096", "k", False),
        ("k < 1 || k > n", "k", True),
        ("k > n", "k", False),
        ("k < 1 || k > n || n > 16", "k", False),
        ("2 * k + 1 > 41", "k", True),
        ("2 * k - 1 > 31", "k", False),
    ],
)
def test_what_the_host_lets_pass(check: str, passed: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, NEAREST.replace("CHECK", check).replace("PASSED", passed))) is bad


TWO = """
struct Parts { const float *first, *second; int many_first, many_second; };
__global__ void join(Parts parts, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float all[10];
    int count = 0;
    for (int k = 0; k < parts.many_first; ++k) all[count++] = parts.first[i * 8 + k];
    for (int k = 0; k < parts.many_second; ++k) TEST all[count++] = parts.second[i * 8 + k];
    float sum = 0.0f;
    for (int k = 0; k < count; ++k) sum += all[k];
    out[i] = sum;
}
bool run(const Parts &parts, float *out, int n) {
    if (parts.many_first > 8 || parts.many_second > MOST) return false;
    if (n > 0) join<<<(n + 63) / 64, 64>>>(parts, out, n);
    return true;
}
"""


@pytest.mark.parametrize(
    ("most", "test", "bad"),
    [("8", "", True), ("2", "", False), ("8", "if (count < 10)", False), ("8 || parts.many_first > 2", "", False)],
)
def test_one_list_behind_the_other(most: str, test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, TWO.replace("MOST", most).replace("TEST", test))) is bad


BANDS = """
#define THREADS 128
__global__ void weigh(const float *gain, float *out, int bands, int n) {
    __shared__ float line[32];
    FILL
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < bands && k < 32; ++k) sum += line[k];
    out[i] = sum;
}
bool run(const float *gain, float *out, int bands, int n) {
    if (CHECK) return false;
    weigh<<<(n + THREADS - 1) / THREADS, THREADS>>>(gain, out, bands, n);
    return true;
}
"""


@pytest.mark.parametrize(
    ("fill", "check", "bad"),
    [
        ("if (threadIdx.x < bands) line[threadIdx.x] = gain[threadIdx.x];", "bands < 1 || bands > THREADS", True),
        ("if (threadIdx.x < bands) line[threadIdx.x] = gain[threadIdx.x];", "bands < 1 || bands > 32", False),
        ("if (threadIdx.x < bands) line[threadIdx.x] = gain[threadIdx.x];", "bands < 1", False),
        ("if (threadIdx.x < min(bands, 32)) line[threadIdx.x] = gain[threadIdx.x];", "bands > THREADS", False),
        ("if (threadIdx.x < bands && threadIdx.x < 32) line[threadIdx.x] = 1.0f;", "bands > THREADS", False),
        ("if (threadIdx.x >= 16 && threadIdx.x < bands) line[threadIdx.x - 16] = 1.0f;", "bands > 48", False),
        ("if (threadIdx.x >= 16 && threadIdx.x < bands) line[threadIdx.x - 16] = 1.0f;", "bands > 49", True),
        ("for (int k = threadIdx.x; k < bands; k += blockDim.x) line[k] = gain[k];", "bands > 40", True),
        ("for (int k = threadIdx.x; k < bands; k += blockDim.x) line[k] = gain[k];", "bands > 32", False),
        ("for (int k = threadIdx.x; k < bands; k += THREADS) line[k % 32] = gain[k];", "bands > 40", False),
    ],
)
def test_threads_for_as_many_as_the_host_lets_pass(fill: str, check: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, BANDS.replace("FILL", fill).replace("CHECK", check))
    assert bool(found) is bad, [one.message for one in found]


FACES = """
__global__ void faces(const double *cell, double *flux, int n) {
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f > n) return;
    flux[f] = cell[f] + cell[f + 1];
}
void run(const double *cell, double *flux, int n) { faces<<<(ITEMS + 255) / 256, 256>>>(cell, flux, n); }
"""


@pytest.mark.parametrize(("items", "told"), [("n + 1", False), ("n", True)])
def test_a_launch_for_one_item_more_means_it(items: str, told: bool) -> None:
    assert bool(findings(WrongBoundsGuard, FACES.replace("ITEMS", items))) is told


def test_bounds_of_a_launch_say_nothing_of_rows_of_threads() -> None:
    tile = """
    __global__ void __launch_bounds__(256) blur(const float *in, float *out, int w) {
        __shared__ float tile[10][34];
        for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) tile[i / 34][i % 34] = in[i];
        __syncthreads();
        out[threadIdx.y * w + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1];
    }
    """
    assert not findings(ArrayIndexOutOfRange, tile)
    row = """
    __global__ void __launch_bounds__(256) sums(float *out) {
        __shared__ float part[128];
        part[threadIdx.x] = 1.0f;
        __syncthreads();
        out[threadIdx.x] = part[threadIdx.x];
    }
    """
    assert findings(ArrayIndexOutOfRange, row)
    assert not findings(ArrayIndexOutOfRange, row.replace("out[threadIdx.x]", "out[threadIdx.y * 128 + threadIdx.x]"))


TABLE = """
constexpr int kSlots = 6000;
__global__ void look(const int *key, const float *table, int entries, float *out) {
    __shared__ float near[SIZE];
    for (int i = threadIdx.x; i < entries; i += 128) near[i] = table[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = near[min(key[threadIdx.x], entries - 1)];
}
int run(const int *key, const float *table, int entries, float *out) {
    if (entries < 1 || entries > LIMIT) return 1;
    look<<<8, 128>>>(key, table, entries, out);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("size", "limit", "bad"),
    [("4096", "kSlots", True), ("6000", "kSlots", False), ("1024", "100000", False)],
)
def test_arrays_as_long_as_the_limit_is_large(size: str, limit: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, TABLE.replace("SIZE", size).replace("LIMIT", limit))) is bad


PARTS = """
#include <algorithm>
__constant__ float2 axis[ROOM];
__global__ void add(const float *in, float *out, int n, int parts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int p = 0; p < parts; ++p) sum += axis[p].x * in[(size_t)p * n + i];
    out[i] += sum;
}
void run(const float *in, float *out, int n, int total) {
    CHECK
    for (int first = 0; first < total; first += 96) {
        const int parts = std::min(96, total - first);
        add<<<(n + 127) / 128, 128>>>(in, out, n, parts);
    }
}
"""


@pytest.mark.parametrize(
    ("room", "check", "bad"), [("64", "", True), ("96", "", False), ("64", "if (total > 60) return;", False)]
)
def test_what_the_launch_itself_holds_down(room: str, check: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, PARTS.replace("ROOM", room).replace("CHECK", check))
    assert any("axis" in one.message for one in found) is bad, [one.message for one in found]


MIDDLE = """
constexpr int MOST = 7;
__global__ void middle(const float *in, float *out, int across, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= across) return;
  float window[MOST * MOST];
  int have = 0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) {
      float v = in[(j * across + x) * size + i];
      int at = have++;
      %s
      window[at] = v;
    }
  out[x] = window[have / 2];
}
void run(const float *in, float *out, int across, int size) {
  if (across <= 0 || size < 1 || size > %s) return;
  middle<<<(across + 127) / 128, 128>>>(in, out, across, size);
}
"""

SORT = "for (; at > 0 && window[at - 1] > v; --at) window[at] = window[at - 1];"


@pytest.mark.parametrize("body", ["", SORT])
@pytest.mark.parametrize(("most", "wrong"), [("9", True), ("MOST", False), ("(MOST + 1)", True), ("5", False)])
def test_counts_through_two_loops(body: str, most: str, wrong: bool) -> None:
    assert codes(MIDDLE % (body, most)) == (["KL104"] if wrong else [])


WHOLE = """
#include <stdexcept>
__global__ void damp(const float *x, const float *by, float *y, int width, int span) {
    __shared__ float part[1024];
    for (int s = 0; s < width / span; ++s) {
        for (int i = threadIdx.x; i < span; i += 128) part[i] = x[s * span + i];
        __syncthreads();
        for (int i = threadIdx.x; i < span; i += 128) y[s * span + i] = part[span - 1 - i] * by[s];
        __syncthreads();
    }
}
void run(const float *x, const float *by, float *y, int width, int span) {
    if (width < 4 || width > MOST) throw std::invalid_argument("width");
    MEANT
    if (CHECK) throw std::invalid_argument("span");
    damp<<<1, 128>>>(x, by, y, width, span);
}
"""


@pytest.mark.parametrize(
    ("most", "meant", "check", "bad"),
    [
        ("16384", "if (span == -1) span = width;", "span < 4 || width % span != 0", True),
        ("16384", "if (span <= 0) span = width;", "width % span != 0", True),
        ("16384", "span = span != 0 ? span : width;", "span < 4 || width % span != 0", True),
        ("16384", "if (span == -1) span = width;", "span < 4 || span > 1024 || width % span != 0", False),
        ("1024", "if (span == -1) span = width;", "span < 4 || width % span != 0", False),
        ("16384", "if (span == -1) span = 256;", "span < 4 || width % span != 0", False),
        ("16384", "", "span < 4 || width % span != 0", False),  # how large it gets, nobody says
    ],
)
def test_a_mark_for_the_whole(most: str, meant: str, check: str, bad: bool) -> None:
    code = WHOLE.replace("MOST", most).replace("MEANT", meant).replace("CHECK", check)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


BITS = """
__global__ void mark(const int *key, int n, int wanted, int *out) {
    __shared__ unsigned bits[WORDS];
    const int words = (n + 31) / 32;
    for (int base = 0; base < n; base += 256) {
        const int i = base + threadIdx.x;
        const unsigned found = __ballot_sync(0xffffffffu, i < n && key[i] == wanted);
        if (threadIdx.x % 32 == 0 && i / 32 < words) bits[i / 32] = found;
    }
    __syncthreads();
    for (int w = threadIdx.x; w < words; w += 256) out[w] = bits[w];
}
bool run(const int *key, int n, int wanted, int *out) {
    if (n < 1 || n > 1 << 16) return false;
    mark<<<1, 256>>>(key, n, wanted, out);
    return true;
}
"""


@pytest.mark.parametrize(("words", "bad"), [("1024", True), ("2047", True), ("2048", False), ("16", False)])
def test_large_arguments_make_places_near_the_end(words: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, BITS.replace("WORDS", words))) is bad


SHRUNK = """
__global__ void shrink(const float *from, int n, float *to, int m, float ratio) {
    __shared__ float line[ROOM];
    const int first = (int)(blockIdx.x * 32 * ratio), span = (int)ceilf(32 * ratio) + 1;
    for (int k = threadIdx.x; k < span; k += 32) line[k] = first + k < n ? from[first + k] : 0.0f;
    __syncthreads();
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i < m) to[i] = line[(int)(i * ratio) - first];
}
bool run(const float *from, int n, float *to, int m) {
    if (m < 1 || n < m) return false;
    const float ratio = (float)n / m;
    if (CHECK) return false;
    shrink<<<(m + 31) / 32, 32>>>(from, n, to, m, ratio);
    return true;
}
"""


@pytest.mark.parametrize(
    ("room", "check", "bad"),
    [
        ("128", "ratio > 4.0f", True),
        ("129", "ratio > 4.0f", False),
        ("128", "ratio >= 4.0f", True),
        ("128", "ratio > 3.5f", False),
        ("128", "m > 4096", False),
    ],
)
def test_ratios_that_the_host_lets_pass(room: str, check: str, bad: bool) -> None:
    text = SHRUNK.replace("ROOM", room).replace("CHECK", check)
    assert bool(findings(ArrayIndexOutOfRange, text)) is bad


WINDOW = """
__global__ void largest(const float *in, float *out, int w, int h, int r) {
    __shared__ float tile[28][28];
    const int side = 16 + 2 * r;
    for (int j = threadIdx.y; j < side; j += 16)
        for (int i = threadIdx.x; i < side; i += 16) tile[j][i] = in[min(j, h - 1) * w + min(i, w - 1)];
    __syncthreads();
    float m = 0.0f;
    for (int j = 0; j <= 2 * r; ++j) m = fmaxf(m, tile[threadIdx.y + j][threadIdx.x]);
    out[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = m;
}
bool run(const float *in, float *out, int w, int h, int window) {
    if (window < 1 || window % 2 == 0 || window > MOST) return false;
    largest<<<w, dim3(16, 16)>>>(in, out, w, h, window / 2);
    return true;
}
"""


@pytest.mark.parametrize(("most", "bad"), [("15", True), ("14", False), ("13", False)])
def test_two_axes_of_a_block(most: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, WINDOW.replace("MOST", most))) is bad


RINGS = """
#include <stdexcept>
constexpr int kPlaces = 96;
__global__ void smooth(const float *x, float *out, int series, int steps, int span) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    float past[kPlaces];
    float sum = 0.f;
    for (int t = 0; t < steps; ++t) {
        const int at = AT;
        if (t >= span) sum -= past[at];
        past[at] = x[t * series + s];
        sum += past[at];
        out[t * series + s] = sum / span;
    }
}
void run(const float *x, float *out, int series, int steps, int span) {
    if (span < 1 || span > MOST) throw std::runtime_error("too long");
    smooth<<<(series + 127) / 128, 128>>>(x, out, series, steps, span);
}
"""


@pytest.mark.parametrize(
    ("at", "most", "bad"),
    [
        ("t % span", "256", True),
        ("t % span", "kPlaces", False),
        ("t % span", "steps", True),  # any number
        ("t % span % kPlaces", "256", False),
        ("span - 1 - t % span", "kPlaces", False),
        ("t % kPlaces", "256", False),
    ],
)
def test_rings_of_a_length_that_is_passed(at: str, most: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, RINGS.replace("= AT", f"= {at}").replace("MOST", most))
    assert bool(found) is bad, [one.message for one in found]


PICKED = """
#include <assert.h>
template <int MOST> __global__ void back(const float *x, float *out, int joints) {
    float sum[MOST];
    for (int i = 0; i < joints; i++) sum[i] = x[i];
    for (int i = 0; i < joints; i++) out[i] = sum[joints - 1 - i];
}
typedef void (*Kernel)(const float *, float *, int);
Kernel pick(long long joints) {
    if (joints < 16) return back<16>;
    else if (joints < 64) return back<64>;
    return back<128>;
}
void run(const float *x, float *out, long long joints) {
    assert(joints < LIMIT);
    auto kernel = CHOICE;
    kernel<<<1, 32>>>(x, out, joints);
}
"""


@pytest.mark.parametrize(
    ("limit", "choice", "bad"),
    [
        ("128", "pick(joints)", False),
        ("130", "pick(joints)", True),
        ("128", "joints < 16 ? back<16> : joints < 64 ? back<64> : back<128>", False),
        ("128", "joints > 16 ? back<16> : back<128>", True),
        ("128", "x == nullptr ? back<16> : back<128>", True),
    ],
)
def test_an_instance_is_launched_where_it_is_chosen(limit: str, choice: str, bad: bool) -> None:
    code = PICKED.replace("LIMIT", limit).replace("CHOICE", choice)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


JOB = """
#include <cstddef>
#include <cstring>
struct Job { unsigned *message, *digests; int words, count; };
__global__ void digest(const unsigned *message, int words, unsigned *digests, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned own[ROOM];
    for (int w = 0; w < words; ++w) own[w] = message[w] ^ i;
    unsigned mix = 1;
    for (int w = 0; w < words; ++w) mix = mix * 31u + own[w];
    digests[i] = mix;
}
bool set(Job *job, const unsigned char *bytes, size_t length) {
    if (CHECK) return false;
    job->words = STORED;
    return cudaMemcpy(job->message, bytes, length, cudaMemcpyHostToDevice) == cudaSuccess;
}
OTHER
bool run(const Job *job) {
    if (job->count == 0 || job->words == 0) return false;
    digest<<<(job->count + 63) / 64, 64>>>(job->message, job->words, job->digests, job->count);
    return cudaGetLastError() == cudaSuccess;
}
"""


@pytest.mark.parametrize(
    ("room", "check", "stored", "other", "bad"),
    [
        (20, "length < 40 || length > 128", "(int)((length + 3) / 4)", "", True),
        (32, "length < 40 || length > 128", "(int)((length + 3) / 4)", "", False),
        (20, "length > 80", "(int)((length + 3) / 4)", "", False),
        (20, "length == 0", "(int)((length + 3) / 4)", "", False),
        (20, "length > 24", "(int)length", "", True),
        (20, "length > 128", "128 - (int)length", "", False),
        (20, "length > 128", "(int)length / 4", "void reset(Job *job) { job->words = 0; }", True),
        (20, "length > 128", "(int)length / 4", "void fix(Job *job, int n) { job->words = n; }", False),
        (20, "length > 128", "(int)length / 4", "void fix(Job *job, int n) { job->words /= n; }", False),
    ],
)
def test_members_that_another_function_fills(room: int, check: str, stored: str, other: str, bad: bool) -> None:
    text = JOB.replace("ROOM", str(room)).replace("CHECK", check).replace("STORED", stored).replace("OTHER", other)
    assert bool(findings(ArrayIndexOutOfRange, text)) is bad


FILTER = """
#include <stdexcept>
#include <hip/hip_runtime.h>
__constant__ float weights[64];
__global__ void smooth(const float *x, float *y, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 * radius >= n) return;
    float sum = 0.0f;
    for (int k = 0; k <= 2 * radius; ++k) sum += weights[k] * x[i + k];
    y[i] = sum;
}
class Smoother {
public:
    void set_order(int order) {
        if (order <= 0 || order > LIMIT) throw std::invalid_argument("order");
        radius_ = 2 * order;
    }
    void apply(const float *x, float *y, int n, hipStream_t stream) {
        smooth<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n, radius_);
    }
private:
    int radius_ = 0;
};
"""


@pytest.mark.parametrize(("limit", "bad"), [(15, False), (16, True), (24, True)])
def test_members_of_a_class_that_a_setter_checks(limit: int, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, FILTER.replace("LIMIT", str(limit)), "hip")) is bad
