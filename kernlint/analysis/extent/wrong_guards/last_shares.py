"""Threads that take several elements a round in the share of their block, of which the last one ends with the data.

``stop = blockIdx.x == gridDim.x - 1 ? n : begin + share; for (i = begin + 4 * threadIdx.x; i < stop; i += 4 *
blockDim.x)`` before ``x[i + k]``: the test is about the first of four elements, and ``n`` is the end of all there is.
So it is with ``min(begin + share, n)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import Limit, counter_ranges, elements
from kernlint.analysis.extent.places import Places, chosen
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.extent.wrong_guards.steps import multiple
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, Guard
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols

WHY = "the last share ends there, whatever is left"

MOST = 64
"""Elements to a thread and round, beyond which they are no group."""


def last_shares(found: Places, context: LaunchContext, multiples: Mapping[str, int]) -> Iterator[Overreach]:
    """Accesses to such elements.

    Excused: any test of the number of the element, or another one that speaks of the end, ends that a host or a comment
    makes multiples, and that are numbers.  Still bad: the elements behind the first in a loop of constant length.
    """
    for access in found:
        whole = elements(access)
        if whole is None or whole[1]:
            continue
        for guard in access.guards:
            for part in conjuncts(guard.term):
                one = _group(access, whole[0], guard, part)
                if one is None or multiple(context, one[0], one[1]):
                    continue
                if any(s.name.rpartition(".")[2] in multiples for atom in one[0].size.atoms for s in symbols(atom)):
                    continue
                yield Overreach(access, Fault.GROUP, guard, part, one[0].size, one[1] - 1, WHY)
                break
            else:
                continue
            break


def _group(access: Access, index: Polynomial, guard: Guard, part: Term) -> tuple[Limit, int] | None:
    """What a test leaves of an index in the last share, and how many elements of a group it is the test of the first
    of."""
    end = _last_end(plain(part.args[1])) if part.op == "lt" else None
    if end is None:
        return None
    first = polynomial(part.args[0])
    rest = index - first
    ranges = counter_ranges(access)
    inner = [symbol for atom in rest.atoms for symbol in symbols(atom)]
    if not inner or not all(symbol in ranges and rest.coefficients.get((symbol.term,)) for symbol in inner):
        return None
    low, high = interval(term_of(rest), lambda symbol: ranges.get(symbol, (0, None)))
    if low != 0 or high is None or not 0 < high < MOST:
        return None
    steps = [times for mono, times in first.coefficients.items() if _by_rounds(mono)]
    if not steps or any(times % (high + 1) for times in steps):
        return None
    mine = {*inner, *(s for s in symbols(end) if s.kind is not SymbolKind.TEMPLATE)}
    loops = {loop.condition for loop in access.loops if loop.counter in inner}
    others = (p for g in access.guards for p in conjuncts(g.term) if p != part and p not in loops)
    if any(mine & set(symbols(other)) for other in others):
        return None
    return Limit(polynomial(end) - number(1) + number(high), guard, part), high + 1


def _last_end(right: Term) -> Term | None:
    """The argument that the last share ends at: a choice by the number of the block, or the smaller of two ends."""
    if right.op == "select":
        kinds = {symbol.kind for symbol in symbols(right.args[0])}
        sides = right.args[1:] if SymbolKind.BLOCK in kinds and SymbolKind.THREAD not in kinds else ()
    else:
        sides = right.args if right.op == "min" else ()
    ends = [side for side in sides if side.value is None and chosen(side) and plain(side).symbol is not None]
    shares = [side for side in sides if any(symbol.kind is SymbolKind.BLOCK for symbol in symbols(side))]
    return ends[0] if len(ends) == 1 and len(shares) == 1 else None


def _by_rounds(mono: tuple[Term, ...]) -> bool:
    """Whether a part of an index tells threads, or rounds of a loop, apart."""
    found: set[Symbol] = {symbol for atom in mono for symbol in symbols(atom)}
    return any(symbol.kind in (SymbolKind.THREAD, SymbolKind.COUNTER) for symbol in found)
