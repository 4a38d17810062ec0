"""Shared memory of device functions that no kernel in sight calls."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import findings

CODE = """
struct Held {
    __device__ float first(int i) { DECLARED return held[i]; }
};
"""


@pytest.mark.parametrize(
    ("declared", "told"), [("extern __shared__ float held[];", False), ("__shared__ float held[32];", True)]
)
def test_callers_share_dynamic_memory_alone(declared: str, told: bool) -> None:
    assert bool(findings(UninitialisedSharedMemory, CODE.replace("DECLARED", declared))) is told
