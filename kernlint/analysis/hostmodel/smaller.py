"""Memory for pointers or numbers that is asked for by the size of something smaller, directly or by a helper."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.operations import host_operations
from kernlint.analysis.hostmodel.written import size_factors
from kernlint.analysis.trace.events import ApiEvent
from kernlint.analysis.trace.values import as_term
from kernlint.apis import Makes, makes
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Term
from kernlint.tree.nodes import AddressOf, Assign, Call, Expr, FunctionDecl, ParamDecl, Ref, Return, VarDecl
from kernlint.tree.types import FloatType, IntType, PointerType, Type
from kernlint.tree.walk import strip_casts, walk

LARGEST = 64
"""Bytes of an element of which there are as many as somebody writes down."""


def smaller(facts: ModuleFacts) -> Iterator[tuple[Span, Term, int]]:
    """Place, bytes that are asked for, and bytes of an element of what they are for."""
    seen: set[Span] = set()
    calls: dict[Span, tuple[Call, Type | None]] | None = None
    for api in (api for walk_ in facts[host_operations] for api in walk_.trace.apis):
        made = makes(api.name)
        if made is None or made.out is None or made.size is None or made.size >= len(api.node.args):
            continue
        span, inner, asked = api.span, _stored(api.node.args[made.out]), api.node.args[made.size]
        if api.stack and (_is_plain(inner) or not size_factors(asked)):
            calls = calls if calls is not None else _calls(facts)
            helper = _helped(api, made, calls)
            if helper is None:
                continue
            span, inner, asked = helper
        element = inner.pointee if isinstance(inner, PointerType) else None
        width = element.size if isinstance(element, (PointerType, IntType, FloatType)) else None
        size, written = as_term(api.args[made.size]), size_factors(asked)
        if width is None or span in seen or not written:
            continue
        factors = polynomial(size).coefficients
        if len(factors) == 1 and () in factors:  # a number: which of its factors are sizes is not sure
            each = [one for one in written if one % width or one <= LARGEST]
        else:
            each = [0] if () in factors else list(factors.values())
        if each and all(factor > 1 and factor % width and width % factor == 0 for factor in each):
            seen.add(span)
            yield span, size, width


def _stored(place: Expr) -> Type | None:
    """The type of the variable whose address is given."""
    bare = strip_casts(place)
    return bare.operand.type if isinstance(bare, AddressOf) else None


def _is_plain(inner: Type | None) -> bool:
    """Whether nothing is known of what the memory is for, but by who calls."""
    return inner is None or (isinstance(inner, PointerType) and not inner.pointee.size)


def _calls(facts: ModuleFacts) -> dict[Span, tuple[Call, Type | None]]:
    """The calls of the file's own functions by their places, with the type of what their results are stored in."""
    found: dict[Span, tuple[Call, Type | None]] = {}
    for function in facts.module.functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Call) and node.function is not None:
                found.setdefault(node.span, (node, None))
            kept = node.init if isinstance(node, VarDecl) else node.value if isinstance(node, Assign) else None
            call = strip_casts(kept)
            if isinstance(call, Call) and call.function is not None and isinstance(node, (VarDecl, Assign)):
                found[call.span] = call, node.type if isinstance(node, VarDecl) else node.target.type
    return found


_Helped = tuple[Span, Type | None, Expr]


def _helped(api: ApiEvent, made: Makes, calls: dict[Span, tuple[Call, Type | None]]) -> _Helped | None:
    """Call, type of the pointer and size as the caller of a helper has them, which hands both on as they are."""
    found = calls.get(api.stack[-1])
    call, result = found if found is not None else (None, None)
    function = call.function if call is not None else None
    if call is None or function is None or made.out is None or made.size is None:
        return None
    size = _passed(api.node.args[made.size], function, call)
    if size is None:
        return None
    at = _passed(api.node.args[made.out], function, call)
    if at is not None:
        bare = strip_casts(at)
        if isinstance(bare, AddressOf):
            return call.span, bare.operand.type, size
        reference = isinstance(strip_casts(api.node.args[made.out]), AddressOf)  # given the variable itself
        return (call.span, bare.type, size) if bare is not None and reference else None
    return (call.span, result, size) if result is not None and _returned(api.node.args[made.out], function) else None


def _passed(expr: Expr, function: FunctionDecl, call: Call) -> Expr | None:
    """What a call passes for the parameter that an expression is, or whose address it is where that is a reference."""
    bare: Expr | None = strip_casts(expr)
    if isinstance(bare, AddressOf):
        inner = strip_casts(bare.operand)
        kind = inner.decl.type if isinstance(inner, Ref) else None
        bare = inner if isinstance(kind, PointerType) and kind.reference else None
    if not isinstance(bare, Ref) or not isinstance(bare.decl, ParamDecl) or bare.decl not in function.params:
        return None
    at = function.params.index(bare.decl)
    return call.args[at] if at < len(call.args) else None


def _returned(place: Expr, function: FunctionDecl) -> bool:
    """Whether a function gives back the pointer whose address stands there."""
    bare = strip_casts(place)
    own = strip_casts(bare.operand) if isinstance(bare, AddressOf) else None
    for node in walk(function.body) if function.body is not None else ():
        given = strip_casts(node.value) if isinstance(node, Return) else None
        if isinstance(given, Ref) and isinstance(own, Ref) and given.decl is own.decl:
            return True
    return False
