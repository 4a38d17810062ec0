"""The element behind one that a search by halves has found, which may be the last.

::

    int lo = 0, hi = 256;
    while (lo < hi) { int mid = (lo + hi) / 2; if (starts[mid] <= at) lo = mid + 1; else hi = mid; }
    int end = starts[lo];          // of 256
    value = values[lo - 1];

Who takes the element before the place at which the search has ended takes the last one for a possible find; the search
has ended at the end of the array then.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.extents import inner_array
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, LoopContext, RootKind, Trace
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, plain, subterms, symbols
from kernlint.tree.types import I64, ArrayType, StructType


@dataclass(frozen=True, slots=True, eq=False)
class BehindFound:
    """An ``access`` at element ``count`` of as many where a search has found the last one.  ``search``: the loop."""

    access: Access
    count: int
    search: Span


@dataclass(frozen=True, slots=True)
class _Search:
    """Where a search by halves ends: ``result``, at ``most`` at the end; what it has found is ``back`` before."""

    result: Term
    most: int
    back: int
    span: Span


def _search(result: Term) -> _Search | None:
    """The search that a value after a loop is the lower bound of."""
    low = result.args[1].symbol if result.op == "call" and len(result.args) > 1 else None
    loop = low.origin if low is not None and low.kind is SymbolKind.PHI else None
    if not isinstance(loop, LoopContext) or loop.condition is None or loop.exits or loop.leaves:
        return None
    for high in loop.phis:
        end = plain(high.init).value if high.init is not None else None
        if high is low or low is None or not isinstance(end, int) or not _halves(low, high, loop):
            continue
        left, right = polynomial(loop.condition.args[0]), polynomial(loop.condition.args[1])
        apart = right - left - polynomial(high.term) + polynomial(low.term)
        step = _moved(low, high)
        if loop.condition.op == "lt" and step == 1 and not apart.coefficients:
            return _Search(result, end, 1, loop.span)
        if loop.condition.op == "lt" and step == 0 and apart == number(-1):
            return _Search(result, end - 1, 0, loop.span)
    return None


def _halves(low: Symbol, high: Symbol, loop: LoopContext) -> bool:
    """Whether a round of a loop moves either of two bounds to a place between them."""
    one, other = low.step, high.step
    if one is None or other is None or one.op != "select" or other.op != "select" or one.args[0] != other.args[0]:
        return False
    moved, kept = one.args[1:], other.args[1:]
    at = 0 if plain(kept[0]).symbol is high else 1
    if plain(kept[at]).symbol is not high or plain(moved[1 - at]).symbol is not low:
        return False
    return {low, high} == set(symbols(kept[1 - at])) == set(symbols(moved[at]))


def _moved(low: Symbol, high: Symbol) -> int | None:
    """By how much the lower bound gets past the middle."""
    assert low.step is not None and high.step is not None
    at = 0 if plain(high.step.args[1]).symbol is high else 1
    return (polynomial(low.step.args[1 + at]) - polynomial(high.step.args[2 - at])).constant


def _place(access: Access) -> tuple[Polynomial, int] | None:
    """Which element of its array, or of an array within an object, an access is to, and how many there are (0: nobody
    knows)."""
    inner = inner_array(access)
    if inner is not None and inner > 1 and access.index is not None:
        return polynomial(cast(access.index, I64)), inner
    kind, size = access.root.element, access.size
    if isinstance(kind, StructType) and size:
        form = polynomial(access.offset)
        at = form.coefficients.get((), 0)
        field = next((f for f in kind.fields if f.offset is not None and 0 <= at - f.offset < (f.type.size or 0)), None)
        if field is None or field.offset is None or not isinstance(field.type, ArrayType):
            return None
        form = form - number(field.offset)
        if access.root.extent != kind.size or any(value % size for value in form.coefficients.values()):
            return None
        own = Polynomial({mono: value // size for mono, value in form.coefficients.items()})
        return own, (field.type.size or 0) // size
    found = elements(access)
    if found is None or found[1]:
        return None
    return found[0], (access.root.extent or 0) // (kind.size or 1)


def _behind(of: Trace) -> Iterator[BehindFound]:
    known: dict[Term, _Search | None] = {}
    taken: set[Polynomial] = set()
    asked: list[tuple[Access, Polynomial, int]] = []
    for access in of.accesses:
        place = _place(access)
        if place is None:
            continue
        form, count = place
        taken.add(form)
        if count > 1 and access.root.kind is RootKind.VARIABLE:
            asked.append((access, form, count))
    for access, form, count in asked:
        atoms = [mono[0] for mono in form.coefficients if len(mono) == 1]
        if len(atoms) != 1 or set(form.coefficients) - {(), (atoms[0],)} or form.coefficients[(atoms[0],)] != 1:
            continue
        result = plain(atoms[0])
        if result not in known:
            known[result] = _search(result)
        search = known[result]
        if search is None or search.most + form.coefficients.get((), 0) != count or _tested(access, result):
            continue
        find = polynomial(cast(atoms[0], I64)) - number(search.back)
        begun = (phi.init for loop in of.loops for phi in loop.phis if phi.init is not None)
        if find in taken or any(polynomial(cast(one, I64)) == find for one in begun):
            yield BehindFound(access, count, search.span)


def _tested(access: Access, result: Term) -> bool:
    """Whether anything is asked of where the search has ended."""
    return any(result in (plain(part) for part in subterms(guard.term)) for guard in access.guards)


def _compute(facts: Facts) -> tuple[BehindFound, ...]:
    return tuple(_behind(facts[trace])) if facts[trace].loops else ()


searched_ends = KernelAnalysis("searched_ends", _compute, needs=(trace,))
"""Each :class:`BehindFound` of a kernel variant."""
