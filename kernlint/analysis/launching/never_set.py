"""Pointers of one file that launches are given and that nothing in the file sets."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.tree import nodes as n
from kernlint.tree.types import ArrayType, PointerType
from kernlint.tree.walk import strip_casts, walk


def never_set(module: n.Module) -> Iterator[tuple[n.Expr, n.VarDecl]]:
    """Arguments of launches that are ``static`` pointers, null as they are only handed on: (argument, pointer).

    All of the file has to be read, and the kernel must use what it is given without asking whether it is there.
    """
    if module.language == "opencl" or module.missing_headers or module.inactive or module.errors or module.missed:
        return
    own = {decl for decl in module.globals if _is_static_pointer(decl)}
    if not own or any(f.losses or f.body is None for f in module.functions):
        return
    given: list[tuple[n.Expr, n.VarDecl, bool]] = []
    bodies: list[n.Node] = [f.body for f in module.functions if f.body is not None]
    bodies += [decl.init for decl in module.globals if decl.init is not None]
    handed: set[int] = set()
    for node in (each for body in bodies for each in walk(body)):
        if isinstance(node, (n.Opaque, n.OpaqueStmt)):
            return
        if isinstance(node, n.Launch):
            for at, arg in enumerate(node.args):
                if (ref := _pointer_in(arg)) is not None and ref.decl in own:
                    handed.add(id(ref))
                    given.append((arg, ref.decl, _uses(node.kernel, at)))
    for node in (each for body in bodies for each in walk(body)):
        if isinstance(node, n.Ref) and node.decl in own and id(node) not in handed:
            own.discard(node.decl)
    yield from ((arg, decl) for arg, decl, used in given if used and decl in own)


def _is_static_pointer(decl: n.VarDecl) -> bool:
    kind = decl.type
    while isinstance(kind, ArrayType):
        kind = kind.element
    return decl.static and decl.init is None and isinstance(kind, PointerType) and not decl.volatile


def _pointer_in(arg: n.Expr) -> n.Ref | None:
    """The variable whose value, or one of whose elements, an argument is."""
    arg = strip_casts(arg)
    while isinstance(arg, n.Subscript):
        arg = strip_casts(arg.base)
    return arg if isinstance(arg, n.Ref) else None


def _uses(kernel: n.FunctionDecl | None, at: int) -> bool:
    """Whether a kernel only goes through a parameter to elements, and does not ask about it or hand it on."""
    if kernel is None or kernel.body is None or at >= len(kernel.params):
        return False
    param = kernel.params[at]
    through = 0
    for node in walk(kernel.body):
        parts: tuple[n.Expr, ...] = ()
        if isinstance(node, n.Subscript):
            parts = (node.base,)
        elif isinstance(node, n.Binary) and node.op in ("+", "-"):
            parts = (node.lhs, node.rhs)
        through += sum(isinstance(part := strip_casts(each), n.Ref) and part.decl is param for each in parts)
    return 0 < through == sum(isinstance(node, n.Ref) and node.decl is param for node in walk(kernel.body))
