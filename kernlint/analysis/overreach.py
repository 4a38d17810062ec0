"""Guards that let more through than the array holds, by what the kernel and its launches say of the extents.

An extent is never taken from one access alone.  A size is *supported* when another access is bounded by it strictly,
when it is the pitch of a dimension, when a launch derives its grid from it, or, for ``<=`` only, by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.bounds import Reach, mentions, reaches, vacuous
from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.launch_context import LaunchContext, launch_context
from kernlint.analysis.limits import Dimension, Indexed, Limit, limits
from kernlint.analysis.sizes import named_like_a_size
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind, Trace
from kernlint.patterns import pattern
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, substitute, subterms, symbols
from kernlint.tree.nodes import Deref
from kernlint.tree.types import IntType, Space, VectorType
from kernlint.tree.walk import walk


class Fault(Enum):
    """What is wrong with a guard."""

    INCLUSIVE = "inclusive"  # <= where < is meant
    NEIGHBOUR = "neighbour"  # the index tested is not the index used
    VECTOR = "vector"  # the first of several elements is tested
    GROUP = "group"  # the first of several elements of a thread is tested
    REVERSED = "reversed"  # counted from the end, one too far
    BACKWARDS = "backwards"  # counted from the end, past the start
    CLAMPED = "clamped"  # clamped to the size, not to the last index
    SWAPPED = "swapped"  # each index is tested against the other one's extent
    VACUOUS = "vacuous"  # the test is always true
    PADDED = "padded"  # tested against a padded size, used where only the real one fits
    EITHER = "either"  # one of the two indices inside is enough for the test
    TWICE = "twice"  # one index is tested against both extents, the other against none
    OTHER = "other"  # an index is tested against the extent of another axis of the launch
    SCALARS = "scalars"  # the index counts vectors, the size single elements
    WRAPPED = "wrapped"  # an unsigned difference is tested for not being negative, which it never is


@dataclass(frozen=True, slots=True, eq=False)
class Overreach:
    """One guard that does not keep ``access`` inside.

    ``size``: the extent of the dimension (None: VACUOUS); ``beyond``: elements by which the largest index passes it;
    ``why``: what supports the extent; ``support``: an access that does.
    """

    access: Access
    fault: Fault
    guard: Guard
    part: Term
    size: Polynomial | None
    beyond: int
    why: str
    support: Access | None = None


Supports = dict[Polynomial, Access]


def _supports(indexed: Sequence[Indexed]) -> Supports:
    """Sizes that bound some access strictly, with the first such access."""
    found: Supports = {}
    for one in indexed:
        for dimension in one.dimensions:
            if dimension.limits and dimension.limits[0].slack == -1 and not dimension.extra:
                found.setdefault(dimension.limits[0].size, one.access)
    return found


def _parameters(size: Polynomial) -> list[str]:
    return [s.name for atom in size.atoms for s in symbols(atom) if s.kind is SymbolKind.PARAM]


def _launched(context: LaunchContext, size: Polynomial) -> bool:
    """Whether a launch in sight derives its grid from the size."""
    for view in context.launches:
        value = _in_host_terms(size, dict(view.images))
        if any(one.count is not None and polynomial(one.count) == value for one in view.covers):
            return True
    return False


def _inclusive(indexed: Sequence[Indexed], context: LaunchContext, supports: Supports) -> Iterator[Overreach]:
    for one in indexed:
        pitches = {dimension.pitch for dimension in one.dimensions}
        for dimension in one.dimensions:
            if not _inclusive_limit(dimension):
                continue
            best = dimension.limits[0]
            size = best.size
            why, support = "", None
            if size in pitches:
                why = "it is the pitch of a dimension"
            elif _fence(indexed, size):
                continue
            elif size in supports:
                why, support = "another access is kept below it", supports[size]
            elif _launched(context, size):
                why = "the launch derives its grid from it"
            elif all(named_like_a_size(name) for name in _parameters(size)):
                why = "by its name"
            if why:
                yield Overreach(one.access, Fault.INCLUSIVE, best.guard, best.part, size, 1, why, support)


def _inclusive_limit(dimension: Dimension) -> bool:
    """Whether the tightest guard of a dimension is ``index <= size``."""
    if not dimension.limits or dimension.extra:
        return False
    best = dimension.limits[0]
    return best.slack == 0 and best.part.op == "le"


def _fence(indexed: Sequence[Indexed], size: Polynomial) -> bool:
    """Whether only integers are written up to ``size`` inclusive: n + 1 offsets of n ranges, most likely."""
    for one in indexed:
        reached = any(_inclusive_limit(d) and d.limits[0].size == size for d in one.dimensions)
        if reached and not (one.access.writes and isinstance(one.access.root.element, IntType)):
            return False
    return True


_OFFSETS = pattern(r"ptr|off|cum|start|begin|prefix|scan|row_?p|indptr|bound|edge|pos", re.IGNORECASE)
"""Names of arrays that hold one element more than there are items, by convention: silence only."""


def _neighbours(indexed: Sequence[Indexed], supports: Supports) -> Iterator[Overreach]:
    for one in indexed:
        beyond = [d for d in one.dimensions if _excess(d) > 0]
        if not beyond:
            continue
        for dimension in beyond:
            best = dimension.limits[0]
            support = supports.get(best.size)
            if support is None:
                continue
            if one.access.writes:
                if len(one.dimensions) > 1 or _one_more(indexed, one):
                    continue
            elif not _centred(indexed, one, dimension) or not _whole_rows(one):
                continue
            yield Overreach(
                one.access,
                Fault.NEIGHBOUR,
                best.guard,
                best.part,
                best.size,
                _excess(dimension),
                "another access is kept below it",
                support,
            )
            break


def _excess(dimension: Dimension) -> int:
    """Elements by which the index passes the size that its tightest guard speaks of; 0 when it does not."""
    if not dimension.limits or dimension.extra:
        return 0
    best = dimension.limits[0]
    if best.slack == 0 and best.part.op == "le":
        return 0
    return max(best.slack + 1, 0)


def _one_more(indexed: Sequence[Indexed], one: Indexed) -> bool:
    """Whether a write to the next element is that of an array with one element more than there are items."""
    root = one.access.root
    if _OFFSETS.search(root.name) or _beside_offsets(indexed, one):
        return True
    return isinstance(root.element, IntType) and any(
        other.access.root is root and other is not one and other.dimensions[0].index != one.dimensions[0].index
        for other in indexed
    )


def _beside_offsets(indexed: Sequence[Indexed], one: Indexed) -> bool:
    """Whether integers of another array are read at the index of a write and at the one before, as the ends of ranges
    are: the array written is laid out as that one is."""
    index = one.dimensions[0].index
    read: dict[int, set[Polynomial]] = {}
    for other in indexed:
        root = other.access.root
        if root is not one.access.root and not other.access.writes and isinstance(root.element, IntType):
            read.setdefault(id(root), set()).add(other.dimensions[0].index)
    return any({index, index - number(1)} <= each for each in read.values())


def _centred(indexed: Sequence[Indexed], one: Indexed, dimension: Dimension) -> bool:
    """Whether the kernel also looks at neighbours on the other side: then the array has no room kept on this one."""
    at = one.dimensions.index(dimension)
    for other in indexed:
        if other.access.root is one.access.root and len(other.dimensions) == len(one.dimensions):
            least = other.dimensions[at].least
            if least is not None and least < 0:
                return True
    return False


def _whole_rows(one: Indexed) -> bool:
    """Whether the tests let through whole rows.  Where the pitch is another size than those tested, the kernel may
    work on a part of a larger image, which goes on on all sides."""
    tested = {limit.size for dimension in one.dimensions for limit in dimension.limits}
    return all(
        dimension.pitch.constant is not None
        or dimension.pitch in tested
        or any(dimension.pitch == first * second for first in tested for second in tested)
        for dimension in one.dimensions
    )


def _vectors(indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
    for one in indexed:
        dimension = one.dimensions[-1]
        if not dimension.extra or not dimension.limits or dimension.pitch.constant != 1:
            continue
        best = dimension.limits[0]
        if best.slack != dimension.extra - 1 or best.part.op != "lt" or not _dense(one, best.size):
            continue
        if any(limit.part.op == "lt" and _whole(limit, dimension) for limit in dimension.limits):
            continue
        if len(one.dimensions) > 1 and _wants_alignment(one.access):
            continue  # a row that is no whole number of vectors would have the next one misaligned: there is none
        if not context.launches or _rounds_items(context, best, dimension.extra + 1):
            why = f"the launch rounds it up to whole groups of {dimension.extra + 1}"
            if not context.launches:
                why = "the test of the first element bounds by it"
            yield Overreach(one.access, Fault.VECTOR, best.guard, best.part, best.size, dimension.extra, why)


def _wants_alignment(access: Access) -> bool:
    """Whether an access is one of a vector as such, and not of its elements side by side (``vload4``)."""
    return isinstance(access.type, VectorType) and not any(
        isinstance(node, Deref) and node.unaligned for node in walk(access.node)
    )


def _whole(limit: Limit, dimension: Dimension) -> bool:
    """Whether a test bounds by a number of whole vectors: ``4 * i < n / 4 * 4``."""
    lanes = dimension.extra + 1
    first = dimension.index - number(dimension.extra)
    return all(value % lanes == 0 for value in (*first.coefficients.values(), *limit.size.coefficients.values()))


def _dense(one: Indexed, size: Polynomial) -> bool:
    """Whether rows of ``size`` elements lie one behind the other.  With a pitch of its own a row may end in padding,
    which the last vector may cross into."""
    return len(one.dimensions) == 1 or one.dimensions[-2].pitch == size


def _groups(indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
    """A thread that takes ``count`` consecutive elements in a loop and tests the first alone."""
    for one in indexed:
        dimension = one.dimensions[-1]
        count = _run(dimension)
        if count is None or not dimension.limits or dimension.extra or dimension.pitch.constant != 1:
            continue
        best = dimension.limits[0]
        if best.slack != count - 2 or best.part.op != "lt" or not _dense(one, best.size):
            continue
        if not context.launches:
            why = "the test of the first element bounds by it"
        elif _rounds_items(context, best, count):
            why = f"the launch rounds it up to whole groups of {count}"
        else:
            continue
        yield Overreach(one.access, Fault.GROUP, best.guard, best.part, best.size, count - 1, why)


def _run(dimension: Dimension) -> int | None:
    """``count`` of an index ``count * id + counter``."""
    steps = [v for m, v in dimension.index.coefficients.items() if len(m) == 1 and _kind(m[0]) is SymbolKind.COUNTER]
    ids = [v for m, v in dimension.index.coefficients.items() if len(m) == 1 and _kind(m[0]) is SymbolKind.THREAD]
    if steps != [1] or len(ids) != 1 or ids[0] < 2 or dimension.index.coefficients.get((), 0):
        return None
    return ids[0]


def _kind(atom: Term) -> SymbolKind | None:
    return atom.args[0].kind if atom.op == "sym" else None


def _reversed(indexed: Sequence[Indexed], supports: Supports) -> Iterator[Overreach]:
    """``in[n - i]`` beside ``out[i]`` with ``i < n``."""
    for one in indexed:
        if len(one.dimensions) != 1 or one.dimensions[0].extra or one.dimensions[0].limits:
            continue
        index = one.dimensions[0].index
        moving = {m: v for m, v in index.coefficients.items() if any(_kind(a) in _MOVING for a in m)}
        most = index - Polynomial(moving)
        if any(value > 0 for value in moving.values()) or most not in supports:
            continue
        support = supports[most]
        guards = [g for g in one.access.guards if g in support.guards]
        raised = [g for g in one.access.guards if _raises(g.term)]
        if guards and not raised:
            yield Overreach(
                one.access,
                Fault.REVERSED,
                guards[-1],
                guards[-1].term,
                most,
                1,
                "another access is kept below it",
                support,
            )


def _backwards(indexed: Sequence[Indexed], supports: Supports) -> Iterator[Overreach]:
    """``in[n - 2 - i]`` where nothing but ``i < n`` is tested: the last thread gets to -1."""
    for one in indexed:
        if len(one.dimensions) != 1 or one.dimensions[0].extra or one.access.loops:
            continue
        index = one.dimensions[0].index
        last = {mono: -value for mono, value in index.coefficients.items() if any(_kind(a) in _MOVING for a in mono)}
        most = index + Polynomial(last)
        shift = most.coefficients.get((), 0)
        size = most - number(shift)
        if shift > -2 or size not in supports or any(value < 0 for value in last.values()):
            continue
        tests = [(g, part) for g in one.access.guards for part in conjuncts(g.term) if _moves(part)]
        if len(tests) != 1 or tests[0][1].op != "lt":
            continue
        guard, part = tests[0]
        if (polynomial(part.args[0]), polynomial(part.args[1])) == (Polynomial(last), size):
            why = "another access is kept below it"
            yield Overreach(one.access, Fault.BACKWARDS, guard, part, size, shift + 1, why, supports[size])


_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


def _raises(guard: Term) -> bool:
    """Whether a guard keeps the first threads away."""
    for part in conjuncts(guard):
        if part.op in ("lt", "le") and _moves(part.args[1]) and not _moves(part.args[0]):
            return True
        if part.op in ("ne", "eq") and _moves(part):
            return True
    return False


def _moves(term: Term) -> bool:
    return any(s.kind in _MOVING for s in symbols(term))


def _clamped(indexed: Sequence[Access], supports: Supports) -> Iterator[Overreach]:
    """``in[min(i, n)]``, in a dimension whose size is n."""
    for access in indexed:
        size = access.root.element.size
        if not size or access.size != size:
            continue
        offset = polynomial(access.offset)
        for mono, value in offset.coefficients.items():
            caps = [atom for atom in mono if _cap(atom) is not None]
            if len(caps) != 1 or value != size:
                continue
            rest = tuple(atom for atom in mono if atom is not caps[0])
            if any(m != mono and _same_place(m, rest) for m in offset.coefficients):
                continue  # not the clamped value alone
            cap = polynomial(_cap(caps[0]) or caps[0])
            if cap.coefficients.get((), 0) or cap.constant is not None:
                continue
            guard = next((g for g in access.guards), None)
            support = supports.get(cap)
            if support is not None:
                chosen = guard or support.guards[-1]
                why = "another access is kept below it"
                yield Overreach(access, Fault.CLAMPED, chosen, chosen.term, cap, 1, why, support)
                break


def _same_place(mono: Monomial, rest: Monomial) -> bool:
    """Whether a monomial belongs to the dimension whose pitch is ``rest``: the clamped value is moved by it."""
    if rest:
        return all(mono.count(atom) >= rest.count(atom) for atom in rest)
    return not any(_kind(atom) is SymbolKind.PARAM for atom in mono)


def _cap(atom: Term) -> Term | None:
    """The uniform upper bound of a minimum of something that moves, through a maximum with a number."""
    atom = plain(atom)
    if atom.op == "max":
        for arg, other in (atom.args, atom.args[::-1]):
            if other.value is not None:
                return _cap(arg)
        return None
    if atom.op != "min":
        return None
    for arg, other in (atom.args, atom.args[::-1]):
        kinds = {s.kind for s in symbols(arg)}
        if kinds == {SymbolKind.PARAM} and _moves(other):
            return arg  # type: ignore[no-any-return]
    return None


def _rounds_items(context: LaunchContext, limit: Limit, lanes: int) -> bool:
    """Whether a launch in sight rounds the size up to whole vectors: it need not be a multiple of their length."""
    for view in context.launches:
        images = dict(view.images)
        for one in view.covers:
            if one.kind is not Cover.ROUNDED_UP or one.count is None:
                continue
            inner = cover(one.count, view.checks)
            if inner.kind is not Cover.ROUNDED_UP or inner.count is None or inner.unit is None:
                continue
            wanted = [polynomial(substitute(atom, images)) for atom in limit.size.atoms]
            if wanted == [polynomial(inner.count)] and polynomial(inner.unit).constant == lanes:
                return True
    return False


def _swapped(indexed: Sequence[Indexed]) -> Iterator[Overreach]:
    for one in indexed:
        if len(one.dimensions) != 2:
            continue
        row, column = one.dimensions
        if not row.limits or not column.limits or column.pitch.constant != 1:
            continue
        above, below = row.limits[0], column.limits[0]
        if above.slack != -1 or below.slack != -1 or above.size != row.pitch or below.size == row.pitch:
            continue
        if len(_parameters(below.size)) == 1 and below.size.constant is None:
            yield Overreach(
                one.access, Fault.SWAPPED, below.guard, below.part, row.pitch, 0, "it is the pitch of the rows"
            )


def _either(indexed: Sequence[Indexed]) -> Iterator[Overreach]:
    """``if (x < w || y < h)`` before an access to row y of rows of w elements: one index inside lets both through."""
    for one in indexed:
        if len(one.dimensions) < 2:
            continue
        row = one.dimensions[-2].pitch
        for guard in one.access.guards:
            for part in conjuncts(guard.term):
                bounds = [_bound(test, one.dimensions) for test in _disjuncts(part)]
                if part.op != "lor" or None in bounds:
                    continue
                found = dict(bound for bound in bounds if bound is not None)
                last = len(one.dimensions) - 1
                if (
                    len(found) == len(bounds)
                    and found.get(last) == row
                    and not any(one.dimensions[at].limits for at in found)
                ):
                    yield Overreach(one.access, Fault.EITHER, guard, part, row, 0, "it is the pitch of the rows")


def _disjuncts(term: Term) -> list[Term]:
    if term.op == "lor":
        return _disjuncts(term.args[0]) + _disjuncts(term.args[1])
    return [term]


def _bound(test: Term, dimensions: Sequence[Dimension]) -> tuple[int, Polynomial] | None:
    """Which dimension a truth ``index < size`` keeps below which size; None for another truth."""
    if test.op != "lt":
        return None
    index, size = polynomial(test.args[0]), polynomial(test.args[1])
    if size.constant is not None or {s.kind for atom in size.atoms for s in symbols(atom)} != {SymbolKind.PARAM}:
        return None
    return next(((at, size) for at, one in enumerate(dimensions) if one.index - number(one.extra) == index), None)


def _twice(indexed: Sequence[Indexed], grown: Sequence[Reach]) -> Iterator[Overreach]:
    """``if (y < w && y < h)`` before an access to element x of row y: the length of the rows bounds the row."""
    open_axes = {reach.access: reach.open_axes for reach in grown}
    for one in indexed:
        if len(one.dimensions) != 2:
            continue
        row, column = one.dimensions
        sizes = {limit.size for limit in row.limits if limit.slack == -1}
        if column.limits or column.pitch.constant != 1 or row.pitch not in sizes or len(sizes) != 2:
            continue
        if _axes(column) & open_axes.get(one.access, frozenset()):
            limit = next(limit for limit in row.limits if limit.size == row.pitch)
            yield Overreach(
                one.access, Fault.TWICE, limit.guard, limit.part, row.pitch, 0, "it is the pitch of the rows"
            )


def _axes(dimension: Dimension) -> set[int]:
    """Axes of the grid along which the index of a dimension moves."""
    found = (s for atom in dimension.index.atoms for s in symbols(atom))
    return {s.axis for s in found if s.kind is SymbolKind.BLOCK and s.axis is not None}


def _other_axis(indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
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
                axes = _axes(dimension)
                if len(axes) != 1 or len(dimension.limits) != 1 or dimension.limits[0].slack != -1:
                    continue
                (axis,) = axes
                limit = dimension.limits[0]
                tested = _in_host_terms(limit.size, images)
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


def _once(one: Indexed, axis: int) -> bool:
    """Whether each axis has a dimension of its own, the others tested too: not a transposed place."""
    own = [_axes(dimension) for dimension in one.dimensions]
    return sum(axis in axes for axes in own) == 1 and all(len(axes) == 1 for axes in own)


def _in_host_terms(size: Polynomial, images: dict[Symbol, Term]) -> Polynomial:
    value = number(0)
    for mono, factor in size.coefficients.items():
        product = number(factor)
        for atom in mono:
            product = product * polynomial(substitute(atom, images))
        value = value + product
    return value


def _scalars(kernel: Trace, indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
    """``if (i < n) ((float4 *)x)[i]`` where n counts floats: something else divides it by the length of a vector."""
    for one in indexed:
        dimension = one.dimensions[-1]
        lanes = dimension.extra + 1
        if len(one.dimensions) != 1 or lanes < 2 or dimension.limits or dimension.pitch.constant != 1:
            continue
        first = dimension.index - number(dimension.extra)
        if any(value % lanes for value in first.coefficients.values()):
            continue
        vector = Polynomial({mono: value // lanes for mono, value in first.coefficients.items()})
        tests = [(g, part) for g in one.access.guards for part in conjuncts(g.term) if _moves(part)]
        if len(tests) != 1 or tests[0][1].op != "lt" or polynomial(tests[0][1].args[0]) != vector:
            continue
        guard, part = tests[0]
        size = polynomial(part.args[1])
        names = [s for atom in size.atoms for s in symbols(atom)]
        if len(names) != 1 or size != polynomial(names[0].term) or names[0].kind is not SymbolKind.PARAM:
            continue
        why = _counts_scalars(kernel, context, size, lanes)
        if why:
            yield Overreach(one.access, Fault.SCALARS, guard, part, size, lanes, why)


def _counts_scalars(kernel: Trace, context: LaunchContext, size: Polynomial, lanes: int) -> str:
    """What says that a size counts single elements and not vectors of ``lanes``; empty: nothing."""
    for view in context.launches:
        given = _in_host_terms(size, dict(view.images))
        for one in view.covers:
            whole = None if one.count is None else _divided_by(plain(one.count), lanes)
            if one.kind is Cover.ROUNDED_UP and whole == given and given.constant is None:
                return f"the launch has a thread for every {lanes} of it"
    terms = [test.term for test in kernel.conditions] + [access.offset for access in kernel.accesses]
    if any(_divided_by(part, lanes) == size for term in terms for part in subterms(term)):
        return f"it is divided by {lanes} elsewhere in the kernel"
    return ""


def _divided_by(term: Term, lanes: int) -> Polynomial | None:
    """What is divided by ``lanes`` in a quotient, a remainder, or a mask that makes one of them."""
    if term.op not in ("div", "mod", "shr", "and") or term.args[1].value is None:
        return None
    by = term.args[1].value
    if term.op == "shr":
        by = 1 << by if 0 <= by < 32 else 0
    elif term.op == "and":
        by = by + 1
    return polynomial(term.args[0]) if by == lanes else None


def _wrapped(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``if (j >= 0) x[j]`` of an unsigned difference j that nothing bounds from above."""
    for access in accesses:
        index = access.index
        if index is None or access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        index = plain(index)
        if not isinstance(index.type, IntType) or index.type.signed or not _difference(index):
            continue
        parts = [(guard, part) for guard in access.guards for part in conjuncts(guard.term)]
        hollow = [(g, part) for g, part in parts if vacuous(part) and any(arg == index for arg in part.terms)]
        if hollow and not any(index in subterms(part) and not vacuous(part) for _, part in parts):
            yield Overreach(access, Fault.WRAPPED, hollow[0][0], hollow[0][1], None, 0, "")


