"""Groups of elements that are cut off at the end of a row along one axis, and taken whole along the other.

``wx = 2 * x + 1 < w ? 2 : 1`` before the loops over ``in[(2 * y + dy) * w + 2 * x + dx]``: who asks whether the last
group of a row is whole knows of sizes that are odd.  The groups along the other axis are made in the same way, of as
many elements; nothing asks for their end, and a number that the kernel is passed is put to no use.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.unasked_room import without_use
from kernlint.analysis.trace.events import Access, LoopContext
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import ParamDecl

_CLIPS = frozenset({"select", "min"})


@dataclass(frozen=True, slots=True, eq=False)
class Unclipped:
    """An ``access`` to groups of ``size`` elements along two axes, of which ``clipped`` ends those along one with the
    row; ``unused``: the number that the kernel has no use for."""

    access: Access
    size: int
    clipped: LoopContext
    unused: ParamDecl
    name: str

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} in groups of {self.size} along two axes: those along one "
            f"end with the row, and those along the other go on, and {self.name} is put to no use",
            [
                Related(self.clipped.span, "this loop ends with the row"),
                Related(self.unused.span, f"{self.name} is not used"),
            ],
            "the extent along the other axis is no multiple either, as is asked for the one",
            f"end the groups along the other axis at {self.name} too",
        )


def _group(place: Place) -> tuple[Polynomial, LoopContext, Term] | None:
    """(first element, loop, how many) of a group of elements that a loop goes through side by side."""
    for loop in place.access.loops:
        test = loop.condition
        counted = place.index.coefficients.get((loop.counter.term,)) == 1
        if not counted or test is None or test.op != "lt" or plain(test.args[0]).symbol is not loop.counter:
            continue
        if not (loop.post_tested or loop.exits or loop.leaves):
            return place.index - polynomial(loop.counter.term), loop, plain(test.args[1])
    return None


def _most(count: Term) -> int | None:
    """How many elements a group has that is cut off somewhere: the largest of the two numbers that are chosen of, or
    the one that something else is held down to."""
    found = [plain(part).value for part in (count.args[1:] if count.op == "select" else count.args)]
    numbers = [value for value in found if value is not None]
    if count.op == "select":
        return max(numbers) if len(numbers) == 2 and min(numbers) < max(numbers) else None
    return numbers[0] if len(numbers) == 1 else None


def _speaks_of(count: Term, first: Polynomial) -> bool:
    """Whether what a group is cut off by is made of its first element, and of an argument."""
    found = set(symbols(count))
    own = {symbol for atom in first.atoms for symbol in symbols(atom)}
    return bool(own) and own <= found and any(symbol.kind is SymbolKind.PARAM for symbol in found - own)


def _made(first: Polynomial) -> list[tuple[int, str]]:
    """How a first element is made, whatever the axis."""
    return sorted(
        (value, str(sorted(symbol.kind.name for atom in mono for symbol in symbols(atom))))
        for mono, value in first.coefficients.items()
    )


def _of(mine: tuple[Place, ...]) -> Iterator[tuple[Access, int, LoopContext]]:
    found = [(place, group) for place in mine if (group := _group(place)) is not None]
    for place, (first, _, count) in found:
        size = count.value
        if size is None or size < 2 or place.limits:
            continue
        for _, (other, loop, cut) in found:
            alike = cut.op in _CLIPS and _most(cut) == size and _made(first) == _made(other)
            if alike and first != other and _speaks_of(cut, other):
                yield place.access, size, loop


def _compute(facts: Facts) -> tuple[Unclipped, ...]:
    every: Places = facts[places]
    out: list[Unclipped] = []
    for mine in every.values():
        one = next(_of(mine), None) if len(mine) > 1 and len(mine[0].access.loops) > 1 else None
        unused = without_use(facts.function) if one is not None else {}
        if one is not None and len(unused) == 1:
            ((name, param),) = unused.items()
            out.append(Unclipped(*one, param, name))
    return tuple({one.access.root: one for one in reversed(out)}.values())


clipped_beside = KernelAnalysis("clipped_beside", _compute, needs=(places,))
"""An :class:`Unclipped` for each array of a kernel variant that has one."""
