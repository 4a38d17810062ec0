"""Accesses to the memory of a parameter that lie before it for the first threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.views import part_of_an_image
from kernlint.analysis.extent.accessors import is_accessor
from kernlint.analysis.extent.leaving import FEW, PLACE, UNLIMITED, Outside, kinds_of, leaves, plainly_left
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import limits_of
from kernlint.analysis.launching.launch_context import Block, LaunchContext
from kernlint.analysis.trace.events import Access, LoopContext
from kernlint.analysis.trace.values import PointerValue
from kernlint.prove.admission import ANY
from kernlint.prove.query import Refuted, Side
from kernlint.record import replace
from kernlint.symbolic.exactly import exactly
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    const,
    plain,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.types import IntType

_KNOWN = PLACE | {SymbolKind.PARAM, SymbolKind.GRID_DIM}
"""What the place and its conditions may be made of: a row may be as long as the grid has threads."""

SIZES = ((211, 16), (5, 2))
"""What parameters are taken to be: the first, and how much more each other one is; small where large products wrap."""


def shifted(context: LaunchContext, access: Access) -> bool:
    """Whether a launch passes a pointer into the middle of something."""
    for view in context.launches:
        value = view.fact.argument(access.root.name)
        if isinstance(value, PointerValue) and value.offset.value != 0:
            return True
    return False


def moved(context: LaunchContext, axis: int) -> bool:
    """Whether OpenCL's global ids along an axis need not begin at zero in any launch in sight."""
    return bool(context.launches) and all(axis in view.fact.moved for view in context.launches)


def _edge_tested(access: Access, every: Sequence[Access]) -> frozenset[Term]:
    """What data have to say of an access, where another one to the array further on stands under all of that too, and
    under a test of the array's end besides: who asks for the end in just these cases has forgotten the start.

    Silent: ``if (hit[i]) s += x[i - 1];``  Told: beside ``if (hit[i]) { ...; if (i + 1 < n) s += x[i + 1]; }``.
    """
    own = frozenset(part for guard in access.guards for part in conjuncts(guard.term))
    data = frozenset(part for part in own if not kinds_of(part) <= _KNOWN)
    at = elements(access) if data else None
    for other in every if at is not None else ():
        if other.root is not access.root or other is access or at is None:
            continue
        theirs = {part for guard in other.guards for part in conjuncts(guard.term)}
        found = elements(other) if own < theirs else None
        ahead = found[0] - at[0] if found is not None else number(0)
        if found is None or not ahead.coefficients or any(value < 0 for value in ahead.coefficients.values()):
            continue
        if any(limit.part not in own for limit in limits_of(found[0], other)):
            return data
    return frozenset()


def before_start(access: Access, context: LaunchContext, every: Sequence[Access] = ()) -> Outside | None:
    """An access to a parameter's memory that lies before it for the first threads.  ``every``: all of the kernel."""
    place, asked, loops = _in_first_round(access)
    kinds = kinds_of(place)
    if any(s.kind is SymbolKind.BLOCK and moved(context, s.axis) for s in symbols(place)):
        return None
    if not kinds <= _KNOWN or not kinds & {SymbolKind.THREAD, SymbolKind.BLOCK}:
        return None
    form = polynomial(place).coefficients
    windows = _halves(access, place)
    if not _may_be_negative(form, windows, _widths(access)) or _counted_back(form):
        return None
    scalars = [s for s in symbols(place) if s.kind is SymbolKind.PARAM]
    beside = _edge_tested(access, every) if any(not kinds_of(guard) <= _KNOWN for guard in asked.guards) else None
    if beside:
        asked = replace(asked, guards=tuple(guard for guard in asked.guards if not set(conjuncts(guard)) <= beside))
    for guard in asked.guards:
        scalars += [s for s in symbols(guard) if s.kind is SymbolKind.PARAM and s not in scalars]
        if not kinds_of(guard) <= _KNOWN:
            return None
    for loop in loops:
        if not plainly_left(loop) or loop.condition is None or not kinds_of(loop.condition) <= _KNOWN:
            return None
    block = (4, 4, 1) if context.admission.permits((4, 4, 1)) else next(iter(context.known_blocks), (32, 1, 1))
    found = None
    for least, step in reversed(SIZES) if windows else SIZES:
        values = tuple(_ordinary(scalars, least, step))
        if context.stated or context.admission.ways:  # they choose the values
            values = ()
        found = leaves(asked, UNLIMITED, block, context, values, _grid(context, block, values), FEW)
        if found is None or found.data_in_address:
            return None
        wrapped = found.first.offset >= UNLIMITED
        if found.first.offset >= 0 and not wrapped:
            return None
        if _below(form, found):
            break
        if not values:
            return None
    else:
        return None
    if part_of_an_image.holds(access, found) and not (is_accessor(access.root) or _edge_known(access, every)):
        return None
    if not values and not windows and not context.stated and _room_by_sizes(form):
        # Of sizes of which no launch says how they go together callers make what fits: ordinary ones are tried.
        tried = (tuple(_ordinary(scalars, *one)) for one in SIZES)
        grids = ((given, _grid(context, block, given)) for given in tried)
        again = [leaves(asked, UNLIMITED, block, context, given, grid, FEW) for given, grid in grids]
        if not any(one is not None and _below(form, one) for one in again):
            return None
    return Outside(access, found, None, True, "", False)


