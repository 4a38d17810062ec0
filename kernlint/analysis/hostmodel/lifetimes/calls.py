"""Calls of functions whose bodies are in sight."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.hostmodel.lifetimes.effects import outside
from kernlint.analysis.hostmodel.lifetimes.machine import DEPTH, STATES, Frame, Machine, Outcome, Placed
from kernlint.analysis.hostmodel.lifetimes.macros import evaluated_before, noted
from kernlint.analysis.hostmodel.lifetimes.memory import dropped, escape
from kernlint.analysis.hostmodel.lifetimes.model import (
    MEMORY,
    NULL,
    At,
    Atom,
    Kind,
    Life,
    Place,
    State,
    Thing,
    Value,
    Whole,
    merged,
    things_in,
)
from kernlint.analysis.hostmodel.lifetimes.objects import container
from kernlint.analysis.hostmodel.lifetimes.program import constructs
from kernlint.analysis.hostmodel.lifetimes.runtime import BORROWS
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import IntType, PointerType, StructType, VoidType
from kernlint.tree.walk import strip_casts, walk


def call(m: Machine, e: n.Call, s: State) -> list[Outcome]:

    function = m.program.body_of(e)
    if function is not None and function.body is not None:
        deep = len(m.frames) > DEPTH or any(frame.function is function for frame in m.frames)
        if not deep:
            return merged_outcomes(m.inlined(e, function, s))
    made = container(m, e, s)
    if made is not None:
        return made
    before = evaluated_before(m, e, s)
    return [(s, before)] if before is not None else noted(m, e, outside(m, e, s))


def merged_outcomes(outcomes: list[Outcome]) -> list[Outcome]:
    """Ways back from a call, those as one that give the same and leave the same."""
    groups: dict[Value, list[State]] = {}
    for state, given in outcomes:
        groups.setdefault(
            given if not isinstance(given, Atom) or given in state.outcomes else Atom("result"), []
        ).append(state)
    kept = {given: merged(states, STATES) for given, states in groups.items()}
    first: dict[int, Value] = {}
    for state, given in outcomes:
        first.setdefault(id(state), given)
    return [(state, first[id(state)]) for states in kept.values() for state in states][:STATES]


def _same_object(m: Machine, s: State) -> Place:
    """The object that a method calls another of its methods for."""
    this = m.frames[-1].function.this if m.frames else None
    held = s.memory.get(s.env[this]) if this is not None and this in s.env else None
    return held if isinstance(held, At) else At(Thing(Kind.BEHIND, "this"))


def _object(m: Machine, receiver: n.Expr | None) -> Place:
    """The unknown object that a method is called for: the same one wherever a function without arguments gives it that
    is asked for it anew each time, for else nobody could come back to it (``pool().take(); ... pool().give();``)."""
    asked = strip_casts(receiver) if receiver is not None else None
    if not isinstance(asked, n.Call) or asked.args or asked.receiver is not None:
        return At(Thing(Kind.BEHIND, "this"))
    if asked.name not in m.answered:
        m.answered[asked.name] = Thing(Kind.BEHIND, "this")
        m.answered[asked.name].passed = True
    return At(m.answered[asked.name])


def _by_value(m: Machine, param: n.ParamDecl, arg: n.Expr, s: State) -> list[Outcome]:
    """What a parameter gets that is no reference: of an object that lives on, what the class's constructor makes of it.

    Where it may be copied or moved, nobody knows which of the two has what it held.
    """
    makers = m.program.copying(param.type) if not isinstance(strip_casts(arg), (n.Call, n.InitList)) else ()
    if len(makers) == 1 and not any(frame.function is makers[0] for frame in m.frames):
        return m.inlined(n.Call(arg.span, param.type, makers[0].qualified, makers[0], (arg,)), makers[0], s)
    out = m.value(arg, s)
    for state, given in out if makers else ():
        escape(m, given, state)
    return out


def inlined(m: Machine, e: n.Call, function: n.FunctionDecl, s: State) -> list[Outcome]:
    """Walk the body of a function with the arguments of a call."""
    ways: list[tuple[State, list[tuple[n.VarDecl, Place]]]] = [(s, [])]
    built: Thing | None = None
    if function.this is not None:
        if e.receiver is not None:
            pointer = isinstance(e.receiver.type, PointerType) and not e.receiver.type.reference
            found: list[Placed] = m.value(e.receiver, s) if pointer else m.place(e.receiver, s)  # type: ignore[assignment]
        elif constructs(function):
            built = Thing(Kind.LOCAL, "object", e.span, "", e.type)
            found = [(s, At(built))]
        else:
            found = [(s, _same_object(m, s))]
        ways = []
        for state, at in found:
            own = At(Thing(Kind.LOCAL, "this", e.span))
            state.memory[own] = at if isinstance(at, At) else _object(m, e.receiver)
            ways.append((state, [(function.this, own)]))
    params = list(zip(function.params, e.args, strict=False))
    for param, arg in params:
        after: list[tuple[State, list[tuple[n.VarDecl, Place]]]] = []
        for state, bound in ways:
            if isinstance(param.type, PointerType) and param.type.reference:
                after += [
                    (one, [*bound, (param, at if at is not None else At(Thing(Kind.BEHIND, param.name)))])
                    for one, at in m.place(arg, state)
                ]
                continue
            for one, given in _by_value(m, param, arg, state):
                own = At(Thing(Kind.LOCAL, param.name, param.span, "", param.type, param))
                if isinstance(given, Whole):
                    for path, part in given.parts:
                        one.memory[At(own.thing, path)] = part  # type: ignore[assignment]
                else:
                    one.memory[own] = given
                after.append((one, [*bound, (param, own)]))
        ways = after
    ways = _handed_on(m, e.args[len(function.params) :], ways)
    out: list[Outcome] = []
    frame = Frame(function, e.span)
    m.step([state for state, _ in ways])
    m.frames.append(frame)
    try:
        states = []
        for state, bound in ways:
            for decl, at in bound:
                state.env[decl] = at
            states.append(state)
        assert function.body is not None
        states = m.run(function.body, states)
        void = isinstance(function.result, VoidType)
        ends = frame.returns + [(state, NULL if void else m.fresh("result"), function.body.span) for state in states]
    finally:
        m.frames.pop()
    owned = [param for param, _ in params if isinstance(param.type, StructType)]
    for state, given, span in ends:
        for behind in m.end_scope(owned, [state], span) if owned else [state]:
            result = given
            if built is not None:
                result = Whole(tuple((at.path, held) for at, held in behind.memory.items() if at.thing is built))
                if m.program.destructor(e.type) is not None:  # which runs wherever the object ends
                    for thing in things_in(result):
                        if thing.kind not in MEMORY:
                            behind.change(thing, out=True)
            leave(m, function, behind, result, span)
            out.append((behind, result))
    if m.frames:
        m.frames[-1].thrown += [(state, e.span, True) for state, _, _ in frame.thrown]
    return out


def _handed_on(
    m: Machine, args: Sequence[n.Expr], ways: list[tuple[State, list[tuple[n.VarDecl, Place]]]]
) -> list[tuple[State, list[tuple[n.VarDecl, Place]]]]:
    """The ways on which a function has got ``args`` that it has no parameters for (``...``): what it does with what
    they lead to is not followed."""
    for arg in args:
        after: list[tuple[State, list[tuple[n.VarDecl, Place]]]] = []
        for state, bound in ways:
            for one, given in m.value(arg, state):
                escape(m, given, one)
                after.append((one, bound))
        ways = after
    return ways


def leave(m: Machine, function: n.FunctionDecl, s: State, result: object, span: Span) -> None:
    """The variables of a function end; memory that only they led to is leaked."""

    own = m.program.locals_of(function)
    _made_anew(m, function, own, s)
    if _may_end_program(m, function):
        for thing, fate in list(s.fates.items()):
            if fate.life is Life.FREED and fate.at is not None and _within(fate.at, function):
                s.change(thing, life=Life.DOUBT)
    held = [(decl, s.env.pop(decl).thing) for decl in own if decl in s.env and not decl.is_global and not decl.static
            and s.env[decl].thing.decl in (decl, None)]  # fmt: skip
    gone = {thing for decl, thing in held if not _refers(decl)}
    gone = {thing for thing in gone if thing.kind is Kind.LOCAL}

    lost = []
    for at in [at for at in s.memory if at.thing in gone]:
        lost += list(things_in(s.memory[at]))
    if lost:
        dropped(m, lost, s, span, [result])
    for at in [at for at in s.memory if at.thing in gone]:
        del s.memory[at]


def _may_end_program(m: Machine, function: n.FunctionDecl) -> bool:
    """Whether the last that a function does is to hand a number of its caller's to a function that is not in sight, or
    to what was not understood: it cleans up, and ends the program with the number as its status."""
    last = function.body.body[-1] if function.body is not None and function.body.body else None
    if isinstance(last, n.OpaqueStmt):
        return any(isinstance(param.type, IntType) and param.name in last.words for param in function.params)
    call_ = strip_casts(last.expr) if isinstance(last, n.ExprStmt) else None
    if not isinstance(call_, n.Call) or m.program.body_of(call_) is not None or BORROWS.fullmatch(call_.name):
        return False
    numbers = {param for param in function.params if isinstance(param.type, IntType)}
    return any(isinstance(node, n.Ref) and node.decl in numbers for arg in call_.args for node in walk(arg))


def _within(span: Span, function: n.FunctionDecl) -> bool:
    whole = function.body.span if function.body is not None else None
    return whole is not None and span.file == whole.file and whole.start <= span.start < whole.end


def _refers(decl: n.VarDecl) -> bool:
    """Whether a variable is a reference, which does not end what it stands for: an object that is being made, say."""
    return isinstance(decl.type, PointerType) and decl.type.reference


def _made_anew(m: Machine, function: n.FunctionDecl, own: frozenset[n.VarDecl], s: State) -> None:
    """What static variables lead to that a call has freed: the next one makes it anew, by conditions of its own."""
    for decl in (decl for decl in own if decl.static and decl in s.env):
        held = s.memory.get(s.env[decl])
        if not isinstance(held, At) or s.fate(held.thing).life is not Life.FREED or function.body is None:
            continue
        nodes = (node.target for node in walk(function.body) if isinstance(node, n.Assign))
        if any(isinstance(target, n.Ref) and target.decl is decl for target in nodes):
            s.memory[s.env[decl]] = m.fresh("made anew")
