"""Races in shared memory: concurrent pairs of accesses that two threads make to one place.

A race is kept only with a witness: a block that somebody would launch (see :mod:`kernlint.analysis.scenarios`) and two
threads of it for which both conditions hold and the bytes overlap.  It has to show under every shape that is
guessed, or under one that is in sight.  Threads of two different warps are tried first: they leave no excuse.  Pairs
of one warp count only where no warp barrier or collective stands between.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping

from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.inputs import opened
from kernlint.analysis.order import order
from kernlint.analysis.pairs import (
    Pair,
    awaited,
    collective,
    concurrent,
    conflicting,
    known,
    of_thread,
    opaque,
    put_before,
    same_value,
    unended,
    usable,
    waits,
)
from kernlint.analysis.rows import inside_rows
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.solving import solved
from kernlint.analysis.touches import Toucher
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, LoopContext, Root, RootKind, Trace
from kernlint.analysis.unseen import past
from kernlint.prove.enumerate import search
from kernlint.prove.meet import WARP
from kernlint.prove.query import SETTLED, Budget, Launch, Overlap, Refuted, Side, is_shared
from kernlint.record import dataclass, field, replace
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    negate,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Scope
from kernlint.tree.types import BOOL, I64, IntType, Space, StructType

QUERIES = 80
"""Questions asked of the prover for one kernel; pairs beyond them are not looked at."""

PAIRS = 10_000
"""Pairs of accesses to one object that are looked at at all, nearest first."""

LARGE = 600
"""Nodes of the terms of a question for which it counts once more."""

ALIKE = 16
"""Questions asked of pairs at the same two places in the source: those of a helper that is called many times."""

BUDGET = Budget(steps=200, points=12_000, rlimit=0)

ACROSS = 4_000
"""Points for a question about two blocks: where they meet shows in a few threads of each."""

POINTS, SHARE, LEAST = 400_000, 12, 1_500
"""Points that enumeration may spend on a kernel, as :attr:`Budget.points` counts them; a question gets that part of
what is left, and at least some."""

LITTLE = 8
"""Work that a few threads do in a few rounds."""

PLENTY = 100_000
"""Work for many rounds of any loop over it."""

WAVE = 64
"""Threads of a wavefront on AMD hardware (32 on some: two threads of different waves of 64 are in different ones)."""

PITCHES = (20_800, 6_240_000, 1_872_000_000, 1_151_860_736_000, 1_179_505_393_664_000)
"""Values for scalars that stand in an address and bound nothing: each far larger than the one before, so that a pitch
is larger than what it separates and no two strides make up for each other; whole numbers of 64 bytes."""

PORTION = 64
"""The value of scalars by which an address is divided and nothing is multiplied: what several threads share."""

ADDED = (200_000_000, 230_000_000, 260_000_000, 290_000_000, 320_000_000, 350_000_000, 380_000_000, 410_000_000)
"""Values for scalars that are only added to an address: far from it, and from each other."""


Numbers = tuple[tuple[Symbol, int], ...]
"""Values of symbols."""


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses that collide: ``witness`` under ``shape``.  ``same_warp``: only those of one warp were asked for.
    ``run``: threads of a warp, or of a wavefront where the kernel is written for such."""

    pair: Pair
    witness: Refuted
    shape: Scenario
    same_warp: bool = False
    run: int = 32

    @property
    def root(self) -> Root:
        """The object that both access."""
        return self.pair.first.root

    @property
    def in_step(self) -> bool:
        """Whether threads of two warps were asked for and none meet: with threads of a warp in step all is in order.
        That is what kernels count on that were written for one vendor's hardware; OpenCL promises nothing of it."""
        if self.same_warp or self.witness.second is None:
            return False
        x, y, _ = self.witness.block
        first, second = (
            (at[0] + x * (at[1] + y * at[2])) // self.run
            for at in (self.witness.first.thread, self.witness.second.thread)
        )
        return first == second

    @property
    def accesses(self) -> tuple[Access, Access]:
        """Both accesses, the one that comes first in time first."""
        if self.pair.reversed:
            return self.pair.second, self.pair.first
        return self.pair.first, self.pair.second


