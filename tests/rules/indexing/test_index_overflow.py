"""Products in 32 bits: what says that they get too large, and what says that they do not."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import findings

SCATTER = """
__global__ void scatter(const float *key, float *cache, const int *slots, int heads, int dim, int rows) {
    const int t = blockIdx.x, slot = slots[t];
    if (slot < 0 || slot >= rows) return;
    const int n = heads * dim;
    float *to = cache + WIDEslot * n;
    for (int c = threadIdx.x; c < n; c += blockDim.x) to[c] = key[(long long)t * n + c];
}
void run(const float *k, float *c, const int *s, int tokens) {
    scatter<<<tokens, 128>>>(k, c, s, 64, 128, ROWS);
}
"""

FRAME = """
__global__ void frame(float *image, const float *gain, int w, int h) {
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
    if (x < w) image[x + y * w] *= gain[x];
}
bool run(float *image, const float *gain, int w, int h) {
    if (w <= 0 || h <= 0 || CHECK) return false;
    frame<<<dim3((w + 63) / 64, h), 64>>>(image, gain, w, h);
    return true;
}
"""

VOLUME = """
__kernel void project(__global const ushort *in, __global float *out, const int w, const int h, const int d) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float sum = 0.0f;
    for (int z = 0; z < d; z++) sum += in[x + w * (y + WIDEh * z)];
    for (int z = 0; z < d; z++) out[(long)z * w * h + (long)y * w + x] = sum / d;
}
"""

PERMUTED = """
__device__ inline long long narrow(int row, int stride, int col) { return row * stride + col; }
__device__ inline long long wide(long long row, int stride, int col) { return row * stride + col; }
__global__ void permute(const double *in, double *out, const int *perm, int rows, int stride) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        for (int c = threadIdx.x; c < stride; c += blockDim.x)
            out[wide(r, stride, c)] = in[HOW(perm[r], stride, c)];
}
"""

COUNTED = """
__global__ void gather(const float *table, const int *ids, float *out, long long items, int width) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items * width) return;
    int id = ids[i / width];
    out[i] = table[WIDEid * width + i % width];
}
"""

ALLOCATED = """
#include <cuda_runtime.h>
__global__ void mask(const float *score, unsigned char *out, unsigned queries, unsigned docs) {
    unsigned q = blockIdx.y, d = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < queries && d < docs) out[WIDEdocs * q + d] = score[d] > 0.5f;
}
int run(const float *score, unsigned char *to, unsigned queries, unsigned docs) {
    unsigned char *m;
    SIZE cells = (SIZE)queries * docs;
    if (cudaMalloc((void **)&m, CELLS)) return 1;
    mask<<<dim3((docs + 255) / 256, queries), 256>>>(score, m, queries, docs);
    cudaMemcpy(to, m, cells, cudaMemcpyDeviceToHost);
    return cudaFree(m);
}
"""

CAPPED = """
__global__ void pick(const float *rows, const int *which, float *out, int picks, int width) {
    const int all = picks * width;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < all; k += gridDim.x * blockDim.x)
        out[k] = rows[which[k / width] * width + k % width];
}
bool run(const float *rows, const int *which, float *out, int stored, int picks, int width, long long most) {
    if (stored <= 0 || picks <= 0 || width <= 0) return false;
    if ((long long)stored * width > MOST || (long long)picks * width > MOST) return false;
    pick<<<128, 256>>>(rows, which, out, picks, width);
    return true;
}
"""

INNER = """
__global__ void spread(const float *from, float *to, int w, int h, int d) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= w || y >= h || z >= d) return;
    const int at = (z * h + y) * w + x;
    if (x == 0 || y == 0 || z == 0 || x == w - 1 || y == h - 1 || z == d - 1) {
        to[at] = from[at];
        return;
    }
    to[at] = from[at - w * h] + from[at + w * h] + from[at - w] + from[at + w] + from[at - 1] + from[at + 1];
}
bool run(const float *from, float *to, int w, int h, int d) {
    if (w < 1 || h < 1 || d < 1 || w > 60000 || h > 60000 || d > 60000) return false;
    if ((long long)w * h > 1 << 30 || CELLS) return false;
    spread<<<dim3((w + 15) / 16, (h + 7) / 8, (d + 3) / 4), dim3(16, 8, 4)>>>(from, to, w, h, d);
    return true;
}
"""


@pytest.mark.parametrize(
    ("code", "bad", "good", "language"),
    [
        pytest.param(SCATTER.replace("ROWS", "300000"), "", "(long long)", "cuda", id="numbers of a launch"),
        pytest.param(FRAME.replace("CHECK", "w > 65536 || h > 50000"), "", None, "cuda", id="checks let it through"),
        pytest.param(VOLUME, "", "(long)", "opencl", id="nested products"),
        pytest.param(COUNTED, "", "(long long)", "cuda", id="a count of 64 bits"),
        pytest.param(
            ALLOCATED.replace("SIZE", "long long").replace("CELLS", "cells"), "", "(size_t)", "cuda", id="elements"
        ),
        pytest.param(CAPPED.replace("MOST", "most"), "", None, "cuda", id="a check against what may be large"),
        pytest.param(INNER.replace("CELLS", "d > 30000"), "", None, "cuda", id="inner cells of a large volume"),
    ],
)
def test_what_says_that_a_product_gets_too_large(code: str, bad: str, good: str | None, language: str) -> None:
    found = findings(IndexOverflow, code.replace("WIDE", bad), language)
    assert found and found[0].severity is Severity.WARNING
    if good is not None:
        assert not findings(IndexOverflow, code.replace("WIDE", good), language)


def test_rows_of_one_length_are_multiplied_alike() -> None:
    (found,) = findings(IndexOverflow, PERMUTED.replace("HOW", "narrow"))
    assert any("computed here" in related.message for related in found.related)
    assert not findings(IndexOverflow, PERMUTED.replace("HOW", "wide"))


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(FRAME.replace("CHECK", "w > 32768 || h > 32768"), id="checks keep it small"),
        pytest.param(
            """
            struct Tensor { int size(int axis) const; long numel() const; };
            __global__ void scale(float *x, int width) {
                float *row = x + blockIdx.x * width;
                for (int c = threadIdx.x; c < width; c += blockDim.x) row[c] *= 2.0f;
            }
            void run(const Tensor &t, float *x) {
                const int width = t.size(1);
                scale<<<t.numel() / width, 256>>>(x, width);
            }
            """,
            id="what a library says is no number",
        ),
        pytest.param(CAPPED.replace("MOST", "2000000000"), id="a check that the product is small"),
        pytest.param(
            INNER.replace("CELLS", "(long long)w * h * d > 1 << 30"), id="inner cells of a volume that is small"
        ),
        pytest.param(FRAME.replace("CHECK", "w % 64 != 0 || h > 65535"), id="a remainder is no bound"),
        pytest.param(FRAME.replace("CHECK", "w > 65536 || h > 65535"), id="what a grid may have is no size"),
        pytest.param(
            ALLOCATED.replace("SIZE", "size_t").replace("CELLS", "cells * 4").replace("WIDE", ""), id="bytes, by habit"
        ),
        pytest.param(
            """
            __global__ void frames(const float *x, unsigned long n, float *out, int hop) {
                const int k = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;
                if (k >= 4096) return;
                const unsigned long at = (unsigned long)f * hop + k;
                out[f * 4096 + k] = at < n ? x[at] : 0.0f;
            }
            int run(const float *x, unsigned long n, float *out, int count, int hop) {
                if (count < 1 || count > 65535) return 1;
                frames<<<dim3(16, count), 256>>>(x, n, out, hop);
                return 0;
            }
            """,
            id="an addend that a test keeps small",
        ),
    ],
)
def test_what_fits_or_nothing_speaks_of_is_left_alone(code: str) -> None:
    assert not findings(IndexOverflow, code)


SHARE = """
__global__ void part(const float *m, unsigned rows, unsigned cols, unsigned first, unsigned last, float *out) {
    size_t each = (last - first) / PARTS;
    size_t begin = each * blockIdx.x;
    first += begin;
    float sum = 0.0f;
    for (unsigned c = first; c < first + each; c++) sum += m[(size_t)threadIdx.x * cols + c];
    atomicAdd(out, sum);
}
"""


def test_a_share_is_no_larger_than_what_is_shared_out() -> None:
    assert not findings(IndexOverflow, SHARE.replace("PARTS", "gridDim.x"))
    assert findings(IndexOverflow, SHARE.replace("PARTS", "2"))


TILE = """
__global__ void tile(const float *x, long width, int each, float *out) {
    const int tiles = (width + SIZE - 1) / SIZE;
    const int at = (blockIdx.x % tiles) * (long)each;
    out[at + threadIdx.x] = x[at + threadIdx.x] * 2.0f;
}
"""


def test_a_tile_of_a_row_is_no_further_than_its_end() -> None:
    assert not findings(IndexOverflow, TILE.replace("SIZE", "each"))
    assert findings(IndexOverflow, TILE.replace("SIZE", "32"))


PACKED = """
#include <cstdint>
#include <cuda_runtime.h>
__global__ void unpack(const unsigned char *in, float *out, int words) {
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    const INDEX first = (INDEX)w * 16;
    for (int j = 0; j < 16; ++j) out[first + j] = in[w] >> (j & 7);
}
int run(const unsigned char *in, float *out, int64_t count) {
    if (count % 16 != 0 || count > MOST) return 1;
    const int words = (int)(count / 16);
    unpack<<<(words + 127) / 128, 128>>>(in, out, words);
    return 0;
}
"""


@pytest.mark.parametrize(
    "most, kind, bad", [("(1ll << 34)", "int", True), ("(1ll << 34)", "int64_t", False), ("(1ll << 30)", "int", False)]
)
def test_numbers_of_the_host_tell_of_an_index_times_a_number(most: str, kind: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, PACKED.replace("MOST", most).replace("INDEX", kind))) is bad


FLAT = """
#include <cuda_runtime.h>
__global__ void add_rows(float *sums, const float *in, const unsigned *to, int rows, int cols) {
    GID
    const size_t r = at / cols, c = at % cols;
    if (r >= rows) return;
    atomicAdd(&sums[(size_t)to[r] * cols + c], in[at]);
}
void run(float *sums, const float *in, const unsigned *to, int rows, int cols) {
    unsigned blocks = (unsigned)(((size_t)rows * cols + 127) / 128);
    add_rows<<<blocks, 128>>>(sums, in, to, rows, cols);
}
"""


@pytest.mark.parametrize(
    "gid, bad",
    [
        ("const size_t at = threadIdx.x + blockDim.x * blockIdx.x;", True),
        ("const int at = threadIdx.x + 128 * blockIdx.x;", True),
        ("const size_t at = threadIdx.x + (size_t)blockDim.x * blockIdx.x;", False),
    ],
)
def test_a_number_taken_apart_into_rows_and_columns_counts_what_the_grid_is_made_of(gid: str, bad: bool) -> None:
    assert (
        bool([f for f in findings(IndexOverflow, FLAT.replace("GID", gid)) if f.severity is not Severity.NOTE]) is bad
    )


VOLUMES = """
#include <cstdint>
__global__ void sum(const unsigned char *costs, float *out, int columns, int rows) {
    const int x = blockIdx.x, y = ROW;
    TEST
    const unsigned char *own = costs + 64 * (PLACE * columns + x);
    const unsigned step = LENGTH;
    float all = 0.0f;
    for (unsigned k = 0; k < 8; ++k) all += own[k * step + threadIdx.x];
    atomicAdd(&out[(long long)y * columns + x], all);
}
LAUNCH
"""
LAUNCHED = """
void run(const unsigned char *costs, float *out, int columns, int rows) {
    sum<<<dim3(columns, GRID), 64>>>(costs, out, columns, rows);
}
"""
BELOW = "if (y >= rows) return;"


@pytest.mark.parametrize(
    "row, test, launch, place, length, bad",
    [
        ("blockIdx.y", "", LAUNCHED.replace("GRID", "rows"), "(size_t)y", "64 * columns * rows", True),
        ("blockIdx.y * 2 + threadIdx.y", BELOW, "", "(size_t)y", "64 * columns * rows", True),
        ("blockIdx.y", "", LAUNCHED.replace("GRID", "rows"), "y", "64 * columns * rows", False),
        ("blockIdx.y", "", LAUNCHED.replace("GRID", "7"), "(size_t)y", "64 * columns * rows", False),
        ("blockIdx.y * 2 + threadIdx.y", BELOW, "", "(size_t)y", "64 * columns", False),
        ("blockIdx.y * 2 + threadIdx.y", "", "", "(size_t)y", "64 * columns * rows", False),
    ],
)
def test_what_an_index_is_widened_for_is_what_its_size_is_multiplied_with(
    row: str, test: str, launch: str, place: str, length: str, bad: bool
) -> None:
    code = VOLUMES.replace("ROW", row).replace("TEST", test).replace("LAUNCH", launch)
    code = code.replace("PLACE", place).replace("LENGTH", length)
    told = [f for f in findings(IndexOverflow, code) if "columns * " in f.message and "costs" in f.message]
    assert bool(told) is bad


KEPT = """
__global__ void halve(float *x, int3 size, int most) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, s = blockIdx.z;
    if (c >= size.x || r >= size.y || s >= size.z) return;
    const KIND at = SUM;
    x[at] *= 0.5f;
}
"""


@pytest.mark.parametrize(
    "kind, value, bad",
    [
        ("long long", "c + size.x * (r + size.y * s)", True),
        ("long long", "(s * size.y + r) * size.x + c", True),
        ("long long", "c + (long long)size.x * (r + (long long)size.y * s)", False),
        ("long long", "c + size.x * r", False),  # of a plane nothing says so
        ("size_t", "c + size.x * (r + size.y * s)", False),  # which is taken by habit
        ("int", "c + size.x * (r + size.y * s)", False),
    ],
)
def test_a_sum_of_large_products_is_kept_in_64_bits_when_it_has_wrapped(kind: str, value: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, KEPT.replace("KIND", kind).replace("SUM", value))) is bad


POINTED = """
__global__ void point(float **rows, float *base, int pitch, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rows[i] = base + PLACE;
}
int go(float **rows, float *base, long long pitch, int n) {
    if (n > 65536 || pitch > MOST) return 1;
    point<<<(n + 255) / 256, 256>>>(rows, base, (int)pitch, n);
    return 0;
}
"""


@pytest.mark.parametrize(
    "place, most, bad",
    [
        ("i * pitch", "2147483647", True),
        ("(long long)i * pitch", "2147483647", False),
        ("i * pitch", "4096", False),
    ],
)
def test_addresses_that_are_stored_for_others(place: str, most: str, bad: bool) -> None:
    told = findings(IndexOverflow, POINTED.replace("PLACE", place).replace("MOST", most))
    assert bool(told) is bad
    assert all("used to point into base" in one.message for one in told)


APART = """
__global__ void turn(const float *in, float *out, int rows, int columns, int total) {
    const KIND item = blockIdx.x * blockDim.x + threadIdx.x;
    TEST
    const KIND row = item / columns, column = item % columns;
    if (row < rows) out[item] = in[column * (long long)rows + row];
}
"""


@pytest.mark.parametrize(
    "kind, test, bad",
    [
        ("long long", "", True),
        ("unsigned long long", "", True),
        ("int", "", False),  # nothing says that there are more
        ("long long", "if (item >= total) return;", False),
    ],
)
def test_items_of_rows_and_columns_are_counted_in_64_bits(kind: str, test: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, APART.replace("KIND", kind).replace("TEST", test))) is bad


SIBLINGS = """
__global__ void add(const float *a, float *o, int columns) {
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        const long long at = (long long)blockIdx.x * columns + c;
        o[at] += a[at];
    }
}
__global__ void times(const float *a, float *o, int LENGTH) {
    for (int c = threadIdx.x; c < LENGTH; c += blockDim.x) o[blockIdx.x * LENGTH + c] *= a[c];
}
LAUNCH
"""
OF_BOTH = """void go(const float *a, float *o, int rows, int columns) {
    add<<<rows, 256>>>(a, o, columns);
    times<<<GRID, 256>>>(a, o, OTHER);
}"""


@pytest.mark.parametrize(
    "length, launch, bad",
    [
        ("columns", "", True),
        ("pieces", "", False),
        ("columns", OF_BOTH.replace("GRID", "rows").replace("OTHER", "columns"), True),
        ("columns", OF_BOTH.replace("GRID", "rows").replace("OTHER", "8"), False),
    ],
)
def test_another_kernel_multiplies_the_same_rows_in_64_bits(length: str, launch: str, bad: bool) -> None:
    code = SIBLINGS.replace("LENGTH", length).replace("LAUNCH", launch)
    assert any("another kernel" in one.message for one in findings(IndexOverflow, code)) is bad


CLEAR = """
HELPER
__global__ void clear(float *x, size_t size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) x[i] = 0;
}
void run(float *x, size_t size) { clear<<<BLOCKS, 512>>>(x, size); }
"""


@pytest.mark.parametrize(
    ("helper", "blocks", "severity"),
    [
        ("", "(size + 511) / 512", Severity.NOTE),  # sizes have 64 bits, however small they are
        ("", "ceil(size / 512.0)", Severity.NOTE),
        ("int blocks_for(size_t size, int block);", "blocks_for(size, 512)", Severity.NOTE),
        ("int blocks_for(int size, int block);", "blocks_for(size, 512)", Severity.NOTE),
        ("int blocks_for(int size, int by) { return (size + by - 1) / by; }", "blocks_for(size, 512)", None),
    ],
)
def test_a_grid_that_is_made_of_an_int_has_no_more_threads(helper: str, blocks: str, severity: Severity | None) -> None:
    source = CLEAR.replace("HELPER", helper).replace("BLOCKS", blocks)
    assert [found.severity for found in findings(IndexOverflow, source)] == ([severity] if severity else [])


WHOLE = """
#include <cstdint>
__global__ void spread(int64_t count, const float *w, float *out, int channels, int groups) {
    const INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int channel = i % channels;
    out[i] = w[(int64_t)(i / channels) * groups + channel / (channels / groups)];
}
void run(const float *w, float *out, int batch, int pixels, int channels, int groups) {
    const int64_t count = (int64_t)batch * pixels * channels;
    spread<<<(count + 255) / 256, 256>>>(count, w, out, channels, groups);
}
"""


@pytest.mark.parametrize(("index", "bad"), [("int64_t", False), ("int", True)])
def test_what_is_left_of_a_number_in_64_bits_is_small(index: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, WHOLE.replace("INDEX", index))) is bad


SIZED = """
struct Rows { long long count; __host__ __device__ long long size() const; };
__global__ void clear(float *out, long long count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    out[i] = 0.0f;
}
void run(float *out, const Rows &rows) {
    const COUNT n = rows.size();
    clear<<<(n + 255) / 256, 256>>>(out, rows.size() PER_ROW);
}
"""


@pytest.mark.parametrize(
    ("count", "per_row", "bad"), [("int", " * 8", False), ("long long", " * channels", True), ("long long", "", False)]
)
def test_a_size_that_was_cut_before_it_made_a_grid(count: str, per_row: str, bad: bool) -> None:
    source = SIZED.replace("COUNT", count).replace(" PER_ROW", per_row).replace("&rows)", "&rows, int channels)")
    said = [one.severity for one in findings(IndexOverflow, source)]
    assert (Severity.WARNING in said) is bad


ROWS = """
__global__ void lengths(const ID *begin, int *length, long long rows) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x)
        length[i] = begin[i + NEXT] - begin[i];
}
"""


@pytest.mark.parametrize(("id_", "next_", "bad"), [("int", 1, False), ("long long", 1, True), ("int", 7, True)])
def test_rows_that_a_table_of_32_bits_begins_are_few(id_: str, next_: int, bad: bool) -> None:
    source = ROWS.replace("ID", id_).replace("NEXT", str(next_))
    assert (Severity.WARNING in [one.severity for one in findings(IndexOverflow, source)]) is bad


REST = """
__global__ void rows(const double *x, double *y, const int *begin, int n, int p, int k) {
    for (int t = threadIdx.x; t < n * p; t += blockDim.x) {
        const int row = t / p, column = t - row * p;
        y[(long long)(begin[blockIdx.x] + row) * p + column] = x[(long long)(begin[blockIdx.x] + k) * p + PLACE];
    }
}
"""


@pytest.mark.parametrize(("place", "bad"), [("column", False), ("(begin[k] + row) * p", True)])
def test_a_number_without_its_remainder_is_no_larger(place: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, REST.replace("PLACE", place))) is bad


LOSSES = """
__global__ void losses(float *out, const float *probs, const int *targets, int B, int T, int V) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T) {
        int b = i / T, t = i % T;
        const float *row = probs + b * T * V + t * V;
        out[i] = row[targets[i]];
    }
}
void run(float *out, const float *probs, const int *targets, int block) {
    const int B = 8, T = 1024, V = VOCABULARY;
    losses<<<(B * T + block - 1) / block, block>>>(out, probs, targets, B, T, V);
}
"""


@pytest.mark.parametrize(("vocabulary", "bad"), [("50257", False), ("502570", True)])
def test_a_quotient_of_an_index_is_no_larger_than_its_test_lets_it_be(vocabulary: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, LOSSES.replace("VOCABULARY", vocabulary))) is bad


ACCESSOR = """
#include <torch/extension.h>
struct Flat { float *p; long long n; __device__ long long size(int) const { return n; }
              __device__ float &operator[](long long i) const { return p[i]; } };
