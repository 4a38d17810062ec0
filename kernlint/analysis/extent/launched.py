"""Accesses that a launch in sight makes for more items than it is for.

A launch that rounds its grid up from a count, ``unit`` items to a block, is about so many items. An index made of the
block's number times the unit and what the thread adds is the number of an item, whether each item has a thread, a
warp or four elements of a vector. A quotient counts the groups of so many elements where threads take such groups and
test their number against what is divided. The launch has surplus items; an access that is made for one of them gets
past the count, whatever tests stand before it, as long as these speak of nothing but what the count is made of: then
the prover can tell whether a surplus item passes them. A test that speaks of another size says that there is more to
know, unless the count itself is passed and put to no use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import AxisCover, Cover, conjuncts, cover
from kernlint.analysis.extent.asking import BUDGET, Past, asked, asked_with
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.sizes import UnusedSize, unused_sizes
from kernlint.analysis.extent.tried import extents_of, launch_with, of_one_bit
from kernlint.analysis.extent.truths import slack_of, truths
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.padded import padded_by_callers
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind, Trace
from kernlint.prove.hints import launch_bounds
from kernlint.prove.query import Answer, Bounds, Launch, Refuted, Side, Unknown
from kernlint.prove.solve import solve
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, Symbol, SymbolKind, Term, binary, cast, const, substitute, subterms, symbols
from kernlint.tree.types import I64, IntType, VectorType

FEW = 3
"""Launches in sight that are looked at."""

_OPAQUE = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.EXIT})


@dataclass(frozen=True, slots=True, eq=False)
class Surplus:
    """An access for an item past ``count``, of which ``view`` makes more along ``axis``.

    ``guard``: a test of the item that lets it through; None where there is none.  ``unused``: the count as it is
    passed, where the tests are of another size.
    """

    place: Place
    axis: int
    count: Term
    view: LaunchView
    guard: Guard | None
    unused: UnusedSize | None
    past: Past
    witness: Refuted

    @property
    def access(self) -> Access:
        """The access itself."""
        return self.place.access


def _host(form: Polynomial, images: dict[Symbol, Term]) -> Polynomial:
    """A sum in the host's terms."""
    return polynomial(substitute(term_of(form), images))


def _divided(count: Term, view: LaunchView) -> bool:
    """Whether a count is a quotient that the host means to be a whole one, and has not seen to it."""
    for part in subterms(count):
        if part.op == "shr":
            return True
        if part.op == "div" and isinstance(part.type, IntType):
            if cover(part, view.checks).kind is Cover.ROUNDED_UP:
                return True
            raised = binary("sub", binary("add", part.args[0], part.args[1], I64), const(1, I64), I64)
            if cover(binary("div", raised, part.args[1], I64), view.checks).kind is not Cover.EXACT:
                return True
    return False


def _in_groups(kernel: Trace, count: Term, view: LaunchView) -> bool:
    """Whether threads take groups of as many elements as a count is divided by, to the last one of each, and test the
    number of the group against what is divided: ``i < n`` before ``x[2 * i + 1]`` in a grid made of ``n / 2``.

    So they do where the elements are vectors: ``i < n`` before ``x[i]`` of as many components each.

    Excused: ``i < (n + 1) / 2`` in such a grid. Still bad: ``i < n``.
    """
    by = count.args[1].value if count.op in ("div", "shr") else None
    lanes = 0 if by is None else (1 << min(by, 5) if count.op == "shr" else by)
    if lanes < 2:
        return False
    images, whole = dict(view.images), polynomial(count.args[0])
    for offset, size, part, components in _tested_groups(kernel):
        step = size if components == lanes else lanes * size
        rest = polynomial(offset) - number(step) * polynomial(part.args[0])
        moving = {symbol.kind for atom in rest.atoms for symbol in symbols(atom)} - {SymbolKind.COUNTER}
        last = rest.coefficients.get((), 0) // size == step // size - 1
        if not moving and last and _host(polynomial(part.args[1]), images) == whole:
            return True
    return False


@lru_cache(maxsize=4)
def _tested_groups(kernel: Trace) -> tuple[tuple[Term, int, Term, int], ...]:
    """Offset and size of the elements that are accessed under a test of what rests on the block, with the test, and
    their components."""
    found: dict[tuple[Term, int, Term, int], None] = {}
    for access in kernel.accesses:
        size = access.root.element.size
        if access.root.kind is RootKind.PARAM and size:
            for part in (part for guard in access.guards for part in conjuncts(guard.term)):
                if part.op == "lt" and any(symbol.kind is SymbolKind.BLOCK for symbol in symbols(part.args[0])):
                    kind = access.root.element
                    found[access.offset, size, part, kind.lanes if isinstance(kind, VectorType) else 1] = None
    return tuple(found)


