"""What places hold: loads and stores, who else may know a thing, and what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.hostmodel.lifetimes.anew import made_anew
from kernlint.analysis.hostmodel.lifetimes.inside import stored_inside
from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import (
    MEMORY,
    OWED,
    At,
    Atom,
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
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, ArrayType, FloatType, IntType, OpaqueType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts


def overlaps(one: Place, other: Place) -> bool:
    """Whether two places share memory, as far as their paths tell: one is a part of the other."""
    short, long = sorted((one.path, other.path), key=len)
    return one.thing is other.thing and long[: len(short)] == short


def _touched(at: Place, type_: Type) -> Place:
    """What the host touches when it reads or writes a value: of what a pointer leads to, the first element."""
    number = isinstance(type_, (IntType, FloatType)) and not at.path and at.thing.kind is not Kind.LOCAL
    return At(at.thing, (0,)) if number else at


def load(m: Machine, at: Place, type_: Type, state: State, span: Span) -> Value:
    """What a place holds."""

    given = isinstance(type_, ArrayType)  # to what waits for a kernel itself, perhaps: a copy from its buffer
    if not given or any(work.api != "launch" for work in state.pending):
        m.host_access(_touched(at, type_), span, state, False)
    if given:
        return At(at.thing, at.path)
    if isinstance(type_, StructType):
        return whole(m, at, type_, state)
    found = state.memory.get(at)
    if found is not None:
        return found
    if isinstance(type_, OpaqueType):  # an object of a template that is walked as it is written
        parts = _parts(at, state)
        if parts:
            return Whole(tuple(parts.items()))
    if at.path and not isinstance(at.path[-1], (str, int)):
        held = [
            value
            for place, value in state.memory.items()
            if overlaps(place, At(at.thing, at.path[:-1])) and isinstance(value, At)
        ]
        if held:
            return Atom("either", tuple(held))
    return behind(m, at, type_, state)


def behind(m: Machine, at: Place, type_: Type, state: State) -> Value:
    """What a place of unknown contents holds: the same value, as long as nothing may have changed it, and the
    object that it is a part of has not been assigned anew."""
    decl = at.thing.decl
    local = at.thing.kind is Kind.LOCAL and not state.fate(at.thing).out
    local = local or (decl is not None and not at.path and m.program.steady(decl))
    untouched = unshared(at) and not isinstance(type_, PointerType)
    by_others = state.given.get(at.thing, 0) if untouched else state.version
    version: int | Atom = _assigned_whole(at, state) or (0 if local else by_others)
    handed = state.given.get(Atom("address", (at,)))
    if handed is not None:
        version = Atom("handed", (handed, version))
    pointer = isinstance(type_, PointerType) or (  # the driver's pointers are numbers
        isinstance(type_, IntType) and type_.bits == 64 and m.keys.get(at, ((),))[-1] in m.program.kinds
    )
    key = (at, version, "pointer" if pointer else "")
    found = m.lazy.get(key)
    if found is None:
        if pointer:
            keys = m.keys.get(at, ())
            kind = m.program.kinds.get(keys[-1], Kind.BEHIND) if keys else Kind.BEHIND
            thing = Thing(kind, name_of(at), None, "", None, None, keys[-1] if keys else None)
            thing.passed = len(m.frames) == 1 and isinstance(at.thing.decl, n.ParamDecl) and not at.path
            m.made_at[thing] = version if isinstance(version, int) else state.version
            m.origins[thing] = thing.origin = at
            found = At(thing)
            if keys:
                m.keys[found] = keys
        else:
            found = Atom("value", (at, version))
        m.lazy[key] = found
    return found


def unshared(at: Place) -> bool:
    """Whether a place is a member of an object that a parameter refers or points to: its numbers stay as they are until
    a function is given the object."""
    return at.thing.passed and bool(at.path) and all(isinstance(part, str) for part in at.path)


def number_behind(e: n.Expr, state: State) -> Atom | None:
    """A number of an object that a pointer in a variable leads to, of which no more is known than that a function out
    of sight gave it: the same until a function is given the pointer, or somebody stores there."""
    named = _member_behind(e, state) if isinstance(e.type, IntType) else None
    return None if named is None else Atom("field", (*named.args, *map(state.given.get, (named, named.args[0]))))  # type: ignore[arg-type]


def _member_behind(e: n.Expr, state: State) -> Atom | None:
    """The pointer of unknown value by which an expression names a member, with the member."""
    base = strip_casts(e.base) if isinstance(e, n.Member) else None
    if not isinstance(base, n.Ref) or not isinstance(base.type, PointerType) or base.decl not in state.env:
        return None
    held = state.memory.get(state.env[base.decl])
    known = isinstance(held, Atom) and held.op != "either"
    return Atom("member", (held, e.field)) if known else None  # type: ignore[attr-defined]


def member_given(e: n.Expr, state: State) -> None:
    """A member is stored to, or its address is taken, of what a pointer of unknown value leads to."""
    if (named := _member_behind(e, state)) is not None:
        state.given[named] = state.given.get(named, 0) + 1


def members_given(pointer: Value, names: Iterable[str], state: State) -> None:
    """A text that was lost names these members, perhaps, of what a pointer of unknown value leads to."""
    for name in names:
        named = Atom("member", (pointer, name))
        state.given[named] = state.given.get(named, 0) + 1


def pointer_given(e: n.Expr, value: Value, state: State) -> None:
    """A function out of sight is given a pointer of unknown value."""
    if isinstance(value, Atom) and isinstance(e.type, PointerType):
        state.given[value] = state.given.get(value, 0) + 1


def _assigned_whole(at: Place, state: State) -> Atom | None:
    """What was stored to the object that a place is a part of: where that is one value, its parts are that value's."""
    for size in range(len(at.path) - 1, -1, -1):
        held = state.memory.get(At(at.thing, at.path[:size]))
        if isinstance(held, Atom):
            return held
    return None


