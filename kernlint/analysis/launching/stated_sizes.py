"""Launches that are refused for sizes that a comment of the file allows, or that callers in sight store in a member:
blocks of too many threads, grids that are too large along y or z, or without any block.

What the comment says is the evidence: ``tokens: 1 .. 262144`` beside a grid with a block for each of them along y, or
``0 for a frame without any object`` where nobody asks about 0 before the launch (CUDA C++ Programming Guide, technical
specifications; a grid without blocks is ``cudaErrorInvalidConfiguration``, as it is in HIP).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.launches import Sizes
from kernlint.analysis.launching.members import Members, Number, member_of, value_of
from kernlint.analysis.launching.run_time_sizes import chosen_by_callers
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import ParamDecl
from kernlint.tree.types import IntType, PointerType, StructType

Ranges = Mapping[str, tuple[int | None, int | None]]

FITS = "*"
"""The name under which it stands that a comment speaks of what fits 32 bits: a product, or a number of elements."""

TRIED = (1, 33, 100, 1000, 5000, 20_000, 100_000, 1_000_000, 20_000_000)
"""Sizes that blocks are chosen by."""

LARGEST = (1 << 31) - 1
"""Blocks along x, at the most."""

_OTHERS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Values of sizes of which nothing is said, where the host's checks want more than 1."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """A block of too many ``threads`` where the size ``name`` is ``value``, which a ``comment`` allows or a caller in
    sight makes it."""

    name: str
    value: Number
    threads: int
    comment: bool


def beyond_rows(view: LaunchView, said: Ranges, most: int) -> tuple[int, str, int] | None:
    """(axis, size, how many blocks) where a grid gets more than ``most`` blocks along y or z."""
    grid = view.fact.grid
    for axis in (1, 2) if grid is not None and view.fact.threads is None else ():
        assert grid is not None
        highs = {symbol: high for symbol, (_, high) in _stated(grid[axis], said).items() if high is not None}
        if not highs:
            continue
        count = evaluate(grid[axis], {**dict.fromkeys(symbols(grid[axis]), 1), **highs})
        if count is not None and count > most and _let_through(view, grid, highs):
            largest = max(highs, key=lambda symbol: highs[symbol])
            return axis, short(largest), count
    return None


def within_rows(view: LaunchView, axis: int, said: Ranges, most: int) -> bool:
    """Whether comments say how large all sizes along an axis get, and there are no more than ``most`` blocks then."""
    size = view.fact.grid[axis] if view.fact.grid is not None else None
    stated = _stated(size, said) if size is not None else {}
    highs = {symbol: high for symbol, (_, high) in stated.items() if high is not None}
    if size is None or not highs or set(symbols(size)) != set(highs):
        return False
    count = evaluate(size, highs)
    return count is not None and count <= most


def empty(view: LaunchView, said: Ranges, most: int, elsewhere: Collection[Symbol] = ()) -> tuple[str, str] | None:
    """(size that may be 0, what allows it: a comment, the host's check, or another function that leaves for the sizes
    ``elsewhere``), where the grid is refused then and right for 1."""
    grid = view.fact.grid
    if grid is None or view.fact.threads is not None:
        return None
    for size in grid:
        told = {symbol: "comment" for symbol, (low, _) in _stated(size, said).items() if low == 0}
        told |= {symbol: "check" for symbol in symbols(size) if symbol not in told and _from_zero(symbol, view.checks)}
        told |= {symbol: "way out of another function" for symbol in elsewhere if symbol not in told}
        for symbol, by in told.items():
            if _refused(grid, {symbol: 1}, most) or not _refused(grid, {symbol: 0}, most):
                continue
            if _let_through(view, grid, {symbol: 0}):
                return short(symbol), by
    return None


def _from_zero(symbol: Symbol, checks: Iterable[Term]) -> bool:
    """Whether the host refuses values of a size that are less than 0, and lets 0 through."""
    signed = isinstance(symbol.type, IntType) and symbol.type.signed
    parts = (part for check in checks for part in conjuncts(check)) if signed else ()
    return any(part.op == "le" and part.args[0].value == 0 and plain(part.args[1]).symbol is symbol for part in parts)


def block_beyond_stated(view: LaunchView, said: Ranges, stored: Members, most: int) -> Beyond | None:
    """A block of more than ``most`` threads for sizes as large as a comment allows, or as callers in sight have them
    stored in a member."""
    block = view.fact.block
    if block is None or all(size.value is not None for size in block):
        return None
    asked = {symbol for size in block for symbol in symbols(size)}
    if any(symbol.kind is SymbolKind.UNKNOWN for symbol in asked):
        return None
    named: dict[Symbol, Number] = {}
    for size in block:
        named.update({symbol: high for symbol, (_, high) in _stated(size, said).items() if high is not None})
    for highs, comment in ((named, True), *((one, False) for one in _stored_or_passed(asked, stored))):
        known = {**dict.fromkeys(asked, 1), **highs}
        sizes = [value_of(size, known) for size in block]
        if not highs or any(size is None or size <= 0 for size in sizes):
            continue
        threads = int(math.prod(size or 0 for size in sizes))
        refused = any(value_of(check, highs) == 0 for check in view.checks)
        if threads > most and not refused and _let_through(view, block, highs):
            largest = max(highs, key=lambda symbol: highs[symbol])
            return Beyond(short(largest), highs[largest], threads, comment)
    return None


def bytes_beyond(view: LaunchView, said: Ranges, most: int) -> tuple[str, int, int] | None:
    """(size, its value, bytes) where a launch asks for more than ``most`` bytes of dynamic shared memory for sizes as
    large as a comment allows."""
    given = view.fact.shared
    highs = {symbol: high for symbol, (_, high) in _stated(given, said).items() if high} if given is not None else {}
    if given is None or not highs or given.value is not None:
        return None
    count = evaluate(given, {**dict.fromkeys(symbols(given), 1), **highs})
    if count is None or count <= most or not _let_through(view, (given, given, given), highs):
        return None
    largest = max(highs, key=lambda symbol: highs[symbol])
    return short(largest), highs[largest], count


def block_of_choices(view: LaunchView, most: int) -> tuple[int, int, int] | None:
    """A block of more than ``most`` threads where callers' sizes choose between numbers, one of which is too large."""
    block = view.fact.block
    if block is None or all(size.value is not None for size in block):
        return None
    if not all(_arms(size) for size in block):
        return None
    asked = {symbol for size in block for symbol in symbols(size)}
    for value in TRIED:
        x, y, z = (evaluate(size, dict.fromkeys(asked, value)) or 0 for size in block)
        if x * y * z > most and _let_through(view, block, dict.fromkeys(asked, value)):
            return x, y, z
    return None


