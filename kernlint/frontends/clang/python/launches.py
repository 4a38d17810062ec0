"""Launches in Python programs: PyOpenCL's ``program.kernel(queue, global, local, ...)``, PyCUDA's functions with
``block=`` and ``grid=`` and prepared calls, CuPy's ``kernel((grid,), (block,), (arguments,))``.

Each becomes a host function of the kernel's module with the sizes as far as they are plain: numbers, names that are
bound once, sums, products and quotients, the shapes of arrays that are made in sight.  What is bound elsewhere is a
size of which nothing is known; what cannot be followed at all is unknown.  Assertions and tests that stand before a
launch are the host's checks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from kernlint.apis.python_numbers import AS_IT_IS
from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.python.elementwise import add_calls
from kernlint.frontends.clang.python.entered import by_default, entered, given_block, is_tuple, spread, with_one_for_two
from kernlint.frontends.clang.python.floats import float_extents
from kernlint.frontends.clang.python.handing import called_in, gives_by_name, handed_on, result_of
from kernlint.frontends.clang.python.hosts import add_host
from kernlint.frontends.clang.python.kept import entry_of, kept
from kernlint.frontends.clang.python.passed import miscounted, misfit, misplaced
from kernlint.frontends.clang.python.prepared import add_prepared, named
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted, program_of
from kernlint.frontends.clang.python.reading import DEPTH, Reader
from kernlint.frontends.clang.python.refused import refused
from kernlint.frontends.clang.python.scalars import FLOAT, UNKNOWN, scalar
from kernlint.frontends.clang.python.texts.noted import note_read
from kernlint.frontends.clang.python.transfers import add_transfers
from kernlint.frontends.python.neighbours import Neighbours
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import (
    Barrier,
    Call,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    IntLit,
    Kernel,
    LaunchValue,
    Module,
    ParamDecl,
    Quantity,
    Ref,
    Remark,
    VarDecl,
)
from kernlint.tree.types import I64, U8, VOID, FloatType, PointerType, Space, Type
from kernlint.tree.walk import traverse


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
    prepared: bool = False  # the arguments are converted to types that were stated before
    where: Scope | None = None  # the scope that grid and block are written in
    given_in: Scope | None = None  # the one that the arguments are written in


def add_launches(path: str, host: bytes, made: Sequence[tuple[Program, Module]], around: bool) -> None:
    """Add the launches of a Python file to the modules of its programs; ``around``: other files may be looked at."""
    program = program_of(host)
    if program is None:
        return
    before, neighbours = program.neighbour, Neighbours()
    if around and program.froms:
        neighbours.attach(path, program)
    try:
        _add_launches(program, made, neighbours)
    finally:
        program.neighbour = before
    if neighbours.read:
        note_read(path, neighbours)


def _add_launches(program: PythonProgram, made: Sequence[tuple[Program, Module]], neighbours: Neighbours) -> None:
    names = {kernel.name for _, module in made for kernel in module.kernels}
    add_transfers(program, made[0][1])
    for where, called, launched in _all_launched(program, names):
        name, _, given = launched.name.partition("<")
        opencl = launched.api == "PyOpenCL"
        found = [(module, _instance(kernel, given)) for module, kernel in named(made, name, launched.origin, opencl)]
        if len(found) == 1 and where is not program:
            _Launcher(where, called, neighbours.paths[where]).launch(launched, *found[0])
        elif len(found) == 1:
            _Launcher(program, called, found[0][0].path).launch(launched, *found[0])
            for call, same in with_one_for_two(program, called):
                launcher = _Launcher(program, called, found[0][0].path)
                launcher.host.span = Span(found[0][0].path, program.start(call), program.end(call))
                launcher.one_for_two = same
                launcher.launch(launched, *found[0])
    add_calls(program, made)
    add_prepared(program, made, lambda expr, scope: _function(program, expr, scope, names))


def _instance(kernel: Kernel, given: str) -> FunctionDecl:
    """The instance of a template that a name expression asks for (its text behind ``<``), else the template."""
    said = "".join(given.rpartition(">")[0].split())
    asked = (i for i in kernel.instances if said == ",".join("".join(text.split()) for _, text in i.template_args))
    return next(asked, kernel.function) if said else kernel.function


def _all_launched(program: PythonProgram, names: Set[str]) -> Iterator[tuple[PythonProgram, Called, _Launched]]:
    """The launches of a file, with the program that each stands in; those in helpers that are given the kernel or the
    block, as their callers have them."""
    failing = refused(program)

    def is_kernel(expr: ast.expr, scope: Scope) -> bool:
        return _function(program, expr, scope, names) is not None

    for called in program.calls:
        if id(called.node) in failing:
            continue
        launched = _launched(program, called, names)
        if launched is not None:
            yield program, called, launched
        where = called.scope
        if launched is None:
            for other, inner in handed_on(program, called, is_kernel):
                again = _launched(other, inner, names)
                if again is not None:
                    yield other, inner, again
            target = called.node.func
            if not isinstance(target, ast.Name) or where.bound.get(target.id) != [None] or not called.node.args:
                continue  # no parameter that may stand for a kernel
        elif launched.args is not None and not given_block(launched.block, where):
            continue
        for inner in entered(program, called):
            again = _launched(program, inner, names)
            if again is not None:
                yield program, inner, again
        usual = by_default(program, called, (launched.block,)) if launched is not None else None
        again = _launched(program, usual, names) if usual is not None else None
        if usual is not None and again is not None:
            yield program, usual, again


class _Any(frozenset[str]):
    """The names of kernels of another file: which, only that file says."""

    def __contains__(self, name: object) -> bool:
        return True


_FILES = pattern(rb"[\w\"'}]\.(?:cl|cu|cuh|hip|ocl)\b")
_ELSEWHERE = pattern(rb"[\w\"'}]\.(?:cl|cu|cuh|hip|ocl)\b|\b(?:__global__|__kernel|kernel)\s+void\b")
_PROGRAMS = pattern(rb"\b(?:pyopencl|pycuda|cupy|cuda\.core|cuda\.bindings)\b")


def launching_module(path: str, data: bytes) -> Module | None:
    """The launches in a Python file of kernels that files of their own hold, as host functions; None where it names no
    such file, nor imports from one that does."""
    program = program_of(data)
    if program is None:
        return None
    neighbours = Neighbours()
    neighbours.attach(path, program)
    try:
        if not (_PROGRAMS.search(data) or neighbours.say(_PROGRAMS)):
            return None
        if _FILES.search(data) or neighbours.say(_ELSEWHERE):
            return _launching_module(path, program, neighbours)
        return None
    finally:
        program.neighbour = None
        note_read(path, neighbours)


def _launching_module(path: str, program: PythonProgram, neighbours: Neighbours) -> Module | None:
    module = Module(path, "cuda", (), (), (), written_in="python")
    for where, called, launched in _all_launched(program, _Any()):
        if launched.origin is None:
            launcher = _Launcher(where, called, path if where is program else neighbours.paths[where])
            launcher.launch(launched, module, launcher.declared(launched))
    object.__setattr__(module, "remarks", ())  # no type of a parameter is known
    return module if module.functions else None


def of_other_length(program: PythonProgram, made: ast.Call, names: Sequence[str], vectors: Sequence[str]) -> set[str]:
    """Those of ``vectors`` for which some call of the kernel that ``made`` makes passes an array that is visibly of
    another length than the first; ``names`` are the kernel's parameters."""
    found: set[str] = set()
    for called in program.calls:
        if program.resolved(called.node.func, called.scope)[0] is not made:
            continue
        reader = _Launcher(program, called, "")
        lengths: dict[str, str] = {}
        for name, arg in zip(names, called.node.args, strict=False):
            array = reader.array(arg, called.scope) if name in vectors else None
            if array is not None and array.shape:
                lengths[name] = expression_text(reader.product(array.shape))
        first = lengths.get(vectors[0])
        found |= {name for name, length in lengths.items() if first is not None and length != first}
    return found