def _with_numbers(past: Past, env: dict[Symbol, int]) -> Answer:
    """The question under a launch with numbers for all that the host's variables decide."""
    assert past.view is not None
    launch, size = launch_with(past.view, env), evaluate(past.size, env)
    if launch is None or size is None or any(evaluate(check, env) == 0 for check in past.view.checks):
        return Unknown("the launch is not known")
    access = side(past.access)
    question = Side(past.index, 1, access.guards, access.counters)
    return solve(Bounds(question, const(size, I64), launch=launch), BUDGET)


def _item(place: Place, axis: int) -> tuple[Polynomial, Polynomial, bool] | None:
    """(items of a block, what the thread adds) of an index that is the number of an item along ``axis``, and whether
    a test keeps what the thread adds below the items of a block: then these may as well be a row that the block has."""
    blocks = {m: v for m, v in place.index.coefficients.items() if any(a.symbol is BLOCK[axis] for a in m)}
    if len(blocks) != 1:
        return None
    ((mono, factor),) = blocks.items()
    rest = place.index - Polynomial(blocks)
    if not {s.kind for atom in rest.atoms for s in symbols(atom)} <= _OWN:
        return None
    unit = Polynomial({tuple(atom for atom in mono if atom.symbol is not BLOCK[axis]): factor})
    row = any(
        truth.left.constant is None and rest + truth.left == unit - number(1) for truth in truths(place.access.guards)
    )
    return unit, rest, row


def _asking(access: Access) -> Iterator[Term]:
    """The conditions that an access, or what it stores, rests on."""
    yield from (guard.term for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP)
    if access.writes and access.value is not None:
        yield from (term.args[0] for term in subterms(access.value) if term.op == "select")


_OWN = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE})


def _spread(place: Place, rest: Polynomial, view: LaunchView, unit: int) -> bool:
    """Whether the threads of a block share its ``unit`` items between them, the last one too and none beyond."""
    ranges = counter_ranges(place.access)
    threads = launch_bounds(Launch(view.block))

    def bounds(symbol: Symbol) -> tuple[int | None, int | None]:
        return ranges.get(symbol, (0, None)) if symbol.kind is SymbolKind.COUNTER else threads(symbol)

    return interval(term_of(rest + number(place.extra)), bounds) == (0, unit - 1)


def in_padded_row(place: Place, view: LaunchView, count: Term) -> bool:
    """Whether a place is within a row whose length is an argument of its own, and not what the launch rounds up
    (``count``): rows with a pitch may well be padded to whole blocks."""
    if place.row is None or place.row.constant is not None:
        return False
    images = dict(view.images)
    mine = {symbol for atom in place.row.atoms for symbol in symbols(atom)}
    length = {s for symbol in mine for s in (symbols(images[symbol]) if symbol in images else ())}
    return all(symbol in images for symbol in mine) and bool(length) and not length & set(symbols(count))


