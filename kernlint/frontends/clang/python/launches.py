"""Launches in Python programs: PyOpenCL's ``program.kernel(queue, global, local, ...)``, PyCUDA's functions with
``block=`` and ``grid=`` and prepared calls, CuPy's ``kernel((grid,), (block,), (arguments,))``.

Each becomes a host function of the kernel's module with the sizes as far as they are plain: numbers, names that are
bound once, sums, products and quotients, the shapes of arrays that are made in sight.  What is bound elsewhere is a
size of which nothing is known; what cannot be followed at all is unknown.  Assertions and tests that stand before a
launch are the host's checks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.python.hosts import HostBuilder, add_host
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted, program_of
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import Barrier, Call, Expr, FunctionDecl, IntLit, LaunchValue, Module, Quantity, Ref, VarDecl
from kernlint.tree.types import I64, PointerType, Space
from kernlint.tree.walk import walk

DEPTH = 24
"""Expressions inside each other that are followed."""

_WIDTHS = {
    "bool": 1, "bool_": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4,
    "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16, "float": 8, "double": 8,
    "single": 4, "intc": 4, "complex": 16,
}  # fmt: skip
"""Bytes of NumPy's types."""

_NUMBERS = frozenset({"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp", "uintp"})
_MODULES = frozenset({"numpy", "cupy", "pycuda", "pyopencl", "math"})
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_SAME_ARRAY = frozenset({"In", "Out", "InOut", "to_gpu", "ascontiguousarray", "asarray", "array", "copy", "to_device"})
_ALIKE = frozenset({"zeros_like", "empty_like", "ones_like", "mem_alloc_like"})
_FILLED = frozenset({"zeros", "ones", "empty"})


@dataclass(frozen=True, slots=True)
class _Array:
    """An array: its shape, and the bytes of an element (None: not known); or only all of its bytes."""

    shape: tuple[Expr, ...] | None
    width: int | None
    bytes: Expr | None = None


@dataclass(frozen=True, slots=True)
class _Launched:
    """A launch as it is written: (kernel's name, program's place or None), and the expressions of its parts."""

    api: str
    name: str
    origin: int | None
    grid: ast.expr | None
    block: ast.expr | None
    shared: ast.expr | None
    args: tuple[ast.expr, ...] | None
    threads: bool = False  # the grid is counted in threads


def add_launches(host: bytes, made: Sequence[tuple[Program, Module]]) -> None:
    """Add the launches of a Python file to the modules of its programs."""
    program = program_of(host)
    if program is None:
        return
    names = {kernel.name for _, module in made for kernel in module.kernels}
    for called in program.calls:
        launched = _launched(program, called, names)
        if launched is None:
            continue
        found = [
            (module, kernel.function)
            for source, module in made
            for kernel in module.kernels
            if kernel.name == launched.name
            and source.places is None
            and (launched.origin is None or source.start <= launched.origin < source.end)
            and (module.language == "opencl") == (launched.api == "PyOpenCL")
        ]
        if len(found) == 1:
            _Reader(program, called, found[0][0].path).launch(launched, *found[0])


def of_other_length(program: PythonProgram, made: ast.Call, names: Sequence[str], vectors: Sequence[str]) -> set[str]:
    """Those of ``vectors`` for which some call of the kernel that ``made`` makes passes an array that is visibly of
    another length than the first; ``names`` are the kernel's parameters."""
    found: set[str] = set()
    for called in program.calls:
        if program.resolved(called.node.func, called.scope)[0] is not made:
            continue
        reader = _Reader(program, called, "")
        lengths: dict[str, str] = {}
        for name, arg in zip(names, called.node.args, strict=False):
            array = reader.array(arg, called.scope) if name in vectors else None
            if array is not None and array.shape:
                lengths[name] = expression_text(reader.product(array.shape))
        first = lengths.get(vectors[0])
        found |= {name for name, length in lengths.items() if first is not None and length != first}
    return found


# ------------------------------------------------------------------------------------------------------- recognition