def name_of(at: Place) -> str:
    """A place in words."""
    parts = [part for part in at.path if isinstance(part, str) and not part.startswith("#")]
    return parts[-1] if parts else at.thing.name


def whole(m: Machine, at: Place, type_: StructType, state: State) -> Value:
    """A structure by value."""
    parts = _parts(at, state)
    for name, kind in m.program.fields(type_):
        if (name,) not in parts and isinstance(kind, PointerType):
            below = At(at.thing, (*at.path, name))
            m.keys.setdefault(below, (*m.keys.get(at, ()), (m.program.class_name(type_), name)))
            parts[name,] = behind(m, below, kind, state)
    return Whole(tuple(parts.items()))


def _parts(at: Place, state: State) -> dict[tuple[object, ...], Value]:
    """What is known of the parts of an object, by their paths in it."""
    return {
        place.path[len(at.path) :]: value
        for place, value in state.memory.items()
        if overlaps(place, at) and len(place.path) > len(at.path)
    }


def store(m: Machine, at: Place, value: Value, state: State, span: Span, type_: Type = VOID) -> None:
    """Write a value to a place."""

    m.host_access(_touched(at, type_), span, state, True)
    note_replaced(m, at, value, state, span)
    old = [
        (place, held) for place, held in state.memory.items() if overlaps(place, at) and len(place.path) >= len(at.path)
    ]
    for place, _ in old:
        del state.memory[place]
    again(m, at, value, dict(old), state, span)
    made_anew(m, at, value, dict(old).get(at), state, span)
    if isinstance(value, Whole):
        for path, part in value.parts:
            state.memory[At(at.thing, (*at.path, *path))] = part  # type: ignore[assignment]
            if isinstance(part, At):
                note_stored(m, at, part, state, span)
    else:
        state.memory[at] = value
        if isinstance(value, At) and (at.thing.kind is Kind.CONTENT or any(not isinstance(p, str) for p in at.path)):
            value.thing.counted = True
        if isinstance(value, At) and value.thing.name == "allocation":
            value.thing.name = name_of(at)
        note_stored(m, at, value, state, span)
        if isinstance(value, At) and value.thing in state.fates:
            m.stored_at.setdefault(value.thing, (at, state.version))
    if visible(at, state):
        escape(m, value, state)
    lost = [thing for _, held in old for thing in things_in(held)]
    dropped(m, lost, state, span)


def again(m: Machine, at: Place, value: Value, old: dict[Place, Value], state: State, span: Span) -> None:
    """A member that this way has given memory gets other memory, and nothing else leads to the first.  Whether somebody
    has taken that meanwhile is not known once a function out of sight has run."""
    held = old.get(at)
    if not isinstance(held, At) or held.path or not isinstance(value, At) or not m.keys.get(at):
        return
    before, made = state.fates.get(held.thing), state.fates.get(value.thing)
    if before is None or made is None or held.thing.kind not in MEMORY or value.thing.kind not in MEMORY:
        return
    indexed = any(not isinstance(part, str) for part in at.path)
    if indexed or before.life is not Life.LIVE or m.stored_at.get(held.thing) != (at, state.version):
        return
    if any(held.thing in things_in(other) for other in state.memory.values()):
        return
    related = ((held.thing.span, "allocated here"),) if held.thing.span is not None else ()
    m.report(Fault("leak", span, name_of(at), "again", related))
    state.change(held.thing, life=Life.DOUBT)


def note_replaced(m: Machine, at: Place, value: Value, state: State, span: Span) -> None:
    """Keep in mind which members of objects that were there before get other memory, and what they had."""
    keys = m.keys.get(at)
    if not keys or not isinstance(value, At) or at in state.memory or at.thing.kind is not Kind.BEHIND:
        return
    made = value.thing in state.fates and value.thing.kind in MEMORY and not state.fates[value.thing].out
    taken = m.entry.name == "operator=" and value.thing.key == keys[-1] and len(m.frames) == 1
    if made or taken:
        held = behind(m, at, PointerType(VOID), state)
        if isinstance(held, At) and held.thing is not value.thing:
            state.replaced = (*state.replaced, (at, span, held))


