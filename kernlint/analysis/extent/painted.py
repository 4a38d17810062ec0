"""Squares and balls that a thread paints around its own place, as wide as data say, over the rim of the grid.

``for (dy = -r; dy <= r; ++dy) for (dx = -r; dx <= r; ++dx) out[(y + dy) * w + x + dx] = 1;`` with a radius ``r`` from
memory is before the start for the first thread, whatever the radius.  Silent where a test speaks of the place, but to
keep the thread itself below a size, and where launches leave a rim: data alone, which say where to paint and how far,
know of none.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.before_start import moved, shifted
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, LoopContext, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, divided, number
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms
from kernlint.tree.types import IntType

_PLACES = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """A store at places around that of a thread, as far away as data say in ``loop``."""

    access: Access
    loop: LoopContext

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} around a thread's own place, as far away as data say: "
            "nothing keeps it from being negative for the first threads, or past the end for the last",
            [Related(self.loop.condition_span or self.loop.span, "the loop goes as far as data say, to both sides")],
            "there are elements to paint around at the rim",
            "test each coordinate against 0 and its size",
        )


def _radius(loop: LoopContext) -> Term | None:
    """The number ``r`` from data of a loop from -r to r: its counter goes up to ``2 * r``."""
    parts = list(conjuncts(loop.condition)) if loop.condition is not None and not loop.post_tested else []
    slack = slack_of(parts[0]) if len(parts) == 1 else None
    if slack is None or loop.left_by or slack[0].coefficients.get((loop.counter.term,)) != -1:
        return None
    rest = slack[0] + Polynomial({(loop.counter.term,): 1}) - number(slack[0].coefficients.get((), 0))
    ((mono, times), *more) = rest.coefficients.items() or (((), 0),)
    if more or times != 2 or len(mono) != 1 or not isinstance(mono[0].type, IntType) or not _of_data(mono[0]):
        return None
    return mono[0]


def _read(term: Term) -> bool:
    """Whether a term is a number from memory, or from an image."""
    if term.op == "call":
        return str(term.args[0]).startswith("read_image")
    return term.symbol is not None and term.symbol.kind is SymbolKind.LOAD


def _of_data(term: Term) -> bool:
    return any(map(_read, subterms(term)))


def _own_place(term: Term) -> bool:
    """Whether a term speaks of a thread's place otherwise than by what is read there."""
    todo = [term]
    while todo:
        at = todo.pop()
        if _read(at):
            continue
        if at.symbol is not None and at.symbol.kind in _PLACES:
            return True
        todo += at.terms
    return False


def _keeps_below(part: Term) -> bool:
    """Whether a truth keeps a thread's place below something, and says nothing of where it begins."""
    slack = slack_of(part)
    if slack is None:
        return False
    mine = {mono: by for mono, by in slack[0].coefficients.items() if any(map(_own_place, mono))}
    simple = all(atom.symbol is not None for mono in mine for atom in map(plain, mono))
    counted = any(s.kind is SymbolKind.COUNTER for mono in slack[0].coefficients for a in mono for s in a.symbols)
    return simple and not counted and all(by < 0 for by in mine.values())


def _along(form: Polynomial, loop: LoopContext, radius: Term) -> bool:
    """Whether a loop counts one coordinate of a place from ``radius`` before a thread's own to as much behind it."""
    mine = [mono for mono in form.coefficients if loop.counter.term in mono]
    pitch = divided(mine[0], (loop.counter.term,)) if len(mine) == 1 else None
    if pitch is None:
        return False
    times = form.coefficients[mine[0]]
    begin = [mono for mono in form.coefficients if radius in mono and divided(mono, (radius,)) is not None]
    back = any(divided(mono, (radius,)) == pitch and form.coefficients[mono] == -times for mono in begin)
    places = [_left(mono, pitch) for mono, by in form.coefficients.items() if by == times]
    return back and all(any(_is_place(left, kind) for left in places) for kind in _PLACES)


def _left(mono: Monomial, pitch: Monomial) -> Monomial:
    return divided(mono, pitch) or ()


def _is_place(left: Monomial, kind: SymbolKind) -> bool:
    """Whether a product is the number of a thread in its block, or of a block times its size."""
    kinds = [atom.symbol.kind for atom in map(plain, left) if atom.symbol is not None]
    others = [one for one in kinds if one is not kind]
    return len(kinds) == len(left) and kind in kinds and all(one is SymbolKind.BLOCK_DIM for one in others)


def _of(access: Access) -> LoopContext | None:
    found = elements(access) if access.kind is not AccessKind.READ and access.root.kind is RootKind.PARAM else None
    radii = [(loop, radius) for loop in access.loops if (radius := _radius(loop)) is not None]
    if found is None or len(radii) < 2 or not all(_along(found[0], *one) for one in radii):
        return None
    loops = [loop for loop, _ in radii]
    for guard in access.guards:
        if guard.kind is GuardKind.AFTER_LOOP or (guard.kind is GuardKind.LOOP and guard.loop in loops):
            continue
        if any(_own_place(part) and not _keeps_below(part) for part in conjuncts(guard.term)):
            return None
    return loops[0]


def _compute(facts: Facts) -> Iterator[Painted]:
    seen: set[Root] = set()
    context = facts[launch_context]
    for access in facts[trace].accesses:
        loop = _of(access) if len(access.loops) > 1 and access.root not in seen else None
        if loop is not None and not shifted(context, access) and not any(moved(context, axis) for axis in range(3)):
            seen.add(access.root)
            yield Painted(access, loop)


painted = KernelAnalysis("painted", lambda facts: tuple(_compute(facts)), needs=(trace, launch_context))
"""A :class:`Painted` for each array of a kernel variant that has one."""
