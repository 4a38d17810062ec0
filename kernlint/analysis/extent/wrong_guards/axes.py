"""Guards that test the wrong one of two indices, or hold one where both have to be held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.extent.accessors import is_own
from kernlint.analysis.extent.bounds import Reach
from kernlint.analysis.extent.limits import Dimension, Indexed, Limit
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.sizes import BY_NAME, UnusedSize
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, axes_of, in_host_terms, parameter_names
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind, Trace
from kernlint.prove.query import Bounds, Budget, Proved, Side
from kernlint.prove.solve import solve
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, subterms, symbols
from kernlint.tree.nodes import ParamDecl
from kernlint.tree.types import Space, VectorType


def swapped(indexed: Sequence[Indexed]) -> Iterator[Overreach]:
    """``if (y < w && x < h)`` before an access to element x of row y of rows of ``w``; in planes, these have ``h``
    rows."""
    for one in indexed:
        if len(one.dimensions) < 2:
            continue
        *planes, row, column = one.dimensions
        if not row.limits or not column.limits or column.pitch.constant != 1:
            continue
        above, below = row.limits[0], column.limits[0]
        if above.slack >= 0 or below.slack != above.slack or above.size != row.pitch or below.size == row.pitch:
            continue
        if planes and planes[-1].pitch != row.pitch * below.size:
            continue
        if len(parameter_names(below.size)) == 1 and below.size.constant is None:
            yield Overreach(
                one.access, Fault.SWAPPED, below.guard, below.part, row.pitch, 0, "it is the pitch of the rows"
            )


def either(indexed: Sequence[Indexed], every: Places) -> Iterator[Overreach]:
    """``if (x < w || y < h)`` before an access to row y of rows of w elements: one index inside lets both through.

    Rows may be longer than what is asked, where threads leave by it that are outside in each direction (``if (x >= w
    && y >= h) return;``) and nothing else is asked of either index.  Excused: ``if (x < edge || y < edge)``, and other
    such tests that let only the rim through.  Still bad: ``if (x >= w && y >= h) return; a[y * pitch + x] = 0;``
    """
    done: set[Access] = set()
    ways: list[tuple[Access, Sequence[Dimension | Place]]] = [(one.access, one.dimensions) for one in indexed]
    for access, dimensions in (*ways, *every.items()):
        if len(dimensions) < 2 or access in done:
            continue
        row = dimensions[-2].pitch
        for guard in access.guards:
            for part in conjuncts(guard.term):
                bounds = [_bound(test, dimensions) for test in _disjuncts(part)]
                if part.op != "lor" or None in bounds:
                    continue
                found = dict(bound for bound in bounds if bound is not None)
                last = len(dimensions) - 1
                known = [at for at in found if dimensions[at].limits]
                if len(found) != len(bounds) or last in known:
                    continue
                void = all(_holds_anyway(dimensions[at].limits, found[at]) for at in known)
                own = all(is_own(access.root, dimensions[at].pitch, size) for at, size in found.items())
                if last in found and void and (own or found[last] == row) and _apart(dimensions[at] for at in found):
                    done.add(access)
                    why = "it is an extent of the array" if own else "it is the pitch of the rows"
                    yield Overreach(access, Fault.EITHER, guard, part, found[last], 0, why)
                elif last in found and not known:
                    tested = [dimensions[at].index for at in found]
                    if _sent_home(guard, tested, list(found.values())):
                        done.add(access)
                        why = "threads past it are sent home, along the other axis too"
                        yield Overreach(access, Fault.EITHER, guard, part, found[last], 0, why)


def _apart(dimensions: Iterable[Dimension | Place]) -> bool:
    """Whether no two indices move along one axis of the grid: of the parts of one number either may say it all."""
    axes = [axis for dimension in dimensions for axis in axes_of(dimension.index)]
    return len(set(axes)) == len(axes)


def _holds_anyway(limits: Sequence[Limit], size: Polynomial) -> bool:
    """Whether another test keeps an index below a size, as a loop's own does: asking for it once more lets all by."""
    return any(limit.size == size and limit.slack == -1 for limit in limits)


