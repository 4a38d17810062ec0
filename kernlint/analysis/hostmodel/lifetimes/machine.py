"""The walk: statements, branches, loops and calls over sets of states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.analysis.hostmodel.lifetimes.model import (
    Atom,
    Fault,
    Place,
    State,
    Thing,
    Value,
    merged,
)
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import Type

STATES = 24
"""Ways that are kept apart at once."""

STEPS = 4000
"""Statements that are walked from one function, over all ways."""

DEPTH = 5
"""Calls that are followed into each other."""

ROUNDS = 2
"""Rounds of a loop that are walked, where its condition does not end it sooner."""

MOST_ROUNDS = 8
"""Rounds of a loop that are walked, where numbers alone say that there are more."""

Outcome = tuple[State, Value]
Placed = tuple[State, Place | None]


class OverBudget(Exception):
    """A function takes too long to walk."""


@dataclass(slots=True, eq=False)
class Frame:
    """A function that is being walked: the ways that have left it, and those that leave a loop or jump."""

    function: n.FunctionDecl
    call: Span | None = None
    returns: list[tuple[State, Value, Span]] = field(default_factory=list)
    breaks: list[list[State]] = field(default_factory=list)
    continues: list[list[State]] = field(default_factory=list)
    gotos: dict[str, list[State]] = field(default_factory=dict)
    scopes: list[list[n.VarDecl]] = field(default_factory=list)
    thrown: list[tuple[State, Span, bool]] = field(default_factory=list)


class Machine:
    """State of one walk.  What expressions do stands in :mod:`.expressions`, what calls do in :mod:`.effects`; they are
    given as ``value``, ``place`` and ``condition``."""

    def __init__(self, program: Program, entry: n.FunctionDecl) -> None:
        self.program = program
        self.entry = entry
        self.frames: list[Frame] = []
        self.steps = 0
        self.serial = 0
        self.lazy: dict[tuple[Place, int | Atom, str], Value] = {}
        self.keys: dict[Place, tuple[tuple[str, str], ...]] = {}
        self.origins: dict[Thing, Place] = {}
        self.made_at: dict[Thing, int] = {}
        self.answered: dict[str, Thing] = {}
        """Objects that functions without arguments give, by the functions' names."""
        self.stored_at: dict[Thing, tuple[Place, int]] = {}
        self.given_in: dict[Thing, tuple[n.VarDecl, int]] = {}
        """Memory that a variable of the file has got, and how many calls out of sight came before."""
        self.faults: dict[tuple[str, Span], Fault] = {}
        self.stopped: dict[Thing, Span] = {}
        self.deleters: dict[Thing, n.FunctionDecl | str] = {}
        """What owners call that were given memory with a deleter: a function, or one of a runtime by its name."""
        self.captured: dict[Thing, tuple[tuple[n.VarDecl, Value], ...]] = {}
        """The numbers that these functions have copied, by their variables."""
        self.owned: dict[Thing, Span] = {}
        """Memory that an owning pointer is made of on some way, and where: it is meant to be given back always."""
        self.given_on: dict[Thing, Span] = {}
        """What some way out of the walked function gives back to its caller, and where."""
        self.led_into: set[tuple[Thing, Span]] = set()
        """Memory into which some way out gives its caller a pointer, and where."""
        self.exits: set[Span] = set()
        """Where the walked function returns."""
        self.doubtful = False
        self.asks: n.Stmt | None = None
        """What is done again as long as the condition holds that is being looked at."""
        self.written: set[Span] = set()
        """Uses of memory that something has been written to, on one of the ways there."""
        self.holding: list[object] = []
        """Values on their way out of a function."""
        self.under: dict[Thing, frozenset[tuple[Value, bool]]] = {}
        """What was asked, with the answer, where things were made on one side of a branch: see :mod:`.parted`."""
        self.leaving: tuple[Span, bool] | None = None
        """Where a block is left, and whether by an exception."""

    # ------------------------------------------------------------------------------------------------ small things

    def fresh(self, name: str) -> Atom:
        """A value of which nothing is known."""
        self.serial += 1
        return Atom(name, (self.serial,))

    def report(self, fault: Fault) -> None:
        """Keep a fault, one for each place and kind."""
        self.faults.setdefault((fault.kind, fault.span), fault)

    # ------------------------------------------------------------------- what :class:`.walker.Walker` knows how to do

    def value(self, e: n.Expr, s: State) -> list[Outcome]:
        """The values of an expression, with the states behind it."""
        raise NotImplementedError

    def values(self, exprs: Sequence[n.Expr], s: State) -> list[tuple[State, list[Value]]]:
        """The values of several expressions, one after the other."""
        raise NotImplementedError

    def place(self, e: n.Expr, s: State) -> list[Placed]:
        """Where an expression stands in memory."""
        raise NotImplementedError

    def condition(self, e: n.Expr, s: State) -> list[tuple[State, bool]]:
        """The ways on behind a condition, with whether it holds."""
        raise NotImplementedError

    def stated(self, e: n.Expr, s: State) -> tuple[Value, bool] | None:
        """The truth of a condition as one value, and whether it is asked itself; None where looking does something."""
        raise NotImplementedError

    def constant(self, e: n.Expr, s: State) -> bool:
        """Whether numbers alone make a condition true."""
        raise NotImplementedError

    def returned(self, e: n.Expr | None, kind: Type, s: State) -> list[Outcome]:
        """What a function gives back."""
        raise NotImplementedError

    def inlined(self, e: n.Call, function: n.FunctionDecl, s: State) -> list[Outcome]:
        """The body of a function, walked with the arguments of a call."""
        raise NotImplementedError

    def declared(self, decl: n.VarDecl, s: State) -> list[State]:
        """A variable comes to life."""
        raise NotImplementedError

    def ended(self, decl: n.VarDecl, s: State) -> list[State]:
        """A variable goes out of scope."""
        raise NotImplementedError

    def host_access(self, at: Place, span: Span, s: State, writes: bool) -> None:
        """The host reads or writes a place."""
        raise NotImplementedError

    def release(self, given: Value, span: Span, s: State, verb: str) -> None:
        """Give back what a value leads to."""
        raise NotImplementedError

    def step(self, states: Sequence[State]) -> None:
        self.steps += len(states)
        if self.steps > STEPS:
            raise OverBudget

    # ------------------------------------------------------------------------------------------------- statements

    def run(self, stmt: n.Stmt | None, states: list[State]) -> list[State]:
        """The ways on from ``states`` behind a statement."""
        raise NotImplementedError

    def each(self, expr: n.Expr | None, states: list[State]) -> list[State]:
        """The ways behind an expression whose value nobody wants."""

        if expr is None:
            return states
        out = [after for state in states for after, _ in self.value(expr, state)]
        return merged(out, STATES)

    def split(self, cond: n.Expr | None, states: list[State]) -> tuple[list[State], list[State]]:
        """The ways on which a condition holds, and those on which it does not."""

        if cond is None:
            return states, []
        yes: list[State] = []
        no: list[State] = []
        for state in states:
            for after, truth in self.condition(cond, state):
                (yes if truth else no).append(after)
        return merged(yes, STATES), merged(no, STATES)

    def end_scope(
        self,
        decls: Iterable[n.VarDecl],
        states: list[State],
        at: Span,
        returned: n.VarDecl | None = None,
        thrown: bool = False,
    ) -> list[State]:
        """Variables go out of scope ``at`` a place, the last one first; the one that is ``returned`` lives on."""

        before, self.leaving = self.leaving, (at, thrown)
        for decl in reversed(list(decls)):
            if decl is not returned:
                states = [after for state in states for after in self.ended(decl, state)]
        self.leaving = before
        return states

    def caught(self, span: Span) -> bool:
        """Whether what is thrown at a place may be caught by one of the functions on the way."""
        for index, frame in enumerate(self.frames):
            at = self.frames[index + 1].call if index + 1 < len(self.frames) else span
            for loss in frame.function.losses:
                inside = at is not None and loss.span.file == at.file and loss.span.start <= at.start < loss.span.end
                if loss.kind == "handler" and inside:
                    return True
        return False

    def outer(self, span: Span) -> Span:
        """A place as the walked function sees it: the call that leads there."""
        return next((frame.call for frame in self.frames if frame.call is not None), span)