__global__ void twice(VIEW x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.size(0)) x[i] *= 2.0f;
}
"""


@pytest.mark.parametrize(
    ("view", "severity"), [("at::PackedTensorAccessor64<float, 1>", Severity.NOTE), ("Flat", Severity.WARNING)]
)
def test_sizes_of_tensors_have_64_bits_by_habit(view: str, severity: Severity) -> None:
    assert [one.severity for one in findings(IndexOverflow, ACCESSOR.replace("VIEW", view))] == [severity]


COUNTED_BY_HOST = """
__global__ void shade(float *out, const float *in, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 0.5f * in[y * w + x];
}
int run(float *to, int w, int h, size_t room) {
    unsigned char *in = nullptr;
    const KIND cells = (KIND)w * h;
    BEFORE
    shade<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(to, (float *)in, w, h);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("kind", "before", "severity"),
    [
        pytest.param("size_t", "if (cudaMalloc(&in, cells)) return 1;", Severity.NOTE, id="what cudaMalloc takes"),
        pytest.param("long long", "if (cudaMalloc(&in, cells)) return 1;", Severity.WARNING, id="on purpose"),
        pytest.param("size_t", "for (size_t i = 0; i < cells; ++i) to[i] = 0.0f;", Severity.NOTE, id="rounds"),
        pytest.param("size_t", "if (cells > room) return 1;", Severity.WARNING, id="a check of how much there is"),
    ],
)
def test_sizes_that_functions_take_have_64_bits_by_habit(kind: str, before: str, severity: Severity) -> None:
    code = COUNTED_BY_HOST.replace("KIND", kind).replace("BEFORE", before)
    assert {one.severity for one in findings(IndexOverflow, code)} == {severity}
