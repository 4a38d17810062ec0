"""Copies, launches and waits: what they do to things, and what the host may touch meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.hostmodel.lifetimes.events import enqueued, over, settled, unordered
from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome
from kernlint.analysis.hostmodel.lifetimes.mapped import MAPPED, polled, written_by
from kernlint.analysis.hostmodel.lifetimes.memory import overlaps
from kernlint.analysis.hostmodel.lifetimes.model import (
    MEMORY,
    QUEUED,
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
    things_in,
)
from kernlint.analysis.hostmodel.lifetimes.streams import apart_from_default, before_its_fill, called, calls_to, put
from kernlint.analysis.hostmodel.lifetimes.unread import never_read
from kernlint.analysis.hostmodel.places import complete
from kernlint.apis import Moves
from kernlint.apis.memory import D2H, H2D
from kernlint.apis.order import WAITS
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType
from kernlint.tree.walk import strip_casts


def move(m: Machine, e: n.Call, name: str, moves: Moves, args: list[Value], s: State) -> None:
    target = args[moves.target] if moves.target is not None and moves.target < len(args) else None
    source = args[moves.source] if moves.source is not None and moves.source < len(args) else None
    kind = moves.kind
    if moves.at is not None and moves.at < len(args) and isinstance(args[moves.at], Number):
        kind = args[moves.at].value  # type: ignore[union-attr]
    waits: bool | None = moves.waits
    if moves.flag is not None:
        flag = args[moves.flag] if moves.flag < len(args) else None
        waits = bool(flag.value) if isinstance(flag, Number) else None
    stream = args[moves.stream] if moves.stream is not None and moves.stream < len(args) else None
    captured(args, s)
    for given in (target, source):
        if given is not None:
            used(m, given, e.span, s, "copied")
    s.uploaded = s.uploaded or kind == H2D
    if kind == H2D and isinstance(source, At):
        _known_to_device(source, s)
    if source is not None:
        _copied_from(m, e, moves, source, kind, stream, waits, s)
    if target is not None:
        _copied_to(m, e, target, source, kind, s)
        overwritten(m, target, s)
    if waits is not False:
        s.waited = True
        settled(s)
        opencl = moves.stream == 0
        s.pending = tuple(one for one in s.pending if opencl and apart(one.stream, stream, s))
        return
    exprs = e.args if len(e.args) == len(args) else (e.receiver, *e.args)
    if isinstance(target, At) and moves.target is not None:
        target = _of_one(target, exprs[moves.target], exprs, moves.size)
    if isinstance(source, At) and moves.source is not None:
        source = _of_one(source, exprs[moves.source], exprs, moves.size)
    if isinstance(target, At) and _to_host(target.thing, kind):
        s.pending = (*s.pending, Pending(target, stream, e.span, True, e.name))
    opencl = e.name.startswith(("cl", "enqueue"))
    if isinstance(source, At) and kind in (H2D, None) and (source.thing.kind is Kind.PINNED or opencl):
        s.pending = (*s.pending, Pending(source, stream, e.span, False, e.name))
    if isinstance(source, At) and isinstance(target, At) and kind == 3:
        s.pending = (
            *s.pending,
            *(Pending(one, stream, e.span, False, e.name) for one in (source, target) if isinstance(one, At)),
        )


def overwritten(m: Machine, target: Value, s: State) -> None:
    """Numbers where somebody copies to are what the copy brings, whatever they were before."""
    for at, held in list(s.memory.items()):
        if isinstance(target, At) and not isinstance(held, At) and overlaps(at, target):
            s.memory[at] = m.fresh("copied")


def _of_one(at: Place, expr: n.Expr | None, exprs: Sequence[n.Expr | None], size: int | None) -> Place:
    """The first element alone, of what a pointer leads to, where no more bytes are copied than that has."""
    given = exprs[size] if size is not None and size < len(exprs) else None
    given = strip_casts(given)
    expr = strip_casts(expr)
    kind = expr.type.pointee if expr is not None and isinstance(expr.type, PointerType) else None
    width = getattr(kind, "size", None)
    one = isinstance(given, n.IntLit) and isinstance(width, int) and 0 < given.value <= width
    return At(at.thing, (0,)) if one and not at.path and at.thing.kind is not Kind.LOCAL else at


def _known_to_device(source: Place, s: State) -> None:
    """Addresses that are copied to the device: whoever is given the copy there may write to what they lead to."""
    for at, held in list(s.memory.items()):
        if at.thing is source.thing:
            for thing in things_in(held):
                fate = s.fates.get(thing)
                if fate is not None and fate.life is Life.LIVE and thing.kind in MEMORY:
                    s.change(thing, touched=True, out=True, use=fate.use or "filled")  # it may be read back


def _to_host(thing: Thing, kind: int | None) -> bool:
    """Whether a copy is to memory of the host, by its direction or by what the memory is."""
    return thing.kind is not Kind.DEVICE and (kind == D2H or (kind is None and thing.kind is not Kind.BEHIND))


def _copied_from(
    m: Machine,
    e: n.Call,
    moves: Moves,
    source: Value,
    kind: int | None,
    stream: Value | None,
    waits: bool | None,
    s: State,
) -> None:
    if not isinstance(source, At):
        return
    thing, fate = source.thing, s.fates.get(source.thing)
    if fate is None:
        return
    if not source.path and kind in (2, 3) and _untouched(thing, fate) and thing.span is not None:
        timed = never_read(m.frames[-1].function, e, moves.target)
        m.report(Fault("nothing", e.span, called(thing, s), "", ((thing.span, "allocated here"),), timed))
    elif not _untouched(thing, fate):
        m.written.add(e.span)
    late = False
    if fate.use == "computed" and fate.stream is not None and kind == D2H:
        late = _unordered_read(e, stream, fate.stream, s) or (bool(waits) and apart_from_default(m, fate.stream, s))
    if late:
        m.report(Fault("early", e.span, called(thing, s), "stream", ((fate.used_at, "launched here"),)))  # type: ignore[arg-type]
    if fate.use in ("computed", "recopied"):
        s.change(thing, use="read", used_at=e.span)


def _unordered_read(e: n.Call, stream: Value | None, other: Value, s: State) -> bool:
    """Whether a copy on a stream or queue comes after what was put into another one by nothing in sight."""
    opencl = e.name.startswith(("cl", "enqueue"))
    waited_for = e.args[6 if e.receiver is None else 5 :] if opencl else ()
    if any(not (isinstance(one := strip_casts(arg), n.IntLit) and one.value == 0) for arg in waited_for[:2]):
        return False
    return unordered(stream, other, s)


def _copied_to(m: Machine, e: n.Call, target: Value, source: Value | None, kind: int | None, s: State) -> None:
    if not isinstance(target, At):
        return
    fate = s.fates.get(target.thing)
    if fate is None or target.thing.kind is not Kind.DEVICE:
        return
    if target.path:
        s.change(target.thing, use="copied" if fate.use != "computed" else fate.use)
        return
    if kind == 3 and isinstance(source, At) and fate.use == "computed" and source.thing is not target.thing:
        origin = s.fates.get(source.thing)
        if origin is not None and origin.used_at == fate.used_at and origin.use == "input" and fate.used_at is not None:
            m.report(Fault("lost", e.span, called(target.thing, s), related=((fate.used_at, "computed here"),)))
    again = fate.use == "computed" and kind == H2D
    calls = tuple(frame.call for frame in m.frames[:0:-1] if frame.call is not None)
    s.change(target.thing, use="recopied" if again else "copied", used_at=e.span, called=calls)


def wait(name: str, args: list[Value], s: State, several: bool = False) -> None:
    """What a call waits for is over.  ``several``: it is in turn for each stream of an array, as far as can be told."""
    what = WAITS[name]
    s.waited = True
    if name == "EventSynchronize" and args and args[0] in s.events:
        over(args[0], s)
    else:
        settled(s)
    for thing, fate in list(s.fates.items()):
        if fate.busy is not None:
            s.change(thing, busy=None)
            fate = s.fates[thing]
        if fate.use in ("computed",) and fate.stream is not None:
            s.fates[thing] = fate._replace(stream=None)
        if fate.use in ("computed", "async") and thing.api.endswith("Async"):
            s.fates[thing] = s.fates[thing]._replace(use="read")
    if what is None or not s.pending or what >= len(args):
        s.pending = ()
        return
    of: Value | None = args[what]
    before = s.pending
    if name.startswith("Event"):
        of, before = s.recorded.get(args[what], (None, s.pending))
    s.pending = tuple(
        work
        for work in s.pending
        if (apart(work.stream, of, s) and not (several and _counted(work.stream))) or work not in before
    )


def _counted(stream: Value | None) -> bool:
    """Whether a stream is an element of an array."""
    if not isinstance(stream, At):
        return False
    origin = stream.thing.origin
    return stream.thing.counted or (origin is not None and any(not isinstance(part, str) for part in origin.path))


def in_turn(expr: n.Expr) -> bool:
    """Whether an argument is an element of an array by a variable index."""
    expr = strip_casts(expr)
    if isinstance(expr, n.Subscript):
        return not isinstance(expr.index, n.IntLit)
    called = isinstance(expr, n.Call) and expr.name.endswith(("::operator[]", "::at")) and len(expr.args) == 1
    return called and not isinstance(expr.args[0], n.IntLit)  # type: ignore[attr-defined]


def launched(m: Machine, e: n.Launch, s: State) -> list[Outcome]:
    """A kernel is launched with its arguments."""
    out: list[Outcome] = []
    parts = [part for part in (e.grid, e.block, e.shared, e.global_size) if part is not None]
    streams = [e.stream] if e.stream is not None else []
    params = e.kernel.params if e.kernel is not None else ()
    for state, found in m.values([*parts, *streams, *e.args], s):
        args = found[len(parts) + len(streams) :]
        stream = found[len(parts)] if streams else None
        if stream is not None:
            used(m, stream, e.span, state, "used")
        else:
            state.puts = ()  # others wait for the default stream, and it for them
        captured(args, state)
        for index, given in enumerate(args):
            kind = params[index].type if index < len(params) else None
            _passed(m, e, given, kind, stream, state)
            if isinstance(given, At):
                written_by(m, e, index, given, stream, state)
                put(m, e, index, given, stream, state)
        if not e.args or e.packed is not None:
            for thing, fate in list(state.fates.items()):
                told = fate.touched or e.packed is not None  # which memory it is given is not in sight
                if thing.kind is Kind.DEVICE and told and fate.life is Life.LIVE:
                    state.change(thing, use="computed", used_at=e.span, stream=stream)
        enqueued(m, e.event, e.span, state)
        out.append((state, m.fresh("launch")))
    return out


def _passed(m: Machine, e: n.Launch, given: Value, kind: object, stream: Value | None, s: State) -> None:
    if isinstance(given, Whole):
        for _, part in given.parts:
            _passed(m, e, part, None, stream, s)  # type: ignore[arg-type]
        return
    if isinstance(given, At) and given.thing.kind in (Kind.LOCAL, Kind.CONTENT):
        used(m, given, e.span, s, "passed to a kernel")
        for at, held in list(s.memory.items()):
            if at.thing is given.thing:
                _passed(m, e, held, None, stream, s)
        return
    if isinstance(given, Atom):
        for thing in things_in(given):
            became(At(thing), "computed", e.span, s, stream)
        return
    if not isinstance(given, At):
        return
    used(m, given, e.span, s, "passed to a kernel")
    if given.thing in s.fates:
        before_its_fill(m, given, s.fates[given.thing], e.span, stream, s)
    constant = isinstance(kind, PointerType) and kind.const
    if given.thing in s.fates and given.thing.api.endswith("Async"):
        s.change(given.thing, busy=(stream, e.span) if stream is not None else None)
        if stream is not None:
            s.follows = frozenset(pair for pair in s.follows if pair[1] != stream)
    fate = s.fates.get(given.thing)
    if constant and fate is not None and not given.path and s.uploaded and _untouched(given.thing, fate):
        related = ((given.thing.span, "allocated here"),) if given.thing.span is not None else ()
        m.report(Fault("nothing", e.span, called(given.thing, s), "passed", related))
    elif constant and fate is not None and not _untouched(given.thing, fate):
        m.written.add(e.span)
    if constant and fate is not None and fate.use in ("", "copied", "filled", "read", "input"):
        s.change(given.thing, use="input" if fate.use else fate.use, used_at=e.span)
        if given.thing.api.endswith("Async"):
            s.change(given.thing, use="async", used_at=e.span)
    elif not (constant and fate is not None and fate.use == "computed"):
        became(given, "computed", e.span, s, stream)
    if given.thing.kind is Kind.MANAGED and isinstance(kind, PointerType) and not (kind.const or kind.volatile):
        s.pending = (*s.pending, Pending(given, stream, e.span, True, "launch"))


def host_access(m: Machine, at: Place, span: Span, s: State, writes: bool) -> None:
    """The host reads or writes a place."""
    fate = s.fates.get(at.thing)
    if (
        fate is not None
        and fate.life is Life.FREED
        and fate.at is not None
        and at.thing.kind in (Kind.HOST, Kind.PINNED, Kind.MANAGED)
    ):
        m.report(Fault("use", span, at.thing.name, "used", ((fate.at, f"{fate.by} here"),)))
        s.change(at.thing, life=Life.DOUBT)
    if not s.pending:
        return
    for work in s.pending:
        if work.api == QUEUED or (work.api == MAPPED and (writes or polled(m))):
            continue  # two sides that talk to each other
        same = _share(work.place, at) or (not s.waited and _one_of(m, work.place, at))
        if (work.writes or writes) and same and not _device_only(work):
            word = "written" if not work.writes else ("launch" if work.api in ("launch", MAPPED) else "read")
            soft = word == "read" and complete(work.api) and work.place.thing.kind in PAGEABLE
            soft = soft and (fate is None or not fate.out)
            related = ((work.span, "begun here"), *calls_to(m))
            m.report(Fault("early", span, at.thing.name, word, related, soft))
            s.pending = tuple(other for other in s.pending if other is not work)
            return


def _share(work: Place, at: Place) -> bool:
    """Whether the host touches what work is done with; a member of what a pointer leads to is one of its element 0."""
    if work.path[:1] == (0,) and at.path and isinstance(at.path[0], str):
        at = At(at.thing, (0, *at.path))
    return overlaps(work, at)


PAGEABLE = frozenset({Kind.LOCAL, Kind.HOST, Kind.CONTENT})
"""Memory of the host that nobody has locked, as far as is in sight."""


def _untouched(thing: Thing, fate: Fate) -> bool:
    """Whether nobody can have written to memory of the device since it was allocated."""
    return thing.kind is Kind.DEVICE and fate.life is Life.LIVE and not fate.use and not fate.out and not thing.counted


def _one_of(m: Machine, one: Place, other: Place) -> bool:
    """Whether two pointers were read from one array of a member, and which elements these are is not known."""
    a, b = m.origins.get(one.thing), m.origins.get(other.thing)
    if a is None or b is None or a.thing is not b.thing or a.path[:-1] != b.path[:-1] or not a.path:
        return False
    return not all(isinstance(at.path[-1], (int, str)) for at in (a, b))


def _device_only(work: Pending) -> bool:
    return work.place.thing.kind is Kind.DEVICE


def apart(one: Value | None, other: Value | None, s: State) -> bool:
    """Whether two streams are surely two: each read from a variable, member or parameter of its own."""
    if one is None or other is None or one == other:
        return False
    if not isinstance(one, At) or not isinstance(other, At):
        return False
    if one.thing.origin is not None and one.thing.origin == other.thing.origin:
        return False  # one variable, read twice
    if _of_one_array(one.thing.origin, other.thing.origin):
        return False  # of an array of streams, which ones is not known
    return one.thing is not other.thing or _other_members(one, other)


def _other_members(one: At, other: At) -> bool:
    """Whether two places are two members of one object."""
    return one.path != other.path and all(isinstance(part, str) for part in (*one.path, *other.path))


def rested_on(m: Machine, ending: set[Thing], name: str, verb: str, s: State) -> None:
    """Memory of the host ends that buffers still use."""
    for buffer, at, span in s.rests:
        if at.thing in ending and s.fate(buffer).life is Life.LIVE:
            m.report(Fault("dies", span, name, verb, (), False, "used"))
    s.rests = tuple(one for one in s.rests if one[1].thing not in ending)


def _of_one_array(one: object, other: object) -> bool:
    """Whether two places are elements of one array, of which at least one is not known by its index."""
    if not isinstance(one, At) or not isinstance(other, At) or one.thing is not other.thing:
        return False
    if not one.path or not other.path or one.path[:-1] != other.path[:-1]:
        return False
    return not (isinstance(one.path[-1], (int, str)) and isinstance(other.path[-1], (int, str)))


def used(m: Machine, given: Value, span: Span, s: State, verb: str) -> None:
    """A use of what a value leads to: a fault where it was given back."""
    for thing in things_in(given) if isinstance(given, At) else ():
        fate = s.fates.get(thing)
        if fate is not None and fate.life is Life.FREED and fate.at is not None:
            m.report(Fault("use", span, called(thing, s), verb, ((fate.at, f"{fate.by} here"),)))
            s.change(thing, life=Life.DOUBT)
        elif fate is not None and fate.life is Life.DOUBT and fate.by == TOLD:
            s.change(thing, life=Life.LIVE, by="", touched=True)  # nobody works with what was not made
        elif fate is not None or thing.kind in MEMORY:
            s.change(thing, touched=True)
        if thing in s.over:
            used(m, At(s.over[thing]), span, s, verb)


def calls_of(fate: Fate) -> tuple[tuple[Span, str], ...]:
    """The calls through which something was last done to a thing, the nearest first, as places beside a fault."""
    return tuple((span, "called here") for span in fate.called[:2])


def became(given: Value, use: str, span: Span, s: State, stream: Value | None = None) -> None:
    if isinstance(given, At) and (given.thing in s.fates or given.thing.kind in MEMORY):
        s.change(given.thing, use=use, used_at=span, stream=stream)


def captured(values: list[Value], s: State) -> None:
    """Work with these values is recorded, where somebody records."""
    if s.capturing and s.captured is not None:
        found = (thing for value in values for thing in things_in(value) if thing.kind in MEMORY)
        s.captured = tuple(dict.fromkeys((*s.captured, *found)))
