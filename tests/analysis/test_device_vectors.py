"""Memory of vectors on the device, which kernels get as plain pointers."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

CODE = """
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
__global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
void run(const thrust::host_vector<float> &h, const float *a, int n) {
    MADE
    add<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), GIVEN, n);
}
"""

CAST = "thrust::raw_pointer_cast(y.data())"

CASES = {
    "of a length": ("thrust::device_vector<float> x(n), y(ROOM);", CAST),
    "of a pair of pointers": ("thrust::device_vector<float> x(n), y(a, a + ROOM);", CAST),
    "of a pair of iterators": ("thrust::device_vector<float> x(n), z(ROOM), y(z.begin(), z.end());", CAST),
    "with a value": ("thrust::device_vector<float> x(n, 1.0f), y(ROOM, 0.0f);", CAST),
    "a copy of another": ("thrust::device_vector<float> x(n), z(ROOM), y(z);", CAST),
    "as the pointer's method gives it": ("thrust::device_vector<float> x(n), y(ROOM);", "y.data().get()"),
    "kept in between": (
        "thrust::device_vector<float> x(n), y(ROOM); thrust::device_ptr<float> p = y.data();",
        "thrust::raw_pointer_cast(p)",
    ),
    "of the first element": ("thrust::device_vector<float> x(n), y(ROOM);", "thrust::raw_pointer_cast(&y[0])"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("room", "bad"), [("n / 2", True), ("n", False), ("2 * n", False)])
def test_the_kernel_gets_as_much_as_the_vector_has(case: str, room: str, bad: bool) -> None:
    made, given = CASES[case]
    found = findings(CODE.replace("MADE", made.replace("ROOM", room)).replace("GIVEN", given))
    assert [one.rule for one in found] == (["wrong-bounds-guard"] if bad else [])


@pytest.mark.parametrize(
    "grown", ["y.resize(n);", "y.assign(h.begin(), h.end());", "y = h;", "y.insert(y.end(), n, 0.0f);"]
)
def test_a_vector_that_has_changed_is_another(grown: str) -> None:
    made = f"thrust::device_vector<float> x(n), y(n / 2); {grown}"
    assert not findings(CODE.replace("MADE", made).replace("GIVEN", CAST))
