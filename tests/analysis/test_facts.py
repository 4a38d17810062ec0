"""Facts written beside the code of the fixtures, compared with what the trace says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.facts import differences, expectations
from tests.analysis.formula import BadFormula

FOLDER = Path(__file__).parent.parent.parent / "fixtures" / "facts"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".cu", ".cl", ".hip"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_trace_says_what_the_fixture_says(path: Path) -> None:
    assert expectations(path.read_text()).facts, "a fixture without facts tests nothing"
    assert differences(path) == []


KERNEL = """
//! let t = bid.x * bdim.x + tid.x
__global__ void k(const float *in, float *out, int n) {
    __shared__ float tile[64]; //! shared tile 256
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return; //! exit
    //! read global in[4 * t] 4 : varying; write shared tile[4 * tid.x] 4; guard exit t < n : varying
    tile[threadIdx.x] = in[i];
    __syncthreads(); //! barrier A; phase start
    //! loop k while k < n : grid
    for (int j = 0; j < n; j++)
        //! read shared tile[4 * k] 4; write global out[4 * (t + k)] 4; phase A; guard exit t < n; guard loop k < n
        out[i + j] = tile[j];
}
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("facts") / "kernel.cu"
    path.write_text(KERNEL)
    return path


def test_other_spellings_of_a_formula_are_the_same(kernel: Path) -> None:
    assert differences(kernel) == []
    other = KERNEL.replace("in[4 * t]", "in[(tid.x + bdim.x * bid.x) << 2]").replace(
        "exit t < n : ", "exit !(n <= t) : "
    )
    assert differences(kernel, other) == []


@pytest.mark.parametrize(
    "right, wrong, complaint",
    [
        ("in[4 * t]", "in[4 * t + 4]", "is not so"),
        ("in[4 * t]", "in[4 * tid.x]", "is not so"),
        ("in[4 * t]", "in[?]", "is not so"),
        ("in[4 * t]", "out[4 * t]", "is not so"),
        ("in[4 * t] 4", "in[4 * t] 8", "is not so"),
        ("read global in", "read shared in", "is not so"),
        ("read global in", "write global in", "is not so"),
        ("] 4 : varying", "] 4 : block", "is not so"),
        ("; write shared tile[4 * tid.x] 4", "", "access not stated"),
        ("//! exit", "", "exit not stated"),
        ("//! barrier A; phase start", "//! phase start", "barrier not stated"),
        ("barrier A;", "barrier A warp;", "is not so"),
        ("exit t < n : varying", "exit t <= n : varying", "guard not stated"),
        ("exit t < n : varying", "branch t < n : varying", "is not so"),
        ("exit t < n : varying", "exit t < n : warp", "is not so"),
        ("; guard loop k < n", "", "guard not stated: loop"),
        ("; guard loop k < n", "; guard loop k < n; guard branch n > 0", "is not so"),
        ("phase A;", "phase start;", "phase not stated: A"),
        ("phase A;", "phase A; phase start;", "is not so"),
        ("phase A;", "phase A~1;", "is not so"),
        ("loop k while k < n : grid", "loop k while k <= n : grid", "is not so"),
        ("loop k while k < n : grid", "loop k while k < n : varying", "is not so"),
        ("loop k while k < n : grid", "loop k while k < n break n > 3", "is not so"),
        ("shared tile 256", "shared tile 64", "is not so"),
        ("//! shared tile 256", "", "array not stated"),
    ],
)
def test_a_wrong_missing_or_additional_fact_is_seen(kernel: Path, right: str, wrong: str, complaint: str) -> None:
    assert right in KERNEL
    found = differences(kernel, KERNEL.replace(right, wrong, 1))
    assert any(complaint in text for text in found)


@pytest.mark.parametrize("formula", ["4 *", "foo(3)", "a b", "(1", "1 ? 2"])
def test_what_is_no_formula_is_an_error(kernel: Path, formula: str) -> None:
    with pytest.raises(BadFormula):
        differences(kernel, KERNEL.replace("in[4 * t]", f"in[{formula}]"))
