"""What the pointers among the members of the host's classes lead to, by all that a file stores in them.

A method that copies does not see the one that allocates.  A member to which every store in the file gives memory of one
kind, or null, leads to such memory wherever it is read; one that is given anything else is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.places import Where, allocated_by
from kernlint.analysis.trace.host import allocator
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Call,
    Cast,
    Expr,
    IntLit,
    Member,
    Module,
    Node,
    ParamDecl,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import PointerType, StructType
from kernlint.tree.walk import walk

Field = tuple[str, str]
"""A member: the name of its class, and its own."""


def field_of(expr: Node | None) -> Field | None:
    """The member that an expression reads, conversions aside; of an array of pointers, an element (``name[]``)."""
    while isinstance(expr, Cast):
        expr = expr.operand
    if isinstance(expr, Subscript) or (isinstance(expr, Call) and _in_array(expr)):
        array = field_of(expr.base if isinstance(expr, Subscript) else expr.receiver)
        return (array[0], f"{array[1]}{ELEMENT}") if array is not None else None
    if not isinstance(expr, Member):
        return None
    kind = expr.base.type
    if isinstance(kind, PointerType):
        kind = kind.pointee
    return (kind.name, expr.field) if isinstance(kind, StructType) else None


ELEMENT = "[]"
"""Stands behind the name of a member for any element of what it is or leads to."""


def _in_array(call: Call) -> bool:
    """Whether a call gives an element of a ``std::array``."""
    kind = call.receiver.type if call.receiver is not None else None
    array = isinstance(kind, StructType) and "std::array" in kind.name
    return array and call.name.endswith(("::operator[]", "::at"))


def _stores(module: Module) -> Iterator[tuple[Field, Where | None]]:
    """What is stored in members: the memory that it leads to, None where it is null."""
    for function in module.functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Assign) and isinstance(node.target.type, PointerType):
                field = field_of(node.target)
                if field is not None:
                    yield field, _given(node.value)
            elif isinstance(node, Call):
                yield from _passed(node)
            elif isinstance(node, VarDecl) and (array := field_of(node.init)) is not None:
                yield (array[0], f"{array[1]}{ELEMENT}"), Where.UNKNOWN  # another name for its elements


def _given(value: Expr) -> Where | None:
    while isinstance(value, Cast):
        value = value.operand
    if isinstance(value, IntLit) and value.value == 0:
        return None
    made = allocator(value.name) if isinstance(value, Call) and value.receiver is None else None
    if isinstance(value, Call) and made is not None and made.out is None:
        return allocated_by(value.name)
    return Where.UNKNOWN


def _passed(call: Call) -> Iterator[tuple[Field, Where]]:
    """Members whose address a call is given."""
    rule = allocator(call.name)
    for index, arg in enumerate(call.args):
        inner: Node = arg
        while isinstance(inner, Cast):
            inner = inner.operand
        field = field_of(inner.operand) if isinstance(inner, AddressOf) else None
        if field is not None:
            yield field, allocated_by(call.name) if rule is not None and rule.out == index else Where.UNKNOWN
        # Whoever is given the array may store anything in its elements.
        whole = field_of(inner.operand if isinstance(inner, AddressOf) else inner)
        if whole is not None and not (field is not None and rule is not None and rule.out == index):
            yield (whole[0], f"{whole[1]}{ELEMENT}"), Where.UNKNOWN
    if call.receiver is not None and not _in_array(call) and (held := field_of(call.receiver)) is not None:
        yield (held[0], f"{held[1]}{ELEMENT}"), Where.UNKNOWN


def _compute(facts: ModuleFacts) -> dict[Field, Where]:
    found: dict[Field, set[Where]] = {}
    for field, where in _stores(facts.module):
        if where is not None:
            found.setdefault(field, set()).add(where)
    copied = set(_copied(facts.module)) if found else set()
    return {field: next(iter(kinds)) for field, kinds in found.items() if len(kinds) == 1 and field[0] not in copied}


def _copied(module: Module) -> Iterator[str]:
    """Structures that are made of a parameter of their type (``Matrix device = host``): what that one leads to the file
    does not say, and memory of the other kind replaces it in the copy."""
    for function in module.functions:
        for node in walk(function.body) if function.body is not None else ():
            made = node.init if isinstance(node, VarDecl) else None
            while isinstance(made, Cast):
                made = made.operand
            if isinstance(made, Ref) and isinstance(made.decl, ParamDecl) and isinstance(made.type, StructType):
                yield made.type.name


member_memory = ModuleAnalysis("member_memory", _compute)
"""Where the pointers lead that are members, as far as a file tells."""
