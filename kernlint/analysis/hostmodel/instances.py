"""Instances of one template beside each other."""

from __future__ import annotations

from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import PointerType, StructType


def twins(one: FunctionDecl, other: object) -> bool:
    """Whether two functions are instances of one text, for other types: what a branch for one of them does is read in
    the other too.  Numbers of a template decide by themselves."""
    if not isinstance(other, FunctionDecl) or one is other or one.span != other.span:
        return False
    mine, theirs = _arguments(one), _arguments(other)
    differ = [pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]]
    return not differ or not all(own.isdigit() for own, _ in differ)


def _arguments(function: FunctionDecl) -> tuple[str, ...]:
    """The arguments of a template that a function is an instance for, or its class is."""
    if function.template_args:
        return tuple(text for _, text in function.template_args)
    this = function.this.type if function.this is not None else None
    name = this.pointee.name if isinstance(this, PointerType) and isinstance(this.pointee, StructType) else ""
    return tuple(text.strip() for text in name.partition("<")[2].removesuffix(">").split(","))
