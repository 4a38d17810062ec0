"""Probes of a table that begin at a remainder by its size, and go on one by one with nothing to bring them back.

``slot = hash % capacity; while (atomicCAS(&keys[slot], EMPTY, key) != key) ++slot;``: what begins near the end of the
table goes on behind it.  How long a search gets is for data to say; a loop that counts its rounds may know of room.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import chosen
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, LoopContext, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.EXIT})


@dataclass(frozen=True, slots=True, eq=False)
class Onward:
    """An access at a remainder by ``size``, and as many places on as a search, the ``loop``, takes."""

    access: Access
    size: Term
    loop: LoopContext

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        size = words(self.size)
        return Told(
            f"{element(self.access)} is {verb(self.access)} behind the last of {size} places where a search goes on "
            "past it: it begins at a remainder, and nothing brings it back to the start",
            (),
            f"the table has {size} places, as the remainder has it",
            f"take the next place modulo {size} too",
        )


def _remainder(form: Polynomial) -> tuple[Term, Term] | None:
    """(remainder, size) of a place that is a remainder of data by a size, and a sum of counters."""
    atoms = [(mono[0], value) for mono, value in form.coefficients.items() if len(mono) == 1]
    rests = [(atom, plain(atom)) for atom, value in atoms if value == 1 and plain(atom).op == "mod"]
    if len(rests) != 1 or len(atoms) != len(form.coefficients):
        return None
    atom, rest = rests[0]
    size: Term = rest.args[1]
    others = [other for other, _ in atoms if other is not atom]
    counters = all(other.symbol is not None and other.symbol.kind is SymbolKind.COUNTER for other in others)
    data = any(symbol.kind in _DATA for symbol in symbols(rest.args[0]))
    return (atom, size) if len(others) == 1 and counters and data and chosen(size) else None


def _searches(loop: LoopContext) -> bool:
    """Whether data alone end a loop."""
    ends = loop.left_by
    ends += [loop.condition] if loop.condition is not None else []
    return not any(loop.counter in symbols(term) for term in ends) and any(
        symbol.kind in _DATA for term in ends for symbol in symbols(term)
    )


def _of(access: Access) -> Onward | None:
    found = elements(access)
    rest = _remainder(found[0]) if found is not None else None
    if found is None or rest is None:
        return None
    mine = set(symbols(rest[0]))
    loop = next((one for one in access.loops if (one.counter.term,) in found[0].coefficients), None)
    if loop is None or found[0].coefficients[loop.counter.term,] < 0 or not _searches(loop):
        return None
    asked = {symbol for guard in access.guards for symbol in symbols(guard.term) if symbol.kind is not SymbolKind.PARAM}
    own = {s for s in mine if s.kind in _DATA} | {loop.counter}
    sizes = set(symbols(rest[1]))
    held = any(own & set(symbols(g.term)) and sizes & set(symbols(g.term)) for g in access.guards)
    return None if held or loop.counter in asked else Onward(access, rest[1], loop)


def _compute(facts: Facts) -> tuple[Onward, ...]:
    out: dict[LoopContext, Onward] = {}
    for access in facts[trace].accesses:
        root = access.root
        if root.kind is RootKind.PARAM and root.space is Space.GLOBAL and access.loops:
            one = _of(access)
            if one is not None:
                out.setdefault(one.loop, one)
    return tuple(out.values())


onward = KernelAnalysis("onward", _compute, needs=(trace,))
"""An :class:`Onward` for each loop of a kernel variant that has one, in order of the walk."""