def _grid(context: LaunchContext, block: Block, values: tuple[tuple[Symbol, int], ...]) -> Block:
    """The least grid that a launch in sight has with this block and these arguments; one block where none has."""
    return context.admission.fit(block, ANY, values) or (1, 1, 1)


def _edge_known(access: Access, every: Sequence[Access]) -> bool:
    """Whether an access to the array is tested for the start of some axis: who asks for that knows of no places before.

    Silent: no test of the kind.  Told: beside ``if (x > 0) s += a[y * pitch + x - 1];``.
    """
    ids = (SymbolKind.THREAD, SymbolKind.BLOCK)
    return any(
        part.op in ("lt", "le")
        and part.args[0].value is not None
        and any(symbol.kind in ids for symbol in symbols(part.args[1]))
        for other in every
        if other.root is access.root and other.offset is not access.offset
        for guard in other.guards
        for part in conjuncts(guard.term)
    )


def _in_first_round(access: Access) -> tuple[Term, Side, list[LoopContext]]:
    """The place of an access, the question about it, and the loops that it is in: those that go on from a variable of
    which no formula is known in their first round."""
    found = (access.offset, *(guard.term for guard in access.guards))
    phis = {s for term in found for s in symbols(term) if s.kind is SymbolKind.PHI and s.init is not None}
    first = [loop for loop in access.loops if any(phi.origin is loop for phi in phis)]
    asked = side(access)
    if not first or any(kinds_of(loop.condition) - _KNOWN - {SymbolKind.PHI} for loop in first if loop.condition):
        return access.offset, asked, list(access.loops)
    images: dict[Symbol, Term] = {phi: phi.init for phi in phis if phi.origin in first and phi.init is not None}
    images |= {loop.counter: const(0, loop.counter.type) for loop in first}
    place = substitute(access.offset, images)
    counters = tuple(one for one in asked.counters if one.counter not in images)
    guards = tuple(substitute(guard, images) for guard in asked.guards)
    rest = [loop for loop in access.loops if loop not in first]
    return place, Side(place, asked.size, guards, counters), rest


def _halves(access: Access, place: Term) -> frozenset[Symbol]:
    """The sizes of windows that a place moves through (``k < w``, ``t % w``), where a test keeps the place below an end
    that has nothing to do with them: what is taken away for them then, half a window, is before the start at first."""
    form = polynomial(place)
    sizes: set[Symbol] = set()
    for atom in form.atoms:
        if atom.op == "mod" and kinds_of(atom.args[0]) & PLACE:
            sizes |= {s for s in symbols(atom.args[1]) if s.kind is SymbolKind.PARAM}
    for loop in access.loops:
        if loop.condition is not None and loop.counter.term in form.atoms:
            sizes |= {s for s in symbols(loop.condition) if s.kind is SymbolKind.PARAM}
    at = elements(access) if sizes else None
    if at is None:
        return frozenset()
    limits = limits_of(at[0], access)
    ends = [limit for limit in limits if not sizes & {s for atom in limit.size.atoms for s in symbols(atom)}]
    return frozenset(sizes) if any(limit.slack == -1 for limit in ends) else frozenset()


