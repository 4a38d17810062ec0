"""Which launches are believed of a kernel, and what speaks for each."""

from __future__ import annotations

import pytest

from kernlint.analysis.base import AnalysisOptions, Facts, ModuleFacts
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Provenance, Scenario
from kernlint.frontends.base import FrontendOptions
from kernlint.run.engine import default_frontend
from kernlint.source import SourceFile

KERNEL = """
__global__ void scale(float *v, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= by;
}
"""


def believed(code: str, block: tuple[int, int, int] | None = None, name: str = "k.cu") -> tuple[Scenario, ...]:
    module = default_frontend().parse_file(SourceFile(name, code.encode()), FrontendOptions())[0]
    return Facts(ModuleFacts(module, AnalysisOptions(block=block)), module.kernels[0])[scenarios].plausible


def test_numbers_of_a_launch_in_sight() -> None:
    (one,) = believed(KERNEL + "void run(float *v) { scale<<<dim3(4), dim3(192)>>>(v, 700, 2.0f); }")
    assert one.provenance is Provenance.LAUNCHED
    assert (one.block, one.grid) == ((192, 1, 1), (4, 1, 1))
    assert [(symbol.name, value) for symbol, value in one.values] == [("n", 700)]
    assert one.launch().known().items() >= dict(one.values).items()


def test_an_argument_that_is_no_number_stays_open() -> None:
    (one,) = believed(KERNEL + "void run(float *v, int n) { scale<<<dim3(4), dim3(192)>>>(v, n, 2.0f); }")
    assert one.values == ()


@pytest.mark.parametrize(
    ("code", "block", "provenance"),
    [
        (KERNEL, (64, 1, 1), Provenance.STATED),
        (KERNEL, None, Provenance.GUESSED),
        (KERNEL.replace("blockDim.x", "96"), None, Provenance.INFERRED),
    ],
)
def test_what_speaks_for_a_scenario(code: str, block: tuple[int, int, int] | None, provenance: Provenance) -> None:
    (one,) = believed(code, block)
    assert one.provenance is provenance
    assert one.seen == (provenance is Provenance.STATED)
    assert one.block == (block or (96 if provenance is Provenance.INFERRED else 128, 1, 1))


PARTS = """
__global__ void relax(float *x, const float *a, int n, int rounds) {
  extern __shared__ float held[];
  float *now = held, *next = held + 2 * n;
  now[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    next[threadIdx.x] = a[threadIdx.x] * now[threadIdx.x];
    __syncthreads();
  }
  x[threadIdx.x] = next[threadIdx.x];
}
"""


def test_where_a_part_of_an_array_begins_is_no_word_on_the_block() -> None:
    (one,) = believed(PARTS)
    assert one.threads == 128
    (one,) = believed(PARTS.replace("held + 2 * n", "held + 64 * (threadIdx.x / 64)"))
    assert one.threads >= 64
