"""A limit of dynamic shared memory that is raised only for sizes above some number.

What a kernel gets unasked, 48 KiB, is for its static and dynamic shared memory together: "dynamically sized ... the sum
of this value and the function attribute sharedSizeBytes cannot exceed" the limit (CUDA runtime API, execution control,
``cudaFuncAttributeMaxDynamicSharedMemorySize``).  A test of the dynamic part alone lets sizes pass that are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.launching.raised_once import RAISING
from kernlint.analysis.trace.events import ApiEvent, Trace
from kernlint.analysis.trace.values import as_term
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import cast
from kernlint.tree import nodes as n
from kernlint.tree.types import I64
from kernlint.tree.walk import strip_casts, walk


@dataclass(frozen=True, slots=True)
class Above:
    """Where the limit is raised: the test at ``span`` is of the size itself, and true above ``most`` bytes."""

    span: Span
    most: int


def raised_above(launch: LaunchFact, functions: tuple[n.FunctionDecl, ...]) -> Above | None:
    """The test in front of the one call that raises the limit to the size of a launch."""
    if launch.walk is None or launch.event is None or launch.shared is None:
        return None
    wanted = polynomial(cast(launch.shared, I64))
    calls = _raising(launch.walk)
    if len(calls) != 1 or calls[0].order > launch.event.order or len(calls[0].args) != 3:
        return None
    if polynomial(cast(as_term(calls[0].args[2]), I64)) != wanted:
        return None
    return tested(calls[0].node, functions)


@lru_cache(maxsize=16)
def _raising(walk: Trace) -> tuple[ApiEvent, ...]:
    return tuple(api for api in walk.apis if api.name.rpartition("::")[2] in RAISING)


def tested(call: n.Call, functions: tuple[n.FunctionDecl, ...]) -> Above | None:
    """The test that a call which raises the limit stands behind, of the size that it is given."""
    size = _named(call.args[-1]) if call.args else None
    for function in functions if size is not None else ():
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, n.If) and node.then is not None and any(each is call for each in walk(node.then)):
                cond = strip_casts(node.cond)
                most = _most(cond, size) if isinstance(cond, n.Binary) else None
                return Above(cond.span, most) if most is not None else None
    return None


def of_size(call: n.Call, launch: n.Launch) -> bool:
    """Whether a call that raises the limit and a launch name one variable as their size."""
    size = _named(call.args[-1]) if call.args else None
    return size is not None and launch.shared is not None and _named(launch.shared) == size


def _most(test: n.Binary, size: object) -> int | None:
    """The largest size for which a test ``size > number`` does not hold, however it is written."""
    lhs, op, rhs = test.lhs, test.op, test.rhs
    if _named(rhs) == size:
        lhs, op, rhs = rhs, {"<": ">", "<=": ">="}.get(op, ""), lhs
    number = _number(rhs) if _named(lhs) == size and op in (">", ">=") else None
    return None if number is None else number - (op == ">=")


def _named(expr: n.Expr) -> object:
    """The variable, or the member of a variable, that an expression is."""
    bare = strip_casts(expr)
    if isinstance(bare, n.Ref):
        return bare.decl
    if isinstance(bare, n.Member):
        base = _named(bare.base)
        return (base, bare.field) if base is not None else None
    return None


def _number(expr: n.Expr) -> int | None:
    """A number that stands in the text: ``48 * 1024``, ``48 << 10``, or a constant of such a value."""
    bare = strip_casts(expr)
    if isinstance(bare, n.IntLit):
        return bare.value
    if isinstance(bare, n.Ref):
        init = bare.decl.init if bare.decl.const else None
        return bare.decl.value if bare.decl.value is not None or init is None else _number(init)
    if isinstance(bare, n.Binary) and bare.op in _OPS:
        a, b = _number(bare.lhs), _number(bare.rhs)
        return _OPS[bare.op](a, b) if a is not None and b is not None and 0 <= b < 1 << 20 else None
    return None


_OPS: dict[str, Callable[[int, int], int]] = {
    "*": lambda a, b: a * b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "<<": lambda a, b: a << min(b, 63),
}
