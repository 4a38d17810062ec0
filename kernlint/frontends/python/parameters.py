"""What the parameters of a kernel are, where no signature says so: arrays and their axes by how they are subscripted,
numbers by what they are compared with and counted against.  :mod:`.stated` makes types of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile

from kernlint.frontends.python.functions import Jitted
from kernlint.record import dataclass, field

ROUNDS = 4
"""How far integers are followed through assignments, backwards."""


@dataclass(slots=True, eq=False)
class Use:
    """What is seen of a parameter: axes of an array (None: no array), and whether its values count something."""

    rank: int | None = None
    whole: bool = False
    compared: bool = False
    record: bool = False
    parts: bool = False
    """Real and imaginary parts are taken."""
    taken: frozenset[tuple[str, ...]] = frozenset()
    """Names that it is taken apart to."""
    states: bool = False
    """Its elements are states of generators of random numbers, of 16 bytes."""
    fields: dict[str, bool] = field(default_factory=dict)
    """Fields that are taken of its elements, which are records; whether each counts something."""


@dataclass(slots=True, eq=False)
class Uses:
    """What is seen of all the names of one function."""

    of: dict[str, Use] = field(default_factory=dict)

    def get(self, name: str) -> Use:
        """What is seen of a name."""
        return self.of.setdefault(name, Use())

    def axes(self, name: str, rank: int) -> None:
        """Note that a name is an array of at least ``rank`` axes."""
        use = self.get(name)
        use.rank = max(use.rank or 0, rank)

    def items(self, name: str) -> tuple[str, ...]:
        """The names that a name is always taken apart to where these are unlike each other, arrays and numbers: it is a
        tuple then; else none."""
        taken = self.get(name).taken
        (names,) = taken if len(taken) == 1 else ((),)
        return names if len({self.get(one).rank or 0 for one in names}) > 1 else ()


Callees = Callable[[ast.Call], "Jitted | None"]

_ARRAY = frozenset({"size", "ndim", "T", "dtype", "strides", "flat", "nbytes", "itemsize"})
_WHOLE = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)


def uses_of(jitted: Jitted, called: Callees, depth: int = 0) -> Uses:
    """What the body of a function shows of its parameters."""
    uses = Uses()
    body = jitted.node.body
    for arg in (*jitted.node.args.posonlyargs, *jitted.node.args.args):
        _annotated(arg, uses)
    tuples = _tuples(body)
    bound: dict[str, list[ast.expr]] = {}
    compared: list[ast.Compare] = []
    for node in (at for one in body for at in ast.walk(one)):
        _look(node, uses, tuples, bound)
        if isinstance(node, ast.Compare):
            compared.append(node)
        if isinstance(node, ast.Call) and depth < 4:
            _passed(node, uses, called, depth)
    for name, values in bound.items():
        if any(_of_threads(value) for value in values):
            uses.get(name).whole = True
    for node in compared:  # when all indices are known
        _compared(node, uses)
    for name, values in bound.items():  # ``row = a[i]`` is an array too
        use = uses.of.get(name)
        for value in values:
            if use is not None and use.rank and isinstance(value, ast.Subscript):
                _part_of(value, use.rank, uses, tuples)
            for one in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
                if use is not None and use.rank and isinstance(one, ast.Name):
                    uses.axes(one.id, use.rank)
    for _ in range(ROUNDS):
        for name, values in bound.items():
            if uses.get(name).whole:
                for value in values:
                    _whole(value, uses)
    return uses


def _tuples(body: list[ast.stmt]) -> dict[str, int]:
    """Variables that hold several indices: ``pos = cuda.grid(2)``."""
    found: dict[str, int] = {}
    for node in (at for one in body for at in ast.walk(one)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Call) and isinstance(value.func, (ast.Attribute, ast.Name)):
                name = value.func.attr if isinstance(value.func, ast.Attribute) else value.func.id
                axes = value.args[0].value if value.args and isinstance(value.args[0], ast.Constant) else None
                if name in ("grid", "gridsize") and isinstance(axes, int) and axes > 1:
                    found[node.targets[0].id] = axes
            elif isinstance(value, ast.Tuple):
                found[node.targets[0].id] = len(value.elts)
    return found


def _is_name(index: ast.expr) -> bool:
    """Whether an index is the name of a field of records."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _rank(index: ast.expr, tuples: dict[str, int]) -> int:
    """Axes that an index is about."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    out = 0
    for part in parts:
        if _is_name(part):
            continue
        if isinstance(part, ast.Name) and part.id in tuples:
            out += tuples[part.id]
        elif not (isinstance(part, ast.Constant) and part.value is Ellipsis):
            out += 1
    return out


def _kept(index: ast.expr) -> int:
    """Axes that slices leave."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return sum(isinstance(part, ast.Slice) for part in parts)


