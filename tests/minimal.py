"""A front end of a few lines for tests of everything behind it: kernels with calls, nothing else.

``__global__ void NAME() { ... }`` is a kernel (``template <int N>`` before it gives two instances, N = 1 and a
forced N = 2); ``f();`` in it is a call, ``only1();`` a call that the instance N = 1 alone has, ``lost();`` a
statement lost on the way.  ``// front end: fail`` and ``// front end: crash`` do what they say.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kernlint.frontends.base import FrontendError, FrontendOptions
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import Block, Call, ExprStmt, FunctionDecl, FunctionKind, Kernel, Loss, Missed, Module
from kernlint.tree.types import VOID

_KERNEL = re.compile(r"(?P<template>template\s*<int N>\s*)?__global__ void (?P<name>\w+)\(\)\s*\{(?P<body>[^}]*)\}")


class MinimalFrontend:
    def __init__(self) -> None:
        self.seen: list[tuple[str, FrontendOptions]] = []

    def parse_file(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        self.seen.append((source.path, options))
        text = source.data.decode("latin-1")  # bytes and characters agree
        if "front end: fail" in text:
            raise FrontendError("nothing to hand back")
        if "front end: crash" in text:
            raise RuntimeError("the front end is broken")
        kernels = tuple(self._kernel(source.path, match) for match in _KERNEL.finditer(text))
        missed = tuple(
            Missed(m[1], "its body is a riddle", Span(source.path, m.start(), m.end()))
            for m in re.finditer(r"__global__ void (\w+)\(\.\.\.\)", text)
        )
        return [Module(source.path, "cuda", (), kernels, (), missed)]

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        return tuple(re.findall(r'#include "(.*)"', source.data.decode("latin-1")))

    def _kernel(self, path: str, match: re.Match[str]) -> Kernel:
        span = Span(path, match.start(), match.end())
        start = match.start("body")
        statements = []
        losses = []
        for call in re.finditer(r"(?<!// )(\w+)\(\);", match["body"]):
            place = Span(path, start + call.start(), start + call.end() - 1)
            if call[1] == "lost":
                losses.append(Loss("statement", "unknown name", place))
            else:
                statements.append(ExprStmt(place, Call(place, VOID, call[1], None, ())))
        whole = FunctionDecl(
            span,
            match["name"],
            match["name"],
            FunctionKind.KERNEL,
            (),
            VOID,
            Block(span, tuple(statements)),
            losses=tuple(losses),
        )
        if not match["template"]:
            return Kernel(whole)
        rest = tuple(s for s in statements if not (isinstance(s.expr, Call) and s.expr.name.startswith("only1")))
        renamed = tuple(
            ExprStmt(s.span, replace(s.expr, name="bad" if s.expr.name == "only1" else s.expr.name))
            for s in statements
            if isinstance(s.expr, Call)
        )
        first = replace(whole, body=Block(span, renamed), template_args=(("N", "1"),), generic=whole)
        second = replace(whole, body=Block(span, rest), template_args=(("N", "2"),), generic=whole, forced=True)
        return Kernel(whole, (first, second))
