"""``kernlint prove`` on numba kernels: arrays bring their extents along, and the emulator has seen what is refuted."""

from __future__ import annotations

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.verdict.proofs import verdicts
from kernlint.analysis.verdict.verdicts import Verdict
from tests.frontends.python.test_lowering import body, module

GUARD = "if i < x.size and i < out.size:"

CASES = {
    "guarded": (["i = cuda.grid(1)", GUARD, "    out[i] = x[i]"], "proved"),
    "neighbour": (["i = cuda.grid(1)", GUARD, "    out[i] = x[i + 1]"], "refuted"),
    "neighbour that is tested": (["i = cuda.grid(1)", "if i + 1 < x.size and i < out.size:", "    out[i] = x[i + 1]"],
                                 "proved"),
    "one too far": (["i = cuda.grid(1)", "if i <= x.shape[0]:", "    x[i] = 0"], "refuted"),
    "strided": (["for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):", "    x[i] = 0"], "proved"),
    "two axes": (["r, c = cuda.grid(2)", "if r < out.shape[0] and c < out.shape[1]:", "    out[r, c] = 0"], "proved"),
    "two axes swapped": (["r, c = cuda.grid(2)", "if r < out.shape[0] and c < out.shape[1]:", "    out[c, r] = 0"],
                         "refuted"),
    "columns and one": (["r = cuda.grid(1)", "if r < out.shape[0]:", "    for c in range(out.shape[1] + 1):",
                         "        out[r, c] = 0"], "refuted"),
    "shared array": (["s = cuda.shared.array(64, float32)", "t = cuda.threadIdx.x", "if t < 64:", "    s[t] = 1"],
                     "proved"),
}  # fmt: skip


def verdict(lines: list[str]) -> Verdict:
    found = module(body(*lines))
    return Facts(ModuleFacts(found), found.kernels[0])[verdicts].bounds


@pytest.mark.parametrize("name", CASES)
def test_bounds(name: str) -> None:
    lines, status = CASES[name]
    said = verdict(lines)
    assert said.status == status, said.reason
    if status == "refuted":
        assert said.witness is not None and said.witness.replayed


def test_races() -> None:
    found = module(body("i = cuda.grid(1)", "if i < x.size:", "    out[0] += x[i]"))
    said = Facts(ModuleFacts(found), found.kernels[0])[verdicts]
    assert said.races.status == "refuted"
    assert said.races.witness is not None and said.races.witness.replayed
    found = module(body("i = cuda.grid(1)", GUARD, "    out[i] += x[i]"))
    assert Facts(ModuleFacts(found), found.kernels[0])[verdicts].races.status == "proved"
