"""Names that nobody declares are constants where they are spelled so; others may differ from thread to thread."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

GATHER = """
kernel void gather(global const float *in, global float *out, int n) {
    const int place = placeOf(get_group_id(0))
    float sum = 0;
    for (int i = 0; i < n; i++) sum += in[get_group_id(0) * n + i];
    if (get_local_id(0) == 0) out[PLACE] = sum;
}
"""


@pytest.mark.parametrize(
    ("place", "bad"), [("outPlane", False), ("plane", False), ("OUT_PLANE", True), ("gPlane", True), ("7", True)]
)
def test_places(place: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, GATHER.replace("PLACE", place), "opencl")) is bad
