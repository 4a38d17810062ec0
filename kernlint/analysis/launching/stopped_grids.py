"""Grids that stop growing before the work does, where each thread handles one element.

Two ways to find one.  A number of blocks may be written as the least of a number, or of what the device says that it
has room for, and of what the size takes.  And whatever it is made of (branches, helpers, a block that is clamped as
well, a size that is a power of two) it can be worked out for sizes that callers choose and checks of the host admit:
the threads follow the size up to some number, and stay there while the elements that the kernel tests for go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.launching.admitted_sizes import HABIT, admitted_values, bounded, relevant
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.member_limits import Limit, checked_elsewhere, member_limits
from kernlint.analysis.launching.run_time_sizes import chosen_by_callers
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    plain,
    substitute,
    symbols,
)
from kernlint.tree.types import I64, Space

_DEVICE = ("DeviceGetAttribute", "GetDeviceProperties", "MaxActiveBlocksPerMultiprocessor", "MaxPotentialBlockSize")
"""Functions of the CUDA and HIP runtimes and drivers that say what the device, or a kernel on it, has room for (CUDA
Runtime API, device management and occupancy; HIP has the same)."""

_LADDER = (*range(1, 33), 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)
"""Values of sizes that are tried, each as far as checks let it be: exponents among them."""

_SIZES = 4
"""Sizes that may make a launch."""

_ROOM = 1 << 40
"""More elements than this are none that the host's numbers are right for."""


def places_in_grid(view: LaunchView, axis: int) -> tuple[Polynomial, ...]:
    """The index of a thread in the grid, with the size of the block as the kernel asks for it, or as a number."""
    block, size, thread = (symbols_[axis].term for symbols_ in (BLOCK, BLOCK_DIM, THREAD))
    unit = view.block[axis]
    sizes = (polynomial(size), *(() if unit is None else (number(unit),)))
    return tuple(polynomial(block) * one + polynomial(thread) for one in sizes)


def tests(view: LaunchView, accesses: Sequence[Access], axis: int) -> Iterator[tuple[Term, Span]]:
    """What the index of a thread along an axis is kept below, and where."""
    places = places_in_grid(view, axis)
    for guard in dict.fromkeys(guard for access in accesses for guard in access.guards):
        for part in conjuncts(guard.term):
            if part.op == "lt" and symbols(part.args[1]) and polynomial(part.args[0]) in places:
                yield part.args[1], guard.span


def capped(view: LaunchView, axis: int, facts: Facts) -> tuple[str, str, Span] | None:
    """(blocks, size, test) where the grid is the least of a number, or of what the device says that it has room for,
    and of what the size takes."""
    fact = view.fact
    if fact.grid is None or fact.block is None:
        return None
    sides = _least_of(plain(fact.grid[axis]))
    cap = next((side for side in sides if side.value is not None or _room_of_device(side)), None)
    needed = next((cover(side) for side in sides if side is not cap), None)
    if cap is None or needed is None or needed.count is None or needed.unit is None:
        return None
    if needed.kind is not Cover.ROUNDED_UP or polynomial(needed.unit) != polynomial(fact.block[axis]):
        return None
    blocks = f"{cap.value} blocks" if cap.value is not None else "as many blocks as the device has room for"
    count, images = polynomial(needed.count), dict(view.images)
    if cap.value is not None and (
        cap.value >= HABIT or _fits(needed.count, cap.value * (view.block[axis] or 1), view, facts)
    ):
        return None
    for limit, span in tests(view, facts[trace].accesses, axis):
        if polynomial(substitute(limit, images)) == count:
            return blocks, words(limit), span
    return None


def stopped(view: LaunchView, axis: int, facts: Facts) -> tuple[int, str, int, Span] | None:
    """(threads, size, elements, test) where the threads of a launch follow a size up to a number and stop there, with
    fewer of them than there are elements for values that the host's checks admit."""
    threads = _threads(view, axis)
    if threads is None or threads.value is not None or not chosen_by_callers(threads):
        return None
    images = dict(view.images)
    for limit, span in tests(view, [access for access in facts[trace].accesses if access.writes], axis):
        count = substitute(limit, images)
        if count.value is not None or not chosen_by_callers(count):
            continue
        asked = sorted({*symbols(threads), *symbols(count)}, key=lambda symbol: symbol.serial)
        if not set(symbols(threads)) & set(symbols(count)) or len(asked) > _SIZES:
            continue
        found = _left_out(threads, count, asked, view, facts)
        if found is not None:
            return found[0], words(limit), found[1], span
    return None


def short_rows(view: LaunchView, axis: int, facts: Facts) -> tuple[int, int, Span] | None:
    """(threads, elements, test) where a block in numbers has fewer threads along an axis than the rows that it fills
    have elements: each thread stores one, of rows that are a constant number of elements long."""
    fact = view.fact
    threads = fact.block[axis].value if fact.block is not None else None
    if threads is None or _goes_on(facts):
        return None
    for access in facts[trace].accesses:
        size = access.size
        if not access.writes or access.root.space is not Space.GLOBAL or not size or access.loops:
            continue
        place = polynomial(access.offset).coefficients
        steps = [value for mono, value in place.items() if THREAD[axis].term in mono]
        if steps != [size] or any(BLOCK[axis].term in mono and value == size for mono, value in place.items()):
            continue
        for guard in access.guards:
            for part in conjuncts(guard.term):
                count = part.args[1].value if part.op == "lt" else None
                if count is None or count <= threads or polynomial(part.args[0]) != polynomial(THREAD[axis].term):
                    continue
                if count * size in place.values():
                    return threads, count, guard.span
    return None


