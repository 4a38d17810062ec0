"""Pointers into the middle of what was allocated, given to a function that takes only the pointer an allocator gave.

``cudaFree`` and its like, ``free`` and ``delete`` take "a pointer previously returned" by the allocator, and nothing
else (CUDA runtime API, memory management; ISO C 7.22.3.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import MEMORY, At, Fault, Kind, Life, State, Value
from kernlint.analysis.hostmodel.lifetimes.program import Key, Program
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.walk import strip_casts, walk

_WORD = "given back at an address inside of what was allocated"


def given_inside(m: Machine, given: At, span: Span, s: State) -> None:
    """Take note of memory that is given back by a pointer some elements behind its start."""
    thing, last = given.thing, given.path[-1]
    fate = s.fates.get(thing)
    made = bool(thing.api) and (thing.kind in MEMORY or thing.kind is Kind.HOST)
    if made and fate is not None and fate.life is Life.LIVE and len(given.path) == 1 and isinstance(last, int) and last:
        related = ((thing.span, "allocated here"),) if thing.span is not None else ()
        m.report(Fault("other", span, thing.name, _WORD, related))


def stored_inside(m: Machine, keys: tuple[Key, ...], value: Value, s: State, span: Span) -> None:
    """Take note of a member that gets a pointer into memory that was allocated on this way."""
    made = isinstance(value, At) and value.thing in s.fates and bool(value.thing.api) and value.thing.kind in MEMORY
    if made and isinstance(value, At) and value.path and not any(isinstance(part, str) for part in value.path):
        m.program.inside.setdefault(keys[-1], []).append((m.frames[-1].function, value.thing.span or span, span))


def wanders(program: Program) -> Iterator[Fault]:
    """Members that only ever get pointers into the middle of memory, are moved on, and are given back."""
    for key, stored in program.inside.items():
        if key not in program.freed or key in program.makers or key in program.given:
            continue
        givers = {function for function, _, _ in stored}
        moved = next((at for f in program.functions if f not in givers for at in _assigned(program, f, key)), None)
        if moved is not None:
            _, made, at = stored[0]
            related = ((made, "allocated here"), (at, "set here"), (moved, "moved on here"))
            yield Fault("other", program.freed[key][0][1], key[1], _WORD, related)


def _assigned(program: Program, function: n.FunctionDecl, key: Key) -> Iterator[Span]:
    """Where a function stores something other than null in a member."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, n.Assign) and isinstance(node.target, n.Member) and program.addressed(node.target) == key:
            value = strip_casts(node.value)
            if not (isinstance(value, n.IntLit) and value.value == 0):
                yield node.span
