"""Vectors that a host launches only for sizes which are whole numbers of them."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL102")

VECTORS = """\
__global__ void add(float *x, const float *y, int n) {
    int at = blockIdx.x * 1024 + threadIdx.x * 4;
    if (at >= n) return;
    float4 v = *(const float4 *)(y + at);%s
    float4 *p = (float4 *)(x + at);
    p->x += v.x;
    p->y += v.y;%s
}
void run(float *x, const float *y, int n) {
    %s {
        add<<<(n + 1023) / 1024, 256>>>(x, y, n);
    }
}
"""


@pytest.mark.parametrize("test", ["if (n % 4 == 0)", "if (n > 9 && n % 8 == 0)"])
def test_a_size_that_the_host_tests_to_be_a_multiple_has_no_last_part(test):
    assert_marked(RULE, VECTORS % ("", "", test))


@pytest.mark.parametrize("test", ["if (n > 9)", "if (n % 2 == 0)"])
def test_another_size_has(test):
    assert_marked(RULE, VECTORS % (" // bad", " // bad", test))
