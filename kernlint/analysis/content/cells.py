"""The cells of shared memory that writes cover in one launch, and a read of one that none of them does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.accesses.touches import Toucher, Touches
from kernlint.analysis.scenarios.numbers import trips_of
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Launch, Side
from kernlint.record import dataclass, replace
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, const, substitute, symbols


@dataclass(frozen=True, slots=True)
class Unset:
    """A read of shared memory that holds nothing yet.

    ``degree``: ``never`` (nothing writes the object), ``updated`` (it is only updated) or ``uncovered`` (a cell that
    no thread writes: ``cell`` is its first byte, read by the thread with the linear number ``thread`` under ``shape``
    with ``values``); ``write``: the write that leaves it out.  ``left``: the condition whose losers had returned
    before a barrier and that write, when it is they who would have set the cell.  ``block``: the number of a block in
    which nothing of the object is set, where the first one, or, if it is the first, another one sets some of it (None:
    the cell is one of the first block).
    """

    access: Access
    degree: str
    shape: Scenario | None = None
    thread: int = 0
    cell: int = 0
    values: tuple[tuple[Symbol, int], ...] = ()
    write: Access | None = None
    left: Term | None = None
    block: tuple[int, int, int] | None = None


class Bytes:
    """Bytes of an object, as the starts of runs of each length: nearly all that is asked for is such a start."""

    def __init__(self) -> None:
        self._starts: dict[int, set[int]] = {}

    def add(self, starts: Iterable[int], size: int) -> None:
        """Runs of ``size`` bytes."""
        self._starts.setdefault(size, set()).update(starts)

    def __contains__(self, byte: int) -> bool:
        return any(byte - back in starts for size, starts in self._starts.items() for back in range(size))


def covered_by(sides: Sequence[Side], shape: Scenario, values: tuple[tuple[Symbol, int], ...]) -> Bytes | None:
    """The bytes that one of ``sides`` writes; None when they cannot be listed."""
    toucher = Toucher()
    covered = Bytes()
    for at in sides:
        touches = touched(toucher, at, shape, values)
        if touches is None:
            return None
        covered.add((start for start, _, _ in touches.found), touches.size)
    return covered


def touched(toucher: Toucher, at: Side, shape: Scenario, values: tuple[tuple[Symbol, int], ...]) -> Touches | None:
    """The bytes that the threads of a block touch, with values of scalars; None when they cannot be listed."""
    counts = trips_of(at.symbols, shape)
    # What no thread's number has a part in is the same for all: one of them is enough.
    block = shape.block if any(symbol.kind in _OF_THREADS for symbol in at.symbols) else (1, 1, 1)
    launch = Launch(block, (None, None, None), shape.threads, (*values, *counts))
    return toucher.of(at, launch)


def _in_first_rounds(at: Side) -> Side:
    """What to ask of a read that is made too often to be listed: only the first round of each loop that has no part in
    its place."""
    placing = at.offset.symbols
    again = {loop.counter: const(0, loop.counter.type) for loop in at.counters if loop.counter not in placing}
    return _with(replace(at, counters=tuple(loop for loop in at.counters if loop.counter in placing)), again)


def _by_first_thread(at: Side) -> Side:
    """What the first thread of a block does of a read whose place is none of the thread's own."""
    of_threads = any(symbol in THREAD for symbol in at.offset.symbols)
    return at if of_threads else _with(at, {symbol: const(0, symbol.type) for symbol in THREAD})


def _with(at: Side, images: dict[Symbol, Term]) -> Side:
    """An access under conditions in which some symbols have values."""
    counters = [
        loop if loop.condition is None else replace(loop, condition=substitute(loop.condition, images))
        for loop in at.counters
    ]
    return replace(at, guards=tuple(substitute(guard, images) for guard in at.guards), counters=tuple(counters))


_OF_THREADS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM})


def _certain(at: Side, bounding: Sequence[Symbol]) -> bool:
    """Whether a read happens whenever its conditions hold that the launch and the ``bounding`` scalars decide."""
    plain = (SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER)
    return all(symbol.kind in plain or symbol in bounding for symbol in at.symbols) and not any(
        term.op == "call" for term in at.facts
    )


def _happens(at: Side, shape: Scenario, values: tuple[tuple[Symbol, int], ...]) -> bool:
    """Whether some thread of a block meets those conditions of a read that the block and ``values`` decide."""
    decided = {*THREAD, *BLOCK_DIM, *(symbol for symbol, _ in values)}
    facts = tuple(fact for fact in at.facts if decided.issuperset(symbols(fact)))
    touches = touched(Toucher(), Side(const(0), 1, facts), shape, values) if facts else None
    return touches is None or bool(touches.found)


def bare(
    shape: Scenario,
    reads: Sequence[Access],
    values: tuple[tuple[Symbol, int], ...],
    certain: Sequence[Symbol],
    covered: Bytes,
    usually: Bytes | None,
    write: Access,
) -> Unset | None:
    """A cell that one of ``reads`` surely reads and that is none of those ``covered``, but ``usually`` set."""
    toucher = Toucher()
    for read in reads:
        at = side(read)
        if (shape.seen or usually is not None) and (cells := of_any_value(read)):
            bare = _missed(cells, covered, read.root.extent or 0) if _happens(at, shape, values) else None
            if bare is not None and (usually is None or bare in usually):
                return Unset(read, "uncovered", shape, 0, bare, values, write)
            continue
        if not _certain(at, certain):
            continue
        touches = None
        for part in (at, _in_first_rounds(at), _by_first_thread(_in_first_rounds(at))):
            touches = touches or touched(toucher, part, shape, values)
        if touches is None:
            continue
        for start, thread, _ in touches.found:
            if start in covered:
                continue
            limit = read.root.extent
            if limit is not None and not 0 <= start < limit:
                return None  # out of bounds: another rule's business
            if usually is not None and start not in usually:
                return None  # the guessed block, or a size, leaves it out
            return Unset(read, "uncovered", shape, thread, start, values, write)
    return None


def of_any_value(read: Access) -> range:
    """The starts of the cells that a read of a table can meet which is made with nothing but data as index: those that
    the types of the data and what is done with them leave.  Empty where the table ends before them."""
    found = symbols(read.offset)
    if read.root.extent is None or not read.size or not all(map(_of_data, found)):
        return range(0)
    low, high = interval(read.offset) if found else (None, None)
    if low is None or high is None or not 0 <= low < high <= read.root.extent - read.size:
        return range(0)
    return range(low, high + 1, read.size)


def _of_data(symbol: Symbol) -> bool:
    """Whether a symbol is a datum, or what a loop makes of nothing but data and numbers: the words of a cipher's state,
    a hash."""
    seen: set[Symbol] = set()
    todo, loaded = [symbol], False
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.kind is SymbolKind.LOAD:
            loaded = True
        elif one.kind is SymbolKind.PHI and one.init is not None and one.step is not None:
            todo += (*symbols(one.init), *symbols(one.step))
        else:
            return False
    return loaded


def _missed(cells: range, covered: Bytes, extent: int) -> int | None:
    """The first of ``cells`` that is not covered.  Data that say a place in a part of a table may never name some of
    that part: none of it must be covered.  A whole table has a place for each value because each is met."""
    whole = cells.start == 0 and cells[-1] + cells.step == extent
    bare = [cell for cell in cells if cell not in covered]
    return bare[0] if bare and (whole or len(bare) == len(cells)) else None
