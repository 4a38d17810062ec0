"""Functions: parameters, bodies, statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pycparser import c_ast

from kernlint.frontends.clang.intrinsics.effects import may_sync_by_name
from kernlint.frontends.pycparser.expressions import MAX_DEPTH, expression, initialiser
from kernlint.frontends.pycparser.parser import ASSEMBLY, Parsed
from kernlint.frontends.pycparser.types import UnknownType
from kernlint.record import replace
from kernlint.source import Span
from kernlint.tree.nodes import (
    Asm,
    Block,
    Break,
    Case,
    Continue,
    DeclStmt,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    Goto,
    If,
    InitList,
    IntLit,
    Label,
    Loss,
    Opaque,
    OpaqueStmt,
    ParamDecl,
    Return,
    Stmt,
    StringLit,
    Switch,
    Trap,
    VarDecl,
    While,
)
from kernlint.tree.types import UNKNOWN, ArrayType, IntType, OpaqueType, PointerType, Space, Type

if TYPE_CHECKING:
    from kernlint.frontends.pycparser.module import Module

_UNROLL = re.compile(r"#\s*pragma\s+unroll\s*\(?\s*(\w*)")
_TRAPS = frozenset({"__builtin_trap", "trap", "abort"})


class Body:
    """The function being lowered: variables in sight, losses, and where nodes stand."""

    def __init__(self, module: Module, parsed: Parsed) -> None:
        self.module = module
        self.parsed = parsed
        self.losses: list[Loss] = []
        self.depth = 0
        self._scopes: list[dict[str, VarDecl]] = [{}]

    # what expressions ask

    def span(self, node: c_ast.Node) -> Span:
        """The bytes that ``node`` takes up."""
        place = self.parsed.place(node)
        return Span(place.file, place.start, place.end)

    def text(self, node: c_ast.Node) -> str:
        """The last token of ``node`` as the preprocessor left it."""
        found = self.parsed.inner.get(id(node))
        return self.parsed.chunk.lexemes[found[1] - 1].text if found is not None else ""

    def variable(self, name: str) -> VarDecl | None:
        """The innermost variable called ``name``."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return self.module.globals.get(name)

    def lose(self, node: c_ast.Node, kind: str, reason: str) -> None:
        """Note that something of ``node`` did not reach the tree."""
        self.losses.append(Loss(kind, reason, self.span(node)))

    def opaque(self, node: c_ast.Node, reason: str, kind: str = "expression") -> Opaque:
        """An expression that is not understood, with the loss on record."""
        self.lose(node, kind, reason)
        return Opaque(self.span(node), UNKNOWN, reason, (), writes=kind == "expression")

    # declarations

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Within it, declared names hide those outside."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    def add(self, decl: VarDecl) -> VarDecl:
        """Declare ``decl`` in the innermost scope."""
        self._scopes[-1][decl.name] = decl
        return decl

    def _made_up(self, kind: Type) -> bool:
        """Whether a type is one that nobody declared, or made of it."""
        while isinstance(kind, PointerType | ArrayType):
            kind = kind.pointee if isinstance(kind, PointerType) else kind.element
        return isinstance(kind, OpaqueType) and kind.spelling in self.module.parser.guessed

    def declare(self, node: c_ast.Decl, is_global: bool = False) -> VarDecl:
        """A variable with what it starts as.  Raises :class:`UnknownType`."""
        found = self.module.types.of(node.type)
        kind = found.type
        space = found.space or (Space.CONSTANT if is_global and found.const else Space.PRIVATE)
        if is_global and found.space is None and not found.const:
            space = Space.GLOBAL
        if isinstance(kind, ArrayType) and kind.extent is None and isinstance(node.init, c_ast.InitList):
            kind = replace(kind, extent=len(node.init.exprs))
        decl = VarDecl(
            self.span(node),
            node.name or "",
            kind,
            space,
            None,
            const=found.const,
            volatile=found.volatile,
            static="static" in (node.storage or ()),
            synthesised=self._made_up(kind),
            is_global=is_global,
        )
        if is_global:
            self.module.globals[decl.name] = decl
        else:
            self.add(decl)
        if node.init is not None:
            init = initialiser(self, node.init, kind)
            object.__setattr__(decl, "init", _sized(init, kind))
            fixed = isinstance(kind, IntType) and (found.const or space is Space.CONSTANT)
            value = self.module.value_of(init) if fixed else None
            object.__setattr__(decl, "value", value)
        return decl

    # statements

    def statement(self, node: c_ast.Node) -> Stmt:
        """Lower a statement; one that is not understood becomes opaque, with the loss on record."""
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                self.lose(node, "statement", "nested too deeply")
                return OpaqueStmt(self.span(node), "nested too deeply")
            return self._statement(node)
        except UnknownType as error:
            self.lose(node, "type", f"type that is not declared: {error}")
            return OpaqueStmt(self.span(node), f"type that is not declared: {error}", (), may_sync=False)
        finally:
            self.depth -= 1

    def _statement(self, node: c_ast.Node) -> Stmt:
        span = self.span(node)
        if isinstance(node, c_ast.Compound):
            with self.scope():
                return Block(span, self.sequence(node.block_items or []))
        if isinstance(node, c_ast.Decl | c_ast.DeclList | c_ast.Typedef):
            return self._declarations(node)
        if isinstance(node, c_ast.If):
            cond = expression(self, node.cond)
            then = self.statement(node.iftrue) if node.iftrue is not None else None
            other = self.statement(node.iffalse) if node.iffalse is not None else None
            return If(span, cond, then, other)
        if isinstance(node, c_ast.For):
            return self._for(node, None)
        if isinstance(node, c_ast.While):
            return While(span, expression(self, node.cond), self.statement(node.stmt))
        if isinstance(node, c_ast.DoWhile):
            return DoWhile(span, self.statement(node.stmt), expression(self, node.cond))
        if isinstance(node, c_ast.Switch):
            items = node.stmt.block_items or [] if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
            cond = expression(self, node.cond)
            with self.scope():
                return Switch(span, cond, Block(self.span(node.stmt), self.sequence(items)))
        if isinstance(node, c_ast.Case | c_ast.Default | c_ast.Label):
            return Block(span, self.sequence([node]))
        simple = {c_ast.Break: Break, c_ast.Continue: Continue}.get(type(node))
        if simple is not None:
            return simple(span)
        if isinstance(node, c_ast.Return):
            return Return(span, expression(self, node.expr) if node.expr is not None else None)
        if isinstance(node, c_ast.Goto):
            return Goto(span, node.name)
        if isinstance(node, c_ast.EmptyStatement | c_ast.Pragma | c_ast.StaticAssert):
            return Block(span, ())
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name in _TRAPS:
            return Trap(span)
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name == ASSEMBLY:
            return self._assembly(node)
        value = expression(self, node)
        if isinstance(value, Opaque) and may_sync_by_name(_called(node)):
            return OpaqueStmt(span, value.reason, (value,), may_sync=True)
        return ExprStmt(span, value)

    def _assembly(self, node: c_ast.FuncCall) -> Stmt:
        """Inline assembly: what is known of it, as the other front end has it."""
        from kernlint.frontends.clang.intrinsics.assembly import lower_asm
        from kernlint.frontends.clang.lower.asm import split

        number, *given = node.args.exprs
        source = self.parsed.chunk.assembly[int(number.value)]
        operands = tuple(expression(self, one) for one in given)
        parsed = split(source)
        span = self.span(node)
        counts = [len(section.constraints) for section in parsed[1][:2]] if parsed is not None else []
        if parsed is None or sum(counts) != len(operands):
            self.lose(node, "statement", "inline assembly whose operands could not be told apart")
            return Asm(span, "", (), operands, may_sync=True, writes_memory=True)
        outputs = counts[0] if counts else 0
        names = tuple(name for section in parsed[1][:2] for name in section.names)
        volatile = "volatile" in source.partition("(")[0]
        return lower_asm(parsed[0], operands[:outputs], operands[outputs:], span, volatile, names)

    def sequence(self, items: list[c_ast.Node]) -> tuple[Stmt, ...]:
        """Statements in order; labels stand between them, ``#pragma unroll`` goes into its loop."""
        out: list[Stmt] = []
        unroll: int | None = None
        for item in self._joined(items):
            if isinstance(item, c_ast.EmptyStatement):
                continue
            if isinstance(item, c_ast.Pragma):
                match = _UNROLL.match(f"#pragma {item.string}")
                if match is not None:
                    unroll = int(match[1]) if match[1].isdigit() else 0
                continue
            if isinstance(item, c_ast.Typedef):
                self.module.types.typedef(item)
                continue
            out += self._labelled(item, unroll)
            unroll = None
        return tuple(out)

    def _joined(self, items: list[c_ast.Node]) -> Iterator[c_ast.Node]:
        """The items, variables of one declaration together."""
        group: list[c_ast.Node] = []
        for item in items:
            if group and not (isinstance(item, c_ast.Decl) and self.parsed.text_after(group[-1]) == ","):
                yield group[0] if len(group) == 1 else c_ast.DeclList(group)
                group = []
            if isinstance(item, c_ast.Decl):
                group.append(item)
            else:
                yield item
        if group:
            yield group[0] if len(group) == 1 else c_ast.DeclList(group)

    def _labelled(self, item: c_ast.Node, unroll: int | None) -> list[Stmt]:
        out: list[Stmt] = []
        while isinstance(item, c_ast.Label):
            out.append(Label(self.span(item), item.name))
            item = item.stmt
        if isinstance(item, c_ast.Case | c_ast.Default):
            value = expression(self, item.expr) if isinstance(item, c_ast.Case) else None
            if value is not None and (number := self.module.value_of(value)) is not None:
                value = IntLit(value.span, value.type, number)
            out.append(Case(self.span(item), value))
            return [*out, *self.sequence(item.stmts or [])]
        if isinstance(item, c_ast.For) and unroll is not None:
            return [*out, self._for(item, unroll)]
        if isinstance(item, c_ast.Compound) and self.parsed.parenthesised(item):
            with self.scope():  # GNU's statement expression, for its effect
                return [*out, *self.sequence(item.block_items or [])]
        lowered = self.statement(item)
        if isinstance(lowered, DeclStmt) and not lowered.decls:
            return out
        return [*out, lowered]

    def _for(self, node: c_ast.For, unroll: int | None) -> Stmt:
        span = self.span(node)
        with self.scope():
            init: Stmt | None = None
            if isinstance(node.init, c_ast.DeclList):
                init = self._declarations(node.init)
            elif node.init is not None:
                value = expression(self, node.init)
                init = ExprStmt(value.span, value)
            cond = expression(self, node.cond) if node.cond is not None else None
            step = expression(self, node.next) if node.next is not None else None
            return For(span, init, cond, step, self.statement(node.stmt), unroll)

    def _declarations(self, node: c_ast.Node) -> Stmt:
        decls: list[VarDecl] = []
        for one in node.decls if isinstance(node, c_ast.DeclList) else [node]:
            if isinstance(one, c_ast.Typedef):
                self.module.types.typedef(one)
            elif one.name is None:
                self.module.types.of(one.type)
            elif isinstance(one.type, c_ast.FuncDecl):
                continue
            else:
                decls.append(self.declare(one))
        return DeclStmt(self.span(node), tuple(decls))


