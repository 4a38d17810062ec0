"""What the functions of the runtimes, and functions out of sight, do to things."""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.arguments import bound_object, ends, set_or_shared
from kernlint.analysis.hostmodel.lifetimes.counts import counted
from kernlint.analysis.hostmodel.lifetimes.deleters import object_ends, owning
from kernlint.analysis.hostmodel.lifetimes.endings import by_address, to_the_wrong
from kernlint.analysis.hostmodel.lifetimes.events import (
    TIMING_METHODS,
    elapsed_asked,
    enqueued,
    event_of,
    followed,
    is_queue,
    queue_of,
    recorded,
    settled,
    times_asked,
    unordered_free,
    waits_for,
)
from kernlint.analysis.hostmodel.lifetimes.fills import filled, waited_for
from kernlint.analysis.hostmodel.lifetimes.graphs import GRAPHS, graph
from kernlint.analysis.hostmodel.lifetimes.inside import given_inside
from kernlint.analysis.hostmodel.lifetimes.lost import lent
from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome
from kernlint.analysis.hostmodel.lifetimes.mapped import HANDED, UNLOCKS, handed
from kernlint.analysis.hostmodel.lifetimes.memory import below, escape, forget, pointer_given, store, unshared
from kernlint.analysis.hostmodel.lifetimes.model import (
    MEMORY,
    NULL,
    OWED,
    TOLD,
    At,
    Atom,
    Fate,
    Fault,
    Kind,
    Life,
    Number,
    Pending,
    Place,
    State,
    Thing,
    Value,
    Whole,
    kind_of,
    things_in,
)
from kernlint.analysis.hostmodel.lifetimes.modes import answer
from kernlint.analysis.hostmodel.lifetimes.owners import owned, owns
from kernlint.analysis.hostmodel.lifetimes.program import constructs, has_failed
from kernlint.analysis.hostmodel.lifetimes.runtime import ASKS_WHAT, BORROWS, ENDS_PROGRAM, MAY_WAIT, READS, WRITES
from kernlint.analysis.hostmodel.lifetimes.shared_virtual import freed
from kernlint.analysis.hostmodel.lifetimes.streams import apart_from_default, called
from kernlint.analysis.hostmodel.lifetimes.textures import MADE, textured
from kernlint.analysis.hostmodel.lifetimes.transfers import (
    apart,
    calls_of,
    in_turn,
    move,
    rested_on,
    used,
    wait,
)
from kernlint.apis import ENDS, FILLS, MAKES, MAPS, MOVES, Made, Makes, base_name, known_name
from kernlint.apis.order import ASKS_ERROR, RECORDS, RESETS, USE_HOST_PTR, WAITS
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import FloatType, IntType, PointerType, StructType
from kernlint.tree.walk import strip_casts


