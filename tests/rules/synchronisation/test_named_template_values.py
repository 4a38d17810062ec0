"""What a call names for template parameters is what the callee is read with, in a template that no type in sight
fits, too."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

TURNED = """
template <class T, int way, bool anew>
__device__ void step(const T *in, int *out, int i) {
    if (anew) {
        if (way == 1) {
            out[i] = in[i].weight();
        } else {
            __shared__ int part[64];
            part[threadIdx.x] = in[i].weight();
            out[i] = part[63 - threadIdx.x];
        }
    } else {
        out[i] += in[i].weight();
    }
}

template <class T, int way, bool anew>
__device__ void rows(const T *in, int *out, int i) { step<T, way, anew>(in, out, i); }

template <class T>
__global__ __launch_bounds__(64) void run(const T *in, int *out, int n) {
    const bool anew = ANEW;
    rows<T, WAY, anew>(in, out, blockIdx.x * 64 + threadIdx.x);
}
"""


@pytest.mark.parametrize(
    ("anew", "way", "races"), [("true", "0", True), ("true", "1", False), ("false", "0", False), ("false", "1", False)]
)
def test_numbers_of_a_call(anew: str, way: str, races: bool) -> None:
    assert bool(findings(SharedMemoryRace, TURNED.replace("ANEW", anew).replace("WAY", way))) is races
