"""Calls reached from a kernel, through helpers and loops."""

from __future__ import annotations

from kernlint.frontends.clang import ClangFrontend
from kernlint.source import SourceFile
from kernlint.tree.reach import reached_calls

TEXT = b"""
extern "C" __device__ int printf(const char *, ...);
__device__ int first() { printf("once"); return 0; }
__device__ void say(int n) { for (int k = first(); k < n; k++) printf("%d", k); }
__device__ void again(int n) { if (n) again(n - 1); }
__global__ void k(int n) {
    printf("before");
    while (n-- > 0) say(n);
    again(n);
}
"""


def test_loops_of_callers_count_and_recursion_ends():
    (module,) = ClangFrontend().parse_file(SourceFile("k.cu", TEXT))
    found = [
        (one.call.name, len(one.loops), [call.name for call in one.stack])
        for one in reached_calls(module.kernels[0].function)
    ]
    assert found == [
        ("printf", 0, []),
        ("say", 1, []),
        ("first", 1, ["say"]),
        ("printf", 1, ["say", "first"]),
        ("printf", 2, ["say"]),
        ("again", 0, []),
        ("again", 0, ["again"]),
    ]
