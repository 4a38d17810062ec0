"""Variables of a file that hold one number whenever they are read: every store in the file is of that constant.

``dim3 grid;`` beside the kernels, set by one function and used for launches by another, is as good as written there.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.launching.members import number_of
from kernlint.analysis.trace.values import fields_of
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Call,
    Cast,
    Expr,
    FunctionKind,
    IncDec,
    InitList,
    Member,
    Module,
    Ref,
    VarDecl,
)
from kernlint.tree.types import IntType, PointerType, StructType, VectorType
from kernlint.tree.walk import walk

Fixed = dict[tuple[VarDecl, int], int]
"""Numbers by variable and bytes from its start."""


def fixed_variables(module: Module) -> Fixed:
    """The numbers that variables of a file hold, as far as its host functions store nothing else.

    A variable is left out whose address is taken, or that a function not in sight is given, which may change it.
    """
    stored: dict[tuple[VarDecl, int], set[int | None]] = {}
    open_: set[VarDecl] = set()
    for function in module.functions:
        if function.body is None or function.kind is FunctionKind.DEVICE:
            continue
        for node in walk(function.body):
            if isinstance(node, Assign):
                for decl, at, value in _stores(node):
                    stored.setdefault((decl, at), set()).add(value)
            elif isinstance(node, IncDec):
                open_.update(_variable(node.target))
            elif isinstance(node, AddressOf):
                open_.update(_variable(node.operand))
            elif isinstance(node, Call):
                open_.update(_given(node))
    for (decl, _), values in stored.items():
        if None in values:
            open_.add(decl)
    found = {
        (decl, at): value
        for (decl, at), values in stored.items()
        for value in values
        if value is not None and len(values) == 1 and decl not in open_ and _made_of_nothing(decl)
    }
    for decl in {decl for decl, _ in found}:
        if isinstance(decl.type, StructType) and decl.type.name == "dim3":
            found.update(
                ((decl, at), 1) for _, _, at in fields_of(decl.type) if at is not None and (decl, at) not in stored
            )
    return found


def _made_of_nothing(decl: VarDecl) -> bool:
    """Whether a variable begins without a value of its own."""
    return decl.init is None or (isinstance(decl.init, InitList) and not decl.init.elements)


def _stores(node: Assign) -> Iterator[tuple[VarDecl, int, int | None]]:
    """What an assignment stores in variables of the file: (variable, bytes from its start, number)."""
    target = node.target
    for decl in _variable(target):
        if isinstance(target, Ref) and isinstance(target.type, (StructType, VectorType)):
            elements = node.value.elements if isinstance(node.value, InitList) and not node.op else ()
            rest = int(isinstance(target.type, StructType) and target.type.name == "dim3")
            for number, (_, _, at) in enumerate(fields_of(target.type)):
                given = number_of(elements[number]) if number < len(elements) else rest if elements else None
                yield decl, at or 0, given if isinstance(given, int) and at is not None else None
            continue
        at = _offset(target)
        found = number_of(node.value) if not node.op and at is not None and isinstance(target.type, IntType) else None
        yield decl, at or 0, found if isinstance(found, int) else None


def _offset(target: Expr) -> int | None:
    """How far into a variable a target lies, in bytes; None where that is not plain."""
    if isinstance(target, Ref):
        return 0
    if isinstance(target, Member) and isinstance(target.base, Ref):
        return next((at for name, _, at in fields_of(target.base.type) if name == target.field), None)
    return None


def _variable(expr: Expr) -> set[VarDecl]:
    """The variables of the file that an expression reaches into."""
    return {at.decl for at in walk(expr) if isinstance(at, Ref) and at.decl.is_global}


def _given(call: Call) -> set[VarDecl]:
    """Variables of the file that a function gets by reference, or may."""
    found: set[VarDecl] = set()
    params = call.function.params if call.function is not None else ()
    for number, arg in enumerate(call.args):
        kind = params[number].type if number < len(params) else None
        by_value = kind is not None and not (isinstance(kind, PointerType) and kind.reference)
        if not by_value and not isinstance(arg, Cast):
            found |= _variable(arg)
    return found
