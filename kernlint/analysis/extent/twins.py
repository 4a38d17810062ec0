"""What other kernels of a file do with the memory that a launch passes to this one.

Two launches that are given the same pointer and the same count are about one array.  Where another kernel keeps an
index below the count, and this one tests a thread's number against it and then multiplies the number, the array that
it thinks of is not the one that it is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.places import Place, Places, places, places_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import HostFacts, LaunchFact, host
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.trace.values import PointerValue
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Term, substitute, symbols
from kernlint.tree.types import Space

Bounds = dict[str, tuple[tuple[str, Polynomial, Access], ...]]
"""By kernel: (parameter, size, access) for each strict bound of a whole index."""


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """An access that gets to ``times`` the size that ``other``, in another kernel, is kept below; ``guard``: its own
    test."""

    place: Place
    guard: Guard
    size: Polynomial
    times: int
    other: Access
    launch: LaunchFact


def _shared(facts: ModuleFacts) -> bool:
    """Whether launches of two kernels are given one pointer."""
    found: HostFacts = facts[host]
    users: dict[int, set[str]] = {}
    for launch in found.launches:
        for _, value in launch.arguments:
            if isinstance(value, PointerValue):
                users.setdefault(id(value.root), set()).add(launch.name)
    return any(len(names) > 1 for names in users.values())


def _bounds(facts: ModuleFacts) -> Bounds:
    if len(facts.module.kernels) < 2 or not _shared(facts):
        return {}
    found: Bounds = {}
    for kernel, of in facts[kernel_traces].compared():
        bounds = []
        for access in of.accesses:
            if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL:
                mine = places_of(access)
                size = mine[0].bound if len(mine) == 1 else None
                if size is not None:
                    bounds.append((access.root.name, size, access))
        found[kernel.function.name] = tuple(bounds)
    return found


def _in_host_terms(size: Polynomial, launch: LaunchFact) -> Polynomial | None:
    term = term_of(size)
    images = {}
    for symbol in symbols(term):
        value = launch.argument(symbol.name)
        if not isinstance(value, Term):
            return None
        images[symbol] = value
    return polynomial(substitute(term, images))


def _scaled(place: Place) -> Iterator[tuple[Guard, Polynomial, int]]:
    """(test, size, times) of a number that is tested against a size and multiplied in the index."""
    for guard in place.access.guards:
        for part in conjuncts(guard.term):
            if part.op != "lt":
                continue
            tested, size = polynomial(part.args[0]), polynomial(part.args[1])
            if size.constant is not None or tested.constant is not None:
                continue
            mono, value = next((m, v) for m, v in tested.coefficients.items() if m)
            times = place.index.coefficients.get(mono, 0) // value
            rest = place.index - tested * number(times)
            if times > 1 and (rest.constant or 0) >= 0 and rest.constant is not None:
                yield guard, size, times


def _compute(facts: Facts) -> tuple[Twin, ...]:
    found: Places = facts[places]
    known: HostFacts = facts[host]
    out: list[Twin] = []
    for access, mine in found.items():
        if len(mine) != 1 or mine[0].limits:
            continue
        for guard, size, times in _scaled(mine[0]):
            for view in facts[launch_context].launches:
                own = view.fact.argument(access.root.name)
                total = _in_host_terms(size, view.fact)
                if isinstance(own, PointerValue) and total is not None:
                    bounds: Bounds = facts[module_bounds]  # walks all kernels: asked for when it may say something
                    other = _kept_elsewhere(own, access.root.element.size, total, view.fact, known, bounds)
                    if other is not None:
                        out.append(Twin(mine[0], guard, size, times, other, view.fact))
                        break
    return tuple(out)


def _kept_elsewhere(
    own: PointerValue, unit: int | None, total: Polynomial, mine: LaunchFact, known: HostFacts, bounds: Bounds
) -> Access | None:
    """An access of another kernel to the same memory that is kept below the same count."""
    for launch in known.launches:
        if launch.name == mine.name or launch.host is not mine.host:
            continue
        for name, size, access in bounds.get(launch.name, ()):
            value = launch.argument(name)
            same = isinstance(value, PointerValue) and value.root is own.root and value.offset == own.offset
            if same and access.root.element.size == unit and _in_host_terms(size, launch) == total:
                return access
    return None


module_bounds = ModuleAnalysis("module_bounds", _bounds, needs=(host, kernel_traces))
"""The strict bounds in every kernel of a file whose launches share memory."""

twins = KernelAnalysis("twins", _compute, needs=(places, launch_context, host, module_bounds))
"""Each :class:`Twin` of a kernel variant, in order."""
