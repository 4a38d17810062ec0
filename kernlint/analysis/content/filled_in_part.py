"""Memory of which the host fills a part, and kernels count up or read what lies behind that.

``cudaMalloc(&slots, 2 * n * sizeof(int))`` and ``cudaMemset(slots, 0, n * sizeof(int))`` leave the second half as it
is.  Somebody wanted zeroes there where kernels only add to the elements, or read them, and nothing in sight writes
them: no copy, no other call that is given the memory, no kernel that is launched with it before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import BUDGET, is_told
from kernlint.analysis.extent.tried import is_small, launch_with, settings_of
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.hostmodel.sizes import exceeds
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import LaunchFact, host
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, ApiEvent, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.apis import Fills, api_of
from kernlint.prove.query import Bounds, Refuted
from kernlint.prove.solve import solve
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, cast, const, substitute
from kernlint.tree.types import I64

SETTING = frozenset({"exch", "cas"})
"""Atomic operations that set a value themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class FilledInPart:
    """``call`` fills ``size`` bytes of the ``extent`` that is passed for ``name``; ``access`` gets beyond."""

    call: ApiEvent
    name: str
    size: Term
    extent: Term
    access: Access


def filled_in_part(facts: Facts) -> Iterator[FilledInPart]:
    """The fills before launches of the kernel that leave out elements which it updates or reads, each once."""
    seen: set[object] = set()
    for view in facts[launch_context].launches:
        fact = view.fact
        for name, extent in fact.extents if fact.walk is not None and fact.event is not None else ():
            call = _only_fill(fact, name, facts)
            size = call.args[2] if call is not None else None
            if call is None or call.span in seen or not isinstance(size, Term):
                continue
            whole, part = (polynomial(cast(bytes_, I64)) for bytes_ in (extent, size))
            if not exceeds(whole, part):
                continue
            access = next((one for one in _resting(facts[trace], name) if _beyond(one, view, size)), None)
            if access is not None:
                seen.add(call.span)
                yield FilledInPart(call, name, size, extent, access)


def _resting(of: Trace, name: str) -> Iterator[Access]:
    """The accesses that rest on what an array holds; none where the kernel itself sets elements of it."""
    mine = [access for access in of.accesses if access.root.name == name]
    if all(map(_rests, mine)):
        yield from mine


def _rests(access: Access) -> bool:
    """Whether an access takes up what was there."""
    if access.kind is AccessKind.ATOMIC:
        return access.atomic_op not in SETTING
    return access.kind is AccessKind.READ


def _only_fill(fact: LaunchFact, name: str, facts: Facts) -> ApiEvent | None:
    """The fill of the start of the memory passed for a parameter, where nothing else in sight puts anything there
    before the launch."""
    pointer = as_pointer(fact.argument(name))
    assert fact.walk is not None and fact.event is not None
    if pointer is None or pointer.offset.value != 0:
        return None
    given = [one for one in _taking(fact.walk).get(id(pointer.root), ()) if one.order < fact.event.order]
    if len(given) != 1:
        return None
    api = api_of(given[0].name, given[0].receiver is not None)
    if not isinstance(api, Fills) or not api.bytewise or api.size != 2 or len(given[0].args) < 3:
        return None
    target = as_pointer(given[0].args[0])
    if target is None or target.root is not pointer.root or target.offset.value != 0:
        return None
    for other in facts[host].launches:
        if other.walk is not fact.walk or other is fact:
            continue
        names = [n for n, value in other.arguments if (p := as_pointer(value)) is not None and p.root is pointer.root]
        if names and (other.kernel is None or not all(_only_rests(facts, other, n) for n in names)):
            return None
    return given[0]


def _only_rests(facts: Facts, other: LaunchFact, name: str) -> bool:
    """Whether another kernel sets no element of what it is given."""
    assert other.kernel is not None
    of = facts[kernel_traces].of(other.kernel)
    return of.complete and all(_rests(access) for access in of.accesses if access.root.name == name)


@lru_cache(maxsize=16)
def _taking(walk: Trace) -> dict[int, list[ApiEvent]]:
    """The calls of a walk that are given pointers to an object, by its identity."""
    found: dict[int, list[ApiEvent]] = {}
    for call in walk.apis:
        for root in {id(at.root) for value in call.args if (at := as_pointer(value)) is not None}:
            found.setdefault(root, []).append(call)
    return found


def _beyond(access: Access, view: LaunchView, size: Term) -> bool:
    """Whether an access gets past so many bytes: always, or with values of the host's variables."""
    images = {symbol: image for symbol, image in view.images if symbol.kind is SymbolKind.PARAM}
    past = polynomial(substitute(access.offset, images)) - polynomial(cast(size, I64))
    ranges = narrowed(tuple(side(access).facts), {})
    if ranges is not None and past.coefficients and all(value >= 0 for value in past.coefficients.values()):
        atoms = {atom for mono in past.coefficients for atom in mono}
        if all(ranges.of(atom)[0] >= 0 for atom in atoms):
            return True
    for env in settings_of(view):
        launch, filled = launch_with(view, env), evaluate(size, env)
        if launch is None or filled is None or not is_small(launch) or not is_told(access, launch):
            continue
        answer = solve(Bounds(side(access), const(filled, I64), launch=launch), BUDGET)
        if isinstance(answer, Refuted) and not answer.depends_on_data:
            return True
    return False
