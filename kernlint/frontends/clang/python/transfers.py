"""What Python functions copy between host and device, as host functions of the tree.

PyCUDA's and PyOpenCL's copies become the runtime's, arrays and buffers what was allocated for them, waits a wait, and
whatever else mentions an array of the host a read of it; so the rules on host code see one kind of program.  A call of
a function that is not the libraries' may do anything.  Sizes are read as for launches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.apis.memory import D2H, H2D
from kernlint.apis.python import COPY_NAMES, WAITS
from kernlint.frontends.clang.python.buffers import Array
from kernlint.frontends.clang.python.hosts import add_host
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.frontends.clang.python.reading import Reader
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Block,
    Call,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    If,
    IntLit,
    Launch,
    Module,
    Opaque,
    ParamDecl,
    Ref,
    Stmt,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import BOOL, I8, I16, I32, I64, U8, VOID, FloatType, PointerType, Space, Type

_ELEMENTS: dict[str, Type] = {
    "float32": FloatType(32), "float64": FloatType(64), "int8": I8, "uint8": U8, "int16": I16, "uint16": I16,
    "int32": I32, "uint32": I32, "int64": I64, "uint64": I64,
}  # fmt: skip
_QUIET = frozenset({"print", "len", "range", "int", "float", "min", "max", "abs", "str", "isinstance", "zip"})
_LIBRARIES = frozenset({"numpy", "math", "pyopencl", "pycuda", "cupy", "time"})


def add_transfers(program: PythonProgram, module: Module) -> None:
    """Add what the functions of a Python file copy to ``module``."""
    names = {called.name.rpartition(".")[2] for called in program.calls}
    if not names & COPY_NAMES.keys():
        return
    for scope in program.scopes:
        node = scope.node
        if isinstance(node, (ast.FunctionDef, ast.Module)):
            found = _Transfers(program, scope, module.path).function(node)
            if found is not None:
                add_host(module, found)


class _Transfers:
    """Puts together the host function for one function of Python."""

    def __init__(self, program: PythonProgram, scope: Scope, path: str) -> None:
        self.program = program
        self.scope = scope
        self.path = path
        probe = ast.Call(ast.Name("", ast.Load()), [], [])
        ast.copy_location(probe, _first(scope.node))
        self.reader = Reader(program, Called(ast.fix_missing_locations(probe), "", scope), path)
        self.known: dict[str, tuple[VarDecl, bool, Array | None]] = {}
        self.made: list[Stmt] = []
        self.copies = 0

    def function(self, node: ast.FunctionDef | ast.Module) -> FunctionDecl | None:
        """The host function; None where nothing is copied."""
        body = self.block(node.body)
        if not self.copies:
            return None
        name = getattr(node, "name", "module")
        span = self.span(_first(node))
        params: tuple[ParamDecl, ...] = tuple(self.reader.host.params.values())
        whole = Block(span, (*self.made, *body))
        return FunctionDecl(span, name, name, FunctionKind.HOST, params, VOID, whole)

    def span(self, node: ast.AST) -> Span:
        """The place of a node in the file."""
        return Span(self.path, self.program.start(node), self.program.end(node))

    # statements

    def block(self, body: Sequence[ast.stmt]) -> list[Stmt]:
        """Statements in order; what branches is under a condition of its own."""
        out: list[Stmt] = []
        for stmt in body:
            if isinstance(stmt, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                continue
            if isinstance(stmt, ast.If):
                out += self.expression(stmt.test)
                then, other = self.block(stmt.body), self.block(stmt.orelse)
                span = self.span(stmt.test)
                test = Opaque(span, BOOL, "test of a Python program")
                if then or other:
                    out.append(If(span, test, Block(span, tuple(then)), Block(span, tuple(other))))
                continue
            inner = [one for name in ("body", "orelse", "finalbody") for one in getattr(stmt, name, ())]
            if inner:
                for part in (getattr(stmt, "iter", None), getattr(stmt, "test", None)):
                    out += self.expression(part) if part is not None else []
                for item in getattr(stmt, "items", ()):
                    out += self.expression(item.context_expr)
                out += self.block(inner)
                continue
            out += self.statement(stmt)
        return out

    def statement(self, stmt: ast.stmt) -> list[Stmt]:
        """One plain statement."""
        if isinstance(stmt, ast.Return) and stmt.value is not None and dotted(stmt.value) is not None:
            return []  # who gets it may wait
        if isinstance(stmt, (ast.Assign, ast.AugAssign)):
            targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
            out = self.expression(stmt.value)
            for target in targets:
                if isinstance(target, ast.Subscript):
                    out += self.stored(target.value, target)
            return out
        values = [value for _, value in ast.iter_fields(stmt) if isinstance(value, ast.expr)]
        return [made for value in values for made in self.expression(value)]

    def stored(self, expr: ast.expr, at: ast.AST) -> list[Stmt]:
        """``array[...] = value``."""
        held = self.of(expr)
        if held is None or held[1]:
            return []
        element = self.element(held[0], at)
        return [ExprStmt(element.span, _filled(element))]

    def expression(self, expr: ast.expr) -> list[Stmt]:
        """What an expression does: copies, waits, reads of the host's arrays, in this order."""
        calls = [node for node in ast.walk(expr) if isinstance(node, ast.Call)]
        out: list[Stmt] = []
        copied: set[int] = set()
        for node in calls:
            copy = self.copy(node)
            if copy is not None:
                out.append(copy)
                copied.update(id(inner) for arg in node.args for inner in ast.walk(arg))
        for node in calls:
            out += self.other(node, copied)
        for name in self.mentioned(expr, copied):
            out.append(ExprStmt(name.span, name))
        return out

    def other(self, node: ast.Call, copied: set[int]) -> Iterator[Stmt]:
        """A call that is no copy: a wait, a launch, or a function that may do anything."""
        name = dotted(node.func) or ""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        span = self.span(node)
        if last in COPY_NAMES or id(node) in copied:
            return
        if last in WAITS:
            yield ExprStmt(span, Call(span, I32, "cudaDeviceSynchronize", None, ()))
            return
        given = [held for arg in node.args if (held := self.of(arg)) is not None]
        if any(device for _, device, _ in given):
            refs = tuple(Ref(span, decl.type, decl) for decl, device, _ in given if device)
            yield ExprStmt(span, Launch(span, VOID, "Python", "?", None, None, None, None, None, refs))
            return
        full = self.program.imported(name).partition(".")[0]
        plain = full in ("numpy", "math", "pyopencl", "pycuda", "cupy", "time") or last in _QUIET
        if (
            not plain
            and self.scope.holder(name.partition(".")[0]) is not None
            and "." not in name.removeprefix("self.")
        ):
            yield ExprStmt(span, Call(span, I32, "a function of Python", None, ()))

    def mentioned(self, expr: ast.expr, copied: set[int]) -> Iterator[Expr]:
        """Reads of the host's arrays that have been copied to or from, but for those in copies."""
        for node in ast.walk(expr):
            if id(node) in copied or not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            held = self.known.get(dotted(node) or "")
            if held is not None and not held[1]:
                yield self.element(held[0], node)

    def element(self, decl: VarDecl, at: ast.AST) -> Expr:
        """The first element of an array."""
        span = self.span(at)
        kind = decl.type.pointee if isinstance(decl.type, PointerType) else I8
        return Subscript(span, kind, Ref(span, decl.type, decl), IntLit(span, I32, 0))

    # copies

    def copy(self, node: ast.Call) -> Stmt | None:
        """The copy that a call makes; None for other calls."""
        name = dotted(node.func) or ""
        last, full = name.rpartition(".")[2], self.program.imported(name)
        keys = {key.arg: key.value for key in node.keywords}
        known = COPY_NAMES.get(last)
        if known is not None and known.kind in (H2D, D2H) and full.startswith("pycuda.") and len(node.args) >= 2:
            return self._copy(node, node.args[known.target], node.args[known.source], known.kind, known.later)
        if last == "enqueue_copy" and full.startswith("pyopencl.") and len(node.args) >= 3:
            target, source = self.of(node.args[1]), self.of(node.args[2])
            if target is None or source is None or target[1] == source[1]:
                return None
            blocking = keys.get("is_blocking")
            later = isinstance(blocking, ast.Constant) and blocking.value is False
            return self._copy(node, node.args[1], node.args[2], 1 if target[1] else 2, later)
        return None

    def _copy(self, node: ast.Call, to: ast.expr, start: ast.expr, kind: int, later: bool) -> Stmt | None:
        target, source = self.of(to, kind == 1), self.of(start, kind == 2)
        if target is None or source is None:
            return None
        self.copies += 1
        span = self.span(node)
        host, expr = (source, start) if kind == 1 else (target, to)
        size = self.bytes(host[2], expr) or Opaque(span, I64, "size of an array")
        pointers = [Ref(span, decl.type, decl) for decl in (target[0], source[0])]
        args = (*pointers, size, IntLit(span, I32, kind), IntLit(span, I32, 0))
        name = "cudaMemcpyAsync" if later else "cudaMemcpy"
        return ExprStmt(span, Call(span, I32, name, None, args if later else args[:4]))

    def bytes(self, array: Array | None, expr: ast.expr) -> Expr | None:
        """The bytes of an array; by its name where only the type of its elements is known."""
        if array is None:
            return None
        size = self.reader.bytes(array)
        name = dotted(expr)
        if size is None and array.width and name is not None and array.shape is None:
            host = self.reader.host
            size = host.binary("*", host.size(f"{name}.size"), host.number(array.width))
        return size

    def of(self, expr: ast.expr, device: bool | None = None) -> tuple[VarDecl, bool, Array | None] | None:
        """The array or buffer that an expression names, and whether it is the device's; None for anything else, or
        where that is not known and ``device`` does not say."""
        while isinstance(expr, ast.Subscript):
            expr = expr.value
        name = dotted(expr)
        if name is None:
            return None
        known = self.known.get(name)
        if known is not None:
            return known
        value, where = self.program.resolved(expr, self.scope)
        if isinstance(value, ast.ListComp):
            value = value.elt
        elif value is expr and device is None:
            return None
        array = self.reader.array(value, where)
        made = (dotted(value.func) or "") if isinstance(value, ast.Call) else ""
        full = self.program.imported(made)
        if device is None:
            if full.endswith((".Buffer", ".mem_alloc")):
                device = True
            elif full.startswith("numpy.") or full.endswith((".pagelocked_empty", ".pagelocked_zeros")):
                device = False
            else:
                return None
        element = _ELEMENTS.get(array.dtype if array is not None else "", U8)
        kind = PointerType(element, Space.GLOBAL if device else Space.HOST)
        span = self.span(expr)
        decl = VarDecl(span, name, kind, Space.HOST)
        self.known[name] = decl, device, array
        self.made += self._allocated(decl, device, array, full, expr)
        return self.known[name]

    def _allocated(self, decl: VarDecl, device: bool, array: Array | None, full: str, expr: ast.expr) -> Iterator[Stmt]:
        """The declaration of an array, with what it is allocated by."""
        span = decl.span
        size = self.bytes(array, expr) or Opaque(span, I64, "size of an array")
        if device:
            yield DeclStmt(span, (decl,))
            out = AddressOf(span, PointerType(decl.type, Space.HOST), Ref(span, decl.type, decl))
            yield ExprStmt(span, Call(span, I32, "cudaMalloc", None, (out, size)))
            return
        pinned = "pagelocked" in full
        made = Call(span, decl.type, "cudaMallocHost" if pinned else "malloc", None, (size,))
        if pinned:
            yield DeclStmt(span, (decl,))
            out = AddressOf(span, PointerType(decl.type, Space.HOST), Ref(span, decl.type, decl))
            yield ExprStmt(span, Call(span, I32, "cudaMallocHost", None, (out, size)))
            return
        with_init = VarDecl(span, decl.name, decl.type, Space.HOST, made)
        self.known[decl.name] = with_init, device, array
        yield DeclStmt(span, (with_init,))
        if not full.endswith((".empty", ".empty_like")):  # it holds something
            yield ExprStmt(span, _filled(self.element(with_init, expr)))


def _filled(element: Expr) -> Expr:
    """A store of something to an element."""
    return Assign(element.span, element.type, "", element, Opaque(element.span, element.type, "contents"))


def _first(node: ast.AST) -> ast.AST:
    body = getattr(node, "body", None)
    return body[0] if isinstance(body, list) and body and not isinstance(node, ast.FunctionDef) else node
