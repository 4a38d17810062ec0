"""Kernels that are there to be compiled: nothing that they do at run time is ever seen.

``inspected``: the program asks what was compiled (registers, shared memory, code) and launches the kernel nowhere.
``unread``: a kernel reads shared memory that no statement of it can have filled, and all that each launch passes is
made for it on the spot, and nothing looks at it afterwards: the subject is that it compiles and runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import PythonProgram, Scope
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import ALLOCATING, Finder, Jitted, full_name
from kernlint.frontends.python.launches import Launched
from kernlint.tree.nodes import Remark

_INSPECTING = frozenset(
    {
        "get_const_mem_size", "get_local_mem_per_thread", "get_max_threads_per_block", "get_regs_per_thread",
        "get_shared_mem_per_block", "inspect_asm", "inspect_llvm", "inspect_lto_ptx", "inspect_sass",
        "inspect_sass_cfg", "inspect_types", "nopython_signatures", "signatures", "overloads", "compile",
    }
)  # fmt: skip
"""What numba's dispatcher tells of a kernel without launching it (numba, CUDA kernel API, dispatcher objects)."""

_MAKING = frozenset({f"numba.cuda.{name}" for name in ("to_device", "device_array", "device_array_like")})
_SAME = frozenset({"reshape", "astype", "copy", "ravel", "view"})
"""Methods that give what they are called on in another form."""

DEPTH = 3
"""Functions that return what another one makes."""


def unobserved(
    program: PythonProgram, finder: Finder, launched: Sequence[Launched], lowering: Places
) -> Iterator[Remark]:
    """A remark for each kernel whose work is not seen; its first word says why."""
    for jitted in finder.found:
        if jitted.device or jitted.host or jitted.program is not program:
            continue
        own = [one for one in launched if one.jitted.node is jitted.node]
        if own and _never_filled(jitted, program) and all(_unread(one, program) for one in own):
            yield Remark("unobserved", lowering.span(jitted.node), jitted.name, ("unread",))
        elif not own and _inspected(jitted):
            yield Remark("unobserved", lowering.span(jitted.node), jitted.name, ("inspected",))


def _inspected(jitted: Jitted) -> bool:
    """Whether a program mentions a kernel, and only to ask what was compiled."""
    names = {jitted.name, *jitted.names}
    asked: set[int] = set()
    for at in ast.walk(jitted.scope.node):
        if isinstance(at, ast.Attribute) and at.attr in _INSPECTING and isinstance(at.value, ast.Name):
            asked.add(id(at.value))
    named = [
        at
        for at in ast.walk(jitted.scope.node)
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id in names
    ]
    return bool(named) and all(id(at) in asked for at in named)


# ------------------------------------------------------------------------------------------------------------ results


def _never_filled(jitted: Jitted, program: PythonProgram) -> bool:
    """Whether a kernel has an array in shared memory of which it does nothing but read elements."""
    nodes = list(ast.walk(jitted.node))
    cells = {id(at.value): at for at in nodes if isinstance(at, ast.Subscript)}
    views = {id(at.value) for at in nodes if isinstance(at, (ast.Assign, ast.AnnAssign)) and _indexed(at, cells)}
    read: set[str] = set()
    other: set[str] = set()
    for at in nodes:
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load):
            cell = cells.get(id(at))
            alone = cell is not None and id(cell) not in cells and id(cell) not in views and not _slices(cell)
            (read if cell is not None and alone and isinstance(cell.ctx, ast.Load) else other).add(at.id)
    for name in read - other:
        values = jitted.inner.bound.get(name, [])
        made = values[0] if len(values) == 1 else None
        if made is not None and isinstance(made[0], ast.Call):
            path = full_name(program, made[0].func, jitted.inner) or ""
            if path.endswith("cuda.shared.array") and not _none_there(made[0]):
                return True
    return False


def _slices(cell: ast.Subscript) -> bool:
    return any(isinstance(at, ast.Slice) for at in ast.walk(cell.slice))


