"""Which cells each thread of one block touches: a cheap test that most pairs of accesses never meet.

Under one launch an access is walked once, over all threads and all iterations of its loops; pairs are then compared
by looking cells up.  The walk errs on the side of more cells: conditions that cannot be computed are taken to hold.
Where places rest on anything but the launch, or there are too many, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kernlint.prove.query import Launch, Side, Triple
from kernlint.symbolic.evaluate import environment, source_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

MOST = 16_384
"""Touches of one access that are looked at; an access with more is left to the prover."""

WARP = 32

Touch = tuple[int, int, tuple[int, ...]]
"""(first byte, linear number of the thread, values of the counters)."""

MANY = -1
"""Stands for several threads."""


@dataclass(frozen=True, slots=True)
class Touches:
    """What one access touches: ``counters`` are the loops whose iterations are told apart, in order."""

    found: tuple[Touch, ...]
    counters: tuple[Symbol, ...]
    size: int


@dataclass(slots=True)
class Toucher:
    """Walks accesses and remembers what it found."""

    known: dict[tuple[Side, Launch, frozenset[Symbol]], Touches | None] = field(default_factory=dict)

    def apart(
        self, a: Side, b: Side, tied: Iterable[tuple[Symbol, Symbol, int]], launch: Launch, *, warps: bool
    ) -> bool:
        """Whether two threads (of different warps, with ``warps``) surely never touch one cell, one as ``a`` and the
        other as ``b``, in iterations tied like those of :class:`~kernlint.prove.query.Overlap`."""
        ties = tuple(tied)
        first = self._of(a, launch, frozenset(x for x, _, _ in ties))
        second = first if a == b and not ties else self._of(b, launch, frozenset(y for _, y, _ in ties))
        if first is None or second is None:
            return False
        unit = _unit(first, second)
        pairs = [
            (first.counters.index(x), second.counters.index(y), shift)
            for x, y, shift in ties
            if x in first.counters and y in second.counters
        ]
        table: dict[tuple[int, ...], int] = {}
        for start, thread, counts in second.found:
            extra = tuple(counts[y] + shift for _, y, shift in pairs)
            for cell in range(start // unit, (start + second.size - 1) // unit + 1):
                key = (cell, *extra)
                table[key] = thread if table.get(key, thread) == thread else MANY
        for start, thread, counts in first.found:
            extra = tuple(counts[x] for x, _, _ in pairs)
            for cell in range(start // unit, (start + first.size - 1) // unit + 1):
                other = table.get((cell, *extra), thread)
                if other != thread and (other == MANY or not warps or other // WARP != thread // WARP):
                    return False
        return True

    def _of(self, side: Side, launch: Launch, wanted: frozenset[Symbol]) -> Touches | None:
        key = (side, launch, wanted)
        if key not in self.known:
            self.known[key] = walk(side, launch, wanted)
        return self.known[key]


def _unit(first: Touches, second: Touches) -> int:
    for unit in (16, 8, 4, 2):
        if all(t.size % unit == 0 and all(start % unit == 0 for start, _, _ in t.found) for t in (first, second)):
            return unit
    return 1


def walk(side: Side, launch: Launch, wanted: frozenset[Symbol]) -> Touches | None:
    """All touches of an access under ``launch``, whose block is exact; None when they cannot be listed."""
    block = launch.block
    if None in block:
        return None
    fixed = dict(launch.known())
    fixed.update(dict.fromkeys(BLOCK, 0))
    fixed.update({symbol: size for symbol, size in zip(BLOCK_DIM, block, strict=True) if size is not None})
    loops = {loop.counter: loop.condition for loop in side.counters}
    names: dict[Symbol, str] = {symbol: str(value) for symbol, value in fixed.items()}
    names.update(zip(THREAD, ("tx", "ty", "tz"), strict=True))
    names.update((counter, f"k{at}") for at, counter in enumerate(loops))

    def code(term: Term) -> str | None:
        if any(symbol not in names for symbol in symbols(term)):
            return None
        text = source_of([term], list(names), names=list(names.values()))
        return None if text is None else text[0]

    address = code(side.offset)
    if address is None or any(s.kind is SymbolKind.BLOCK for s in symbols(side.offset)):
        return None
    tests = [(guard, text) for guard in side.guards if not _blocks(guard) and (text := code(guard)) is not None]
    used = set(symbols(side.offset))
    kept: list[Symbol] = []
    for counter in loops:  # outermost first: a loop matters when its counter is used, or helps to tell rounds apart
        condition = loops[counter]
        computable = condition is not None and not _blocks(condition) and code(condition) is not None
        if counter in used and not computable:
            return None
        if condition is not None and computable and (counter in used or counter in wanted):
            kept.append(counter)
            used |= {s for s in symbols(condition) if s.kind is SymbolKind.COUNTER}
    for counter in loops:
        if counter in used and counter not in kept:
            return None
    return _run(side, address, kept, loops, tests, names, code, launch)


def _blocks(term: Term) -> bool:
    """Whether a condition speaks of the block's place: it is then taken to hold."""
    return any(symbol.kind is SymbolKind.BLOCK for symbol in symbols(term))


def _run(
    side: Side,
    address: str,
    kept: list[Symbol],
    loops: Mapping[Symbol, Term | None],
    tests: list[tuple[Term, str]],
    names: Mapping[Symbol, str],
    code: object,
    launch: Launch,
) -> Touches | None:
    assert callable(code)
    open_ = [counter for counter in loops if counter not in kept]
    lines = ["def walk(threads, most):", "  out = []", "  for t, (tx, ty, tz) in enumerate(threads):"]
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
    lines.append(f"{indent}out.append(({address}, t, ({values})))")
    lines.append(f"{indent}if len(out) > most: return None")
    lines.append("  return out")
    scope = {**environment(), "enumerate": enumerate, "range": range, "len": len}
    exec("\n".join(lines), scope)
    x, y, z = (size or 1 for size in launch.block)
    threads: list[Triple] = [(i % x, i // x % y, i // (x * y)) for i in range(x * y * z)]
    try:
        found = scope["walk"](threads, MOST)
    except ArithmeticError:
        return None
    return None if found is None else Touches(tuple(found), tuple(kept), side.size)
