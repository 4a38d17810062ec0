"""Which cells each thread of a launch touches: a cheap test that most pairs of accesses never meet.

Under one launch an access is walked once, over all threads and all iterations of its loops; pairs are then compared
by looking cells up.  The walk errs on the side of more cells: conditions that cannot be computed are taken to hold.
Where places rest on anything but the launch, or there are too many, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from kernlint.prove.query import Launch, Side, Triple
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import environment, source_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

MOST = 16_384
"""Touches of one access that are looked at; an access with more is left to the prover.  Over the blocks of a grid,
where the prover is quick to see what belongs to whom, only a quarter."""

WARP = 32

Touch = tuple[int, int, tuple[int, ...]]
"""(first byte, linear number of the thread in its block or of its block, values of the counters)."""

MANY = -1
"""Stands for several threads."""


@dataclass(frozen=True, slots=True)
class Touches:
    """What one access touches: ``counters`` are the loops whose iterations are told apart, in order; bytes ``low`` to
    ``high``, in whole cells of ``unit`` bytes."""

    found: tuple[Touch, ...]
    counters: tuple[Symbol, ...]
    size: int
    low: int
    high: int
    unit: int


@dataclass(slots=True)
class Toucher:
    """Walks accesses and remembers what it found."""

    known: dict[tuple[Side, Launch, frozenset[Symbol], bool], Touches | None] = field(default_factory=dict)
    tables: dict[tuple[int, int, tuple[tuple[int, int], ...]], dict[object, int]] = field(default_factory=dict)

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
        first = self._of(a, launch, frozenset(x for x, _, _ in ties), blocks)
        second = first if a == b and not ties else self._of(b, launch, frozenset(y for _, y, _ in ties), blocks)
        if first is None or second is None:
            return False
        if first.high < second.low or second.high < first.low:
            return True
        unit = min(first.unit, second.unit)
        pairs = [
            (first.counters.index(x), second.counters.index(y), shift)
            for x, y, shift in ties
            if x in first.counters and y in second.counters
        ]
        ours = self._table(first, unit, tuple((x, 0) for x, _, _ in pairs))
        theirs = self._table(second, unit, tuple((y, shift) for _, y, shift in pairs))
        if len(theirs) < len(ours):
            ours, theirs = theirs, ours
        for key, thread in ours.items():
            other = theirs.get(key)
            if other is None or (other == thread != MANY):
                continue
            if MANY in (other, thread) or not warps or other // WARP != thread // WARP:
                return False
        return True

    def of(self, side: Side, launch: Launch) -> Touches | None:
        """What the threads of one block touch, in all iterations; None when it cannot be listed."""
        return self._of(side, launch, frozenset(loop.counter for loop in side.counters), False)

    def _table(self, touches: Touches, unit: int, told: tuple[tuple[int, int], ...]) -> dict[object, int]:
        """Who touches each cell of ``unit`` bytes, in each iteration of the counters at the places ``told`` (with what
        is to be added to them)."""
        key = (id(touches), unit, told)
        table = self.tables.get(key)
        if table is not None:
            return table
        table = self.tables[key] = {}
        size = touches.size
        for start, thread, counts in touches.found:
            extra = tuple(counts[at] + shift for at, shift in told)
            for cell in range(start // unit, (start + size - 1) // unit + 1):
                where = (cell, extra) if told else cell
                table[where] = thread if table.get(where, thread) == thread else MANY
        return table

    def _of(self, side: Side, launch: Launch, wanted: frozenset[Symbol], blocks: bool) -> Touches | None:
        key = (side, launch, wanted, blocks)
        if key not in self.known:
            self.known[key] = walk(side, launch, wanted, blocks)
        return self.known[key]


def walk(side: Side, launch: Launch, wanted: frozenset[Symbol], blocks: bool) -> Touches | None:
    """All touches of an access under ``launch``, whose block is exact; None when they cannot be listed.

    With ``blocks`` over all blocks of the grid, else over one of them.
    """
    block = launch.block
    if None in block or (blocks and None in launch.grid):
        return None
    fixed = dict(launch.known())
    if not blocks:
        fixed.update({symbol: 0 for symbol in BLOCK if symbol not in fixed})
    fixed.update({symbol: size for symbol, size in zip(BLOCK_DIM, block, strict=True) if size is not None})
    loops = {loop.counter: loop.condition for loop in side.counters}
    names: dict[Symbol, str] = {symbol: str(value) for symbol, value in fixed.items()}
    names.update(zip(THREAD, ("tx", "ty", "tz"), strict=True))
    if blocks:
        names.update(zip(BLOCK, ("bx", "by", "bz"), strict=True))
    names.update((counter, f"k{at}") for at, counter in enumerate(loops))

    def code(term: Term) -> str | None:
        if any(symbol not in names for symbol in symbols(term)):
            return None
        text = source_of([term], list(names), names=list(names.values()))
        return None if text is None else text[0]

    address = code(side.offset)
    if address is None:
        return None
    tests = [(guard, text) for guard in side.guards if (text := code(guard)) is not None]
    used = set(symbols(side.offset))
    kept: list[Symbol] = []
    for counter in loops:  # outermost first: a loop matters when its counter is used, or helps to tell rounds apart
        condition = loops[counter]
        computable = condition is not None and code(condition) is not None
        if counter in used and not computable:
            return None
        if condition is not None and computable and (counter in used or counter in wanted):
            kept.append(counter)
            used |= {s for s in symbols(condition) if s.kind is SymbolKind.COUNTER}
    for counter in loops:
        if counter in used and counter not in kept:
            return None
    return _run(side, address, kept, loops, tests, names, code, launch, blocks)


def _run(
    side: Side,
    address: str,
    kept: list[Symbol],
    loops: Mapping[Symbol, Term | None],
    tests: list[tuple[Term, str]],
    names: Mapping[Symbol, str],
    code: object,
    launch: Launch,
    blocks: bool,
) -> Touches | None:
    assert callable(code)
    open_ = [counter for counter in loops if counter not in kept]
    lines = ["def walk(blocks, threads, most):", "  out = []", "  for b, (bx, by, bz) in enumerate(blocks):"]
    lines.append("   for t, (tx, ty, tz) in enumerate(threads):")
    indent = "    "
    inside: set[Symbol] = set()

    def guards(skip: str) -> None:
        for guard, text in list(tests):
            counters = {s for s in symbols(guard) if s.kind is SymbolKind.COUNTER}
            if counters <= inside:
                lines.append(f"{indent}if not {text}: {skip}")
                tests.remove((guard, text))
            elif counters & set(open_):
                tests.remove((guard, text))

    guards("continue")
    for counter in kept:
        condition = loops[counter]
        lines.append(f"{indent}for {names[counter]} in range(most + 1):")
        indent += "  "
        lines.append(f"{indent}if not {code(condition)}: break")
        lines.append(f"{indent}if {names[counter]} >= most: return None")
        inside.add(counter)
        guards("continue")
    values = "".join(f"{names[counter]}, " for counter in kept)
    lines.append(f"{indent}out.append(({address}, {'b' if blocks else 't'}, ({values})))")
    lines.append(f"{indent}if len(out) > most: return None")
    lines.append("  return out")
    scope = {**environment(), "enumerate": enumerate, "range": range, "len": len}
    exec("\n".join(lines), scope)
    x, y, z = (size or 1 for size in launch.block)
    threads: list[Triple] = [(i % x, i // x % y, i // (x * y)) for i in range(x * y * z)]
    places: list[Triple] = [(0, 0, 0)]
    if blocks:
        gx, gy, gz = (min(size or 1, 4) for size in launch.grid)
        places = [(i % gx, i // gx % gy, i // (gx * gy)) for i in range(gx * gy * gz)]
    try:
        found = scope["walk"](places, threads, MOST // 4 if blocks or None not in launch.grid else MOST)
    except ArithmeticError:
        return None
    if found is None:
        return None
    starts = [start for start, _, _ in found]
    unit = next((u for u in (16, 8, 4, 2) if side.size % u == 0 and not any(start % u for start in starts)), 1)
    low, high = min(starts, default=0), max(starts, default=-1) + side.size - 1
    return Touches(tuple(found), tuple(kept), side.size, low, high, unit)
