"""Arguments of copies and fills that compile, and that the call cannot use.

A symbol is a variable itself: the templates of the CUDA runtime take a reference, and pass the address of what it
refers to.  Of ``&symbol`` they pass that of a temporary pointer, and the call fails with ``cudaErrorInvalidSymbol``.  A
pointer to ``const void`` picks the function of the C interface, which takes the address (CUDA runtime API, 6.9 memory
management and 6.29 C++ API routines), and that one alone is declared where the host's compiler reads the file: the
templates stand under ``__CUDACC__`` in ``cuda_runtime.h``.  HIP's functions take the address too.

A ``cudaArray`` is opaque: a handle, which only the functions that are told of an array take; to those for linear memory
it is an invalid pointer (CUDA runtime API, ``cudaMallocArray``; CUDA programming guide, 3.2.14.3 CUDA arrays).
"""

from __future__ import annotations

from kernlint.analysis.trace.events import ApiEvent
from kernlint.apis import Moves, api_of
from kernlint.apis.records import Fills
from kernlint.tree.nodes import AddressOf, Cast, Expr, FunctionKind, Launch, Module, Ref, Subscript
from kernlint.tree.types import OpaqueType, PointerType, Space, VoidType
from kernlint.tree.walk import strip_casts, walk

_OF_HOST = (".c", ".cc", ".cpp", ".cxx", ".c++")
"""Suffixes of files that nvcc hands to the host's compiler as they are, unless ``-x cu`` says otherwise (nvcc manual,
supported input file suffixes)."""


def of_host_compiler(module: Module) -> bool:
    """Whether a file is one for the host's compiler: by its name, and as nothing in it needs that of CUDA."""
    if not module.path.lower().endswith(_OF_HOST):
        return False
    own = [function for function in module.functions if function.span.file == module.path]
    if any(function.kind is not FunctionKind.HOST for function in own) or module.missed:
        return False
    bodies = [function.body for function in own if function.body is not None]
    return not any(isinstance(node, Launch) and node.api == "<<<>>>" for body in bodies for node in walk(body))


def address_of_symbol(call: ApiEvent) -> bool:
    """Whether a copy of the CUDA runtime is given the address of a symbol, in a type that picks a template."""
    if not call.name.startswith("cuda"):
        return False
    moves = api_of(call.name)
    at = moves.symbol if isinstance(moves, Moves) else None
    if at is None or at >= len(call.node.args):
        return False
    given: Expr = call.node.args[at]
    while isinstance(given, Cast):
        if isinstance(given.type, PointerType) and isinstance(given.type.pointee, VoidType):
            return False
        given = given.operand
    if not isinstance(given, AddressOf):
        return False
    named = given.operand
    while isinstance(named, Subscript):
        named = strip_casts(named.base)
    return isinstance(named, Ref) and named.decl.is_global and named.decl.space in (Space.GLOBAL, Space.CONSTANT)


def array_as_pointer(call: ApiEvent) -> bool:
    """Whether a function for linear memory is given an array of CUDA or HIP."""
    known = api_of(call.name) if call.name.startswith(("cuda", "hip")) else None
    places: tuple[int | None, ...]
    if isinstance(known, Moves):
        places = () if known.arrays else (known.target, known.source)
    else:
        places = (known.target,) if isinstance(known, Fills) else ()
    args = call.node.args
    return any(at is not None and at < len(args) and _is_array(strip_casts(args[at])) for at in places)


def _is_array(given: Expr) -> bool:
    inner = given.type.pointee if isinstance(given.type, PointerType) else None
    return isinstance(inner, OpaqueType) and inner.spelling in ("cudaArray", "hipArray")
