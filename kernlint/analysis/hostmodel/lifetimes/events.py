"""Events of OpenCL, CUDA and HIP: what a wait for one of them waits for, and times that are asked for before.

A command of an in-order queue is over when a later one is, so that a wait for an event waits for what was enqueued
before it too, and for nothing that came after (OpenCL 3.0 API, 5.11 event objects, 5.14 profiling).
``cudaEventElapsedTime`` fails with ``cudaErrorNotReady`` where an event is not complete (CUDA runtime API, event
management).
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import At, Atom, Fault, Kind, State, Thing, Value
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import OpaqueType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts

_EVENT = "event"
WAITING_METHODS = frozenset({"cl::Event::wait"})
TIMING_METHODS = frozenset({"cl::Event::getProfilingInfo"})


def _is_event(kind: Type) -> bool:
    if isinstance(kind, PointerType):
        return isinstance(kind.pointee, OpaqueType) and kind.pointee.spelling.endswith("_cl_event")
    return isinstance(kind, StructType) and kind.name.endswith("cl::Event")


def event_of(args: tuple[n.Expr, ...]) -> n.Expr | None:
    """The argument of a command that receives its event: the last one (those before it are waited for)."""
    bare = args[-1] if args else None
    bare = strip_casts(bare)
    return bare if isinstance(bare, n.AddressOf) and _is_event(bare.operand.type) else None


def enqueued(m: Machine, given: n.Expr | None, span: Span, s: State) -> None:
    """A command has been enqueued whose event a variable of the function receives."""
    given = strip_casts(given)
    if not isinstance(given, n.AddressOf):
        return
    for _, at in m.place(given.operand, s):
        if at is not None and at.thing.kind is Kind.LOCAL and not s.fate(at.thing).out:
            event = m.fresh(_EVENT)
            s.memory[at] = event
            s.events[event] = span, s.pending


def is_queue(kind: Type) -> bool:
    """Whether a type is that of queues as objects."""
    kind = kind.pointee if isinstance(kind, PointerType) else kind
    return isinstance(kind, StructType) and kind.name.endswith("cl::CommandQueue")


def queue_of(m: Machine, receiver: n.Expr, s: State) -> Value | None:
    """The queue that a method is called for, by the variable or member that holds it."""
    if isinstance(receiver.type, PointerType) and not receiver.type.reference:
        return None
    found = [at for _, at in m.place(receiver, s)]
    return found[0] if len(found) == 1 else None


def _made_here(thing: Thing) -> bool:
    """Whether a variable is a queue as an object that is made where it is declared, and no copy of another."""
    init = thing.decl.init if thing.decl is not None else None
    made = init if isinstance(init, n.Call) and init.name.endswith("CommandQueue::CommandQueue") else None
    return made is not None and bool(made.args) and not is_queue(made.args[0].type)


def held(m: Machine, given: n.Expr, s: State) -> Value | None:
    """The event that an expression, its address, or a method's object stands for; None where it is not known."""
    while isinstance(given, (n.Cast, n.AddressOf)):
        given = given.operand
    if not isinstance(given, (n.Ref, n.Member, n.Subscript)):
        return None
    for _, at in m.place(given, s):
        found = s.memory.get(at) if at is not None else None
        if isinstance(found, Atom) and found in s.events:
            return found
    return None


def over(event: Value, s: State) -> None:
    """An event was waited for: it is over, and so is what was enqueued before it."""
    _, before = s.events[event]
    s.pending = tuple(work for work in s.pending if work not in before)
    earlier = list(s.events)
    for one in earlier[: earlier.index(event) + 1]:
        del s.events[one]
    for thing in [thing for thing, fate in s.fates.items() if fate.use in ("computed", "filled") and fate.stream]:
        s.change(thing, stream=None)
    s.puts = ()


def waits_for(m: Machine, e: n.Call, s: State) -> bool:
    """Take note of a wait for one event; False where it is one for several, or it is not known for which."""
    method = e.name in WAITING_METHODS
    if not method and (e.name.rpartition("::")[2] != "clWaitForEvents" or len(e.args) != 2):
        return False
    given = e.receiver if method else e.args[1]
    event = held(m, given, s) if given is not None and (method or _one(e.args[0])) else None
    if event is None:
        return False
    over(event, s)
    return True


def _one(count: n.Expr) -> bool:
    count = strip_casts(count)
    return isinstance(count, n.IntLit) and count.value == 1


def times_asked(m: Machine, e: n.Call, s: State) -> None:
    """The times of an event are asked for: a fault where nothing has waited for it."""
    given = e.receiver if e.name in TIMING_METHODS else (e.args[0] if e.args else None)
    event = held(m, given, s) if given is not None else None
    if event is None:
        return
    span, _ = s.events[event]
    m.report(Fault("early", e.span, _EVENT, "times", ((span, "enqueued here"),)))
    del s.events[event]


def settled(s: State) -> None:
    """Everything that was enqueued is over, or may be."""
    s.events.clear()
    s.puts = ()
    for thing, fate in list(s.fates.items()):
        if fate.busy is not None or (fate.use == "filled" and fate.stream is not None):
            s.change(thing, busy=None, stream=None if fate.use == "filled" else fate.stream)


def recorded(event: Value, span: Span, s: State) -> None:
    """An event of CUDA or HIP is recorded."""
    if isinstance(event, At) and event.thing.kind is Kind.EVENT and not s.fate(event.thing).out:
        s.events.pop(event, None)
        s.events[event] = span, s.pending


def elapsed_asked(m: Machine, e: n.Call, args: list[Value], s: State) -> None:
    """The time between two events is asked for: a fault where nothing has waited for the later one."""
    last = args[2] if len(args) > 2 else None
    if last is not None and last in s.events:
        m.report(Fault("early", e.span, _EVENT, "times", ((s.events[last][0], "recorded here"),)))


def followed(args: list[Value], s: State) -> None:
    """A stream waits for an event: what comes on it comes after what was on the event's stream till then."""
    recorded_on = s.recorded.get(args[1], (None, ()))[0] if len(args) > 1 else None
    s.follows |= {(args[0], recorded_on)}


def unordered_free(thing: Thing, stream: Value | None, s: State) -> Span | None:
    """The launch on another stream that a free which is ordered on ``stream`` does not come after; None where there is
    none, or the two may be one stream."""
    busy = s.fate(thing).busy
    return busy[1] if busy is not None and unordered(stream, busy[0], s) else None


def unordered(stream: Value | None, other: Value | None, s: State) -> bool:
    """Whether two streams or queues are surely two, of the function's own or each of a variable of its own, and the
    first one was not made to wait for the other."""
    if not isinstance(stream, At) or not isinstance(other, At) or other == stream:
        return False
    if stream.thing.origin is not None and stream.thing.origin == other.thing.origin:
        return False  # one variable, read twice: a call that may set it was between
    if any(first == stream and then in (None, other) for first, then in s.follows):
        return False
    ours = all(
        one.thing.kind in (Kind.STREAM, Kind.QUEUE)
        or (one.thing.origin is not None and one.thing.origin.thing.kind is Kind.LOCAL)
        or _made_here(one.thing)
        for one in (stream, other)
    )
    return ours and other.thing is not stream.thing
