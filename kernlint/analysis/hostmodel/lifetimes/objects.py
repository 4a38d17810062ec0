"""Objects of classes: declared, assigned and ended variables, sequences and owning pointers."""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.arguments import ends
from kernlint.analysis.hostmodel.lifetimes.deleters import object_ends, owner_ends
from kernlint.analysis.hostmodel.lifetimes.growth import SIZE, counts, moved_away
from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome, Placed
from kernlint.analysis.hostmodel.lifetimes.memory import behind, dropped, escape, load, overlaps, store, variable
from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    At,
    Atom,
    Fate,
    Fault,
    Kind,
    Life,
    Place,
    State,
    Thing,
    Value,
    Whole,
    things_in,
)
from kernlint.analysis.hostmodel.lifetimes.transfers import rested_on
from kernlint.analysis.hostmodel.lifetimes.wrappers import held_by, taken_over, takes_over
from kernlint.analysis.trace.containers import allocated
from kernlint.apis.names import PLACED
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, PointerType, StructType, Type

_SEQUENCE = pattern(
    r"(?:struct |class )?(?:std::vector|std::array|std::string|thrust::host_vector|thrust::device_vector)\b.*"
)
_OWNER = pattern(r"(?:struct |class )?std::(?:unique|shared)_ptr\b.*")
_START = frozenset({"data", "begin", "cbegin", "end", "cend", "c_str"})
_ELEMENT = frozenset({"operator[]", "at", "front", "back"})
_TAKES_OUT = frozenset({"pop_back", "pop_front", "erase"})
_ASKS = frozenset({"size", "empty", "capacity", "length", "max_size"})
_CONTENT = "#content"
_HELD = "#held"
_SAME = frozenset({"std::move", "std::forward", "std::as_const", "std::addressof", "thrust::raw_pointer_cast",
                   "thrust::device_pointer_cast", "std::launder"})  # fmt: skip


def _sequence(kind: Type) -> bool:
    return isinstance(kind, StructType) and _SEQUENCE.fullmatch(kind.name) is not None and not allocated(kind.name)


def _owner(kind: Type) -> bool:
    return isinstance(kind, StructType) and _OWNER.fullmatch(kind.name) is not None


def declared(m: Machine, decl: n.VarDecl, s: State) -> list[State]:
    """A local variable comes to life."""
    if decl.static or decl.is_global:
        variable(m, decl, s)
        return [s]
    if isinstance(decl.type, PointerType) and decl.type.reference and decl.init is not None:
        out = []
        for state, at in m.place(decl.init, s):
            state.env[decl] = at if at is not None else At(Thing(Kind.BEHIND, decl.name))
            out.append(state)
        return out
    own = At(Thing(Kind.LOCAL, decl.name, decl.span, "", decl.type, decl))
    s.env[decl] = own
    if decl.init is None:
        return [s]
    out = []
    for state, given in m.value(decl.init, s):
        if isinstance(given, Whole) and not isinstance(decl.type, PointerType):
            for path, part in given.parts:
                state.memory[At(own.thing, path)] = part  # type: ignore[assignment]
                if isinstance(part, At) and part.thing.name == "elements":
                    part.thing.name = decl.name
        else:
            state.memory[own] = given
            if isinstance(given, At) and (given.thing.name == "allocation" or _from_helper(m, given.thing)):
                given.thing.name = decl.name
        out.append(state)
    return out


def _from_helper(m: Machine, thing: Thing) -> bool:
    """Whether a helper of the walked function has made a thing."""
    return len(m.frames) == 1 and thing.called not in (None, thing.span)


def _with_the_program(m: Machine) -> bool:
    """Whether the program ends: its `main` returns, or comes to its last line, and no buffer is used any more."""
    return m.entry.name == "main" and len(m.frames) == 1 and (bool(m.holding) or not m.frames[-1].scopes)