def _launched(program: PythonProgram, called: Called, names: set[str]) -> _Launched | None:
    """The launch that a call is; None when it is another call, or its arguments are not in sight."""
    node, scope = called.node, called.scope
    keys = {key.arg: key.value for key in node.keywords if key.arg is not None}
    if any(key.arg is None for key in node.keywords):
        return None
    target: ast.expr = node.func
    method = target.attr if isinstance(target, ast.Attribute) else ""
    plain = None if any(isinstance(arg, ast.Starred) for arg in node.args) else tuple(node.args)
    if method in ("prepared_call", "prepared_async_call", "prepared_timed_call") and isinstance(target, ast.Attribute):
        kernel = _function(program, target.value, scope, names)
        first = 3 if method == "prepared_async_call" else 2
        if kernel is None or len(node.args) < 2 or any(isinstance(a, ast.Starred) for a in node.args[:first]):
            return None
        rest = plain[first:] if plain is not None else None
        return _Launched("PyCUDA", *kernel, node.args[0], node.args[1], keys.get("shared_size"), rest)
    kernel = _function(program, target, scope, names)
    if kernel is None:
        return None
    if "block" in keys:
        return _Launched("PyCUDA", *kernel, keys.get("grid"), keys["block"], keys.get("shared"), plain)
    if len(node.args) < 2 or any(isinstance(arg, ast.Starred) for arg in node.args[:3]):
        return None
    third = node.args[2] if len(node.args) > 2 else None
    if _is_tuple(program, node.args[0], scope):
        packed = program.resolved(third, scope)[0] if third is not None else keys.get("args")
        args = tuple(packed.elts) if isinstance(packed, (ast.Tuple, ast.List)) else None
        shared = node.args[3] if len(node.args) > 3 else keys.get("shared_mem")
        return _Launched("CuPy", *kernel, node.args[0], node.args[1], shared, args)
    if third is None or "g_times_l" in keys:
        return None
    rest = plain[3:] if plain is not None else None
    return _Launched("PyOpenCL", *kernel, node.args[1], third, None, rest, threads=True)


def _is_tuple(program: PythonProgram, expr: ast.expr, scope: Scope) -> bool:
    return isinstance(program.resolved(expr, scope)[0], (ast.Tuple, ast.List))


def _function(program: PythonProgram, expr: ast.expr, scope: Scope, names: set[str]) -> tuple[str, int | None] | None:
    """Name and program of the kernel that an expression stands for; None when it is none."""
    expr, scope = program.resolved(expr, scope)
    if isinstance(expr, ast.Call):
        callee = dotted(expr.func) or ""
        last = expr.func.attr if isinstance(expr.func, ast.Attribute) else callee
        if last == "get_function" and isinstance(expr.func, ast.Attribute) and expr.args:
            name = program.string(expr.args[0], scope)
            return (name, _origin(program, expr.func.value, scope)) if name in names and name is not None else None
        if last == "Kernel" and len(expr.args) == 2:
            name = program.string(expr.args[1], scope)
            return (name, _origin(program, expr.args[0], scope)) if name in names and name is not None else None
        if last == "RawKernel" and len(expr.args) >= 2:
            name = program.string(expr.args[1], scope)
            text = program.text(expr.args[0], scope)
            if name in names and name is not None and text is not None and text.places:
                return name, text.places[0][2]
        return None
    if isinstance(expr, ast.Attribute) and expr.attr in names:
        origin = _origin(program, expr.value, scope)
        if origin is not None or _may_be_program(program, expr.value, scope):
            return expr.attr, origin
    return None


