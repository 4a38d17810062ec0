"""Iteration over the kernel tree, whatever the kind of node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.record import fields
from kernlint.tree.nodes import Call, FunctionDecl, FunctionRef, Kernel, Launch, Node, ParamDecl, Ref

_LINKS: dict[type, frozenset[str]] = {
    Call: frozenset({"function"}),
    FunctionRef: frozenset({"function"}),
    Launch: frozenset({"kernel"}),
    ParamDecl: frozenset({"shape"}),
    Ref: frozenset({"decl"}),
    FunctionDecl: frozenset({"generic"}),
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
    """``node`` and everything below it, parents before children, in order; callees are not entered."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(tuple(children(current))))


def functions_of(kernel: Kernel) -> Iterator[FunctionDecl]:
    """The kernel's variants and every function with a body that they can call, each once."""
    return reached_from(kernel.variants)


def reached_from(functions: Sequence[FunctionDecl]) -> Iterator[FunctionDecl]:
    """``functions`` and every function with a body that they can call, each once."""
    seen: set[int] = set()
    stack = list(reversed(functions))
    while stack:
        function = stack.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        for node in walk(function):
            target = node.function if isinstance(node, (Call, FunctionRef)) else None
            if target is not None and target.body is not None:
                stack.append(target)
