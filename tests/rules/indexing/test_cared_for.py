"""Products in 32 bits in kernels that show care with others, and what it takes to be held against them."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import findings


def severities(code: str, language: str = "cuda") -> list[Severity]:
    return [one.severity for one in findings(IndexOverflow, code, language)]


PAGES = """
__global__ void pages(unsigned *words, const unsigned *seeds) {{
    unsigned *page = words + {page} * 4096 * 256;
    const unsigned *seed = seeds + {seed} * {lanes};
    for (unsigned k = threadIdx.x; k < {lanes}; k += blockDim.x) page[k * 256] = seed[k];
}}
"""


@pytest.mark.parametrize(
    ("page", "seed", "lanes", "told"),
    [
        ("blockIdx.x", "(size_t)blockIdx.x", 4096, True),
        ("(size_t)blockIdx.x", "(size_t)blockIdx.x", 4096, False),
        ("blockIdx.x", "blockIdx.x", 4096, False),
        ("blockIdx.x", "(size_t)blockIdx.x", 4096 * 512, False),
    ],
)
def test_a_larger_multiple_of_the_block_than_one_that_is_widened(page: str, seed: str, lanes: int, told: bool) -> None:
    assert severities(PAGES.format(page=page, seed=seed, lanes=lanes)) == [Severity.WARNING] * told


ROWS = """
__global__ void rows(const float *table, const long long *ids, float *out, int n, int width) {{
    {kind} i = ({kind})blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ({kind})n * width) out[i] = table[ids[i / width] * width + i % width];
}}
void run(const float *table, const long long *ids, float *out, {host} n, {host} width) {{
    const {host} total = n * width;
    rows<<<(total + 255) / 256, 256>>>(table, ids, out, (int)n, (int)width);
}}
"""


@pytest.mark.parametrize(
    ("kind", "host", "told"), [("int", "long long", True), ("long long", "long long", False), ("int", "int", False)]
)
def test_a_bound_that_has_wrapped_itself_is_none(kind: str, host: str, told: bool) -> None:
    assert severities(ROWS.format(kind=kind, host=host)) == [Severity.WARNING] * told


@pytest.mark.parametrize(
    ("count", "told"), [("(long long)n * c * h * w", True), ("n * c * h * w", False), ("(long long)n", False)]
)
def test_a_count_that_the_kernel_multiplies_in_64_bits(count: str, told: bool) -> None:
    code = f"""
__global__ void all(float *x, int n, int c, int h, int w) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < {count}) x[i] *= 2.0f;
}}
"""
    assert severities(code) == [Severity.WARNING] * told


@pytest.mark.parametrize(
    ("out", "care", "told"),
    [
        ("(size_t)(i * m + j)", "(size_t)", True),
        ("(size_t)i * m + j", "(size_t)", False),
        ("i * m + j", "(size_t)", False),
        ("(size_t)(i * m + j)", "", False),
        ("(size_t)(i * 3 + 1)", "(size_t)", False),
    ],
)
def test_a_sum_that_is_converted_when_it_is_done(out: str, care: str, told: bool) -> None:
    code = f"""
__global__ void pairs(const float *a, const float *b, float *out, unsigned n, unsigned m, unsigned dim) {{
    const unsigned i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= m) return;
    float sum = 0.0f;
    for (unsigned k = 0; k < dim; ++k) sum += a[{care}i * dim + k] * b[{care}j * dim + k];
    out[{out}] = sum;
}}
"""
    assert severities(code) == [Severity.WARNING] * told


VOLUMES = """
inline ulong voxel(uint x, uint y, uint z, uint w, uint h) {{ return (({care})z * h + y) * w + x; }}
__kernel void nearest(__global const short *src, __global short *dst, uint w, uint h, uint ow, uint oh, uint od) {{
    const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= ow || y >= oh || z >= od) return;
    const ulong o = {place};
    dst[o] = src[voxel(x / 2, y / 2, z / 2, w, h)];
}}
"""


@pytest.mark.parametrize(
    ("care", "place", "told"),
    [
        ("ulong", "z * oh * ow + y * ow + x", True),
        ("ulong", "((ulong)z * oh + y) * ow + x", False),
        ("uint", "z * oh * ow + y * ow + x", False),
    ],
)
def test_volumes_without_a_sign(care: str, place: str, told: bool) -> None:
    assert severities(VOLUMES.format(care=care, place=place), "opencl") == [Severity.WARNING] * told


@pytest.mark.parametrize(("care", "told"), [("", True), ("(size_t)", False)])
def test_the_volumes_of_a_batch_and_a_pointer_that_loops_in_loops_move_on(care: str, told: bool) -> None:
    code = f"""
__global__ void unfold(const float *image, float *columns, int channels, int h, int w, int kh, int kw) {{
    const int b = blockIdx.z, plane = h * w, at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= plane) return;
    float *to = columns + (size_t)b * channels * kh * kw * plane + at;
    const float *from = image + {care}b * channels * h * w;
    for (int c = 0; c < channels; ++c)
        for (int i = 0; i < kh; ++i)
            for (int j = 0; j < kw; ++j) {{
                *to = from[c * plane + (at + i + j) % plane];
                to += plane;
            }}
}}
"""
    assert severities(code) == [Severity.WARNING] * told


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("((size_t)blockIdx.x * items + item) * (words + 1)", False),
        ("((size_t)blockIdx.x * items + item) * words + blockIdx.x", False),
        ("(size_t)blockIdx.x * items + item", True),
        ("(size_t)blockIdx.x * items", True),
    ],
)
def test_a_number_of_items_is_widened_for_the_words_that_each_has(place: str, told: bool) -> None:
    code = f"""
__global__ void sums(const float *table, float *out, int items, int words) {{
    const int item = blockIdx.y;
    if (item >= items) return;
    float *to = out + {place};
    to[threadIdx.x] = table[item * items + threadIdx.x];
}}
"""
    assert severities(code) == [Severity.WARNING] * told


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("((size_t)blockIdx.y * steps + step) * states + state", False),
        ("(size_t)step * states + state", True),
    ],
)
def test_rows_of_one_sequence_are_no_rows_of_all(place: str, told: bool) -> None:
    code = f"""
__global__ void walk(const float *scores, float *best, int steps, int states) {{
    const int state = threadIdx.x;
    float *own = best + (size_t)blockIdx.y * steps * states;
    for (int step = 1; step < steps; ++step) {{
        own[step * states + state] = own[(step - 1) * states + state] + scores[{place}];
        __syncthreads();
    }}
}}
"""
    assert severities(code) == [Severity.WARNING] * 2 * told


@pytest.mark.parametrize(("care", "told"), [("", True), ("(long long)", False)])
def test_the_rows_of_all_sequences_are_widened_for_one_that_has_as_many(care: str, told: bool) -> None:
    code = f"""
__global__ void heads(const float *scores, const int *names, float *out, int steps, int states) {{
    const int b = blockIdx.y, step = blockIdx.x;
    out[((long long)b * steps + step) * states] = scores[names[b * (states - 1)]];
    out[((long long)b * steps + step) * states + 1] = scores[{care}b * steps * states + 1];
}}
"""
    assert severities(code) == [Severity.WARNING] * told
