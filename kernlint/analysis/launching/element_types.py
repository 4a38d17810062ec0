"""Launches that leave the arguments of a template to what they pass (``hipLaunchKernelGGL(scale, ...)``)."""

from __future__ import annotations

from kernlint.tree.nodes import FunctionDecl, Launch
from kernlint.tree.types import FloatType, IntType, PointerType, Type


def of_other_elements(launch: Launch, kernel: FunctionDecl | None, instance: FunctionDecl) -> bool:
    """Whether a launch that names no arguments of the template ``kernel`` (None: not known) passes pointers to elements
    of another size than this ``instance`` has: no pointer is converted to one of those."""
    named = kernel is not None and bool(kernel.template_args)
    if named or not instance.template_args or len(launch.args) != len(instance.params):
        return False
    pairs = [(_led_to(arg.type), _led_to(param.type)) for arg, param in zip(launch.args, instance.params, strict=True)]
    return any(theirs and ours and theirs != ours for theirs, ours in pairs)


def _led_to(type_: Type) -> int:
    """The bytes of a number that a pointer leads to; 0 for anything else."""
    inner = type_.pointee if isinstance(type_, PointerType) else None
    return (inner.size or 0) if isinstance(inner, (IntType, FloatType)) else 0
