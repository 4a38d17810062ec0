"""The list behind addresses that a launch is given, where these are in a sequence that is filled in order."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.tree import nodes as n
from kernlint.tree.launch_arguments import packed_arguments
from kernlint.tree.walk import strip_casts, walk

_ADDS = frozenset({"push_back", "emplace_back"})
_LOOKS = frozenset({"data", "size", "begin", "end", "empty", "reserve"})
_BRANCHES = (n.If, n.For, n.While, n.DoWhile, n.Switch, n.Lambda, n.Goto)


def listed_in(decl: n.VarDecl | None) -> n.InitList | None:
    """The list that a variable begins with."""
    init = decl.init if decl is not None else None
    if isinstance(init, n.Call) and init.name.endswith("vector::vector") and len(init.args) == 1:
        init = init.args[0]
    return init if isinstance(init, n.InitList) else None


def of_sequence(packed: n.Expr | None, function: n.FunctionDecl) -> tuple[n.Expr, ...]:
    """What the addresses are of that ``v.data()`` leads to, where ``v`` is a sequence of the function that nothing
    else changes than what adds to it in order; empty where that is not known."""
    packed = strip_casts(packed) if packed is not None else None
    if not isinstance(packed, n.Call) or packed.name.rpartition("::")[2] != "data" or packed.receiver is None:
        return ()
    held = strip_casts(packed.receiver)
    if not isinstance(held, n.Ref) or isinstance(held.decl, n.ParamDecl) or function.body is None:
        return ()
    begun = listed_in(held.decl)
    if held.decl.init is not None and begun is None and not _empty(held.decl.init):
        return ()
    added = list(_added(function.body, held.decl))
    here = any(node is held.decl for node in walk(function.body))
    if None in added or not here or any(one.span.start > packed.span.start for one in added if one is not None):
        return ()
    items = (*(begun.elements if begun is not None else ()), *(one for one in added if one is not None))
    return packed_arguments(n.InitList(packed.span, held.type, items)) if items else ()


def _empty(init: n.Expr) -> bool:
    return isinstance(init, n.Call) and not init.args and init.name.endswith("vector::vector")


def _added(body: n.Node, decl: n.VarDecl) -> Iterator[n.Expr | None]:
    """What is added to a sequence, in order; None: something else may be done to it, or perhaps not."""
    own: set[int] = set()
    inside = {id(node) for branch in walk(body) if isinstance(branch, _BRANCHES) for node in walk(branch)}
    for node in walk(body):
        if isinstance(node, n.Call) and node.receiver is not None:
            held = strip_casts(node.receiver)
            if not isinstance(held, n.Ref) or held.decl is not decl:
                continue
            method = node.name.rpartition("::")[2]
            own.add(id(held))
            if method in _ADDS and len(node.args) == 1 and id(node) not in inside:
                yield node.args[0]
            elif method not in _LOOKS:
                yield None
    if any(isinstance(node, n.Ref) and node.decl is decl and id(node) not in own for node in walk(body)):
        yield None
