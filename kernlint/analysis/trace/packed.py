"""The list behind addresses that a launch is given, where these are in a sequence that is filled in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.launch_arguments import packed_arguments
from kernlint.tree.walk import strip_casts, walk

_ADDS = frozenset({"push_back", "emplace_back"})
_LOOKS = frozenset({"data", "size", "begin", "end", "empty", "reserve"})
_BRANCHES = (n.If, n.For, n.While, n.DoWhile, n.Switch, n.Lambda, n.Goto)


STEPS = 4
"""Calls, at most, through which a sequence is handed on before it is launched with."""


def listed_in(decl: n.VarDecl | None) -> n.InitList | None:
    """The list that a variable begins with."""
    return _list_of(decl.init) if decl is not None else None


def _list_of(init: n.Expr | None) -> n.InitList | None:
    """The list that a sequence is made with."""
    init = strip_casts(init)
    if isinstance(init, n.Call) and init.name.endswith("vector::vector") and len(init.args) == 1:
        init = strip_casts(init.args[0])
    return init if isinstance(init, n.InitList) else None


def of_sequence(
    packed: n.Expr | None, functions: Sequence[n.FunctionDecl], stack: Sequence[Span]
) -> tuple[n.Expr, ...]:
    """What the addresses are of that ``v.data()`` leads to, where ``v`` is a sequence that nothing else changes than
    what adds to it in order; empty where that is not known.  ``functions``: the one that launches, last, behind those
    through which the walk came to it, by the calls at ``stack``."""
    packed = strip_casts(packed) if packed is not None else None
    if not isinstance(packed, n.Call) or packed.receiver is None:
        return ()
    held: n.Expr | None = strip_casts(packed.receiver)
    of, _, last = packed.name.rpartition("::")
    plain = last == "data" and of.rpartition("::")[2] in ("vector", "array")
    using = packed
    for step in range(1, min(len(functions), STEPS) + 1):
        if not isinstance(held, n.Ref):
            break
        function = functions[-step]
        if not isinstance(held.decl, n.ParamDecl):
            found = _of_variable(held.decl, using, function, plain)
            return packed_arguments(found) if isinstance(found, n.InitList) else found
        if not plain or step > len(stack) or step == len(functions) or _changed(function, held.decl):
            return ()
        call = _call_at(functions[-step - 1], stack[-step])
        if call is None or held.decl not in function.params[: len(call.args)]:
            return ()
        held, using = _original(call.args[function.params.index(held.decl)]), call
    listed = _list_of(held)
    return packed_arguments(listed) if plain and listed is not None else ()


def _original(expr: n.Expr | None) -> n.Expr | None:
    """The variable that a sequence is a copy of."""
    expr = strip_casts(expr)
    while isinstance(expr, n.Call) and expr.name.endswith("vector::vector") and len(expr.args) == 1:
        inner = strip_casts(expr.args[0])
        if not isinstance(inner, (n.Ref, n.Call)):
            break
        expr = inner
    return expr


def _call_at(caller: n.FunctionDecl, at: Span) -> n.Call | None:
    """The call that a function makes at a place."""
    calls = (node for node in walk(caller.body or caller) if isinstance(node, n.Call) and node.span == at)
    return next((call for call in calls if call.function is not None), None)


def _changed(function: n.FunctionDecl, decl: n.VarDecl) -> bool:
    """Whether a function does something else to a sequence than look at it."""
    return function.body is None or any(True for _ in _added(function.body, decl, plain=True))


def _of_variable(
    decl: n.VarDecl, using: n.Call, function: n.FunctionDecl, plain: bool
) -> n.InitList | tuple[n.Expr, ...]:
    """The addresses in a sequence, or what is given to an object of a class that keeps them: the arguments themselves.
    ``using``: the call that takes it as it is then."""
    if function.body is None:
        return ()
    begun = listed_in(decl) if plain else None
    if decl.init is not None and begun is None and not _empty(decl.init):
        return ()
    added = list(_added(function.body, decl, plain, using))
    here = any(node is decl for node in walk(function.body))
    if None in added or not here or any(one.span.start > using.span.start for one in added if one is not None):
        return ()
    items = (*(begun.elements if begun is not None else ()), *(one for one in added if one is not None))
    if not items:
        return ()
    return n.InitList(using.span, decl.type, items) if plain else items


def _empty(init: n.Expr) -> bool:
    return isinstance(init, n.Call) and not init.args and _constructs(init.name)


def _constructs(name: str) -> bool:
    of, _, last = name.rpartition("::")
    return of.rpartition("::")[2].partition("<")[0] == last


def _keeps(method: n.FunctionDecl | None) -> bool:
    """Whether a method keeps the value of its only parameter behind those that came before: it adds once, in any case,
    to a sequence of its own."""
    if method is None or method.body is None or len(method.params) != 1 or method.this is None:
        return False
    nodes = list(walk(method.body))
    adding = [node for node in nodes if isinstance(node, n.Call) and node.name.rpartition("::")[2] in _ADDS]
    used = any(isinstance(node, n.Ref) and node.decl is method.params[0] for node in nodes)
    member = len(adding) == 1 and isinstance(strip_casts(adding[0].receiver), n.Member)
    return member and used and not any(isinstance(node, _BRANCHES) for node in nodes)


def _added(body: n.Node, decl: n.VarDecl, plain: bool, using: n.Call | None = None) -> Iterator[n.Expr | None]:
    """What is added to a sequence, in order; None: something else may be done to it, or perhaps not.  ``plain``: it is
    one of the standard library, and no object of a class that keeps what it is given."""
    own: set[int] = set()
    inside = {id(node) for branch in walk(body) if isinstance(branch, _BRANCHES) for node in walk(branch)}
    for node in walk(body):
        if node is using:
            own.update(id(part) for part in walk(node))
        elif isinstance(node, n.Call) and node.receiver is not None:
            held = strip_casts(node.receiver)
            if not isinstance(held, n.Ref) or held.decl is not decl:
                continue
            method = node.name.rpartition("::")[2]
            own.add(id(held))
            adds = method in _ADDS and len(node.args) == 1 if plain else _keeps(node.function)
            if adds and id(node) not in inside:
                yield node.args[0]
            elif not plain or method not in _LOOKS:
                yield None
    if any(isinstance(node, n.Ref) and node.decl is decl and id(node) not in own for node in walk(body)):
        yield None
