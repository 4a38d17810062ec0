"""Device memory in Python programs: buffers of as many bytes as an array has elements, addresses that outlive it.

``ndarray.size`` and ``len`` count elements, ``pyopencl.Buffer`` and ``pycuda.driver.mem_alloc`` bytes (NumPy, PyOpenCL
and PyCUDA references).  PyCUDA's ``DeviceAllocation``, and arrays of CuPy and PyTorch, free their memory as soon as
nothing refers to them; a number that was their address is no reference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.apis.python import BYTES, COPY_NAMES, COUNTED, COUNTED_METHODS, MAKERS
from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted
from kernlint.source import Span
from kernlint.tree.nodes import Remark

_FRACTIONS = frozenset({"zeros", "ones", "empty"})
_ARRAYS = frozenset({"numpy", "cupy"})
_Parents = dict[ast.AST, ast.AST]


def elements_as_bytes(program: PythonProgram, path: str) -> Iterator[Remark]:
    """Buffers of as many bytes as an array has elements, which are copied to or from that array."""
    for scope in program.scopes:
        if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            continue
        for stmt in _within(scope.node):
            if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
                continue
            counted = _counted(program, stmt.value, scope)
            buffer, array = dotted(stmt.targets[0]), dotted(counted) if counted is not None else None
            width = _width(program, counted, scope) if counted is not None and array is not None else 1
            member = buffer is not None and buffer.startswith("self.") and (array or "").startswith("self.")
            within = program.scopes[0].node if member else scope.node  # other methods copy
            copy = None
            if width > 1 and buffer is not None and array is not None:
                copy = _copied(within, buffer, {array, *_alike(program, scope, array)})
            if copy is not None and array is not None and buffer is not None:
                words = (buffer, array, str(width))
                related = ((_span(program, copy, path), f"{array} is copied here"),)
                yield Remark("elements-as-bytes", _span(program, stmt.value, path), "", words, related)


def elements_copied(program: PythonProgram, path: str) -> Iterator[Remark]:
    """Copies and fills of as many bytes as one of their arrays has elements."""
    for called in program.calls:
        call, method = called.node, called.name.rpartition(".")[2]
        places, at = COUNTED.get(program.imported(called.name), ((), 0))
        sides = [call.args[place] for place in places if place < len(call.args)]
        if not places and method in COUNTED_METHODS and isinstance(call.func, ast.Attribute):
            places, at = COUNTED_METHODS[method]
            owner = call.func.value
            if not (isinstance(owner, ast.Attribute) and owner.attr == "data"):
                continue
            sides = [owner, *(call.args[place] for place in places if place < len(call.args))]
        if not sides or at >= len(call.args):
            continue
        counted = _elements(program, call.args[at], called.scope)
        name = dotted(counted) if counted is not None else None
        if counted is None or name is None or name not in map(_array_of, sides):
            continue
        width = _width(program, counted, called.scope)
        if width > 1:
            yield Remark("elements-copied", _span(program, call, path), "", (name, str(width)))


def _elements(program: PythonProgram, size: ast.expr, scope: Scope) -> ast.expr | None:
    """The array whose number of elements a size is."""
    size = program.resolved(size, scope)[0] if isinstance(size, ast.Name) else size
    if isinstance(size, ast.Attribute) and size.attr == "size":
        return size.value
    return size.args[0] if isinstance(size, ast.Call) and dotted(size.func) == "len" and size.args else None


def _array_of(side: ast.expr) -> str | None:
    """The name of the array whose address an argument is."""
    while isinstance(side, ast.Attribute) and side.attr in ("data", "ptr", "ctypes", "gpudata"):
        side = side.value
    return dotted(side)


def _within(of: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, and not in one inside it."""
    for child in ast.iter_child_nodes(of):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from _within(child)


def _span(program: PythonProgram, node: ast.AST, path: str) -> Span:
    return Span(path, program.start(node), program.end(node))


def _counted(program: PythonProgram, call: ast.Call, scope: Scope) -> ast.expr | None:
    """The array whose elements say how many bytes a call allocates."""
    at = BYTES.get(program.imported(dotted(call.func) or ""))
    keys = {key.arg: key.value for key in call.keywords}
    size = keys.get("size", call.args[at] if at is not None and len(call.args) > at else None)
    if at is None or "hostbuf" in keys:
        return None
    size = program.resolved(size, scope)[0] if isinstance(size, ast.Name) else size
    while isinstance(size, ast.Call) and dotted(size.func) == "int" and len(size.args) == 1:
        size = size.args[0]
    if isinstance(size, ast.Call) and program.imported(dotted(size.func) or "") in _PRODUCTS and len(size.args) == 1:
        return _of_shape(program, size.args[0], scope)
    if isinstance(size, ast.Attribute) and size.attr == "size":
        return size.value
    return size.args[0] if isinstance(size, ast.Call) and dotted(size.func) == "len" and size.args else None


_PRODUCTS = frozenset({"numpy.prod", "math.prod", "numpy.product"})


def _of_shape(program: PythonProgram, shape: ast.expr, scope: Scope) -> ast.expr | None:
    """The array that a function makes with just that shape; None where there is none, or several."""
    wanted, found = ast.dump(shape), []
    for stmt in _within(scope.node):
        made = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
        if not isinstance(stmt, ast.Assign) or not isinstance(made, ast.Call) or not made.args:
            continue
        full = program.imported(dotted(made.func) or "")
        if full.startswith("numpy.") and full[6:] in _FRACTIONS and ast.dump(made.args[0]) == wanted:
            found.append(stmt.targets[0])
    return found[0] if len(found) == 1 else None


