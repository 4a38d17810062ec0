"""Variables that a helper sets in some of its ways, and a caller that does not ask in which it went::

    bool find(const float *edge, float x, int n, int *cell) {        void project(float4 p, float2 &uv) {
        for (int i = 0; i < n; ++i)                                      if (p.z > 0) uv = ...;
            if (edge[i] <= x && x < edge[i + 1]) {                   }
                *cell = i; return true;
            }                                                        project(points[t], uv);
        return false;                                                img[(int)uv.y * w + (int)uv.x] = 1;
    }

    find(edge, x[t], n, &cell);
    out[t] = edge[cell];

Where the way rests on data, and nothing but the helper sets the variable, the caller counts on data that it has not
looked at.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.trace.events import Event, GuardKind
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import AddressOf, Assign, Call, ExprStmt, FunctionDecl, Node, Ref, VarDecl
from kernlint.tree.types import PointerType, VoidType
from kernlint.tree.walk import strip_casts, walk

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})


def unasked(
    decl: VarDecl, event: Event, facts: Iterable[Term], unset: Symbol, functions: Iterable[FunctionDecl]
) -> Call | None:
    """The call of the only helper that sets ``decl``, whose answer nobody looks at, where data decide by ``facts``
    whether it does, and nothing that guards the use has asked data."""
    if not any(symbol.kind is SymbolKind.LOAD for fact in facts for symbol in symbols(fact)):
        return None
    for guard in event.guards:
        ended = guard.kind is GuardKind.AFTER_LOOP and guard.loop is not None and not guard.loop.exits
        own = unset in symbols(guard.term)
        if not ended and not own and any(symbol.kind in _DATA for symbol in symbols(guard.term)):
            return None
    return _call(decl, functions)


def _call(decl: VarDecl, functions: Iterable[FunctionDecl]) -> Call | None:
    """The only call that ``decl`` is handed to for its value, if no answer of it is looked at and nothing else sets
    the variable."""
    found: list[Call] = []
    unused: set[int] = set()
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Assign) and _names(node.target, decl):
                return None
            if isinstance(node, ExprStmt) and isinstance(strip_casts(node.expr), Call):
                unused.add(id(strip_casts(node.expr)))
            elif isinstance(node, Call) and any(_given(node, place, decl) for place in range(len(node.args))):
                found.append(node)
    if len(found) != 1 or found[0].function is None or found[0].function.body is None:
        return None
    answers = not isinstance(found[0].type, VoidType)
    return found[0] if not answers or id(found[0]) in unused else None


def _names(target: Node, decl: VarDecl) -> bool:
    return any(isinstance(part, Ref) and part.decl is decl for part in walk(target))


def _given(call: Call, place: int, decl: VarDecl) -> bool:
    """Whether an argument lets a function store in a variable."""
    arg = strip_casts(call.args[place])
    params = call.function.params if call.function is not None else ()
    if isinstance(arg, AddressOf):
        return isinstance(arg.operand, Ref) and arg.operand.decl is decl
    kind = params[place].type if place < len(params) else None
    by_reference = isinstance(kind, PointerType) and kind.reference and not kind.const
    return by_reference and isinstance(arg, Ref) and arg.decl is decl