@dataclass(slots=True)
class Asker:
    """Asks the prover about pairs, remembers the answers and counts the questions.

    ``unseen``: calls out of sight that may hold a barrier, without a word of it.
    ``said``: what the user takes for granted of launches.  ``waves``: threads of one run of :data:`WAVE` threads are
    in order by themselves, as on AMD hardware, and in OpenCL kernels that count on sub-groups.  ``runs``: the kernel
    gives each such run work of its own.
    """

    shapes: Scenarios
    language: str
    waves: bool = False
    runs: bool = False
    said: Assumed = field(default_factory=Assumed)
    left: int = QUERIES
    points: int = POINTS
    toucher: Toucher = field(default_factory=Toucher)
    answers: dict[Overlap, Refuted | None] = field(default_factory=dict)
    unseen: tuple[BarrierEvent, ...] = ()

    def race(self, pair: Pair, *, warp: bool = False) -> Race | None:
        """The race of a pair, when it shows under each shape (under one, when they were seen)."""
        found: Race | None = None
        for shape in self.shapes.plausible:
            witness = self._under(pair, shape, warp)
            if witness is not None:
                found = found or Race(pair, witness, shape, warp)
                if self.shapes.seen:
                    break
            elif not self.shapes.seen:
                return None
        if found is not None and self.runs and not warp and not self.waves:
            found = self._of_runs(found)
        guessed_size = found is not None and not self.shapes.seen and _sized_by_launch(pair)
        return None if guessed_size and self._under(pair, self._small(), warp) is None else found

    def _small(self) -> Scenario:
        """A block of two warps."""
        return Scenario((WARP, 2, 1) if self.shapes.threads[1] else (2 * WARP, 1, 1))

    def _of_runs(self, race: Race) -> Race:
        """``race`` of a kernel written for wavefronts, between threads of two of them if any meet."""
        race = replace(race, run=WAVE)
        if race.in_step and race.shape.threads > WAVE:
            self.waves = True
            wider = self._under(race.pair, race.shape, False)
            self.waves = False
            race = race if wider is None else replace(race, witness=wider)
        return race

    def _under(self, pair: Pair, shape: Scenario, warp: bool) -> Refuted | None:
        if shape.threads < 2:
            return None
        warps: tuple[int, ...] = (0,)
        if any(symbol is WARP_SIZE for at in (pair.a, pair.b) for symbol in at.symbols):
            warps = (64, 32)
        found: Refuted | None = None
        for size in warps:
            found = self._within(pair, shape, warp, ((WARP_SIZE, size),) if size else ())
            if found is None:
                return None
        return found

    def _within(self, pair: Pair, shape: Scenario, warp: bool, values: Numbers) -> Refuted | None:
        values = (*values, *trips(pair, shape), *addresses(pair), *self.said.numbers)
        values = (*values, *stated(pair, values))
        launch = Launch.of(self.shapes.admission, shape.block, shape.grid, shape.threads, values)
        premises = (*self.said.premises, *went_round(pair, launch), *powers(pair))
        free: Pair | None = None
        for a, b, same, apart in self._variants(pair, shape, warp):
            query = Overlap(
                a,
                b,
                "block",
                pair.tied,
                exclude_same_warp=apart,
                require_same_warp=same,
                premises=premises,
                private=pair.private - {symbol for symbol, _ in launch.values},
                launch=launch,
            )
            query = replace(query, premises=(*premises, *equalities(query)))
            if self.toucher.apart(a, b, pair.tied, launch, warps=apart):
                continue
            if unsettled(query):
                free = free or opened(pair)
                witness = None if free is None else self._with_inputs(free, query)
                if witness is not None:
                    return witness
                continue
            witness = self._found(query, pair.first.root)
            if witness is not None and not warp and equal_values(pair, witness):
                witness = self._unequal(pair, query, shape)
            if witness is None or witness.data_in_address or not self._generic(query):
                continue
            if pair.first is not pair.second or self.shapes.seen or self.toucher.crowded(pair.a, launch):
                return witness
        return None

    def _with_inputs(self, free: Pair, query: Overlap) -> Refuted | None:
        """A witness with contents of memory that lead both threads to one place."""
        extra_a = tuple(guard for guard in query.a.guards if guard not in free.a.guards and not _on_data(guard))
        extra_b = tuple(guard for guard in query.b.guards if guard not in free.b.guards and not _on_data(guard))
        query = replace(query, a=_with(free.a, *extra_a), b=_with(free.b, *extra_b))
        return self._found(query, free.first.root)

    def _found(self, query: Overlap, root: Root) -> Refuted | None:
        """The witness of a question about ``root``, or of the same one put another way."""
        return (
            self.ask(query)
            or self._little(query)
            or self._plenty(query)
            or solved(query, self.ask)
            or self._granted(query, root)
        )

    def _little(self, query: Overlap) -> Refuted | None:
        """A witness when sizes are so small that all that a loop over them does is seen."""
        known_ = {symbol for symbol, _ in query.launch.values}
        sizes = {
            symbol: None
            for at in (query.a, query.b)
            for fact in at.facts
            for symbol in symbols(fact)
            if scalar(symbol) and is_shared(symbol, query) and symbol not in known_
        }
        ends = (loop.condition for at in (query.a, query.b) for loop in at.counters if loop.condition is not None)
        if not any(symbol in sizes for end in ends for symbol in end.symbols):
            return None
        few = tuple(binary("le", symbol.term, const(LITTLE, symbol.type), BOOL) for symbol in sizes)
        return self.ask(replace(query, premises=(*query.premises, *few)))

    def _plenty(self, query: Overlap) -> Refuted | None:
        """A witness when there is so much work that every loop goes on: scalars that stand in no address are large."""
        placing = {symbol for at in (query.a, query.b) for symbol in symbols(at.offset)}
        known_ = {symbol for symbol, _ in query.launch.values}
        sizes = dict.fromkeys(
            symbol
            for at in (query.a, query.b)
            for loop in at.counters
            if loop.condition is not None
            for symbol in symbols(loop.condition)
            if scalar(symbol) and is_shared(symbol, query) and symbol not in placing and symbol not in known_
        )
        if not sizes:
            return None
        return self.ask(replace(query, launch=query.launch.told(tuple((symbol, PLENTY) for symbol in sizes))))

    def _granted(self, query: Overlap, root: Root) -> Refuted | None:
        """A witness when conditions on data hold as they may (see :func:`without_data`)."""
        a, b = without_data(query, root)
        if a == query.a and b == query.b:
            return None
        witness = self.ask(replace(query, a=a, b=b))
        return None if witness is None else replace(witness, depends_on_data=True)

    def _unequal(self, pair: Pair, query: Overlap, shape: Scenario) -> Refuted | None:
        """Two threads that do not write one value, after two neighbours that did: they are looked for in the two halves
        of the block, and among the last one and the others."""
        for middle in dict.fromkeys((shape.threads // 2, shape.threads - 1)):
            a = _with(query.a, _half(shape.block, True, middle))
            b = _with(query.b, _half(shape.block, False, middle))
            witness = self.ask(replace(query, a=a, b=b))
            if witness is not None and not equal_values(pair, witness):
                return witness
        return None

    def _variants(self, pair: Pair, shape: Scenario, warp: bool) -> Iterator[tuple[Side, Side, bool, bool]]:
        """(a, b, within one warp, in different warps) to ask for, best witness first."""
        if warp:
            yield pair.a, pair.b, True, False
        elif self.waves:
            if shape.threads > WAVE:
                low, high = _half(shape.block, True), _half(shape.block, False)
                yield _with(pair.a, low), _with(pair.b, high), False, False
                yield _with(pair.a, high), _with(pair.b, low), False, False
        else:
            if shape.threads > 32:
                yield pair.a, pair.b, False, True
            if self.language == "opencl":
                yield pair.a, pair.b, False, False

    def ask(self, query: Overlap) -> Refuted | None:
        """The prover's witness, or None."""
        if query in self.answers:
            return self.answers[query]
        if self.left <= 0:
            return None
        size = sum(term.size for at in (query.a, query.b) for term in (at.offset, *at.facts))
        self.left -= 1 + size // LARGE
        most = BUDGET.points if query.within == "block" else ACROSS
        budget = replace(BUDGET, points=min(most, max(LEAST, self.points // SHARE)))
        # Nothing is made of a proof here, and most pairs that get this far have a witness or none that is small.
        result, spent = search(query, budget)
        self.points -= spent
        self.answers[query] = result
        return result

    def _generic(self, query: Overlap) -> bool:
        """Whether the threads still meet when the scalars in the addresses have values without coincidences."""
        found: dict[Symbol, None] = {}
        for at in (query.a, query.b):
            found.update((s, None) for s in symbols(at.offset) if scalar(s) and is_shared(s, query))
        settled = {symbol for symbol, _ in query.launch.values}
        settled |= {s for s in found if _is_power(s) in query.premises}
        found = {s: None for s in found if s not in self.said.fixed and s not in settled}
        if not found:
            return True
        values = pitches(found, query)
        if values is None:
            return False
        return self.ask(replace(query, launch=query.launch.told(tuple(values)))) is not None


def _sized_by_launch(pair: Pair) -> bool:
    """Whether copies fill parts of dynamic shared memory: a block that was guessed too large would fill more."""
    return pair.first.root.extent is None and any(map(of_thread, (pair.first, pair.second)))


@functools.lru_cache(maxsize=1 << 12)
def monomials(term: Term) -> tuple[Monomial, ...]:
    """The monomials of an integer term, and those of the operands of what is no polynomial in it."""
    if not isinstance(term.type, IntType):
        return ()
    found: dict[Monomial, None] = {}
    for mono in polynomial(term).coefficients:
        found[mono] = None
        for atom in mono:
            for arg in atom.terms:
                found.update(dict.fromkeys(monomials(arg)))
    return tuple(found)


def pitches(scalars: Iterable[Symbol], query: Overlap) -> list[tuple[Symbol, int]] | None:
    """Values for ``scalars`` of addresses (see :data:`PITCHES`); None when there are too many."""
    factors: set[Symbol] = set()
    divisors: set[Symbol] = set()
    for at in (query.a, query.b):
        for term in (at.offset, *at.facts):
            for mono in monomials(term):
                if len(mono) > 1:
                    factors.update(atom.args[0] for atom in mono if atom.op == "sym")
                for atom in mono:
                    if atom.op in ("div", "mod"):
                        (divisors if atom.op == "div" else factors).update(symbols(atom.args[1]))
    out: list[tuple[Symbol, int]] = []
    left, added = list(PITCHES), list(ADDED)
    for symbol in scalars:
        if symbol in divisors and symbol not in factors:
            out.append((symbol, PORTION))
            continue
        if symbol not in factors and added and isinstance(symbol.type, IntType) and symbol.type.high >= added[0]:
            out.append((symbol, added.pop(0)))
            continue
        if not left or not isinstance(symbol.type, IntType) or left[0] > symbol.type.high:
            return None
        out.append((symbol, left.pop(0)))
    return out


def equalities(query: Overlap) -> Iterator[Term]:
    """Conditions of both threads that say what an argument is: they are solved for it, not tried out."""
    for at in (query.a, query.b):
        for guard in at.guards:
            if guard.op == "eq" and all(is_shared(symbol, query) for symbol in guard.symbols):
                yield guard


ROUNDS = 5000
"""Iterations over which a loop's end is looked for."""


def went_round(pair: Pair, launch: Launch) -> list[Term]:
    """That loops ran at least once whose number of rounds is not known: no work, no fault."""
    known_ = {symbol for symbol, _ in launch.values}
    free = dict.fromkeys(
        symbol
        for at in (pair.a, pair.b)
        for symbol in at.symbols
        if symbol.kind is SymbolKind.TRIPS and symbol not in known_ and symbol.uniformity <= Uniformity.BLOCK
    )
    return [binary("le", const(1, symbol.type), symbol.term, BOOL) for symbol in free]


def powers(pair: Pair) -> list[Term]:
    """That scalars are powers of two where masks are made of them, or of half of them: ``x & (p / 2 - 1)`` is meant to
    be ``x % (p / 2)``."""
    found: dict[Symbol, None] = {}
    for at in (pair.a, pair.b):
        for term in (at.offset, *at.facts):
            found.update(dict.fromkeys(_masks(term)))
    return list(map(_is_power, found))


@functools.lru_cache(maxsize=1 << 12)
def _masks(term: Term) -> tuple[Symbol, ...]:
    """The scalars of which some power of two part less 1 is a mask in ``term``."""
    found: dict[Symbol, None] = {}
    if term.op == "and":
        for mask in term.args:
            while mask.op in ("cast", "not"):
                mask = mask.args[0]
            symbol = _scaled(mask.args[0]) if mask.op == "add" and _is_minus_one(mask.args[1]) else None
            if symbol is not None:
                found[symbol] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_masks(arg)))
    return tuple(found)


def _is_minus_one(term: Term) -> bool:
    return isinstance(term.type, IntType) and term.value in (-1, term.type.wrap(-1))


def _scaled(term: Term) -> Symbol | None:
    """The scalar of which a term is half, a quarter, twice..."""
    while term.op in ("cast", "shl", "shr") or (term.op in ("div", "mul") and _is_one_bit(term.args[1].value)):
        term = term.args[0]
    return term.symbol if term.symbol is not None and scalar(term.symbol) else None


def _is_one_bit(value: int | None) -> bool:
    return value is not None and value > 0 and value & (value - 1) == 0


def _is_power(symbol: Symbol) -> Term:
    """That a scalar is a power of two (or 0)."""
    less = binary("add", symbol.term, const(-1, symbol.type), symbol.type)
    return binary("eq", binary("and", symbol.term, less, symbol.type), const(0, symbol.type), BOOL)


def trips(pair: Pair, shape: Scenario) -> tuple[tuple[Symbol, int], ...]:
    """How often the loops that a pair speaks of ran, where the launch alone decides it."""
    return trips_of((*pair.a.symbols, *pair.b.symbols), shape)


def trips_of(mentioned: Iterable[Symbol], shape: Scenario) -> tuple[tuple[Symbol, int], ...]:
    """How often the loops ran whose counts are ``mentioned``, where the launch alone decides it."""
    found: dict[Symbol, int] = {}
    env = dict(zip(BLOCK_DIM, shape.block, strict=True))
    for symbol in dict.fromkeys(mentioned):
        if symbol.kind is SymbolKind.TRIPS and symbol.uniformity <= Uniformity.BLOCK:
            count = _count(symbol.origin, env)
            if count is not None:
                found[symbol] = count
    return tuple(found.items())


def _count(loop: LoopContext, env: dict[Symbol, int]) -> int | None:
    condition = loop.condition
    if condition is None or loop.exits or loop.leaves:
        return None
    if not all(symbol is loop.counter or symbol in env for symbol in symbols(condition)):
        return None
    for turn in range(ROUNDS):
        holds = evaluate(condition, {**env, loop.counter: turn})
        if holds is None:
            return None
        if not holds:
            return turn + 1 if loop.post_tested else turn
    return None


def addresses(pair: Pair) -> tuple[tuple[Symbol, int], ...]:
    """Addresses for the objects whose own address a pair speaks of: aligned ones, as allocators give them."""
    found = dict.fromkeys(
        symbol
        for at in (pair.a, pair.b)
        for symbol in at.symbols
        if symbol.kind is SymbolKind.UNKNOWN and isinstance(symbol.origin, Root)
    )
    known_ = (symbol for symbol in found if symbol.origin.kind is not RootKind.UNKNOWN)
    return tuple((symbol, (at + 1) << 28) for at, symbol in enumerate(known_))


def stated(pair: Pair, known_: Iterable[tuple[Symbol, int]]) -> tuple[tuple[Symbol, int], ...]:
    """Values that conditions of the accesses give to scalars: ``mode == 0``, where 0 is no size."""
    settled = {symbol for symbol, _ in known_}
    found: dict[Symbol, int] = {}
    for at in (pair.a, pair.b):
        for guard in at.guards:
            symbol = guard.args[0].symbol if guard.op == "eq" else None
            value = guard.args[1].value if symbol is not None else None
            if symbol is not None and value is not None and scalar(symbol) and symbol not in settled:
                found.setdefault(symbol, value)
    return tuple(found.items())


def scalar(symbol: Symbol) -> bool:
    """Whether a symbol is an integer fixed before the launch: an argument, memory that is the same for the grid, or
    the size of a type that is not known (the pitch of an array whose bounds come from a missing header)."""
    if not isinstance(symbol.type, IntType):
        return False
    if symbol.kind is SymbolKind.LOAD:
        return symbol.uniformity is Uniformity.GRID
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF)


def unsettled(query: Overlap) -> bool:
    """Whether the threads meet only by the grace of a value of which nothing is known: memory, loop variables
    without a closed form, what is not modelled.  Where both addresses add it alike it does not matter."""
    known_ = {symbol for symbol, _ in query.launch.values}
    parts = []
    for side in (query.a, query.b):
        odd = {}
        for mono, value in polynomial(side.offset).coefficients.items():
            inside = [symbol for atom in mono for symbol in symbols(atom)]
            if not any(s.kind not in _SETTLED and s not in known_ and not _shared_scalar(s, query) for s in inside):
                continue
            if not all(is_shared(symbol, query) for symbol in inside):
                return True
            odd[mono] = value
        parts.append(odd)
    return parts[0] != parts[1]


def truncated(term: Term, made: Callable[[Term], Term], found: dict[Term, Term]) -> None:
    """What ``made`` makes of each integer in ``term`` that comes from a number in floating point: the cell that a
    position is in."""
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        found[term] = made(term)
        return
    for arg in term.terms:
        truncated(arg, made, found)


def _shared_scalar(symbol: Symbol, query: Overlap) -> bool:
    return scalar(symbol) and is_shared(symbol, query)


_SETTLED = SETTLED - {SymbolKind.LOAD} | {SymbolKind.THREAD, SymbolKind.COUNTER}


def asker_of(facts: Facts, of: Trace) -> Asker:
    """Who asks for the pairs of one kernel.  The analysis that calls needs :data:`scenarios` and
    :data:`assumed`."""
    language = facts.module.language
    grouped = language == "opencl" and _counts_on_groups(of)
    runs = language == "opencl" and any(
        _by_run(a.offset) or any(_by_run(g.term) for g in a.guards) for a in of.accesses
    )
    out_of_sight = tuple(barrier for barrier in of.barriers if barrier.unseen)
    return Asker(facts[scenarios], language, language == "hip" or grouped, runs, facts[assumed], unseen=out_of_sight)


@functools.lru_cache(maxsize=1 << 12)
def _by_run(term: Term) -> bool:
    """Whether threads are counted within runs of :data:`WAVE`, or such runs are: ``t & 63``, ``t / 64``."""
    by = {"and": WAVE - 1, "mod": WAVE, "div": WAVE, "shr": 6}.get(term.op)
    if by is not None and term.args[1].value == by:
        return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term.args[0]))
    return any(map(_by_run, term.terms))


