"""Device functions that no kernel reaches, as kernels of their own.

Nothing is known of who calls them: every argument is a value of which nothing is known, that differs from thread to
thread for all one can tell.  So only what the body itself settles can be found: its shared arrays, its barriers and
their conditions, its own arrays.
"""

from __future__ import annotations

from kernlint.record import replace
from kernlint.tree.nodes import (
    Barrier,
    Block,
    Call,
    DeclStmt,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    Kernel,
    LaunchValue,
    Module,
    Opaque,
)
from kernlint.tree.types import VOID, ArrayType, Space
from kernlint.tree.walk import functions_of, traverse

CALLED = "all threads of a block call the function"
"""What is taken for granted of the callers."""

MAX_ENTRIES = 16
"""Functions of one file that are looked at by themselves."""


def with_entries(modules: list[Module]) -> list[Module]:
    """``modules`` of a file without kernels, and of its device functions that nothing in it calls as entries."""
    further = []
    for module in modules:
        if entries := _entries(module):
            alone = replace(module, kernels=tuple(entries), missed=(), missing_headers=(), notes=(), compiler=())
            words = ", ".join(filter(None, (module.setting, CALLED)))
            further.append(replace(alone, setting=words, entries=True))
    return [*modules, *further]


def _entries(module: Module) -> list[Kernel]:
    device = [f for f in module.functions if f.kind is not FunctionKind.HOST and f.span.file == module.path]
    device = [f for f in device if f.body is not None and (f.generic is None or not f.forced)]
    called = {
        id(node.function)
        for function in device
        for node in traverse(function)
        if isinstance(node, Call) and node.function is not None and node.function is not function
    }
    found = []
    for function in device:
        if id(function) not in called and function.kind is not FunctionKind.KERNEL:
            entry = _entry(function)
            if _settles_something(entry):
                found.append(entry)
    return found[:MAX_ENTRIES]


def _entry(function: FunctionDecl) -> Kernel:
    span = function.span
    arguments = tuple(Opaque(span, each.type, "argument of an unknown caller") for each in function.params)
    call = Call(span, function.result, function.qualified, function, arguments)
    body = Block(span, (ExprStmt(span, call),))
    return Kernel(
        FunctionDecl(
            span,
            function.name,
            function.qualified,
            FunctionKind.KERNEL,
            (),
            VOID,
            body,
            name_span=function.name_span,
        )
    )


def _settles_something(entry: Kernel) -> bool:
    """Whether anything in a function could be wrong whoever calls it: barriers, arrays of its own, indices."""
    for function in functions_of(entry):
        for node in traverse(function):
            if isinstance(node, (Barrier, LaunchValue)):
                return True
            if isinstance(node, DeclStmt) and any(
                each.space is Space.SHARED or isinstance(each.type, ArrayType) for each in node.decls
            ):
                return True
    return False
