"""Owning pointers with a deleter of the program's own: what runs where the owner ends (C++, [unique.ptr.single]).

The deleter is a class without members that the owner's type names, or a lambda or function that its constructor is
given (``std::shared_ptr`` too).  An owner whose value is read is moved from: it
cannot be copied.  Who else may own the memory then is not followed, so that nothing is said to leak.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.memory import escape, load
from kernlint.analysis.hostmodel.lifetimes.model import NULL, At, Kind, Life, Place, State, Thing, Value, Whole
from kernlint.analysis.hostmodel.lifetimes.program import OWNING, Program
from kernlint.apis import ENDS, known_name
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import strip_casts, walk

HELD = "#held"
_OWNER = pattern(r"(?:struct |class )?std::unique_ptr<.*, ([\w:]+)>")


def deleter_of(program: Program, kind: Type) -> n.FunctionDecl | None:
    """The function that an owner of a type calls with what it holds, where that is in sight and has no state."""
    found = _OWNER.fullmatch(kind.name) if isinstance(kind, StructType) else None
    if found is None:
        return None
    calls = [f for f in program.functions if f.qualified == f"{found[1]}::operator()" and len(f.params) == 1]
    if len(calls) != 1 or calls[0].generic is not None or calls[0].template_params or calls[0].this is None:
        return None
    own = calls[0].this.type.pointee if isinstance(calls[0].this.type, PointerType) else None
    return calls[0] if isinstance(own, StructType) and not own.fields else None


def owning(m: Machine, e: n.Call, given: Value, s: State) -> Value | None:
    """The owner that a constructor makes of a pointer; None where what it will call is not known."""
    if not isinstance(given, At):
        return None
    if len(e.args) == 2:
        passed = _passed(e.args[1])
        if passed is None:
            return None
        m.deleters[given.thing] = passed
        m.captured[given.thing] = _captured(m, e.args[1], s)
    elif len(e.args) != 1 or deleter_of(m.program, e.type) is None:
        return None
    escape(m, given, s)
    return Whole((((HELD,), given),))


def _captured(m: Machine, expr: n.Expr, s: State) -> tuple[tuple[n.VarDecl, Value], ...]:
    """The numbers that a lambda copies where it is written (C++, [expr.prim.lambda.capture]), by their variables."""
    given = _written(expr)
    if not isinstance(given, n.Lambda) or given.by_reference:
        return ()
    refs = (node for node in walk(given.body) if isinstance(node, n.Ref) and isinstance(node.type, IntType))
    names = {node.decl: node for node in refs if node.decl in s.env and not node.decl.is_global}
    return tuple((decl, load(m, s.env[decl], node.type, s, node.span)) for decl, node in names.items())


def _written(expr: n.Expr) -> n.Expr | None:
    """What a deleter is that may stand in a variable."""
    given: n.Expr | None = strip_casts(expr)
    given = strip_casts(given.operand) if isinstance(given, n.AddressOf) else given
    if isinstance(given, n.Ref) and isinstance(strip_casts(given.decl.init), n.Lambda):
        given = strip_casts(given.decl.init)
    return given


def _passed(expr: n.Expr) -> n.FunctionDecl | str | None:
    """The deleter that an owner is given: a lambda or function of one parameter, or a runtime's function by name."""
    given = _written(expr)
    if isinstance(given, n.Lambda) and len(given.params) == 1:
        return n.FunctionDecl(given.span, "deleter", "deleter", n.FunctionKind.HOST, given.params, VOID, given.body)
    if isinstance(given, n.FunctionRef):
        own = given.function
        if own is not None and own.body is not None:
            return own if len(own.params) == 1 else None
        ends = ENDS.get(known_name(given.name) or "")
        return given.name if ends is not None and ends.of and ends.what == 0 else None
    return None


