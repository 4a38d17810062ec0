"""A limit of dynamic shared memory that is raised for the first launch alone, to what that one needs.

``cudaFuncSetAttribute`` sets the most that launches may ask for from then on (CUDA runtime API, execution control).
Behind a mark that is set with it (``if (!done) { ...; done = true; }``) it keeps the size of the first call, and a
launch that asks for more is refused.
"""

from __future__ import annotations

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.events import ApiEvent, RootKind
from kernlint.analysis.trace.values import as_term
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, cast, symbols
from kernlint.tree import nodes as n
from kernlint.tree.types import I64
from kernlint.tree.walk import strip_casts, walk

RAISING = ("cudaFuncSetAttribute", "cuFuncSetAttribute", "hipFuncSetAttribute")
"""Functions that raise the limit; the size is their last argument."""


def raised_once(launch: LaunchFact, functions: tuple[n.FunctionDecl, ...]) -> ApiEvent | None:
    """The call that raises the limit just once, to the size of the first launch, where callers choose sizes."""
    if launch.walk is None or launch.event is None or launch.shared is None:
        return None
    wanted = polynomial(cast(launch.shared, I64))
    if not any(_varies(symbol) for symbol in symbols(launch.shared)):
        return None
    calls = [api for api in launch.walk.apis if api.name in RAISING and api.order < launch.event.order]
    calls = [api for api in calls if len(api.args) == 3 and polynomial(cast(as_term(api.args[2]), I64)) == wanted]
    if len(calls) != 1 or not _marked(calls[0].node, functions):
        return None
    return calls[0]


def _varies(symbol: Symbol) -> bool:
    """Whether a number may be another one in the next call: a parameter, or an element of an array of the caller's."""
    if symbol.kind is SymbolKind.LOAD:
        return symbol.origin[0].kind is RootKind.VARIABLE
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.COUNTER, SymbolKind.PHI) and "." not in symbol.name


def _marked(call: n.Node, functions: tuple[n.FunctionDecl, ...]) -> bool:
    """Whether a call stands behind a test of a mark alone, which is set to a constant beside it."""
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            if not isinstance(node, n.If) or node.then is None or not any(each is call for each in walk(node.then)):
                continue
            asked = {_name(each) for each in walk(node.cond) if isinstance(each, (n.Ref, n.Member))} - {None}
            set_ = (each for each in walk(node.then) if isinstance(each, n.Assign) and not each.op)
            marks = {_name(each.target) for each in set_ if isinstance(strip_casts(each.value), n.IntLit)}
            return len(asked) == 1 and asked <= marks
    return False


def _name(expr: n.Node) -> str | None:
    if isinstance(expr, n.Ref):
        return None if expr.decl.name == "this" else expr.decl.name
    return expr.field if isinstance(expr, n.Member) else None