def _difference(index: Term) -> bool:
    """Whether something that varies is subtracted."""
    return any(value < 0 or value >= 1 << 31 for mono, value in polynomial(index).coefficients.items() if mono) or (
        index.op == "sub" and index.args[1].value is None
    )


def _vacuous(found: Sequence[Reach]) -> Iterator[Overreach]:
    for reach in found:
        if reach.vacuous and reach.open_axes:
            guard = reach.vacuous[0]
            yield Overreach(reach.access, Fault.VACUOUS, guard, guard.term, None, 0, "")


def _padded(found: Sequence[Reach]) -> Iterator[Overreach]:
    """Reads that are bounded by a count rounded up to whole groups, but laid out without the groups."""
    for reach in found:
        if reach.access.writes:
            continue
        for guard in reach.access.guards:
            for part in conjuncts(guard.term):
                group = _rounded(part, reach)
                if group is None or any(s in group[1] for s in symbols(reach.access.offset)):
                    continue
                others = [other for other in found if other.access.root is not reach.access.root]
                laid = [o for o in others if o.access.writes and set(group[1]) & set(symbols(o.access.offset))]
                if laid and not _tested(reach.access, group[0], guard):
                    size = polynomial(group[0])
                    yield Overreach(
                        reach.access,
                        Fault.PADDED,
                        guard,
                        part,
                        size,
                        0,
                        "only the padded array is laid out in whole groups",
                        laid[0].access,
                    )


