"""Variables of the file that get memory once more while they still have some, which nobody can give back then."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import MEMORY, At, Fault, Life, Place, State, Value, things_in
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.apis import ENDS, known_name
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.walk import strip_casts, walk


def made_anew(m: Machine, at: Place, value: Value, old: Value | None, s: State, span: Span) -> None:
    """Take note of a variable of the file alone that gets other memory.  What functions out of sight are given (numbers
    and texts, or more) tells whether they may have seen to the first."""
    decl = at.thing.decl
    if decl is None or not decl.is_global or not decl.static or at.path or not isinstance(value, At) or value.path:
        return
    if value.thing.kind in MEMORY and value.thing in s.fates:
        m.given_in.setdefault(value.thing, (decl, s.calls))
    if not isinstance(old, At) or old.path or m.given_in.get(old.thing) != (decl, s.calls):
        return
    before, made = s.fates.get(old.thing), s.fates.get(value.thing)
    if before is None or made is None or before.life is not Life.LIVE or value.thing.kind not in MEMORY:
        return
    if any(old.thing in things_in(held) for held in s.memory.values()):
        return
    related = ((old.thing.span, "allocated here"),) if old.thing.span is not None and old.thing.span != span else ()
    calls = tuple((frame.call, "called here") for frame in m.frames[:0:-1] if frame.call is not None)
    m.program.anew.append((m.entry, decl, Fault("leak", span, decl.name, "again", (*calls[:2], *related))))
    s.change(old.thing, life=Life.DOUBT)


def never_between(program: Program) -> Iterator[Fault]:
    """Those that the same function, or one that it calls, gives back elsewhere: it knows that it has to."""
    for entry, decl, fault in program.anew:
        if any(_frees(function, decl) for function in _reached(entry)):
            yield fault


def _reached(entry: n.FunctionDecl) -> Iterator[n.FunctionDecl]:
    todo, seen = [entry], {entry}
    while todo:
        function = todo.pop()
        yield function
        for node in walk(function.body) if function.body is not None else ():
            called = node.function if isinstance(node, n.Call) else None
            if called is not None and called.body is not None and called not in seen:
                seen.add(called)
                todo.append(called)


def _frees(function: n.FunctionDecl, decl: n.VarDecl) -> bool:
    for node in walk(function.body) if function.body is not None else ():
        ends = ENDS.get(known_name(node.name) or "") if isinstance(node, n.Call) else None
        if ends is not None and isinstance(node, n.Call) and ends.what < len(node.args):
            given = strip_casts(node.args[ends.what])
            if isinstance(given, n.Ref) and given.decl is decl:
                return True
    return False