def note_stored(m: Machine, at: Place, value: Value, state: State, span: Span) -> None:
    """Keep in mind which members get memory, for what is asked of the file as a whole."""
    keys = m.keys.get(at)
    if not keys or not isinstance(value, At):
        return
    thing = value.thing
    stored_inside(m, keys, value, state, span)
    if thing in state.fates and not value.path:
        for key in keys:
            m.program.makers.setdefault(key, set()).add(m.entry)
        if thing.kind in OWED:
            m.program.gave(keys[-1], thing, m.entry)
    elif value.thing.key is not None and value.thing.key != keys[-1]:
        m.program.passed_on.add(value.thing.key)


def visible(at: Place, state: State) -> bool:
    """Whether code beyond the function may look at a place."""
    if at.thing.kind is Kind.LOCAL:
        decl = at.thing.decl
        return state.fate(at.thing).out and (at.thing in state.fates or (decl is not None and decl.is_global))
    return state.fate(at.thing).out


def escape(m: Machine, value: Value | Place, state: State) -> None:
    """Code beyond the function may know what a value leads to, and all that is held there."""
    for thing in _reached(value, state):
        if thing.key is not None:
            m.program.passed_on.add(thing.key)
        if not state.fate(thing).out or thing.kind is Kind.LOCAL:
            state.change(thing, out=True)


def below(value: Value | Place, state: State) -> Iterator[Thing]:
    """Things with a fate that a value leads to, and those that are held there."""
    return (thing for thing in _reached(value, state) if thing in state.fates)


def _reached(value: Value | Place, state: State) -> Iterator[Thing]:
    """Things that a value leads to, and those that are held there, each once."""
    todo = list(things_in(value))
    seen: set[Thing] = set()
    while todo:
        thing = todo.pop()
        if thing in seen:
            continue
        seen.add(thing)
        yield thing
        todo += [inner for place, held in state.memory.items() if place.thing is thing for inner in things_in(held)]


def forget(m: Machine, value: Value | Place, state: State) -> None:
    """A function out of sight may have written where a value leads, and whatever can be reached from there."""
    if not isinstance(value, At):
        return
    if value.path:  # to who writes this part, and not the object somewhere
        state.memory[value] = m.fresh("written")
        state.given[Atom("address", (value,))] = state.given.get(Atom("address", (value,)), 0) + 1
    seen: set[Thing] = set()
    todo = [value.thing]
    while todo:
        thing = todo.pop()
        if thing in seen:
            continue
        seen.add(thing)
        if thing.passed:
            state.given[thing] = state.given.get(thing, 0) + 1
        for place in [place for place in state.memory if place.thing is thing]:
            todo += things_in(state.memory[place])
            state.memory[place] = m.fresh("written")


def reachable(state: State, roots: Iterable[object] = ()) -> set[Thing]:
    """Things that something in sight leads to."""
    alive = {at.thing for at in state.env.values()}
    alive.update(thing for root in roots for thing in things_in(root))
    by_thing: dict[Thing, list[Thing]] = {}
    for place, held in state.memory.items():
        by_thing.setdefault(place.thing, []).extend(things_in(held))
        if place.thing.ends_itself or (place.thing.kind is not Kind.LOCAL and place.thing not in state.fates):
            alive.add(place.thing)
    todo = list(alive)
    while todo:
        for thing in by_thing.get(todo.pop(), ()):
            if thing not in alive:
                alive.add(thing)
                todo.append(thing)
    return alive


def dropped(m: Machine, things: Iterable[Thing], state: State, span: Span, roots: Iterable[object] = ()) -> None:
    """Memory to which a pointer was lost is leaked where nothing else leads to it."""
    candidates = [thing for thing in things if leaking(thing, state)]
    if not candidates:
        return
    held = reachable(state, [*roots, *m.holding])
    for thing in candidates:
        if thing not in held:
            if m.frames[-1].function in m.program.entries and len(m.frames) > 1:
                state.change(thing, life=Life.DOUBT)  # it is walked by itself too
                continue
            at, thrown = m.leaving or (span, False)
            failing = len(m.frames) == 1 and m.program.tells_of_failure(m.holding)
            m.program.leaked(m, thing, state, m.outer(at), thrown, failing)


def leaking(thing: Thing, state: State) -> bool:
    """Whether somebody still has to give a thing back, and only the function can."""
    fate = state.fates.get(thing)
    return fate is not None and thing.kind in OWED and fate.life is Life.LIVE and not fate.out


def _lasting(m: Machine, decl: n.VarDecl) -> bool:
    """Whether a variable outlives the functions that are walked, or is none of theirs."""
    return decl.is_global or decl.static or not any(decl in m.program.locals_of(frame.function) for frame in m.frames)


def variable(m: Machine, decl: n.VarDecl, s: State) -> Place:
    """Where a variable is kept."""
    at = s.env.get(decl)
    if at is None:
        at = m.program.globals.get(decl)
        if at is None:
            thing = Thing(Kind.LOCAL, decl.name, decl.span, "", decl.type, decl)
            at = At(thing)
            if _lasting(m, decl):
                m.program.globals[decl] = at
        s.env[decl] = at
        if _lasting(m, decl):
            s.change(at.thing, out=True)
    return at
