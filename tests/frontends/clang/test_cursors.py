"""Trees and places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.session import parse

SOURCE = b"""\
#define SQUARE(x) ((x) * (x))
#define GUARD if (i >= n) return
// \xc3\xbcber
__global__ void k(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARD;
    out[i] = SQUARE(i + 1);
}
"""


def find(root: Cursor, kind: int) -> Iterator[Cursor]:
    return (node for node in root.walk() if node.kind == kind)


def text(node: Cursor, source: bytes = SOURCE) -> bytes:
    return source[node.extent.start : node.extent.end]


def test_the_tree_of_one_pass_is_the_tree_of_many() -> None:
    """The stack of ``grow`` gives the children that asking each node for its own gives."""
    with parse("k.cu", SOURCE, Language.CUDA) as parsed:
        (kernel,) = parsed.unit.top_level()
        for node in kernel.walk():
            alone = parsed.unit.members(node)
            assert [child.key for child in alone] == [child.key for child in node.children]
            assert [child.kind for child in alone] == [child.kind for child in node.children]


def test_extents_are_byte_ranges() -> None:
    with parse("k.cu", SOURCE, Language.CUDA) as parsed:
        (kernel,) = parsed.unit.top_level()
        assert text(kernel).startswith(b"__global__ void k(") and text(kernel).endswith(b"}")
        (declaration,) = find(kernel, CursorKind.DECL_STMT)
        assert text(declaration) == b"int i = blockIdx.x * blockDim.x + threadIdx.x;"
        assert kernel.location[:3] == ("k.cu", 4, 17)
        assert kernel.in_main_file


def test_places_in_macros() -> None:
    with parse("k.cu", SOURCE, Language.CUDA) as parsed:
        (kernel,) = parsed.unit.top_level()
        (guard,) = find(kernel, CursorKind.IF_STMT)
        assert guard.extent.in_macro and text(guard) == b"GUARD"
        argument = next(n for n in find(kernel, CursorKind.BINARY_OPERATOR) if text(n) == b"i + 1")
        assert argument.extent.in_macro
        expansions = parsed.unit.preprocessing()
        assert [node.spelling for node in expansions] == ["GUARD", "SQUARE"]
        assert expansions[0].referenced is not None
        assert text(expansions[0].referenced) == b"GUARD if (i >= n) return"


def test_instances_follow_their_template() -> None:
    source = b"""\
template <class T, int N> __global__ void k(T* x) { __shared__ T t[N]; t[threadIdx.x] = x[0]; }
void host(float* x) { k<float, 32><<<1, 32>>>(x); }
"""
    with parse("k.cu", source, Language.CUDA) as parsed:
        template, host, *rest = parsed.unit.top_level()
        assert (template.kind, host.kind) == (CursorKind.FUNCTION_TEMPLATE, CursorKind.FUNCTION_DECL)
        use = next(n for n in find(host, CursorKind.DECL_REF_EXPR) if n.spelling == "k")
        instance = use.referenced
        assert instance is not None and instance.template is not None
        assert instance.template.key == template.key
        (array,) = (n for n in find(instance, CursorKind.VAR_DECL) if n.spelling == "t")
        assert array.type.canonical.spelling == "float[32]"
        assert [instance.template_argument(i)[1] for i in range(2)][1] == 32
        assert [r.key for r in rest] == [instance.key]


def test_headers_are_left_out_unless_wanted(tmp_path: Path) -> None:
    (tmp_path / "h.cuh").write_text("__device__ int helper(int x) { return x + 1; }\n")
    main = tmp_path / "k.cu"
    source = b'#include "h.cuh"\n__global__ void k(int* x) { x[0] = helper(1); }\n'
    with parse(main, source, Language.CUDA) as parsed:
        assert [c.spelling for c in parsed.unit.top_level()] == ["k"]
        both = parsed.unit.top_level(main_only=False)
        assert [c.spelling for c in both] == ["helper", "k"]
        assert both[0].extent.file is not None and Path(both[0].extent.file) == tmp_path / "h.cuh"
        call = next(n for n in find(both[1], CursorKind.CALL_EXPR))
        assert call.referenced is not None and any(c.kind == CursorKind.COMPOUND_STMT for c in call.referenced.children)


def test_deep_expressions_do_not_overflow() -> None:
    terms = b" + ".join([b"x[0]"] * 1500)
    with parse("k.cu", b"__global__ void k(int* x) { x[0] = " + terms + b"; }", Language.CUDA) as parsed:
        (kernel,) = parsed.unit.top_level()
        assert sum(1 for _ in find(kernel, CursorKind.ARRAY_SUBSCRIPT_EXPR)) == 1501


def test_a_closed_unit_says_so() -> None:
    parsed = parse("k.cu", SOURCE, Language.CUDA)
    parsed.close()
    parsed.close()
    with pytest.raises(FrontendError, match="closed"):
        parsed.unit.top_level()
