"""Tests against the end of a part from memory that leave out what the thread adds to the index.

``for (i = 0; i < 1024; i += 256) if (first + i < last) sum += x[first + i + lane];`` tests the first element of each
round.  Parts from ``first`` to ``last``, both read from memory, have any length, so that the last round of one goes on
into the next, and that of the last one past the end.  Where the test is the loop's own, parts may be whole groups by
the way they are made, unless threads of the kernel go through other parts of the same list element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import mentions
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Root
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


def _tested(part: Term) -> Iterator[tuple[Term, Polynomial]]:
    """What a truth keeps below a number from memory: the number and the sum (``first + i`` of ``i < last - first``)."""
    if part.op != "lt":
        return
    limit = polynomial(part.args[1])
    for atom in limit.atoms:
        symbol = plain(atom).symbol
        if symbol is not None and symbol.kind is SymbolKind.LOAD and limit.coefficients.get((atom,)) == 1:
            end = polynomial(atom)
            yield atom, end - limit + polynomial(part.args[0])


def _list(end: Term) -> Root | None:
    """The array that a number is from."""
    symbol = plain(end).symbol
    return symbol.origin[0] if symbol is not None and isinstance(symbol.origin, tuple) else None


def _in_groups(index: Polynomial, below: Polynomial) -> bool:
    """Whether a loop goes on by more than what the threads of a group are apart: they share its rounds."""
    steps = [value for mono, value in below.coefficients.items() if any(_counts(atom) for atom in mono)]
    apart = (index - below).coefficients
    return bool(steps) and max(value for mono, value in apart.items() if mono) < min(steps)


def _counts(atom: Term) -> bool:
    return atom.symbol is not None and atom.symbol.kind is SymbolKind.COUNTER


def _any_length(accesses: Sequence[Access]) -> set[Root]:
    """The arrays of which numbers that threads choose are ends of loops that take one element a round."""
    found: set[Root] = set()
    for guard in dict.fromkeys(guard for access in accesses for guard in access.guards):
        for part in conjuncts(guard.term) if guard.kind is GuardKind.LOOP else ():
            for end, below in _tested(part):
                steps = (mono for mono, value in below.coefficients.items() if value == 1)
                ones = any(len(mono) == 1 and _counts(mono[0]) for mono in steps)
                root = _list(end)
                if ones and root is not None and _varies(end):
                    found.add(root)
    return found


def _varies(end: Term) -> bool:
    """Whether threads of a block find different numbers there."""
    return any(symbol.uniformity is Uniformity.VARYING for symbol in symbols(end))


def _of(place: Place, any_length: Callable[[], set[Root]]) -> LeftOut | None:
    access = place.access
    if not access.loops or any(mentions(guard.term, SymbolKind.THREAD) for guard in access.guards):
        return None
    rounds = counter_ranges(access)
    for guard in access.guards:
        if guard.kind not in (GuardKind.BRANCH, GuardKind.SKIP, GuardKind.LOOP):
            continue
        own = guard.kind is GuardKind.LOOP
        for part in conjuncts(guard.term):
            for end, below in _tested(part):
                inside = {symbol for atom in below.atoms for symbol in symbols(atom)}
                counts = any(s.kind is SymbolKind.COUNTER if own else s in rounds for s in inside)
                begins = any(s.kind is SymbolKind.LOAD and s.term != end for s in inside)
                if not counts or not begins or _varies(end) or not _by_thread(place.index - below):
                    continue
                if not own or (_in_groups(place.index, below) and _list(end) in any_length()):
                    return LeftOut(access, guard, end)
    return None


def _compute(facts: Facts) -> tuple[LeftOut, ...]:
    found: Places = facts[places]
    any_length = cache(lambda: _any_length(facts[trace].accesses))
    return tuple(dict(_by_guard(found, any_length)).values())


def _by_guard(found: Places, any_length: Callable[[], set[Root]]) -> Iterator[tuple[object, LeftOut]]:
    for mine in found.values():
        one = _of(mine[0], any_length) if len(mine) == 1 else None
        if one is not None:
            yield one.guard.span, one


left_out = KernelAnalysis("left_out", _compute, needs=(places, trace))
"""A :class:`LeftOut` for each such test of a kernel variant."""
