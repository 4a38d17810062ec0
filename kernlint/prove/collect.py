"""Code that walks the threads of a small launch and lists which bytes each access touches.

One Python function is generated per access: loops over blocks, threads and loop counters, each guard tested as
soon as its symbols are bound, the address last.  Terms keep their machine semantics
(:mod:`kernlint.symbolic.evaluate`); where C leaves a value undefined the walk ends with an ArithmeticError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from kernlint.prove.query import SETTLED, Query, Side, Triple, is_shared
from kernlint.record import dataclass, field
from kernlint.symbolic.evaluate import environment, source_of, with_shared_parts
from kernlint.symbolic.intervals import Ranges
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, SymbolKind, Term, symbols

Point = tuple[int, Triple, Triple, tuple[int, ...]]
"""(offset in bytes, block, thread, values of the counters)."""


class Points(list[Point]):
    """What a walk found, and what was made of it since (see :mod:`kernlint.prove.meet`)."""

    __slots__ = ("cells", "owners")

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], set[int]] = {}
        self.owners: dict[tuple[object, ...], dict[int, object]] = {}


Walk = Callable[
    [Sequence[int], Sequence[Triple], Sequence[Triple], Sequence[int], int, Sequence[int]], tuple[Points, int]
]
"""(shared values, blocks, threads, limits of the counters, most points, data) -> (points, threads and rounds)."""


@dataclass(frozen=True, slots=True)
class Collector:
    """The walk of one access.

    ``shared``: the symbols whose values it takes, in order; ``data``: the private symbols that are neither threads,
    blocks nor counters, whose values it takes too; ``counters``: the loops' counters, outermost first.
    ``doubtful``: guards were left out because they are not computable and rest on more than the arguments;
    ``data_in_address``: the address rests on ``data``.
    """

    walk: Walk
    shared: tuple[Symbol, ...]
    data: tuple[Symbol, ...]
    counters: tuple[Symbol, ...]
    limits: tuple[int | None, ...]
    conditional: tuple[bool, ...]
    doubtful: bool
    data_in_address: bool
    skipped: tuple[Term, ...] = ()
    constants: frozenset[int] = field(default_factory=frozenset)


class Overrun(Exception):
    """A strict walk found a loop that does not end within its limit, or too much to walk."""


def collector(
    side: Side, query: Query, shared: Sequence[Symbol], ranges: Ranges, strict: bool = False
) -> Collector | None:
    """The collector of ``side``; None when its address is not computable.

    A ``strict`` walk raises :class:`Overrun` rather than leave anything out.
    """
    known = set(shared)
    loops = {loop.counter: loop for loop in side.counters}
    threads = [*THREAD, *BLOCK]
    counters = list(loops)
    data: list[Symbol] = []
    for symbol in side.symbols:
        if symbol in known or symbol in counters or symbol in data or symbol.kind is SymbolKind.THREAD:
            continue
        if symbol.kind is SymbolKind.BLOCK and symbol not in query.private:
            continue
        if symbol.kind is SymbolKind.COUNTER:
            counters.append(symbol)
        else:
            data.append(symbol)
    names: dict[Symbol, str] = {}
    for index, symbol in enumerate(shared):
        names[symbol] = f"p[{index}]"
    for index, symbol in enumerate(data):
        names[symbol] = f"d[{index}]"
    for symbol, name in zip(threads, ("tx", "ty", "tz", "bx", "by", "bz"), strict=True):
        names.setdefault(symbol, name)
    for index, symbol in enumerate(counters):
        names[symbol] = f"k{index}"
    parameters, texts = list(names), list(names.values())

    def code(term: Term) -> str | None:
        found = source_of([term], parameters, names=texts, fits=ranges.fits)
        return None if found is None else found[0]

    address = code(side.offset)
    if address is None:
        return None
    tests: list[tuple[int, str]] = []
    skipped: list[Term] = []
    for guard in side.guards:
        text = code(guard)
        if text is None:
            skipped.append(guard)
        else:
            tests.append((_depth(guard, names, counters), text))
    # counters that belong to no known loop, and conditions that are not computable, run as far as anyone lets them
    conditions: list[str | None] = []
    for index, counter in enumerate(counters):
        condition = loops[counter].condition if counter in loops else None
        text = None if condition is None else code(condition)
        if condition is not None and text is not None:
            depth = _depth(condition, names, counters)
            if depth > 3 + index:  # it rests on a loop inside: what runs has to pass it there
                tests.append((depth, text))
                text = None
        conditions.append(text)
    lines = _source(address, tests, conditions, len(counters), strict)
    try:
        walk = _compiled("\n".join(with_shared_parts(lines)))
    except (SyntaxError, RecursionError, MemoryError):  # nested too deeply for Python
        return None
    used = set(symbols(side.offset))
    constants: set[int] = set()
    for term in (side.offset, *side.facts):
        _constants(term, constants)
    return Collector(
        walk,
        tuple(shared),
        tuple(data),
        tuple(counters),
        tuple(loops[c].most if c in loops else None for c in counters),
        tuple(condition is not None for condition in conditions),
        any(not _settled(guard, query) for guard in skipped),
        any(symbol in used for symbol in data),
        tuple(skipped),
        frozenset(constants),
    )


@lru_cache(maxsize=256)
def _compiled(code: str) -> Walk:
    """The walk with this source: accesses that differ in the names of their symbols alone share it."""
    scope: dict[str, Any] = {**environment(), "len": len, "range": range, "Overrun": Overrun, "Points": Points}
    exec(code, scope)
    walk: Walk = scope["walk"]
    return walk


def _settled(guard: Term, query: Query) -> bool:
    return all(is_shared(symbol, query) and symbol.kind in SETTLED for symbol in symbols(guard))


def _constants(term: Term, out: set[int]) -> None:
    if term.op == "const":
        if isinstance(term.args[0], int):
            out.add(term.args[0])
    else:
        for arg in term.terms:
            _constants(arg, out)


def _depth(guard: Term, names: dict[Symbol, str], counters: list[Symbol]) -> int:
    """How deep in the loops ``guard`` can be tested: 0 before all, 1 per block, 2 per thread, 3.. in a counter."""
    depth = 0
    for symbol in symbols(guard):
        name = names[symbol]
        level = 3 + counters.index(symbol) if name[0] == "k" else {"t": 2, "b": 1}.get(name[0], 0)
        depth = max(depth, level)
    return depth


def _source(
    address: str, tests: list[tuple[int, str]], conditions: list[str | None], depth: int, strict: bool
) -> list[str]:
    """The function's lines.  ``limits[i]`` bounds the i-th counter; the walk stops once ``most`` points are found
    (``strict``: it raises once it took more than ``most`` steps, or when a loop reaches its limit)."""
    lines = ["def walk(p, blocks, threads, limits, most, d):", "  out = Points()", "  steps = 0"]

    def guard(level: int, indent: str, skip: str) -> None:
        for at, text in tests:
            if at == level and text not in conditions[: max(0, at - 2)]:
                lines.append(f"{indent}if not {text}: {skip}")

    guard(0, "  ", "return out, steps")
    lines.append("  for block in blocks:")
    lines.append("    bx, by, bz = block")
    guard(1, "    ", "continue")
    lines.append("    for thread in threads:")
    lines.append("      tx, ty, tz = thread")
    lines.append("      steps += 1")
    guard(2, "      ", "continue")
    indent = "      "
    for index in range(depth):
        lines.append(f"{indent}for k{index} in range(limits[{index}]):")
        indent += "  "
        lines.append(f"{indent}steps += 1")
        if conditions[index] is not None:
            lines.append(f"{indent}if not {conditions[index]}: break")
        guard(3 + index, indent, "continue")
    values = "".join(f"k{index}, " for index in range(depth))
    lines.append(f"{indent}out.append(({address}, block, thread, ({values})))")
    if strict:
        lines.append(f"{indent}if steps > most: raise Overrun")
        for _ in range(depth):
            indent = indent[:-2]
            lines.append(f"{indent}else: raise Overrun")
    else:
        lines.append(f"{indent}if len(out) >= most: return out, steps")
    lines.append("  return out, steps")
    return lines


def constants_of(terms: Iterable[Term]) -> set[int]:
    """Every integer constant of ``terms``."""
    out: set[int] = set()
    for term in terms:
        _constants(term, out)
    return out
