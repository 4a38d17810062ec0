"""Guards that are missing, late or wrong: the thread that gets past the size is shown, and what the user says of
launches takes the finding away where no thread does."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding, Witness
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile


def findings(code: str, *assume: str, select: str = "KL1") -> list[Finding]:
    selection = Selection(load(), Config(select=(select,), assume=assume))
    outcome = Engine(load(), selection).check_source(SourceFile("k.cu", code.encode()), selection)
    assert not [note for note in outcome.notifications if note.level.value == "error"], outcome.notifications
    return [result.finding for result in outcome.results]


def shown(code: str, rule: str, *assume: str) -> Witness:
    [found] = findings(code, *assume)
    assert found.code == rule and found.witness is not None, found
    return found.witness


def place(witness: Witness, axis: int = 0) -> int:
    """The global index along an axis of the thread that is shown."""
    step = witness.steps[0]
    return step.block[axis] * witness.block[axis] + step.thread[axis]


UNTESTED = """
__global__ void scale(float *x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= f;
}
"""


def test_a_size_that_is_never_tested() -> None:
    witness = shown(UNTESTED, "KL101")
    n = dict(witness.values)["n"]
    assert n > 0 and place(witness) >= n and witness.steps[0].index == place(witness)


LATE = """
__global__ void gather(const int *slot, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = slot[i];
  if (i >= n) return;
  out[i] = in[s];
}
"""


def test_a_test_that_comes_too_late() -> None:
    witness = shown(LATE, "KL103")
    assert witness.steps[0].index == place(witness) >= dict(witness.values)["n"]


TWO = """
__global__ void darken(float *image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y <= height) image[y * width + x] /= 2;
}
"""


def test_one_row_too_many() -> None:
    witness = shown(TWO, "KL102")
    values = dict(witness.values)
    assert place(witness, 1) == values["height"] and place(witness) < values["width"]
    assert witness.steps[0].index == values["height"] * values["width"] + place(witness)


CLAMPED = """
__global__ void blur(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[min(i + 1, n)] + in[i];
}
"""


def test_a_clamp_to_the_size() -> None:
    witness = shown(CLAMPED, "KL102")
    assert witness.steps[0].index == dict(witness.values)["n"]


ROW = """
#define TILE 16
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
    int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < n && ka < n ? a[row * n + ka] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = kb < n && col < n ? b[kb * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * PITCH + col] = sum;
}
"""


def test_a_write_that_runs_into_the_next_row() -> None:
    witness = shown(ROW.replace("PITCH", "n"), "KL101")
    assert place(witness) >= dict(witness.values)["n"]


def test_rows_that_are_padded_to_whole_blocks_have_room() -> None:
    assert not findings(ROW.replace("PITCH", "pitch").replace("int n)", "int n, int pitch)"))


ANY_BLOCK = """
__global__ void histogram(const unsigned char *in, int *out, int n) {
  __shared__ int bins[256];
  for (int b = threadIdx.x; b <= 256; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) out[b] = bins[b];
}
"""


def test_what_happens_in_every_block_needs_no_launch() -> None:
    witness = shown(ANY_BLOCK, "KL104")
    assert witness.replayed and witness.steps[0].index == 256


def test_what_a_block_may_be_too_small_for_is_silent() -> None:
    assert not findings(
        ANY_BLOCK.replace("b <= 256", "b < 256").replace("b < 256; b += blockDim.x) out", "b < 1; b++) out")
    )
    few = "__global__ void k(int *x) { __shared__ int s[300]; s[threadIdx.x] = 1; __syncthreads(); x[0] = s[0]; }"
    assert not findings(few)


@pytest.mark.parametrize(
    ("code", "rule", "excluded", "admitted"),
    [
        (UNTESTED, "KL101", "blockDim.x * gridDim.x == n", "blockDim.x * gridDim.x >= n"),
        (LATE, "KL103", "launch(block=64, grid=n / 64); n % 64 == 0", "launch(block=64, grid=(n + 63) / 64)"),
        (TWO, "KL102", "blockDim.y * gridDim.y <= height", "width == 40"),
    ],
)
def test_what_the_user_says_of_launches_counts(code: str, rule: str, excluded: str, admitted: str) -> None:
    assert [finding.code for finding in findings(code)] == [rule]
    assert not findings(code, excluded)
    [found] = findings(code, admitted)
    assert found.witness is not None
