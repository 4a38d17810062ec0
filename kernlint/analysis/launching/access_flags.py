"""Buffers of OpenCL that kernels use otherwise than they were made for.

A buffer is made with flags that say how kernels use it: of ``CL_MEM_READ_ONLY``, "writing to a buffer or image object
created with CL_MEM_READ_ONLY inside a kernel is undefined", of ``CL_MEM_WRITE_ONLY`` reading is (OpenCL 3.0 API,
5.2.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.launching.launches import launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, ApiEvent
from kernlint.analysis.trace.values import as_term
from kernlint.record import dataclass
from kernlint.source import Span

_READ_WRITE, _WRITE_ONLY, _READ_ONLY = 1, 2, 4


@dataclass(frozen=True, slots=True)
class Misuse:
    """An argument set at ``span`` whose buffer, made at ``made``, the kernel uses against its flags by ``access``."""

    span: Span
    name: str
    made: Span
    access: Access
    stack: tuple[Span, ...]


def against_flags(facts: Facts) -> Iterator[Misuse]:
    """The arguments of launches in sight whose buffers are used against their flags."""
    for launch in facts[launches]:
        made = [api for api in launch.walk.apis if api.name == "clCreateBuffer"] if launch.walk is not None else []
        for one in launch.settings if made else ():
            pointer = as_pointer(one.value)
            if pointer is None or not one.certain or one.index >= len(facts.function.params):
                continue
            origin = next((api for api in made if _gives(api, pointer.root)), None)
            flags = as_term(origin.args[1]).value if origin is not None else None
            if origin is None or flags is None or flags & _READ_WRITE:
                continue
            name = facts.function.params[one.index].name
            access = _against(facts, name, flags)
            if access is not None:
                yield Misuse(one.span, name, origin.span, access, one.stack)


def _gives(api: ApiEvent, root: object) -> bool:
    given = as_pointer(api.result)
    return given is not None and given.root is root


def _against(facts: Facts, name: str, flags: int) -> Access | None:
    """An access that the flags of a buffer do not let a kernel make."""
    for access in facts[trace].accesses:
        if access.root.name != name or access.root.decl is None:
            continue
        if flags & _READ_ONLY and access.kind is not AccessKind.READ:
            return access
        if flags & _WRITE_ONLY and access.kind is AccessKind.READ:
            return access
    return None
