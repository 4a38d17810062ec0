"""What a value from memory is called in messages: a member, an element, or the object that it comes from."""

from __future__ import annotations

from kernlint.analysis.trace.events import Root
from kernlint.symbolic.terms import Term
from kernlint.tree.types import ArrayType, StructType, Type

DEEP = 4
"""Members of members that are named."""


def called(root: Root, offset: Term, kind: Type) -> str:
    """``shape.width`` or ``extents[2]`` where the place is a number of bytes, else ``data[..]``."""
    at, path, name = offset.value, "", root.name
    element = root.element
    for _ in range(DEEP):
        if at is None or at < 0:
            break
        if isinstance(element, ArrayType):
            element = element.element
        size = element.size
        if not isinstance(element, StructType):
            if path and not at:
                return f"{name}{path}"
            return f"{name}{path}[{at // size}]" if size and size == kind.size and at % size == 0 else f"{name}[..]"
        if size is None or at >= size or element.union:
            break
        found = next((f for f in element.fields if f.offset is not None and _within(at - f.offset, f.type)), None)
        if found is None or found.offset is None:
            break
        name = f"({name})" if name.startswith("*") else name
        path, at, element = f"{path}.{found.name}", at - found.offset, found.type
        if at == 0 and element.size == kind.size and not isinstance(element, StructType | ArrayType):
            return f"{name}{path}"
    return f"{root.name}[..]"


def _within(at: int, kind: Type) -> bool:
    return kind.size is not None and 0 <= at < kind.size
