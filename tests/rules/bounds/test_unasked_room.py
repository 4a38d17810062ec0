"""Arrays whose room the kernel is told and does not ask for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

GATHER = """
struct Settings { int most_items; int most_cells; };
__global__ void gather(const float *value, const int *rank, const int *first, float *out, int items, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items || first[i] == 0) return;
    int cell = rank[i] - 1;
    TEST out[cell] = value[i];
}
class Cells {
public:
    explicit Cells(const Settings &settings) : settings_(settings) {
        cudaMalloc(&out_, ALLOCATED * sizeof(float));
    }
    ~Cells() { cudaFree(out_); }
    void run(const float *value, const int *rank, const int *first, int items) {
        if (items > 0) gather<<<(items + 127) / 128, 128>>>(value, rank, first, out_, items, PASSED);
    }
private:
    Settings settings_;
    float *out_ = nullptr;
};
"""


@pytest.mark.parametrize(
    ("allocated", "passed", "test", "bad"),
    [
        ("settings_.most_cells", "settings_.most_cells", "", True),
        ("settings_.most_cells", "settings_.most_cells", "if (cell < cells)", False),
        ("settings_.most_items", "settings_.most_cells", "", False),
        ("settings_.most_cells", "items", "", False),
    ],
)
def test_the_room_is_passed_and_put_to_no_use(allocated: str, passed: str, test: str, bad: bool) -> None:
    source = GATHER.replace("ALLOCATED", allocated).replace("PASSED", passed).replace("TEST", test)
    assert bool([f for f in findings(MissingBoundsGuard, source) if "room" in f.message]) is bad