def _width(program: PythonProgram, expr: ast.expr, scope: Scope) -> int:
    """Bytes of an element of an array that NumPy makes in sight; 0 where that is not known."""
    made, where = program.resolved(expr, scope)
    if not isinstance(made, ast.Call):
        return 0
    if _like(made) is not None:
        made, where = program.resolved(made.args[0], where)
        if not isinstance(made, ast.Call):
            return 0
    full = program.imported(dotted(made.func) or "")
    last = made.func.attr if isinstance(made.func, ast.Attribute) else full
    keys = {key.arg: key.value for key in made.keywords}
    at = 0 if last == "astype" else 1
    given = keys.get("dtype", made.args[at] if len(made.args) > at and last in (*_FRACTIONS, "astype") else None)
    if given is None:
        return 8 if full.partition(".")[0] in _ARRAYS and last.rpartition(".")[2] in _FRACTIONS else 0
    if last != "astype" and full.partition(".")[0] not in _ARRAYS:
        return 0
    kind, _ = program.resolved(given, where)
    if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
        return WIDTHS.get(kind.value, 0)
    name = program.imported(dotted(kind) or "")
    return WIDTHS.get(name.rpartition(".")[2], 0) if name.partition(".")[0] in _ARRAYS else 0


def _alike(program: PythonProgram, scope: Scope, array: str) -> Iterator[str]:
    """Names that stand for nothing but an array that is made as large as another one, of the same type."""
    for stmt in _within(scope.node):
        made = stmt.value if isinstance(stmt, ast.Assign) else None
        if not isinstance(stmt, ast.Assign) or not isinstance(made, ast.Call) or _like(made) != array:
            continue
        name = dotted(stmt.targets[0])
        if name is not None and program.resolved(stmt.targets[0], scope)[0] is made:
            yield name


def _like(made: ast.Call) -> str | None:
    """The array that a call makes another one like, of the same shape and type; None where it does not."""
    last = (dotted(made.func) or "").rpartition(".")[2]
    same = last in _LIKE and len(made.args) == 1 and all(key.arg in ("order", "subok") for key in made.keywords)
    return dotted(made.args[0]) if same else None


_LIKE = frozenset({"empty_like", "zeros_like", "ones_like"})


def _copied(within: ast.AST, buffer: str, arrays: set[str]) -> ast.Call | None:
    """A copy between a buffer and one of some arrays, of all that there is."""
    for node in ast.walk(within):
        copy = COPY_NAMES.get((dotted(node.func) or "").rpartition(".")[2]) if isinstance(node, ast.Call) else None
        if copy is None or not isinstance(node, ast.Call):
            continue
        sides = {dotted(arg) for arg in node.args[copy.target : copy.source + 1]}
        part = any(key.arg in ("byte_count", "region") for key in node.keywords)
        if not part and any(sides == {buffer, array} for array in arrays):
            return node
    return None


# ---------------------------------------------------------------------------------------------------------- addresses


def dropped_addresses(program: PythonProgram, tree: ast.Module, path: str) -> Iterator[Remark]:
    """Addresses that are kept in a loop while the next round gives back what they lead to."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _dropped(program, function, path)


def _dropped(program: PythonProgram, function: ast.AST, path: str) -> Iterator[Remark]:
    made: dict[str, ast.Assign] = {}
    for loop in _within(function):
        for node in _within(loop) if isinstance(loop, (ast.For, ast.While)) else ():
            value = node.value if isinstance(node, ast.Assign) else None
            maker = program.imported(dotted(value.func) or "") if isinstance(value, ast.Call) else ""
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and maker in MAKERS:
                made[node.targets[0].id] = node
    if not made:
        return
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in made]
    for name, origin in made.items():
        own = [use for use in uses if use.id == name]
        stored = [use for use in own if isinstance(use.ctx, ast.Store)]
        kept = [_kept(use, parents, program) for use in own if isinstance(use.ctx, ast.Load)]
        places = [each for each in kept if isinstance(each, ast.AST)]
        if len(stored) == 1 and places and all(kept):
            related = ((_span(program, origin, path), "made here, and given back in the next round"),)
            yield Remark("address-of-dropped", _span(program, places[0], path), "", (name,), related)


def _kept(use: ast.AST, parents: _Parents, program: PythonProgram) -> ast.AST | bool:
    """Where the address of an array is put into something; True where a use keeps neither, False where it may keep the
    array itself."""
    at, parent = use, parents[use]
    address = False
    while isinstance(parent, ast.Attribute):  # x.data.ptr, x.gpudata
        address = parent.attr == "ptr" or (parent.attr == "data_ptr" and isinstance(parents[parent], ast.Call))
        at, parent = parent, parents[parent]
    if isinstance(parent, ast.Call) and parent.func is at:
        method = at.attr if isinstance(at, ast.Attribute) else ""
        if method in ("set", "fill", "fill_", "copy_", "zero_", "free"):
            return method != "free"
        at, parent = parent, parents[parent]
    numbers = ("int", "numpy.uintp", "numpy.intp", "numpy.uint64", "numpy.int64")
    while isinstance(parent, ast.Call) and program.imported(dotted(parent.func) or "") in numbers:
        address, at, parent = True, parent, parents[parent]
    if not address:
        return isinstance(parent, ast.Call) and (dotted(parent.func) or "").rpartition(".")[2].startswith("memcpy_")
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Subscript):
        slot = parent.targets[0].slice
        return parent if not isinstance(slot, ast.Constant) else False  # one slot alone: for this round
    appends = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "append"
    return parent if appends else False