def _indexed(assigned: ast.Assign | ast.AnnAssign, cells: dict[int, ast.Subscript]) -> bool:
    """Whether a subscript is assigned to a name of which elements are taken: it is a row."""
    targets = assigned.targets if isinstance(assigned, ast.Assign) else [assigned.target]
    names = {at.id for at in targets if isinstance(at, ast.Name)}
    return any(isinstance(cell.value, ast.Name) and cell.value.id in names for cell in cells.values())


def _none_there(made: ast.Call) -> bool:
    """Whether an array has what memory the launch gives it, of which other arrays have a part as well."""
    shape = made.args[0] if made.args else next((key.value for key in made.keywords if key.arg == "shape"), None)
    return isinstance(shape, ast.Constant) and shape.value == 0


def _unread(launch: Launched, program: PythonProgram) -> bool:
    """Whether nothing looks at what a launch leaves behind."""
    scope, args = launch.called.scope, launch.args
    if launch.program is not program or not args or scope.is_class or _tells(launch.jitted):
        return False
    gone: set[str] = set()
    for arg in args:
        if isinstance(arg, ast.Constant) or _fresh(arg, scope, program):
            continue
        if not isinstance(arg, ast.Name) or not _made_here(arg.id, scope, program):
            return False
        gone.add(arg.id)
    return _dropped(gone, launch, program)


def _tells(jitted: Jitted) -> bool:
    """Whether a kernel has another way to tell than its arguments: it prints, fails, or writes what it has captured."""
    for at in ast.walk(jitted.node):
        if isinstance(at, (ast.Raise, ast.Assert)):
            return True
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Name) and at.func.id in ("print", "printf"):
            return True
        base: ast.expr | None = at if isinstance(at, ast.Subscript) and isinstance(at.ctx, ast.Store) else None
        while isinstance(base, (ast.Subscript, ast.Attribute)):
            base = base.value
        if isinstance(base, ast.Name) and base.id not in jitted.inner.bound:
            return True
    return False


def _made_here(name: str, scope: Scope, program: PythonProgram) -> bool:
    """Whether a name of a function stands for nothing but what the function has had made, and nobody else can have."""
    values = scope.bound.get(name)
    if scope.parent is None or not values:
        return False
    return all(value is not None and _fresh(value[0], scope, program) for value in values)


def _fresh(expr: ast.expr, scope: Scope, program: PythonProgram, depth: int = 0) -> bool:
    """Whether an expression makes an array that nothing else knows."""
    if not isinstance(expr, ast.Call):
        return False
    func = expr.func
    path = full_name(program, func, scope) or ""
    if path in _MAKING or path.startswith("numpy.random."):
        return True
    if path.partition(".")[0] in ("numpy", "cupy") and path.rpartition(".")[2] in ALLOCATING:
        return True
    if isinstance(func, ast.Attribute) and func.attr in _SAME:
        return _fresh(func.value, scope, program, depth)
    returned = program.returned(expr, scope) if depth < DEPTH else None
    return returned is not None and _fresh(*returned, program, depth + 1)


def _dropped(names: set[str], launch: Launched, program: PythonProgram) -> bool:
    """Whether a function mentions arrays nowhere but where it makes and passes them: those, and what they are made
    of, go no further."""
    allowed = {id(at) for arg in launch.called.node.args for at in ast.walk(arg)}
    bound = {scope.node: scope.bound for scope in program.scopes}
    stack = [(child, frozenset(names)) for child in ast.iter_child_nodes(launch.called.scope.node)]
    while stack:
        at, open_ = stack.pop()
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id in open_ and id(at) not in allowed:
            return False
        if isinstance(at, (ast.Global, ast.Nonlocal)) and not open_.isdisjoint(at.names):
            return False
        open_ = open_.difference(bound.get(at, ()))  # names of an inner function's own
        stack += [(child, open_) for child in ast.iter_child_nodes(at)]
    return True
