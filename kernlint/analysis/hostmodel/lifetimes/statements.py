"""Statements: branches, loops, jumps, ways out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kernlint.analysis.hostmodel.lifetimes.lost import handed_on
from kernlint.analysis.hostmodel.lifetimes.machine import MOST_ROUNDS, ROUNDS, STATES, Machine
from kernlint.analysis.hostmodel.lifetimes.memory import escape
from kernlint.analysis.hostmodel.lifetimes.model import State, merged
from kernlint.analysis.hostmodel.lifetimes.parted import made_under, said
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import OpaqueType, StructType
from kernlint.tree.walk import strip_casts


def run(m: Machine, stmt: n.Stmt | None, states: list[State]) -> list[State]:
    """The ways on from ``states`` behind ``stmt``."""
    if stmt is None:
        return states
    if not states and not isinstance(stmt, (n.Block, n.Label)):
        return states
    m.step(states)
    handler = _STATEMENTS.get(type(stmt))
    return states if handler is None else handler(m, stmt, states)


def _block(m: Machine, s: n.Block, states: list[State]) -> list[State]:
    frame = m.frames[-1]
    frame.scopes.append([])
    for inner in s.body:
        states = m.run(inner, states)
    return m.end_scope(frame.scopes.pop(), states, end_of(s.span))


def end_of(span: Span) -> Span:
    """The last character of a place."""
    return Span(span.file, max(span.end - 1, span.start), span.end)


def _decl(m: Machine, s: n.DeclStmt, states: list[State]) -> list[State]:

    for decl in s.decls:
        states = merged([after for state in states for after in m.declared(decl, state)], STATES)
        m.frames[-1].scopes[-1].append(decl)
    return states


def _expr(m: Machine, s: n.ExprStmt, states: list[State]) -> list[State]:
    return m.each(s.expr, states)


def _if(m: Machine, s: n.If, states: list[State]) -> list[State]:
    frame = m.frames[-1]
    frame.scopes.append([])
    states = m.run(s.init, states)
    tests = said(m, s.cond, states)
    before = {thing for state in states for thing in state.fates}
    yes, no = m.split(s.cond, states)
    made = made_under(m, tests, before, m.run(s.then, yes), True)
    out = merged(made + made_under(m, tests, before, m.run(s.other, no), False), STATES)
    return m.end_scope(frame.scopes.pop(), out, end_of(s.span))


def _loop(
    m: Machine, states: list[State], cond: n.Expr | None, body: n.Stmt, step: n.Expr | None, first: bool
) -> list[State]:
    """``first``: the condition is tested before the first round."""
    frame = m.frames[-1]
    left: list[State] = []
    rounds = 0
    while states and rounds < MOST_ROUNDS:
        if first or rounds:
            asked, m.asks = m.asks, body
            states, no = m.split(cond, states)
            m.asks = asked
            if rounds or not states:  # what rests on a loop without a round is seldom meant
                left += no
        if rounds >= ROUNDS and not _known(m, cond, states):
            break
        if not states:
            break
        rounds += 1
        frame.breaks.append([])
        frame.continues.append([])
        states = m.run(body, states)
        left += frame.breaks.pop()
        states = merged(states + frame.continues.pop(), STATES)
        states = m.each(step, states)
        for state in states:
            _next_round(state, body.span)
    # Further rounds are like the last one: who is still inside leaves by a condition of which nothing is known.
    if not (cond is None or (isinstance(cond, n.IntLit) and cond.value)) and not left:
        left += states
    return merged(left, STATES)


def _next_round(state: State, body: Span) -> None:
    """What a kernel did in an earlier round is not held against copies of the next one; what a copy before the loop has
    overwritten is gone all the same."""
    state.written_once = {}
    for thing, fate in list(state.fates.items()):
        if fate.use == "computed" or (fate.use == "recopied" and _within(body, (fate.used_at, *fate.called))):
            state.fates[thing] = fate._replace(use="read")


def _within(body: Span, places: Iterable[Span | None]) -> bool:
    """Whether one of some places is in a statement."""
    return any(at is not None and at.file == body.file and body.start <= at.start < body.end for at in places)


def _known(m: Machine, cond: n.Expr | None, states: list[State]) -> bool:
    """Whether numbers alone say that there is another round."""

    return cond is not None and bool(states) and all(m.constant(cond, state) for state in states)


def _for(m: Machine, s: n.For, states: list[State]) -> list[State]:
    frame = m.frames[-1]
    frame.scopes.append([])
    states = m.run(s.init, states)
    states = _loop(m, states, s.cond, s.body, s.step, True)
    return m.end_scope(frame.scopes.pop(), states, end_of(s.span))


def _while(m: Machine, s: n.While, states: list[State]) -> list[State]:
    return _loop(m, states, s.cond, s.body, None, True)


def _do(m: Machine, s: n.DoWhile, states: list[State]) -> list[State]:
    frame = m.frames[-1]
    if isinstance(s.cond, n.IntLit) and not s.cond.value:
        frame.breaks.append([])
        frame.continues.append([])
        states = m.run(s.body, states)
        return merged(states + frame.breaks.pop() + frame.continues.pop(), STATES)
    return _loop(m, states, s.cond, s.body, None, False)


def _switch(m: Machine, s: n.Switch, states: list[State]) -> list[State]:

    frame = m.frames[-1]
    states = [after for state in states for after, _ in m.value(s.cond, state)]
    cases = [inner for inner in s.body.body if isinstance(inner, n.Case)]
    frame.breaks.append([])
    frame.scopes.append([])
    inside: list[State] = []
    for inner in s.body.body:
        if isinstance(inner, n.Case):
            inside = merged(inside + [state.fork() for state in states], STATES)
        else:
            inside = m.run(inner, inside)
    out = m.end_scope(frame.scopes.pop(), inside, end_of(s.span)) + frame.breaks.pop()
    if all(case.value is not None for case in cases):
        out += states
    return merged(out, STATES)


def _break(m: Machine, s: n.Break, states: list[State]) -> list[State]:
    if m.frames[-1].breaks:
        m.frames[-1].breaks[-1] += states
    return []


def _continue(m: Machine, s: n.Continue, states: list[State]) -> list[State]:
    if m.frames[-1].continues:
        m.frames[-1].continues[-1] += states
    return []


def _return(m: Machine, s: n.Return, states: list[State]) -> list[State]:

    frame = m.frames[-1]
    bare = s.value
    bare = strip_casts(bare)
    kept = bare.decl if isinstance(bare, n.Ref) and isinstance(bare.type, (OpaqueType, StructType)) else None
    for state in states:
        for after, result in m.returned(s.value, frame.function.result, state):
            if kept is not None and isinstance(kept.type, OpaqueType) and kept in after.env:
                escape(m, after.env[kept], after)  # an object of a type that is not known takes all along
            ways = [after]
            m.holding.append(result)
            for scope in reversed(frame.scopes):
                ways = m.end_scope(scope, ways, s.span, kept)
            m.holding.pop()
            frame.returns += [(way, result, s.span) for way in ways]
    return []


def _trap(m: Machine, s: n.Trap, states: list[State]) -> list[State]:
    if s.thrown:
        frame = m.frames[-1]
        if m.caught(s.span):
            return []
        for scope in reversed(frame.scopes):
            states = m.end_scope(scope, states, s.span, thrown=s.checking or len(m.frames) > 1)
        frame.thrown += [(state, s.span, s.checking) for state in states]
    return []


def _goto(m: Machine, s: n.Goto, states: list[State]) -> list[State]:
    m.frames[-1].gotos.setdefault(s.label, []).extend(states)
    return []


def _label(m: Machine, s: n.Label, states: list[State]) -> list[State]:
    return merged(states + m.frames[-1].gotos.pop(s.name, []), STATES)


def _opaque(m: Machine, s: n.OpaqueStmt, states: list[State]) -> list[State]:
    """A statement that was lost: what its text names may be given back or handed on."""
    for child in s.children:
        states = m.each(child, states) if isinstance(child, n.Expr) else states
        states = m.run(child, states) if isinstance(child, n.Stmt) else states
    for state in states:
        handed_on(m, s.words, state, s.followed - s.assigned)
    return states


_STATEMENTS: dict[type, Callable[[Machine, Any, list[State]], list[State]]] = {
    n.Block: _block,
    n.DeclStmt: _decl,
    n.ExprStmt: _expr,
    n.If: _if,
    n.For: _for,
    n.While: _while,
    n.DoWhile: _do,
    n.Switch: _switch,
    n.Break: _break,
    n.Continue: _continue,
    n.Return: _return,
    n.Trap: _trap,
    n.Goto: _goto,
    n.Label: _label,
    n.OpaqueStmt: _opaque,
}