class _Launched:
    def __init__(self, place: Place, axis: int, view: LaunchView, of: AxisCover, unused: Sequence[UnusedSize]) -> None:
        self.place, self.axis, self.view = place, axis, view
        self.images = dict(view.images)
        assert of.count is not None
        self.count = of.count
        self.known = set(symbols(of.count))
        self.unused = next((size for size in unused if view.fact.argument(size.name) is not None), None)

    def tests(self) -> tuple[Guard | None, bool] | None:
        """The test of the item, and whether it speaks of another size; None where it cannot be told what keeps the
        access back."""
        own: Guard | None = None
        foreign = False
        for guard in self.place.access.guards:
            if vacuous(guard.term):
                continue
            found = set(symbols(guard.term))
            about = BLOCK[self.axis] in found
            if about and self._by_tiles(guard):
                return None
            loop = guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP)
            if any(s.kind in _OPAQUE for s in found):
                if about or not loop:
                    return None
                continue
            others = [s for s in found if s.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE)]
            strange = any(not self._ours(symbol) for symbol in others)
            if about:
                own = own or guard
                foreign = foreign or strange
            elif strange and not any(s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for s in found) and not loop:
                return None
        return own, foreign

    def of_another_row(self, mine: Sequence[Place]) -> bool:
        """Whether the item, one of as many as its row has by the launch, is tested against the length of another
        dimension of the access alone."""
        place = self.place
        if place.row is None or _host(place.row, self.images) != polynomial(self.count):
            return False
        lengths = [other.row for other in mine if other is not place and other.row is not None]
        tested = [limit.size for limit in place.limits if limit.slack == -1]
        return bool(tested) and all(size in lengths and size != place.row for size in tested)

    def counted(self, kernel: Trace) -> bool:
        """Whether the kernel asks elsewhere if the index is past the count, in a test or for a value that it stores
        (``i < n ? i : -1``): then that is the number of an item, and no place in a row of the block's own."""
        wanted = polynomial(self.count)
        for term in {term: None for access in kernel.accesses for term in _asking(access)}:
            for part in conjuncts(term):
                slack = slack_of(part)
                if slack is not None and _host(self.place.index + slack[0], self.images) == wanted:
                    return True
        return False

    def _by_tiles(self, guard: Guard) -> bool:
        """Whether a test is about the first item of several that threads take together: they are meant to be whole."""
        for truth in truths((guard,)):
            rest = self.place.index + truth.left
            moving = [mono for mono in rest.coefficients if any(s.kind in _OWN for a in mono for s in symbols(a))]
            if moving and not any(s is BLOCK[self.axis] for mono in moving for a in mono for s in symbols(a)):
                return True
        return False

    def values(self) -> tuple[tuple[Symbol, int], ...]:
        """Few items, in an early round of the host's loops, and more of everything else."""
        few = (16, 4, 2, 8) if any(map(of_one_bit, self.view.checks)) else (13, 5, 3, 7)
        out: dict[Symbol, int] = dict(zip(symbols(self.count), few, strict=False))
        out.update((symbol, 1) for symbol in out if symbol.kind is SymbolKind.COUNTER)
        rest = [s for _, image in self.view.images for s in symbols(image) if s not in out]
        out.update(zip(dict.fromkeys(rest), (45, 27, 33, 21, 37), strict=False))
        return tuple(out.items())

    def _ours(self, symbol: Symbol) -> bool:
        """Whether an argument is made of what the count is made of."""
        image = self.images.get(symbol)
        return image is not None and set(symbols(image)) <= self.known


def _compute(facts: Facts) -> tuple[Surplus, ...]:
    context = facts[launch_context]
    views = [v for v in context.launches[:FEW] if any(c.kind is Cover.ROUNDED_UP for c in v.covers)]
    found: Places = facts[places]
    if not views or not found:
        return ()
    passed = [size for size in facts[unused_sizes] if size.why == "the launch derives its grid from it"]
    out: list[Surplus] = []
    for access, mine in found.items():
        one = next(_of(access, mine, views, passed, facts), None)
        if one is not None:
            out.append(one)
    return tuple(out)


def _of(
    access: Access, mine: Sequence[Place], views: Sequence[LaunchView], passed: Sequence[UnusedSize], facts: Facts
) -> Iterator[Surplus]:
    for view in views:
        if any(name == access.root.name for name, _ in extents_of(view)):
            continue  # what is allocated in sight is tried
        for axis, of in enumerate(view.covers):
            if of.kind is not Cover.ROUNDED_UP or of.count is None or of.unit is None:
                continue
            grouped = _divided(of.count, view)
            if grouped and not _in_groups(facts[trace], of.count, view):
                continue
            if any(part.op == "select" for part in subterms(of.count)):
                continue  # a number that hangs on other arguments: which of its values the memory has is not known
            for place in mine:
                found = _item(place, axis)
                launched = _Launched(place, axis, view, of, passed)
                if found is None or _host(found[0], launched.images) != polynomial(of.unit):
                    continue
                unit = polynomial(of.unit).constant
                if found[2] and launched.unused is None and not launched.counted(facts[trace]):
                    continue  # a row for each block, for all that is known
                if unit is None or not (found[2] or _spread(place, found[1], view, unit)):
                    continue
                told = launched.tests()
                if told is None or (told[1] and launched.unused is None and not launched.of_another_row(mine)):
                    continue
                if told[0] is None and launched.unused is None and in_padded_row(place, view, of.count):
                    continue
                past = Past(access, cast(term_of(place.index + number(place.extra)), I64), cast(of.count, I64), view)
                answer = asked(past, facts)
                if not isinstance(answer, Refuted):
                    few = launched.values()
                    answer = _with_numbers(past, dict(few)) if grouped else asked_with(past, few, facts)
                if isinstance(answer, Refuted):
                    if padded_by_callers(view.fact.host, of, facts.module_facts):
                        continue
                    yield Surplus(
                        place, axis, of.count, view, told[0], launched.unused if told[1] else None, past, answer
                    )


surplus_items = KernelAnalysis("surplus_items", _compute, needs=(trace, places, launch_context, unused_sizes))
"""Each :class:`Surplus` of a kernel variant, in order of the walk, an access once."""