def outside(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    """A call whose function is not in sight."""
    name, exprs = _named(e)
    out: list[Outcome] = []
    if e.name in TIMING_METHODS or e.name == "clGetEventProfilingInfo":
        times_asked(m, e, s)
        return [(s, m.fresh(e.name))]
    if waits_for(m, e, s):
        return [(s, m.fresh(e.name))]
    if e.name == "cl::Kernel::setArg":
        bound_object(m, e, s)
    for state, args in m.values(exprs, s):
        if e.receiver is not None and is_queue(e.receiver.type):
            args[0] = queue_of(m, e.receiver, state) or args[0]
        for table, writes in ((READS, False), (WRITES, True)):
            for touched in (args[index] for index in table.get(e.name, ()) if index < len(args)):
                if isinstance(touched, At):
                    m.host_access(touched, e.span, state, writes)
        if owns(e):
            owned(m, e, args[0], state)
            owner = owning(m, e, args[0], state)
            if owner is not None:
                out.append((state, owner))
                continue
        if len(m.frames) > 1 and ASKS_WHAT.fullmatch(e.name.rpartition("::")[2]):
            _asked_what(args, state)
        if name is not None:
            done = _known(m, e, name, exprs, args, state)
            if done is not None:
                out += done
                continue
        if e.name.rpartition("::")[2] not in ENDS_PROGRAM:
            out.append((state, _unknown(m, e, exprs, args, state)))
    return out


def _asked_what(args: list[Value], s: State) -> None:
    """A helper asks what a pointer leads to before it does something to that: whether it does then is not known."""
    for given in args:
        if isinstance(given, At) and given.thing.kind is not Kind.LOCAL and s.fate(given.thing).life is Life.LIVE:
            s.change(given.thing, life=Life.DOUBT)


def _end_status(m: Machine, e: n.Call, given: Value, s: State) -> Value:
    """The status of a call that gives memory back: where it tells of an error, nothing was."""
    status = _status(m, e, s)
    if isinstance(given, At) and s.fate(given.thing).life is Life.FREED:
        s.outcomes[status] = given.thing
    return status


def _named(e: n.Call) -> tuple[str | None, list[n.Expr]]:
    """The name of a function of the runtimes, as the tables have it, and its arguments: a method's object first."""
    last = e.name.rpartition("::")[2]
    parts = [*([e.receiver] if e.receiver is not None else []), *e.args]
    if e.name.startswith("cl::CommandQueue::enqueue"):
        return f"E{last[1:]}", parts
    if e.name == "cl::CommandQueue::finish":
        return "Finish", parts
    if e.receiver is not None:
        return None, parts
    return known_name(last), parts


def _known(m: Machine, e: n.Call, plain: str, exprs: list[n.Expr], args: list[Value], s: State) -> list[Outcome] | None:
    if plain in MAKES and _fits(MAKES[plain], e, args):
        return [(s, _make(m, e, MAKES[plain], args, s))]
    if plain in ENDS and len(args) > ENDS[plain].what:
        ends = ENDS[plain]
        stream = args[ends.stream] if ends.stream is not None and ends.stream < len(args) else None
        given = args[ends.what]
        ways = _destroyed(m, e, exprs[ends.what], given, s) if plain == "operator delete" else [s]
        by_address(m, exprs[ends.what], plain, e.span)
        for way in ways:
            release(m, given, e.span, way, ends.verb, stream, plain)
        return [(way, _end_status(m, e, given, way)) for way in ways]
    if plain in MOVES:
        before = s.pending
        move(m, e, plain, MOVES[plain], args, s)
        status = _status(m, e, s)
        s.begun[status] = tuple(work for work in s.pending if work not in before)
        enqueued(m, event_of(e.args), e.span, s)
        return [(s, status)]
    if set_or_shared(m, e, plain, args, s):
        return [(s, _status(m, e, s))]
    if plain in FILLS and len(args) > FILLS[plain].target:
        filled(m, plain, FILLS[plain], args, e.span, s)
        return [(s, _status(m, e, s))]
    if plain in MAPS and len(args) > 2:
        return [(s, _mapped(m, e, args, s))]
    if plain in GRAPHS:
        graph(m, plain, e.span, s)
    if plain in WAITS:
        if plain == "EventElapsedTime":
            elapsed_asked(m, e, args, s)
        what = WAITS[plain]
        if what is not None and what < len(args):
            used(m, args[what], e.span, s, "waited for")
        wait(plain, args, s, what is not None and what < len(exprs) and in_turn(exprs[what]))
        return [(s, _status(m, e, s))]
    if plain in RECORDS and args:
        s.recorded[args[0]] = (args[1] if len(args) > 1 else NULL), s.pending
        recorded(args[0], e.span, s)
        return [(s, _status(m, e, s))]
    if plain == "StreamWaitEvent" and args:
        followed(args, s)
        return [(s, _status(m, e, s))]
    if plain in RESETS:
        _reset(m, e.span, s)
        return [(s, _status(m, e, s))]
    if plain in ASKS_ERROR:
        status = _status(m, e, s)
        recent = [thing for thing, fate in s.fates.items() if thing.kind in MEMORY and not fate.out]
        asked = {fact.args[0] for fact in s.facts if isinstance(fact, Atom) and fact.op == "=="}
        own = [told for told, thing in s.outcomes.items() if recent and thing is recent[-1]]
        if recent and not asked.intersection(own):  # the error may be that of an allocation nobody has asked about
            s.outcomes[status] = recent[-1]
        return [(s, status)]
    if plain in MADE and len(args) > 1:
        textured(m, e, args, s)
        return [(s, _status(m, e, s))]
    if plain in HANDED:
        if plain in UNLOCKS and args:
            used(m, args[0], e.span, s, "unregistered")
        handed(m, plain, args, s)
        return [(s, _status(m, e, s))]
    return None


def _fits(makes: Makes, e: n.Call, args: list[Value]) -> bool:
    return makes.out is None or (makes.out < len(args))


def _status(m: Machine, e: n.Call, s: State) -> Value:
    return m.fresh(f"{e.name}()")


def _make(m: Machine, e: n.Call, makes: Makes, args: list[Value], s: State) -> Value:
    """An allocation, or a handle that is made."""
    status = _status(m, e, s)
    where: Place | None = None
    name = "allocation"
    if makes.out is not None:
        given = args[makes.out]
        if not isinstance(given, At):
            escape(m, given, s)
            return status
        where = (
            given
            if not base_name(e.name).startswith("Malloc3D") or "Array" in e.name
            else At(given.thing, (*given.path, "ptr"))
        )
        parts = [part for part in given.path if isinstance(part, str)]
        name = parts[-1] if parts else given.thing.name
    if e.name.endswith("operator new") and args and isinstance(args[0], Whole):
        # `new T(...)`: an object that holds what its constructor made.
        thing = Thing(Kind.HOST, "object", e.span, e.name, e.type.pointee if isinstance(e.type, PointerType) else None)
        s.fates[thing] = Fate()
        for path, part in args[0].parts:
            s.memory[At(thing, path)] = part  # type: ignore[assignment]
        return At(thing)
    thing = Thing(kind_of(makes.made), name, e.span, e.name)
    m.made_at[thing] = -1
    if (where is None or not where.path) and not any(constructs(frame.function) for frame in m.frames[1:]):
        thing.called = m.outer(e.span)
    use = ""
    if base_name(e.name) == "CreateBuffer" and len(args) > 3 and args[3] != NULL:
        use = "copied"  # from the host's memory
    flags = args[1] if len(args) > 1 else None
    s.fates[thing] = Fate(use=use, touched=bool(use), stream=flags if makes.made is Made.STREAM else None)
    thing.flags = flags.value if isinstance(flags, Number) else 0
    if use and isinstance(flags, Number) and flags.value & USE_HOST_PTR and isinstance(args[3], At):
        s.rests = (*s.rests, (thing, args[3], e.span))
    if where is not None:
        store(m, where, At(thing), s, e.span)
        s.outcomes[status] = thing
        return status
    if makes.status is not None and makes.status < len(args) and isinstance(args[makes.status], At):
        s.outcomes[status] = thing
        store(m, args[makes.status], status, s, e.span)  # type: ignore[arg-type]
    return At(thing)


def _mapped(m: Machine, e: n.Call, args: list[Value], s: State) -> Value:
    used(m, args[1], e.span, s, "mapped")
    if args[2] != NULL:  # it waits for the queue
        wait("Finish", args, s)
    thing = Thing(Kind.BEHIND, "mapped memory", e.span, e.name)
    if args[2] == NULL:
        s.pending = (*s.pending, Pending(At(thing), args[0], e.span, True, e.name))
    return At(thing)


def release(
    m: Machine, given: Value, span: Span, s: State, verb: str, stream: Value | None = None, api: str = ""
) -> None:
    """Give back what a value leads to."""
    if not isinstance(given, At):
        for thing in things_in(given):
            if s.fate(thing).life is Life.LIVE:
                s.change(thing, life=Life.DOUBT)
        return
    thing = given.thing
    if given.path or thing.kind is Kind.LOCAL:
        if given.path:
            given_inside(m, given, span, s)
        if thing.kind is Kind.CONTENT or given.path:
            escape(m, given, s)
        return
    m.program.gave_back(m.keys.get(given, (thing.key,) if thing.key else ()), m.entry, span)
    fate = s.fate(thing)
    if fate.life is Life.FREED and fate.at is not None:
        m.report(Fault("twice", span, called(thing, s), verb, ((fate.at, f"{fate.by} here"),)))
        return
    before = s.reset
    runtime = api.startswith(("Free", "Mem"))
    if before is not None and runtime and thing.kind is Kind.BEHIND and m.made_at.get(thing, 0) == before[0]:
        m.report(Fault("twice", span, called(thing, s), verb, ((before[1], "reset here"),)))
        return
    if fate.life in (Life.FAILED, Life.DOUBT) or to_the_wrong(m, thing, api, span, s):
        return
    if counted(thing, s):
        s.change(thing, life=Life.DOUBT)
        return
    if thing.kind in MEMORY and fate.use == "recopied" and fate.used_at is not None and not fate.out:
        related = (*calls_of(fate), (span, "given back here"))
        m.report(Fault("lost", fate.used_at, called(thing, s), related=related))
    _still_used(m, thing, span, s, verb, stream, api)
    if api == "Free":
        waited_for(s)
    ends(m, thing, called(thing, s), span, verb, s)
    for at in [at for at, held in s.memory.items() if at.thing is thing]:
        del s.memory[at]
    s.change(thing, life=Life.FREED, at=span, by=verb)
    m.stopped.setdefault(thing, span)


def _destroyed(m: Machine, e: n.Call, expr: n.Expr, given: Value, s: State) -> list[State]:
    """What ``delete`` runs before it gives back: the destructor of the object, by the class it was made of.  Where that
    is not in sight, it may free whatever the object holds."""
    kind = given.thing.type if isinstance(given, At) and not given.path and given.thing.kind is Kind.HOST else None
    if not isinstance(given, At) or not isinstance(kind, StructType) or s.fate(given.thing).life is not Life.LIVE:
        return [s]
    if m.program.ends(kind):
        return object_ends(m, expr, kind, e.span, s)
    if not all(isinstance(field.type, (PointerType, IntType, FloatType)) for field in kind.fields):
        for at, held in list(s.memory.items()):
            if at.thing is given.thing:
                escape(m, held, s)
    return [s]


def _reset(m: Machine, span: Span, s: State) -> None:
    """Nothing on the device is left.  A helper that resets it, or a way on which a call is known to have failed, is
    most often what an error ends the program by, be it through a function that nobody knows not to return."""
    helper = m.frames[-1].function is not m.entry or has_failed(s)
    for thing, fate in list(s.fates.items()):
        if thing.kind in OWED and fate.life is Life.LIVE:
            s.change(thing, life=Life.DOUBT if helper else Life.FREED, at=span, by="reset")
    s.reset = None if helper else (s.version, span)
    s.pending = ()


def _still_used(m: Machine, thing: Thing, span: Span, s: State, verb: str, stream: Value | None, api: str) -> None:
    """Work that was not waited for, and that memory is taken away from."""
    rested_on(m, {thing}, thing.name, verb, s)
    if api == "SVMFree":
        freed(m, thing, called(thing, s), span, s)
    for work in s.pending:
        if work.place.thing is not thing:
            continue
        opencl = work.api.startswith(("cl", "enqueue"))
        ordered = stream is not None and stream == work.stream
        if opencl and thing.kind is Kind.HOST:
            m.report(Fault("dies", span, thing.name, verb, ((work.span, "begun here"),)))
        elif stream is not None and not ordered and apart(stream, work.stream, s):
            word = "given back on another stream than the one that still works with it"
            m.report(Fault("moved", span, thing.name, word, ((work.span, "begun here"),)))
    s.pending = tuple(work for work in s.pending if work.place.thing is not thing)
    launched = unordered_free(thing, stream, s) if api.endswith("FreeAsync") else None
    busy = s.fate(thing).busy
    if launched is None and stream == NULL and busy is not None and apart_from_default(m, busy[0], s):
        launched = busy[1]
    if launched is not None:
        word = "given back on another stream than the one that still works with it"
        m.report(Fault("moved", span, thing.name, word, ((launched, "begun here"),)))
    if stream is None and api == "Free" and thing.api.endswith(("MallocAsync", "MallocFromPoolAsync")):
        fate = s.fate(thing)
        if fate.use in ("computed", "async") and fate.used_at is not None:
            word = "given back without waiting for the stream that still works with it"
            m.report(Fault("moved", span, thing.name, word, ((fate.used_at, "begun here"),)))


# --------------------------------------------------------------------------------------------------- out of sight


_THREADS = pattern(
    r"std::(?:thread|jthread|future|shared_future|async|promise|condition_variable|function|this_thread)"
)


def _unknown(m: Machine, e: n.Call, exprs: list[n.Expr], args: list[Value], s: State) -> Value:
    last = e.name.rpartition("::")[2]
    if BORROWS.fullmatch(e.name):
        for given in args:
            for thing in below(given, s):
                lent(thing, s)
        for expr, given in zip(exprs, args, strict=True):
            bare = strip_casts(expr)
            if (
                isinstance(bare, n.AddressOf)
                and isinstance(given, At)
                and given.thing.kind is Kind.LOCAL
                and not isinstance(bare.operand.type, StructType)
            ):
                if not _constant(e, exprs, expr):
                    s.memory[given] = m.fresh("written")
            elif e.name.startswith("std::") and isinstance(given, At):
                m.host_access(given, e.span, s, False)
        return m.fresh(f"{last}()")
    s.args = ()  # whoever is called may set others
    for expr, given in zip(exprs, args, strict=True):
        if isinstance(given, At):
            m.program.passed_on.update(m.keys.get(given, ()))
        escape(m, given, s)
        forget(m, given, s)
        pointer_given(expr, given, s)
    for expr in exprs:
        if isinstance(expr, (n.Ref, n.Member, n.Deref, n.Subscript)) and isinstance(expr.type, StructType):
            for _, at in m.place(expr, s):
                if at is not None:
                    escape(m, at, s)
                    if at.thing.kind is not Kind.LOCAL or at.path:
                        forget(m, at, s)
    if e.name.startswith("std::") and not _THREADS.match(e.name):
        return m.fresh(f"{last}()")  # keeps what it is given, and waits for nothing
    plain = all(isinstance(expr.type, (IntType, FloatType)) or _is_text(expr.type) for expr in exprs)
    if not all(isinstance(expr.type, (IntType, FloatType)) or _is_text(expr.type) for expr in e.args) or not e.args:
        s.calls += 1
    if not args or not plain or MAY_WAIT.fullmatch(last):
        s.pending = ()
        s.waited = True
        settled(s)
    s.version += 1
    s.recorded.clear()
    for at in [at for at in s.memory if at.thing.kind is not Kind.LOCAL and s.fate(at.thing).out]:
        if not unshared(at) or isinstance(s.memory[at], At):
            del s.memory[at]
    told = [given for given in args if given in s.outcomes]
    return Atom(TOLD, (told[0], m.fresh(last))) if told else answer(m.program, e, args) or m.fresh(f"{last}()")


def _is_text(kind: object) -> bool:
    inner = getattr(kind, "pointee", None) or getattr(kind, "element", None)
    return isinstance(inner, IntType) and inner.bits == 8


def _constant(e: n.Call, exprs: list[n.Expr], expr: n.Expr) -> bool:
    """Whether a function says that it does not write what an argument points to."""
    index = exprs.index(expr) - (len(exprs) - len(e.args))
    params = e.function.params if e.function is not None else ()
    kind = params[index].type if 0 <= index < len(params) else None
    return isinstance(kind, PointerType) and kind.const
