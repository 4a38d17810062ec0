"""Elements behind the last one that a thread has put into an array of its own."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL104")

MEDIAN = """\
__global__ void median(const float *in, float *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float v[26];
    int n = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                v[n++] = in[(y + dy) * width + x + dx];
    %s
    for (int i = 0; i < %s; ++i)
        for (int j = 0; j %s; ++j) {
            const float low = fminf(v[j], v[j + 1]), high = fmaxf(v[j], v[j + 1]);%s
            v[j] = low;
            v[j + 1] = high;
        }
    out[y * width + x] = v[n / 2];
}
"""


@pytest.mark.parametrize(
    ("before", "rounds", "test", "mark"),
    [
        ("", "n", "< n - i", " // bad"),
        ("", "n", "!= n - i", " // bad"),
        ("", "n - 1", "< n", " // bad"),
        ("", "n", "< n - i - 1", ""),
        ("", "n", "< n - 1", ""),
        ("", "n - 1", "+ 1 < n - i", ""),
        ("v[n] = 1e30f;", "n", "< n - i", ""),
        ("for (int k = n; k < 26; ++k) v[k] = 1e30f;", "n", "< n - i", ""),
    ],
)
def test_a_sort_compares_with_what_is_not_there(before, rounds, test, mark):
    assert_marked(RULE, MEDIAN % (before, rounds, test, mark))


@pytest.mark.parametrize(("last", "mark"), [("k <= n", " // bad"), ("k < n", "")])
def test_a_walk_over_a_list_goes_one_too_far(last, mark):
    assert_marked(
        RULE,
        f"""\
__global__ void nearest(const float3 *p, float *out, int count, float far) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int near[32], n = 0;
    for (int k = 0; k < count && n < 32; ++k)
        if (fabsf(p[k].x - p[i].x) < far) near[n++] = k;
    float sum = 0;
    for (int k = 0; {last}; ++k) sum += p[near[k]].y;{mark}
    out[i] = sum;
}}
""",
    )
