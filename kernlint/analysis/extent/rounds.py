"""Loops that go through a count of items in rounds of several: the last round may have fewer items than the others."""

from __future__ import annotations

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.extent.places import Place, chosen, moves
from kernlint.analysis.trace.events import LoopContext
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import BLOCK_DIM, SymbolKind, symbols

IN_ROUND = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER})
"""What tells the items of one round apart."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop that goes on while the first element of a round is below a count of items: ``head`` is that element, of
    ``times`` elements an item, and ``mono`` what of it the loop's counter is in; ``rounded``: the kernel itself rounds
    the count up to whole rounds."""

    count: Polynomial
    head: Polynomial
    mono: Monomial
    times: int
    rounded: bool

    def of(self, index: Polynomial) -> bool:
        """Whether an index goes on as the rounds do."""
        return index.coefficients.get(self.mono) == self.head.coefficients[self.mono]


def rounds_of(place: Place, loop: LoopContext) -> Rounds | None:
    """The rounds of a loop in steps that goes on while its variable, or the number of a tile, is below a count, where
    the index of ``place`` is the first element of the round and something more that moves."""
    if loop.condition is None or loop.post_tested or loop.exits or loop.leaves:
        return None
    counter, index = loop.counter.term, place.index
    for part in conjuncts(loop.condition):
        if part.op != "lt" or not chosen(part.args[1]):
            continue
        tested = polynomial(part.args[0])
        monos = [mono for mono in tested.coefficients if counter in mono]
        if len(monos) != 1 or not _in_steps(monos[0], index):
            continue
        factor, left = divmod(index.coefficients[monos[0]], tested.coefficients[monos[0]])
        rounded = cover(part.args[1])
        unit = rounded.unit.value if rounded.unit is not None else None
        up = rounded.kind is Cover.ROUNDED_UP and rounded.count is not None and bool(unit) and factor % (unit or 1) == 0
        if up and rounded.count is not None and unit:
            count, times = polynomial(rounded.count), factor // unit
        else:
            count, times = polynomial(part.args[1]), factor
        head = number(factor) * tested
        rest = {mono: value for mono, value in (index - head).coefficients.items() if mono}
        if left or factor < 1 or times < 1 or any(value % times for value in rest.values()):
            continue
        inside = {s.kind for mono in rest for atom in mono for s in symbols(atom)}
        moving = any(moves(atom) for mono in rest for atom in mono) and not any(counter in mono for mono in rest)
        if moving and (len(tested.coefficients) == 1 or inside <= IN_ROUND):
            return Rounds(count, head, monos[0], times, up)
    return None


def _in_steps(mono: Monomial, index: Polynomial) -> bool:
    """Whether a loop's counter makes an index go on by more than one element at a time."""
    step = index.coefficients.get(mono, 0)
    return step > 1 or (step == 1 and any(atom.symbol in BLOCK_DIM for atom in mono))
