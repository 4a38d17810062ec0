"""Which cells each thread of a launch touches: a cheap test that most pairs of accesses never meet.

Under one launch an access is walked once, over all threads and all iterations of its loops; pairs are then compared
by looking cells up.  The walk errs on the side of more cells: conditions that cannot be computed are taken to hold.
Where places rest on anything but the launch, or there are too many, there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import gcd
from operator import ne

from kernlint.prove.meet import WARP
from kernlint.prove.query import Launch, Side, Triple
from kernlint.record import dataclass, field, replace
from kernlint.symbolic.evaluate import environment, source_of, with_shared_parts
from kernlint.symbolic.intervals import Bound, Bounds, Ranges
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term

MOST = 16_384
"""Touches of one access that are looked at; an access with more is left to the prover.  Over the blocks of a grid,
where the prover is quick to see what belongs to whom, only a quarter."""

KEPT = 100_000
"""Touches that are kept for accesses to come, of this kernel or another: many kernels walk their arrays alike."""

LEAST = 16
"""Threads along x that every block has: those closer together meet whatever its size."""

Touch = tuple[int, int, tuple[int, ...]]
"""(first byte, linear number of the thread in its block or of its block, values of the counters)."""

Tables = dict[tuple[int, tuple[tuple[int, int], ...]], dict[object, int]]
"""Who touches each cell, by size of a cell and the counters told apart (see :func:`_table`)."""

SMALL, BLOCK_SIZE = 4095, 1024
"""Values (sizes of a block) up to this are told apart from others when a walk is written: what is computed from them
seldom wraps."""

MANY = -1
"""Stands for several threads."""


@dataclass(frozen=True, slots=True)
class Touches:
    """What one access touches: ``counters`` are the loops whose iterations are told apart, in order; bytes ``low`` to
    ``high``, in whole cells of ``unit`` bytes.  ``tables``: see :func:`_table`."""

    found: tuple[Touch, ...]
    counters: tuple[Symbol, ...]
    size: int
    low: int
    high: int
    unit: int
    tables: Tables


@dataclass(slots=True)
class Toucher:
    """Walks accesses and remembers what it found."""

    known: dict[tuple[Side, Launch, frozenset[Symbol], bool], Touches | None] = field(default_factory=dict)
    plans: dict[tuple[Side, frozenset[Symbol], frozenset[Symbol], frozenset[Symbol], bool], Plan | None] = field(
        default_factory=dict
    )

    def apart(
        self,
        a: Side,
        b: Side,
        tied: Iterable[tuple[Symbol, Symbol, int]],
        launch: Launch,
        *,
        warps: bool = False,
        blocks: bool = False,
    ) -> bool:
        """Whether two threads of a block (of different warps, with ``warps``) surely never touch one cell, one as
        ``a`` and the other as ``b``, in iterations tied like those of :class:`~kernlint.prove.query.Overlap`.

        With ``blocks``: two threads of different blocks of a small grid.
        """
        ties = tuple(tied)
        if not blocks:
            a, b = _in_any_block(a), _in_any_block(b)
        first = self._of(a, launch, frozenset(x for x, _, _ in ties), blocks)
        if first is None:
            return False
        second = first if a == b and not ties else self._of(b, launch, frozenset(y for _, y, _ in ties), blocks)
        if second is None:
            return False
        if first.high < second.low or second.high < first.low:
            return True
        unit = min(first.unit, second.unit)
        pairs = [
            (first.counters.index(x), second.counters.index(y), shift)
            for x, y, shift in ties
            if x in first.counters and y in second.counters
        ]
        ours = _table(first, unit, tuple((x, 0) for x, _, _ in pairs))
        theirs = _table(second, unit, tuple((y, shift) for _, y, shift in pairs))
        if ours is theirs:
            return MANY not in ours.values()
        for key in ours.keys() & theirs.keys():
            thread, other = ours[key], theirs[key]
            if other == thread != MANY:
                continue
            if MANY in (other, thread) or not warps or other // WARP != thread // WARP:
                return False
        return True

    def of(self, side: Side, launch: Launch) -> Touches | None:
        """What the threads of one block touch, in all iterations; None when it cannot be listed."""
        return self._of(side, launch, frozenset(loop.counter for loop in side.counters), False)

    def revisited(self, side: Side, launch: Launch) -> bool:
        """Whether threads of one and the same index in two blocks touch a cell, as they do when an index lacks an
        axis of the launch; false where it cannot be told.

        Without it two blocks meet only because the block is larger than a row of what they write is long, or because
        there are more blocks along it than it has room for: those differ along several axes, and a size is in it.
        """
        gx, gy, gz = (min(size or 1, 4) for size in launch.grid)
        sized = any(symbol.kind is SymbolKind.PARAM for symbol in side.offset.symbols) or _in_rows(side.offset)
        seen: dict[tuple[int, int], list[Triple]] = {}
        for place in _places((gx, gy, gz)):
            values = (*launch.values, *zip(BLOCK, place, strict=True))
            touches = self._of(side, replace(launch, values=values), frozenset(), False)
            if touches is None:
                return False
            for start, thread, _ in touches.found:
                others = seen.setdefault((start, thread), [])
                if any(not sized or sum(map(ne, place, other)) == 1 for other in others if other != place):
                    return True
                others.append(place)
        return False

    def crowded(self, side: Side, launch: Launch) -> bool:
        """Whether two threads of a block that differ along one axis alone touch a cell in the same iterations, as they
        do when an index lacks that axis, or two near neighbours in any; true where it cannot be told.

        Without it they meet only because the block is larger than a row, or than the stride of a loop, is long.
        """
        touches = self.of(side, launch)
        if touches is None:
            return True
        x, y, z = (size or 1 for size in launch.block)
        threads = _places((x, y, z))
        seen: dict[tuple[object, ...], int] = {}
        near: dict[tuple[int, int, int], list[int]] = {}
        for start, thread, counts in touches.found:
            place = threads[thread]
            for cell in range(start, start + touches.size, touches.unit):
                for axis in range(3):
                    key = (cell, counts, axis, place[:axis], place[axis + 1 :])
                    if seen.setdefault(key, place[axis]) != place[axis]:
                        return True
                others = near.setdefault((cell, place[1], place[2]), [])
                if any(0 < abs(other - place[0]) < LEAST for other in others):
                    return True
                if len(others) < 4:
                    others.append(place[0])
        return False

    def _of(self, side: Side, launch: Launch, wanted: frozenset[Symbol], blocks: bool) -> Touches | None:
        key = (side, launch, wanted, blocks)
        if key not in self.known:
            self.known[key] = self._walked(side, launch, wanted, blocks)
        return self.known[key]

    def _walked(self, side: Side, launch: Launch, wanted: frozenset[Symbol], blocks: bool) -> Touches | None:
        """All touches of an access under ``launch``, whose block is exact; None when they cannot be listed.

        With ``blocks`` over all blocks of the grid, else over one of them.
        """
        x, y, z = launch.block
        if x is None or y is None or z is None or (blocks and None in launch.grid):
            return None
        fixed = dict(launch.known())
        if not blocks:
            fixed.update({symbol: 0 for symbol in BLOCK if symbol not in fixed})
        fixed.update(zip(BLOCK_DIM, (x, y, z), strict=True))
        small = frozenset([symbol for symbol, value in fixed.items() if 0 <= value <= _most(symbol)])
        key = (side, wanted, frozenset(fixed), small, blocks)
        if key not in self.plans:
            self.plans[key] = plan(side, wanted, frozenset(fixed), small, blocks)
        planned = self.plans[key]
        if planned is None:
            return None
        grid = (1, 1, 1)
        if blocks:
            gx, gy, gz = (min(size or 1, 4) for size in launch.grid)
            grid = (gx, gy, gz)
        most = MOST // 4 if blocks or None not in launch.grid else MOST
        done = _walks.walk(planned.code, grid, (x, y, z), tuple(fixed[s] for s in planned.fixed), most)
        if done is None:
            return None
        unit, high, tables = gcd(side.size, done.common), done.last + side.size - 1, done.tables
        return Touches(done.found, planned.kept, side.size, done.first, high, unit, tables.setdefault(side.size, {}))


def _in_any_block(side: Side) -> Side:
    """``side`` without conditions on the index of the block, which may be there to leave the first one out."""
    guards = tuple(guard for guard in side.guards if not any(symbol in BLOCK for symbol in guard.symbols))
    return side if len(guards) == len(side.guards) else replace(side, guards=guards)


def _table(touches: Touches, unit: int, told: tuple[tuple[int, int], ...]) -> dict[object, int]:
    """Who touches each cell of ``unit`` bytes, in each iteration of the counters at the places ``told`` (with what
    is to be added to them)."""
    key = (unit, told)
    table = touches.tables.get(key)
    if table is not None:
        return table
    table = touches.tables[key] = {}
    size = touches.size
    for start, thread, counts in touches.found:
        first, last = start // unit, (start + size - 1) // unit
        if not told:
            for cell in range(first, last + 1):
                table[cell] = thread if table.get(cell, thread) == thread else MANY
            continue
        extra = tuple(counts[at] + shift for at, shift in told)
        for cell in range(first, last + 1):
            where = (cell, extra)
            table[where] = thread if table.get(where, thread) == thread else MANY
    return table


# ------------------------------------------------------------------------------------------------------ the walk


@dataclass(frozen=True, slots=True)
class Plan:
    """How an access is walked: Python source of a function, the symbols whose values it is given, and the counters
    that it tells apart.  Accesses that differ in names alone have the same ``code``."""

    code: str
    fixed: tuple[Symbol, ...]
    kept: tuple[Symbol, ...]


def _most(symbol: Symbol) -> int:
    """The largest value of ``symbol`` that is a small one."""
    return BLOCK_SIZE if symbol.kind is SymbolKind.BLOCK_DIM else SMALL


def _bounds(small: frozenset[Symbol]) -> Bounds:
    """What is known of symbols in a walk: of threads, blocks and iterations, of which there are a few, and of those
    whose values are ``small``."""

    def bounds(symbol: Symbol) -> Bound:
        kind = symbol.kind
        if kind is SymbolKind.BLOCK_DIM or kind is SymbolKind.THREAD:
            return (0, BLOCK_SIZE) if BLOCK_DIM[symbol.axis] in small else (None, None)
        if symbol in small:
            return 0, SMALL
        if kind is SymbolKind.COUNTER:
            return 0, MOST
        return None, None

    return bounds


def plan(
    side: Side, wanted: frozenset[Symbol], fixed: frozenset[Symbol], small: frozenset[Symbol], blocks: bool
) -> Plan | None:
    """The plan for an access when the symbols ``fixed`` have values, ``small`` ones up to :data:`SMALL`; None when its
    places cannot be computed."""
    loops = {loop.counter: loop.condition for loop in side.counters}
    names: dict[Symbol, str] = dict(zip(THREAD, ("tx", "ty", "tz"), strict=True))
    given: dict[Symbol, str] = {}
    if blocks:
        names.update(zip(BLOCK, ("bx", "by", "bz"), strict=True))
    names.update((counter, f"k{at}") for at, counter in enumerate(loops))

    ranges = Ranges(_bounds(small | frozenset(BLOCK) if blocks else small))

    def code(term: Term) -> str | None:
        for symbol in term.symbols:
            if symbol in names:
                continue
            if symbol not in fixed:
                return None
            names[symbol] = given[symbol] = f"p{len(given)}"
        text = source_of([term], list(names), names=list(names.values()), fits=ranges.fits)
        return None if text is None else text[0]

    address = code(side.offset)
    if address is None:
        return None
    tests = [(guard, text) for guard in side.guards if (text := code(guard)) is not None]
    used = set(side.offset.symbols)
    kept: list[Symbol] = []
    conditions: dict[Symbol, str] = {}
    for counter, condition in loops.items():
        # outermost first: a loop matters when its counter is used, or helps to tell rounds apart
        met = (s for s in condition.symbols if s.kind is SymbolKind.COUNTER) if condition is not None else ()
        open_ = any(s is not counter and s not in kept for s in met)
        text = None if condition is None or open_ else code(condition)
        if counter in used and text is None:
            return None
        if condition is not None and text is not None and (counter in used or counter in wanted):
            kept.append(counter)
            conditions[counter] = text
    for counter in loops:
        if counter in used and counter not in kept:
            return None
    text = _source(address, conditions, loops, tests, names, list(given.values()), blocks)
    return Plan(text, tuple(given), tuple(kept))


def _source(
    address: str,
    conditions: Mapping[Symbol, str],
    loops: Iterable[Symbol],
    tests: list[tuple[Term, str]],
    names: Mapping[Symbol, str],
    given: list[str],
    blocks: bool,
) -> str:
    """The source of the walk: ``conditions`` of the loops that are followed, ``tests`` that a thread has to pass."""
    open_ = {counter for counter in loops if counter not in conditions}
    lines = [f"def walk(blocks, threads, most{''.join(', ' + name for name in given)}):", "  out = []"]
    lines.append("  for b, (bx, by, bz) in enumerate(blocks):")
    lines.append("   for t, (tx, ty, tz) in enumerate(threads):")
    indent = "    "
    inside: set[Symbol] = set()

    def guards() -> None:
        for guard, text in list(tests):
            counters = {s for s in guard.symbols if s.kind is SymbolKind.COUNTER}
            if counters <= inside:
                lines.append(f"{indent}if not {text}: continue")
                tests.remove((guard, text))
            elif counters & open_:
                tests.remove((guard, text))

    guards()
    for counter, condition in conditions.items():
        lines.append(f"{indent}for {names[counter]} in range(most + 1):")
        indent += "  "
        lines.append(f"{indent}if not {condition}: break")
        lines.append(f"{indent}if {names[counter]} >= most: return None")
        inside.add(counter)
        tests[:] = [(guard, text) for guard, text in tests if text != condition]
        guards()
    values = "".join(f"{names[counter]}, " for counter in conditions)
    lines.append(f"{indent}out.append(({address}, {'b' if blocks else 't'}, ({values})))")
    lines.append(f"{indent}if len(out) > most: return None")
    lines.append("  return tuple(out)")
    return "\n".join(with_shared_parts(lines))


@dataclass(frozen=True, slots=True)
class Walked:
    """The touches of a walk: ``first`` and ``last`` place, a ``common`` divisor of the places (up to 16), and the
    ``tables`` made of them, by size of the access."""

    found: tuple[Touch, ...]
    first: int
    last: int
    common: int
    tables: dict[int, Tables]


class _Walks:
    """Walks and what they found, for as long as there is room."""

    def __init__(self) -> None:
        self.done: dict[tuple[str, Triple, Triple, tuple[int, ...], int], Walked | None] = {}
        self.held = 0

    def walk(self, code: str, grid: Triple, block: Triple, values: tuple[int, ...], most: int) -> Walked | None:
        """What the walk with this source finds, at most ``most`` touches; None: more, or something undefined."""
        key = (code, grid, block, values, most)
        if key not in self.done:
            try:
                found = _compiled(code)(_places(grid), _places(block), most, *values)
            except (ArithmeticError, SyntaxError, RecursionError, MemoryError):  # undefined, or nested too deeply
                found = None
            if self.held > KEPT:
                self.done.clear()
                self.held = 0
            self.held += len(found or ()) + len(code) // 16
            starts = [start for start, _, _ in found or ()]
            ends = min(starts, default=0), max(starts, default=-1), gcd(16, *starts)
            self.done[key] = None if found is None else Walked(found, *ends, {})
        return self.done[key]


_walks = _Walks()


@lru_cache(maxsize=256)
def _compiled(code: str) -> Callable[..., tuple[Touch, ...] | None]:
    scope = {**environment(), "enumerate": enumerate, "range": range, "len": len, "tuple": tuple}
    exec(code, scope)
    walk: Callable[..., tuple[Touch, ...] | None] = scope["walk"]
    return walk


@lru_cache(maxsize=64)
def _in_rows(offset: Term) -> bool:
    """Whether blocks along one axis are rows of a constant length for those along another."""
    steps: dict[Term, int] = {}
    for mono, value in polynomial(offset).coefficients.items():
        for atom in mono:
            if atom.symbol in BLOCK:
                steps[atom] = max(steps.get(atom, 0), abs(value))
    return len(set(steps.values())) > 1


def _places(sizes: Triple) -> tuple[Triple, ...]:
    """The indices of a block or grid of these sizes, in order of their linear number."""
    x, y, z = sizes
    return tuple((i % x, i // x % y, i // (x * y)) for i in range(x * y * z))
