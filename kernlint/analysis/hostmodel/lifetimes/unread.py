"""Memory of the host that a function fills by copies and never looks at: what is copied there is for nobody."""

from __future__ import annotations

import functools

from kernlint.apis.memory import MOVES
from kernlint.apis.names import known_name
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType
from kernlint.tree.walk import children, strip_casts


def never_read(function: n.FunctionDecl, copy: n.Call, at: int | None) -> bool:
    """Whether the target of a copy, its argument ``at`` that place, is a variable of ``function`` that nothing there
    names but functions of the runtime, what sets it, and tests whether there is memory at all: only how long the copy
    takes may matter then."""
    target = strip_casts(copy.args[at]) if at is not None and at < len(copy.args) else None
    if isinstance(target, n.AddressOf):
        target = strip_casts(target.operand)
    if not isinstance(target, n.Ref) or isinstance(target.decl, n.ParamDecl) or function.body is None:
        return False
    decl = target.decl
    if decl.is_global or decl.static or (isinstance(decl.type, PointerType) and decl.type.reference):
        return False
    return decl not in _looked_at(function.body)


@functools.lru_cache(maxsize=64)
def _looked_at(body: n.Block) -> frozenset[n.VarDecl]:
    """The variables that a function names elsewhere than where it says nothing of their content."""
    found: set[n.VarDecl] = set()
    left: list[n.Node] = [body]
    while left:
        node = left.pop()
        for child in children(node):
            named = _named(child)
            if named is None or not _says_nothing(node, child):
                left.append(child)
        if isinstance(node, n.Ref):
            found.add(node.decl)
    return frozenset(found)


def _named(node: n.Node) -> n.VarDecl | None:
    """The variable that an expression is, or is the address of."""
    if not isinstance(node, n.Expr):
        return None
    plain = strip_casts(node)
    if isinstance(plain, n.AddressOf):
        plain = strip_casts(plain.operand)
    return plain.decl if isinstance(plain, n.Ref) else None


def _says_nothing(node: n.Node, child: n.Node) -> bool:
    """Whether what stands at ``child`` of ``node`` may be known without a look at what it leads to."""
    if isinstance(node, n.Call):
        name = known_name(node.name)
        if name is None or (node.function is not None and node.function.body is not None):
            return False
        moves = MOVES.get(name)
        source = None if moves is None else moves.source
        return source is None or source >= len(node.args) or child is not node.args[source]
    if isinstance(node, n.Assign):
        return child is node.target
    if isinstance(node, n.Unary):
        return node.op == "!"
    if isinstance(node, n.Binary):
        other = strip_casts(node.rhs if child is node.lhs else node.lhs)
        return node.op in ("==", "!=") and isinstance(other, n.IntLit)
    return False