def _look(node: ast.AST, uses: Uses, tuples: dict[str, int], bound: dict[str, list[ast.expr]]) -> None:
    if isinstance(node, ast.Subscript):
        _subscript(node, uses, tuples)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript):
        _field(node.value, node.attr, uses)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr == "shape":
            uses.axes(node.value.id, 1)
        elif node.attr in _ARRAY:
            uses.axes(node.value.id, 2 if node.attr == "T" else 1)
    elif isinstance(node, ast.Call):
        _called(node, uses, tuples)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _WHOLE):
        _whole(node.left, uses)
        _whole(node.right, uses)
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Name):
            bound.setdefault(node.target.id, []).append(node.value)
        if isinstance(node.op, _WHOLE):
            _whole(node.target, uses)
            _whole(node.value, uses)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        _assigned(node, uses, bound)
    elif isinstance(node, ast.For):
        _gone_through(node.iter, node.target, uses, tuples, bound)


def _gone_through(
    over: ast.expr, target: ast.expr, uses: Uses, tuples: dict[str, int], bound: dict[str, list[ast.expr]]
) -> None:
    """``for target in over``: what is gone through is an array, and what it is taken apart to one of its items."""
    how = getattr(over.func, "id", "") if isinstance(over, ast.Call) else ""
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if isinstance(over, ast.Call) and how == "enumerate" and over.args:
        _gone_through(over.args[0], parts[1] if len(parts) == 2 else ast.Tuple([]), uses, tuples, bound)
    elif isinstance(over, ast.Call) and how in ("zip", "reversed"):
        targets = (
            [target]
            if how == "reversed"
            else parts
            if len(parts) == len(over.args)
            else [ast.Tuple([])] * len(over.args)
        )
        for one, each in zip(over.args, targets, strict=False):
            _gone_through(one, each, uses, tuples, bound)
    elif isinstance(over, (ast.Name, ast.Subscript)):
        rank = 1 + bool(parts)
        if isinstance(over, ast.Name):
            uses.axes(over.id, rank)
        else:
            _part_of(over, rank, uses, tuples)
        if isinstance(target, ast.Name):
            item = ast.copy_location(ast.Subscript(over, ast.Constant(0), ast.Load()), over)
            bound.setdefault(target.id, []).append(item)


_NO_FIELDS = _ARRAY | {"shape", "real", "imag"}
"""What may be asked of a part of an array, or of an element that is no record."""


def _field(element: ast.Subscript, name: str, uses: Uses, whole: bool = False) -> None:
    """``records[i].name``, ``records[i]["name"]``: what is kept in the array are records."""
    at: ast.expr = element
    while isinstance(at, ast.Subscript) and not _is_name(at.slice) and not _kept(at.slice):
        at = at.value
    if isinstance(at, ast.Name) and name not in _NO_FIELDS:
        fields = uses.get(at.id).fields
        fields[name] = fields.get(name, False) or whole


_ARRAYS = frozenset({"ndarray", "NDArray", "Tensor", "DeviceNDArray"})
"""Annotations of arrays, whose axes they do not tell."""


def _annotated(arg: ast.arg, uses: Uses) -> None:
    """What the annotation of a parameter states, which numba itself does not read: a whole number, or an array."""
    stated = arg.annotation.value if isinstance(arg.annotation, ast.Subscript) else arg.annotation
    name = stated.attr if isinstance(stated, ast.Attribute) else getattr(stated, "id", "")
    if name == "int":
        uses.get(arg.arg).whole = True
    elif name in _ARRAYS:
        uses.axes(arg.arg, 1)


def _assigned(node: ast.Assign | ast.AnnAssign, uses: Uses, bound: dict[str, list[ast.expr]]) -> None:
    value = node.value
    if value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
        if isinstance(target, ast.Name):
            bound.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple):
            for array in _shaped(value):
                uses.axes(array, len(target.elts))
            _taken_apart(value, uses)
            if isinstance(value, ast.Name):
                uses.axes(value.id, 1)
                names = tuple(part.id for part in target.elts if isinstance(part, ast.Name))
                uses.get(value.id).taken |= {names if len(names) == len(target.elts) else ()}
                for index, part in enumerate(target.elts):
                    if isinstance(part, ast.Name):
                        item = ast.copy_location(ast.Subscript(value, ast.Constant(index), ast.Load()), value)
                        bound.setdefault(part.id, []).append(item)
            if _of_threads(value):
                for part in target.elts:
                    _whole(part, uses)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                for part, one in zip(target.elts, value.elts, strict=True):
                    if isinstance(part, ast.Name):
                        bound.setdefault(part.id, []).append(one)


