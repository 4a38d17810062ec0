"""Launches that pass two sizes the wrong way round, as their own grid tells.

A grid has enough blocks along x for one size and along y for another; the kernel tests its index along x against what
is passed for the second, and its index along y against what is passed for the first.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, Term, plain, symbols
from kernlint.tree.nodes import ParamDecl


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """``view`` launches for ``counts`` along two axes and passes each for the size (``sizes``) that the kernel tests
    its index along the other one against, at ``places``."""

    view: LaunchView
    sizes: tuple[Symbol, Symbol]
    counts: tuple[Term, Term]
    places: tuple[Span, Span]

    @property
    def exchangeable(self) -> bool:
        """Whether they are arguments of their own: members of one object go together, and the grid is what is wrong."""
        return all(isinstance(s.origin, ParamDecl) and s.name == s.origin.name for s in self.sizes)


def _compute(facts: Facts) -> tuple[Crossed, ...]:
    found = []
    against: tuple[tuple[int, Symbol, Span], ...] | None = None
    for view in facts[launch_context].launches:
        counts = {
            axis: one.count
            for axis, one in enumerate(view.covers)
            if one.kind in (Cover.ROUNDED_UP, Cover.EXACT) and one.count is not None and one.unit is not None
        }
        for axis, blocks in enumerate(view.fact.grid or ()):
            if view.block[axis] == 1 and blocks.value is None:  # a block for each
                counts.setdefault(axis, blocks)
        pairs = [(a, b) for a in counts for b in counts if a < b]
        if not pairs:
            continue
        against = _against(facts[trace]) if against is None else against
        passed = {symbol: polynomial(image) for symbol, image in view.images} if against else {}
        tests: dict[int, dict[Polynomial, tuple[Symbol, Span]]] = {axis: {} for axis in counts}
        for axis, size, place in against:
            if axis in tests and size in passed:
                tests[axis].setdefault(passed[size], (size, place))
        for a, b in pairs:
            first, second = polynomial(counts[a]), polynomial(counts[b])
            one, other = tests[a].get(second), tests[b].get(first)
            if first != second and one and other and first not in tests[a] and second not in tests[b]:
                found.append(Crossed(view, (one[0], other[0]), (counts[a], counts[b]), (one[1], other[1])))
    return tuple(found)


def _against(kernel: Trace) -> tuple[tuple[int, Symbol, Span], ...]:
    """The arguments that the kernel tests its index along an axis against, each once with the first such test."""
    found: dict[tuple[int, Symbol], Span] = {}
    seen: set[int] = set()
    for guard in (guard for access in kernel.accesses for guard in access.guards):
        if id(guard) in seen:
            continue
        seen.add(id(guard))
        for part in conjuncts(guard.term):
            if part.op not in ("lt", "le") or not all(isinstance(arg, Term) for arg in part.args):
                continue
            size = plain(part.args[1]).symbol
            if size is None or (isinstance(size.origin, ParamDecl) and size.origin.implicit):
                continue  # the array brings it along: nobody passes it
            index = {s for s in symbols(part.args[0]) if s in BLOCK or s in THREAD}
            for axis in range(3) if index else ():
                if all(s in (BLOCK[axis], THREAD[axis]) for s in index):
                    found.setdefault((axis, size), guard.span)
    return tuple((axis, size, place) for (axis, size), place in found.items())


crossed_sizes = KernelAnalysis("crossed_sizes", _compute, needs=(trace, launch_context))
"""Each :class:`Crossed` launch of a kernel."""
