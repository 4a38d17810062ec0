"""Neighbours of a place that data choose, of which those along one axis are tested, and those along another are not.

``if (x > -1 && x < w && y > -1 && y < h)`` with positions in floating point lets the last row through, and the one
before the first: ``(int)floorf(y)`` is anything from -1 to ``h - 1``.  Who samples the four places around such a
position asks ``x0 + 1 < w`` before the one on the right; that below it, ``y0 + 1``, leaves the image just so.  What is
known is the test around it, which stops at the size, and the neighbour along another axis, made the same way, of which
the kernel asks whether it is still inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.one_sided import like, of_data
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.types import FloatType, IntType

FAR = 2
"""Places, at the most, that a neighbour lies from the one that is tested."""


@dataclass(frozen=True, slots=True)
class _Open:
    """An end of a coordinate (``form``) that ``guard`` lets it pass by some places; ``below``: the end is 0."""

    form: Polynomial
    guard: Guard
    below: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """An ``access`` at a coordinate that may be past one end, as ``around`` lets it; ``beside``: the test that keeps
    the neighbour along another axis inside there."""

    access: Access
    around: Guard
    beside: Guard
    below: bool

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        where = "one before the first" if self.below else "one behind the last"
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a neighbour that may be {where}: the one along another "
            "axis, made in the same way, is tested for that, and this one is not",
            [
                Related(self.around.span, "this test lets the place pass that the neighbour lies beside"),
                Related(self.beside.span, "the neighbour along the other axis is tested here"),
            ],
            "the data put the place at the end that the test lets pass",
            f"test this neighbour {'against 0' if self.below else 'against its end'} too",
        )


_DOWN = frozenset({"floor", "floorf"})


def whole_part(atom: Term) -> tuple[Term, bool] | None:
    """(number in floating point, whether it is rounded down) of a whole number that is made of it, rounded down or cut
    off."""
    while atom.op == "cast" and isinstance(atom.type, IntType):
        atom = atom.args[0]
        if isinstance(atom.type, FloatType):
            down = atom.op == "call" and atom.args[0] in _DOWN
            return (atom.args[1] if down else atom), down
    return None


def _chosen(atom: Term) -> bool:
    return whole_part(atom) is not None or (atom.symbol is not None and atom.symbol.kind is SymbolKind.LOAD)


def _coordinates(access: Access) -> Iterator[tuple[Polynomial, Term]]:
    """The coordinates in an index that are a number from memory, or the whole part of one in floating point, and a
    number: (sum, what data choose of it)."""
    found = elements(access)
    for mono, times in found[0].coefficients.items() if found is not None else ():
        whole = [atom for atom in mono if _chosen(atom)]
        if found is None or times <= 0 or len(whole) != 1:
            continue
        rest = list(mono)
        rest.remove(whole[0])
        # The number beside it has the same pitch: it stands by itself, or is less than a pixel of so many channels.
        more = found[0].coefficients.get(tuple(rest), 0)
        yield polynomial(whole[0]) + number(more // times), whole[0]


def _ends(access: Access, form: Polynomial, atom: Term) -> Iterator[_Open]:
    """The ends that a test of what data choose lets the coordinate pass, and no other test keeps it from."""
    beyond, (inner, down) = form.coefficients.get((), 0), whole_part(atom) or (atom, False)
    above = below = None
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op not in ("lt", "le"):
                if set(symbols(atom)) & set(symbols(part)):
                    return  # it asks something else of it
                continue
            left, right = part.args
            more = behind_size(right) if left == inner and part.op == "lt" else None
            if more is not None and beyond + more > 0:
                above = guard
            elif right == inner and left.value is not None and left.value <= -1 and down:
                below = guard
    for factor, rest, guard in _tests(access, atom):
        kinds = {symbol.kind for part in rest.atoms for symbol in symbols(part)}
        if factor == -1 and kinds == {SymbolKind.PARAM} and rest.coefficients.get((), 0) == -1:
            above = guard
    if above is not None and 1 <= beyond <= FAR and not _kept(access, atom, beyond, below=False):
        yield _Open(form, above, False)
    if below is not None and -FAR <= beyond <= 0 and not _kept(access, atom, beyond, below=True):
        yield _Open(form, below, True)


def behind_size(term: Term) -> int | None:
    """What a number in floating point is that a size gives, beside the size itself: as of ``x < w - 1``, in whole
    places that the last one lies before ``w``."""
    if term.op != "cast" or not isinstance(term.args[0].type, IntType) or of_data(term.args[0]):
        return None
    return polynomial(term.args[0]).coefficients.get((), 0)


def _tests(access: Access, atom: Term) -> Iterator[tuple[int, Polynomial, Guard]]:
    """(factor of a whole part, the rest of a truth ``rest + factor * part >= 0``, its guard)."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            factor = slack[0].coefficients.get((atom,), 0) if slack is not None else 0
            if slack is not None and factor:
                yield factor, slack[0] - Polynomial({(atom,): factor}) - number(slack[1]), guard