def _shaped(value: ast.expr) -> Iterator[str]:
    """The arrays whose shape an expression is, as it is or turned round."""
    if isinstance(value, ast.IfExp):
        yield from _shaped(value.body)
        yield from _shaped(value.orelse)
    elif isinstance(value, ast.Subscript) and ast.unparse(value.slice) == "::-1":
        yield from _shaped(value.value)
    elif isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(value.value, ast.Name):
        yield value.value.id


def _taken_apart(value: ast.expr, uses: Uses) -> None:
    """``x, y = points[i]``: what is taken apart has an axis of its own."""
    if isinstance(value, ast.Subscript):
        _part_of(value, 1, uses, {})


def _part_of(expr: ast.Subscript, rank: int, uses: Uses, tuples: dict[str, int]) -> None:
    """``a[i]``, ``a[i][j]`` is an array of ``rank`` axes."""
    at: ast.expr = expr
    while isinstance(at, ast.Subscript):
        rank += _rank(at.slice, tuples) - _kept(at.slice)
        at = at.value
    if isinstance(at, ast.Name):
        uses.axes(at.id, rank)


def _of_threads(expr: ast.expr) -> bool:
    """Whether an expression is a whole number made of a thread's indices: nothing but sums and products of these, of
    names and of whole numbers."""
    if isinstance(expr, ast.BinOp):
        plain = isinstance(expr.op, (ast.Add, ast.Sub, ast.Mult))
        sides = (expr.left, expr.right)
        return plain and any(map(_of_threads, sides)) and all(_of_threads(one) or _may_count(one) for one in sides)
    if isinstance(expr, ast.Attribute) and expr.attr in ("x", "y", "z"):
        home = expr.value.attr if isinstance(expr.value, ast.Attribute) else getattr(expr.value, "id", "")
        return home in ("threadIdx", "blockIdx", "blockDim", "gridDim")
    called = expr.func if isinstance(expr, ast.Call) else None
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in ("grid", "gridsize")


def _may_count(expr: ast.expr) -> bool:
    """Whether a part of a sum may be a whole number, for all that is seen of it."""
    if isinstance(expr, ast.BinOp):
        return not isinstance(expr.op, ast.Div) and _may_count(expr.left) and _may_count(expr.right)
    return isinstance(expr, ast.Name) or (isinstance(expr, ast.Constant) and type(expr.value) is int)


def _subscript(node: ast.Subscript, uses: Uses, tuples: dict[str, int]) -> None:
    rank, at = _rank(node.slice, tuples), node.value
    while isinstance(at, ast.Subscript):  # ``a[i][j]``
        rank += _rank(at.slice, tuples) - _kept(at.slice)
        at = at.value
    if isinstance(at, ast.Attribute) and isinstance(at.value, ast.Name):
        if at.attr == "shape" and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            axis = node.slice.value
            uses.axes(at.value.id, axis + 1 if axis >= 0 else -axis)
        elif at.attr == "T":
            uses.axes(at.value.id, max(rank, 2))
        return
    if isinstance(at, ast.Name):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            if isinstance(node.value, ast.Subscript):
                _field(node.value, node.slice.value, uses)
            else:
                uses.get(at.id).record = True
            return
        uses.axes(at.id, rank)
    for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        for end in (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,):
            if end is not None:
                _whole(end, uses)


def _called(node: ast.Call, uses: Uses, tuples: dict[str, int]) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name == "len" and node.args and isinstance(node.args[0], ast.Name):
        uses.axes(node.args[0].id, 1)
    elif name.startswith("xoroshiro128p_") and len(node.args) == 2 and isinstance(node.args[0], ast.Name):
        uses.axes(node.args[0].id, 1)
        uses.get(node.args[0].id).states = True
        _whole(node.args[1], uses)
    elif name in ("range", "prange"):
        for arg in node.args:
            _whole(arg, uses)
    elif name in _MASKED and node.args:
        _whole(node.args[0], uses)
    elif name in _WHOLES and len(node.args) == 1 and isinstance(node.args[0], ast.Subscript):
        _whole(node.args[0], uses)  # what is taken out as it is, and converted: counts, most often
    elif _is_atomic(node.func) and node.args and (target := _target(node.args[0], uses)) is not None:
        rank = 1 if name == "compare_and_swap" or len(node.args) < 2 else _rank(node.args[1], tuples)
        uses.axes(target, rank)
        if len(node.args) > 1 and name != "compare_and_swap":
            for part in node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]:
                _whole(part, uses)
        if name in ("inc", "dec", "and_", "or_", "xor", "exch", "cas", "compare_and_swap"):
            uses.get(target).whole = True