def ended(m: Machine, decl: n.VarDecl, s: State) -> list[State]:
    """A variable goes out of scope."""
    at = s.env.get(decl)
    reference = isinstance(decl.type, PointerType) and decl.type.reference
    if at is None or decl.static or decl.is_global:
        return [s]
    s.env.pop(decl)
    if reference or at.thing.decl is not decl:
        return [s]
    states = [s]
    if m.program.ends(decl.type):
        s.env[decl] = at
        states = object_ends(m, n.Ref(decl.span, decl.type, decl), decl.type, decl.span, s)
    if m.program.end_unknown(decl.type):
        for held in [held for place, held in s.memory.items() if place.thing is at.thing]:
            escape(m, held, s)
    states = [after for state in states for after in owner_ends(m, at, decl.type, decl.span, state)]
    for state in states:
        state.env.pop(decl, None)
        _memory_ends(m, at, decl, state)
    return states


def _memory_ends(m: Machine, at: Place, decl: n.VarDecl, s: State) -> None:
    for wrapped in held_by(at, s):
        m.release(wrapped, decl.span, s, "released at the end of this object")
    ends(m, at.thing, decl.name, decl.span, "goes out of scope", s)
    content = s.memory.get(At(at.thing, (_CONTENT,)))
    ending = {at.thing} | ({content.thing} if isinstance(content, At) and not s.fate(content.thing).out else set())
    for work in s.pending:
        if work.place.thing in ending and work.api.startswith(("cl", "enqueue")) and not s.fate(at.thing).out:
            m.report(Fault("dies", work.span, decl.name, "ends"))
    if not s.fate(at.thing).out and not _with_the_program(m):
        rested_on(m, ending, decl.name, "ends", s)
    s.pending = tuple(work for work in s.pending if work.place.thing not in ending)
    if isinstance(content, At) and content.thing in ending and content.thing.api == "device":
        s.fates[content.thing] = Fate(Life.FREED, False, decl.span, f"{decl.name} ends")
    lost = []
    for held in [held for held in s.memory if held.thing is at.thing]:
        lost += list(things_in(s.memory.pop(held)))
    if lost:
        dropped(m, lost, s, decl.span)


def assigned(m: Machine, e: n.Assign, at: Place, new: Value, s: State) -> list[State]:
    """A value is stored; an owning pointer gives back what it held."""
    if _owner(e.target.type) and not isinstance(new, Whole):
        store(m, At(at.thing, (*at.path, _HELD)), new, s, e.span)
        return [s]
    store(m, at, new, s, e.span, e.target.type)
    return [s]


# ------------------------------------------------------------------------------------------------------- sequences


def _content(m: Machine, at: Place, kind: Type, s: State) -> At:
    """The elements of a sequence."""
    below = At(at.thing, (*at.path, _CONTENT))
    held = s.memory.get(below)
    if isinstance(held, At):
        return held
    key = (below, s.version if at.thing.kind is not Kind.LOCAL else 0, "content")
    found = m.lazy.get(key)
    if not isinstance(found, At):
        name = at.path[-1] if at.path and isinstance(at.path[-1], str) else at.thing.name
        device = isinstance(kind, StructType) and "device_vector" in kind.name
        found = m.lazy[key] = At(Thing(Kind.CONTENT, str(name), None, "device" if device else "host"))
    s.memory[below] = found
    return found


def element(m: Machine, e: n.Call, s: State) -> list[Placed] | None:
    """Where an element of a sequence, or what an owning pointer leads to, stands; None: the call is another."""
    last = e.name.rpartition("::")[2]
    if e.name in _SAME and len(e.args) == 1:
        return m.place(e.args[0], s)
    if e.receiver is None:
        return None
    if _sequence(e.receiver.type) and last in _ELEMENT:
        out: list[Placed] = []
        for state, at in m.place(e.receiver, s):
            if at is None:
                out.append((state, None))
                continue
            content = _content(m, at, e.receiver.type, state)
            for after, index in m.values(e.args, state):
                path: tuple[object, ...] = (getattr(index[0], "value", index[0]),) if index else (last,)
                out.append((after, At(content.thing, path)))
        return out
    if _owner(e.receiver.type) and last in ("operator*", "operator[]"):
        return [(state, held if isinstance(held, At) else None) for state, held in _held(m, e, s)]
    return None