def _arms(size: Term) -> tuple[int, ...]:
    """The numbers that a size is one of; empty where it may be others."""
    size = plain(size)
    if size.value is not None:
        return (size.value,)
    if size.op != "select" or not chosen_by_callers(size.args[0]):
        return ()
    then, other = _arms(size.args[1]), _arms(size.args[2])
    return (*then, *other) if then and other else ()


def _stored_or_passed(asked: set[Symbol], stored: Members) -> Iterator[dict[Symbol, Number]]:
    """The numbers that sizes have by what code in sight stores in members, or passes."""
    largest: dict[Symbol, Number] = {}
    for symbol in asked:
        of = member_of(symbol)
        values = stored.values(*of) if of is not None else ()
        if values:
            largest[symbol] = max(values)
    yield largest
    params = {symbol: symbol.origin for symbol in asked if isinstance(symbol.origin, ParamDecl)}
    for numbers in stored.passed(tuple(params.values())) if params else ():
        yield {symbol: numbers[param.span] for symbol, param in params.items()}


def short(symbol: Symbol) -> str:
    """The name of a variable or member alone."""
    if symbol.kind is SymbolKind.LOAD:
        root, offset = symbol.origin
        kind = root.decl.type if root.decl is not None else None
        kind = kind.pointee if isinstance(kind, PointerType) else kind
        fields = kind.fields if isinstance(kind, StructType) and isinstance(offset, Term) else ()
        found = [field.name for field in fields if field.offset == offset.value]
        return found[0] if len(found) == 1 else ""
    return symbol.name.replace("->", ".").rpartition(".")[2]


def _stated(size: Term, said: Ranges) -> dict[Symbol, tuple[int | None, int | None]]:
    """The variables of callers in a size of which a comment says how small and large they get."""
    own = (SymbolKind.PARAM, SymbolKind.LOAD)
    return {
        one: said[short(one)]
        for one in symbols(size)
        if one.kind in own and short(one) in said and not (short(one) in _COMPONENTS and short(one) != one.name)
    }


_COMPONENTS = frozenset("xyzw")
"""The components of ``dim3`` and of vectors: a comment that says ``x`` speaks of a variable."""


def _refused(grid: Sizes, known: dict[Symbol, int], most: int) -> bool:
    """Whether a grid is empty or too large with values for some of its variables, the others being 1."""
    for axis, size in enumerate(grid):
        count = evaluate(size, {**dict.fromkeys(symbols(size), 1), **known})
        if count is None:
            return False
        if count <= 0 or count > (most if axis else LARGEST):
            return True
    return False


def _let_through(view: LaunchView, grid: Sizes, highs: Mapping[Symbol, Number]) -> bool:
    """Whether the host's checks that ask about the sizes of a grid let values through."""
    known = {symbol: value for symbol, value in highs.items() if isinstance(value, int)}
    sizes = {symbol for size in grid for symbol in symbols(size)}
    checks = [check for check in view.checks if not sizes.isdisjoint(symbols(check))]
    checks = [check for check in checks if all(part.op != "call" for part in subterms(check))]  # statuses
    if any(one.kind is SymbolKind.UNKNOWN and one not in known for check in checks for one in symbols(check)):
        return False
    open_ = {symbol for check in checks for symbol in symbols(check)} | sizes
    return any(all(evaluate(check, {**dict.fromkeys(open_, other), **known}) for check in checks) for other in _OTHERS)
