"""Launches behind which a function says that nothing has failed, although it hands on what other calls say.

A function whose result is the status of a call on some way, and 0 (``cudaSuccess``, ``hipSuccess``, ``CUDA_SUCCESS``)
at its end, promises its callers to tell them of errors.  A launch that is refused is told by nothing but
``cudaGetLastError`` and its like.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.apis import known_name
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk


@dataclass(frozen=True, slots=True)
class Denied:
    """A launch, where its function says that all went well, and where it hands on the status of another call."""

    launch: Span
    success: Span
    other: Span


def denied(functions: Iterable[n.FunctionDecl], unchecked: Iterable[Span]) -> list[Denied]:
    """Of the launches that nobody looks at, those behind which their functions say that nothing has failed."""
    left = set(unchecked)
    found: list[Denied] = []
    for function in functions if left else ():
        last = function.body.body[-1] if function.body is not None and function.body.body else None
        value = strip_casts(last.value) if isinstance(last, n.Return) and last.value is not None else None
        if last is None or not isinstance(value, n.IntLit) or value.value != 0 or function.body is None:
            continue
        if not isinstance(function.result, IntType) or function.name == "main":
            continue
        nodes = list(walk(function.body))
        launches = [node.span for node in nodes if isinstance(node, n.Launch) and node.span in left]
        other = _handed_on(nodes) if launches else None
        if other is not None:
            found += [Denied(span, last.span, other) for span in launches]
    return found


def _handed_on(nodes: list[n.Node]) -> Span | None:
    """Where a function returns the status of a call: the call itself, or a variable that has it."""
    held: set[n.VarDecl] = set()
    for node in nodes:
        if isinstance(node, n.VarDecl) and node.init is not None and _status(node.init):
            held.add(node)
        elif isinstance(node, n.Assign) and isinstance(node.target, n.Ref) and _status(node.value):
            held.add(node.target.decl)
    for node in nodes:
        value = strip_casts(node.value) if isinstance(node, n.Return) and node.value is not None else None
        if value is not None and (_status(value) or (isinstance(value, n.Ref) and value.decl in held)):
            return node.span
    return None


def _status(value: n.Expr) -> bool:
    """Whether a value is what a function of a runtime returns, as a status."""
    value = strip_casts(value)
    return isinstance(value, n.Call) and known_name(value.name) is not None and value.receiver is None
