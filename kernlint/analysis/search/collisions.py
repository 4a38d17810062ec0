"""The search for two threads that meet: one question for each pair and scenario, put in several ways.

A question is asked as it stands, with little work, with plenty, with conditions solved for sizes, at last with
conditions on data taken to hold.  A witness counts where it shows under each scenario that is guessed, or under one
that is in sight, and where no coincidence of pitches makes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import (
    Pair,
    of_thread,
)
from kernlint.analysis.accesses.touches import Toucher
from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts
from kernlint.analysis.excuses.blocks import met_by_made_up_numbers
from kernlint.analysis.excuses.values import equal_values
from kernlint.analysis.scenarios.axes import read_in_mode
from kernlint.analysis.scenarios.bits import all_kept, in_addresses, with_bits_apart
from kernlint.analysis.scenarios.numbers import (
    Numbers,
    addresses,
    as_launched,
    equalities,
    fitting,
    parts_of_blocks,
    scalar,
    shared_out,
    stated,
    trips,
    went_round,
)
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.powers import is_power, powers
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.scenarios.tiles import blocks_in_tiles
from kernlint.analysis.search.by_rounds import in_two_rounds
from kernlint.analysis.search.endings import asked_at_ends, asked_at_wide_steps
from kernlint.analysis.search.inputs import opened
from kernlint.analysis.search.rooms import Rooms
from kernlint.analysis.search.settled import unsettled
from kernlint.analysis.search.solving import pinned, solved
from kernlint.analysis.search.supposed import ends_read, on_data, without_data
from kernlint.analysis.search.waves import WAVE, by_run, counts_on_groups, of_waves
from kernlint.analysis.trace.events import Access, BarrierEvent, Root, RootKind, Trace
from kernlint.prove.enumerate import search
from kernlint.prove.meet import WARP
from kernlint.prove.query import Budget, Launch, Overlap, Refuted, Side, is_shared
from kernlint.record import dataclass, field, replace
from kernlint.symbolic.terms import (
    GRID_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    Term,
    binary,
    cast,
    const,
    symbols,
)
from kernlint.tree.types import BOOL, I64, Space

QUERIES = 80
"""Questions asked of the prover for one kernel; pairs beyond them are not looked at."""

LARGE = 600
"""Nodes of the terms of a question for which it counts once more."""

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
    gives each such run work of its own.  ``short``: runs of 32 threads, as other AMD hardware has, are asked about too:
    nothing in the kernel says that it counts on waves in step.
    """

    shapes: Scenarios
    language: str
    waves: bool = False
    runs: bool = False
    short: bool = False
    said: Assumed = field(default_factory=Assumed)
    left: int = QUERIES
    points: int = POINTS
    toucher: Toucher = field(default_factory=Toucher)
    answers: dict[Overlap, Refuted | None] = field(default_factory=dict)
    unseen: tuple[BarrierEvent, ...] = ()
    of: Trace = field(default_factory=Trace)
    modes: dict[Numbers, set[Symbol]] = field(default_factory=dict)
    rooms: Rooms = field(default_factory=lambda: Rooms(Trace()))

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

    def at_least_half(self) -> None:
        """See to it that another kind of question gets half of what one kernel is given, whatever is left of it."""
        self.left, self.points = max(self.left, QUERIES // 2), max(self.points, POINTS // 2)

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

    def of_mode(self, pair: Pair, shape: Scenario) -> Scenario:
        """``shape`` without the axes that only other modes of the kernel read, where the block was guessed."""
        mode = stated(pair, ()) if not shape.seen and shape.block[1:] != (1, 1) else ()
        if not mode:
            return shape
        if mode not in self.modes:
            self.modes[mode] = read_in_mode(self.of, dict(mode))
        read = self.modes[mode]
        x, y, z = (size if THREAD[axis] in read or not axis else 1 for axis, size in enumerate(shape.block))
        return replace(shape, block=(x, y, z))

    def _under(self, pair: Pair, shape: Scenario, warp: bool) -> Refuted | None:
        shape = self.of_mode(pair, shape)
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
        values = (*values, *parts_of_blocks(pair, shape, values, self.shapes.admission))
        launch = Launch.of(self.shapes.admission, shape.block, shape.grid, shape.threads, values)
        premises = (
            *self.said.premises,
            *went_round(pair, launch),
            *powers(pair),
            *all_kept(pair),
            *shared_out(pair, self.shapes.admission),
            *self.rooms.said((*pair.a.symbols, *pair.b.symbols)),
            *self.rooms.passed((*pair.a.symbols, *pair.b.symbols)),
            *(() if self.shapes.seen else blocks_in_tiles(pair)),
        )
        free: Pair | None = None
        for a, b, same, apart in self._variants(with_bits_apart(pair), shape, warp):
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
                witness = self._of_rounds(query, pair.first.root) if free is None else self._with_inputs(free, query)
                if witness is not None:
                    return witness
                continue
            witness = self._found(query, pair.first.root)
            if witness is not None and not warp and equal_values.holds(pair, witness):
                witness = self._unequal(pair, query, shape)
            if witness is None or witness.data_in_address or not self._generic(query, pair.first.root, witness):
                continue
            if pair.first is not pair.second or self.shapes.seen:
                return witness
            if not met_by_made_up_numbers.holds(pair, self.toucher.crowded(pair.a, launch)):
                return witness
        return None

    def _of_rounds(self, query: Overlap, root: Root) -> Refuted | None:
        """A witness with what two rounds of a loop may have read, each for all threads."""
        found = (self._found(one, root) for one in in_two_rounds(query))
        witness = next((one for one in found if one is not None), None)
        return None if witness is None else replace(witness, depends_on_data=True)

    def _with_inputs(self, free: Pair, query: Overlap) -> Refuted | None:
        """A witness with contents of memory that lead both threads to one place."""
        extra_a = tuple(guard for guard in query.a.guards if guard not in free.a.guards and not on_data(guard))
        extra_b = tuple(guard for guard in query.b.guards if guard not in free.b.guards and not on_data(guard))
        query = replace(query, a=with_guards(free.a, *extra_a), b=with_guards(free.b, *extra_b))
        witness = self._found(query, free.first.root)
        return None if witness is None else replace(witness, depends_on_data=True)

    def _found(self, query: Overlap, root: Root) -> Refuted | None:
        """The witness of a question about a cell of ``root``."""
        witness = self._anywhere(query, root)
        if witness is not None and _outside(witness, root):
            witness = self._anywhere(_inside(query, root), root)
            return None if witness is None or _outside(witness, root) else witness
        return witness

    def _anywhere(self, query: Overlap, root: Root) -> Refuted | None:
        """The witness of a question, or of the same one put another way."""
        return (
            asked_at_ends(query, self.ask)
            or self._little(query)
            or self._plenty(query)
            or solved(query, self.ask)
            or self._granted(query, root)
            or asked_at_wide_steps(query, self.ask)
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
        """A witness when there is so much work that every loop goes on: scalars that stand in no address are large, and
        lengths read from memory."""
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
        ends = {symbol: PLENTY * above for symbol, above in ends_read(query).items() if symbol not in placing | known_}
        if not sizes and not ends:
            return None
        launch = query.launch.told((*((symbol, PLENTY) for symbol in sizes), *ends.items()))
        return self.ask(replace(query, launch=launch)) or self._capped(replace(query, launch=launch))

    def _capped(self, query: Overlap) -> Refuted | None:
        """A witness in the grid that a launch in sight has for so much work: where hosts cap it, loops go round."""
        launch = query.launch
        if not launch.admission.ways or not any(s in GRID_DIM for at in (query.a, query.b) for s in at.symbols):
            return None
        grid = launch.admission.fit(launch.block, launch.grid, launch.values)
        if grid is None or grid == launch.grid:
            return None
        capped = replace(query, launch=replace(launch, grid=grid))
        return self.ask(capped) or solved(capped, self.ask)

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
            a = with_guards(query.a, _half(shape.block, True, middle))
            b = with_guards(query.b, _half(shape.block, False, middle))
            witness = self.ask(replace(query, a=a, b=b))
            if witness is not None and not equal_values.holds(pair, witness):
                return witness
        return None

    def _variants(self, pair: Pair, shape: Scenario, warp: bool) -> Iterator[tuple[Side, Side, bool, bool]]:
        """(a, b, within one warp, in different warps) to ask for, best witness first."""
        if warp:
            yield pair.a, pair.b, True, False
        elif self.waves:
            if shape.threads > WAVE:
                low, high = _half(shape.block, True), _half(shape.block, False)
                yield with_guards(pair.a, low), with_guards(pair.b, high), False, False
                yield with_guards(pair.a, high), with_guards(pair.b, low), False, False
            if self.short and shape.threads > WARP and not (pair.first.volatile or pair.second.volatile):
                yield pair.a, pair.b, False, True
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

    def _generic(self, query: Overlap, root: Root, met: Refuted) -> bool:
        """Whether the threads still meet when the scalars in the addresses have values without coincidences: far from
        each other, or as large as an array in shared memory has room for; first in the iterations of ``met``."""
        found: dict[Symbol, None] = {}
        for at in (query.a, query.b):
            found.update((s, None) for s in symbols(at.offset) if scalar(s) and is_shared(s, query))
        settled = {symbol for symbol, _ in query.launch.values}
        settled |= {s for s in found if is_power(s) in query.premises}
        settled |= set(as_launched(query.premises))
        found = {s: None for s in found if s not in self.said.fixed and s not in settled}
        if not found:
            return True
        values = in_addresses(tuple(found), query)
        if values is not None:
            apart = replace(query, launch=query.launch.told(tuple(values)))
            if (met.second is not None and pinned(apart, met, self.ask)) or self.ask(apart):
                return True
        local = root.kind is RootKind.VARIABLE or root.space is Space.SHARED
        several = fitting(found, query, root.extent) if local else []
        roomy = (self._found(replace(query, launch=query.launch.told(values)), root) for values in several)
        return bool(several) and all(witness is not None for witness in roomy)


def _outside(witness: Refuted, root: Root) -> bool:
    """Whether threads meet where an array in shared memory has no cell: their indices are at fault, or the sizes."""
    at = witness.first.offset
    return root.kind is RootKind.VARIABLE and (at < 0 or (root.extent is not None and at >= root.extent))


def _inside(query: Overlap, root: Root) -> Overlap:
    """``query`` for cells of the array."""

    def within(side: Side) -> Side:
        at = cast(side.offset, I64)
        above = binary("le", const(0, I64), at, BOOL)
        below = () if root.extent is None else (binary("lt", at, const(root.extent, I64), BOOL),)
        return with_guards(side, above, *below)

    return replace(query, a=within(query.a), b=within(query.b))


def _sized_by_launch(pair: Pair) -> bool:
    """Whether copies fill parts of dynamic shared memory: a block that was guessed too large would fill more."""
    return pair.first.root.extent is None and any(map(of_thread, (pair.first, pair.second)))


def asker_of(facts: Facts, of: Trace) -> Asker:
    """Who asks for the pairs of one kernel.  The analysis that calls needs :data:`scenarios` and
    :data:`assumed`."""
    language = facts.module.language
    grouped = language == "opencl" and counts_on_groups(of)
    runs = language == "opencl" and any(by_run(a.offset) or any(by_run(g.term) for g in a.guards) for a in of.accesses)
    out_of_sight = tuple(barrier for barrier in of.barriers if barrier.unseen)
    waves = language == "hip" or grouped
    short = language == "hip" and not of_waves(of)
    return Asker(
        facts[scenarios], language, waves, runs, short, facts[assumed], unseen=out_of_sight, of=of, rooms=Rooms(of)
    )


def with_guards(side: Side, *guards: Term) -> Side:
    return replace(side, guards=(*side.guards, *guards)) if guards else side


def _half(block: tuple[int, int, int], low: bool, size: int = WAVE) -> Term:
    """Whether a thread is among the first ``size`` of its block (``low``), or a later one."""
    x, y, z = (cast(symbol.term, I64) for symbol in THREAD)
    row = binary("add", y, binary("mul", z, const(block[1]), I64), I64)
    linear = binary("add", x, binary("mul", row, const(block[0]), I64), I64)
    limit = const(size)
    return binary("lt", linear, limit, BOOL) if low else binary("le", limit, linear, BOOL)
