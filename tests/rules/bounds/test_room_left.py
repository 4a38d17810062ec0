"""Runs of elements at one cursor, of which one is tested against the room that is left."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

UNPACK = """
#define WINDOW 1024
__global__ void unpack(const unsigned char *codes, const int *start, unsigned char *pixels) {
    __shared__ unsigned char row[WINDOW];
    const int end = start[blockIdx.x + 1];
    int at = start[blockIdx.x], have = 0;
    while (at + 2 < end) {
        const int plainly = codes[at] | codes[at + 1] << 8;
        FIRST
        for (int i = threadIdx.x; i < plainly; i += blockDim.x) row[have + i] = codes[at + 2 + i];
        have += plainly;
        at += 2 + plainly;
        if (at + 3 > end) break;
        const int again = SECOND;
        TEST
        for (int i = threadIdx.x; i < again; i += blockDim.x) row[have + i] = codes[at + 2];
        have += again;
        at += 3;
        __syncthreads();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WINDOW; i += blockDim.x) pixels[blockIdx.x * WINDOW + i] = row[i];
}
"""

LONG = "codes[at] | codes[at + 1] << 8"
ROOM = "if (plainly > WINDOW - have) break;"


@pytest.mark.parametrize(
    ("first", "second", "test", "bad"),
    [
        (ROOM, LONG, "", True),
        ("if (have + plainly > WINDOW) break;", LONG, "", True),
        (ROOM, LONG, "if (again > WINDOW - have) break;", False),
        (ROOM, LONG, "if (have + again > WINDOW) break;", False),
        (ROOM, LONG, "if (again > 16) break;", False),
        (ROOM, "min(codes[at] | codes[at + 1] << 8, WINDOW - have)", "", False),
        ("", "min(codes[at] | codes[at + 1] << 8, WINDOW - have)", "", True),
        (ROOM, "codes[at] & 15", "", False),  # how many there are is known to somebody else
        ("", LONG, "", False),
    ],
)
def test_copies_of_a_stream(first: str, second: str, test: str, bad: bool) -> None:
    found = findings(
        ArrayIndexOutOfRange, UNPACK.replace("FIRST", first).replace("SECOND", second).replace("TEST", test)
    )
    assert bool(found) is bad, [one.message for one in found]


INFLATE = """
#define CELLS 256
__kernel void inflate(__global const uchar *code, __global const int *start, __global uchar *out, const int rows) {
    const int r = get_global_id(0);
    if (r >= rows) return;
    uchar line[CELLS];
    int at = start[r], have = 0, broken = 0;
    const int end = start[r + 1];
    while (at + 2 < end && !broken) {
        const int literal = code[at++];
        for (int i = 0; i < literal && at < end; ++i) {
            TEST
            line[have++] = code[at++];
        }
        if (broken || at >= end) break;
        int again = code[at++] & 7;
        if (again == 7 && at < end) again += code[at++];
        ROOM
        for (int i = 0; i < again + 2; ++i) { line[have] = line[0]; have++; }
        WRAP
    }
    for (int i = 0; i < CELLS; ++i) out[r * CELLS + i] = line[i];
}
"""

EACH = "if (have >= CELLS) { broken = 1; break; }"


@pytest.mark.parametrize(
    ("test", "room", "wrap", "bad"),
    [
        (EACH, "", "", True),
        (EACH, "if (again + 2 > CELLS - have) break;", "", False),
        (EACH, "again = min(again, CELLS - 2 - have);", "", False),
        (EACH, "", "if (have > CELLS / 2) have = 0;", False),
        ("", "", "", False),
    ],
)
def test_a_run_beside_one_that_is_tested_in_each_round(test: str, room: str, wrap: str, bad: bool) -> None:
    code = INFLATE.replace("TEST", test).replace("ROOM", room).replace("WRAP", wrap)
    found = findings(ArrayIndexOutOfRange, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]
