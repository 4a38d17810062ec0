"""Arrays that a loop passes to a kernel, and what else happens to them."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_pairs import found

LOOP = """
@cuda.jit
def drift(x, v):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += v[i]

def run(n, rounds):
    x = np.zeros(n)
    v = np.ones(n)
    d_v = cuda.to_device(v)
    for k in range(rounds):
        drift[(n + 127) // 128, 128](x, d_v)
        LOOK
    return x
"""


@pytest.mark.parametrize(("look", "told"), [("pass", True), ("print(x[x > k].sum())", False), ("x[0] = k", False)])
def test_written_by_the_kernel(look: str, told: bool) -> None:
    assert [rule for rule, _, _ in found(LOOP.replace("LOOK", look))] == ["implicit-array-copy"] * told


CLASS = """
import cupy

@cuda.jit
def drift(x, v):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += v[i]

class Beads:
    def __init__(self, n):
        self.n = n
        self.x = np.zeros(n)
        self.v = np.ones(n)

    def upload(self):
        self.x = UPLOAD(self.x)
        self.v = UPLOAD(self.v)

    def run(self, rounds):
        for _ in range(rounds):
            drift[(self.n + 127) // 128, 128](self.x, self.v)
"""


@pytest.mark.parametrize("upload", ["cupy.asarray", "cuda.to_device"])
def test_members_that_are_moved(upload: str) -> None:
    assert not found(CLASS.replace("UPLOAD", upload))
    assert [rule for rule, _, _ in found(CLASS.replace("UPLOAD", "np.asarray"))] == ["implicit-array-copy"]
