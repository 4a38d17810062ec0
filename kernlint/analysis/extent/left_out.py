"""Tests against the end of a part from memory that leave out what the thread adds to the index.

``for (i = 0; i < 1024; i += 256) if (first + i < last) sum += x[first + i + lane];`` tests the first element of each
round.  Parts from ``first`` to ``last``, both read from memory, have any length, so that the last round of one goes on
into the next, and that of the last one past the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import mentions
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace.events import Access, Guard, GuardKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, plain, symbols


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """An ``access`` of whose index ``guard`` tests all but the thread's part against ``end``."""

    access: Access
    guard: Guard
    end: Term

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} at an index of which the test leaves out what the thread "
            f"adds: the other threads of the group get past {words(self.end)}, which memory holds and may be anything",
            [Related(self.guard.span, "only the first element of the group is tested")],
            "the part ends where no whole group does",
            "test the index that is used",
        )


def _by_thread(more: Polynomial) -> bool:
    """Whether a sum is made of the thread's place in its block alone."""
    kinds = {symbol.kind for atom in more.atoms for symbol in symbols(atom)}
    return bool(kinds) and kinds <= {SymbolKind.THREAD} and all(value >= 0 for value in more.coefficients.values())


def _end(part: Term) -> Term | None:
    """The number from memory, the same for the block, that a truth keeps something from memory below."""
    if part.op != "lt":
        return None
    end = plain(part.args[1]).symbol
    shared = end is not None and end.kind is SymbolKind.LOAD and end.uniformity <= Uniformity.BLOCK
    begins = any(s.kind is SymbolKind.LOAD and s is not end for s in symbols(part.args[0]))
    return part.args[1] if shared and begins else None


def _of(place: Place) -> LeftOut | None:
    access = place.access
    tests = [guard for guard in access.guards if guard.kind in (GuardKind.BRANCH, GuardKind.SKIP)]
    if not access.loops or not tests or any(mentions(guard.term, SymbolKind.THREAD) for guard in access.guards):
        return None
    rounds = counter_ranges(access)
    for guard in tests:
        for part in conjuncts(guard.term):
            end = _end(part)
            counts = any(symbol in rounds for symbol in symbols(part.args[0])) if end is not None else False
            if end is not None and counts and _by_thread(place.index - polynomial(part.args[0])):
                return LeftOut(access, guard, end)
    return None


def _compute(facts: Facts) -> tuple[LeftOut, ...]:
    found: Places = facts[places]
    return tuple(dict(_by_guard(found)).values())


def _by_guard(found: Places) -> Iterator[tuple[object, LeftOut]]:
    for mine in found.values():
        one = _of(mine[0]) if len(mine) == 1 else None
        if one is not None:
            yield one.guard.span, one


left_out = KernelAnalysis("left_out", _compute, needs=(places,))
"""A :class:`LeftOut` for each such test of a kernel variant."""
