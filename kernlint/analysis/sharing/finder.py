"""Small launches under which two accesses of global memory are asked about: a believable block and a few blocks along
each axis whose index the kernel reads.

Scalars get values that no kernel can object to.  What bounds an index (``i < n``) is small, so that every thread
and iteration in bounds is seen; what only stands in an address (a pitch, a divisor) is larger than anything it has
to keep apart.
"""

import functools
from operator import ne

from kernlint.analysis.accesses.pairs import (
    Pair,
)
from kernlint.analysis.excuses.blocks import met_by_made_up_numbers
from kernlint.analysis.scenarios.apart import digits_apart, inside_rows, own_places, parts_apart, rows_apart
from kernlint.analysis.scenarios.bits import all_kept, in_addresses, with_bits_apart
from kernlint.analysis.scenarios.numbers import (
    addresses,
    parts_of_blocks,
    scalar,
    shared_out,
    stated,
    trips,
    went_round,
)
from kernlint.analysis.scenarios.powers import powers
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.scenarios.tiles import in_tiles, rounded, whole
from kernlint.analysis.search.collisions import Asker
from kernlint.analysis.search.margins import NARROW
from kernlint.analysis.search.settled import never_settled, unsettled
from kernlint.analysis.search.supposed import on_data, unordered, without_data
from kernlint.analysis.sharing.arguments import lowest, scalars
from kernlint.analysis.sharing.dealt import ODD, TURN, split_groups, turns_of
from kernlint.analysis.sharing.small_launches import at_edges, dealt_alike, few, in_turns, takes_apart
from kernlint.analysis.trace.events import Access, AccessKind, Root
from kernlint.prove.query import Launch, Overlap, Refuted, Scope, Side, Triple
from kernlint.record import dataclass, field, replace
from kernlint.symbolic.polynomial import polynomial
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
    const,
    plain,
    symbols,
)
from kernlint.tree.types import BOOL

BOUNDS = ((256, 512, 768, 1024, 1280, 1536, 1792), (1280, 1024, 768, 512, 256, 1792, 1536))
"""Values for scalars that bound indices: few enough for a small launch to fill, and multiples of whatever kernels take
for granted that sizes are multiples of."""


@dataclass(frozen=True, slots=True)
class GlobalRace:
    """Two accesses of global memory that collide.  ``across``: the threads are of two blocks.  ``scattered``: the
    place comes from an index array, and the witness takes two of its entries to be equal."""

    pair: Pair
    witness: Refuted
    shape: Scenario
    across: bool
    scattered: bool = False

    @property
    def root(self) -> Root:
        """The object that both access."""
        return self.pair.first.root


def _grid(shape: Scenario, read: tuple[bool, bool, bool], pair: Pair) -> Triple:
    """A small grid for a block: a few blocks along the axes whose index is read, those of a launch in sight; twice as
    many as the number by which the addresses of ``pair`` divide that of all blocks."""
    if None not in shape.grid:
        x, y, z = shape.grid
        return x or 1, y or 1, z or 1
    many = {1: 4, 2: 3}.get(sum(read), 2)
    found = {part for at in (pair.a, pair.b) for part in _portions(at.offset)}
    x, y, z = (
        given or max([many if used else 1, *(2 * by for along, by in found if along == axis)])
        for axis, (given, used) in enumerate(zip(shape.grid, read, strict=True))
    )
    return x, y, z


PORTIONS = 8
"""Parts, at most, into which a kernel cuts the grid, that a small one is still made of."""


@functools.lru_cache(maxsize=1 << 12)
def _portions(term: Term) -> tuple[tuple[int, int], ...]:
    """(axis, number) for each number by which the size of the grid is divided in ``term``."""
    found: dict[tuple[int, int], None] = {}
    if term.op in ("div", "shr"):
        whole, by = term.args[0], term.args[1].value or 0
        whole = plain(whole)
        by = 1 << min(by, 31) if term.op == "shr" else by
        if whole.symbol in GRID_DIM and 1 < by <= PORTIONS:
            found[GRID_DIM.index(whole.symbol), by] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_portions(arg)))
    return tuple(found)


@functools.lru_cache(maxsize=1 << 12)
def _stride(offset: Term) -> int:
    """Threads along x for which a constant stride of the loops around an access stands; a great number without, and
    where a loop moves on by the size of the block: rows are as far apart as any number says."""
    form = polynomial(offset).coefficients
    unit = form.get((THREAD[0].term,), 0)
    strided = (mono for mono in form if BLOCK_DIM[0].term in mono)
    if unit <= 0 or any(s.kind is SymbolKind.COUNTER for mono in strided for atom in mono for s in atom.symbols):
        return 1 << 31
    counts = [
        value // unit
        for mono, value in form.items()
        if len(mono) == 1 and mono[0].op == "sym" and mono[0].args[0].kind is SymbolKind.COUNTER and value > unit
    ]
    return min(counts, default=1 << 31)


