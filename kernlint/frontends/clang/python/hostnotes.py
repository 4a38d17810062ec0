"""Remarks on the host code of Python files, as modules have them."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.hostflow import host_remarks
from kernlint.frontends.clang.python.hostsizes import dropped_addresses, elements_as_bytes, elements_copied
from kernlint.frontends.clang.python.overwritten import overwritten_results
from kernlint.frontends.clang.python.program import program_of
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Module

_LIBRARIES = pattern(rb"\b(?:pyopencl|pycuda|cupy|torch|cuda\.bindings|cuda\.cudart|cudart)\b")
_MOVES = pattern(
    rb"\b(?:enqueue_copy|memcpy_\w+|non_blocking|get_async|blocking|data_ptr|copy_to_host_async|mem_alloc|data\.(?:ptr|memset\w*)|to_device|(?:free|release)\(\))"
    rb"|runtime\.mem\w+|\bcudaMem(?:cpy|set)\w*|copy_(?:from|to)_\w+"
)


def add_host_remarks(path: str, data: bytes, modules: list[Module]) -> list[Module]:
    """Remark in the first of a Python file's modules on what its host code does with arrays; where it has none and
    there is something to remark, give one for that."""
    if not (_LIBRARIES.search(data) and _MOVES.search(data)):
        return []
    program = program_of(data)
    tree = program.scopes[0].node if program is not None else None
    if program is None or not isinstance(tree, ast.Module):
        return []
    walked = host_remarks(program, tree, path)
    sizes = (*elements_as_bytes(program, path), *elements_copied(program, path))
    sizes = (*sizes, *dropped_addresses(program, tree, path))
    found = (*walked, *sizes, *overwritten_results(program, tree, path))
    if modules:
        object.__setattr__(modules[0], "remarks", (*modules[0].remarks, *found))
        return []
    return [Module(path, "cuda", (), (), (), written_in="python", remarks=found)] if found else []
