"""Items that a launch leaves out for what is added to their number, and a test that lets them through.

``run<<<(n - reach + 255) / 256, 256>>>(x, shift, n, reach)`` is made for ``n - reach`` items, since each looks
``shift[k]`` further, at most ``reach``; ``if (i < n) ... x[i + shift[k]]`` lets those of the last block through that
the launch has no need of.  The kernel is passed what the host takes away, and puts it to no use.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.unasked_room import passed, without_use
from kernlint.analysis.extent.wrong_guards.faults import in_host_terms
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace.events import Access, Guard
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl, ParamDecl


@dataclass(frozen=True, slots=True, eq=False)
class ShiftLeftOut:
    """An ``access`` at a place further on than the item that ``guard`` tests; ``view`` is made for as many items fewer
    as are passed as ``name``."""

    access: Access
    guard: Guard
    view: LaunchView
    param: ParamDecl
    name: str

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} further on than the item that is tested, for items of the "
            f"last block that the launch leaves out: it takes {self.name} away, and the test does not",
            [
                Related(self.guard.span, "surplus items pass this test"),
                Related(self.view.fact.span, f"this launch is made for {self.name} items fewer"),
                Related(self.param.span, f"{self.name} is passed and not used"),
            ],
            f"places reach as much as {self.name} further on, which the launch takes away for that",
            f"take {self.name} away in the test too",
        )


def _tests(access: Access, axis: int) -> Iterator[tuple[Guard, Polynomial, Polynomial]]:
    """(test, item, size) of what keeps the number of an item along an axis below a size."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op == "lt" and BLOCK[axis] in symbols(part.args[0]):
                yield guard, polynomial(part.args[0]), polynomial(part.args[1])


def _further(place: Place, item: Polynomial) -> bool:
    """Whether a place is the item and what memory says on top of it."""
    more = place.index - item
    kinds = {symbol.kind for atom in more.atoms for symbol in symbols(atom)}
    return SymbolKind.LOAD in kinds and not kinds & _IDS and all(value > 0 for value in more.coefficients.values())


def _of_memory(form: Polynomial) -> bool:
    return any(symbol.kind is SymbolKind.LOAD for atom in form.atoms for symbol in symbols(atom))


_IDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


def _of(mine: tuple[Place, ...], view: LaunchView, function: FunctionDecl) -> Iterator[ShiftLeftOut]:
    images = dict(view.images)
    for axis, of in enumerate(view.covers):
        if of.kind is not Cover.ROUNDED_UP or of.count is None:
            continue
        for place in mine:
            if any(not _of_memory(limit.most) for limit in place.limits):
                continue
            for guard, item, size in _tests(place.access, axis):
                if not _further(place, item):
                    continue
                less = in_host_terms(size, images) - polynomial(of.count)
                for name, param in without_use(function).items() if less.constant is None else ():
                    given = passed(view, name)
                    if isinstance(given, Term) and symbols(given) and polynomial(given) == less:
                        yield ShiftLeftOut(place.access, guard, view, param, name)


def _compute(facts: Facts) -> tuple[ShiftLeftOut, ...]:
    views = [one for one in facts[launch_context].launches if any(c.kind is Cover.ROUNDED_UP for c in one.covers)]
    every: Places = facts[places] if views else {}
    out: dict[object, ShiftLeftOut] = {}
    for mine in every.values():
        for view in views:
            for one in _of(mine, view, facts.function):
                out.setdefault(one.access.root, one)
    return tuple(out.values())


shift_left_out = KernelAnalysis("shift_left_out", _compute, needs=(places, launch_context))
"""A :class:`ShiftLeftOut` for each array of a kernel variant that has one."""
