"""Queues of OpenCL that take no times, and times of their commands that are asked for.

``clGetEventProfilingInfo`` returns ``CL_PROFILING_INFO_NOT_AVAILABLE`` "if the CL_QUEUE_PROFILING_ENABLE flag is not
set for the command-queue" (OpenCL 3.0 API, 5.14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import OpaqueType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts, walk

_PROFILING = 2
"""``CL_QUEUE_PROFILING_ENABLE``."""

_MAKES = "clCreateCommandQueue"
_ASKS = "clGetEventProfilingInfo"


@dataclass(frozen=True, slots=True)
class Untimed:
    """A queue that is made without times at ``span``; those of its commands are ``asked`` for."""

    span: Span
    asked: Span


def untimed(functions: Sequence[n.FunctionDecl]) -> Iterator[Untimed]:
    """Queues of a file that asks for times of commands, where all its queues are made in sight and none takes any."""
    calls = [node for f in functions if f.body is not None for node in walk(f.body) if isinstance(node, n.Call)]
    asked = next((call.span for call in calls if call.name == _ASKS), None)
    made = [call for call in calls if call.name == _MAKES]
    if asked is None or not made or not all(map(_takes_none, made)):
        return
    called = {call.function for call in calls if call.function is not None}
    if any(map(_gives_another, calls)) or any(_is_given_one(f) for f in functions if f not in called):
        return
    for call in made:
        yield Untimed(call.span, asked)


def _takes_none(call: n.Call) -> bool:
    """Whether the properties of a queue are written out, without times."""
    flags = _constant(call.args[2]) if len(call.args) > 2 else None
    return flags is not None and not flags & _PROFILING


def _constant(expr: n.Expr) -> int | None:
    expr = strip_casts(expr)
    if isinstance(expr, n.Binary) and expr.op == "|":
        left, right = _constant(expr.lhs), _constant(expr.rhs)
        return None if left is None or right is None else left | right
    return expr.value if isinstance(expr, n.IntLit) else None


def _gives_another(call: n.Call) -> bool:
    """Whether a call may give a queue, or an event, that was made elsewhere, or sets the properties of one."""
    if call.function is not None and call.function.body is not None:
        return False
    if call.name == "clSetCommandQueueProperty":
        return True
    return call.name != _MAKES and (_is_queue(call.type) or _is_event(call.type))


def _is_given_one(function: n.FunctionDecl) -> bool:
    """Whether a function that nobody in sight calls takes a queue or an event from somebody elsewhere."""
    return any(_is_queue(param.type) or _is_event(param.type) for param in function.params)


def _is_queue(kind: Type) -> bool:
    return _names(kind, "cl_command_queue", "CommandQueue")


def _is_event(kind: Type) -> bool:
    return _names(kind, "cl_event", "cl::Event")


def _names(kind: Type, *words: str) -> bool:
    """Whether a type is, leads to, or is made of one of those that are named."""
    while isinstance(kind, PointerType):
        kind = kind.pointee
    name = kind.spelling if isinstance(kind, OpaqueType) else kind.name if isinstance(kind, StructType) else ""
    return any(word in name for word in words)
