"""Values, objects and states of the walk over host code that follows memory and handles.

A :class:`Thing` is an object: memory that was allocated, a handle, a variable, or what a pointer of unknown origin
leads to.  A place is a thing and a path of members and subscripts in it.  A :class:`State` is what holds on one way
through the code: what places hold, what has become of things, what was found true, what is still under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import count
from typing import NamedTuple

from kernlint.apis import Made
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree.nodes import Call, FunctionDecl, VarDecl
from kernlint.tree.types import Type


class Kind(Enum):
    """What a thing is."""

    DEVICE = "device memory"
    HOST = "memory of the host"  # of malloc and its like: the runtime copies through memory of its own
    PINNED = "pinned memory"
    MANAGED = "managed memory"
    STREAM = "stream"
    EVENT = "event"
    QUEUE = "command queue"
    TEXTURE = "texture or surface object"
    LOCAL = "variable"
    CONTENT = "elements"  # of a sequence
    BEHIND = "unknown"  # what a pointer of unknown origin leads to
    OWNED = "object"  # of an owning pointer


def kind_of(made: Made) -> Kind:
    """The kind of a thing that a function makes."""
    return Kind[made.name]


MEMORY = frozenset({Kind.DEVICE, Kind.PINNED, Kind.MANAGED})
"""Things that have to be given back to the runtime, and cost memory of the device or locked memory till then."""

OWED = MEMORY | {Kind.STREAM, Kind.EVENT}
"""Things that somebody has to give back to the runtime: memory, and handles with what the driver keeps for them."""


def owed(thing: Thing) -> str:
    """What somebody has to give back, in words before its name."""
    return {Kind.STREAM: "the stream", Kind.EVENT: "the event"}.get(thing.kind, "the memory of")


_OWN = frozenset({Kind.LOCAL, Kind.CONTENT, Kind.OWNED})
"""Things that only the function knows as long as nothing else is known."""


class Thing:
    """An object, told from others by identity.  ``span``: where it was made; ``type``: what it is, of a variable;
    ``called``: the call of the walked function that led there, if it is
    no object's; ``counted``: the pointer to it is one of an array's;
    ``origin``: where a pointer of unknown origin was read."""

    __slots__ = (
        "api",
        "called",
        "counted",
        "decl",
        "ends_itself",
        "flags",
        "key",
        "kind",
        "name",
        "origin",
        "passed",
        "span",
        "type",
    )

    def __init__(
        self,
        kind: Kind,
        name: str,
        span: Span | None = None,
        api: str = "",
        type_: Type | None = None,
        decl: VarDecl | None = None,
        key: tuple[str, str] | None = None,
    ) -> None:
        self.called: Span | None = None
        self.counted = False
        self.flags = 0  # of a buffer of OpenCL, as it was made
        self.ends_itself = False  # an object without a name, whose destructor runs at the end of the expression
        self.origin: At | None = None
        self.passed = False  # what a parameter of the walked function refers or points to
        self.kind, self.name, self.span, self.api, self.type, self.decl, self.key = (
            kind, name, span, api, type_, decl, key,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Number(NamedTuple):
    """A whole number."""

    value: int


class At(NamedTuple):
    """A pointer, reference or handle to a place."""

    thing: Thing
    path: tuple[object, ...] = ()


class Atom(NamedTuple):
    """A value of which only that is known how it is made: ``op`` of ``args``, or a name of its own."""

    op: str
    args: tuple[object, ...] = ()


class Whole(NamedTuple):
    """A structure by value: the values of its parts by their paths."""

    parts: tuple[tuple[tuple[object, ...], object], ...]


Value = Number | At | Atom | Whole
NULL = Number(0)

TOLD = "told"
"""What a function out of sight makes of the status of a call: which of its results means an error, nobody knows.
Also by what a thing came to be in doubt on the ways that part by such a result."""
Place = At


class Life(Enum):
    """What has become of a thing."""

    LIVE = "live"
    FAILED = "failed"  # the allocation is known to have failed
    DOUBT = "doubt"  # it may have failed, or may be given back
    FREED = "freed"

    __hash__ = object.__hash__  # that of enumerations is a call of Python code, and states are hashed all the time


class Fate(NamedTuple):
    """The state of a thing.  ``out``: something beyond the function may know it.  ``at``: where it was given back, and
    ``by`` what.  ``use``: what happened to its contents last: ``""`` (nothing yet), ``copied``, ``filled``,
    ``computed`` (a kernel may have written it), ``read``; ``called``: the calls through which.  ``busy``: the stream
    of the kernel that last worked with memory of the allocator that is ordered by streams, and its launch."""

    life: Life = Life.LIVE
    out: bool = False
    at: Span | None = None
    by: str = ""
    use: str = ""
    used_at: Span | None = None
    called: tuple[Span, ...] = ()
    stream: Value | None = None
    touched: bool = False
    busy: tuple[Value, Span] | None = None


class Pending(NamedTuple):
    """Work that the host has not waited for: it ``writes`` the place (or reads it), begun at ``span`` on ``stream``.
    ``api``: what began it."""

    place: Place
    stream: Value | None
    span: Span
    writes: bool
    api: str


QUEUED = "queued"
"""What begins work that only the release of its memory has to wait for: commands for shared virtual memory."""


class Bound(NamedTuple):
    """An argument of a kernel as it was set at ``span``, by ``setter``: the ``thing``, or the variable that is one.
    ``kept``: the member or variable of the file that holds the kernel, as long as it has not been launched since."""

    kernel: Value
    position: int
    thing: Thing
    span: Span
    kept: tuple[str, str] | None
    setter: FunctionDecl


@dataclass(slots=True, eq=False)
class State:
    """One way through the code so far."""

    memory: dict[Place, Value] = field(default_factory=dict)
    env: dict[VarDecl, Place] = field(default_factory=dict)
    fates: dict[Thing, Fate] = field(default_factory=dict)
    facts: dict[Value, bool] = field(default_factory=dict)
    outcomes: dict[Value, Thing] = field(default_factory=dict)
    pending: tuple[Pending, ...] = ()
    recorded: dict[Value, tuple[Value, tuple[Pending, ...]]] = field(default_factory=dict)
    begun: dict[Value, tuple[Pending, ...]] = field(default_factory=dict)
    events: dict[Value, tuple[Span, tuple[Pending, ...]]] = field(default_factory=dict)
    """Events of commands that nobody has waited for: where they were enqueued, with what was under way then."""
    rests: tuple[tuple[Thing, Place, Span], ...] = ()
    """Buffers that use memory of the host instead of their own, where that is, and where they were made."""
    reset: tuple[int, Span] | None = None
    version: int = 0
    calls: int = 0
    """Calls out of sight that are given nothing, or more than numbers and texts."""
    waited: bool = False
    uploaded: bool = False
    compared: frozenset[Place] = frozenset()
    replaced: tuple[tuple[Place, Span, At], ...] = ()
    follows: frozenset[tuple[Value, Value | None]] = frozenset()
    """Streams that wait for an event, with the stream on which that was recorded (None: which is not known)."""
    puts: tuple[tuple[Thing, Value, Span], ...] = ()
    """Memory that kernels write whom nobody has waited for: their stream (NULL: several), and the last launch."""
    args: tuple[Bound, ...] = ()
    """Memory objects that are arguments of kernels of OpenCL."""
    captured: tuple[Thing, ...] | None = None
    """Memory that the graph was captured with; None where there is none, or several."""
    capturing: bool = False
    over: dict[Thing, Thing] = field(default_factory=dict)
    """Texture and surface objects, with the memory that they read."""
    written_once: dict[Span, tuple[object, Call, Value]] = field(default_factory=dict)
    """Calls that make or end things, by their places, with the calling frame and what they have given."""
    given: dict[Thing | Atom, int] = field(default_factory=dict)
    """Objects of the caller, and pointers of which nothing else is known, that functions out of sight were given, and
    how often."""

    def fork(self) -> State:
        """An independent copy."""
        return State(
            dict(self.memory), dict(self.env), dict(self.fates), dict(self.facts), dict(self.outcomes), self.pending,
            dict(self.recorded), dict(self.begun), dict(self.events), self.rests, self.reset, self.version,
            self.calls, self.waited,
            self.uploaded, self.compared, self.replaced, self.follows, self.puts, self.args,
            self.captured, self.capturing, dict(self.over), dict(self.written_once),
            dict(self.given),
        )  # fmt: skip

    def fate(self, thing: Thing) -> Fate:
        """What has become of ``thing``; one that was there before belongs to somebody else."""
        found = self.fates.get(thing)
        return found if found is not None else Fate(out=thing.kind not in _OWN)

    def change(self, thing: Thing, **changes: object) -> None:
        """Note what becomes of ``thing``."""
        self.fates[thing] = self.fate(thing)._replace(**changes)  # type: ignore[arg-type]

    def signature(self) -> tuple[object, ...]:
        """What tells states apart as far as things are concerned."""
        fates = frozenset((thing, fate.life, fate.out, fate.use) for thing, fate in self.fates.items())
        held = frozenset(
            (at, value) for at, value in self.memory.items() if isinstance(value, At) and value.thing in self.fates
        )
        return fates, held, self.pending, frozenset(self.events)


def merged(states: list[State], most: int) -> list[State]:
    """``states``, those as one that differ in numbers alone; ``most`` of them at the most."""
    if len(states) < 2:
        return states
    found: dict[tuple[object, ...], State] = {}
    for state in states:
        key = state.signature()
        same = found.get(key)
        if same is None:
            found[key] = state
            continue
        if same.version != state.version:
            same.version = max(same.version, state.version)
        for thing in state.given:
            same.given[thing] = max(same.given.get(thing, 0), state.given[thing])
        same.calls = max(same.calls, state.calls)
        for at in [at for at, value in same.memory.items() if state.memory.get(at) != value]:
            same.memory[at] = either(same.memory[at], state.memory.get(at))
        for at in state.memory.keys() - same.memory.keys():
            same.memory[at] = either(state.memory[at])
        same.facts = {fact: truth for fact, truth in same.facts.items() if state.facts.get(fact) is truth}
        for decl, at in state.env.items():
            same.env.setdefault(decl, at)
        same.outcomes.update(state.outcomes)
        same.begun.update(state.begun)
        same.compared |= state.compared
        same.follows |= state.follows
        same.over.update(state.over)
        same.captured = same.captured if same.captured == state.captured else None
        same.puts = tuple(one for one in same.puts if one in state.puts)
        same.args = tuple(one for one in same.args if one in state.args)
        if same.written_once != state.written_once:
            both = same.written_once.items() & state.written_once.items()
            same.written_once = dict(both)
    return list(found.values())[:most]


def things_in(value: object) -> Iterator[Thing]:
    """The things that a value leads to."""
    if isinstance(value, At):
        yield value.thing
    elif isinstance(value, Whole):
        for _, part in value.parts:
            yield from things_in(part)
    elif isinstance(value, Atom) and value.op == "either":
        for part in value.args:
            if isinstance(part, At):
                yield part.thing


MOST_CHOICES = 6
"""Pointers that a place may hold, one of them, by conditions that are not kept."""

_serial = count()


def either(*values: object) -> Atom:
    """One of several values, of which only the pointers are kept."""
    parts = [part for value in values for part in (value.args if isinstance(value, Atom) else (value,))]
    pointers = tuple(dict.fromkeys(part for part in parts if isinstance(part, At)))
    return Atom("either", pointers[:MOST_CHOICES]) if pointers else Atom("one of", (next(_serial),))


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong.  ``kind``: ``leak``, ``use`` (after it was given back), ``twice`` (given back), ``moved``
    (given back while a stream works with it), ``other`` (given to what cannot give it back), ``copied`` (an object that
    owns memory), ``temporary`` (a pointer into an object that ends), ``early`` (read), ``dies`` (while a copy may be at
    it), ``nothing`` (a copy of what nobody wrote), ``lost`` (a copy over results that nobody has read).  ``name``: of
    the memory; ``word``: a detail; ``related``: other places; ``soft``: a note; ``what``: stands before the name of
    what leaks."""

    kind: str
    span: Span
    name: str
    word: str = ""
    related: tuple[tuple[Span, str], ...] = ()
    soft: bool = False
    what: str = "the memory of"
