"""Lowering small sources and looking at what comes out."""

from __future__ import annotations

from typing import TypeVar

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.source import SourceFile
from kernlint.tree.dump import expression_text, statement_lines, variable_text
from kernlint.tree.nodes import ExprStmt, FunctionDecl, Kernel, Module, Node, VarDecl
from kernlint.tree.walk import walk

N = TypeVar("N", bound=Node)

NAMES = {"cuda": "sample.cu", "hip": "sample.hip", "opencl": "sample.cl"}


def modules(text: str, language: str = "cuda", path: str | None = None, **options: object) -> list[Module]:
    source = SourceFile(path or NAMES[language], text.encode())
    return ClangFrontend().parse_file(source, FrontendOptions(cache=False, **options))  # type: ignore[arg-type]


def module(text: str, language: str = "cuda", **options: object) -> Module:
    return modules(text, language, **options)[0]


def kernel(text: str, language: str = "cuda", name: str = "k") -> Kernel:
    return next(k for k in module(text, language).kernels if k.name == name)


def function(found: Module, name: str) -> FunctionDecl:
    return next(f for f in found.functions if f.qualified == name)


def lines(tree: FunctionDecl | Kernel) -> list[str]:
    """The body as the dump shows it, unindented, without the outer braces."""
    chosen = tree.variants[0] if isinstance(tree, Kernel) else tree
    assert chosen.body is not None
    return [line.strip() for line in statement_lines(chosen.body)][1:-1]


def body(text: str, language: str = "cuda", params: str | None = None, before: str = "") -> list[str]:
    """The lowered lines of a kernel ``k`` with the given body."""
    default = {"opencl": "__global float *p, __global int *q, int n, uint u"}.get(
        language, "float *p, int *q, int n, unsigned u"
    )
    head = "__kernel void k" if language == "opencl" else "__global__ void k"
    return lines(kernel(f"{before}\n{head}({params or default}) {{ {text} }}", language))


def expr(text: str, language: str = "cuda", params: str | None = None, before: str = "") -> str:
    """The lowered text of the last expression statement."""
    return body(text, language, params, before)[-1]


def find(root: Node, kind: type[N]) -> list[N]:
    return [node for node in walk(root) if isinstance(node, kind)]


def only(root: Node, kind: type[N]) -> N:
    found = find(root, kind)
    assert len(found) == 1, [expression_text(e.expr) for e in find(root, ExprStmt)]
    return found[0]


def variable(root: Node, name: str) -> VarDecl:
    return next(v for v in find(root, VarDecl) if v.name == name)


__all__ = [
    "body",
    "expr",
    "find",
    "function",
    "kernel",
    "lines",
    "module",
    "modules",
    "only",
    "variable",
    "variable_text",
]
