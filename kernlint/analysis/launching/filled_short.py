"""Fills of as many bytes as the kernel that is launched with the memory takes it to have elements.

That a size counts elements is what the kernel says: it tests the index of an element against it, or the rows that it
reaches lie so many elements apart.  A fill by the product of such sizes, with no size of an element in it, ends early.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.launching.launches import LaunchFact, elements_made_up, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, ApiEvent
from kernlint.analysis.trace.values import Value
from kernlint.apis import Fills, api_of
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, cast, plain
from kernlint.tree.types import I64

_MOST = 3
"""Sizes that are multiplied."""


@dataclass(frozen=True, slots=True, eq=False)
class FilledShort:
    """``call`` fills ``size`` bytes of what is passed for ``name``, of which ``access`` reaches elements of ``width``
    bytes by a size that counts these."""

    call: ApiEvent
    name: str
    size: Term
    width: int
    access: Access


def filled_short(facts: Facts) -> Iterator[FilledShort]:
    """The fills before launches of the kernel in sight that are too short, each once."""
    seen: set[object] = set()
    fills: dict[int, list[ApiEvent]] = {}
    for fact in facts[launches]:
        if fact.walk is None:
            continue
        if id(fact.walk) not in fills:  # launches by the hundred share a walk
            fills[id(fact.walk)] = [c for c in fact.walk.apis if _fills(c.name) and len(c.args) >= 3]
        for call in fills[id(fact.walk)]:
            if call.span not in seen:
                found = _short(fact, call, facts)
                if found is not None:
                    seen.add(call.span)
                    yield found


def _fills(name: str) -> bool:
    """Whether a function fills as many bytes as its last argument but a stream says."""
    api = api_of(name)
    return isinstance(api, Fills) and api.bytewise and api.size == 2


def _short(fact: LaunchFact, call: ApiEvent, facts: Facts) -> FilledShort | None:
    target, size = as_pointer(call.args[0]), call.args[2]
    if target is None or not isinstance(size, Term) or size.value is not None:
        return None
    wanted = polynomial(cast(size, I64))
    images = {name: polynomial(cast(value, I64)) for name, value in fact.arguments if isinstance(value, Term)}
    names = {name for name, value in fact.arguments if _same(value, call.args[0]) and not elements_made_up(facts, name)}
    for access in facts[trace].accesses if len(wanted.coefficients) == 1 else ():
        width = access.size or 1
        if access.root.name not in names or width < 2 or any(v % width == 0 for v in wanted.coefficients.values()):
            continue
        counts = {name for name in _counts(access, width) if name in images}
        if any(images[name] == wanted for name in _limits(access, width) if name in images):
            return FilledShort(call, access.root.name, size, width, access)
        for many in range(2, _MOST + 1):
            for chosen in combinations(sorted(images), many):
                product = prod((images[name] for name in chosen[1:]), start=images[chosen[0]])
                if counts & set(chosen) and product == wanted:
                    return FilledShort(call, access.root.name, size, width, access)
    return None


def _same(one: Value, other: Value) -> bool:
    """Whether two values are surely one pointer."""
    a, b = as_pointer(one), as_pointer(other)
    return a is not None and b is not None and a.root is b.root and a.offset == b.offset


def _counts(access: Access, width: int) -> Iterator[str]:
    """Sizes by which an access goes on from row to row, in elements."""
    for mono, value in polynomial(access.offset).coefficients.items():
        if len(mono) > 1 and value % width == 0:
            yield from (a.symbol.name for a in mono if a.symbol is not None and a.symbol.kind is SymbolKind.PARAM)


def _limits(access: Access, width: int) -> Iterator[str]:
    """Sizes against which the index of the element that is reached is tested."""
    place: Polynomial = polynomial(access.offset)
    for guard in access.guards:
        for part in conjuncts(guard.term):
            size = plain(part.args[1]).symbol if part.op == "lt" else None
            if size is not None and size.kind is SymbolKind.PARAM and polynomial(part.args[0]).scaled(width) == place:
                yield size.name
