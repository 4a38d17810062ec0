"""Iteration over the kernel tree, whatever the kind of node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import overload

from kernlint.record import fields
from kernlint.tree.nodes import Block, Call, Cast, Expr, FunctionDecl, FunctionRef, Kernel, Launch, Node, ParamDecl, Ref

_LINKS: dict[type, frozenset[str]] = {
    Call: frozenset({"function", "values"}),
    FunctionRef: frozenset({"function"}),
    Launch: frozenset({"kernel"}),
    ParamDecl: frozenset({"shape"}),
    Ref: frozenset({"decl"}),
    FunctionDecl: frozenset({"generic", "numbers"}),
}
"""Fields that point elsewhere in the tree instead of owning what they hold."""

_PLAIN = ("str", "int", "bool", "float", "Type", "Span", "Space", "Scope", "Quantity", "FunctionKind", "LaunchBounds")


_CHILD_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def _child_fields(kind: type[Node]) -> tuple[str, ...]:
    found = _CHILD_FIELDS.get(kind)
    if found is None:
        found = _CHILD_FIELDS[kind] = _find_child_fields(kind)
    return found


def _find_child_fields(kind: type[Node]) -> tuple[str, ...]:
    links = _LINKS.get(kind, frozenset())
    names = []
    for field in fields(kind):
        parts = str(field.type).replace("None", "").replace("|", " ").split()
        if field.name not in links and not all(part in _PLAIN for part in parts):
            names.append(field.name)
    return tuple(names)


_GETTERS: dict[type[Node], Callable[[Node], tuple[object, ...]] | None] = {}


def _getter(kind: type[Node]) -> Callable[[Node], tuple[object, ...]] | None:
    """What gives the values of a node's fields that may hold nodes, the last first; None where none may."""
    names = _child_fields(kind)[::-1]
    if not names:
        found = None
    elif len(names) == 1:
        one = attrgetter(names[0])
        found = lambda node: (one(node),)  # noqa: E731
    else:
        found = attrgetter(*names)
    _GETTERS[kind] = found
    return found


def children(node: Node) -> Iterator[Node]:
    """The nodes that ``node`` owns, in source order of its fields.

    Uses are not owned: the declaration behind a :class:`Ref` or the callee of a :class:`Call` is not among them.
    """
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(node: Node) -> Iterator[Node]:
    """``node`` and everything below it, parents before children, in order; callees are not entered.

    What is below a block is looked up once (:func:`forget` lets go of it): many ask about the same bodies.  Trees that
    are still being made are for :func:`traverse`.
    """
    if type(node) is not Block:
        return traverse(node)
    kept = _KEPT.get(id(node))
    if kept is None:
        kept = _KEPT[id(node)] = list(traverse(node))
    return iter(kept)


_KEPT: dict[int, list[Node]] = {}
"""Nodes of blocks, by the identity of the block, which stands first among them and so lives as long."""


def forget() -> None:
    """Let go of the trees that were walked."""
    _KEPT.clear()


def traverse(node: Node) -> Iterator[Node]:
    """What :func:`walk` gives, looked up anew."""
    stack = [node]
    pop, push = stack.pop, stack.append
    getters = _GETTERS
    while stack:
        current = pop()
        yield current
        # what `children` gives, backwards, without a generator for each node
        kind = type(current)
        get = getters[kind] if kind in getters else _getter(kind)
        if get is None:
            continue
        for value in get(current):
            if value is None:
                continue
            if type(value) is tuple:
                for item in reversed(value):
                    if isinstance(item, Node):
                        push(item)
            elif isinstance(value, Node):
                push(value)


Callees = dict[int, tuple[FunctionDecl, ...]]
"""By the identity of a function, the functions with a body that it calls or names."""


@overload
def strip_casts(expr: Expr) -> Expr: ...


@overload
def strip_casts(expr: Expr | None) -> Expr | None: ...


def strip_casts(expr: Expr | None) -> Expr | None:
    """``expr`` without the conversions around it."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def functions_of(kernel: Kernel) -> Iterator[FunctionDecl]:
    """The kernel's variants and every function with a body that they can call, each once."""
    return reached_from(kernel.variants)


def reached_from(functions: Sequence[FunctionDecl], known: Callees | None = None) -> Iterator[FunctionDecl]:
    """``functions`` and every function with a body that they can call, each once.  ``known``: callees that were looked
    up before, and are from now on, in trees that outlive it."""
    known = {} if known is None else known
    seen: set[int] = set()
    stack = list(reversed(functions))
    while stack:
        function = stack.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        callees = known.get(id(function))
        if callees is None:
            callees = known[id(function)] = tuple(_callees(function))
        stack += callees


def _callees(function: FunctionDecl) -> Iterator[FunctionDecl]:
    for node in traverse(function):
        target = node.function if isinstance(node, (Call, FunctionRef)) else None
        if target is not None and target.body is not None:
            yield target
