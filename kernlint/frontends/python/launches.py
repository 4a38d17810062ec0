"""Launches of numba's kernels: ``kernel[grid, block, stream, shared](...)``, configured under a name, ``forall``.

Each becomes a host function of the module, as launches of kernels in strings do.  What is passed tells the types of a
kernel without a signature, as it tells numba.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.buffers import Array as HostArray
from kernlint.frontends.clang.python.entered import by_default, default_of, entered, spread
from kernlint.frontends.clang.python.handing import handed_on, inherited
from kernlint.frontends.clang.python.hosts import add_host
from kernlint.frontends.clang.python.kept import taken
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.frontends.clang.python.reading import Reader
from kernlint.frontends.python.functions import Array, Finder, Jitted, Stated
from kernlint.frontends.python.values import SCALARS
from kernlint.record import dataclass, replace
from kernlint.tree.nodes import Expr, FunctionDecl, IntLit, Module, ParamDecl, Ref
from kernlint.tree.types import F64, I64, PointerType, Type
from kernlint.tree.walk import traverse

CHOSEN = 128
"""Threads of a block that ``forall`` is taken to choose; it chooses what the device has room for, rounded up."""


@dataclass(frozen=True, slots=True, eq=False)
class Launched:
    """A launch as it is written.  ``count``: the tasks of ``forall``, in place of grid and block."""

    program: PythonProgram
    jitted: Jitted
    called: Called
    grid: ast.expr | None
    block: ast.expr | None
    shared: ast.expr | None = None
    count: ast.expr | None = None
    where: Scope | None = None
    """The scope that grid and block are written in."""
    packed: ast.Tuple | None = None
    """The arguments, where they stand in a tuple."""

    @property
    def args(self) -> list[ast.expr] | None:
        """What is passed; None when a part of it is not in sight."""
        if self.packed is not None:
            return None if any(isinstance(arg, ast.Starred) for arg in self.packed.elts) else list(self.packed.elts)
        node = self.called.node
        return spread(self.program, node.args, self.called.scope) if not node.keywords else None


def launches_of(program: PythonProgram, finder: Finder) -> Iterator[Launched]:
    """The launches of a file, in order, and those in other files of kernels that it hands to them."""

    def is_kernel(expr: ast.expr, scope: Scope) -> bool:
        if isinstance(expr, ast.Constant):
            return isinstance(expr.value, str)  # under which a table may have one
        named = isinstance(expr, (ast.Name, ast.Attribute, ast.Subscript))
        return named and kernel_of(program, finder, expr, scope) is not None

    for called in program.calls:
        found = _launched(program, finder, called)
        if found is not None and not found.jitted.device:
            yield found
        if _left_open(program, found, called):
            for inner in entered(program, called):
                again = _launched(program, finder, inner)
                if again is not None and not again.jitted.device:
                    yield again
        if found is not None and not found.jitted.device:
            yield from _by_default(program, finder, found)
        else:
            for other, inner in handed_on(program, called, is_kernel):
                again = _launched(other, finder, inner)
                if again is not None and not again.jitted.device:
                    yield again
    for other, inner in inherited(program, is_kernel):
        again = _launched(other, finder, inner)
        if again is not None and not again.jitted.device:
            yield again


def left_to_callers(program: PythonProgram, finder: Finder) -> Iterator[str]:
    """Functions of a file that launch what only their callers know."""
    for called in program.calls:
        outer = called.scope.node
        open_ = isinstance(outer, ast.FunctionDef) and isinstance(called.node.func, ast.Subscript)
        if open_ and _launched(program, finder, called) is None:
            yield outer.name  # type: ignore[attr-defined]


def _by_default(program: PythonProgram, finder: Finder, found: Launched) -> Iterator[Launched]:
    """A launch whose block is a parameter, or an attribute that the constructor takes from one, with its default."""
    called, block = found.called, found.block
    if block is None or found.count is not None:
        return
    given, where = program.resolved(block, found.where or called.scope)
    if where is called.scope:
        usual = by_default(program, called, (given,))
        again = _launched(program, finder, usual) if usual is not None else None
        if again is not None:
            yield again
    elif isinstance(given, (ast.Name, ast.Tuple)):
        value = _usual(program, given, where)
        if value is not None and value is not given:
            yield replace(found, grid=None, block=value, where=where)


def _usual(program: PythonProgram, block: ast.expr, scope: Scope) -> ast.expr | None:
    """A block with the defaults of parameters for these; None where one has none."""
    if isinstance(block, ast.Name):
        return default_of(program, block.id, scope)
    if not isinstance(block, ast.Tuple):
        return block if isinstance(block, ast.Constant) else None
    sides = [_usual(program, side, scope) for side in block.elts]
    known = [side for side in sides if side is not None]
    if len(known) < len(sides) or known == block.elts:
        return None
    return ast.copy_location(ast.Tuple(known, ast.Load()), block)


def _left_open(program: PythonProgram, found: Launched | None, called: Called) -> bool:
    """Whether the callers of the function that a launch stands in say more of it: its kernel, block or arguments."""
    if found is None:
        func = called.node.func
        return isinstance(func, ast.Subscript) or (isinstance(func, ast.Call) and isinstance(func.func, ast.Attribute))
    if found.args is None:
        return True
    where = found.where or called.scope
    return any(
        isinstance(program.resolved(part, where)[0], ast.Name) for part in (found.grid, found.block) if part is not None
    )


def _launched(program: PythonProgram, finder: Finder, called: Called) -> Launched | None:
    target, scope = program.resolved(called.node.func, called.scope)
    if isinstance(target, ast.Subscript):
        jitted = kernel_of(program, finder, target.value, scope)
        if jitted is None:
            return None
        config, where = program.resolved(target.slice, scope)
        if (told := program.returned(config, where)) is not None:
            config, where = told
        if not isinstance(config, ast.Tuple) or not 2 <= len(config.elts) <= 4:
            return None
        shared = config.elts[3] if len(config.elts) > 3 else None
        return Launched(program, jitted, called, config.elts[0], config.elts[1], shared, where=where)
    if isinstance(target, (ast.Name, ast.Attribute)) and len(called.node.args) in (3, 4) and not called.node.keywords:
        return _in_cupys_way(program, finder, called)
    if isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute) and target.func.attr == "forall":
        jitted = kernel_of(program, finder, target.func.value, scope)
        if jitted is None or not target.args:
            return None
        if isinstance(target.args[0], ast.Constant) and target.args[0].value == 0:
            return None  # nothing is launched
        block = target.args[1] if len(target.args) > 1 else None
        shared = target.args[3] if len(target.args) > 3 else None
        for key in target.keywords:
            block = key.value if key.arg == "tpb" else block
            shared = key.value if key.arg == "sharedmem" else shared
        return Launched(program, jitted, called, None, block, shared, target.args[0], scope)
    return None


def _in_cupys_way(program: PythonProgram, finder: Finder, called: Called) -> Launched | None:
    """``kernel((grid,), (block,), (arguments,))`` of a kernel of ``cupyx.jit``."""
    grid, block, packed, *more = called.node.args
    given, where = program.resolved(packed, called.scope)
    if not isinstance(given, ast.Tuple) or where is not called.scope:
        return None
    jitted = kernel_of(program, finder, called.node.func, called.scope)
    if jitted is None or not jitted.raw:
        return None
    shared = more[0] if more else None
    return Launched(program, jitted, called, grid, block, shared, where=called.scope, packed=given)


def kernel_of(program: PythonProgram, finder: Finder, expr: ast.expr, scope: Scope) -> Jitted | None:
    """The compiled function that an expression stands for: by name, or as what a function of the file returns."""
    if isinstance(expr, ast.Name):
        found = finder.named(expr.id, scope)
        if found is not None:
            return found
    expr, scope = taken(program, expr, scope)
    if isinstance(expr, ast.Name):
        return finder.named(expr.id, scope)
    if isinstance(expr, ast.Attribute) and (name := dotted(expr)) is not None:
        return finder.foreign(name, scope) if scope.holder(name.partition(".")[0]) is None else None
    if isinstance(expr, ast.Call):
        made = finder.by_node.get(expr)
        if made is not None:
            return made
        if isinstance(expr.func, ast.Name):
            return _factory(program, finder, expr.func.id, scope)
    return None


def _factory(program: PythonProgram, finder: Finder, name: str, scope: Scope) -> Jitted | None:
    inner = program.function(name, scope)
    returns = [at for at in ast.walk(inner.node) if isinstance(at, ast.Return)] if inner is not None else []
    for at in returns:
        if inner is not None and isinstance(at.value, ast.Name):
            found = finder.named(at.value.id, inner)
            if found is not None:
                return found
    return None


# ------------------------------------------------------------------------------------------------------------- types


def hints_of(launched: Sequence[Launched]) -> dict[ast.AST, dict[str, Stated]]:
    """For each kernel, the types of what its launches pass, by parameter; where they differ, nothing."""
    found: dict[ast.AST, dict[str, Stated]] = {}
    lost: set[tuple[ast.AST, str]] = set()
    for launch in launched:
        reader = Reader(launch.program, launch.called, "")
        known = found.setdefault(launch.jitted.node, {})
        for name, arg in zip(launch.jitted.parameters, launch.args or (), strict=False):
            type_ = _type_of(reader, arg, launch.called.scope)
            key = (launch.jitted.node, name)
            if type_ is None or key in lost:
                continue
            if name in known and known[name] != type_:
                del known[name]
                lost.add(key)
            else:
                known[name] = type_
    return found


def _type_of(reader: Reader, arg: ast.expr, scope: Scope) -> Stated:
    array = reader.array(arg, scope)
    if array is not None:
        element = SCALARS.get(array.dtype)
        return Array(element, len(array.shape or ()), "C") if element is not None else None
    value, _ = reader.program.resolved(arg, scope)
    return scalar_type(value)


def scalar_type(value: ast.expr) -> Type | None:
    """The type of a number that is passed."""
    if isinstance(value, ast.UnaryOp):
        return scalar_type(value.operand)
    if isinstance(value, ast.Attribute) and value.attr in ("size", "ndim", "nbytes", "itemsize"):
        return I64
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute) and value.value.attr == "shape":
        return I64
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.FloorDiv | ast.Mult | ast.Add | ast.Sub | ast.Mod):
        both = scalar_type(value.left), scalar_type(value.right)
        return I64 if both == (I64, I64) else None
    if isinstance(value, ast.Constant) and not isinstance(value.value, bool):
        return I64 if isinstance(value.value, int) else F64 if isinstance(value.value, float) else None
    if isinstance(value, ast.Call) and isinstance(value.func, (ast.Attribute, ast.Name)):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else value.func.id
        if name == "len":
            return I64
        return SCALARS.get(name) if isinstance(value.func, ast.Attribute) or name in ("int", "float") else None
    return None


# ------------------------------------------------------------------------------------------------------ host functions


class NumbaReader(Reader):
    """Reads one launch of a numba kernel."""

    def add(self, module: Module, launch: Launched, kernel: FunctionDecl) -> None:
        """Add the launch to ``module``."""
        host, scope = self.host, self.called.scope
        where = launch.where or scope
        args = launch.args or []
        for name, arg in zip(launch.jitted.parameters, args, strict=False):
            decl = next((param for param in kernel.params if param.name == name), None)
            base = self.base_name(arg, scope)
            if decl is not None and decl.shape and base is not None:
                self.ranks.setdefault(base, len(decl.shape))
        grid, block = self._sizes(launch, where)
        sizes = [*(grid or ()), *(block or ())]
        self.known = frozenset(at.decl.name for size in sizes for at in traverse(size) if isinstance(at, Ref))
        shared = self.number(launch.shared, where) if launch.shared is not None else host.number(0)
        passed = self._arguments(launch.jitted, kernel, args, scope)
        if not self.checked():
            grid = None if grid is None else [size if isinstance(size, IntLit) else host.unknown() for size in grid]
            block = None if block is None else [size if isinstance(size, IntLit) else host.unknown() for size in block]
            passed = [host.unknown(param.type) for param in kernel.params]
        host.launch(
            "numba",
            kernel,
            passed,
            grid=host.extent(grid) if grid is not None else None,
            block=host.extent(block) if block is not None else None,
            shared=shared,
        )
        add_host(module, host.function())

    def _sizes(self, launch: Launched, where: Scope) -> tuple[list[Expr] | None, list[Expr] | None]:
        if launch.count is None:
            return self.sizes(launch.grid, where, True), self.sizes(launch.block, where, True)
        threads = self.number(launch.block, where) if launch.block is not None else None
        if not isinstance(threads, IntLit) or threads.value < 1:
            threads = self.host.number(CHOSEN)
        count = self.number(launch.count, where) or self.host.size(ast.unparse(launch.count))
        more = self.arithmetic("-", threads, self.host.number(1))
        return [self.arithmetic("/", self.arithmetic("+", count, more), threads)], [threads]

    def _arguments(self, jitted: Jitted, kernel: FunctionDecl, args: Sequence[ast.expr], scope: Scope) -> list[Expr]:
        given = dict(zip(jitted.parameters, args, strict=False))
        out: list[Expr] = []
        shapes: dict[ParamDecl, Expr] = {}
        for param in kernel.params:
            if param in shapes:
                out.append(shapes[param])
            elif param.shape and param.name in given:
                out.append(self._array(param, given[param.name], scope, shapes))
            elif param.name in given and not isinstance(param.type, PointerType):
                value = self.number(given[param.name], scope)
                out.append(self.host.passed(value, param) if value is not None else self.host.unknown(param.type))
            else:
                out.append(self.host.unknown(param.type))
        return self._one_for_two(kernel, out, [dotted(given.get(param.name, ast.Pass())) for param in kernel.params])

    def _one_for_two(self, kernel: FunctionDecl, args: list[Expr], names: Sequence[str | None]) -> list[Expr]:
        """Arguments of which those that are one array by their name (``step[n, 256](field.now, field.now)``) are one
        pointer."""
        first: dict[str, int] = {}
        for at, (name, param) in enumerate(zip(names, kernel.params, strict=True)):
            if name is None or not isinstance(param.type, PointerType) or not param.shape:
                continue
            one = first.setdefault(name, at)
            if one == at or kernel.params[one].type != param.type:
                continue
            if not isinstance(args[one], Ref):
                args[one] = self.host.pointer(name, param.type)
            args[at] = args[one]
        return args

    def _array(self, param: ParamDecl, arg: ast.expr, scope: Scope, shapes: dict[ParamDecl, Expr]) -> Expr:
        """The array that is passed, allocated as large as it is where the grid rests on its sizes too."""
        assert isinstance(param.type, PointerType)
        array: HostArray | None = self.array(arg, scope)
        width = param.type.pointee.size
        if array is None or array.shape is None or len(array.shape) != len(param.shape):
            return self.host.unknown(param.type)
        for decl, extent in zip(param.shape, array.shape, strict=True):
            shapes[decl] = extent
        size = self.product((*array.shape, self.host.number(width or 8)))
        names = {node.decl.name for node in traverse(size) if isinstance(node, Ref)}
        if not names <= self.known or width is None:
            return self.host.unknown(param.type)
        return self.host.allocated(param.name, param.type.pointee, size)