def _counts_on_groups(of: Trace) -> bool:
    """Whether a kernel has barriers of sub-groups, or gives each sub-group a part of shared memory of its own."""
    if any(barrier.scope is Scope.WARP for barrier in of.barriers):
        return True
    shared = (access for access in of.accesses if access.writes and access.root.space is Space.SHARED)
    return any(WARP_SIZE in access.offset.symbols and THREAD[0] in access.offset.symbols for access in shared)


def _with(side: Side, *guards: Term) -> Side:
    return replace(side, guards=(*side.guards, *guards)) if guards else side


def _half(block: tuple[int, int, int], low: bool, size: int = WAVE) -> Term:
    """Whether a thread is among the first ``size`` of its block (``low``), or a later one."""
    x, y, z = (cast(symbol.term, I64) for symbol in THREAD)
    row = binary("add", y, binary("mul", z, const(block[1]), I64), I64)
    linear = binary("add", x, binary("mul", row, const(block[0]), I64), I64)
    limit = const(size)
    return binary("lt", linear, limit, BOOL) if low else binary("le", limit, linear, BOOL)


def followed(of: Trace) -> bool:
    """Whether the walk saw enough of the kernel to speak of its phases.

    What it did not understand on the way is told at the accesses that it concerns (see ``Event.doubted``).
    """
    return not any(gap.kind == "budget" for gap in of.gaps)


