"""Coordinates that a launch in sight takes below zero, and of which the upper end alone is tested.

``x = (gridDim.x - 1 - blockIdx.x) * 64 + threadIdx.x + width - rounded(width); if (x < width) a[y * pitch + x]`` of a
grid that is rounded up: the surplus threads of a row that is gone through from its end are before the start, where the
test lets them pass.  The sizes are those that the host makes its grid of, and the launch is asked for a thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.before_start import shifted
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.tried import launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.prove.query import Launch
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, divided, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, subterms, symbols
from kernlint.tree.types import IntType, Space

MOST = 4
"""Coordinates of a kernel that a launch is asked about."""

FEW = 3
"""Settings of the host's sizes that are tried."""

_GRID = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})
_KNOWN = _GRID | {SymbolKind.PARAM, SymbolKind.TEMPLATE}
_ROUNDS = frozenset({"div", "shr", "and", "mod"})


@dataclass(frozen=True, slots=True, eq=False)
class LaunchedBelow:
    """An ``access`` at a coordinate that ``tested`` keeps below its end, and that the launch takes below zero."""

    access: Access
    tested: Guard
    view: LaunchView


def _tested(access: Access) -> Iterator[tuple[Polynomial, Guard]]:
    """The coordinates of an access that tests keep below a size, as signed numbers; none where a test is of data."""
    found: dict[Polynomial, Guard] = {}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if not {s.kind for s in symbols(part)} <= _KNOWN:
                return
            left = part.args[0] if part.op in ("lt", "le") else None
            kind = left.type if left is not None else None
            if left is None or not isinstance(kind, IntType) or not kind.signed:
                continue
            if symbols(part.args[1]) and chosen(part.args[1]):
                found.setdefault(polynomial(left), guard)
    whole = polynomial(access.offset) if found else number(0)
    for coordinate, guard in found.items():
        if _counted_back(coordinate) and _stands_in(coordinate, whole):
            yield coordinate, guard


def _stands_in(coordinate: Polynomial, whole: Polynomial) -> bool:
    """Whether an offset is a coordinate times a pitch, and something that the same ids have no part in."""
    ids = {atom for atom in coordinate.atoms if atom.symbol in THREAD}
    for own, times in coordinate.coefficients.items():
        if len(own) == 1 and own[0] in ids:
            found = [(left, v) for mono, v in whole.coefficients.items() if (left := divided(mono, own)) is not None]
            if len(found) != 1 or found[0][1] % times:
                return False
            rest = whole - Polynomial({found[0][0]: found[0][1] // times}) * coordinate
            return not any(moves(atom) for atom in rest.atoms & coordinate.atoms)
    return False


def _counted_back(index: Polynomial) -> bool:
    """Whether blocks or threads count a coordinate down, and no argument as it is is taken from it: that may be what
    lies before the start."""
    back = [mono for mono, value in index.coefficients.items() if value < 0 and mono]
    for mono in back:
        known = {s for atom in mono for s in symbols(atom)}
        sized = any(s.kind is SymbolKind.PARAM for s in known)
        if sized and not any(part.op in _ROUNDS for atom in mono for part in subterms(atom)):
            return False
    return any(atom.symbol in BLOCK for mono in back for atom in mono)


def _of_grid(index: Polynomial, view: LaunchView) -> bool:
    """Whether the sizes that a coordinate is made of are those that the host makes the grid of."""
    images = dict(view.images)
    known: set[Symbol] = set()
    for size in GRID_DIM:
        known |= set(symbols(images[size])) if size in images else set()
    mine: set[Symbol] = set()
    for symbol in (s for atom in index.atoms for s in symbols(atom)):
        if symbol.kind not in _GRID:
            image: Term | None = images.get(symbol)
            mine |= {symbol} if image is None else set(symbols(image))
    return mine <= known


def _compute(facts: Facts) -> tuple[LaunchedBelow, ...]:
    return tuple(_found(facts))


def _found(facts: Facts) -> Iterator[LaunchedBelow]:
    context = facts[launch_context]
    seen: set[tuple[int, Polynomial]] = set()
    for access in facts[trace].accesses if context.launches else ():
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        for coordinate, tested in _tested(access):
            key = (id(access.root), coordinate)
            if key in seen or len(seen) >= MOST or shifted(context, access):
                continue
            seen.add(key)
            for view in context.launches:
                if _of_grid(coordinate, view) and _below(access, coordinate, view) is not None:
                    yield LaunchedBelow(access, tested, view)
                    break


def _below(access: Access, coordinate: Polynomial, view: LaunchView) -> Launch | None:
    """The launch, with numbers for its sizes, in which a thread at a corner of the grid or of a block makes the access
    with a coordinate below zero."""
    before = term_of(coordinate)
    guards = [*side(access).guards]
    for values in islice(settings_of(view), FEW):
        launch = launch_with(view, values)
        if launch is None:
            continue
        block, grid = ([size or 1 for size in sizes] for sizes in (launch.block, launch.grid))
        known: dict[Symbol, int] = {**dict(launch.values), **{loop.counter: 0 for loop in access.loops}}
        known |= {**dict(zip(BLOCK_DIM, block, strict=True)), **dict(zip(GRID_DIM, grid, strict=True))}
        sizes = {**dict(zip(THREAD, block, strict=True)), **dict(zip(BLOCK, grid, strict=True))}
        own = [symbol for symbol in sizes if symbol in {s for atom in coordinate.atoms for s in symbols(atom)}]
        for ends in product((False, True), repeat=len(own)):
            env = {**known, **dict.fromkeys(sizes, 0)}
            env |= {symbol: sizes[symbol] - 1 for symbol, last in zip(own, ends, strict=True) if last}
            at = evaluate(before, env)
            if at is not None and at < 0 and all(evaluate(guard, env) for guard in guards):
                return launch
    return None


launched_below = KernelAnalysis("launched_below", _compute, needs=(trace, launch_context))
"""Each :class:`LaunchedBelow` of a kernel variant, a coordinate of an array once, in order of the walk."""
