"""Copies of what nobody has written, into memory that nobody looks at."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.finding import Severity
from tests.rules.marked import findings

TIMED = """
#include <cstdio>
__global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }
double seconds();
void show(const float *x);
void run(float *other) {
    float *host = 0, *device = 0;
    cudaMalloc(&device, 4096);
    cudaMallocHost(&host, 4096);
    if (!host) return;
    double begun = seconds();
    for (int i = 0; i < 100; ++i) cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
    printf("%f", seconds() - begun);
    USE
    cudaFree(device);
    cudaFreeHost(host);
}
"""


@pytest.mark.parametrize(
    ("use", "level"),
    [
        ("", Severity.NOTE),
        ("host = 0;", Severity.NOTE),
        ("show(host);", Severity.WARNING),
        ('printf("%f", host[3]);', Severity.WARNING),
        ("cudaMemcpy(other, host, 4096, cudaMemcpyHostToDevice);", Severity.WARNING),
    ],
)
def test_copies_that_are_timed(use: str, level: Severity) -> None:
    found = findings(WrongCopyDirection, TIMED.replace("USE", use))
    assert [one.severity for one in found] == [level]