WARPS = (64, 32)
"""Warp sizes under each of which a race has to show where the kernel leaves the size open."""


def _by_warp(pair: Pair) -> bool:
    return any(symbol is WARP_SIZE for at in (pair.a, pair.b) for symbol in at.symbols)


@dataclass(slots=True)
class Finder:
    """Asks for collisions of pairs under small launches."""

    asker: Asker
    shapes: Scenarios
    doubtful: set[int] = field(default_factory=set)
    own_blocks: frozenset[Symbol] | None = None
    """The numbers of blocks in places and values of the kernel, once somebody has asked."""
    told: frozenset[Symbol] | None = None
    """What :meth:`_told` says, once somebody has asked."""

    def _told(self) -> frozenset[Symbol]:
        """The symbols that the user or a launch may give a value."""
        if self.told is None:
            numbers = frozenset([symbol for symbol, _ in self.asker.said.numbers])
            self.told = self.shapes.admission.spoken_of() | numbers
        return self.told

    def _own_fault(self, pair: Pair, within: Scope, launch: Launch, witness: Refuted) -> bool:
        """Whether it is the kernel's fault that threads meet, and not that of a guessed block that is too large for
        the rows it writes: then objects written by such accesses are left alone.  Of two accesses in rows of a given
        length, blocks that are apart along several axes meet beyond the end of one row."""
        if self.shapes.seen:
            return True
        if pair.first is not pair.second:
            return id(pair.first.root) not in self.doubtful and not _beyond_rows(pair, witness)
        look = self.asker.toucher.revisited if within == "blocks" else self.asker.toucher.crowded
        if not met_by_made_up_numbers.holds(pair, look(pair.a, launch)):
            return True
        self.doubtful.add(id(pair.first.root))
        return False

    def _blocks_of(self, pair: Pair, within: Scope) -> tuple[bool, bool, bool]:
        """The axes along which there may be several blocks where no launch says so.  A kernel that gives each block its
        own place along one axis, and reads and writes no other place for another block along a second one, shares the
        work along that among the threads of one; that it notes down elsewhere which block it was (in a report of an
        error) is no other place."""
        read = self.shapes.blocks
        if within != "blocks" or self.shapes.seen:
            return read
        if self.own_blocks is None:
            accesses = (*self.asker.of.accesses, *self.asker.of.images)
            values = [at.value for at in accesses if isinstance(at.value, Term) and plain(at.value).symbol not in BLOCK]
            terms = [at.offset for at in accesses] + values
            self.own_blocks = frozenset(block for block in BLOCK if any(block in term.symbols for term in terms))
        kept = [at.value for at in (pair.first, pair.second) if isinstance(at.value, Term)]
        own = self.own_blocks.union(block for block in BLOCK if any(block in term.symbols for term in kept))
        if not own.intersection((*symbols(pair.a.offset), *symbols(pair.b.offset))):
            return read
        x, y, z = (used and block in own for used, block in zip(read, BLOCK, strict=True))
        return x, y, z

    def meet(self, pair: Pair, within: Scope, warps: bool = False) -> tuple[Refuted, Scenario] | None:
        """A witness for two threads of one block, or of two, under all shapes guessed or one of those seen; ``warps``:
        of two warps."""
        found: tuple[Refuted, Scenario] | None = None
        if never_settled(pair, within, self._told()):
            return None
        pair = own_places(pair) if within == "blocks" and not self.shapes.seen else pair
        read = self._blocks_of(pair, within)
        for shape in (self.asker.of_mode(pair, one) for one in self.shapes.plausible):
            grid = _grid(shape, read, pair)
            witness = self._in_grid(pair, within, shape, grid, warps)
            if witness is None:
                for mode in self.shapes.admission.modes(frozenset((*pair.a.symbols, *pair.b.symbols))):
                    alone = replace(self, shapes=replace(self.shapes, admission=mode))
                    witness = witness or alone._in_grid(pair, within, shape, grid, warps)
            if witness is not None:
                found = found or (witness, shape)
                if self.shapes.seen:
                    return found
            elif not self.shapes.seen:
                return None
        return found

    def _in_grid(self, pair: Pair, within: Scope, shape: Scenario, grid: Triple, warps: bool) -> Refuted | None:
        """A witness under one shape and grid, for each size that warps may have."""
        room = shape.threads if within == "block" else max(grid)
        if room < 2:
            return None
        free = of_one_cell(pair) or unordered(pair)
        witness = None
        for size in WARPS if _by_warp(pair) else (0,):
            asked = self._question(pair, within, shape, grid, size, warps)
            witness = None if asked is None else self._under(asked, pair)
            if witness is None and free is not pair:
                freed = self._question(free, within, shape, grid, size, warps)
                witness = None if freed is None else self._under(freed, free)
                witness = None if witness is None else replace(witness, depends_on_data=True)
            if witness is None and asked is not None and (granted := _granted(asked, pair)) is not None:
                witness = self._under(granted, pair)
                witness = None if witness is None else replace(witness, depends_on_data=True)
            if witness is None and within == "blocks" and asked is not None and in_turns(pair, self.asker.of):
                witness = next((one for at in at_edges(asked) if (one := self._under(at, pair)) is not None), None)
            if witness is None and self.shapes.seen and self._small(pair, within):
                witness = self._of_few(pair, within, shape, warps)
            if witness is None:
                break
        return witness

    def _small(self, pair: Pair, within: Scope) -> bool:
        """Whether sizes have to be small, or are not free of each other, for blocks to meet."""
        return takes_apart(pair) or (within == "blocks" and dealt_alike(pair, self.shapes.admission))

    def _of_few(self, pair: Pair, within: Scope, shape: Scenario, warps: bool) -> Refuted | None:
        """A witness in a launch of few elements, as the host makes it of small sizes."""
        wanted = [symbol for symbol in dict.fromkeys((*pair.a.symbols, *pair.b.symbols)) if scalar(symbol)]
        for grid, values in few(self.shapes.admission, shape.block, wanted):
            asked = self._question(pair, within, shape, grid, 0, warps)
            if asked is None or (within == "blocks" and max(grid) < 2) or any(value == 0 for _, value in values):
                continue
            under = replace(asked.launch, values=tuple({**dict(asked.launch.values), **dict(values)}.items()))
            if self.asker.toucher.apart(pair.a, pair.b, pair.tied, under, blocks=within == "blocks"):
                continue
            witness = self.asker.ask(replace(asked, launch=under))
            if witness is not None and not witness.data_in_address:
                return witness
        return None

    def _question(
        self, pair: Pair, within: Scope, shape: Scenario, grid: Triple, warp: int, warps: bool
    ) -> Overlap | None:
        """What is asked under one shape, before arguments have values; None: there is nothing to ask."""
        most = min(_stride(pair.first.offset), _stride(pair.second.offset))
        if not self.shapes.seen and grid[0] * shape.block[0] > most:
            # a grid-stride loop with a constant stride: the stride is the size of the grid
            grid = max(most // shape.block[0], 1), grid[1], grid[2]
            if within == "blocks" and max(grid) < 2:
                return None
        admission, said = self.shapes.admission, self.asker.said
        counts = (*trips(pair, shape), *addresses(pair), *said.numbers)
        counts = (*counts, *stated(pair, counts))
        counts = (*counts, *parts_of_blocks(pair, shape, counts, admission))
        if warp:
            counts = (*counts, (WARP_SIZE, warp))
        launch = Launch.of(admission, shape.block, grid, shape.threads, counts)
        private = pair.private - {symbol for symbol, _ in launch.values} if pair.private else pair.private
        rooms = self.asker.rooms.said((*pair.a.symbols, *pair.b.symbols))
        sizes = (
            *shared_out(pair, admission),
            *whole(in_tiles(pair)),
            *rooms,
            *rows_apart(pair),
            *digits_apart(pair, admission),
        )
        sizes += tuple(parts_apart(pair, admission)) if within == "blocks" else ()
        premises = (*said.premises, *went_round(pair, launch), *powers(pair), *all_kept(pair), *sizes)
        placed = with_bits_apart(pair)
        query = Overlap(
            placed.a,
            placed.b,
            within,
            pair.tied,
            exclude_same_warp=warps,
            premises=premises,
            private=private,
            launch=launch,
        )
        return None if unsettled(query) else query

    def _under(self, query: Overlap, pair: Pair) -> Refuted | None:
        """A witness of a question with some values of the arguments."""
        launch, within, grid = query.launch, query.within, query.launch.grid
        bounding, others = scalars(query)
        low = lowest(query, bounding)
        bounding = [symbol for symbol in bounding if symbol not in low]
        strides = in_addresses(others, query)
        if strides is None:
            return None
        tiles = in_tiles(pair)
        turns = turns_of(pair, bounding, others)
        split = split_groups(pair, (*bounding, *others)) if within == "blocks" and self.shapes.seen else ()
        small = within != "blocks" or max(size or 1 for size in grid) <= 4
        ways: list[tuple[tuple[int, ...], dict[Symbol, int]]] = [(values, {}) for values in BOUNDS]
        kinds = ((turns, TURN), (split, ODD), (self.asker.rooms.narrow(bounding), NARROW))
        ways += [(BOUNDS[0], dict.fromkeys(some, value)) for some, value in kinds if some]
        for values, again in ways:
            kept = [(symbol, value) for symbol, value in strides if symbol not in again]
            told = (*rounded(kept, tiles), *low.items(), *zip(bounding, values, strict=False))
            under = launch.told((*(one for one in told if one[0] not in again), *again.items()))
            if tiles:
                under = replace(under, values=rounded(under.values, tiles))
            if small and self.asker.toucher.apart(pair.a, pair.b, pair.tied, under, blocks=within == "blocks"):
                continue
            met = dict(under.values)
            shorter = {symbol for symbol, value in kept if met.get(symbol, value) < value}
            rows = inside_rows(pair, shorter, self.shapes.admission) if shorter else ()
            witness = self.asker.ask(replace(query, launch=under, premises=(*query.premises, *rows)))
            if witness is not None and not witness.data_in_address:
                return witness if self._own_fault(pair, within, under, witness) else None
            if not bounding:
                break
        return None


def _granted(query: Overlap, pair: Pair) -> Overlap | None:
    """``query`` with conditions on data taken to hold as they may; None where there are none."""
    freed = without_data(query, pair.first.root)
    a, b = map(_at_first, freed, (query.a, query.b))
    return None if a == query.a and b == query.b else replace(query, a=a, b=b)


def _beyond_rows(pair: Pair, witness: Refuted) -> bool:
    """Whether the blocks of a witness are apart along several axes, and both places are in rows as long as an argument
    says."""
    assert witness.second is not None
    if sum(map(ne, witness.first.block, witness.second.block)) < 2:
        return False
    rows = [{s for s in at.offset.symbols if s.kind is SymbolKind.PARAM} for at in (pair.a, pair.b)]
    return bool(rows[0] & rows[1])


def _at_first(freed: Side, before: Side) -> Side:
    """``freed`` with those conditions ``before`` that something is equal to data, as few threads are let by (but for
    marks that are not set: ``if (fixed[i]) return``), and in the first round of loops that run as long as data say:
    nobody knows how long that is."""
    kept = set(freed.guards)
    rounds = [
        binary("eq", loop.counter.term, const(0, loop.counter.type), BOOL)
        for loop, was in zip(freed.counters, before.counters, strict=True)
        if loop.condition != was.condition
    ]
    guards = (guard for guard in before.guards if guard in kept or (guard.op == "eq" and not _unmarked(guard)))
    return replace(freed, guards=(*guards, *rounds))


def _unmarked(guard: Term) -> bool:
    """Whether a condition is that what was read is zero."""
    read, zero = guard.args
    return zero.value == 0 and plain(read).symbol is not None


def of_one_cell(pair: Pair) -> Pair | None:
    """``pair`` without what data have to say of one side, when it is about one cell that the other side writes whatever
    the data: a flag that one thread resets while those of other blocks set it.  None: it is not of that kind."""
    for write, other, at in ((pair.first, pair.second, pair.b), (pair.second, pair.first, pair.a)):
        if write is other or write.kind is not AccessKind.WRITE or not _sets(other, write):
            continue
        if write.offset != other.offset or any(s.uniformity is not Uniformity.GRID for s in symbols(write.offset)):
            continue
        if write.loops or any(on_data(guard.term) for guard in write.guards):
            continue
        guards = tuple(g for g in at.guards if not _own_data(g, write.root))
        freed = replace(at, guards=guards)
        return replace(pair, b=freed) if at is pair.b else replace(pair, a=freed)
    return None


def _sets(other: Access, write: Access) -> bool:
    """Whether an access updates what a ``write`` has reset, or writes another number there."""
    if other.kind is AccessKind.ATOMIC:
        return True
    one, two = (None if access.value is None else access.value.value for access in (write, other))
    return other.kind is AccessKind.WRITE and one is not None and two is not None and one != two


def _own_data(guard: Term, but: Root) -> bool:
    """Whether a condition is on data of the thread's own, and no word of what ``but`` holds."""
    found = [symbol for symbol in symbols(guard) if symbol.kind is SymbolKind.LOAD]
    return any(s.uniformity > Uniformity.WARP for s in found) and all(s.origin[0] is not but for s in found)
