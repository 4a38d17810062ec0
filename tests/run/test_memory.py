"""What is remembered of terms goes with their files."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from kernlint.analysis.trace.events import LoopContext
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run import engine, memory

KERNEL = """__global__ void sums(const float *x, float *y, int n) {
    __shared__ float part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
"""


def test_nothing_of_a_file_that_is_done_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = load()
    checker = engine.Engine(registry, Selection(registry, Config()))
    checker._settled = True  # what is frozen would not be looked at
    source = tmp_path / "sums.cu"
    source.write_text(KERNEL)
    memory.let_go()
    before = sum(isinstance(each, LoopContext) for each in gc.get_objects())
    monkeypatch.setattr(engine, "COLLECT", 0)
    outcome = checker.check_file(str(source), checker.selection)
    assert outcome.kernels == 1 and not outcome.results
    assert sum(isinstance(each, LoopContext) for each in gc.get_objects()) <= before
    assert all(cache.cache_info().currsize == 0 for cache in memory.caches())
