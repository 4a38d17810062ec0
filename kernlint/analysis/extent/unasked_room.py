"""Places that data choose in an array whose room the kernel is told, and does not ask for.

The host allocates ``capacity`` elements, passes the capacity, and launches over another count; the kernel stores at a
place out of memory (a number of a voxel, a rank in a sum) and has no use for the capacity.  Who passes it knows that
there may be more places than room.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, GuardKind, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import FunctionDecl, ParamDecl, Ref
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True, eq=False)
class Unasked:
    """An ``access`` at a place out of memory, in an array of as many elements as ``param`` says by the launch."""

    access: Access
    param: ParamDecl
    view: LaunchView


def _without_use(function: FunctionDecl) -> dict[str, ParamDecl]:
    """The integer parameters that the text of a kernel never names."""
    named = {id(node.decl) for node in walk(function.body) if isinstance(node, Ref)} if function.body else set()
    found = (p for p in function.params if isinstance(p.type, IntType) and p.type.bits > 8 and id(p) not in named)
    return {param.name: param for param in found if param.name and not param.implicit}


def _rooms(view: LaunchView, unused: dict[str, ParamDecl], sizes: dict[str, int]) -> dict[str, ParamDecl]:
    """By the name of an array, the unused parameter that says how many elements it has: not what the grid is made
    of, which says how many items there are."""
    found: dict[str, ParamDecl] = {}
    items = {s for size in (*(view.fact.grid or ()), *(view.fact.threads or ())) for s in symbols(size)}
    for name, extent in view.fact.extents:
        for passed, param in unused.items():
            value = view.fact.argument(passed)
            if not isinstance(value, Term) or name not in sizes or not symbols(value) or items & set(symbols(value)):
                continue
            if polynomial(plain(value)) * number(sizes[name]) == polynomial(extent):
                found[name] = param
    return found


def _place(access: Access) -> Symbol | None:
    """The number from memory that is the place of an access, but for a constant."""
    found = elements(access)
    form: Polynomial | None = None if found is None or found[1] else found[0]
    moving = [mono for mono in form.coefficients if mono] if form is not None else []
    if form is None or len(moving) != 1 or len(moving[0]) != 1 or form.coefficients[moving[0]] != 1:
        return None
    symbol = plain(moving[0][0]).symbol
    return symbol if symbol is not None and symbol.kind is SymbolKind.LOAD else None


def _compute(facts: Facts) -> tuple[Unasked, ...]:
    views = facts[launch_context].launches
    if not views or not any(view.fact.extents for view in views):
        return ()
    unused = _without_use(facts.function)
    if not unused:
        return ()
    of = facts[trace]
    arrays = [a for a in of.accesses if a.root.kind is RootKind.PARAM and a.root.space is Space.GLOBAL]
    sizes = {access.root.name: access.root.element.size or 0 for access in arrays}
    out: list[Unasked] = []
    rooms = [(view, _rooms(view, unused, sizes)) for view in views]
    for access in arrays:
        place = _place(access)
        if place is None:
            continue
        tests = (guard.term for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP)
        if any(place in symbols(test) for test in tests):
            continue
        view, room = next(((v, r[access.root.name]) for v, r in rooms if access.root.name in r), (None, None))
        if view is not None and room is not None:
            out.append(Unasked(access, room, view))
    return tuple(out)


unasked = KernelAnalysis("unasked", _compute, needs=(trace, launch_context))
"""Each :class:`Unasked` access of a kernel variant, in order of the walk."""
