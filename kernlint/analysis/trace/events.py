"""What the walk of a kernel records: places in memory, guards, phases, accesses, barriers, loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.symbolic.terms import FALSE, TRUE, Symbol, Term
from kernlint.tree.nodes import AsyncCopy, AsyncWait, Call, Expr, FunctionDecl, Launch, Node, Scope, VarDecl, WarpOp
from kernlint.tree.types import Space, Type


class RootKind(Enum):
    """How the walk came to know a memory object."""

    __hash__ = object.__hash__  # that of an Enum is a call in Python, and sets of kinds are asked all the time

    PARAM = "param"  # what a pointer parameter (or a pointer field of one) points to
    VARIABLE = "variable"  # a variable of the kernel, a helper or the file
    LOADED = "loaded"  # what a pointer read from memory points to
    IMAGE = "image"  # an image that is a parameter; its places are pixels
    UNKNOWN = "unknown"  # a pointer of unknown origin: may be any object of its space


@dataclass(slots=True, eq=False)
class Root:
    """A memory object, or the unknown object behind a pointer.

    ``extent``: its size in bytes (None: not known).  ``element``: the declared element or pointee type; of an
    argument of no type (``void *``) what the kernel has at the places where it uses it, once the walk is done.
    ``candidates``: objects that an UNKNOWN root may be; empty: any.  ``choices``: where it is known which it is, each
    of them with its condition and the offset in it at which ``base``, the start of this root, lies.  ``readonly``:
    nothing in the kernel can write it through this root (``const`` pointee or constant space).  ``path``: field path
    in a parameter.  ``holder``: the object in which the pointer to a LOADED root was found, so many bytes in
    as ``held_at`` says.
    """

    name: str
    kind: RootKind
    space: Space
    decl: VarDecl | None
    element: Type
    extent: int | None = None
    readonly: bool = False
    volatile: bool = False
    restrict: bool = False
    path: str = ""
    candidates: tuple[Root, ...] = ()
    choices: tuple[tuple[Term, Root, Term], ...] = ()
    base: Symbol | None = None
    holder: Root | None = None
    held_at: Term | None = None

    def __repr__(self) -> str:
        return self.name


class GuardKind(Enum):
    """Why a condition holds where an event happens."""

    __hash__ = object.__hash__  # that of an Enum is a call in Python, and sets of kinds are asked all the time

    BRANCH = "branch"  # inside an if, else or case
    LOOP = "loop"  # inside a loop whose condition it is
    EXIT = "exit"  # threads for which it fails have left the kernel
    SKIP = "skip"  # threads for which it fails broke, continued or returned from a helper: they live on
    SHORT = "short"  # to the right of && || ?:
    ASSERT = "assert"  # an assertion or assumption that came before
    AFTER_LOOP = "after_loop"  # the negated condition of a loop that was left


@dataclass(frozen=True, slots=True)
class Guard:
    """A truth ``term`` that holds whenever the guarded event happens; ``span``: the condition in the source."""

    term: Term
    kind: GuardKind
    span: Span
    loop: LoopContext | None = None

    def __hash__(self) -> int:
        return hash(self.term)  # what is remembered of guards is looked up by all of them each time


def each_guard(events: Iterable[Event]) -> Iterator[Guard]:
    """The guards of ``events``, each once, in order: those of host code mostly add some to those of the one before."""
    seen: set[int] = set()
    last: tuple[Guard, ...] = ()
    for event in events:
        guards = event.guards
        known = len(last) if guards[: len(last)] == last else 0
        last = guards
        for guard in guards[known:]:
            if id(guard) not in seen:
                seen.add(id(guard))
                yield guard


@dataclass(eq=False, slots=True)
class LoopContext:
    """One loop as walked (a helper's loop is walked once for each call).

    ``counter``: iterations begun before the current one.  ``condition``: truth term under which an iteration
    starts (``for``, ``while``), or under which another one follows (``do``: ``post_tested``); None: endless.
    ``exits``: truth terms of breaks out of it (each under its own path).  ``serial``: symbols made later belong
    to the loop.  ``trips``: the symbol for the number of iterations when left through the condition.  ``behind``: which
    of the exits come behind a barrier of their iteration, by their place.
    ``leaves``: threads may return from the kernel inside, under these terms; ``returns``: from the helper that
    holds it (these are among the exits too).  ``depth``: guards on the path when it began.  ``doubtful``: something
    in it was not understood that threads may leave it by.
    """

    span: Span
    parent: LoopContext | None
    counter: Symbol
    trips: Symbol
    serial: int
    post_tested: bool = False
    condition: Term | None = None
    condition_span: Span | None = None
    exits: list[tuple[Term, Span]] = field(default_factory=list)
    behind: set[int] = field(default_factory=set)
    leaves: list[tuple[Term, Span]] = field(default_factory=list)
    returns: list[tuple[Term, Span]] = field(default_factory=list)
    depth: int = 0
    phis: list[Symbol] = field(default_factory=list)
    has_barrier: bool = False
    doubtful: bool = False
    unroll: int | None = None

    @property
    def left_by(self) -> list[Term]:
        """The truths under which threads get out of it in the midst of an iteration, in whichever way."""
        return [term for term, _ in (*self.exits, *self.leaves, *self.returns)]

    @property
    def ends(self) -> list[Term]:
        """The truths under which it goes on, or is left."""
        return self.left_by if self.condition is None else [*self.left_by, self.condition]

    @property
    def chain(self) -> tuple[LoopContext, ...]:
        """This loop and those around it, innermost first."""
        loops, at = [self], self.parent
        while at is not None:
            loops.append(at)
            at = at.parent
        return tuple(loops)


LAST = None
"""Shift of a :class:`Label` whose barrier ran in the last iteration of a loop that has been left."""


@dataclass(frozen=True, slots=True)
class Label:
    """One possibility for the last barrier a thread has passed: its *phase*.

    ``barrier`` None: none since the kernel began.  ``condition``: truth term under which it is this one.
    ``shifts``: for each loop around the barrier, how many iterations ago it ran (0: in this one), or :data:`LAST`.
    ``exact``: false when the condition or a shift could not be told; such a label proves nothing.  ``supposed``: what
    has to be supposed for the barrier to be the last one nevertheless, as truths of iterations before; a search may do
    so where all threads of the block agree on them (None: nothing is known of the label).  ``last``: what holds of the
    last iteration of the loop that has been left, since the barrier ran in it.
    """

    barrier: BarrierEvent | None
    condition: Term = TRUE
    shifts: tuple[tuple[LoopContext, int | None], ...] = ()
    exact: bool = True
    supposed: tuple[Term, ...] | None = ()
    last: Term = TRUE

    def given(self, *more: Term) -> tuple[Term, ...] | None:
        """What is supposed, and ``more``."""
        return None if self.supposed is None else (*self.supposed, *(term for term in more if term != TRUE))


LOST = Label(None, exact=False, supposed=None)
"""The phase of which nothing is known.  Its barrier, if there was one, may be any."""


@dataclass(eq=False, slots=True)
class Event:
    """Anything recorded: where, under which guards and loops, in which phases, in which order.

    ``loops`` innermost last.  ``stack``: call sites of inlined helpers, outermost first.  ``labels``: phases by
    block barriers; ``warp_labels``: by block or warp barriers.  ``order``: position in the walk.  ``doubtful``: what
    was not understood before it may send threads another way, so that guards may be missing.
    """

    span: Span
    guards: tuple[Guard, ...]
    loops: tuple[LoopContext, ...]
    labels: tuple[Label, ...]
    warp_labels: tuple[Label, ...]
    stack: tuple[Span, ...]
    order: int
    doubtful: bool

    @property
    def doubted(self) -> bool:
        """Whether guards may be missing, of those before it or of those in a loop around it."""
        return self.doubtful or any(loop.doubtful for loop in self.loops)


class AccessKind(Enum):
    """What an access does."""

    __hash__ = object.__hash__  # that of an Enum is a call in Python, and sets of kinds are asked all the time

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


@dataclass(eq=False, slots=True)
class Access(Event):
    """One read, write or atomic operation on memory.

    ``offset``: bytes from the start of ``root`` (i64).  ``size``: bytes touched (None: not known).  ``type``: of the
    object accessed.  ``value``: what is written (None: not known).  ``index``: the subscript as written, in
    elements, when there is one.  ``scope``: of an atomic.  ``asynchronous``: by a copy engine.  ``volatile``: as
    declared.  ``node``: the expression.  ``handle``: the event that says that an asynchronous copy is over, where it is
    known.  ``array``: the unsized array by whose name, or by a pointer made from it, dynamic shared memory is reached.
    ``new``: what a compare-and-swap puts into its place, whose ``value`` is what it looks for.  ``kept``: when a write
    puts back what the place holds.
    """

    root: Root
    offset: Term
    size: int | None
    type: Type
    kind: AccessKind
    node: Node
    value: Term | None = None
    index: Term | None = None
    scope: Scope = Scope.THREAD
    atomic_op: str = ""
    volatile: bool = False
    asynchronous: bool = False
    handle: Term | None = None
    array: VarDecl | None = None
    new: Term | None = None
    kept: Term = FALSE

    @property
    def writes(self) -> bool:
        """Whether memory may change: a write or an atomic other than a load."""
        return self.kind is AccessKind.WRITE or (self.kind is AccessKind.ATOMIC and self.atomic_op != "load")


@dataclass(eq=False, slots=True)
class BarrierEvent(Event):
    """An execution barrier of ``scope``.  ``certain``: false for a call that may hold one.  ``spaces``: what it
    fences.  ``named``: a named or partial barrier (its participants are not known).  ``flags``: what OpenCL's fence
    flags are, where they are no constant.  ``storage``: object and offset in bytes of a collective's storage.
    ``number``, ``count``: of a named barrier, and how many threads it waits for.

    ``unseen``: nothing says that the call holds a barrier but that it is ``given`` objects in shared memory: it ends no
    phase, and orders what it is given alone.
    """

    scope: Scope
    spaces: frozenset[Space]
    name: str
    certain: bool = True
    named: bool = False
    mask: Term | None = None
    node: Node | None = None
    flags: Term | None = None
    storage: tuple[Root, Term] | None = None
    unseen: bool = False
    given: frozenset[Root] = frozenset()
    number: Term | None = None
    count: Term | None = None


@dataclass(eq=False, slots=True)
class FenceEvent(Event):
    """A memory fence without a barrier."""

    scope: Scope
    spaces: frozenset[Space]
    name: str


@dataclass(eq=False, slots=True)
class WarpEvent(Event):
    """A warp or tile collective, with the values of its mask, width and operands."""

    node: WarpOp
    mask: Term | None
    width: Term | None
    operands: tuple[Term, ...]


@dataclass(eq=False, slots=True)
class AsyncEvent(Event):
    """An asynchronous copy or a wait; the accesses of a copy are recorded with ``asynchronous`` set.

    ``operands``: what it is given (of a pointer: the offset in its object, in bytes), and what each is in ``words``.
    ``awaits``: the events (the handles of copies) that a wait is known to be for; None: it may be for any.
    """

    node: AsyncCopy | AsyncWait
    destination: Root | None = None
    pending: Term | None = None
    operands: tuple[Term, ...] = ()
    words: tuple[str, ...] = ()
    awaits: frozenset[Term] | None = None


RECURSION, TOO_DEEP = "recursion", "calls nested too deeply"
"""Why a function with a body is not followed."""


@dataclass(eq=False, slots=True)
class CallEvent(Event):
    """A call that could not be followed, or inline assembly that is not known.  ``may_sync``: it may hold a barrier;
    ``writes``: it may write memory; ``reason``: why it was not followed; ``objects``: all that it can write to, None:
    anything."""

    node: Call | Node
    name: str
    reason: str
    may_sync: bool
    writes: bool
    objects: frozenset[Root] | None = None


@dataclass(eq=False, slots=True)
class ExitEvent(Event):
    """Threads leave the kernel here (a return, not its natural end); ``value``: the number that a host function
    returns."""

    value: Term | None = None


@dataclass(eq=False, slots=True)
class ConditionEvent(Event):
    """A condition that is tested: of an if, loop, ``?:`` or the left side of ``&&``/``||``."""

    term: Term
    node: Expr


@dataclass(eq=False, slots=True)
class JoinedTests(Event):
    """``left && right`` (``both``) or ``left || right``, wherever it stands; ``term``: the truth of ``right``."""

    left: Expr
    term: Term
    both: bool


@dataclass(eq=False, slots=True)
class LaunchEvent(Event):
    """A kernel launch met while walking the host function ``host``.

    ``grid`` in blocks, ``block`` in threads, ``global_size`` in threads (OpenCL), each (x, y, z); ``shared`` in
    bytes.  ``args``: the values passed, as the walk knows them; ``values``: those of the node.  ``kernels``: what is
    launched, where the walk knows: several, where it depends on conditions; ``chosen``: by which condition it is each
    of them.  ``early``: it may begin before the kernel ahead of it in the stream has ended (programmatic stream
    serialisation).  ``handle``: the value that the kernel is called through; ``stream``: that of the stream or queue.
    ``listed``: the expressions of the arguments.  ``moved``: axes along which OpenCL's global ids need not begin at
    zero.
    """

    node: Launch
    grid: tuple[Term, Term, Term] | None
    block: tuple[Term, Term, Term] | None
    global_size: tuple[Term, Term, Term] | None
    shared: Term | None
    args: tuple[Any, ...]
    values: tuple[Any, ...]
    host: FunctionDecl
    kernels: tuple[FunctionDecl, ...] = ()
    chosen: tuple[Term, ...] = ()
    stream: Any = None
    early: bool = False
    handle: Any = None
    listed: tuple[Expr, ...] = ()
    moved: frozenset[int] = frozenset()


@dataclass(eq=False, slots=True)
class ApiEvent(Event):
    """A call in host code that is not followed, as a rule of a runtime's function: ``name`` without namespaces.

    ``args``: the values passed; ``behind``: what stands at the places of which the address is passed (``&x``), before
    the call, and ``after`` it; ``receiver``: the object of a method; ``result``: the value returned.
    """

    node: Call
    name: str
    args: tuple[Any, ...]
    behind: tuple[Any, ...]
    receiver: Any = None
    result: Any = None
    after: tuple[Any, ...] = ()


@dataclass(eq=False, slots=True)
class AllocationEvent(Event):
    """Memory of ``size`` bytes allocated for ``root`` by ``api`` in host code.  ``place``: where the pointer to it is
    stored (None: it is the call's result).  ``row``: bytes of a row of pitched memory, as asked for; its size
    is not known."""

    root: Root
    size: Term
    api: str
    place: Any = None
    row: Term | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that the walk could not follow.  ``kind``: ``guard barrier subscript call goto budget statement lost
    write`` (``lost``: a statement that did not reach the tree)."""

    kind: str
    reason: str
    span: Span


@dataclass(slots=True, eq=False)
class Trace:
    """All that one kernel does, in order of the walk.

    ``images``: accesses to pixels of images, which are apart from those to memory.  ``arrivals``: first halves of
    split barriers, at which nobody waits.  ``arrays``: private and shared
    variables met, in order, with their byte extents in the Root.  ``throws``: exceptions.  ``gaps``: what was not
    understood.  ``complete``: no gap in statements, guards, barriers.  ``assumptions``: premises of the walk.
    ``overwritten``: identities of roots that something not followed may have written to.  ``addresses``: those that are
    stored for others to use, as reads of no size.  ``left``: the first call that leaves a symbol behind where it was
    given the address of a variable.  ``steps``: what the walk has cost.
    """

    accesses: list[Access] = field(default_factory=list)
    images: list[Access] = field(default_factory=list)
    barriers: list[BarrierEvent] = field(default_factory=list)
    arrivals: list[BarrierEvent] = field(default_factory=list)
    fences: list[FenceEvent] = field(default_factory=list)
    warp_ops: list[WarpEvent] = field(default_factory=list)
    asyncs: list[AsyncEvent] = field(default_factory=list)
    calls: list[CallEvent] = field(default_factory=list)
    exits: list[ExitEvent] = field(default_factory=list)
    throws: list[ExitEvent] = field(default_factory=list)
    conditions: list[ConditionEvent] = field(default_factory=list)
    joined: list[JoinedTests] = field(default_factory=list)
    launches: list[LaunchEvent] = field(default_factory=list)
    allocations: list[AllocationEvent] = field(default_factory=list)
    apis: list[ApiEvent] = field(default_factory=list)
    loops: list[LoopContext] = field(default_factory=list)
    arrays: list[Root] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    assumptions: set[str] = field(default_factory=set)
    overwritten: set[int] = field(default_factory=set)
    addresses: list[Access] = field(default_factory=list)
    left: dict[Symbol, ApiEvent] = field(default_factory=dict)
    steps: int = 0

    @property
    def complete(self) -> bool:
        """Whether every statement, guard and barrier was understood."""
        return not any(gap.kind in ("guard", "barrier", "goto", "budget", "statement", "lost") for gap in self.gaps)

    def guards_known(self, within: Span) -> bool:
        """Whether the guards of all accesses are known but for what statements lost ``within`` a function may add."""
        return not any(
            gap.kind in ("guard", "goto", "budget", "statement")
            or (
                gap.kind == "lost"
                and not (gap.span.file == within.file and within.start <= gap.span.start < within.end)
            )
            for gap in self.gaps
        )

    @property
    def events(self) -> list[Event]:
        """All events in order of the walk."""
        groups: tuple[list[Event], ...] = (
            list(self.accesses),
            list(self.images),
            list(self.barriers),
            list(self.fences),
            list(self.warp_ops),
            list(self.asyncs),
            list(self.calls),
            list(self.exits),
            list(self.throws),
            list(self.conditions),
            list(self.joined),
            list(self.launches),
            list(self.allocations),
            list(self.apis),
        )
        return sorted((event for group in groups for event in group), key=lambda event: event.order)