def unbroken(of: Trace) -> bool:
    """Whether the walk followed every statement, so that what is not in the trace is not in the kernel."""
    return not any(gap.kind in ("goto", "budget", "statement", "lost") for gap in of.gaps)


def candidates(of: Trace, accesses: Iterable[Access], *, warp: bool = False) -> Iterator[Pair]:
    """Concurrent conflicting pairs among ``accesses`` of ``of``, pairs of writes with themselves first."""
    ended = waits(of.asyncs)
    by_root: dict[int, list[Access]] = {}
    for access in accesses:
        if known(access) or of_thread(access):
            by_root.setdefault(id(access.root), []).append(access)
    for group in by_root.values():
        last = {
            id(access): frozenset(
                id(label.barrier) for label in (access.warp_labels if warp else access.labels) if usable(label)
            )
            for access in group
        }
        writing = [access.writes for access in group]
        for gap in range(min(len(group), 1 + PAIRS // len(group))):
            for at, second in enumerate(group[gap:]):
                if not (writing[at] or writing[at + gap]):
                    continue
                first = group[at]
                if not collective(first) and last[id(first)].isdisjoint(last[id(second)]):
                    continue  # another barrier stands between
                if not conflicting(first, second) or same_value(first, second, warp=warp):
                    continue
                if awaited(first, second, ended):
                    continue
                if guessed(first, second) or guessed(second, first):
                    continue
                if collective(first) and not warp and first.order < second.order:
                    yield unended(first, second, ended)
                elif not warp or not (first.asynchronous or second.asynchronous):
                    yield from concurrent(first, second, warp=warp)


_CHECKED = frozenset({"cas", "max", "min", "and", "or"})
"""Atomic operations to which an old value does no harm: they compare with what is there, or let the extreme win."""


def guessed(read: Access, update: Access) -> bool:
    """Whether ``read`` only gives a thread a first guess of what its own atomic ``update`` of the same cell will find:
    the old value that a compare-and-swap loop begins with, or a look whether a maximum would change at all.

    No barrier helps there, and none is needed: where another thread was quicker the update sees to it.
    """
    if read.kind is not AccessKind.READ or update.kind is not AccessKind.ATOMIC or update.atomic_op not in _CHECKED:
        return False
    if read.root is not update.root or read.offset != update.offset or read.order > update.order:
        return False
    terms = [guard.term for guard in update.guards]
    if update.atomic_op == "cas" and update.value is not None:
        terms.append(update.value)
    return any(
        symbol.kind is SymbolKind.LOAD and symbol.origin == (read.root, read.offset) for symbol in _sources(terms)
    )


def _sources(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The symbols of ``terms``, and of what the loop variables among them begin with."""
    seen: set[Symbol] = set()
    left = list(terms)
    while left:
        for symbol in symbols(left.pop()):
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                if symbol.init is not None:
                    left.append(symbol.init)


def keep(pair: Pair, witness: Refuted) -> bool:
    """Whether a witness is worth a word.

    One write met by itself in another thread under a condition on data that differs between threads is mostly the
    mark of a single winner, which nothing here can tell; so is a read of its place under the same condition.  A place
    reached only as an index wraps around is another rule's business.  An argument that holds a table of bits (the
    colours of a sensor's pixels) is none that could be made up.
    """
    if _copied_whole(pair) or any(_tabled(guard) for at in (pair.a, pair.b) for guard in at.guards):
        return False
    if witness.depends_on_data:
        if (pair.first is pair.second and chosen_by_data(pair.a)) or _of_winner(pair) or _of_two_winners(pair):
            return False
        if pair.first.volatile and pair.second.volatile and not _atomic(pair):
            return False
        made = (pair.first.node, pair.second.node)
        if _atomic(pair) and any(s.origin in made for at in (pair.a, pair.b) for s in at.symbols if s.origin):
            return False  # what an atomic operation has returned may well keep the two apart
    if not witness.data_in_address and _wrapped(pair, witness):
        return False
    return not equal_values(pair, witness)


def _of_winner(pair: Pair) -> bool:
    """Whether a read and a write are under one condition on data that differs between threads, and what is written is
    not made from what was read."""
    ours, theirs = set(pair.a.guards), set(pair.b.guards)
    if not any(uniformity(fact) > Uniformity.BLOCK and _on_data(fact) for fact in ours & theirs):
        return False
    for read, write in ((pair.first, pair.second), (pair.second, pair.first)):
        if read.kind is AccessKind.READ and write.kind is AccessKind.WRITE and write.value is not None:
            made = (symbol.origin for symbol in symbols(write.value) if symbol.kind is SymbolKind.LOAD)
            return (read.root, read.offset) not in made
    return False


def _of_two_winners(pair: Pair) -> bool:
    """Whether two writes of one place are each under a condition on data that differs between threads, and the one is
    not the other's opposite: the mark of a single winner, which threads at an edge find in another way."""
    first, second = pair.first, pair.second
    if first.kind is not AccessKind.WRITE or second.kind is not AccessKind.WRITE or first.offset != second.offset:
        return False
    ours, theirs = set(pair.a.facts), set(pair.b.facts)
    apart = not any(_on_data(fact) and negate(fact) in theirs for fact in ours)
    return apart and chosen_by_data(pair.a) and chosen_by_data(pair.b)


def without_data(query: Overlap, root: Root) -> tuple[Side, Side]:
    """Both sides without the conditions on data that can hold whatever the other thread does.

    Those are conditions on data of the thread's own, and conditions on data that both see when the other thread is
    under the very same ones: of a condition and its opposite only one holds.  What ``root`` itself holds, which both
    are about, may keep them apart, but not where two values are compared, as one that is less takes another's place.
    """

    data = _data

    def common(side: Side) -> dict[Symbol, set[Term]]:
        found: dict[Symbol, set[Term]] = {}
        for fact in side.facts:
            for symbol in data(fact):
                if is_shared(symbol, query):
                    found.setdefault(symbol, set()).add(fact)
        return found

    ours, theirs = common(query.a), common(query.b)
    inside = {loop.counter for side in (query.a, query.b) for loop in side.counters}

    def free(term: Term) -> bool:
        found = data(term)
        if _holds(found, root) and not _orders(term):
            return False
        if any(symbol.kind is SymbolKind.TRIPS and symbol.origin.counter in inside for symbol in found):
            return False  # one of the two is in a loop that the other says has not run
        return bool(found) and all(
            not is_shared(symbol, query) or ours.get(symbol, set()) == theirs.get(symbol, set()) for symbol in found
        )

    def freed(side: Side) -> Side:
        loops = tuple(
            replace(loop, condition=None) if loop.condition is not None and free(loop.condition) else loop
            for loop in side.counters
        )
        return replace(side, guards=tuple(guard for guard in side.guards if not free(guard)), counters=loops)

    return freed(query.a), freed(query.b)


def unordered(pair: Pair) -> Pair:
    """The pair without conditions that compare values of the object that it is about (see :func:`without_data`)."""

    def freed(side: Side) -> Side:
        guards = tuple(g for g in side.guards if not (_orders(g) and _holds(_data(g), pair.first.root)))
        return side if len(guards) == len(side.guards) else replace(side, guards=guards)

    a, b = freed(pair.a), freed(pair.b)
    return pair if a is pair.a and b is pair.b else replace(pair, a=a, b=b)


def _data(term: Term) -> set[Symbol]:
    return {symbol for symbol in symbols(term) if symbol.kind not in _SETTLED}


def _holds(found: Iterable[Symbol], root: Root) -> bool:
    """Whether one of the symbols is what ``root`` holds."""
    return any(symbol.kind is SymbolKind.LOAD and symbol.origin[0] is root for symbol in found)


def _orders(term: Term) -> bool:
    """Whether two values from memory are compared: which is the greater is anybody's guess."""
    return term.op in ("lt", "le") and all(map(_data, term.terms))


def _copied_whole(pair: Pair) -> bool:
    """Whether a structure is copied as a whole while a field of it is updated: the field may well go unused."""
    return any(
        one.kind is AccessKind.READ and isinstance(one.type, StructType) and other.kind is AccessKind.ATOMIC
        for one, other in ((pair.first, pair.second), (pair.second, pair.first))
    )


def _tabled(term: Term) -> bool:
    """Whether each thread looks up bits of its own in an argument: ``colours >> 2 * (x & 3) & 3``."""
    if term.op == "shr" and any(symbol.uniformity > Uniformity.GRID for symbol in symbols(term.args[1])):
        return any(map(scalar, symbols(term.args[0])))
    return any(map(_tabled, term.terms))


def _atomic(pair: Pair) -> bool:
    return AccessKind.ATOMIC in (pair.first.kind, pair.second.kind)


def chosen_by_data(side: Side) -> bool:
    """Whether a condition of the access rests on data that is not the same for all threads of a block."""
    return any(uniformity(fact) > Uniformity.BLOCK and _on_data(fact) for fact in side.facts)


def _on_data(term: Term) -> bool:
    if term.op == "sym":
        return term.args[0].kind not in _SETTLED
    return term.op == "call" or any(_on_data(arg) for arg in term.terms)


Env = Mapping[Symbol, int]


def _environments(witness: Refuted) -> tuple[Env, Env]:
    """The values of all symbols for the two threads of a witness."""
    env: dict[Symbol, int] = dict(zip(BLOCK_DIM, witness.block, strict=True))
    env.update(zip(GRID_DIM, witness.grid, strict=True))
    env.update(witness.values)
    assert witness.second is not None
    first, second = (
        {
            **env,
            **dict(zip(THREAD, actor.thread, strict=True)),
            **dict(zip(BLOCK, actor.block, strict=True)),
            **dict(actor.counters),
            **dict(actor.data),
        }
        for actor in (witness.first, witness.second)
    )
    return first, second


def equal_values(pair: Pair, witness: Refuted) -> bool:
    """Whether the two threads of a witness write the same value, made in the same way from the same places.

    What one and the same write puts into an object may come from other places of it: where those change in the same
    phase, that is a race of its own.
    """
    if not pair.first.kind is pair.second.kind is AccessKind.WRITE:
        return False
    if pair.first.value is None or pair.second.value is None:
        return False
    ours, theirs = _environments(witness)
    first, second = (
        None if pair.first is not pair.second else range(actor.offset, actor.offset + side.size)
        for actor, side in ((witness.first, pair.a), (witness.second or witness.first, pair.b))
    )
    value = pinned(pair.first.value, ours, pair.first.root, first)
    return value is not None and value == pinned(pair.second.value, theirs, pair.first.root, second)


def pinned(term: Term, env: Env, written: Root, place: range | None = None) -> object:
    """What ``term`` is for one thread: a number, or how it is made from memory and arguments; None: not known.

    It is not known where it comes from the object that is ``written``, but for bytes of it outside ``place``.
    """
    if term.op == "const":
        return term.args[0]
    if term.op == "sym":
        symbol = term.args[0]
        if symbol in env:
            return env[symbol]
        if symbol.kind is SymbolKind.LOAD:
            return _loaded(symbol, env, written, place)
        return ("same", id(symbol)) if symbol.uniformity is Uniformity.GRID else None
    if term.op == "call" and opaque(term):
        return None
    parts = [pinned(arg, env, written, place) for arg in term.terms]
    if any(part is None for part in parts):
        return None
    return evaluate(term, env) if all(isinstance(part, int) for part in parts) else (term.op, *parts)


def _loaded(symbol: Symbol, env: Env, written: Root, place: range | None) -> object:
    """Which bytes of which object a load is of, as :func:`pinned` has it."""
    root, offset = symbol.origin
    at: object = evaluate(offset, env)
    if root is written:
        size = symbol.type.size
        if place is None or not isinstance(at, int) or size is None:
            return None
        return ("load", id(root), at) if at + size <= place.start or place.stop <= at else None
    if at is None:
        rest = substitute(offset, {s: const(env[s], s.type) for s in symbols(offset) if s in env})
        if any(s.uniformity is not Uniformity.GRID for s in symbols(rest)):
            return None
        at = polynomial(rest)
    return "load", id(root), at


def _wrapped(pair: Pair, witness: Refuted) -> bool:
    """Whether the two offsets of a witness differ when no operation wraps."""
    ours, theirs = _environments(witness)
    first, second = ideal(pair.a.offset, ours), ideal(pair.b.offset, theirs)
    return first is not None and second is not None and not -pair.a.size < first - second < pair.b.size


def ideal(term: Term, env: Mapping[Symbol, int]) -> int | None:
    """Value of an integer term over mathematical integers, as far as sums, products and conversions go."""
    op, args = term.op, term.args
    if op in ("const", "sym"):
        return evaluate(term, env)
    if op == "cast" and isinstance(args[0].type, IntType):
        return ideal(args[0], env)
    if op in ("add", "sub", "mul"):
        a, b = ideal(args[0], env), ideal(args[1], env)
        if op == "add" and args[1].op == "const" and isinstance(term.type, IntType) and not term.type.signed and b:
            b = b - (1 << term.type.bits) if b >> (term.type.bits - 1) else b  # `x - 1` is kept as a sum
        if a is None or b is None:
            return None
        return a + b if op == "add" else a - b if op == "sub" else a * b
    return evaluate(term, env)


Place = tuple[str, int, int]


def place(span: Span) -> Place:
    """A span as a key."""
    return span.file, span.start, span.end


def _compute(facts: Facts) -> tuple[Race, ...]:
    of = facts[trace]
    shared = [access for access in of.accesses if access.root.space is Space.SHARED]
    if not shared or not followed(of):
        return ()
    asker = asker_of(facts, of)
    found: dict[tuple[int, Place, Place], Race] = {}
    _collect(asker, candidates(of, shared), found, warp=False)
    if facts.module.language == "cuda":
        _collect(asker, candidates(of, shared, warp=True), found, warp=True)
    return tuple(race for race in found.values() if facts[order].within_block(*race.accesses) is None)


def _collect(asker: Asker, pairs: Iterable[Pair], found: dict[tuple[int, Place, Place], Race], *, warp: bool) -> None:
    asked: dict[tuple[int, Place, Place], int] = {}
    for pair in pairs:
        key = (id(pair.first.root), place(pair.first.span), place(pair.second.span))
        if key in found or asked.get(key, 0) >= ALIKE:
            continue
        if asker.left <= 0:
            return
        before = asker.left
        asked_of = None if put_before(pair) else past(asker.unseen, pair)
        race = asker.race(inside_rows(asked_of), warp=warp) if asked_of is not None else None
        asked[key] = asked.get(key, 0) + before - asker.left
        if race is not None and keep(pair, race.witness):
            found[key] = race


shared_races = KernelAnalysis("shared_races", _compute, needs=(trace, scenarios, assumed, order))
"""The races in shared memory of one kernel variant: at most one for two places in the source."""


def essential(races: Iterable[Race], most: int = 3) -> tuple[Race, ...]:
    """The few races to speak of: per object, those that name places not yet spoken of, nearest accesses first.

    What rests on no data comes first, and two writes of one place after a read that meets a write; at most ``most``
    for one object, and one for a barrier that would keep its threads apart.  Accesses that are in order as long as the
    threads of a warp run in step are one mistake from one barrier to the next, whatever the objects.
    """

    def rank(race: Race) -> tuple[bool, bool, bool, bool, int, int]:
        first, second = race.accesses
        both_write = first.kind is AccessKind.WRITE and second.kind is AccessKind.WRITE
        distance = abs(second.order - first.order)
        alike = both_write and first is not second
        return race.same_warp, race.in_step, race.witness.depends_on_data, alike, distance, first.order

    chosen: list[Race] = []
    told: dict[int, set[Place]] = {}
    counts: dict[int, int] = {}
    gaps: dict[int, list[tuple[int, int]]] = {}
    ends: set[tuple[int, int]] = set()
    for race in sorted(races, key=rank):
        root = id(race.root)
        here = {place(access.span) for access in race.accesses}
        if here <= told.setdefault(root, set()) or counts.get(root, 0) >= most:
            continue
        if not race.same_warp and _remedied(race, gaps.setdefault(root, []), ends):
            continue
        told[root] |= here
        counts[root] = counts.get(root, 0) + 1
        chosen.append(race)
    return tuple(sorted(chosen, key=lambda race: race.pair.second.order))


def _remedied(race: Race, gaps: list[tuple[int, int]], ends: set[tuple[int, int]]) -> bool:
    """Whether a barrier asked for before keeps the threads of ``race`` apart too; what it asks for is noted in ``gaps``
    (after which access in time, before which one) and ``ends`` (of loop bodies, or after which barrier)."""
    first, second = race.accesses
    if race.in_step or race.pair.carried is not None:
        key = (0, id(race.pair.barrier)) if race.in_step else (id(race.root), id(race.pair.carried))
        if key in ends:
            return True
        ends.add(key)
    elif first is not second:
        for at, (start, end) in enumerate(gaps):
            start, end = max(start, first.order), min(end, second.order)
            if start < end:
                gaps[at] = start, end
                return True
        gaps.append((first.order, second.order))
    return False


def within_warps(races: Iterable[Race]) -> list[Race]:
    """The races between threads of one warp that are mistakes of their own.

    Where threads of two warps collide too a barrier of the block is missing: the one that has to come there orders the
    lanes of a warp as well.
    """
    races = list(races)
    wide = [race for race in races if not race.same_warp]
    return [race for race in races if race.same_warp and not any(_one_barrier(race, other) for other in wide)]


def _one_barrier(race: Race, other: Race) -> bool:
    """Whether one barrier would come between the accesses of both."""
    if race.pair.carried is not other.pair.carried or race.pair.reversed != other.pair.reversed:
        return False
    if race.pair.carried is not None:
        return True
    (a, b), (c, d) = race.accesses, other.accesses
    return a is not b and c is not d and max(a.order, c.order) < min(b.order, d.order)


def read_of_copy(race: Race) -> bool:
    """Whether a thread reads what another one's ``cp.async`` has brought, with no barrier between."""
    first, second = race.accesses
    return of_thread(first) and second.kind is AccessKind.READ and race.pair.carried is None