# ------------------------------------------------------------------------------------------------------- recognition


def _launched(program: PythonProgram, called: Called, names: Set[str]) -> _Launched | None:
    """The launch that a call is; None when it is another call, or its arguments are not in sight."""
    node, scope = called.node, called.scope
    keys = {key.arg: key.value for key in node.keywords if key.arg is not None}
    if any(key.arg is None for key in node.keywords):
        return None
    target: ast.expr = node.func
    method = target.attr if isinstance(target, ast.Attribute) else ""
    passed = spread(program, node.args, scope)
    plain = None if passed is None else tuple(passed)
    if method in ("prepared_call", "prepared_async_call", "prepared_timed_call") and isinstance(target, ast.Attribute):
        kernel = _function(program, target.value, scope, names)
        first = 3 if method == "prepared_async_call" else 2
        if kernel is None or len(node.args) < 2 or any(isinstance(a, ast.Starred) for a in node.args[:first]):
            return None
        rest = plain[first:] if plain is not None else None
        return _Launched("PyCUDA", *kernel, node.args[0], node.args[1], keys.get("shared_size"), rest, prepared=True)
    last = (dotted(target) or "").rpartition(".")[2]
    if last == "launch" and ".core" in program.imported(dotted(target) or ""):
        return _by_config(program, called, names)
    if last == "cuLaunchKernel" and len(node.args) >= 8:
        return _by_driver(program, called, names)
    kernel = _function(program, target, scope, names)
    if kernel is None:
        return None
    named = "args" in keys and "block" in keys  # CuPy's own names: ``kernel(grid=..., block=..., args=...)``
    if "block" in keys and not named:
        return _Launched("PyCUDA", *kernel, keys.get("grid"), keys["block"], keys.get("shared"), plain)
    if not named and (len(node.args) < 2 or any(isinstance(arg, ast.Starred) for arg in node.args[:3])):
        return None
    third = node.args[2] if len(node.args) > 2 else None
    if named or is_tuple(program, node.args[0], scope):
        sizes = {**dict(zip(("grid", "block"), node.args, strict=False)), **keys}
        whole = third or keys.get("args")
        packed, given_in = program.resolved(whole, scope) if whole is not None else (None, scope)
        args = tuple(packed.elts) if isinstance(packed, (ast.Tuple, ast.List)) else None
        shared = node.args[3] if len(node.args) > 3 else keys.get("shared_mem")
        return _Launched("CuPy", *kernel, sizes.get("grid"), sizes.get("block"), shared, args, given_in=given_in)
    if third is None or "g_times_l" in keys:
        return None
    rest = plain[3:] if plain is not None else None
    return _Launched("PyOpenCL", *kernel, node.args[1], third, None, rest, threads=True)


