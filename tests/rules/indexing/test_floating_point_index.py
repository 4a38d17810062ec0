"""Coordinates and values that become cells are no row numbers in floats."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

CASES = {
    "the image of a box, tested before a pointer goes on to its plane": """
__global__ void boxes(const float *maps, const float *box, float *out, int images, int channels, int size, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    box += i * 5;
    int image = (int)box[0];
    float most = 0.0f;
    if (image >= 0 && image < images) {
        const float *plane = maps + (size_t)(image * channels) * size;
        for (int k = 0; k < size; ++k) most = fmaxf(most, plane[k]);
    }
    out[i] = most;
}
""",
    "two coordinates make a cell, a value its bin": """
__global__ void cells(const float *px, const float *py, const float *e, int *mark, int *bins, int across, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    mark[(int)py[i] * across + (int)px[i]] = 1;
    atomicAdd(&bins[(int)e[i]], 1);
}
""",
    "a place between two knots": """
__global__ void lookup(const float *x, const float *table, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = (int)x[i];
    float t = x[i] - k;
    out[i] = table[k] * (1 - t) + table[k + 1] * t;
}
""",
    "a row number": """
__global__ void rows(const float *which, const float *table, float *out, int width) {
    out[blockIdx.x * width + threadIdx.x] = table[(int)which[blockIdx.x] * width + threadIdx.x];  // bad
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(FloatingPointIndex, CASES[name])


SLABS = """
__global__ void k(const float *ids, const float *in, float *out, int gates, int plane, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int source = (int)ids[i];
  out[i] = in[%s + i];
}
"""


@pytest.mark.parametrize(
    ("place", "severity"),
    [
        ("source * gates * plane", Severity.NOTE),  # memory does not hold so many
        ("source * plane", Severity.WARNING),
        ("source + gates * plane", Severity.WARNING),
    ],
)
def test_numbers_of_slabs(place: str, severity: Severity) -> None:
    assert [f.severity for f in findings(FloatingPointIndex, SLABS % place)] == [severity]


PACKED = """
__global__ void k(const %s *hits, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[(int)%s];
}
"""


@pytest.mark.parametrize(
    ("kind", "read", "severity"),
    [("float2", "hits[i].x", Severity.NOTE), ("float", "hits[i]", Severity.WARNING)],
)
def test_numbers_packed_beside_others(kind: str, read: str, severity: Severity) -> None:
    assert [f.severity for f in findings(FloatingPointIndex, PACKED % (kind, read))] == [severity]


VOLUME = """
__global__ void raised(const float *range, const int *size, float *cells, int pitch) {
  int z = blockIdx.x, y = threadIdx.x;
  for (int x = range[0]; x < size[0]; ++x) cells[%s] += 1.0f;
}
"""


@pytest.mark.parametrize(
    ("place", "severity"),
    [
        ("z * size[0] * size[1] + y * size[0] + x", Severity.NOTE),  # a row of a volume has no 2**24 cells
        ("z * pitch + x", Severity.WARNING),
    ],
)
def test_coordinates_in_a_row_of_a_volume(place: str, severity: Severity) -> None:
    assert [f.severity for f in findings(FloatingPointIndex, VOLUME % place)] == [severity]
