"""Coordinates that are tested for one access to an array, and not for another one at the same coordinate.

The corners of an interpolation: ``if (y0 >= 0 && x1 < w) b = p[y0 * w + x1]; if (y1 < h) d = p[y1 * w + x1];``.  What
is asked for the one corner is not known otherwise, and both stand under the same conditions but for the tests of their
own coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.one_sided import coordinate_tests, data_of, signed, stands_in
from kernlint.analysis.extent.sampled_neighbours import behind_size, whole_part
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, symbols

MOST = 64
"""Accesses to one array that are compared with one another."""


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """An access at a coordinate that nothing keeps inside at one end, as ``guard`` does for ``other``, which is at the
    same one; ``below``: the end is 0."""

    access: Access
    other: Access
    guard: Guard
    below: bool

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        may = "may be negative" if self.below else "may be too large"
        how = "is not negative" if self.below else "is below its end"
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that {may}: it is tested for another "
            "access to the array, and not for this one",
            [Related(self.guard.span, f"for {element(self.other)}, it is asked here whether the coordinate {how}")],
            f"the data put the coordinate {'below 0' if self.below else 'past its end'}, as the test of the other says",
            f"test that the coordinate {how} here too",
        )


def _ends(access: Access) -> Iterator[tuple[Polynomial, Guard, bool]]:
    """(coordinate, test, whether it is of the lower end) of what branches ask of the coordinates of an access."""
    lower, upper = coordinate_tests(access)
    yield from ((form, guard, True) for form, guard in lower.items() if data_of(form) and signed(form))
    yield from ((form, guard, False) for form, guard in upper.items())


def _alone(access: Access, other: Access, whole: Polynomial) -> bool:
    """Whether an access stands under no condition on data that the other one does not stand under, but for tests of its
    own coordinates against sizes."""
    theirs = {part for guard in other.guards for part in conjuncts(guard.term)}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part in theirs or not any(symbol.kind in _OPEN for symbol in symbols(part)):
                continue
            if slack_of(part) is None:
                return False
            sides = [polynomial(side) for side in part.args]
            if not any(data_of(side) and stands_in(side, whole) is not None for side in sides):
                return False
    return True


_OPEN = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.UNKNOWN, SymbolKind.TRIPS})


def _of(access: Access, group: Sequence[Access]) -> Beside | None:
    found = elements(access)
    if found is None or not data_of(found[0]):
        return None
    own = {part for guard in access.guards for part in conjuncts(guard.term)}
    tested = {(form, below) for form, _, below in _ends(access)}
    for other in group:
        theirs = elements(other) if other is not access and other.loops == access.loops else None
        for form, guard, below in _ends(other) if theirs is not None else ():
            if guard.kind not in (GuardKind.BRANCH, GuardKind.SHORT) or (form, below) in tested or theirs is None:
                continue
            pitch = stands_in(form, theirs[0])
            if pitch is None or stands_in(form, found[0]) != pitch or not _apart(form, own, other):
                continue
            moved = found[0] - theirs[0]
            if not moved.coefficients or set(moved.coefficients) & set(pitch.coefficients):
                continue
            if not _implied(form, own, below) and _alone(access, other, found[0]):
                return Beside(access, other, guard, below)
    return None


def _apart(form: Polynomial, own: set[Term], other: Access) -> bool:
    """Whether all that is asked of what a coordinate is made of is asked for the other access too."""
    mine = {symbol for atom in data_of(form) for symbol in symbols(atom) if symbol.kind in _OPEN}
    theirs = {part for guard in other.guards for part in conjuncts(guard.term)}
    return all(part in theirs or not mine & set(symbols(part)) for part in own)


def _implied(form: Polynomial, own: set[Term], below: bool) -> bool:
    """Whether what is asked before an access keeps a coordinate inside anyway, or may: comparisons of the sum itself
    with another number, and of the number in floating point that it is the whole part of."""
    more, atoms = form.coefficients.get((), 0), data_of(form)
    inner = [found for atom in atoms if (found := whole_part(atom)) is not None]
    for part in own:
        slack = slack_of(part)
        if slack is not None and any(slack[0].coefficients.get((atom,), 0) == (1 if below else -1) for atom in atoms):
            return True
        for number_, down in inner if part.op in ("lt", "le") else ():
            left, right = part.args
            if below and right == number_ and not (down and more <= 0 and left.value is not None and left.value <= -1):
                return True
            behind = behind_size(right) if not below and left == number_ else 0
            if behind is None or (not below and left == number_ and (part.op == "le" or more + behind <= 0)):
                return True
    return False


def _compute(facts: Facts) -> tuple[Beside, ...]:
    groups: dict[Root, list[Access]] = {}
    for access in facts[trace].accesses:
        if access.root.kind is not RootKind.VARIABLE and data_of(polynomial(access.offset)):
            groups.setdefault(access.root, []).append(access)
    out: list[Beside] = []
    for group in groups.values():
        if 1 < len(group) <= MOST:
            one = next((one for access in group if (one := _of(access, group)) is not None), None)
            out += [one] if one is not None else []
    return tuple(out)


tested_beside = KernelAnalysis("tested_beside", _compute, needs=(trace,))
"""A :class:`Beside` for each array of a kernel variant that has one, in order of the walk."""
