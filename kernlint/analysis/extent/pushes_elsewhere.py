"""Lists that a thread fills one by one under a test of their length in one kernel, and without one in another.

``if (c < MOST) list[i * MOST + c++] = j`` in one kernel of the file says that there may be more to list than a row has
room for; the other kernel that fills rows of as many elements of the same array, or a stack of the same name and size,
as far as data let it, asks nothing of the count but whether it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import ways
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols

List = tuple[str, int]
"""The name of an array, and the elements of a row of it, or of all of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Capped:
    """``kernel`` keeps the count at which it stores below the length of a list, by ``guard``."""

    kernel: str
    guard: Guard


@dataclass(frozen=True, slots=True, eq=False)
class Uncapped:
    """A store (``access``) at a count that nothing keeps below ``room``, as ``other`` does."""

    access: Access
    room: int
    other: Capped


def _push(access: Access) -> tuple[Symbol, int] | None:
    """(count, elements of a row) of a store at a variable of a loop in a row of a constant number of elements, or in an
    array of such."""
    place = element_of(access) if access.kind is AccessKind.WRITE else None
    if place is None:
        return None
    counts = [
        mono[0].symbol
        for mono, times in place.coefficients.items()
        if len(mono) == 1 and times == 1 and mono[0].symbol is not None and mono[0].symbol.kind is SymbolKind.PHI
    ]
    if len(counts) != 1 or counts[0] is None:
        return None
    rest = place - polynomial(counts[0].term)
    if access.root.kind is RootKind.VARIABLE:
        size, extent = access.root.element.size, access.root.extent
        return (counts[0], extent // size) if extent and size and _ahead(rest) else None
    pitches = {abs(times) for times in rest.coefficients.values()}
    if access.root.kind is not RootKind.PARAM or len(pitches) != 1 or () in rest.coefficients:
        return None
    return (counts[0], pitches.pop()) if _by_thread(rest) else None


def _ahead(rest: Polynomial) -> bool:
    """Whether a place lies at a count or further on, in some round of loops; one before it takes something's place."""
    steps = {mono: times for mono, times in rest.coefficients.items() if mono}
    symbols_ = [mono[0].symbol if len(mono) == 1 else None for mono in steps]
    rounds = all(symbol is not None and symbol.kind is SymbolKind.COUNTER for symbol in symbols_)
    return rounds and all(times > 0 for times in steps.values()) and (bool(steps) or rest.coefficients.get((), 0) >= 0)


def _by_thread(form: Polynomial) -> bool:
    kinds = {s.kind for atom in form.atoms for s in symbols(atom)}
    return bool(kinds & {SymbolKind.THREAD, SymbolKind.BLOCK}) and SymbolKind.PHI not in kinds


def _tests(term: Term, count: Symbol) -> Iterator[tuple[Polynomial, int]]:
    """What the parts of a condition keep a count below."""
    for part in conjuncts(term):
        slack = slack_of(part)
        if slack is not None and slack[0].coefficients.get((count.term,)) == -1:
            yield slack[0] + polynomial(count.term), slack[1]


def _compute(facts: ModuleFacts) -> dict[List, Capped]:
    found: dict[List, Capped] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            push = _push(access)
            for guard in access.guards if push is not None else ():
                if push is not None and any(
                    left.constant is not None and left.constant - strict == push[1] - 1
                    for left, strict in _tests(guard.term, push[0])
                ):
                    found.setdefault((access.root.name, push[1]), Capped(kernel.function.name, guard))
    return found


capped_pushes = ModuleAnalysis("capped_pushes", _compute, needs=(kernel_traces,))
"""The lists that kernels of a file fill under a test of their length."""


def _grows(count: Symbol) -> bool:
    """Whether some round makes a count larger by itself."""
    return count.step is not None and count.init is not None


def _by_data(access: Access) -> bool:
    """Whether data decide if a store is made, in a loop that data or arguments end."""
    conditions = [loop.condition for loop in access.loops if loop.condition is not None]
    free = (SymbolKind.LOAD, SymbolKind.PARAM, SymbolKind.PHI)
    plain = (guard for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP and guard.loop is None)
    data = any(s.kind is SymbolKind.LOAD for guard in plain for s in symbols(guard.term))
    return data and any(s.kind in free for condition in conditions for s in symbols(condition))


def _asked(of: Trace, access: Access, count: Symbol) -> bool:
    """Whether a condition asks how large a count is, other than whether it is 0 yet."""
    found = [way for end in (count.init, count.step) if end is not None for way in ways(end)]
    related = {count} | {s for form, _ in found for atom in form.atoms for s in symbols(atom)}
    counts = {symbol for symbol in related if symbol.kind is SymbolKind.PHI}
    terms = [guard.term for guard in access.guards] + [test.term for test in of.conditions]
    terms += [part for _, under in found for part in under]
    for loop in access.loops:
        terms += [term for term, _ in (*loop.exits, *loop.leaves)]
    for term in terms:
        for part in conjuncts(term):
            if counts & set(symbols(part)) and not _if_any(part, counts):
                return True
    return False


def _if_any(part: Term, counts: set[Symbol]) -> bool:
    """Whether a condition asks of counts only whether there is something yet: a comparison with 0, or less than 1."""
    if part.op in ("lor", "land", "lnot"):
        return all(_if_any(one, counts) or not counts & set(symbols(one)) for one in part.args)
    ends = [side.value for side in part.args] if part.op in ("lt", "le", "eq", "ne") else []
    return 0 in ends or (part.op in ("lt", "le") and 1 in ends)


def _of(facts: Facts) -> Iterator[Uncapped]:
    of = facts[trace]
    for access in of.accesses if not of.calls else ():
        push = _push(access)
        if push is None or not _grows(push[0]) or not _by_data(access) or _asked(of, access, push[0]):
            continue
        known: dict[List, Capped] = facts[capped_pushes]
        other = known.get((access.root.name, push[1]))
        if other is not None and other.kernel != facts.kernel.function.name:
            yield Uncapped(access, push[1], other)


pushes_elsewhere = KernelAnalysis("pushes_elsewhere", lambda facts: tuple(_of(facts)), needs=(trace, capped_pushes))
"""Each :class:`Uncapped` store of a kernel variant."""
