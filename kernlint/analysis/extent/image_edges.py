"""Pixels of images that are written where no pixel is.

A write to an image outside of its sides is undefined (OpenCL C, image write functions); reads go through a sampler,
which says what they give there.  Two things are told: a coordinate that goes on with the threads of an axis along which
the launch is rounded up, as a launch in sight or a comment has it, where no test speaks of these threads; and one that
is more, by a number, than what is tested against the side of the same image.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, Rounded
from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.extent.said_at import nearest_said
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Root
from kernlint.analysis.trace.images import WIDEST
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK, THREAD, SymbolKind, Term, plain, symbols

SIDES = ("get_image_width", "get_image_height", "get_image_depth")
"""What asks for the sides of an image, by axis."""


@dataclass(frozen=True, slots=True, eq=False)
class BesideImage:
    """A write whose coordinate along ``side`` (0: x) leaves the image.  ``axis``: the axis of the launch that is
    rounded up, by ``view`` or ``said``; else ``guard``, after which it may be the side and ``more``."""

    access: Access
    side: int
    axis: int = 0
    view: LaunchView | None = None
    said: Rounded | None = None
    guard: Guard | None = None
    more: int = 0


def coordinates(access: Access) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The coordinates of which the place of a pixel is made (:data:`~kernlint.analysis.trace.images.WIDEST`)."""
    found: tuple[dict[Monomial, int], ...] = ({}, {}, {})
    for mono, value in polynomial(access.offset).coefficients.items():
        for digit in found:
            low = (value + WIDEST // 2) % WIDEST - WIDEST // 2
            value = (value - low) // WIDEST
            if low:
                digit[mono] = low
    return Polynomial(found[0]), Polynomial(found[1]), Polynomial(found[2])


def _grows(coordinate: Polynomial) -> int | None:
    """The axis with whose threads a coordinate goes on plainly: a sum of symbols times numbers."""
    axes = {axis for axis in range(3) if BLOCK[axis].term in coordinate.atoms}
    if len(axes) != 1 or any(atom.op != "sym" for atom in coordinate.atoms):
        return None
    return axes.pop() if all(value > 0 for mono, value in coordinate.coefficients.items() if mono) else None


def _side_of(term: Term, root: Root) -> int | None:
    """The axis of the side of an image that a term is."""
    term = plain(term)
    if term.op != "call" or term.args[0] not in SIDES or len(term.terms) != 1:
        return None
    of = plain(term.terms[0]).symbol
    return SIDES.index(term.args[0]) if of is not None and of.origin is root.decl else None


def _tests(access: Access) -> Iterator[tuple[Guard, int, Polynomial]]:
    """(test, axis, coordinate) of what is kept below a side of the image."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            side = _side_of(part.args[1], access.root) if part.op == "lt" else None
            if side is not None:
                yield guard, side, polynomial(part.args[0])


def _past_test(access: Access) -> BesideImage | None:
    every = coordinates(access)
    tests = list(_tests(access))
    for side, coordinate in enumerate(every):
        if _grows(coordinate) is None:
            continue
        own = [(guard, (coordinate - tested).constant) for guard, at, tested in tests if at == side]
        known = [(guard, more) for guard, more in own if more is not None]
        spoken = [guard for guard in access.guards if set(symbols(guard.term)) & _threads(coordinate)]
        if own and len(known) == len(own) and all(more > 0 for _, more in known):
            guard, more = min(known, key=lambda one: one[1])
            if all(_only_sides(one.term, access.root) for one in spoken):
                return BesideImage(access, side, guard=guard, more=more)
    return None


def _threads(coordinate: Polynomial) -> set[object]:
    kinds = (SymbolKind.THREAD, SymbolKind.BLOCK)
    return {s for atom in coordinate.atoms for s in symbols(atom) if s.kind in kinds}


def _only_sides(term: Term, root: Root) -> bool:
    """Whether a condition compares with sides of the image alone."""
    return all(
        _side_of(part.args[1], root) is not None for part in conjuncts(term) if part.op != "const" and part.terms
    )


def _in_surplus(access: Access, context: LaunchContext, said: tuple[Rounded, ...]) -> BesideImage | None:
    for side, coordinate in enumerate(coordinates(access)):
        axis = _grows(coordinate)
        if axis is None:
            continue
        own = {THREAD[axis], BLOCK[axis]}
        if any(own & set(symbols(g.term)) for g in access.guards if g.kind is not GuardKind.AFTER_LOOP):
            continue
        views = [view for view in context.launches if view.covers[axis].kind is Cover.ROUNDED_UP]
        if views and len(views) == len(context.launches):
            return BesideImage(access, side, axis, view=views[0])
        told = next((one for one in said if axis in one.axes), None)
        if told is not None and not context.launches:
            return BesideImage(access, side, axis, said=told)
    return None


def _compute(facts: Facts) -> tuple[BesideImage, ...]:
    writes = [access for access in facts[trace].images if access.writes]
    if not writes:
        return ()
    context: LaunchContext = facts[launch_context]
    said = nearest_said(facts, facts.options.rounded)
    found = (_in_surplus(access, context, said) or _past_test(access) for access in writes)
    return tuple(one for one in found if one is not None)


image_edges = KernelAnalysis("image_edges", _compute, needs=(trace, launch_context))
"""Each :class:`BesideImage` of a kernel variant, in order of the walk."""
