"""Sizes that a kernel says itself may be other than a block: larger, or no multiple of its tiles.

``for (b = tid; b < bins; b += blockDim.x) out[b] += h[b]`` takes more bins than the block has threads into account; a
table that each thread has set one cell of, ``if (tid < bins) h[tid] = 0``, is not set up to there.  And a tile that
takes ``if (round * T + tx < k) t[tx] = ..`` has a last round of fewer columns; if it is the only one, the rest of the
tile is what another block left.  A round that has work for all (``min(T, n - first)`` columns) reads what the tile
holds, and not more: cells that no thread has set by then, never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.accesses.touches import Toucher
from kernlint.analysis.content.cells import Unset, bare, covered_by, touched
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import Access, GuardKind, LoopContext
from kernlint.prove.admission import Admission
from kernlint.prove.hints import launch_bounds
from kernlint.prove.query import Launch
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK_DIM, Symbol, SymbolKind, Term, plain, subterms, symbols

PLENTY = 1 << 20
"""The value of sizes of which there is enough for all."""


def beyond_the_block(
    shape: Scenario, setting: Sequence[Access], reads: Sequence[Access], known: Admission
) -> Unset | None:
    """A cell past those that the threads of a block set one each, that a loop over more of them reads."""
    if any(write.loops and not _alike(write) for write in setting):
        return None
    for read in reads:
        size = _strided(read)
        if size is None or size in dict(known.numbers) or any(size in symbols(w.offset) for w in (*setting, read)):
            continue
        if not any(size in symbols(guard.term) for write in setting for guard in write.guards):
            continue  # who sets cells for as many as there are threads, and not for ``size``, may know better
        most = shape.threads + max(shape.threads // 2, 1)
        limit = read.root.extent
        if limit is not None and most * (read.size or 1) > limit:
            continue
        found = _tried(shape, setting, (read,), {size: most}, None, known)
        if found is not None:
            return found
    return None


def _alike(write: Access) -> bool:
    """Whether none of the loops around a write has a say in its place: it is the same cell in each round."""
    counters = {loop.counter for loop in write.loops}
    return not any(s in counters or s.kind is SymbolKind.PHI for s in symbols(write.offset))


def _strided(read: Access) -> Symbol | None:
    """The size below which a loop in steps of the block's threads keeps the cell that is read."""
    form = polynomial(read.offset).coefficients
    for loop in read.loops:
        step = any(
            len(mono) == 2
            and any(part.symbol is loop.counter for part in map(plain, mono))
            and any(part.symbol in BLOCK_DIM for part in map(plain, mono))
            for mono in form
        )
        if not step or loop.condition is None or loop.exits or loop.leaves:
            continue
        for test in conjuncts(loop.condition):
            size = plain(test.args[1]).symbol if test.op == "lt" else None
            if size is not None and scalar(size):
                return size
    return None