_OPTIONS = frozenset({"grid", "cluster", "block", "shmem_size", "stream", "cooperative_launch", "is_cooperative"})
"""What ``LaunchConfig`` of ``cuda.core`` takes, in any version (its documentation)."""


def _by_config(program: PythonProgram, called: Called, names: Set[str]) -> _Launched | None:
    """``launch(stream, LaunchConfig(grid=..., block=...), kernel, *arguments)`` of ``cuda.core``.

    Its first version took kernel, configuration and arguments, and the stream in the configuration.  With an option
    that no version has, nothing is said of the launch.
    """
    first = called.node.args[:3]
    if len(first) < 3 or any(isinstance(arg, ast.Starred) for arg in called.node.args):
        return None
    config: ast.Call | None = None
    kernel: tuple[str, int | None] | None = None
    where = called.scope
    for arg in first:
        made, scope = program.resolved(arg, called.scope)
        if isinstance(made, ast.Call) and (dotted(made.func) or "").rpartition(".")[2] == "LaunchConfig":
            config, where = made, scope
        else:
            kernel = kernel or _function(program, arg, called.scope, names)
    if config is None or kernel is None:
        return None
    keys = {key.arg: key.value for key in config.keywords if key.arg is not None}
    if not keys.keys() <= _OPTIONS:
        return None
    sizes = dict(zip(("grid", "cluster", "block", "shmem_size"), config.args, strict=False)) | keys
    shared = sizes.get("shmem_size")
    args: tuple[ast.expr, ...] | None = tuple(called.node.args[3:])
    if _function(program, first[0], called.scope, names) is not None:
        args = tuple(called.node.args[2:]) if "stream" in keys else None  # a stream may come first
    return _Launched("cuda.core", *kernel, sizes.get("grid"), sizes.get("block"), shared, args, where=where)


def _by_driver(program: PythonProgram, called: Called, names: Set[str]) -> _Launched | None:
    """``driver.cuLaunchKernel(kernel, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra)``."""
    kernel = _function(program, called.node.args[0], called.scope, names)
    if kernel is None:
        return None
    sizes = called.node.args[1:7]
    grid, block = (ast.copy_location(ast.Tuple(list(sizes[at : at + 3]), ast.Load()), called.node) for at in (0, 3))
    return _Launched("cuda.bindings", *kernel, grid, block, called.node.args[7], ())