def _held(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    """The pointer that an owning pointer holds."""
    assert e.receiver is not None
    out: list[Outcome] = []
    for state, at in m.place(e.receiver, s):
        if at is None:
            out.append((state, m.fresh("held")))
            continue
        below = At(at.thing, (*at.path, _HELD))
        held = state.memory.get(below)
        if held is None:
            held = behind(m, below, PointerType(VOID), state)
        out.append((state, held))
    return out


def container(m: Machine, e: n.Call, s: State) -> list[Outcome] | None:
    """What a call on a sequence or owning pointer gives, or one of the functions that only hand on; None: another."""
    last = e.name.rpartition("::")[2]
    if e.name in _SAME and len(e.args) == 1:
        return m.value(e.args[0], s)
    if e.name in ("std::swap", "swap") and len(e.args) == 2:
        return _swap(m, e, s)
    if e.name in ("std::exchange",) and len(e.args) == 2:
        return _exchange(m, e, s)
    if e.name == PLACED:
        return _placed(m, e, s)
    if e.receiver is None:
        return _made(m, e, s)
    if _sequence(e.receiver.type):
        return _of_sequence(m, e, last, s)
    if _owner(e.receiver.type):
        if last in ("get", "operator->"):
            return _held(m, e, s)
        if last == "release" and not e.args:
            return _set_held(m, e, s)
        if last in _ELEMENT or last == "operator*":
            return _loaded(m, e, s)
        if last == "operator bool":
            return _held(m, e, s)
        if last == "reset":
            out: list[Outcome] = []
            for state, args in m.values(e.args, s):
                for given in args:
                    escape(m, given, state)
                for ended in _ended(m, e, state):
                    out += [(after, m.fresh("reset")) for after, _ in _set_held(m, e, ended)]
            return out
    return None


def _ended(m: Machine, e: n.Call, s: State) -> list[State]:
    """An owner gives back what it holds, before it gets something else."""
    assert e.receiver is not None
    out: list[State] = []
    for state, at in m.place(e.receiver, s):
        out += owner_ends(m, at, e.receiver.type, e.span, state) if at is not None else [state]
    return out


def _placed(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    """An object that is made in memory which was there before: what its constructor leaves is held there."""
    out: list[Outcome] = []
    for state, (at, *made) in m.values(e.args, s):
        for given in made:
            if isinstance(given, Whole) and isinstance(at, At):
                for path, part in given.parts:
                    state.memory[At(at.thing, (*at.path, *path))] = part  # type: ignore[assignment]
            elif not isinstance(given, Whole):
                escape(m, given, state)
        out.append((state, at))
    return out


def _loaded(m: Machine, e: n.Call, s: State) -> list[Outcome] | None:

    found = element(m, e, s)
    if found is None:
        return None
    return [
        (state, load(m, at, e.type, state, e.span) if at is not None else m.fresh("element")) for state, at in found
    ]


def _of_sequence(m: Machine, e: n.Call, last: str, s: State) -> list[Outcome] | None:
    assert e.receiver is not None
    if last in _ELEMENT:
        return _loaded(m, e, s)
    out: list[Outcome] = []
    for state, at in m.place(e.receiver, s):
        if at is None:
            return None
        content = _content(m, at, e.receiver.type, state)
        if last in _START:
            out.append((state, content))
        elif last in _ASKS:
            out.append((state, Atom(last, (content, state.version))))
        else:
            for after, args in m.values(e.args, state):
                for given in args:
                    escape(m, given, after)
                for thing in things_in(content):
                    if after.fate(thing).out:
                        escape(m, content, after)
                if last in (
                    "resize",
                    "reserve",
                    "insert",
                    "clear",
                    "shrink_to_fit",
                    "assign",
                    "push_back",
                    "emplace_back",
                    "swap",
                ):
                    held = [value_ for at_, value_ in after.memory.items() if at_.thing is content.thing]
                    for one in held:
                        escape(m, one, after)
                    moved_away(content.thing, at, e, last, args, after, m.program.reserves)
                    name = content.thing
                    after.memory[At(at.thing, (*at.path, _CONTENT))] = At(
                        Thing(Kind.CONTENT, name.name, None, name.api)
                    )
                else:
                    escape(m, content, after)
                    if last in _TAKES_OUT:  # what is first and last now are other elements than before
                        for end in (At(content.thing, ("front",)), At(content.thing, ("back",))):
                            for place in [place for place in after.memory if overlaps(place, end) and place.path]:
                                del after.memory[place]
                            after.memory[end] = m.fresh(last)
                out.append((after, m.fresh(last)))
    return out


def _set_held(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    assert e.receiver is not None
    out: list[Outcome] = []
    for state, held in _held(m, e, s):
        for after, at in m.place(e.receiver, state):
            if at is not None:
                after.memory[At(at.thing, (*at.path, _HELD))] = NULL
            out.append((after, held))
    return out


def _made(m: Machine, e: n.Call, s: State) -> list[Outcome] | None:
    """A sequence, an owning pointer or an object around a handle that is constructed."""
    if takes_over(e):
        return taken_over(m, e, s)
    if _sequence(e.type) and e.name.rpartition("::")[2] in ("vector", "host_vector", "device_vector", "array"):
        device = "device_vector" in e.name
        out: list[Outcome] = []
        for state, args in m.values(e.args, s):
            for given in args:
                if not isinstance(given, At):  # pointers are of a range that is copied
                    escape(m, given, state)
            content = Thing(Kind.CONTENT, "elements", e.span, "device" if device else "host")
            sized: tuple[object, ...] = (((SIZE,), args[0]),) if device and counts(args) else ()
            out.append((state, Whole((((_CONTENT,), At(content)), *sized))))  # type: ignore[arg-type]
        return out
    if e.name in ("std::make_unique", "std::make_shared") and _owner(e.type) and isinstance(e.type, StructType):
        name = e.type.name.partition("<")[2].rpartition(">")[0]
        constructor = m.program.constructor(name, len(e.args))
        if constructor is None:
            return None
        call = n.Call(e.span, StructType(name, (), None), constructor.qualified, constructor, e.args)
        out = []
        for state, given in m.inlined(call, constructor, s):
            thing = Thing(Kind.OWNED, name, e.span, name)
            for path, part in given.parts if isinstance(given, Whole) else ():
                state.memory[At(thing, path)] = part  # type: ignore[assignment]
            out.append((state, Whole((((_HELD,), At(thing)),))))
        return out
    return None


def _swap(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    out: list[Outcome] = []
    for state, one in m.place(e.args[0], s):
        for after, other in m.place(e.args[1], state):
            if one is None or other is None:
                for at in (one, other):
                    if at is not None:
                        after.memory[at] = m.fresh("swapped")
            else:
                a = load(m, one, e.args[0].type, after, e.span)
                b = load(m, other, e.args[1].type, after, e.span)
                for at, given in ((one, b), (other, a)):
                    if isinstance(given, Whole):
                        for path, part in given.parts:
                            after.memory[At(at.thing, (*at.path, *path))] = part  # type: ignore[assignment]
                    else:
                        after.memory[at] = given
            out.append((after, m.fresh("swap")))
    return out


def _exchange(m: Machine, e: n.Call, s: State) -> list[Outcome]:

    out: list[Outcome] = []
    for state, at in m.place(e.args[0], s):
        for after, new in m.value(e.args[1], state):
            old: Value = load(m, at, e.args[0].type, after, e.span) if at is not None else m.fresh("exchanged")
            if at is not None and not isinstance(old, Whole):
                after.memory[at] = new
            out.append((after, old))
    return out
