"""Slots of counters that wrap: ``atomicInc`` hands out its bound as well."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

BUCKETS = """
#define DEPTH 20u
__global__ void sort_in(const unsigned *keys, int n, unsigned *fill, int *rows, unsigned depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bucket = keys[i] & 63;
  unsigned slot = atomicInc(fill + bucket, %(most)s);
  %(test)srows[bucket * %(pitch)s + slot] = i;
}
"""


@pytest.mark.parametrize(
    ("most", "test", "pitch", "wrong"),
    [
        ("DEPTH", "", "DEPTH", True),
        ("DEPTH - 1", "", "DEPTH", False),
        ("DEPTH", "if (slot < DEPTH) ", "DEPTH", False),
        ("depth", "", "depth", True),
        ("depth - 1", "", "depth", False),
        ("0xffffffffu", "", "DEPTH", True),  # it counts on
        ("DEPTH", "", "(DEPTH + 1)", False),
    ],
)
def test_rows(most: str, test: str, pitch: str, wrong: bool) -> None:
    code = BUCKETS % {"most": most, "test": test, "pitch": pitch}
    assert codes(code) == (["KL104"] if wrong else [])


RING = """
__global__ void note(const float *v, int n, float *out) {
  __shared__ float ring[32];
  __shared__ unsigned head;
  if (threadIdx.x == 0) head = 0;
  if (threadIdx.x < 32) ring[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (v[i] > 0) atomicAdd(&ring[atomicInc(&head, %s)], v[i]);
  __syncthreads();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = ring[threadIdx.x];
}
"""


@pytest.mark.parametrize(("most", "wrong"), [("32", True), ("31", False)])
def test_rings_in_shared_memory(most: str, wrong: bool) -> None:
    assert codes(RING % most) == (["KL104"] if wrong else [])
