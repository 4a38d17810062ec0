"""What was not understood costs what it touches: the rest of the kernel keeps its findings."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

HEAD = """
#include "away.h"
__device__ float sum(float v, float *buffer);
__device__ float sum_and_sync(float v, float *buffer);
__global__ void k(float *x, int n) {
    __shared__ float s[256], t[256];
"""

CASES = {
    "a lost statement after the race": """
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[255 - threadIdx.x]; // bad
    odd<3> z = {}; z.turn(= 3);
}
""",
    "a lost statement that sends nobody away": """
    odd<3> z = {}; z.turn(= 3);
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[255 - threadIdx.x]; // bad
}
""",
    "a lost statement that threads may leave by": """
    { odd<3> z = {}; if (z.turn(= 3)) return; }
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[255 - threadIdx.x];
}
""",
    "a lost statement that may leave the loop around": """
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == 0) s[i] = x[threadIdx.x];
        if (threadIdx.x == 128) s[i] = x[threadIdx.x];
        { odd<3> z = {}; if (z.turn(= 3)) break; }
    }
}
""",
    "a lost statement that may change the index": """
    int at = threadIdx.x;
    odd<3> z = {}; z.turn(= 3, at);
    s[at / 2] = x[threadIdx.x];
}
""",
    "a lost statement that may be a barrier": """
    s[threadIdx.x] = x[threadIdx.x];
    odd<3> z = {}; z.sync(= 3);
    x[threadIdx.x] = s[255 - threadIdx.x];
}
""",
    "a call given the array": """
    s[threadIdx.x] = x[threadIdx.x];
    float v = sum(x[threadIdx.x], s);
    x[threadIdx.x] = v + s[255 - threadIdx.x];
}
""",
    "a call that may be a barrier by its name": """
    s[threadIdx.x] = x[threadIdx.x];
    float v = sum_and_sync(x[threadIdx.x], t);
    x[threadIdx.x] = v + s[255 - threadIdx.x];
}
""",
    "the phase after such a call": """
    float v = sum_and_sync(x[threadIdx.x], t);
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = v + s[255 - threadIdx.x]; // bad
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_races_beside_gaps(name: str) -> None:
    assert_marked(SharedMemoryRace, HEAD + CASES[name])


def test_calls_given_another_array() -> None:
    text = """
    s[threadIdx.x] = x[threadIdx.x];
    float v = sum(x[threadIdx.x], t);
    x[threadIdx.x] = v + s[255 - threadIdx.x]; // bad
}
void run(float *x) { k<<<1, 256>>>(x, 1); }
"""
    assert_marked(SharedMemoryRace, HEAD + text)
    (found,) = findings(SharedMemoryRace, HEAD + text)
    assert found.severity is Severity.WARNING
    assert "sum, which is not in sight, holds no barrier" in found.assumptions


def test_guards_can_be_lost_only_before() -> None:
    lost = "odd<3> z = {}; z.turn(= 3);"
    first = "    x[0] = s[300]; // bad\n"
    loop = "    for (int i = 0; i < n; ++i) { x[i] = s[300]; " + lost + " }\n"
    assert_marked(ArrayIndexOutOfRange, HEAD + first + lost + "\n}")
    assert not findings(ArrayIndexOutOfRange, HEAD + lost + first + "}")
    assert not findings(ArrayIndexOutOfRange, HEAD + loop + "}")
