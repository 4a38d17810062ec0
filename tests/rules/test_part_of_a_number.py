"""Copies from one number to another that move fewer bytes than a number has."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

CODE = """
struct Ends { long long first, last; };
__constant__ long long tick;
__device__ double total;
__device__ short table[8];
__constant__ Ends both;
void run(long long now, int n, double *sum, const long long *found, const int *few, const char *raw, const Ends &e) {
    long long got = 0;
    CALL;
    *sum += got;
}
"""


def _told(call: str) -> bool:
    return any("of a number of" in one.message for one in findings(ByteCountMismatch, CODE.replace("CALL", call)))


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemcpyToSymbol(tick, &now, sizeof(int))",
        "cudaMemcpyFromSymbol(sum, total, sizeof(float))",
        "cudaMemcpy(&got, found, sizeof(int), cudaMemcpyDeviceToHost)",
        "cudaMemcpyAsync(&got, found + n, 4, cudaMemcpyDeviceToHost, 0)",
    ],
)
def test_a_part_of_a_number(call: str) -> None:
    assert _told(call)


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemcpyToSymbol(tick, &now, sizeof(long long))",
        "cudaMemcpyToSymbol(tick, &n, sizeof(int))",  # of a smaller number, into the lower half
        "cudaMemcpyToSymbol(both, &e, sizeof(long long))",
        "cudaMemcpyToSymbol(table, &n, sizeof(short))",
        "cudaMemcpy(&got, few, sizeof(int), cudaMemcpyDeviceToHost)",
        "cudaMemcpy(&got, raw, sizeof(int), cudaMemcpyDeviceToHost)",
        "cudaMemcpy((int *)&got, found, sizeof(int), cudaMemcpyDeviceToHost)",
        "cudaMemcpy(&got, found, n * sizeof(long long), cudaMemcpyDeviceToHost)",
    ],
)
def test_whole_numbers_and_what_is_none(call: str) -> None:
    assert not _told(call)
