"""Guards that speak of whole groups, or say again what a loop has said: the elements themselves are not tested."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, in_host_terms
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.analysis.trace.events import Access, GuardKind
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, plain, substitute, symbols
from kernlint.tree.types import IntType

_IDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


def rounded_groups(found: Places, context: LaunchContext) -> Iterator[Overreach]:
    """``if (g < groups) x[row * n + 4 * g + k]`` where every launch passes ``(n + 3) / 4`` for ``groups``: the last
    group of a row has elements of the next one, or of nothing."""
    if not context.launches:
        return
    for access, places in found.items():
        for place in places:
            if place.row is None or place.row.constant is not None or place.limits or place.extra:
                continue
            for truth in truths(access.guards):
                times = _of_group(place, truth)
                if times and all(_rounds(view, place.row, truth, times) for view in context.launches):
                    if not _tested(access, place.row, truth, context):
                        why = f"the launch rounds it up to whole groups of {times}"
                        yield Overreach(access, Fault.GROUP, truth.guard, truth.part, place.row, times - 1, why)
                    break


def _of_group(place: Place, truth: Truth) -> int:
    """Elements to a group whose number ``truth`` is about, where the index goes through all of them; else 0."""
    own = {mono: -v for mono, v in truth.left.coefficients.items() if any(a.symbol in _moving(a) for a in mono)}
    mono, step = next(iter(own.items()), ((), 0))
    times = place.index.coefficients.get(mono, 0)
    if step != 1 or times < 2:
        return 0
    rest = place.index - number(times) * Polynomial(own)
    kinds = {symbol.kind for atom in rest.atoms for symbol in symbols(atom)}
    if kinds - {SymbolKind.COUNTER}:
        return 0
    ranges = counter_ranges(place.access)

    def bounds(symbol: Symbol) -> tuple[int | None, int | None]:
        return ranges.get(symbol, (0, None))

    return times if interval(term_of(rest), bounds) == (0, times - 1) else 0


def _moving(atom: object) -> frozenset[Symbol]:
    found = getattr(atom, "symbol", None)
    return frozenset({found}) if found is not None and found.kind in _IDS else frozenset()


def _rounds(view: LaunchView, row: Polynomial, truth: Truth, times: int) -> bool:
    """Whether a launch passes, as the number of groups, the row's length in groups of so many, rounded up."""
    images = dict(view.images)
    right = truth.part.args[1]
    groups = plain(substitute(right, images))
    of = cover(groups, view.checks)
    if of.kind is not Cover.ROUNDED_UP or of.count is None or of.unit is None or plain(of.unit).value != times:
        return False
    return polynomial(of.count) == in_host_terms(row, images)


def _tested(access: Access, row: Polynomial, truth: Truth, context: LaunchContext) -> bool:
    """Whether another test before the access speaks of the row's length, or of data."""
    mine = {s for atom in row.atoms for s in symbols(atom)}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            data = any(s.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.EXIT) for s in symbols(part))
            if part != truth.part and (data or mine & set(symbols(part))):
                return True
    return False


def repeated(found: Places) -> Iterator[Overreach]:
    """``for (; k < n; ++k) { ...; if (k < n) ahead = x[k + 1]; }``: a read one step ahead, behind a test that the loop
    has made already."""
    for access, places in found.items():
        if access.writes or not access.loops:
            continue
        said = {part for g in access.guards if g.kind is GuardKind.LOOP for part in conjuncts(g.term)}
        again = {p: g for g in access.guards if g.kind is not GuardKind.LOOP for p in conjuncts(g.term) if p in said}
        for place in places if again else ():
            best = place.limits[0] if place.limits else None
            if best is None or best.part not in again or best.slack < 0 or best.part.op != "lt" or best.unit != 1:
                continue
            if not place.extra and not _ends_of_ranges(place, found):
                why = "the test before the access says no more than the loop has said"
                yield Overreach(access, Fault.NEIGHBOUR, again[best.part], best.part, best.size, best.slack + 1, why)
                break


def _ends_of_ranges(place: Place, found: Places) -> bool:
    """Whether integers are read at the index and at the one before: offsets of ranges, of which there is one more."""
    root = place.access.root
    before = place.index - number(1)
    return isinstance(root.element, IntType) and any(
        other.index == before for access, each in found.items() if access.root is root for other in each
    )
