"""Verdicts: what is proved of a kernel, under which assumptions, or why it is not.

For each kernel variant and property (races, barriers, bounds) one of: ``proved``, possibly under assumptions;
``refuted`` by a fault that the emulator saw happen; ``unknown`` for a reason.  Whatever the walk of the kernel did not
follow makes a verdict unknown: absence of evidence proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import RECURSION, TOO_DEEP, RootKind, Trace
from kernlint.finding import Witness
from kernlint.prove import algebra
from kernlint.prove.query import Answer, Axes, Bounds, Budget, Launch, Overlap, Proved, Unknown
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, binary, cast
from kernlint.text.launchwords import in_language
from kernlint.tree.nodes import Barrier, Call, ImageOp
from kernlint.tree.types import BOOL, I64, IntType, Space
from kernlint.tree.walk import functions_of, walk

QUERIES = 400
"""Questions asked for one property of one kernel; a kernel that takes more is unknown."""

SOLVER = 8
"""Of these, how many may go to an SMT solver."""

PLAIN = Budget(rlimit=0)
QUICK = Budget(steps=150, points=2_000, rlimit=0)
FULL = Budget()
HASTY = Budget(steps=80, points=0, rlimit=0)

FEW = 3
"""Questions asked of one kernel in haste."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one property.

    ``status``: ``proved``, ``refuted`` or ``unknown``.  ``assumptions``: what a proof or
    refutation rests on, in words; ``reason``:
    why it is unknown, or in a word what was proved.  ``span``: the fault, or what stands in the way; ``witness``: of
    a refutation, replayed.
    """

    status: str
    assumptions: tuple[str, ...] = ()
    reason: str = ""
    span: Span | None = None
    witness: Witness | None = None


def told_in(verdict: Verdict, language: str) -> Verdict:
    """``verdict`` in the words of a source's ``language``."""
    assumptions = tuple(in_language(text, language, said=True) for text in verdict.assumptions)
    return replace(verdict, assumptions=assumptions, reason=in_language(verdict.reason, language))


def unknown(reason: str, span: Span | None = None) -> Verdict:
    """No verdict."""
    return Verdict("unknown", reason=reason, span=span)


@dataclass(frozen=True, slots=True)
class Rung:
    """A set of launches about which to ask: all of them, or fewer under ``assumptions``."""

    launch: Launch
    premises: tuple[Term, ...] = ()
    assumptions: tuple[str, ...] = ()


class Ladder:
    """Asks about all launches first, then about fewer and fewer, and remembers what had to be assumed.

    Rungs: every launch that attributes and the user allow; axes that the kernel never reads are 1; the block that is
    in sight or that the kernel's own constants speak for; no more threads along x than a row has elements.  In haste
    only the second is asked about, few times, and by algebra alone.
    """

    def __init__(self, facts: Facts, *, hasty: bool = False) -> None:
        of, believed, said = facts[trace], facts[scenarios], facts[assumed]
        self.rungs = tuple(_rungs(facts, of, believed, said))
        self.hasty = hasty
        if hasty:
            self.rungs = self.rungs[-1:]
        self.left = FEW if hasty else QUERIES
        self.solver = SOLVER
        self.assumptions: dict[str, None] = dict.fromkeys((*sorted(of.assumptions), *said.texts))

    def proves(self, query: Callable[[Rung], Overlap | Bounds], *, guess: bool = False) -> Answer:
        """The proof for the largest set of launches that has one, else the last answer.

        A ``guess``, one of several ways to state a bound, gets less effort: the largest and the smallest set.
        """
        answer: Answer = Unknown("no launch to ask about")
        for rung in dict.fromkeys((self.rungs[0], self.rungs[-1])) if guess else self.rungs:
            if self.left <= 0:
                return Unknown("too many pairs of accesses to look at")
            self.left -= 1
            if self.hasty:
                answer = algebra.prove(query(rung), HASTY) or answer
            else:
                answer = solve(query(rung), QUICK if guess else PLAIN)
            last = rung is self.rungs[-1] and not (guess or self.hasty)
            if isinstance(answer, Unknown) and last and self.solver > 0:
                self.solver -= 1
                answer = solve(query(rung), FULL)
            if isinstance(answer, Proved):
                self.assume(*rung.assumptions, *answer.assumptions)
                return answer
        return answer

    def assume(self, *words: str) -> None:
        """Note what a proof rests on."""
        self.assumptions.update(dict.fromkeys(words))

    def proved(self, reason: str = "") -> Verdict:
        """The verdict when all questions have been answered."""
        whole = any(text.startswith("block = ") for text in self.assumptions)
        words = (
            text for text in self.assumptions if not (whole and text.startswith("block.") and text.endswith(" = 1"))
        )
        return Verdict("proved", tuple(words), reason)


