"""Launches by a handle of which nobody in sight says what kernel it is of: of the only one that the file has.

A function or class that is given a ``cl_kernel`` or ``CUfunction`` sets the arguments of a kernel that was looked up
elsewhere.  Where the file has one kernel, looks no other up, and all arguments of the launch are in sight, as many as
the kernel has, it can be no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernlint.analysis.base import Facts
from kernlint.analysis.hostmodel.settings import HANDLE, MAKERS, Setting, set_twice
from kernlint.analysis.launching.binding import BY_NAME
from kernlint.analysis.launching.handles import own_name
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, Expr, Module, Node, ParamDecl, StringLit
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, Space, StructType, Type, VectorType
from kernlint.tree.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernlint.analysis.base import ModuleFacts
    from kernlint.analysis.launching.launches import LaunchFact

_KERNEL = pattern(r"\b(?:__kernel|kernel\s+void|__global__)\b")
_LOOKED_UP = pattern(r"(?:\w*::)*(?:Kernel|\w*(?:GetFunction|CreateKernels?\w*|GetKernel|get_kernel\w*))")

FEW = 3
"""Arguments that a kernel has to have for their widths to tell it from another."""


def of_only(facts: Facts, found: Callable[[ModuleFacts], tuple[LaunchFact, ...]]) -> Iterator[LaunchFact]:
    """Launches in the kernel's own file that can be of no other kernel; ``found``: all launches of a file."""
    if len(facts.module.kernels) != 1 or facts.module.missed:
        return
    path, count = facts.module.path, len(facts.function.params)
    for other in dict.fromkeys((facts.module_facts, *facts.module_facts.hosts_of(facts.kernel.name))):
        if other.module.path != path or other.module.written_in != "c":
            continue
        here = [launch for launch in found(other) if _unknown(launch) and _passes(launch, count)]
        if here and _only(other.module, facts):
            yield from here


def fits_all(launch: LaunchFact, facts: Facts) -> bool:
    """Whether each argument is as wide as the kernel has it, memory among them, and there are enough to tell."""
    params = facts.function.params
    if len(params) < FEW or not any(isinstance(param.type, PointerType) for param in params):
        return False
    if launch.settings:
        return len(launch.settings) == len(params) and all(fits(one, params[one.index]) for one in launch.settings)
    listed = launch.event.listed if launch.event is not None else ()
    return len(listed) == len(params) and all(
        fits_listed(arg, param) for arg, param in zip(listed, params, strict=True)
    )


def fits(one: Setting, param: ParamDecl) -> bool:
    """Whether a setting is surely as wide as the parameter."""
    local = isinstance(param.type, PointerType) and param.type.space is Space.SHARED
    if local or one.local:
        return local and one.local
    wanted = HANDLE if isinstance(param.type, PointerType) else width(param.type)
    return wanted is not None and one.size is not None and one.size.value == wanted


def fits_listed(arg: Expr, param: ParamDecl) -> bool:
    """Whether what an array of addresses leads to is as wide as the parameter."""
    given = HANDLE if isinstance(arg.type, PointerType) else width(arg.type)
    return given == (HANDLE if isinstance(param.type, PointerType) else width(param.type))


def width(type_: Type) -> int | None:
    """Bytes of a number or a vector of them, or of a structure whose members are such and known to the last one."""
    if isinstance(type_, ArrayType):
        return type_.size if width(type_.element) is not None else None
    if isinstance(type_, StructType):
        placed = all(field.offset is not None and width(field.type) is not None for field in type_.fields)
        return type_.size if type_.known and type_.fields and placed else None
    return type_.size if isinstance(type_, (IntType, FloatType, VectorType)) else None


def _unknown(launch: LaunchFact) -> bool:
    """Whether the name of what is launched is but that of the variable or member with its handle."""
    if launch.kernel is not None or launch.node.api not in BY_NAME or launch.node.callee is None:
        return False
    return launch.name == own_name(launch.node)


def _passes(launch: LaunchFact, count: int) -> bool:
    """Whether a launch is seen to pass ``count`` arguments."""
    if launch.settings:
        if not all(one.certain for one in launch.settings) or launch.event is None or launch.walk is None:
            return False
        every = {one.index for one in launch.settings} == set(range(count))
        return every or set_twice(launch.event, launch.walk, count) is not None
    return launch.event is not None and len(launch.event.listed) == count


def _only(module: Module, facts: Facts) -> bool:
    """Whether the host code of a file holds no text of another kernel, and looks none up."""
    if any(kernel.name != facts.kernel.name for kernel in module.kernels):
        return False
    texts = 0
    bodies: list[Node | None] = [one.body for one in module.functions]
    for top in (*bodies, *(one.init for one in module.globals)):
        for node in walk(top) if top is not None else ():
            if isinstance(node, StringLit):
                texts += len(_KERNEL.findall(node.value))
            elif isinstance(node, Call) and (node.name in MAKERS or _LOOKED_UP.fullmatch(node.name)):
                return False
    return texts <= 1
