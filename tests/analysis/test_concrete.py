"""The comparison of trace and emulator notices when one of them is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.prove.emulate.report import LaunchSpec
from kernlint.source import SourceFile
from kernlint.symbolic.terms import binary, const
from kernlint.tree.types import I64
from tests.analysis.concrete import Launched, disagreements
from tests.analysis.facts import modules

KERNEL = """
__global__ void k(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int j = 0; j < 3; j++)
        if (i < n) out[i * 3 + j] = tile[threadIdx.x ^ 1];
}
"""


@pytest.fixture
def compare(tmp_path: Path):
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    source = SourceFile(str(path), path.read_bytes())
    (module,) = modules(path)
    (variant,) = module.kernels[0].variants
    launched = Launched(variant, LaunchSpec((8, 1, 1), (2, 1, 1)), 13)
    outcome, log = launched.watch("cuda", source)

    def run(change) -> list[str]:
        trace = trace_function(variant, "cuda")
        change(trace)
        return disagreements(trace, launched, outcome, log, source)

    return run


def write(trace: Trace):
    return next(a for a in trace.accesses if a.root.name == "out")


def test_they_agree(compare) -> None:
    assert compare(lambda trace: None) == []


def test_a_missing_access_is_noticed(compare) -> None:
    assert any("is not predicted" in text for text in compare(lambda t: t.accesses.remove(write(t))))


def test_a_wrong_offset_is_noticed_both_ways(compare) -> None:
    def change(trace: Trace) -> None:
        write(trace).offset = binary("add", write(trace).offset, const(400), I64)

    found = compare(change)
    assert any("is not predicted" in text for text in found) and any("did not happen" in text for text in found)


def test_a_missing_guard_is_noticed(compare) -> None:
    def change(trace: Trace) -> None:
        access = write(trace)
        access.guards = tuple(guard for guard in access.guards if guard.kind.value != "branch")

    assert any("did not happen" in text for text in compare(change))


def test_a_wrong_phase_is_noticed(compare) -> None:
    def change(trace: Trace) -> None:
        read = next(a for a in trace.accesses if a.root.name == "tile" and a.kind.value == "read")
        read.labels = trace.accesses[0].labels

    assert any("came after" in text for text in compare(change))


def test_a_loop_that_ends_too_early_is_noticed(compare) -> None:
    def change(trace: Trace) -> None:
        (loop,) = trace.loops
        loop.condition = binary("lt", loop.counter.term, const(2), loop.condition.type)

    assert any("is not predicted" in text for text in compare(change))