def moved_from(at: Place, kind: Type, s: State) -> None:
    """The value of an owner was read: it holds nothing any more, or (of a shared one) nobody knows who ends last."""
    place = At(at.thing, (*at.path, HELD))
    if isinstance(kind, StructType) and place in s.memory and OWNING.fullmatch(kind.name) is not None:
        s.memory[place] = NULL


def owner_ends(m: Machine, at: Place, kind: Type, span: Span, s: State) -> list[State]:
    """An owner ends: its deleter is called with what it holds."""
    held = s.memory.get(At(at.thing, (*at.path, HELD)))
    deleter = (m.deleters.get(held.thing) or deleter_of(m.program, kind)) if isinstance(held, At) else None
    if deleter is None or not isinstance(held, At) or s.fate(held.thing).life is not Life.LIVE:
        return [s]
    if isinstance(deleter, str):
        m.release(held, span, s, "freed")
        return [s]
    pointer = n.VarDecl(span, "held", deleter.params[0].type, Space.HOST)
    s.env[pointer] = At(Thing(Kind.LOCAL, "held"))
    s.memory[s.env[pointer]] = held
    call = n.Call(span, VOID, deleter.qualified, deleter, (n.Ref(span, pointer.type, pointer),))
    copies = {decl: At(Thing(Kind.LOCAL, decl.name, None, "", decl.type)) for decl, _ in m.captured.get(held.thing, ())}
    before = {decl: s.env.get(decl) for decl in copies}
    for decl, value in m.captured.get(held.thing, ()):
        s.env[decl] = copies[decl]
        s.memory[copies[decl]] = value
    states = [after for after, _ in m.inlined(call, deleter, s)]
    for state in states:
        state.env.pop(pointer, None)
        for decl, at_first in before.items():
            state.memory.pop(copies[decl], None)
            state.env.pop(decl, None)
            if at_first is not None:
                state.env[decl] = at_first
    return states


PARTS = 4
"""Levels of members in members that are ended with an object."""


def object_ends(m: Machine, of: n.Expr, kind: Type, span: Span, s: State, deep: int = PARTS) -> list[State]:
    """An object, or what a pointer leads to, ends: its destructor runs, then its members end, the last one first, and
    then its bases (C++, [class.dtor])."""
    if not m.program.ends(kind):
        return [s]
    destructor = m.program.destructor(kind)
    if not isinstance(kind, StructType) or (destructor is None and kind.name in m.program.module.ends_elsewhere):
        leads = isinstance(of.type, PointerType)
        found = m.value(of, s) if leads else m.place(of, s)
        return [_out_of_sight(m, at, state) if isinstance(at, At) else state for state, at in found]
    states = [s] if destructor is None else _run(m, destructor, of, span, [s])
    for field in reversed(kind.fields) if deep else ():
        if m.program.ends(field.type):
            part = n.Member(span, field.type, of, field.name, isinstance(of.type, PointerType))
            states = [after for state in states for after in _member_ends(m, part, state, deep - 1)]
    for base in m.program.bases(kind):
        states = _run(m, base, of, span, states)
    return states


def _member_ends(m: Machine, part: n.Member, s: State, deep: int) -> Iterator[State]:
    for state in object_ends(m, part, part.type, part.span, s, deep):
        for placed, at in m.place(part, state):
            yield from owner_ends(m, at, part.type, part.span, placed) if at is not None else (placed,)


def _run(m: Machine, destructor: n.FunctionDecl, of: n.Expr, span: Span, states: list[State]) -> list[State]:
    call = n.Call(span, VOID, destructor.qualified, destructor, (), of)
    return [after for state in states for after, _ in m.inlined(call, destructor, state)]


def _out_of_sight(m: Machine, at: Place, s: State) -> State:
    """Something ends in a way that is not followed, as elements of arrays do: what it holds may be given back."""
    for place, held in list(s.memory.items()):
        if place.thing is at.thing and place.path[: len(at.path)] == at.path:
            escape(m, held, s)
    return s
