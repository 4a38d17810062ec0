"""A file as a module of the tree: declarations in order, each by itself, so that one not read costs no other."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from pycparser import c_ast
from pycparser.c_parser import ParseError

from kernlint.frontends.clang.lower.heads import kernel_definitions
from kernlint.frontends.pycparser.constants import folded, number
from kernlint.frontends.pycparser.expressions import expression
from kernlint.frontends.pycparser.functions import Body, parameters
from kernlint.frontends.pycparser.parser import Attribute, Chunk, Parsed, Parser, chunks
from kernlint.frontends.pycparser.preprocess import Preprocessed
from kernlint.frontends.pycparser.types import TypeTable, UnknownType
from kernlint.source import Span
from kernlint.tree import nodes
from kernlint.tree.nodes import Block, Expr, FunctionDecl, FunctionKind, Kernel, LaunchBounds, Loss, Missed, VarDecl
from kernlint.tree.types import I32, OpaqueType, Space

FRAMES = 6000
"""Python frames for the deepest of sources."""


class Module:
    """Collects the functions, types and variables of a file."""

    def __init__(self, path: str, text: bytes, source: Preprocessed) -> None:
        self.path = path
        self.data = text
        self.source = source
        self.parser = Parser()
        self.types = TypeTable(self._constant)
        self.globals: dict[str, VarDecl] = {}
        self.functions: dict[str, FunctionDecl] = {}
        self.unknown: set[str] = set()
        self._made_up: dict[str, VarDecl] = {}
        self.errors: list[tuple[Chunk, str]] = []
        self._body: Body | None = None
        self._waiting: dict[str, Chunk] = {}
        """Functions of headers by name, read when somebody asks for them."""

    def function(self, name: str) -> FunctionDecl | None:
        """The function called ``name`` that was declared before; one of a header is read now."""
        waiting = self._waiting.pop(name, None)
        if waiting is not None:
            saved = self._body, self.types.packed
            self._chunk(waiting)
            self._body, self.types.packed = saved
        return self.functions.get(name)

    def made_up(self, name: str, span: Span) -> VarDecl:
        """What stands for a name that nothing declares; its type and value mean nothing."""
        self.unknown.add(name)
        if name not in self._made_up:
            self._made_up[name] = VarDecl(span, name, I32, Space.CONSTANT, synthesised=True)
        return self._made_up[name]

    def value_of(self, expr: Expr) -> int | None:
        """The integer that ``expr`` is, where it is a constant."""
        return folded(expr)

    def _constant(self, node: c_ast.Node) -> int | None:
        if self._body is None:
            return None
        before = len(self._body.losses)
        value = folded(expression(self._body, node))
        del self._body.losses[before:]
        return value

    def build(self) -> nodes.Module:
        """The module; what could not be read is among its losses and missed kernels."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, FRAMES))
        try:
            for chunk in chunks(self.source.lexemes):
                name = self._of_header(chunk)
                if name:
                    self._waiting[name] = chunk
                else:
                    self._chunk(chunk)
        finally:
            sys.setrecursionlimit(limit)
        functions = [one for one in self.functions.values() if one.body is not None]
        inactive = tuple(Span(self.path, start, end) for start, end in self.source.skipped)
        for function in functions:
            lost = [
                Loss("inactive", "code under an #if that was not compiled", span)
                for span in inactive
                if span.file == function.span.file and function.span.start <= span.start < function.span.end
            ]
            if lost:
                object.__setattr__(function, "losses", (*function.losses, *lost))
        kernels = [one for one in functions if one.kind is FunctionKind.KERNEL and one.span.file == self.path]
        return nodes.Module(
            path=self.path,
            language="opencl",
            functions=tuple(functions),
            kernels=tuple(Kernel(one) for one in sorted(kernels, key=lambda one: one.span.start)),
            globals=tuple(self.globals.values()),
            missed=tuple(self._missed(functions)),
            synthesised=frozenset(self.unknown),
            missing_headers=tuple(sorted(self.source.missing)),
            inactive=inactive,
            notes=tuple(dict.fromkeys(self.source.errors)),
            errors=len(self.errors),
        )

    def _of_header(self, chunk: Chunk) -> str:
        """The name of a function that an included file defines; empty for anything else.

        Nothing needs such a function until it is called, and what it is made of stands before it: of large headers
        most is never read.  A kernel in another file is looked at where that file is.
        """
        if not chunk.is_function or chunk.lexemes[0].place.file == self.path:
            return ""
        depth = 0
        name = ""
        for at, lexeme in enumerate(chunk.lexemes):
            text = lexeme.text
            if text == "struct":
                return ""
            if text == "(" and depth == 0 and at:
                name = chunk.lexemes[at - 1].text
            depth += {"(": 1, ")": -1}.get(text, 0)
            if text == "{":
                break
        return name if name.isidentifier() else ""

    def _chunk(self, chunk: Chunk) -> None:
        if not any(lexeme.text != ";" for lexeme in chunk.lexemes):
            return
        try:
            parsed = self.parser.chunk(chunk)
            self.unknown |= self.parser.guessed
        except (ParseError, RecursionError) as error:
            self.errors.append((chunk, str(error)))
            return
        self.types.packed = any("packed" in attribute.text for attribute in chunk.attributes)
        for node in parsed.nodes:
            self._body = Body(self, parsed)
            try:
                self._declare(node, parsed, chunk)
            except UnknownType as error:
                self.errors.append((chunk, f"type that is not declared: {error}"))

    def _declare(self, node: c_ast.Node, parsed: Parsed, chunk: Chunk) -> None:
        assert self._body is not None
        if isinstance(node, c_ast.Typedef):
            self.types.typedef(node)
        elif isinstance(node, c_ast.FuncDef):
            self._define(node, parsed, chunk)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            if node.name not in self.functions:
                self.functions[node.name] = self._head(node, self._body, chunk)
        elif isinstance(node, c_ast.Decl) and node.name is None:
            self.types.of(node.type)
        elif isinstance(node, c_ast.Decl):
            self._body.declare(node, is_global=True)

    def _head(self, node: c_ast.Decl, body: Body, chunk: Chunk) -> FunctionDecl:
        params = parameters(body, node.type)
        try:
            result = self.types.of(node.type.type).type
        except UnknownType as error:
            body.lose(node, "type", f"type that is not declared: {error}")
            result = OpaqueType(str(error))
        is_kernel = any(word in ("__kernel", "kernel") for word in node.funcspec or ())
        return FunctionDecl(
            body.span(node),
            node.name,
            node.name,
            FunctionKind.KERNEL if is_kernel else FunctionKind.DEVICE,
            params,
            result,
            None,
            bounds=_bounds(chunk.attributes),
            name_span=self._name(node.name, chunk),
        )

    def _name(self, name: str, chunk: Chunk) -> Span | None:
        for lexeme in chunk.lexemes:
            if lexeme.text == name:
                return Span(lexeme.place.file, lexeme.place.start, lexeme.place.end)
        return None

    def _define(self, node: c_ast.FuncDef, parsed: Parsed, chunk: Chunk) -> None:
        body = self._body
        assert body is not None
        with body.scope():
            head = self._head(node.decl, body, chunk)
            object.__setattr__(head, "span", body.span(node))
            self.functions[head.name] = head
            before = len(self.types.unknown)
            lowered = body.statement(node.body)
            for name in list(self.types.unknown)[before:]:
                body.lose(node, "type", f"type that is not declared: {name}")
        whole = lowered if isinstance(lowered, Block) else Block(lowered.span, (lowered,))
        object.__setattr__(head, "body", whole)
        object.__setattr__(head, "losses", tuple(body.losses))

    def _missed(self, functions: list[FunctionDecl]) -> Iterator[Missed]:
        known = {f.name_span.start for f in functions if f.name_span is not None}
        for name, start, end in kernel_definitions(self.data, True):
            if start in known or any(f.span.start <= start < f.span.end for f in functions):
                continue
            reason = "not understood by the parser"
            if any(low <= start < high for low, high in self.source.skipped):
                reason = "under an #if that was not compiled"
            for chunk, said in self.errors:
                if any(one.place.start == start and one.place.file == self.path for one in chunk.lexemes):
                    reason = f"not understood by the parser ({said})"
            yield Missed(name, reason, Span(self.path, start, end))


_MOST = re.compile(r"\bamdgpu_flat_work_group_size\s*\(\s*\w+\s*,\s*(\w+)\s*\)")


def _bounds(attributes: list[Attribute]) -> LaunchBounds:
    """What a kernel's attributes say of its launches."""
    text = " ".join(attribute.text.replace("__", " ") for attribute in attributes)
    parts = _arguments(text, "reqd_work_group_size")
    if len(parts) == 3:
        x, y, z = map(number, parts)
        if x is None or y is None or z is None:
            return LaunchBounds(dependent=True)
        return LaunchBounds(required=(x, y, z))
    if (match := _MOST.search(text)) is not None and match[1].isdigit():
        return LaunchBounds(max_threads=int(match[1]))
    return LaunchBounds()


def _arguments(text: str, name: str) -> list[str]:
    """The arguments of ``name(...)`` in ``text``; none where it is not there."""
    _, found, rest = text.partition(name)
    parts: list[str] = [""]
    depth = 0
    for char in rest if found else "":
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0 and char == ")":
            return parts
        if char == "," and depth == 1:
            parts.append("")
        elif not (char == "(" and depth == 1):
            parts[-1] += char
    return []