def _function(program: PythonProgram, expr: ast.expr, scope: Scope, names: Set[str]) -> tuple[str, int | None] | None:
    """Name and program of the kernel that an expression stands for; None when it is none."""
    expr, scope = program.resolved(expr, scope)
    elsewhere = program.returned_elsewhere(expr, scope) if isinstance(expr, ast.Call) else None
    if elsewhere is not None:
        there = _function(*elsewhere, names)
        return (there[0], None) if there is not None else None
    own = program.returned(expr, scope) or result_of(program, expr, scope)
    if own is not None and (here := _function(program, *own, names)) is not None:
        return here
    expr, scope = kept(program, expr, scope)
    if isinstance(expr, ast.Subscript) and (entry := entry_of(program, expr, scope)) is not None:
        return _function(program, entry[0], entry[1], names)
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant) and expr.slice.value == 1:
        expr, scope = program.resolved(expr.value, scope)  # of an error and what was asked for
    while isinstance(expr, ast.Call) and len(expr.args) == 1 and isinstance(expr.args[0], ast.Call):
        expr = expr.args[0]  # a function that looks at the error
    if isinstance(expr, ast.Call):
        callee = dotted(expr.func) or ""
        last = expr.func.attr if isinstance(expr.func, ast.Attribute) else callee
        if last in ("cuModuleGetFunction", "cuLibraryGetKernel") and len(expr.args) == 2:
            said = program.resolved(expr.args[1], scope)[0]
            written = said.value if isinstance(said, ast.Constant) else None
            found = written.decode("utf-8", "replace") if isinstance(written, bytes) else None
            return (found, None) if found is not None and found in names else None
        if last in ("get_function", "get_kernel") and isinstance(expr.func, ast.Attribute) and expr.args:
            whole = program.string(expr.args[0], scope) or ""
            base, _, given = whole.partition("<")  # ``f<float>``
            inner = base.rpartition("::")[2].strip()
            origin = _origin(program, expr.func.value, scope)
            return (f"{inner}<{given}" if given else inner, origin) if inner in names else None
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


_BUILDING = frozenset({"build", "compile"})


