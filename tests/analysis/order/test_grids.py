"""A wait for the grid ahead that a macro makes on another architecture than the source is read for."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import read

KERNELS = """
#include <cuda_runtime.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define AWAIT_GRID_AHEAD() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define AWAIT_GRID_AHEAD()
#endif
__global__ void window(const float *signal, float *windowed, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        windowed[i] = signal[i] * (0.5f - 0.5f * cospif(2.0f * i / n));
}
__global__ void power(const float *windowed, float *spectrum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    WAIT
    if (i < n)
        spectrum[i] = windowed[i] * windowed[i];
}
void run(const float *signal, float *windowed, float *spectrum, int n, cudaStream_t stream)
{
    window<<<(n + 127) / 128, 128, 0, stream>>>(signal, windowed, n);
    cudaLaunchAttribute early[1];
    early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = (n + 127) / 128;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, power, (const float *)windowed, spectrum, n);
}
"""


@pytest.mark.parametrize(("wait", "early"), [("AWAIT_GRID_AHEAD();", False), ("", True)])
def test_a_macro_waits(tmp_path: Path, wait: str, early: bool) -> None:
    path = tmp_path / "spectrum.cu"
    path.write_text(KERNELS.replace("WAIT\n", wait + "\n"))
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(read(str(path)), selection)
    assert [result.finding.rule for result in outcome.results] == ["missing-grid-dependency-wait"] * early