def _goes_on(facts: Facts) -> bool:
    """Whether a loop of a kernel goes on in steps of the block: it adds them up, or multiplies them by the round."""
    of = facts[trace]
    made = (phi.step for loop in of.loops for phi in loop.phis if phi.step is not None)
    if any(symbol in BLOCK_DIM for step in made for symbol in symbols(step)):
        return True
    return any(
        any(atom.symbol in BLOCK_DIM for atom in mono) and any(atom.symbol is loop.counter for atom in mono)
        for access in of.accesses
        for loop in access.loops
        for mono in polynomial(access.offset).coefficients
    )


def stopped_block(view: LaunchView, axis: int, facts: Facts) -> tuple[int, str, int, Span] | None:
    """As :func:`stopped`, of the threads of a block, where the kernel handles one element a thread of what each block
    has."""
    threads = plain(view.fact.block[axis]) if view.fact.block is not None else None
    if threads is None or threads.value is not None or not chosen_by_callers(threads) or _goes_on(facts):
        return None
    alone, images = polynomial(THREAD[axis].term), dict(view.images)
    stores = [one for one in facts[trace].accesses if one.writes and one.root.space is Space.GLOBAL and not one.loops]
    for guard in dict.fromkeys(guard for access in stores for guard in access.guards):
        for part in conjuncts(guard.term):
            limit = part.args[1] if part.op == "lt" and polynomial(part.args[0]) == alone else None
            count = substitute(limit, images) if limit is not None and symbols(limit) else None
            if limit is None or count is None or count.value is not None or not chosen_by_callers(count):
                continue
            asked = sorted({*symbols(threads), *symbols(count)}, key=lambda symbol: symbol.serial)
            if set(symbols(threads)) & set(symbols(count)) and len(asked) <= _SIZES:
                found = _left_out(threads, count, asked, view, facts)
                if found is not None:
                    return found[0], words(limit), found[1], guard.span
    return None


def _threads(view: LaunchView, axis: int) -> Term | None:
    """How many threads a launch has along an axis, in host terms."""
    fact = view.fact
    if fact.threads is not None:
        return plain(fact.threads[axis])
    if fact.grid is None or fact.block is None:
        return None
    return binary("mul", cast(fact.grid[axis], I64), cast(fact.block[axis], I64), I64)


def _left_out(
    threads: Term, count: Term, asked: Sequence[Symbol], view: LaunchView, facts: Facts
) -> tuple[int, int] | None:
    """The threads that a launch stops at, and more elements than that, for values that all checks admit."""
    checks = _checks(view, asked, facts)
    if any(symbol.kind is SymbolKind.UNKNOWN for check in checks for symbol in symbols(check)):
        return None
    held = [symbol for symbol in asked if bounded(symbol, checks)]
    most = admitted_values(held, checks) if held else {}
    rows: list[tuple[int, int]] = []
    for step in _LADDER:
        values = {symbol: min(step, most.get(symbol, step)) for symbol in asked}
        if not all(evaluate(check, {**dict.fromkeys(symbols(check), 1), **values}) for check in checks):
            continue
        have, need = evaluate(threads, values), evaluate(count, values)
        if have is None or need is None or not 0 < need < _ROOM or have <= 0 or (rows and need < rows[-1][1]):
            continue
        rows.append((have, need))
    if len(rows) < 3 or rows[-1][0] == rows[0][0] or any(b[0] < a[0] for a, b in pairwise(rows)):
        return None
    last, need = rows[-1]
    stays = [row for row in rows if row[0] == last and row[1] > last]
    covered = any(have >= need for have, need in rows)
    return (last, need) if covered and len({row[1] for row in stays}) > 1 else None


def _checks(view: LaunchView, asked: Sequence[Symbol], facts: Facts) -> list[Term]:
    """What the host checks of sizes, in other functions too."""
    limits: tuple[Limit, ...] = facts[member_limits]
    return relevant((*view.checks, *(check for check, _ in checked_elsewhere(limits, asked))), asked)


def _fits(count: Term, threads: int, view: LaunchView, facts: Facts) -> bool:
    """Whether checks of the host hold a number of elements down to that of the threads."""
    asked = sorted(symbols(count), key=lambda symbol: symbol.serial)
    checks = _checks(view, asked, facts)
    if not all(bounded(symbol, checks) for symbol in asked):
        return False
    most = evaluate(count, admitted_values(asked, checks))
    return most is not None and most <= threads


def _least_of(grid: Term) -> list[Term]:
    """What a number of blocks is the least of, written as such or as a choice; nothing for any other."""
    if grid.op == "min":
        return [plain(side) for side in grid.terms]
    if grid.op == "select" and grid.terms[0].op in ("lt", "le"):
        asked = [plain(side) for side in grid.terms[0].terms]
        return asked if [plain(side) for side in grid.terms[1:]] == asked else []
    return []


def _room_of_device(term: Term) -> bool:
    """Whether a number is a product, made of nothing but what the device is asked for: so many blocks to each of its
    multiprocessors.  A number that it says itself may be the largest grid there is."""
    found = symbols(term)
    if not found or not all(any(symbol.reason.endswith(name) for name in _DEVICE) for symbol in found):
        return False
    return any(len(mono) > 1 or (mono and times > 1) for mono, times in polynomial(term).coefficients.items())