def either_end(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``if (i >= 0 || i < n)`` before an access to element i, and nothing else asked of it: any number is one or the
    other."""
    for access in accesses:
        numbers = _alone(access)
        for guard in access.guards:
            for part in conjuncts(guard.term):
                if part.op != "lor":
                    continue
                tests = [test for test in _disjuncts(part) if test.op in ("le", "lt")]
                above = {plain(test.args[1]) for test in tests if test.args[0].value in (-1, 0)}
                ends = above & {plain(test.args[0]) for test in tests} & numbers
                others = (other for one in access.guards for other in conjuncts(one.term) if other is not part)
                if ends and not any(ends & set(subterms(other)) for other in others):
                    yield Overreach(access, Fault.ENDS, guard, part, None, 0, "")


def either_digit(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``if (i % w < w || i / w < h)`` before an access to element i, and nothing else asked of it: what is left of a
    division is always below what it was divided by, so that each thread gets by."""
    known: dict[Term, Term | None] = {}
    for access in accesses:
        if access.root.kind is not RootKind.PARAM:
            continue
        moving = _moving(access.offset)
        for guard in access.guards:
            for part in conjuncts(guard.term) if guard.term.op == "lor" or guard.term.op == "land" else ():
                if part.op != "lor" or not moving <= set(symbols(part)):
                    continue
                others = (other for one in access.guards for other in conjuncts(one.term) if other is not part)
                if part not in known:
                    known[part] = _always(_disjuncts(part))
                size = known[part]
                if size is not None and not any(moving & set(symbols(other)) for other in others):
                    yield Overreach(access, Fault.EITHER, guard, part, polynomial(size), 0, "a rest is always below it")


def _moving(term: Term) -> set[Symbol]:
    return {symbol for symbol in symbols(term) if symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}


def _always(tests: Sequence[Term]) -> Term | None:
    """The size below which one of several truths keeps a thread's index, though it is always below; None where there
    is no such truth, or where another one asks for something else than the same thread's index."""
    if not all(test.op == "lt" and _moving(test.args[0]) and not _moving(test.args[1]) for test in tests):
        return None
    if len({frozenset(_moving(test.args[0])) for test in tests}) != 1:
        return None
    inside = [test for test in tests if isinstance(solve(Bounds(Side(test.args[0], 1), test.args[1]), BUDGET), Proved)]
    return inside[0].args[1] if 0 < len(inside) < len(tests) else None


BUDGET = Budget(steps=120, points=2_000, rlimit=0)


def _alone(access: Access) -> set[Term]:
    """The index of an access to an array by one number alone, also where negative ones count from the end."""
    if access.root.space not in (Space.GLOBAL, Space.SHARED):
        return set()
    parts = polynomial(access.offset).coefficients
    atoms = next(iter(parts)) if len(parts) == 1 else ()
    index = plain(atoms[0]) if len(atoms) == 1 else None
    if index is None:
        return set()
    return {index, *(map(plain, index.args[1:]) if index.op == "select" else ())}


def _sent_home(guard: Guard, tested: Sequence[Polynomial], sizes: Sequence[Polynomial]) -> bool:
    """Whether a test is that by which threads leave the kernel that nothing is there for: each index along an axis of
    its own, each below a size of its own."""
    axes = [axes_of(index) for index in tested]
    apart = len(set().union(*axes)) == len(axes) and all(len(own) == 1 for own in axes)
    return guard.kind is GuardKind.EXIT and guard.loop is None and apart and len(set(sizes)) == len(sizes) > 1


def _disjuncts(term: Term) -> list[Term]:
    if term.op == "lor":
        return _disjuncts(term.args[0]) + _disjuncts(term.args[1])
    return [term]


def _bound(test: Term, dimensions: Sequence[Dimension | Place]) -> tuple[int, Polynomial] | None:
    """Which dimension a truth ``index < size`` keeps below which size; None for another truth."""
    if test.op != "lt":
        return None
    index, size = polynomial(test.args[0]), polynomial(test.args[1])
    if size.constant is not None or {s.kind for atom in size.atoms for s in symbols(atom)} != {SymbolKind.PARAM}:
        return None
    return next(((at, size) for at, one in enumerate(dimensions) if one.index - number(one.extra) == index), None)


def twice(indexed: Sequence[Indexed], grown: Sequence[Reach]) -> Iterator[Overreach]:
    """``if (y < w && y < h)`` before an access to element x of row y: the length of the rows bounds the row."""
    open_axes = {reach.access: reach.open_axes for reach in grown}
    for one in indexed:
        if len(one.dimensions) != 2:
            continue
        row, column = one.dimensions
        sizes = {limit.size for limit in row.limits if limit.slack == -1}
        if column.limits or column.pitch.constant != 1 or row.pitch not in sizes or len(sizes) != 2:
            continue
        if axes_of(column.index) & open_axes.get(one.access, frozenset()):
            limit = next(limit for limit in row.limits if limit.size == row.pitch)
            yield Overreach(
                one.access, Fault.TWICE, limit.guard, limit.part, row.pitch, 0, "it is the pitch of the rows"
            )


def square(kernel: Trace, found: Places, unused: Sequence[UnusedSize]) -> Iterator[Overreach]:
    """``if (y < w)`` before an access to row y of rows that go as far as w, where a size is passed that the kernel has
    no use for: the number of rows.

    Excused: ``if (y < n && x < n)`` where no other size is passed. Still bad: ``if (y < dims.x && x < dims.x)``.
    """
    idle = [size for size in unused if not size.in_values]
    passed = next((size.name for size in idle if size.why != BY_NAME), "")
    for access, places in found.items():
        if len(places) != 2:
            continue
        row, column = places
        if column.pitch.constant != 1 or not row.limits or not column.limits or row.pitch.constant is not None:
            continue
        limit, beside = row.limits[0], column.limits[0]
        if row.extra or column.extra or (limit.size, limit.slack) != (beside.size, beside.slack) or limit.slack > 0:
            continue
        if any((other.size, other.slack) != (limit.size, limit.slack) for other in row.limits):
            continue
        ours, theirs = _axes(row.index), _axes(column.index)
        whole = (limit.size, limit.slack) == (row.pitch, -1)  # along the row a loop may go
        if not ours or ours & theirs or not (theirs or whole):
            continue
        name = passed or _idle_lane(kernel, limit.size)
        if not name and theirs and len(idle) == 1:
            name = idle[0].name  # the kernel does not so much as mention it
        if name:
            why = f"it is the length of the rows, and {name}, passed for their number, is put to no use"
            yield Overreach(access, Fault.ROWS, limit.guard, limit.part, limit.size, 0, why)


def _axes(index: Polynomial) -> set[object]:
    """What an index grows with: the axes of the grid, and data that differ between threads."""
    own = [s for atom in index.atoms for s in symbols(atom)]
    data = (s for s in own if s.kind is SymbolKind.LOAD and s.uniformity > Uniformity.BLOCK)
    return {*(s.axis for s in own if s.kind is SymbolKind.BLOCK), *data}


def _idle_lane(kernel: Trace, size: Polynomial) -> str:
    """The lane of a pair of integers which the kernel has no use for, beside the one that is a size; empty: none."""
    own = [s for atom in size.atoms for s in symbols(atom)]
    if len(own) != 1 or kernel.calls or not isinstance(own[0].origin, ParamDecl):
        return ""
    kind, (name, _, lane) = own[0].origin.type, own[0].name.rpartition(".")
    if not isinstance(kind, VectorType) or kind.lanes != 2 or lane not in ("0", "1"):
        return ""
    other = f"{name}.{1 - int(lane)}"
    terms = [test.term for test in kernel.conditions]
    for access in kernel.accesses:
        terms += [access.offset, *(guard.term for guard in access.guards)]
        terms += [access.value] if access.value is not None else []
    return "" if any(s.name == other for term in terms for s in symbols(term)) else f"{name}.{'yx'[int(lane)]}"


def other_axis(indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
    """An index along y that is tested against the size that x is launched for, and not against its own."""
    for view in context.launches:
        counts = {
            axis: polynomial(one.count)
            for axis, one in enumerate(view.covers)
            if one.kind is Cover.ROUNDED_UP and one.count is not None
        }
        if len(counts) < 2 or len(set(counts.values())) < len(counts):
            continue
        images = dict(view.images)
        for one in indexed:
            for dimension in one.dimensions:
                axes = axes_of(dimension.index)
                if len(axes) != 1 or len(dimension.limits) != 1 or dimension.limits[0].slack != -1:
                    continue
                (axis,) = axes
                limit = dimension.limits[0]
                tested = in_host_terms(limit.size - _ahead(dimension.index), images)
                others = [count for other, count in counts.items() if other != axis]
                if axis in counts and tested != counts[axis] and tested in others and _once(one, axis):
                    yield Overreach(
                        one.access,
                        Fault.OTHER,
                        limit.guard,
                        limit.part,
                        limit.size,
                        0,
                        "the launch derives its grid along another axis from it",
                    )


def _ahead(index: Polynomial) -> Polynomial:
    """The places before that of the first thread."""
    own = (SymbolKind.THREAD, SymbolKind.BLOCK)
    return Polynomial(
        {m: v for m, v in index.coefficients.items() if not any(s.kind in own for atom in m for s in symbols(atom))}
    )


def _once(one: Indexed, axis: int) -> bool:
    """Whether each axis has a dimension of its own, the others tested too: not a transposed place."""
    own = [axes_of(dimension.index) for dimension in one.dimensions]
    return sum(axis in axes for axes in own) == 1 and all(len(axes) == 1 for axes in own)