def _ordinary(scalars: list[Symbol], least: int, step: int) -> Iterator[tuple[Symbol, int]]:
    """Values of sizes that are all a little apart."""
    return ((s, least + step * at) for at, s in enumerate(scalars) if isinstance(s.type, IntType))


def _room_by_sizes(form: dict[tuple[Term, ...], int]) -> bool:
    """Whether a place counts back from an end that sizes alone make: ``(rows - 1 - thread) * columns``."""
    sizes = (SymbolKind.PARAM, SymbolKind.TEMPLATE)
    return any(
        mono and value > 0 and all(atom.symbols and all(s.kind in sizes for s in atom.symbols) for atom in mono)
        for mono, value in form.items()
    )


def _below(form: dict[tuple[Term, ...], int], found: Refuted) -> bool:
    """Whether a place is before the start, and not one of so many elements that their number has wrapped."""
    first = found.first
    env: dict[Symbol, int] = {**dict(found.values), **dict(first.counters), **dict(first.data)}
    for places, sizes in (
        (THREAD, first.thread),
        (BLOCK, first.block),
        (BLOCK_DIM, found.block),
        (GRID_DIM, found.grid),
    ):
        env.update(zip(places, sizes, strict=True))
    total = exactly(term_of(Polynomial(form)), env)
    return total is None or total < 0


def _counted_back(form: dict[tuple[Term, ...], int]) -> bool:
    """Whether a number alone is taken away, and something made of parameters is there to be larger: ``end - 256 +
    thread``, ``part * (cells >> shift) - 32``."""
    return [mono for mono, value in form.items() if value < 0] == [()] and _room_by_sizes(form)


def _widths(access: Access) -> frozenset[Term]:
    """The lengths of rows by which a thread's number is taken apart: ``i % w``."""
    terms = (access.offset, *(guard.term for guard in access.guards))
    parts = (part for term in terms for part in subterms(term) if part.op in ("div", "mod"))
    return frozenset(plain(part.args[1]) for part in parts if kinds_of(part.args[0]) & {SymbolKind.THREAD})


def _may_be_negative(
    form: dict[tuple[Term, ...], int],
    windows: frozenset[Symbol] = frozenset(),
    widths: frozenset[Term] = frozenset(),
) -> bool:
    """Whether an offset has a negative part that no parameter is responsible for: a number, a loop's counter, a row
    back (a parameter that the index multiplies too, or one of ``widths``), or a part of ``windows``, as wide as those
    sizes."""
    strides = {
        atom
        for mono in form
        for atom in mono
        if len(mono) > 1 and any(a.op == "sym" and a.args[0].kind is not SymbolKind.PARAM for a in mono)
    }
    negative = any(_rest_of_negative(atom) for mono, value in form.items() if value > 0 for atom in mono)
    for mono, value in form.items():
        if value < 0:
            if not all(
                atom in strides
                or atom in widths
                or (atom.op == "sym" and atom.args[0].kind is SymbolKind.COUNTER)
                or (windows and {s for s in atom.symbols if s.kind is SymbolKind.PARAM} <= windows)
                for atom in mono
            ):
                return False
            negative = True
    return negative


def _rest_of_negative(atom: Term) -> bool:
    """Whether a number is a signed remainder or shift of one that may be negative, where no size is added first."""
    atom = plain(atom)
    kind = atom.type
    if atom.op not in ("mod", "shr") or not isinstance(kind, IntType) or not kind.signed:
        return False
    form = polynomial(atom.args[0]).coefficients
    sizes = any(
        mono and value > 0 and not any(s.kind in PLACE for part in mono for s in symbols(part))
        for mono, value in form.items()
    )
    return not sizes and _may_be_negative(form)
