"""Functions that are too large to be read whole."""

import pytest

from kernlint.frontends.clang import ClangFrontend
from kernlint.frontends.clang.lower import context
from kernlint.frontends.clang.lower.module import CUT
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module, OpaqueStmt
from kernlint.tree.walk import walk

TEXT = """
#define ROUND(a, b) do { a += b * 3; b ^= a >> 5; a = a + b; } while (0)
__kernel void large(__global uint *p) {
    uint a = p[0], b = p[1];
%s
    p[2] = a;
    p[3] = b;
}
__kernel void small(__global uint *p) { p[get_global_id(0)] = 1; }
"""


def _module(rounds: int) -> Module:
    text = TEXT % "\n".join("    ROUND(a, b);" for _ in range(rounds))
    [module] = ClangFrontend().parse_file(SourceFile("a.cl", text.encode()))
    return module


def test_the_rest_of_a_large_function_is_lost_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MOST_EXPRESSIONS", 500)
    module = _module(100)
    assert module.cuts == (CUT,)
    large, small = (kernel.function for kernel in module.kernels)
    assert [(loss.kind, loss.reason) for loss in large.losses] == [("statement", context.TOO_LARGE)]
    assert not small.losses and not any(isinstance(node, OpaqueStmt) for node in walk(small))
    lost = [node for node in walk(large) if isinstance(node, OpaqueStmt)]
    assert len(lost) > 10 and {"a", "b"} <= set().union(*(node.words for node in lost))


def test_functions_of_a_source_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MOST_OF_A_SOURCE", 500)
    module = _module(100)
    assert module.cuts == (CUT,) and all(kernel.function.losses for kernel in module.kernels)


def test_a_function_of_usual_size_is_read_whole() -> None:
    module = _module(100)
    assert not module.cuts and not any(kernel.function.losses for kernel in module.kernels)
