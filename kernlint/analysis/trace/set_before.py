"""Numbers in memory that a launch finds as its host has left them: arguments in all but the way that they are passed.

A number in constant memory, a count behind a pointer (``*count``) and a field of what one object has
(``problem->cells``) are the same for all threads, and nothing in the kernel changes them.  Elements of arrays are data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.symbolic.terms import Term
from kernlint.tree.nodes import (
    Call,
    Deref,
    Expr,
    FunctionDecl,
    IntLit,
    Member,
    Node,
    ParamDecl,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import ArrayType, IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import strip_casts, walk


def set_before(single: Collection[VarDecl], root: Root, offset: Term, type_: Type) -> bool:
    """Whether a number of ``type_`` in an object is one that the host sets before a launch as it does arguments.
    ``single``: the pointers of the kernel that :func:`lead_to_one` names."""
    if offset.value is None or not isinstance(type_, IntType):
        return False
    if root.kind is RootKind.VARIABLE:
        return _in_constant_memory(root)
    return root.kind is RootKind.PARAM and root.readonly and not root.volatile and not root.path and root.decl in single


def _in_constant_memory(root: Root) -> bool:
    """Whether an object is a variable in constant memory that is no array."""
    decl = root.decl
    if root.space is not Space.CONSTANT or decl is None or not decl.is_global:
        return False
    return not isinstance(decl.type, ArrayType)


def lead_to_one(kernel: FunctionDecl) -> frozenset[ParamDecl]:
    """The pointers of a kernel that lead to one object, or to a few numbers with a meaning each, for all that it does
    with them: it subscripts them with nothing but constants."""
    pointers = {param for param in kernel.params if isinstance(param.type, PointerType)}
    if not pointers or kernel.body is None:
        return frozenset()
    uses: dict[ParamDecl, int] = {}
    plain: dict[ParamDecl, int] = {}
    for node in walk(kernel.body):
        if isinstance(node, Ref) and node.decl in pointers:
            uses[node.decl] = uses.get(node.decl, 0) + 1
        for decl in _looked_at(node):
            plain[decl] = plain.get(decl, 0) + 1
    return frozenset(decl for decl, count in uses.items() if plain.get(decl) == count)


def _looked_at(node: Node) -> Iterator[ParamDecl]:
    """The pointers of which a node looks at an object at a constant distance, or hands on one to a structure."""
    found: list[Expr] = []
    if isinstance(node, Deref):
        found.append(node.pointer)
    elif isinstance(node, Member):
        found += [node.base] if node.arrow else []
    elif isinstance(node, Subscript):
        found += [node.base] if isinstance(strip_casts(node.index), IntLit) else []
    elif isinstance(node, Call):
        found += [
            arg for arg in node.args if isinstance(arg.type, PointerType) and isinstance(arg.type.pointee, StructType)
        ]
    for one in found:
        at = strip_casts(one)
        if isinstance(at, Ref) and isinstance(at.decl, ParamDecl):
            yield at.decl
