"""Pointers of one file that launches are given and that nothing sets."""

from __future__ import annotations

import pytest
from kernlint_rules.language.uninitialised_pointer import UninitialisedPointer

from tests.rules.marked import assert_marked, findings

HASH = """
%s
static unsigned *partial[4];
__global__ void absorb(unsigned *part, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) %s
}
%s
void run(int device, int n) {
    absorb<<<(n + 63) / 64, 64>>>(partial[device], n); // bad
}
"""
STORE = "part[i] = i;"


def test_null() -> None:
    assert_marked(UninitialisedPointer, HASH % ("", STORE, ""))
    assert_marked(UninitialisedPointer, HASH % ("", "{ unsigned *own = part + i; *own = i; }", ""))


@pytest.mark.parametrize(
    ("head", "store", "more"),
    [
        ('#include "buffers.h"', STORE, ""),
        ("", "if (part) part[i] = i;", ""),
        ("", STORE, "unsigned **slot(int device) { return &partial[device]; }"),
        ("", STORE, "void prepare(int device, unsigned *all) { partial[device] = all; }"),
        ("", STORE, "#ifdef POOLED\nvoid prepare(int device, unsigned *all) { partial[device] = all; }\n#endif"),
        ("", STORE, "template <typename T> void prepare(T *all) { partial[0] = all; }"),
        ("", STORE, "auto prepare = [](unsigned *all) { partial[0] = all; };"),
    ],
)
def test_what_may_set_it(head: str, store: str, more: str) -> None:
    assert not findings(UninitialisedPointer, HASH % (head, store, more))