def _unbuilt(program: PythonProgram, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """What makes a program, without the ``build()`` behind it."""
    for _ in range(DEPTH):
        expr, scope = program.resolved(expr, scope)
        built = isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr == "build"
        if not built or not isinstance(expr, ast.Call) or not isinstance(expr.func, ast.Attribute):
            break
        expr = expr.func.value
    return expr, scope


def _origin(program: PythonProgram, expr: ast.expr, scope: Scope) -> int | None:
    """Where the text of a program stands in the file; None when that is not in sight."""
    expr, scope = _unbuilt(program, expr, scope)
    if not isinstance(expr, ast.Call):
        return None
    callee = (dotted(expr.func) or "").rpartition(".")[2]
    at = {"Program": 1, "SourceModule": 0, "RawModule": 0}.get(callee)
    if at is None:
        return None
    keys = {key.arg: key.value for key in expr.keywords}
    source = expr.args[at] if len(expr.args) > at else keys.get("code", keys.get("source"))
    text = program.text(source, scope)
    return text.places[0][2] if text is not None and text.places else None


def _may_be_program(program: PythonProgram, expr: ast.expr, scope: Scope) -> bool:
    """Whether an expression of which nothing is known may be a program: it is no module."""
    made, _ = _unbuilt(program, expr, scope)
    if isinstance(made, ast.Call):
        return (dotted(made.func) or "").rpartition(".")[2] == "Program"
    name = dotted(made)
    return name is not None and name.partition(".")[0] not in program.imports


# ------------------------------------------------------------------------------------------------------------ values


class _Reader:
    """Reads what one launch is given."""

    def __init__(self, program: PythonProgram, called: Called, path: str) -> None:
        self.program = program
        self.called = called
        span = Span(path, program.start(called.node), program.end(called.node))
        owner = called.scope.node
        self.host = HostBuilder(span, getattr(owner, "name", "module"))
        self.known: frozenset[str] = frozenset()

    def launch(self, launched: _Launched, module: Module, kernel: FunctionDecl) -> None:
        """Add the launch to ``module``."""
        host, scope = self.host, self.called.scope
        grid, block = self.sizes(launched.grid, scope), self.sizes(launched.block, scope)
        one = host.number(1)
        if launched.api == "PyCUDA" and launched.grid is None:
            grid = [one]
        if launched.threads and grid is not None and block is None and _is_none(launched.block):
            block = self.chosen(grid, kernel)
        self.known = frozenset(self.host.params)
        shared = self.number(launched.shared, scope) if launched.shared is not None else None
        if launched.shared is None and not launched.threads:
            shared = host.number(0)
        args = [self.argument(arg, scope, kernel, at) for at, arg in enumerate(launched.args or ())]
        if not self.checked():
            grid = None if grid is None else [host.unknown() for _ in grid]
            block = None if block is None else [size if isinstance(size, IntLit) else host.unknown() for size in block]
            args = []
        extent = host.extent(grid) if grid is not None else None
        host.launch(
            launched.api,
            kernel,
            args,
            grid=None if launched.threads else extent,
            global_size=extent if launched.threads else None,
            block=host.extent(block) if block is not None else None,
            shared=shared,
        )
        add_host(module, host.function())

    def chosen(self, sizes: list[Expr], kernel: FunctionDecl) -> list[Expr] | None:
        """A block that the runtime may choose for a launch that leaves it open, where the kernel does not care."""
        for node in walk(kernel):
            if isinstance(node, (Barrier, Call)) and (isinstance(node, Barrier) or node.function is not None):
                return None
            if isinstance(node, VarDecl) and node.space is Space.SHARED:
                return None
            if isinstance(node, LaunchValue) and node.quantity not in (Quantity.GLOBAL_ID, Quantity.GLOBAL_SIZE):
                return None
        out: list[Expr] = []
        for axis, size in enumerate(sizes):
            value = size.value if isinstance(size, IntLit) else None
            if value is None:
                out.append(self.host.size(f"local_size_{'xyz'[axis % 3]}"))
            else:
                out.append(self.host.number(next((d for d in (16, 8, 4, 2) if value and value % d == 0), 1)))
        return out

    def argument(self, expr: ast.expr, scope: Scope, kernel: FunctionDecl, at: int) -> Expr:
        """An argument of the kernel: an array of known size, a number, or something unknown."""
        if at >= len(kernel.params):
            return self.host.unknown()
        param = kernel.params[at]
        if isinstance(param.type, PointerType):
            array = self.array(expr, scope)
            size = self.bytes(array) if array is not None else None
            if size is None or not param.type.pointee.size or not self._known(size):
                return self.host.unknown(param.type)
            return self.host.allocated(param.name, param.type.pointee, size)
        value = self.number(expr, scope)
        return self.host.passed(value, param) if value is not None else self.host.unknown(param.type)

    def _known(self, size: Expr) -> bool:
        """Whether a size rests on numbers and on what the grid rests on: others have no say in whether it fits."""
        return all(node.decl.name in self.known for node in walk(size) if isinstance(node, Ref))

    def bytes(self, array: _Array) -> Expr | None:
        """The bytes of an array."""
        if array.bytes is not None:
            return array.bytes
        if array.shape is None or array.width is None:
            return None
        return self.product((*array.shape, self.host.number(array.width)))

    def product(self, factors: Sequence[Expr]) -> Expr:
        out = factors[0]
        for factor in factors[1:]:
            out = self.arithmetic("*", out, factor)
        return out

    def arithmetic(self, op: str, left: Expr, right: Expr) -> Expr:
        """``left op right``, worked out where both are numbers."""
        if isinstance(left, IntLit) and isinstance(right, IntLit):
            a, b = left.value, right.value
            if op == "*":
                return self.host.number(a * b)
            if op == "+":
                return self.host.number(a + b)
            if op == "-":
                return self.host.number(a - b)
            if op in ("/", "%") and a >= 0 and b > 0:
                return self.host.number(a // b if op == "/" else a % b)
            if op in ("<<", ">>") and a >= 0 and 0 <= b < 40:
                return self.host.number(a << b if op == "<<" else a >> b)
        return self.host.binary(op, left, right)

    def sizes(self, expr: ast.expr | None, scope: Scope) -> list[Expr] | None:
        """Up to three sizes; None when not even their number is known.  One that is not followed is unknown."""
        if expr is None:
            return None
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, (ast.Tuple, ast.List)):
            if not 1 <= len(expr.elts) <= 3 or any(isinstance(part, ast.Starred) for part in expr.elts):
                return None
            return [self.number(part, scope) or self.host.unknown() for part in expr.elts]
        if isinstance(expr, ast.Attribute) and expr.attr == "shape":
            array = self.array(expr.value, scope)
            return list(array.shape) if array is not None and array.shape and len(array.shape) <= 3 else None
        if isinstance(expr, ast.Constant) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
            return [self.host.number(expr.value)]
        return None

    # numbers

    def number(self, expr: ast.expr, scope: Scope, depth: int = 0) -> Expr | None:
        """The value of an expression as a number or a term over sizes; None when it is not followed."""
        if depth > DEPTH:
            return None
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Constant):
            if isinstance(expr.value, int) and not isinstance(expr.value, bool) and abs(expr.value) < 1 << 62:
                return self.host.number(expr.value)
            return None
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
            return self._negative(expr.operand, scope, depth)
        if isinstance(expr, ast.BinOp):
            return self._operation(expr, scope, depth)
        if isinstance(expr, ast.Call):
            return self._called(expr, scope, depth)
        if isinstance(expr, ast.Subscript) and isinstance(expr.value, ast.Attribute) and expr.value.attr == "shape":
            return self._axis(expr, scope)
        if isinstance(expr, ast.Attribute):
            found = self._attribute(expr, scope)
            if found is not None:
                return found
        return self._named(expr, scope)

    def _named(self, expr: ast.expr, scope: Scope) -> Expr | None:
        """A size that is known by name only: bound once, to something not followed."""
        name = dotted(expr)
        if name is None:
            return None
        first = name.partition(".")[0]
        holder = scope.holder(name) or scope.holder(first)
        if holder is None:
            known = self.program.imports.get(first)
            return self.host.size(name) if known is not None and known.partition(".")[0] not in _MODULES else None
        bound = holder.bound.get(name) or holder.bound.get(first) or []
        return self.host.size(name) if len(bound) == 1 else None

    def _negative(self, operand: ast.expr, scope: Scope, depth: int) -> Expr | None:
        """``-x``; ``-(-a // b)`` rounds up."""
        inner, where = self.program.resolved(operand, scope)
        if (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.FloorDiv)
            and isinstance(inner.left, ast.UnaryOp)
            and isinstance(inner.left.op, ast.USub)
        ):
            return self._ceiling(inner.left.operand, inner.right, where, depth)
        value = self.number(inner, where, depth + 1)
        return self.arithmetic("-", self.host.number(0), value) if value is not None else None

    def _ceiling(self, left: ast.expr, right: ast.expr, scope: Scope, depth: int) -> Expr | None:
        above, below = self.number(left, scope, depth + 1), self.number(right, scope, depth + 1)
        if above is None or below is None:
            return None
        top = self.arithmetic("-", self.arithmetic("+", above, below), self.host.number(1))
        return self.arithmetic("/", top, below)

    def _operation(self, expr: ast.BinOp, scope: Scope, depth: int) -> Expr | None:
        op = _OPERATORS.get(type(expr.op))
        if isinstance(expr.op, ast.Pow):
            base, power = self.number(expr.left, scope, depth + 1), self.number(expr.right, scope, depth + 1)
            if isinstance(base, IntLit) and isinstance(power, IntLit) and 0 <= power.value < 62 and base.value >= 0:
                return self.host.number(base.value**power.value) if base.value < 1 << 20 else None
            return None
        if op is None:
            return None
        left, right = self.number(expr.left, scope, depth + 1), self.number(expr.right, scope, depth + 1)
        return self.arithmetic(op, left, right) if left is not None and right is not None else None

    def _called(self, expr: ast.Call, scope: Scope, depth: int) -> Expr | None:
        name = (dotted(expr.func) or "").rpartition(".")[2]
        if name == "len" and len(expr.args) == 1:
            array = self.array(expr.args[0], scope)
            if array is not None and array.shape:
                return array.shape[0]
            inner = dotted(expr.args[0])
            named = self._named(expr.args[0], scope) if inner is not None else None
            return self.host.size(f"len({inner})") if named is not None else None
        if name in ("min", "max") and len(expr.args) == 2:
            values = [self.number(arg, scope, depth + 1) for arg in expr.args]
            if values[0] is None or values[1] is None:
                return None
            if isinstance(values[0], IntLit) and isinstance(values[1], IntLit):
                numbers = values[0].value, values[1].value
                return self.host.number(min(numbers) if name == "min" else max(numbers))
            args = (values[0], values[1])
            return Call(self.host.span, I64, name, None, args, pure_math=True)
        if len(expr.args) != 1 or expr.keywords:
            return None
        (inner_expr,) = expr.args
        if name == "ceil" or name in _NUMBERS:
            quotient = self._quotient(inner_expr, scope, depth)
            if quotient is not None:
                left, right, where, up = quotient
                if up or name == "ceil":
                    return self._ceiling(left, right, where, depth)
                above, below = self.number(left, where, depth + 1), self.number(right, where, depth + 1)
                return self.arithmetic("/", above, below) if above is not None and below is not None else None
        return self.number(inner_expr, scope, depth + 1) if name in _NUMBERS else None

    def _quotient(self, expr: ast.expr, scope: Scope, depth: int) -> tuple[ast.expr, ast.expr, Scope, bool] | None:
        """Both sides of ``a / b``, and whether ``ceil`` is around it; ``float`` around a side is left out."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Call) and len(expr.args) == 1 and depth < DEPTH:
            if (dotted(expr.func) or "").rpartition(".")[2] == "ceil":
                found = self._quotient(expr.args[0], scope, depth + 1)
                return (*found[:3], True) if found is not None else None
            return None
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Div):
            return _whole(expr.left), _whole(expr.right), scope, False
        return None

    def _axis(self, expr: ast.Subscript, scope: Scope) -> Expr | None:
        """``array.shape[k]``."""
        assert isinstance(expr.value, ast.Attribute)
        index = expr.slice.value if isinstance(expr.slice, ast.Constant) else None
        if not isinstance(index, int):
            return None
        array = self.array(expr.value.value, scope)
        if array is not None and array.shape:
            return array.shape[index] if -len(array.shape) <= index < len(array.shape) else None
        named = self._named(expr.value, scope)
        return self.host.size(f"{dotted(expr.value)}[{index}]") if named is not None else None

    def _attribute(self, expr: ast.Attribute, scope: Scope) -> Expr | None:
        if expr.attr not in ("size", "nbytes", "itemsize"):
            return None
        owner = expr.value
        if isinstance(owner, ast.Attribute) and owner.attr == "dtype":
            owner = owner.value
        array = self.array(owner, scope)
        if array is None:
            return None
        if expr.attr == "itemsize":
            return self.host.number(array.width) if array.width else None
        if expr.attr == "nbytes":
            return self.bytes(array)
        return self.product(array.shape) if array.shape else None

    # arrays

    def array(self, expr: ast.expr, scope: Scope, depth: int = 0) -> _Array | None:
        """The array or buffer that an expression stands for; None when it is not made in sight."""
        if depth > DEPTH:
            return None
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Attribute) and expr.attr in ("data", "gpudata"):
            return self.array(expr.value, scope, depth + 1)
        if not isinstance(expr, ast.Call):
            return None
        keys = {key.arg: key.value for key in expr.keywords if key.arg is not None}
        if any(key.arg is None for key in expr.keywords) or any(isinstance(a, ast.Starred) for a in expr.args):
            return None
        if isinstance(expr.func, ast.Attribute):
            found = self._method(expr.func, expr.args, scope, depth)
            if found is not None:
                return found
        full = self.program.imported(dotted(expr.func) or "")
        if full.partition(".")[0] not in _MODULES:
            return None
        return self._made(full, list(expr.args), keys, scope, depth)

    def _method(self, func: ast.Attribute, args: Sequence[ast.expr], scope: Scope, depth: int) -> _Array | None:
        """``array.astype(type)``, ``array.copy()``."""
        if func.attr == "astype" and len(args) == 1:
            array = self.array(func.value, scope, depth + 1)
            return _Array(array.shape, self.width(args[0], scope)) if array is not None else None
        if func.attr == "copy" and not args:
            return self.array(func.value, scope, depth + 1)
        return None

    def _made(
        self, full: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int
    ) -> _Array | None:
        library, name = full.partition(".")[0], full.rpartition(".")[2]
        if library == "pyopencl" and name == "Buffer":
            return self._buffer(args, keys, scope, depth)
        if library == "pyopencl" and name in (*_FILLED, "to_device"):
            args = args[1:]  # the queue
        if name in _FILLED and args:
            shape = self.shape(args[0], scope)
            type_ = keys.get("dtype", args[1] if len(args) > 1 else None)
            width = 8 if type_ is None and library in ("numpy", "cupy", "pycuda") else None
            return _Array(shape, width if type_ is None else self.width(type_, scope)) if shape else None
        if name in _ALIKE and args:
            array = self.array(args[-1] if library == "pyopencl" else args[0], scope, depth + 1)
            if array is None or "dtype" not in keys:
                return array
            return _Array(array.shape, self.width(keys["dtype"], scope))
        if name in _SAME_ARRAY and args:
            array = self.array(args[0], scope, depth + 1)
            changed = "dtype" in keys or (name in ("array", "asarray") and len(args) > 1)
            return array if not changed else None
        if name == "mem_alloc" and len(args) == 1:
            size = self.number(args[0], scope)
            return _Array(None, None, size) if size is not None else None
        if name in ("rand", "randn") and args and full.startswith("numpy.random"):
            sizes = [self.number(arg, scope) for arg in args]
            return _Array(tuple(size for size in sizes if size is not None), 8) if all(sizes) else None
        if name in ("random", "random_sample") and len(args) == 1 and full.startswith("numpy.random"):
            shape = self.shape(args[0], scope)
            return _Array(shape, 8) if shape else None
        if name == "arange" and len(args) == 1 and library == "numpy" and "dtype" in keys:
            count = self.number(args[0], scope)
            return _Array((count,), self.width(keys["dtype"], scope)) if count is not None else None
        return None

    def _buffer(self, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int) -> _Array | None:
        """``Buffer(context, flags, size=0, hostbuf=None)``."""
        size, hostbuf = keys.get("size"), keys.get("hostbuf")
        if len(args) > 2:
            size = args[2]
        if len(args) > 3:
            hostbuf = args[3]
        if size is not None and not (isinstance(size, ast.Constant) and size.value == 0):
            found = self.number(size, scope)
            return _Array(None, None, found) if found is not None else None
        return self.array(hostbuf, scope, depth + 1) if hostbuf is not None else None

    def shape(self, expr: ast.expr, scope: Scope) -> tuple[Expr, ...] | None:
        """The shape that an argument gives: a tuple of sizes or one size."""
        value, where = self.program.resolved(expr, scope)
        if isinstance(value, (ast.Tuple, ast.List)):
            sizes = [self.number(part, where) for part in value.elts]
            return tuple(size for size in sizes if size is not None) if sizes and all(sizes) else None
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            array = self.array(value.value, where)
            return array.shape if array is not None else None
        one = self.number(expr, scope)
        return (one,) if one is not None and not isinstance(value, ast.Name) else None

    def width(self, expr: ast.expr, scope: Scope) -> int | None:
        """Bytes of an element of a type."""
        expr, scope = self.program.resolved(expr, scope)
        said = self.program.string(expr, scope) or (dotted(expr) or "").rpartition(".")[2]
        return _WIDTHS.get(said)

    # checks

    def checked(self) -> bool:
        """Take the host's checks before the launch along; False when one of them, about a name that the sizes rest on,
        is not understood."""
        for cond, holds in self._conditions():
            value = self.truth(cond, self.called.scope)
            if value is not None:
                self.host.leave_if(self.host.refuse(value) if holds else value)
            elif self._concerns(cond):
                return False
        return True

    def _concerns(self, cond: ast.expr) -> bool:
        """Whether a condition speaks of something that the launch's sizes rest on and that is not a number."""
        names = {node.id for node in ast.walk(cond) if isinstance(node, ast.Name)}
        symbols = {name.partition(".")[0].removeprefix("len(").rstrip(")") for name in self.host.params}
        return bool(names & symbols)

    def _conditions(self) -> Iterator[tuple[ast.expr, bool]]:
        """Conditions that hold, or do not, where the launch is."""
        at = self.host.span.start
        body: list[ast.stmt] = getattr(self.called.scope.node, "body", [])
        while isinstance(body, list):
            inner: list[ast.stmt] | None = None
            for statement in body:
                start, end = self.program.start(statement), self.program.end(statement)
                if start <= at < end:
                    for part in ("body", "orelse", "finalbody"):
                        block = getattr(statement, part, None)
                        if block and self.program.start(block[0]) <= at < self.program.end(block[-1]):
                            inner = block
                            if isinstance(statement, ast.If):
                                yield statement.test, part == "body"
                    break
                if isinstance(statement, ast.Assert):
                    yield statement.test, True
                elif isinstance(statement, ast.If) and not statement.orelse and _leaves(statement.body):
                    yield statement.test, False
            if inner is None:
                return
            body = inner

    def truth(self, expr: ast.expr, scope: Scope) -> Expr | None:
        """A condition as a truth; None when it is not followed."""
        if isinstance(expr, ast.BoolOp):
            parts = [self.truth(part, scope) for part in expr.values]
            out: Expr | None = None
            for part in parts:
                if part is None:
                    return None
                op = "&&" if isinstance(expr.op, ast.And) else "||"
                out = part if out is None else self.host.compare(op, out, part)
            return out
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.Not):
            inner = self.truth(expr.operand, scope)
            return self.host.refuse(inner) if inner is not None else None
        if isinstance(expr, ast.Compare) and len(expr.ops) == 1:
            op = _COMPARISONS.get(type(expr.ops[0]), "")
            left, right = self.number(expr.left, scope), self.number(expr.comparators[0], scope)
            return self.host.compare(op, left, right) if op and left is not None and right is not None else None
        if isinstance(expr, ast.BinOp):
            value = self.number(expr, scope)
            return self.host.compare("!=", value, self.host.number(0)) if value is not None else None
        return None


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether statements end in leaving the function or the program."""
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return (dotted(last.value.func) or "").rpartition(".")[2] in ("exit", "_exit", "abort", "skip")
    return isinstance(last, (ast.Raise, ast.Return, ast.Continue, ast.Break))


def _is_none(expr: ast.expr | None) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _whole(expr: ast.expr) -> ast.expr:
    """An operand without ``float()`` around it; ``128.0`` as ``128``."""
    if isinstance(expr, ast.Call) and dotted(expr.func) == "float" and len(expr.args) == 1:
        return expr.args[0]
    if isinstance(expr, ast.Constant) and isinstance(expr.value, float) and expr.value.is_integer():
        return ast.copy_location(ast.Constant(int(expr.value)), expr)
    return expr