def _sized(init: Expr, kind: Type) -> Expr:
    return replace(init, type=kind) if isinstance(init, InitList | StringLit) else init


def _called(node: c_ast.Node) -> str:
    return node.name.name if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else ""


def parameters(body: Body, node: c_ast.FuncDecl) -> tuple[ParamDecl, ...]:
    """The parameters of a function, declared in ``body``."""
    from kernlint.frontends.pycparser.types import parameter

    found: list[ParamDecl] = []
    for one in node.args.params if node.args is not None else ():
        if isinstance(one, c_ast.EllipsisParam):
            continue
        unnamed = not getattr(one, "name", None) and isinstance(one.type, c_ast.TypeDecl)
        if unnamed and getattr(one.type.type, "names", None) == ["void"]:
            continue
        try:
            kind = body.module.types.of(one.type)
            shown = parameter(kind)
        except UnknownType as error:
            body.lose(one, "type", f"type that is not declared: {error}")
            shown = OpaqueType(str(error))
        words = [word for word in (getattr(one, "quals", None) or ()) if "read" in word or "write" in word]
        if words and isinstance(shown, OpaqueType):
            shown = OpaqueType(f"__{words[0].strip('_')} {shown.spelling}")
        elif isinstance(shown, OpaqueType) and shown.spelling.startswith("image"):
            shown = OpaqueType(f"__read_only {shown.spelling}")
        decl = ParamDecl(body.span(one), one.name or "", shown, Space.PRIVATE, index=len(found))
        found.append(decl)
        body.add(decl)
    return tuple(found)