def _kept(access: Access, atom: Term, beyond: int, below: bool) -> Guard | None:
    """The test that keeps a whole part and ``beyond`` from passing an end: from being less than 0, or against any
    number or size from above."""
    for factor, rest, guard in _tests(access, atom):
        more = rest.coefficients.get((), 0)
        if below and factor == 1 and rest.constant is not None and -more + beyond >= 0:
            return guard
        if not below and factor == -1 and (rest.constant is not None or more + beyond < 0):
            return guard
    return None


def _tested_whole(access: Access, below: bool) -> bool:
    """Whether a test asks for the whole index, all coordinates of it together, whether it has passed an end."""
    found = elements(access)
    index = found[0] - number(found[0].coefficients.get((), 0)) if found is not None else None
    for part in (part for guard in access.guards for part in conjuncts(guard.term)):
        slack = slack_of(part)
        if slack is None or index is None:
            continue
        unsigned = isinstance(part.args[0].type, IntType) and not part.args[0].type.signed
        ways = (-1, 1) if below and unsigned else ((1,) if below else (-1,))
        if any(all(slack[0].coefficients.get(mono) == way * by for mono, by in _of_data(index)) for way in ways):
            return True
    return False


def _of_data(index: Polynomial) -> list[tuple[Monomial, int]]:
    return [(mono, by) for mono, by in index.coefficients.items() if any(map(_chosen, mono))]


def _beside(group: Sequence[Access], access: Access, end: _Open) -> Guard | None:
    """The test that keeps a neighbour along another axis inside at the same end."""
    atoms = {atom for _, atom in _coordinates(access)}
    for other in group:
        for form, atom in _coordinates(other):
            alike = form != end.form and form.coefficients.get((), 0) == end.form.coefficients.get((), 0)
            if alike and atom in atoms and (atom,) not in end.form.coefficients and like(form) == like(end.form):
                guard = _kept(other, atom, form.coefficients.get((), 0), end.below)
                if guard is not None:
                    return guard
    return None


def _compute(facts: Facts) -> tuple[Sampled, ...]:
    groups: dict[Root, list[Access]] = {}
    for access in facts[trace].accesses:
        if access.root.kind is RootKind.PARAM and access.guards and any(True for _ in _coordinates(access)):
            groups.setdefault(access.root, []).append(access)
    found: dict[tuple[Root, Guard, bool], Sampled] = {}
    for root, group in groups.items():
        for access in group:
            for form, atom in _coordinates(access):
                for end in _ends(access, form, atom):
                    beside = _beside(group, access, end)
                    if beside is not None and not _tested_whole(access, end.below):
                        key = (root, access.guards[-1], end.below)
                        found.setdefault(key, Sampled(access, end.guard, beside, end.below))
    return tuple(found.values())


sampled_neighbours = KernelAnalysis("sampled_neighbours", _compute, needs=(trace,))
"""Each :class:`Sampled` access of a kernel variant, one for each place that is tested together."""
