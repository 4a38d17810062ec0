"""Places that data choose, read before the kernel asks whether they are inside and leaves where they are not.

``label = media[at]; if (label == 0 || x < 0 || x >= w || y < 0 || y >= h) break; sum[at] += label;`` asks of the place
of one array what it has read another one at.  Silent where anything before the read may speak of a coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.ends import Coordinate, coordinates, tested_forms
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.analysis.wording import element
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import SymbolKind, symbols
from kernlint.tree.types import Space

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True, eq=False)
class AskedBehind:
    """A read at a place, of which ``guard`` keeps ``other``, an access to another array, inside, behind the read."""

    access: Access
    guard: Guard
    other: Access

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is read before the test that its place is inside, which {element(self.other)} at "
            "the same place is behind",
            [
                Related(self.guard.span, "the test comes here, after the read"),
                Related(self.other.span, "the same place, behind the test"),
            ],
            "the place may be outside, as the test has it",
            "read the element when the test has passed",
        )


def _kept_by(found: Sequence[Coordinate]) -> Guard | None:
    """The one test at which threads leave that keeps two or more coordinates inside at both ends."""
    ends = [end for one in found for end in (one.low, one.high)]
    tests = {end.guard for end in ends if end.kept and end.exact}
    guard = next(iter(tests)) if len(tests) == 1 else None
    if guard is None or len(found) < 2 or not all(end.kept and end.exact for end in ends):
        return None
    return guard if guard.kind in (GuardKind.EXIT, GuardKind.SKIP) else None


def _by_data(found: Sequence[Coordinate]) -> bool:
    return all(any(s.kind in _DATA for atom in one.moving.atoms for s in symbols(atom)) for one in found)


def _of(accesses: Sequence[Access]) -> Iterator[AskedBehind]:
    at: dict[Polynomial, list[Access]] = {}
    for access in accesses:
        memory = access.root.kind is RootKind.PARAM and access.root.space in (Space.GLOBAL, Space.CONSTANT)
        form = elements(access) if memory and len(access.offset.symbols) > 1 else None
        if form is not None:
            at.setdefault(form[0], []).append(access)
    for group in at.values():
        first, *later = group
        for other in later:
            if first.writes or other.root is first.root or len(other.guards) <= len(first.guards):
                continue
            forms = tested_forms(other)
            kept = coordinates(other, forms) if forms else ()
            guard = _kept_by(kept)
            if guard is None or guard in first.guards or not set(first.guards) <= set(other.guards):
                continue
            mine = coordinates(first, forms)
            if _by_data(kept) and len(mine) == len(kept) and all(one.low.open() and one.high.open() for one in mine):
                yield AskedBehind(first, guard, other)
                break


def _compute(facts: Facts) -> tuple[AskedBehind, ...]:
    return tuple(_of(facts[trace].accesses))


asked_behind = KernelAnalysis("asked_behind", _compute, needs=(trace,))
"""Each :class:`AskedBehind` of a kernel variant."""
