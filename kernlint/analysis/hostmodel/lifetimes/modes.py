"""Functions out of sight that say which of two ways a program works, and are asked again at the end.

``if (pooled()) p = take(n); else cudaMalloc(&p, n);`` and ``if (pooled()) put(p); else cudaFree(p);`` go the same way
each time.  A function says so that some condition asks without that either way leaves the function behind it; one that
only ever makes a function return asks what has failed by then (``if (failed()) return 1;``), and may answer otherwise
each time.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.model import Atom, Number, Value
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.analysis.hostmodel.lifetimes.runtime import BORROWS
from kernlint.apis import known_name
from kernlint.tree import nodes as n
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk

_LEAVES = (n.Return, n.Trap, n.Break, n.Continue, n.Goto)


def answer(program: Program, e: n.Call, args: list[Value]) -> Value | None:
    """What a call gives that asks for a mode: the same wherever it is given the same numbers; None for other calls."""
    if not _plain(e) or not all(isinstance(given, (Number, Atom)) for given in args):
        return None
    if program.modes is None:
        program.modes = _modes(program)
    return Atom("answer", (e.name, *args)) if e.name in program.modes else None


def _modes(program: Program) -> frozenset[str]:
    """The names of the functions of a file that are asked for a mode, at two places at least."""
    asked: dict[str, list[bool]] = {}
    for function in program.functions:
        for call, leaves in _asked(function):
            asked.setdefault(call.name, []).append(leaves)
    return frozenset(name for name, leaves in asked.items() if len(leaves) > 1 and not all(leaves))


def _asked(function: n.FunctionDecl) -> Iterator[tuple[n.Call, bool]]:
    """The calls that are conditions of a function, and whether a way behind them leaves it or a loop."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, (n.If, n.Conditional)):
            cond = strip_casts(node.cond)
            while isinstance(cond, n.Unary) and cond.op == "!":
                cond = strip_casts(cond.operand)
            if isinstance(cond, n.Call) and _plain(cond):
                arms = (node.then, node.other) if isinstance(node, n.If) else ()
                yield cond, any(isinstance(at, _LEAVES) for arm in arms if arm is not None for at in walk(arm))


def _plain(e: n.Call) -> bool:
    """Whether a call is one of a function out of sight, no object's and of no library, that is given numbers alone."""
    if e.receiver is not None or not isinstance(e.type, IntType) or e.name.startswith("std::"):
        return False
    if known_name(e.name.rpartition("::")[2]) is not None or BORROWS.fullmatch(e.name) is not None:
        return False
    return all(isinstance(arg.type, IntType) for arg in e.args)