def _unbuilt(program: PythonProgram, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """What makes a program, without the ``build()`` behind it."""
    for _ in range(DEPTH):
        expr, scope = program.resolved(expr, scope)
        if (there := result_of(program, expr, scope)) is not None:
            expr, scope = there
            continue
        built = isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in _BUILDING
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
    if callee == "Program" and ".core" in program.imported(dotted(expr.func) or ""):
        at = 0
    keys = {key.arg: key.value for key in expr.keywords}
    source = expr.args[at] if len(expr.args) > at else keys.get("code", keys.get("source"))
    text = program.text(source, scope)
    return text.places[0][2] if text is not None and text.places else None


def _may_be_program(program: PythonProgram, expr: ast.expr, scope: Scope) -> bool:
    """Whether an expression of which nothing is known may be a program: it is no module."""
    made, where = _unbuilt(program, expr, scope)
    if isinstance(made, ast.Call):
        return (dotted(made.func) or "").rpartition(".")[2] == "Program" or gives_by_name(program, made, where)
    name = dotted(made)
    return name is not None and name.partition(".")[0] not in program.imports


# ------------------------------------------------------------------------------------------------------------ values


class _Launcher(Reader):
    """Reads what one launch is given.  ``api``: the library that passes arguments as they are; empty for others."""

    api = ""
    remarks: list[Remark]
    one_for_two: Mapping[str, str] = MappingProxyType({})
    """Parameters of the function that launches for which one value is passed, by the name of that."""

    def launch(self, launched: _Launched, module: Module, kernel: FunctionDecl) -> None:
        """Add the launch to ``module``."""
        host, scope = self.host, self.called.scope
        packed = len(launched.args or ()) == len(kernel.params) and not kernel.template_params
        where, given = launched.where or scope, launched.given_in or scope
        here = all(one is None or one.home is self.program for one in (given, called_in(self.called)))
        self.api = launched.api if packed and here and not launched.prepared else ""
        extents = (("grid", launched.grid), ("block", launched.block))
        self.remarks = list(float_extents(self.program, extents, where, host.span.file, kernel.name))
        alone = launched.api == "cuda.core"
        grid, block = self.sizes(launched.grid, where, alone), self.sizes(launched.block, where, alone)
        one = host.number(1)
        if launched.api == "PyCUDA" and launched.grid is None:
            grid = [one]
        if launched.threads and grid is not None and block is None and isinstance(launched.block, ast.Constant):
            block = self.chosen(grid, kernel)
        self.known = frozenset(self.host.params)
        shared = self.number(launched.shared, where) if launched.shared is not None else None
        if launched.shared is None and not launched.threads:
            shared = host.number(0)
        args = self.shared(
            [self.argument(arg, given, kernel, at) for at, arg in enumerate(launched.args or ())],
            launched.args or (),
            kernel,
        )
        if self.api == "CuPy" and launched.args is not None:
            misplaces = (misplaced(self, launched.args, at, given, kernel) for at in range(len(kernel.params)))
            self.remarks += [remark for remark in misplaces if remark is not None]
        counted = miscounted(self, launched.api, launched.args, kernel) if here and not launched.prepared else None
        self.remarks += [counted] if counted is not None else []
        if self.raised():
            host.body.append(ExprStmt(host.span, Call(host.span, I64, "cudaFuncSetAttribute", None, ())))
        if not self.checked():
            grid = None if grid is None else [size if isinstance(size, IntLit) else host.unknown() for size in grid]
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
        object.__setattr__(module, "remarks", (*module.remarks, *self.remarks))

    def declared(self, launched: _Launched) -> FunctionDecl:
        """A kernel of which only the launch is known: a parameter for each argument, named by its index and the type of
        the number that is passed (``$2 int64``; ``$3 float64 plain`` for Python's own), as far as that is known."""
        span = self.host.span
        params: list[ParamDecl] = []
        where = launched.given_in or self.called.scope
        for at, arg in enumerate(launched.args or ()):
            array = self.array(arg, where)
            type_: Type = PointerType(U8, Space.GLOBAL) if array is not None else I64
            given = scalar(self, arg, where) if array is None and not launched.prepared else UNKNOWN
            if launched.api in AS_IT_IS and given == FLOAT:
                type_ = FloatType(64)
            place = span
            if where.home is self.program:
                place = Span(span.file, self.program.start(arg), self.program.end(arg))
            name = f"${at} {given[0]}{' plain' if given[1] else ''}" if given[0] else f"${at}"
            params.append(ParamDecl(place, name, type_, Space.PRIVATE, index=at, synthesised=True))
        name = launched.name.partition("<")[0]
        return FunctionDecl(span, name, name, FunctionKind.KERNEL, tuple(params), VOID, None)

    def raised(self) -> bool:
        """Whether the program raises the limit of a kernel's dynamic shared memory."""
        names = (name for scope in self.program.scopes for name in scope.bound)
        if any(name.endswith(".max_dynamic_shared_size_bytes") for name in names):
            return True
        return any(called.name.endswith("set_attribute") for called in self.program.calls)

    def shared(self, args: list[Expr], written: Sequence[ast.expr], kernel: FunctionDecl) -> list[Expr]:
        """Arguments of which those that are one buffer are one pointer."""
        names = [self.one_for_two.get(name, name) if (name := dotted(expr)) is not None else None for expr in written]
        for at, (name, param) in enumerate(zip(names, kernel.params, strict=False)):
            if name is not None and names.count(name) > 1 and isinstance(param.type, PointerType):
                args[at] = self.host.pointer(name, param.type)
        return args

    def chosen(self, sizes: list[Expr], kernel: FunctionDecl) -> list[Expr] | None:
        """A block that the runtime may choose for a launch that leaves it open, where the kernel does not care."""
        for node in traverse(kernel):
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
        remark = misfit(self, self.api, expr, scope, kernel, param) if self.api else None
        if remark is not None:
            self.remarks.append(remark)
        if isinstance(param.type, PointerType):
            array = self.array(expr, scope)
            size = self.bytes(array) if array is not None else None
            if size is None or not self._known(size):
                return self.host.unknown(param.type)
            element = param.type.pointee if param.type.pointee.size else U8  # a template's type: bytes
            return self.host.allocated(param.name, element, size)
        value = self.number(expr, scope)
        return self.host.passed(value, param) if value is not None else self.host.unknown(param.type)

    def _known(self, size: Expr) -> bool:
        """Whether a size rests on numbers and on what the grid rests on: others have no say in whether it fits."""
        return all(node.decl.name in self.known for node in traverse(size) if isinstance(node, Ref))
