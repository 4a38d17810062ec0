"""Launches by a handle of which nobody in sight says what kernel it is of: of the only one that the file has.

A function or class that is given a ``cl_kernel`` or ``CUfunction`` sets the arguments of a kernel that was looked up
elsewhere.  Where the file has one kernel, looks no other up, and all arguments of the launch are in sight, as many as
the kernel has, it is taken to be that one: enough to compare the arguments, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.settings import MAKERS
from kernlint.analysis.launching.binding import BY_NAME
from kernlint.analysis.launching.launches import LaunchFact, host, launches
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, Member, Module, Node, Ref, StringLit
from kernlint.tree.walk import strip_casts, walk

_KERNEL = pattern(r"\b(?:__kernel|kernel\s+void|__global__)\b")
_LOOKED_UP = pattern(r"(?:\w*::)*(?:Kernel|\w*(?:GetFunction|CreateKernels?\w*|GetKernel|get_kernel\w*))")


def _compute(facts: Facts) -> tuple[LaunchFact, ...]:
    if len(facts.module.kernels) != 1 or facts.module.missed or facts[launches]:
        return ()
    path = facts.module.path
    here = [facts.module_facts, *facts.module_facts.hosts_of(facts.kernel.name)]
    return tuple(
        launch
        for other in dict.fromkeys(here)
        if other.module.path == path and other.module.written_in == "c"
        for launch in _of_only(other, facts)
    )


def _of_only(hosts: ModuleFacts, facts: Facts) -> Iterator[LaunchFact]:
    count = len(facts.function.params)
    found = [launch for launch in hosts[host].launches if _unknown(launch) and _passes(launch, count)]
    if found and _only(hosts.module, facts):
        yield from found


def _unknown(launch: LaunchFact) -> bool:
    """Whether the name of what is launched is but that of the variable or member with its handle."""
    if launch.kernel is not None or launch.node.api not in BY_NAME or launch.node.callee is None:
        return False
    handle = strip_casts(launch.node.callee)
    own = handle.decl.name if isinstance(handle, Ref) else handle.field if isinstance(handle, Member) else None
    return launch.name == own


def _passes(launch: LaunchFact, count: int) -> bool:
    """Whether a launch is seen to pass ``count`` arguments."""
    if launch.settings:
        return all(one.certain for one in launch.settings) and {one.index for one in launch.settings} == set(
            range(count)
        )
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


unnamed = KernelAnalysis("unnamed", _compute, needs=(host, launches))
"""The launches by unknown handles that can only be of this kernel, as far as its file goes."""
