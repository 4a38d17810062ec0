"""What is wrong with a guard, and what several kinds of that ask for: supports of a size, the launch, dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from kernlint.analysis.extent.limits import Dimension, Indexed
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, Guard
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, substitute, symbols


class Fault(Enum):
    """What is wrong with a guard."""

    INCLUSIVE = "inclusive"  # <= where < is meant
    NEIGHBOUR = "neighbour"  # the index tested is not the index used
    VECTOR = "vector"  # the first of several elements is tested
    GROUP = "group"  # the first of several elements of a thread is tested
    ITEMS = "items"  # each thread takes several elements, and its number is tested against all of them
    REVERSED = "reversed"  # counted from the end, one too far
    BACKWARDS = "backwards"  # counted from the end, past the start
    CLAMPED = "clamped"  # clamped to the size, not to the last index
    SWAPPED = "swapped"  # each index is tested against the other one's extent
    VACUOUS = "vacuous"  # the test is always true
    PADDED = "padded"  # tested against a padded size, used where only the real one fits
    EITHER = "either"  # one of the two indices inside is enough for the test
    ENDS = "ends"  # one end of the index inside is enough for the test, which all numbers pass
    TWICE = "twice"  # one index is tested against both extents, the other against none
    PAST_ROW = "past row"  # the test lets an index through that is past the end of its row
    ROWS = "rows"  # the number of a row is tested against the length of one
    OTHER = "other"  # an index is tested against the extent of another axis of the launch
    FOREIGN = "foreign"  # an index is tested against the length of rows along another axis
    ROUNDS = "rounds"  # as many rounds as round a row up, and nothing is asked in the last one
    BLOCKS = "blocks"  # each block takes whole parts of a row, which the last one has not
    SCALARS = "scalars"  # the index counts vectors, the size single elements
    REPEATED = "repeated"  # the loop around it has asked the same, and the index that is used goes untested
    WRAPPED = "wrapped"  # an unsigned difference is tested for not being negative, which it never is
    MASKED = "masked"  # a mark is asked for that a mask has taken away


FIXES = {
    Fault.INCLUSIVE: "test with < (or leave with >=)",
    Fault.NEIGHBOUR: "test the index that is used",
    Fault.VECTOR: "test the last element of the vector, and treat the tail one by one",
    Fault.GROUP: "test the index of each element",
    Fault.ITEMS: "test the index of each element that the thread takes",
    Fault.REVERSED: "subtract one more: n - 1 - i",
    Fault.BACKWARDS: "subtract less, n - 1 - i, or keep the last threads away",
    Fault.CLAMPED: "clamp to the last index, one less than the size",
    Fault.ENDS: "&& between tests of what is inside, || between tests of what is outside",
    Fault.EITHER: "test both indices: && between tests of what is inside, || between tests of what is outside",
    Fault.TWICE: "test each index against its own extent",
    Fault.PAST_ROW: "make the index with the length of the rows that the test is about, or test against this one",
    Fault.ROWS: "test the number of the row against how many there are",
    Fault.ROUNDS: "test the index in each round, or treat the last round apart",
    Fault.BLOCKS: "test the place in the row against the length of the row",
    Fault.REPEATED: "test the index that is used",
    Fault.OTHER: "test each index against its own extent",
    Fault.FOREIGN: "test each index against its own extent",
    Fault.SCALARS: "test against the number of vectors",
    Fault.WRAPPED: "compare with the size from above, or compute the difference in a signed type",
    Fault.MASKED: "ask for the mark before the number is cut to fewer bits",
    Fault.VACUOUS: "compare the index with the size directly: i < n",
    Fault.PADDED: "test the index against the real count before the read",
}
"""What mends each, in words."""


@dataclass(frozen=True, slots=True, eq=False)
class Overreach:
    """One guard that does not keep ``access`` inside.

    ``size``: the extent of the dimension (None: VACUOUS, WRAPPED, MASKED, ENDS); ``beyond``: elements by which the
    largest index passes it, of MASKED the place itself; ``why``: what supports the extent; ``support``: an access that
    does.
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
"""Sizes that bound some access strictly, with the first such access."""


def supported(every: Sequence[Indexed], size: Polynomial, guard: Guard) -> Access | None:
    """An access that another test than ``guard`` keeps strictly below a size: that ``i <= n`` keeps i - 1 below n says
    nothing of n."""
    for one in every:
        for dimension in one.dimensions:
            best = dimension.limits[0] if dimension.limits else None
            if (
                best is not None
                and best.guard.span != guard.span
                and best.slack == -1
                and best.size == size
                and not dimension.extra
            ):
                return one.access
    return None


def supports_of(indexed: Sequence[Indexed]) -> Supports:
    """See :data:`Supports`."""
    found: Supports = {}
    for one in indexed:
        for dimension in one.dimensions:
            if dimension.limits and dimension.limits[0].slack == -1 and not dimension.extra:
                found.setdefault(dimension.limits[0].size, one.access)
    return found


def centred(indexed: Sequence[Indexed], one: Indexed, dimension: Dimension) -> bool:
    """Whether the kernel also looks at neighbours on the other side: then the array has no room kept on this one."""
    at = one.dimensions.index(dimension)
    for other in indexed:
        if other.access.root is one.access.root and len(other.dimensions) == len(one.dimensions):
            least = other.dimensions[at].least
            if least is not None and least < 0:
                return True
    return False


def parameter_names(size: Polynomial) -> list[str]:
    return [s.name for atom in size.atoms for s in symbols(atom) if s.kind is SymbolKind.PARAM]


def launched(context: LaunchContext, size: Polynomial) -> bool:
    """Whether a launch in sight derives its grid from the size."""
    for view in context.launches:
        value = in_host_terms(size, dict(view.images))
        if any(one.count is not None and _times(polynomial(one.count), value) for one in view.covers):
            return True
    return False


def launched_for_one_more(context: LaunchContext, size: Polynomial) -> bool:
    """Whether a launch in sight is made for one item more than the size: faces of cells, offsets of rows.

    Excused: ``faces<<<(n + 1 + 255) / 256, 256>>>(x, n)`` with ``if (i > n) return;`` Still bad: a grid made of ``n``.
    """
    for view in context.launches:
        value = in_host_terms(size, dict(view.images))
        if any(one.count is not None and polynomial(one.count) - value == number(1) for one in view.covers):
            return True
    return False


def _times(count: Polynomial, value: Polynomial) -> bool:
    """Whether a count is a value, or so many times that."""
    factor = next(iter(count.coefficients.values()), 0)
    return factor > 0 and not value.coefficients.get(()) and count in (value, number(factor) * value)


def in_host_terms(size: Polynomial, images: dict[Symbol, Term]) -> Polynomial:
    value = number(0)
    for mono, factor in size.coefficients.items():
        product = number(factor)
        for atom in mono:
            product = product * polynomial(substitute(atom, images))
        value = value + product
    return value


def kind_of(atom: Term) -> SymbolKind | None:
    return atom.args[0].kind if atom.op == "sym" else None


MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


def moves(term: Term) -> bool:
    return any(s.kind in MOVING for s in symbols(term))


def axes_of(index: Polynomial) -> set[int]:
    """Axes of the grid along which an index moves."""
    found = (s for atom in index.atoms for s in symbols(atom))
    return {s.axis for s in found if s.kind is SymbolKind.BLOCK and s.axis is not None}
