"""Places that hold handles of kernels, and tables of the kernels' names.

A place is a variable, a member of a class, an element of either, or a member of a row of a table.  What is linked to
from other files is one place by its name.  A table names kernels in an array of texts, or in one member of its rows
(``{KERNEL_SCALE, "scale", NULL}``), of which another member holds the handle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from kernlint.tree.nodes import (
    AddressOf,
    Call,
    Deref,
    Expr,
    InitList,
    IntLit,
    Member,
    Module,
    Ref,
    StringLit,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import ArrayType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts

EVERY = "every"
"""The key of all elements of a container."""

Key = tuple[object, ...]

Number = Callable[[Expr], "int | None"]
"""What an index is, where something says it."""


def bare(expr: Expr) -> Expr:
    """What an expression takes, its address or what a pointer to it leads to."""
    expr = strip_casts(expr)
    while True:
        if isinstance(expr, AddressOf):
            expr = strip_casts(expr.operand)
        elif isinstance(expr, Deref):
            expr = strip_casts(expr.pointer)
        elif isinstance(expr, Call) and expr.name.endswith("operator new") and len(expr.args) == 1:
            expr = strip_casts(expr.args[0])
        else:
            return expr


def number(expr: Expr) -> int | None:
    """A number that is written, or that a constant or an enumerator has."""
    expr = strip_casts(expr)
    if isinstance(expr, IntLit):
        return expr.value
    return expr.decl.value if isinstance(expr, Ref) else None


def is_element(expr: Expr) -> bool:
    """Whether an expression is an element of a container of the library, ``kernels[device]``."""
    return isinstance(expr, Call) and expr.name.endswith("::operator[]") and expr.receiver is not None


def place(expr: Expr, index: Number = number) -> Key | None:
    """What tells one place of a handle from another: a variable, a member of a class, an element of either."""
    if isinstance(expr, Ref):
        linked = expr.decl.is_global and not expr.decl.static
        return ("global", expr.decl.name) if linked else (expr.decl,)
    if isinstance(expr, Member):
        return record(expr.base.type), expr.field
    if isinstance(expr, Subscript):
        base, at = place(bare(expr.base)), index(expr.index)
        return element(base, at) if base is not None and at is not None else None
    if isinstance(expr, Call) and expr.receiver is not None and is_element(expr):
        base = place(bare(expr.receiver))
        return (base, EVERY) if base is not None else None
    return None


def element(base: Key, at: int, field: str = "") -> Key:
    """The place of an element of an array, or of a member of it."""
    return (base, at, field) if field else (base, at)


def record(type_: Type) -> str:
    """The name of the class that an object is of, or a pointer leads to."""
    while isinstance(type_, PointerType):
        type_ = type_.pointee
    return type_.name if isinstance(type_, StructType) else str(getattr(type_, "spelling", ""))


class Tables:
    """The tables of names in some modules."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = modules

    @cached_property
    def _of_records(self) -> dict[str, dict[Key, VarDecl]]:
        """Arrays of structures that are made with rows, by the name of the structure and their place."""
        found: dict[str, dict[Key, VarDecl]] = {}
        for module in self._modules:
            for one in module.globals:
                if (
                    isinstance(one.type, ArrayType)
                    and isinstance(one.type.element, StructType)
                    and one.init is not None
                ):
                    key = place(Ref(one.span, one.type, one))
                    assert key is not None
                    found.setdefault(one.type.element.name, {})[key] = one
        return found

    def columns(self, member: Member) -> Iterator[tuple[Key, tuple[str, ...]]]:
        """The texts that a member has in the rows of each table that the member's object may be one of."""
        for key, table in self._of_records.get(record(member.base.type), {}).items():
            base = bare(member.base)
            whole = place(bare(base.base)) if isinstance(base, Subscript) else None
            if whole is None or whole == key or whole not in self._of_records[record(member.base.type)]:
                texts = _column(table, member.field)
                if any(texts):
                    yield key, texts


def _column(table: VarDecl, field: str) -> tuple[str, ...]:
    kind = table.type.element if isinstance(table.type, ArrayType) else None
    rows = strip_casts(table.init) if table.init is not None else None
    if not isinstance(kind, StructType) or not isinstance(rows, InitList):
        return ()
    at = next((at for at, one in enumerate(kind.fields) if one.name == field), len(kind.fields))
    return tuple(
        _text(row.elements[at]) if isinstance(row, InitList) and at < len(row.elements) else ""
        for row in map(strip_casts, rows.elements)
    )


def _text(expr: Expr) -> str:
    expr = strip_casts(expr)
    return expr.value if isinstance(expr, StringLit) else ""


def texts_of(expr: Expr) -> tuple[str, ...]:
    """The texts of an array that a variable is made with."""
    expr = bare(expr)
    listed = strip_casts(expr.decl.init) if isinstance(expr, Ref) and expr.decl.init is not None else None
    return tuple(map(_text, listed.elements)) if isinstance(listed, InitList) else ()
