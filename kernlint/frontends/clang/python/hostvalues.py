"""What names of a Python program stand for while its host code is walked, and what holds at a place."""

from __future__ import annotations

import ast

from kernlint.record import dataclass, field

SILENT = frozenset({"shape", "size", "dtype", "ndim", "nbytes", "itemsize", "strides", "device", "is_cuda", "flags"})
"""Attributes that no element is read for."""

VIEWS = frozenset({"view", "reshape", "ravel", "numpy", "detach", "squeeze", "unsqueeze", "transpose", "permute"})
"""Methods that give another view of the same elements."""

QUIET = frozenset({"len", "isinstance", "type", "id", "range", "enumerate", "zip", "hasattr", "getattr", "super"})
READS = frozenset({"print", "float", "int", "bool", "sum", "max", "min", "abs", "sorted", "any",
                    "all", "set", "str", "map"})  # fmt: skip
PLAIN = ("numpy", "math", "time", "random", "collections", "itertools", "logging", "json")
"""Modules of Python and NumPy, whose functions wait for no device."""


class Left(Exception):
    """A block is left by return, raise, break or continue."""


class OverBudget(Exception):
    """The file takes too long."""


class Array:
    """An array or buffer, told from others by identity.  ``where``: ``host``, ``device`` or nothing known; ``pinned``:
    page-locked; ``empty``: made without contents; ``tensor``: PyTorch's, whose elements are views."""

    __slots__ = ("empty", "name", "node", "pinned", "tensor", "where")

    def __init__(
        self, where: str, node: ast.AST, empty: bool = False, pinned: bool = False, tensor: bool = False
    ) -> None:
        self.where, self.node, self.empty, self.pinned, self.tensor = where, node, empty, pinned, tensor
        self.name = ""


class Instance:
    """An object of a class of the file."""

    __slots__ = ("attributes", "of")

    def __init__(self, of: ast.ClassDef) -> None:
        self.of = of
        self.attributes: dict[object, object] = {}


@dataclass(slots=True, eq=False)
class Table:
    """A list, tuple or dictionary with what it has by literal keys."""

    held: dict[object, object] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Flow:
    """What holds at a place: names, copies that are under way, contents of buffers (``empty``, or the node of the copy
    that filled them and that nothing has used), and what was given back."""

    names: dict[str, object] = field(default_factory=dict)
    pending: dict[Array, ast.AST] = field(default_factory=dict)
    contents: dict[Array, ast.AST | None] = field(default_factory=dict)
    freed: dict[Array, ast.AST] = field(default_factory=dict)

    def fork(self) -> Flow:
        """An independent copy."""
        return Flow(dict(self.names), dict(self.pending), dict(self.contents), dict(self.freed))

    def meet(self, other: Flow) -> None:
        """Keep what holds here and there."""
        self.names = {name: value for name, value in self.names.items() if other.names.get(name) is value}
        for mine, theirs in ((self.pending, other.pending), (self.contents, other.contents), (self.freed, other.freed)):
            for key in [key for key in mine if key not in theirs or theirs[key] is not mine[key]]:
                del mine[key]


def methods_of(class_: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The methods of a class."""
    return {f.name: f for f in class_.body if isinstance(f, ast.FunctionDef)}


def moved_members(of: ast.ClassDef) -> set[object]:
    """Members that a method gives what something else than NumPy makes: where another method runs they may be on the
    device."""
    found: set[object] = set()
    for name, method in methods_of(of).items():
        for at in ast.walk(method) if name != "__init__" else ():
            if isinstance(at, ast.Assign) and isinstance(at.value, ast.Call):
                made = at.value.func.value if isinstance(at.value.func, ast.Attribute) else None
                if not (isinstance(made, ast.Name) and made.id in ("np", "numpy")):
                    found.update(target.attr for target in at.targets if isinstance(target, ast.Attribute))
    return found


def function_is_static(function: ast.FunctionDef) -> bool:
    """Whether a method is not given the object."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)


def changed_in(body: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """The names that statements bind, and those of them that are only exchanged for each other (``a, b = b, a``)."""
    changed: set[str] = set()
    swapped: set[str] = set()
    others: set[str] = set()
    for at in (node for each in body for node in ast.walk(each)):
        if isinstance(at, ast.Assign) and len(at.targets) == 1:
            left, right = names_of(at.targets[0]), names_of(at.value)
            (swapped if len(left) > 1 and left == right else others).update(left)
        elif isinstance(at, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            others |= names_of(at.target)
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store):
            changed.add(at.id)
    return changed, swapped - others


def names_of(expr: ast.expr) -> set[str]:
    """The names that a name or a tuple of names is made of; empty for anything else."""
    parts = expr.elts if isinstance(expr, (ast.Tuple, ast.List)) else [expr]
    found = {part.id for part in parts if isinstance(part, ast.Name)}
    return found if len(found) == len(parts) else set()