_MASKED = frozenset(
    {"syncwarp", "all_sync", "any_sync", "eq_sync", "ballot_sync", "match_any_sync", "match_all_sync"}
) | {f"shfl_{how}sync" for how in ("", "up_", "down_", "xor_")}
"""Functions of a warp that take the mask of its lanes first: nothing but a whole number is one."""
_WHOLES = frozenset({"int", "int32", "int64", "uint32", "uint64", "intp"})


def _target(array: ast.expr, uses: Uses) -> str | None:
    """The array that an atomic operation is on, or that it is on a part of."""
    if isinstance(array, ast.Attribute) and array.attr in ("real", "imag") and isinstance(array.value, ast.Name):
        uses.get(array.value.id).parts = True
        return array.value.id
    return array.id if isinstance(array, ast.Name) else None


def _is_atomic(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and (
        (isinstance(func.value, ast.Attribute) and func.value.attr == "atomic")
        or (isinstance(func.value, ast.Name) and func.value.id == "atomic")
    )


def _compared(node: ast.Compare, uses: Uses) -> None:
    parts = [node.left, *node.comparators]
    for left, right in pairwise(parts):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Name) and not (isinstance(other, ast.Constant) and isinstance(other.value, float)):
                if _counts(other, uses):
                    uses.get(one.id).whole = True
                else:
                    uses.get(one.id).compared = True


def _counts(expr: ast.expr, uses: Uses) -> bool:
    """Whether an expression visibly counts something: an index of a thread, an extent, what is known to be whole."""
    for at in ast.walk(expr):
        if isinstance(at, ast.Attribute) and at.attr in ("x", "y", "z", "shape", "size"):
            return True
        if isinstance(at, ast.Name) and uses.get(at.id).whole:
            return True
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and at.func.attr in ("grid", "gridsize"):
            return True
    return False


def _whole(expr: ast.expr, uses: Uses) -> None:
    """Note that an expression must be a whole number."""
    if isinstance(expr, ast.Name):
        uses.get(expr.id).whole = True
    elif isinstance(expr, ast.BinOp) and not isinstance(expr.op, ast.Div):
        _whole(expr.left, uses)
        _whole(expr.right, uses)
    elif isinstance(expr, ast.UnaryOp):
        _whole(expr.operand, uses)
    elif isinstance(expr, ast.IfExp):
        _whole(expr.body, uses)
        _whole(expr.orelse, uses)
    elif isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Subscript):
        _field(expr.value, expr.attr, uses, True)
    elif isinstance(expr, ast.Subscript) and _is_name(expr.slice) and isinstance(expr.value, ast.Subscript):
        _field(expr.value, str(getattr(expr.slice, "value", "")), uses, True)
    elif isinstance(expr, ast.Subscript):
        at = expr.value
        while isinstance(at, ast.Subscript):
            at = at.value
        if isinstance(at, ast.Name):
            uses.get(at.id).whole = True
    elif isinstance(expr, ast.Call) and getattr(expr.func, "id", "") in ("min", "max", "abs"):
        for arg in expr.args:
            _whole(arg, uses)


def _passed(node: ast.Call, uses: Uses, called: Callees, depth: int) -> None:
    """What a device function does with what it is given."""
    callee = called(node)
    if callee is None:
        return
    inner = uses_of(callee, called, depth + 1)
    placed = takewhile(lambda arg: not isinstance(arg, ast.Starred), node.args)
    for name, arg in zip(callee.parameters, placed, strict=False):
        use = inner.of.get(name)
        if use is None:
            continue
        if isinstance(arg, ast.Name):
            if use.rank is not None:
                uses.axes(arg.id, use.rank)
                uses.get(arg.id).states |= use.states
            uses.get(arg.id).whole |= use.whole
        elif isinstance(arg, ast.Subscript) and use.rank is not None:
            _part_of(arg, use.rank, uses, {})
        elif use.whole:
            _whole(arg, uses)
