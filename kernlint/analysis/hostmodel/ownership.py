"""Who has to give allocated memory back: whether the pointer to it stays in the function that allocated it."""

from __future__ import annotations

from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    FunctionDecl,
    If,
    Launch,
    Node,
    Opaque,
    OpaqueStmt,
    Ref,
    Subscript,
    Unary,
    VarDecl,
)
from kernlint.tree.walk import children, walk

DEPTH = 4
"""Calls that a pointer is followed through."""

_BORROWS = pattern(
    r"(?:cuda|hip|cu)(?:Malloc|Free|Mem|HostAlloc|HostMalloc|HostFree|LaunchKernel|LaunchCooperativeKernel"
    r"|StreamSynchronize|DeviceSynchronize)\w*|cl(?:SetKernelArg|Enqueue\w+|ReleaseMemObject|GetMemObjectInfo)|free|malloc|calloc|printf|fprintf"
)
"""Functions that use a pointer, allocate for it or free it, and keep no copy of it."""


def stays(decl: VarDecl, function: FunctionDecl, depth: int = DEPTH) -> bool:
    """Whether nothing but ``function``, and what it lends the pointer ``decl`` to, can know the pointer.

    It is lent to launches, to the runtime's functions, and to functions in sight that lend it no further.  Copies of
    it, objects made of it (which may own it), lambdas and whatever was not understood speak against it.
    """
    if function.body is None or not depth:
        return False
    if any(isinstance(node, OpaqueStmt) and decl.name in node.words for node in walk(function.body)):
        return False
    return _lends(function.body, decl, depth)


def _lends(node: Node, decl: VarDecl, depth: int) -> bool:
    """Whether every use of ``decl`` in ``node`` is one that keeps nothing."""
    if isinstance(node, Ref) and node.decl is decl:
        return False
    if isinstance(node, Assign) and not node.op and isinstance(node.target, Ref) and node.target.decl is decl:
        return not isinstance(node.value, Ref) and _lends(node.value, decl, depth)
    if isinstance(node, Opaque):
        return not any(isinstance(one, Ref) and one.decl is decl for one in walk(node))
    if isinstance(node, Call):
        return all(
            _argument(node, index, decl, depth) if _is(arg, decl) else _lends(arg, decl, depth)
            for index, arg in enumerate(node.args)
        ) and (node.receiver is None or _lends(node.receiver, decl, depth))
    if isinstance(node, Launch):
        return all(_is(child, decl) or _lends(child, decl, depth) for child in children(node))
    tests = (isinstance(node, Binary) and node.op in ("==", "!=", "&&", "||")) or isinstance(node, If)
    if tests and depth == DEPTH:
        return all(_is(child, decl) or _lends(child, decl, depth) for child in children(node))
    return all(_lends(child, decl, depth) for child in children(node))


def _argument(call: Call, index: int, decl: VarDecl, depth: int) -> bool:
    """Whether ``call`` keeps nothing of the pointer that it is given as the argument ``index``."""
    callee = call.function
    if callee is None or callee.body is None:
        return _BORROWS.fullmatch(call.name.rpartition("::")[2]) is not None
    return index < len(callee.params) and stays(callee.params[index], callee, depth - 1)


def _is(node: Node, decl: VarDecl) -> bool:
    """Whether a value is the pointer ``decl``, moved perhaps, or its address."""
    while True:
        if isinstance(node, (Cast, AddressOf)):
            node = node.operand
        elif isinstance(node, Subscript):
            node = node.base
        elif isinstance(node, Binary) and node.op in ("+", "-"):
            node = node.lhs
        elif isinstance(node, Unary):
            node = node.operand
        else:
            return isinstance(node, Ref) and node.decl is decl
