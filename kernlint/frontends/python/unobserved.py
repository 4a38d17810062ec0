"""Kernels that never run: the program asks what was compiled (registers, shared memory, code) and launches them
nowhere (``inspected``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import PythonProgram
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Finder, Jitted
from kernlint.frontends.python.launches import Launched
from kernlint.tree.nodes import Remark

_INSPECTING = frozenset(
    {
        "get_const_mem_size", "get_local_mem_per_thread", "get_max_threads_per_block", "get_regs_per_thread",
        "get_shared_mem_per_block", "inspect_asm", "inspect_llvm", "inspect_lto_ptx", "inspect_sass",
        "inspect_sass_cfg", "inspect_types", "nopython_signatures", "signatures", "overloads", "compile",
    }
)  # fmt: skip
"""What numba's dispatcher tells of a kernel without launching it (numba, CUDA kernel API, dispatcher objects)."""


def unobserved(
    program: PythonProgram, finder: Finder, launched: Sequence[Launched], lowering: Places
) -> Iterator[Remark]:
    """A remark for each kernel that never runs."""
    for jitted in finder.found:
        if jitted.device or jitted.host or jitted.program is not program:
            continue
        if not any(one.jitted.node is jitted.node for one in launched) and _inspected(jitted):
            yield Remark("unobserved", lowering.span(jitted.node), jitted.name, ("inspected",))


def _inspected(jitted: Jitted) -> bool:
    """Whether a program mentions a kernel, and only to ask what was compiled."""
    names = {jitted.name, *jitted.names}
    asked: set[int] = set()
    for at in ast.walk(jitted.scope.node):
        if isinstance(at, ast.Attribute) and at.attr in _INSPECTING and isinstance(at.value, ast.Name):
            asked.add(id(at.value))
    named = [
        at
        for at in ast.walk(jitted.scope.node)
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id in names
    ]
    return bool(named) and all(id(at) in asked for at in named)