def _rounded(part: Term, reach: Reach) -> tuple[Term, tuple[object, ...]] | None:
    """(count, symbols of the group) of a truth ``i < ceil(count / group) * group * ...``."""
    if part.op != "lt" or not any(mentions(part.args[0], SymbolKind.BLOCK, axis) for axis in reach.axes):
        return None
    bound = polynomial(part.args[1])
    if len(bound.coefficients) != 1:
        return None
    (mono,) = bound.coefficients
    for atom in mono:
        if atom.op != "div":
            continue
        found = cover(atom)
        if found.kind is Cover.ROUNDED_UP and found.count is not None and found.unit is not None:
            group = tuple(symbols(found.unit))
            if group and all(s.term in mono for s in group):
                return found.count, group
    return None


def _tested(access: Access, count: Term, bound: Guard) -> bool:
    """Whether another guard of the access speaks of the real count."""
    mine = set(symbols(count))
    return any(mine & set(symbols(guard.term)) for guard in access.guards if guard is not bound)


def _compute(facts: Facts) -> tuple[Overreach, ...]:
    indexed = facts[limits]
    context = facts[launch_context]
    found: list[Overreach] = []
    if not context.all_exact:
        supports = _supports(indexed)
        found += _inclusive(indexed, context, supports)
        found += _neighbours(indexed, supports)
        found += _vectors(indexed, context)
        found += _groups(indexed, context)
        found += _reversed(indexed, supports)
        found += _backwards(indexed, supports)
        found += _clamped(facts[trace].accesses, supports)
        found += _swapped(indexed)
        grown: tuple[Reach, ...] = facts[reaches]
        found += _either(indexed)
        found += _twice(indexed, grown)
        found += _scalars(facts[trace], indexed, context)
        found += _wrapped(facts[trace].accesses)
        seen = {one.access for one in found}
        found += [one for one in _other_axis(indexed, context) if one.access not in seen]
        found += _vacuous(grown)
        found += _padded(grown)
    return tuple(found)


overreach = KernelAnalysis("overreach", _compute, needs=(trace, limits, reaches, launch_context))
"""Each :class:`Overreach` of a kernel."""


def capped(access: Access, size: Polynomial) -> Term | None:
    """The part of the index of a CLAMPED ``access`` that is clamped to ``size``."""
    for mono in polynomial(access.offset).coefficients:
        for atom in mono:
            cap = _cap(atom)
            if cap is not None and polynomial(cap) == size:
                return atom
    return None