def last_round(shape: Scenario, setting: Sequence[Access], reads: Sequence[Access], known: Admission) -> Unset | None:
    """A cell of a tile that no thread sets in a round that a size makes shorter than the tile."""
    row = min((size for size in shape.block if size > 1), default=1)
    sizes = dict.fromkeys(one for write in setting for one in _of_rounds(write))
    for size, step in sizes if row > 1 else ():
        if size in dict(known.numbers) or any(size in symbols(access.offset) for access in (*setting, *reads)):
            continue
        for much in dict.fromkeys((row, step)) if step > 1 else (row,):
            found = _tried(shape, setting, reads, {size: max(much // 2, 1)}, {size: much}, known)
            if found is not None:
                return found
    return None


def full_round(shape: Scenario, setting: Sequence[Access], reads: Sequence[Access], known: Admission) -> Unset | None:
    """A cell of a tile that no thread of a block in sight sets where there is work for all, and a read that the kernel
    itself keeps within the tile gets to."""
    if not shape.seen:
        return None
    sides = [side(access) for access in (*setting, *reads)]
    sizes = dict.fromkeys(symbol for at in sides for symbol in at.symbols if scalar(symbol))
    if not sizes or any(size in symbols(access.offset) for access in (*setting, *reads) for size in sizes):
        return None
    given = dict(known.numbers)
    for read in reads:
        cells = (read.root.extent or 0) // (read.size or 1)
        much = {size: given.get(size, 2 * max(cells, shape.threads)) for size in sizes}  # two rounds
        if read.loops and cells and _within(read, shape, tuple(much.items())):
            found = _tried(shape, setting, [read], much, None, known)
            if found is not None:
                return found
    return None


def _within(read: Access, shape: Scenario, values: tuple[tuple[Symbol, int], ...]) -> bool:
    """Whether a read stays within its array, though there is more than that holds."""
    limit = read.root.extent or 0
    touches = touched(Toucher(), side(read), shape, values)
    return touches is not None and all(0 <= start < limit for start, _, _ in touches.found)


def _of_rounds(write: Access) -> list[tuple[Symbol, int]]:
    """The sizes that say how many rounds there are, and which threads have something to fetch in one of them; with
    each, by how much a round goes on (0: not known)."""
    out: list[tuple[Symbol, int]] = []
    for guard in write.guards:
        if guard.kind not in (GuardKind.BRANCH, GuardKind.LOOP):
            continue
        for test in conjuncts(guard.term):
            if test.op not in ("lt", "le") or not any(s.kind is SymbolKind.THREAD for s in symbols(test)):
                continue
            for loop in write.loops:
                ends = symbols(loop.condition) if loop.condition is not None else ()
                if loop is guard.loop or loop.exits or loop.leaves:
                    continue
                out += [(size, step) for size, step in _left_of(test, loop) if size in ends]
    return out


def _left_of(test: Term, loop: LoopContext) -> Iterator[tuple[Symbol, int]]:
    """The sizes that a test holds a place of the current round of a loop against: ``k0 + x < n``, or ``x < min(T, n -
    k0)``; with each, by how much a round goes on (0: not known)."""
    place, size = symbols(test.args[0]), plain(test.args[1]).symbol
    if size is not None and scalar(size) and any(s is loop.counter or _carried(s, loop) for s in place):
        yield size, abs(polynomial(test.args[0]).coefficients.get((loop.counter.term,), 0))
        return
    for part in subterms(test.args[1]):
        if part.op not in ("add", "sub") or loop.counter not in symbols(part):
            continue
        rest = polynomial(part).coefficients
        step = rest.pop((loop.counter.term,), 0)
        ends = [mono[0].symbol for mono, value in rest.items() if len(mono) == 1 and value == 1]
        if step < -1 and len(ends) == 1 and ends[0] is not None and scalar(ends[0]):
            yield ends[0], -step


def _carried(symbol: Symbol, loop: LoopContext) -> bool:
    return symbol.kind is SymbolKind.PHI and symbol.origin is loop


def _tried(
    shape: Scenario,
    setting: Sequence[Access],
    reads: Sequence[Access],
    sizes: dict[Symbol, int],
    usual: dict[Symbol, int] | None,
    known: Admission,
) -> Unset | None:
    """A cell that is read and not set where sizes are as given, and (``usual``) set where they are as meant."""
    sides = [side(access) for access in setting]
    given = dict(known.numbers)
    others = {s for at in (*sides, *map(side, reads)) for s in at.symbols if scalar(s) and s not in sizes}
    rest = tuple((symbol, given.get(symbol, PLENTY)) for symbol in sorted(others, key=lambda s: s.serial))
    values = (*sizes.items(), *rest)
    if not known.permits(shape.block, values=values):
        return None
    covered = covered_by(sides, shape, values)
    whole = covered_by(sides, shape, (*usual.items(), *rest)) if usual is not None else None
    if covered is None or (usual is not None and whole is None):
        return None
    return bare(shape, reads, values, [symbol for symbol, _ in values], covered, whole, setting[0])


def below_all(found: Unset | None, setting: Sequence[Access], most: int) -> Unset | None:
    """What was found, if no block of whatever size sets the cell: each place that is set lies above it, wherever its
    thread is, or each below, where a block has the ``most`` threads that it may have."""
    if any(s.kind is not SymbolKind.THREAD for write in setting for s in symbols(write.offset)):
        return None
    anywhere = launch_bounds(Launch((None, None, None), max_threads=most))
    ends = [interval(write.offset, anywhere) for write in setting]
    if found is None or not ends:
        return None
    above = all(low is not None and low > found.cell for low, _ in ends)
    below = all(high is not None and high < found.cell for _, high in ends)
    return found if above or below else None