def _rungs(facts: Facts, of: Trace, believed: Scenarios, said: Assumed) -> Iterator[Rung]:
    bounds = facts.function.bounds
    block: Axes = bounds.required or said.block or facts.options.block or (None, None, None)
    grid: Axes = said.grid or facts.options.grid or (None, None, None)
    given: list[str] = []
    if facts.options.block is not None and block == facts.options.block:
        given.append(f"block = {product(facts.options.block)}, as given")
    if facts.options.grid is not None and grid == facts.options.grid:
        given.append(f"grid = {product(facts.options.grid)}, as given")
    most = 1024
    if None not in block:
        x, y, z = (size or 1 for size in block)
        most = x * y * z
    elif bounds.max_threads is not None:
        most = bounds.max_threads
    free = Launch(block, grid, most, said.numbers)
    yield Rung(free, said.premises, tuple(given))
    flat, words = _flat(block, believed.threads, "block") if any(believed.threads) else (block, ())
    low, more = _flat(grid, believed.blocks, "grid")
    if words or more:
        yield Rung(replace(free, block=flat, grid=low), said.premises, (*given, *words, *more))
    last = Rung(replace(free, block=flat, grid=low), said.premises, (*given, *words, *more))
    if None in block:
        shapes_ = [shape for shape in believed.plausible if shape.threads <= most]
        if len(shapes_) == 1 or (shapes_ and not believed.seen):
            last = _shaped(shapes_[0], free, low, said, (*given, *more))
            yield last
    for pitch in _pitches(of):
        width = binary("mul", cast(BLOCK_DIM[0].term, I64), cast(GRID_DIM[0].term, I64), I64)
        premise = binary("le", width, cast(pitch.term, I64), BOOL)
        text = f"block.x * grid.x <= {pitch.name}"
        last = Rung(last.launch, (*last.premises, premise), (*last.assumptions, text))
        yield last


def _pitches(of: Trace) -> list[Symbol]:
    """Arguments that are the length of a row: beside them in the address of a write the x index stands alone."""
    found: dict[Symbol, None] = {}
    for access in of.accesses:
        if not access.writes or access.root.space is not Space.GLOBAL:
            continue
        form = polynomial(access.offset).coefficients
        if not any(THREAD[0].term in mono for mono in form):
            continue
        for mono in form:
            rows = any(atom.op == "sym" and atom.args[0].kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for atom in mono)
            if len(mono) > 1 and rows:
                found.update((a.args[0], None) for a in mono if a.op == "sym" and a.args[0].kind is SymbolKind.PARAM)
    return [symbol for symbol in found if isinstance(symbol.type, IntType)][:2]


def _shaped(shape: Scenario, free: Launch, low: Axes, said: Assumed, words: Sequence[str]) -> Rung:
    grid = shape.grid if shape.seen and None not in shape.grid else low
    text = f"block = {product(shape.block)} ({shape.reason})"
    extra = (f"grid = {product(shape.grid)}",) if grid is shape.grid else tuple(words)
    return Rung(replace(free, block=shape.block, grid=grid, max_threads=shape.threads), said.premises, (text, *extra))


def _flat(axes: Axes, read: Sequence[bool], what: str) -> tuple[Axes, tuple[str, ...]]:
    """``axes`` with 1 for those that are free and that the kernel does not read, and that in words."""
    x, y, z = (1 if size is None and not used else size for size, used in zip(axes, read, strict=True))
    names = [f"{what}.{name}" for name, size, used in zip("xyz", axes, read, strict=True) if size is None and not used]
    return (x, y, z), ((" = ".join([*names, "1"]),) if names else ())


def product(sizes: Sequence[int | None]) -> str:
    """``16 x 16``: sizes without ones at the end."""
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return " x ".join(map(str, sizes))


def obstacle(facts: Facts, of: Trace, images: bool = False) -> Verdict | None:
    """What in a kernel stands in the way of any proof about its memory accesses; ``images``: the pixels that it writes
    are among those."""
    for loss in facts.losses:
        return unknown(f"not understood: {loss.reason}", loss.span)
    for gap in of.gaps:
        return unknown(gap.reason, gap.span)
    for call in of.calls:
        if call.reason in (RECURSION, TOO_DEEP):
            return unknown(f"the call of {call.name} is not followed: {call.reason}", call.span)
        held = isinstance(call.node, Call) and call.node.receiver is not None  # a function that a variable holds
        if call.writes or call.may_sync or held:
            return unknown(f"the call of {call.name} is not followed", call.span)
    for barrier in of.barriers:
        if isinstance(barrier.node, Barrier) and barrier.node.predicate is None and barrier.node.args:
            return unknown(f"what {barrier.name} fences is not a constant", barrier.span)
    for function in functions_of(facts.kernel):
        for node in walk(function):
            if isinstance(node, ImageOp) and node.write and not images:
                return unknown("images are not followed", node.span)
    for copy in of.asyncs:
        return unknown("asynchronous copies", copy.span)
    for access in of.accesses:
        if access.root.kind in (RootKind.UNKNOWN, RootKind.LOADED):
            return unknown("a pointer of unknown origin", access.span)
        if access.writes and access.root.space not in (Space.GLOBAL, Space.SHARED, Space.PRIVATE):
            return unknown("a write to memory of unknown kind", access.span)
        if access.asynchronous or not access.size or access.size < 0:
            return unknown("an access of unknown size", access.span)
    return None


def pure_calls(of: Trace) -> Iterator[str]:
    """What calls that are not followed are taken to do, in words."""
    for name in dict.fromkeys(call.name for call in of.calls):
        yield f"{name} touches no memory"
