"""Host functions of the tree for launches that a Python program, or a library for it, makes."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.lower.launches import DIM3
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Binary,
    Block,
    Call,
    Cast,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    If,
    InitList,
    IntLit,
    Kernel,
    Launch,
    Module,
    Opaque,
    ParamDecl,
    Ref,
    Return,
    Stmt,
    Unary,
    VarDecl,
)
from kernlint.tree.types import BOOL, I64, U32, VOID, IntType, PointerType, Space, Type


class HostBuilder:
    """Puts together one host function, all of it at ``span``: what it knows, what it allocates, what it launches."""

    def __init__(self, span: Span, name: str) -> None:
        self.span = span
        self.name = name
        self.params: dict[str, ParamDecl] = {}
        self.body: list[Stmt] = []

    def number(self, value: int) -> Expr:
        """A constant."""
        return IntLit(Span(self.span.file, self.span.start, self.span.start), I64, value)

    def size(self, name: str) -> Expr:
        """A size that the host knows by ``name``, whatever it is."""
        if name not in self.params:
            self.params[name] = ParamDecl(self.span, name, I64, Space.HOST, index=len(self.params))
        return Ref(self.span, I64, self.params[name])

    def pointer(self, name: str, type_: PointerType) -> Expr:
        """A buffer that the host knows by ``name``; one for all that take it."""
        if name not in self.params:
            self.params[name] = ParamDecl(self.span, name, type_, Space.HOST, index=len(self.params))
        return Ref(self.span, self.params[name].type, self.params[name])

    def unknown(self, type_: Type = I64) -> Expr:
        """A value of which nothing is known."""
        return Opaque(self.span, type_, "value of a Python program")

    def binary(self, op: str, left: Expr, right: Expr) -> Expr:
        """``left op right`` in 64 bits."""
        return Binary(self.span, I64, op, left, right)

    def compare(self, op: str, left: Expr, right: Expr) -> Expr:
        """``left op right`` as a truth; also ``&&`` and ``||``."""
        return Binary(self.span, BOOL, op, left, right)

    def counted(self, cond: Expr) -> Expr:
        """A truth as a number, one or zero."""
        return Cast(self.span, I64, cond, False)

    def refuse(self, cond: Expr) -> Expr:
        """The opposite of ``cond``."""
        return Unary(self.span, BOOL, "!", cond)

    def leave_if(self, cond: Expr) -> None:
        """Nothing is launched after this when ``cond`` holds."""
        self.body.append(If(self.span, cond, Return(self.span, None), None))

    def allocated(self, name: str, pointee: Type, size: Expr) -> Expr:
        """An array of ``size`` bytes."""
        pointer = PointerType(pointee, Space.GLOBAL)
        decl = VarDecl(self.span, name, pointer, Space.HOST)
        out = AddressOf(self.span, PointerType(pointer, Space.HOST), Ref(self.span, pointer, decl))
        self.body.append(DeclStmt(self.span, (decl,)))
        self.body.append(ExprStmt(self.span, Call(self.span, I64, "cudaMalloc", None, (out, size))))
        return Ref(self.span, pointer, decl)

    def extent(self, sizes: Sequence[Expr]) -> Expr:
        """A grid or block of up to three sizes."""
        return InitList(self.span, DIM3, tuple(Cast(self.span, U32, size, False) for size in sizes[:3]))

    def passed(self, value: Expr, param: ParamDecl) -> Expr:
        """``value`` as the argument for ``param``."""
        return Cast(self.span, param.type, value, False) if isinstance(param.type, IntType) else value

    def launch(self, api: str, kernel: FunctionDecl, args: Sequence[Expr], **how: Expr | None) -> None:
        """Launch ``kernel``; ``how``: grid, block, shared, global_size."""
        launch = Launch(
            self.span,
            VOID,
            api,
            kernel.name,
            kernel,
            how.get("grid"),
            how.get("block"),
            how.get("shared"),
            None,
            tuple(args),
            how.get("global_size"),
        )
        self.body.append(ExprStmt(self.span, launch))

    def function(self) -> FunctionDecl:
        """The function as it is now."""
        params = tuple(self.params.values())
        body = Block(self.span, tuple(self.body))
        return FunctionDecl(self.span, self.name, self.name, FunctionKind.HOST, params, VOID, body)


def add_host(module: Module, function: FunctionDecl) -> None:
    """Make a host function part of a module that is still being built."""
    object.__setattr__(module, "functions", (*module.functions, function))


def add_usage(module: Module, program: Program) -> None:
    """Add the launch that the library makes of a kernel that it made."""
    usage = program.usage
    kernels: tuple[Kernel, ...] = module.kernels
    if usage is None or len(kernels) != 1:
        return
    kernel = kernels[0].function
    host = HostBuilder(Span(module.path, program.start, program.end), f"call of {kernel.name}")
    count = host.size(usage.size)
    args: list[Expr] = []
    for param in kernel.params:
        width = param.type.pointee.size if isinstance(param.type, PointerType) else None
        if param.name in usage.vectors and isinstance(param.type, PointerType) and width:
            size = host.binary("*", count, host.number(width))
            args.append(host.allocated(param.name, param.type.pointee, size))
        elif param.name == usage.size:
            args.append(host.passed(count, param))
        elif param.name.endswith("seq_count"):
            args.append(host.passed(host.number(usage.items), param))
        else:
            args.append(host.unknown(param.type))
    whole = usage.block * usage.items
    grid = host.binary("/", host.binary("+", count, host.number(whole - 1)), host.number(whole))
    host.launch("library", kernel, args, grid=host.extent([grid]), block=host.extent([host.number(usage.block)]))
    add_host(module, host.function())
