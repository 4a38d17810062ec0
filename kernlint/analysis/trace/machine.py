"""The state of the walk, how states join where paths meet, and how events are recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from kernlint.analysis.trace.cells import Cells, Key, join_cells
from kernlint.analysis.trace.events import (
    LOST,
    BarrierEvent,
    Event,
    Gap,
    Guard,
    GuardKind,
    Label,
    LoopContext,
    Root,
    Trace,
)
from kernlint.analysis.trace.set_before import lead_to_one
from kernlint.analysis.trace.tables import Table
from kernlint.analysis.trace.turns import Pointers
from kernlint.analysis.trace.values import Place, Value, merge, same
from kernlint.record import dataclass, field, replace
from kernlint.source import Span
from kernlint.symbolic.terms import FALSE, TRUE, Symbol, Term, conjunction, disjunction, negate
from kernlint.tree.nodes import FunctionDecl, FunctionKind, Scope, VarDecl
from kernlint.tree.types import Space, Type

E_ = TypeVar("E_", bound=Event)

MAX_STEPS = 120_000
"""Nodes evaluated in one kernel, helpers counted at each call; beyond it the kernel is analysed in part."""

MAX_DEPTH = 24
"""Helpers inlined inside each other."""

MAX_LABELS = 8
"""Possible last barriers kept apart; more are folded into one inexact label."""


class Exhausted(Exception):
    """The step budget of one kernel is used up."""


@dataclass(slots=True)
class State:
    """What is known on one path: variables, the path condition, the possible last barriers; in host code what objects
    in memory hold."""

    env: dict[VarDecl, Value]
    path: tuple[Guard, ...]
    labels: tuple[Label, ...]
    warp_labels: tuple[Label, ...]
    cells: Cells = field(default_factory=Cells)

    def fork(self) -> State:
        """An independent copy."""
        return State(dict(self.env), self.path, self.labels, self.warp_labels, self.cells.fork())


@dataclass(slots=True)
class Target:
    """Where ``break`` and ``continue`` of a loop or switch lead: the states that took them."""

    is_loop: bool
    depth: int
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """An inlined call: states at its returns with the values returned.  ``owners``: objects of classes with a
    destructor, by the blocks that hold them.  ``last``: nothing comes after the call, so that who returns from it
    leaves the kernel."""

    function: FunctionDecl
    returns: list[tuple[State, Value | None]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    loop_depth: int = 0
    owners: list[list[VarDecl]] = field(default_factory=list)
    last: bool = False


FACTS = (GuardKind.ASSERT, GuardKind.AFTER_LOOP)
"""Guards that tell what holds anyway, and send no thread another way."""


def straight(path: Sequence[Guard]) -> bool:
    """Whether every thread that is still there goes along ``path``."""
    return all(guard.kind is GuardKind.EXIT or guard.kind in FACTS for guard in path)


def truth_of(guards: Sequence[Guard]) -> Term:
    """Conjunction of the guards that tell one path from another; facts that hold on any path are left out."""
    term = TRUE
    for guard in guards:
        if guard.kind not in FACTS:
            term = conjunction(term, guard.term)
    return term


class Machine:
    """Walks one kernel.  ``state`` is None where no thread comes."""

    def __init__(self, function: FunctionDecl, language: str) -> None:
        self.function = function
        self.on_host = function.kind is FunctionKind.HOST
        self.language = language
        self.fixed: Mapping[tuple[VarDecl, int], int] = {}
        """Numbers that variables of the file hold whenever host code reads them, by variable and bytes into it."""
        self.defined: Callable[[FunctionDecl], FunctionDecl | None] = lambda function: None
        """The definition of a function that is declared alone where it is called."""
        self.trace = Trace()
        self.state: State | None = State({}, (), (Label(None),), (Label(None),))
        self.death = GuardKind.EXIT
        self.loops: list[LoopContext] = []
        self.stack: tuple[Span, ...] = ()
        self.frames: list[Frame] = [Frame(function, last=not self.on_host)]
        self.order = 0
        self.steps = 0
        self.most = MAX_STEPS
        self.memory: dict[Any, Root] = {}
        self.kept: dict[Root, dict[Root, None]] = {}  # objects to which an array of the thread's own has pointers
        self.pointers: dict[Root, Pointers] = {}  # what such arrays hold
        self.loads: dict[Any, Symbol] = {}
        self.given: dict[tuple[Root, Term, Type], Symbol] = {}  # numbers that the host sets before
        self.single = frozenset() if self.on_host else lead_to_one(function)
        self.read_by: dict[Symbol, int] = {}  # which access, by its number, has last given what a load stands for
        self.tables: dict[VarDecl, Table | None] = {}
        self.epoch = 0
        self.closed: dict[Symbol, Term] = {}
        self.caps: dict[Symbol, Term] = {}  # variables of loops, with what their code does not count them beyond
        self.ends: dict[Term, Term] = {}  # what such variables are after their loops, with the greatest that can be
        self.assigned: dict[int, frozenset[VarDecl]] = {}
        self.allocated: tuple[Place, Value] | None = None
        self.materialised: set[VarDecl] = set()
        self.parameters: dict[VarDecl, Value] = {}
        self.listed: dict[Any, list[Any]] = {}  # the values of lists in host code that sequences may be made of
        self.keys: dict[object, int] = {}
        self.watched: set[VarDecl] = set()
        self.destructors: Mapping[str, FunctionDecl] = {}
        self.moved: set[VarDecl] = set()
        self.traps = 0
        self.doubtful = False

    def followed(self, function: FunctionDecl | None) -> FunctionDecl | None:
        """The function with a body that a call of ``function`` is walked through; None: it is not."""
        if function is None or function.body is not None:
            return function
        return self.defined(function) if self.on_host else None

    # ------------------------------------------------------------------------------------------ recording

    def step(self) -> None:
        """Count one evaluated node.  Raises :class:`Exhausted` past the most (:data:`MAX_STEPS`, or less)."""
        self.steps += 1
        if self.steps > self.most:
            raise Exhausted

    def common(self, span: Span) -> dict[str, Any]:
        """Constructor arguments that all events share, for an event at ``span`` now."""
        self.order += 1
        state = self.state
        assert state is not None
        return {
            "span": span,
            "guards": state.path,
            "loops": tuple(self.loops),
            "labels": state.labels,
            "warp_labels": state.warp_labels,
            "stack": self.stack,
            "order": self.order,
            "doubtful": self.doubtful,
        }

    def gap(self, kind: str, reason: str, span: Span) -> None:
        """Note something that could not be followed (once for each place)."""
        gap = Gap(kind, reason, span)
        if gap not in self.trace.gaps:
            self.trace.gaps.append(gap)

    def doubt(self) -> None:
        """From here on threads may go other ways than is known: guards may be missing, here and in loops around."""
        if self.state is not None:
            self.doubtful = True
            for loop in self.loops:
                loop.doubtful = True

    def barrier(
        self,
        span: Span,
        scope: Scope,
        spaces: frozenset[Space],
        name: str,
        *,
        certain: bool = True,
        named: bool = False,
        mask: Term | None = None,
        node: Any = None,
        flags: Term | None = None,
        storage: tuple[Root, Term] | None = None,
        given: frozenset[Root] | None = None,
    ) -> None:
        """Record a barrier and begin a new phase.

        One that is not ``certain`` begins a phase too, unless all that speaks for it is that a call is ``given``
        objects in shared memory.
        """
        state = self.state
        if state is None:
            return
        event = BarrierEvent(
            **self.common(span),
            scope=scope,
            spaces=spaces,
            name=name,
            certain=certain,
            named=named,
            mask=mask,
            node=node,
            flags=flags,
            storage=storage,
            unseen=given is not None,
            given=given or frozenset(),
        )
        self.trace.barriers.append(event)
        if given is not None:
            return
        shifts = tuple((loop, 0) for loop in self.loops)
        label = (Label(event, TRUE, shifts, not named, None if named else ()),)
        state.warp_labels = label
        if scope in (Scope.BLOCK, Scope.CLUSTER, Scope.GRID):
            state.labels = label
            for loop in self.loops:
                loop.has_barrier = True

    def warp_sync(self, event: BarrierEvent | None, span: Span) -> None:
        """Begin a new phase among the threads of a warp (a synchronising collective)."""
        state = self.state
        if state is None:
            return
        if event is None:
            event = BarrierEvent(**self.common(span), scope=Scope.WARP, spaces=frozenset(Space), name="warp collective")
        state.warp_labels = (Label(event, TRUE, tuple((loop, 0) for loop in self.loops)),)

    # ---------------------------------------------------------------------------------------- joining paths

    def guarded(self, term: Term, kind: GuardKind, span: Span, loop: LoopContext | None = None) -> None:
        """Add a condition to the current path; the path dies when it is false."""
        if self.state is None or term == TRUE:
            return
        if term == FALSE:
            self.state = None
            return
        self.state.path = (*self.state.path, Guard(term, kind, span, loop))

    def join(self, cond: Term, a: State | None, b: State | None, base: tuple[Guard, ...]) -> State | None:
        """The state after two branches taken under ``cond`` and its negation, both begun with path ``base``."""
        if a is None or b is None:
            return a or b
        path = base
        left, right = a.path[len(base) + 1 :], b.path[len(base) + 1 :]
        lost = [g for g in (*left, *right) if g.kind in (GuardKind.EXIT, GuardKind.SKIP)]
        if lost:
            kind = GuardKind.SKIP if any(g.kind is GuardKind.SKIP for g in lost) else GuardKind.EXIT
            leaving = (GuardKind.EXIT, GuardKind.SKIP)
            term = disjunction(
                conjunction(cond, truth_of([g for g in left if g.kind in leaving])),
                conjunction(negate(cond), truth_of([g for g in right if g.kind in leaving])),
            )
            if term != TRUE:
                path = (*base, Guard(term, kind, lost[0].span))
        return State(
            join_env(cond, a.env, b.env),
            path,
            join_labels(cond, a.labels, b.labels),
            join_labels(cond, a.warp_labels, b.warp_labels),
            self._joined_cells(cond, a, b, set()),
        )

    def _joined_cells(self, cond: Term, a: State, b: State, unknown: set[Key]) -> Cells:
        return join_cells(cond, a.cells, b.cells, self.serial(), unknown) if self.on_host else a.cells

    def serial(self) -> int:
        """A number that was not given before."""
        self.order += 1
        return self.order

    def departures(self) -> tuple[int, int, int]:
        """How often threads have exited, left towards an outer loop or call, or trapped, up to now."""
        frame = self.frames[-1]
        outwards = len(frame.returns) + sum(len(t.breaks) + len(t.continues) for t in frame.targets)
        return len(self.trace.exits), outwards, self.traps

    def departed(self, before: tuple[int, int, int]) -> GuardKind | None:
        """How threads were lost since ``before`` (an earlier :meth:`departures`); None when all are still there."""
        kinds = (GuardKind.EXIT, GuardKind.SKIP, GuardKind.ASSERT)
        lost = [kind for kind, was, now in zip(kinds, before, self.departures(), strict=True) if now > was]
        return GuardKind.SKIP if GuardKind.SKIP in lost else lost[0] if lost else None

    def join_all(
        self, states: Sequence[State], base: tuple[Guard, ...], lost: GuardKind | None = None, spent: bool = False
    ) -> State | None:
        """The state where several disjoint paths that began with ``base`` meet again.

        Its path is ``base``; when threads were ``lost`` on other paths, what the paths had in addition stays on it.
        In host code so does what holds behind loops.  ``spent``: nobody looks at the states again.
        """
        if not states:
            return None
        path = base
        if lost is not None and len(states) == 1:
            kinds = {GuardKind.BRANCH: lost}
            kept = states[0].path[len(base) :]
            path = (*base, *(Guard(g.term, kinds.get(g.kind, g.kind), g.span, g.loop) for g in kept))
        elif lost is not None:
            suffixes = [state.path[len(base) :] for state in states]
            term = FALSE
            for suffix in suffixes:
                term = disjunction(term, truth_of(suffix))
            span = next((suffix[0].span for suffix in suffixes if suffix), None)
            if term != TRUE and span is not None:
                path = (*base, Guard(term, lost, span))
        elif self.on_host:
            path = (*base, *_behind_loops([state.path[len(base) :] for state in states]))
        out = states[-1] if spent or len(states) > 1 else states[-1].fork()
        unknown: set[Key] = set()
        for state in reversed(states[:-1]):
            cond = truth_of(state.path[len(base) :])
            out = State(
                join_env(cond, state.env, out.env),
                base,
                join_labels(cond, state.labels, out.labels),
                join_labels(cond, state.warp_labels, out.warp_labels),
                self._joined_cells(cond, state, out, unknown),
            )
        out.path = path
        return out


def _behind_loops(suffixes: Sequence[Sequence[Guard]]) -> Sequence[Guard]:
    """What holds behind the loops that host code has left on one of several ways."""
    left = [[guard for guard in suffix if guard.kind is GuardKind.AFTER_LOOP] for suffix in suffixes]
    if len(suffixes) == 1 or not any(left):
        return left[0]
    term = FALSE
    for suffix, loops in zip(suffixes, left, strict=True):
        way = truth_of(suffix)
        for guard in loops:
            way = conjunction(way, guard.term)
        term = disjunction(term, way)
    first = next(loops[0] for loops in left if loops)
    return () if term == TRUE else (replace(first, term=term),)


def join_env(cond: Term, a: dict[VarDecl, Value], b: dict[VarDecl, Value]) -> dict[VarDecl, Value]:
    """Variables after two branches; one known only on one side keeps its value there (it is out of scope)."""
    out = dict(a)
    for decl, value in b.items():
        other = a.get(decl)
        if other is None:
            out[decl] = value
        elif other is not value and not same(other, value):
            out[decl] = merge(cond, other, value)
    return out


def join_labels(cond: Term, a: tuple[Label, ...], b: tuple[Label, ...]) -> tuple[Label, ...]:
    """Possible last barriers after two branches; those that hold on both sides keep no condition."""
    if a == b:
        return a
    both = [label for label in a if label in b]
    out = list(both)
    for side, term in ((a, cond), (b, negate(cond))):
        for label in side:
            if label not in both:
                out.append(replace(label, condition=conjunction(label.condition, term)))
    if len(out) > MAX_LABELS:
        return (LOST,)
    return tuple(out)
