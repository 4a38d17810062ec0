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


def function_is_static(function: ast.FunctionDef) -> bool:
    """Whether a method is not given the object."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
