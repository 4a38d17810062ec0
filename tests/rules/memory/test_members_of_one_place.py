"""Members of a union share their bytes: what is stored as one may be read as the other."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import findings

KERNEL = """
template <typename T> struct Packed {
    KIND Both { unsigned long long whole; T parts[2]; };
    Both data;
    __device__ void put(unsigned long long *to, int at) const { to[at] = data.whole; }
};
__global__ void pack(unsigned long long *to, const float *from) {
    Packed<float> packed;
    for (int i = 0; i < 2; ++i) packed.data.parts[i] = from[threadIdx.x * 2 + i];
    packed.put(to, threadIdx.x);
}
"""


@pytest.mark.parametrize(("kind", "bad"), [("union", False), ("struct", True)])
def test_stored_in_parts_and_read_whole(kind: str, bad: bool) -> None:
    assert bool(findings(UninitialisedPrivate, KERNEL.replace("KIND", kind))) is bad


def test_nothing_is_stored_in_any_member() -> None:
    lines = [line for line in KERNEL.replace("KIND", "union").splitlines() if "parts[i]" not in line]
    assert findings(UninitialisedPrivate, "\n".join(lines))
