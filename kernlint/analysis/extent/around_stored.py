"""Windows around a place that another kernel of the file has found, of which only the far end is tested.

``best[w] = make_int2(c, r)`` with ``r`` and ``c`` counted from 0, and ``row = best[w].y - 4 + threadIdx.y; if (row <
rows) v = a[row * cols + col]``: where the place is found less than 4 from the start, the window begins before it.
What may be stored is a number that a loop begins with, or a count from 0 of a loop or of threads.

Silent where several kernels store to the array, where anything else is asked of the number from it, and where what is
stored begins at the margin or further on, or is not understood.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import ways
from kernlint.analysis.extent.ends import coordinates, tested_forms
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, Root, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import IntType

STEPS = 16
"""Values that are looked at to find the least that is stored."""

_FROM_0 = frozenset({SymbolKind.COUNTER, SymbolKind.THREAD, SymbolKind.BLOCK})
_SIZES = frozenset({SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})

Field = tuple[str, int]
"""The name of an array, and the byte in an element of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """``kernel`` stores a place by ``store`` that is ``least`` or more, and may be that."""

    kernel: str
    store: Access
    least: int


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """An access at a coordinate that is so much (``margin``) before a place that is ``found``, and only ``tested`` at
    its far end."""

    access: Access
    tested: Guard
    found: Found
    margin: int
    below = True

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that may be negative: it begins "
            f"{self.margin} before a place that {self.found.kernel} counts from {self.found.least}",
            [
                Related(self.found.store.span, "the place is stored here"),
                Related(self.tested.span, "only the far end is tested"),
            ],
            f"a place is found less than {self.margin} from the start",
            "test that the coordinate is not negative too",
        )


def _least(form: Polynomial, guards: tuple[Guard, ...]) -> int | None:
    """The least value of a sum that is counted from a number; None where that is not known."""
    for mono, times in form.coefficients.items():
        for atom in mono:
            symbol = atom.symbol
            if symbol is None or symbol.kind not in _FROM_0 | _SIZES or times < 0:
                return None
            if symbol.kind in _FROM_0 and any(_from_below(part, symbol) for g in guards for part in conjuncts(g.term)):
                return None
        if mono and not any(atom.symbol is not None and atom.symbol.kind in _FROM_0 for atom in mono):
            return None
    return form.coefficients.get((), 0)


def _from_below(part: Term, symbol: Symbol) -> bool:
    """Whether a test may keep a number from being 0."""
    if symbol not in symbols(part):
        return False
    return part.op not in ("lt", "le") or symbol in symbols(part.args[1])


def _least_of(value: Term, guards: tuple[Guard, ...]) -> int | None:
    """The least place that a value may be, of those that it is chosen from; None where one is not understood."""
    least: int | None = None
    todo, seen = [value], 0
    known: set[Symbol] = set()
    while todo:
        for form, _ in ways(todo.pop()):
            seen += 1
            symbol = next(iter(form.atoms)).symbol if len(form.coefficients) == 1 and form.atoms else None
            if symbol is not None and symbol.kind is SymbolKind.PHI and form == polynomial(symbol.term):
                if symbol not in known:
                    known.add(symbol)
                    todo += [end for end in (symbol.init, symbol.step) if end is not None]
                continue
            one = _least(form, guards)
            if one is None or one < 0 or seen > STEPS:
                return None
            least = one if least is None else min(least, one)
    return least


def _compute(facts: ModuleFacts) -> dict[Field, Found]:
    found: dict[Field, Found] = {}
    writers: dict[str, set[int]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if not access.writes or access.root.kind is not RootKind.PARAM:
                continue
            writers.setdefault(access.root.name, set()).add(id(access))
            size = access.root.element.size
            if access.kind is not AccessKind.WRITE or access.value is None or not size or access.size is None:
                continue
            value = access.value
            parts = value.terms if value.op == "call" and value.args[0] == "struct" else (value,)
            begin = polynomial(access.offset).coefficients.get((), 0) % size
            for at, part in enumerate(parts):
                least = _least_of(plain(part), access.guards) if isinstance(plain(part).type, IntType) else None
                if least is not None:
                    place = begin + at * (access.size // len(parts))
                    found.setdefault((access.root.name, place), Found(kernel.function.name, access, least))
    return {key: one for key, one in found.items() if len(writers[key[0]]) == 1}


stored_places = ModuleAnalysis("stored_places", _compute, needs=(kernel_traces,))
"""By arrays that one kernel of the file stores to, once, what the least place is that it leaves there."""


def _before(form: Polynomial) -> tuple[Symbol, Root, int, int] | None:
    """(number from memory, its array, byte in an element, margin) of a coordinate that begins before a stored place."""
    margin = -form.coefficients.get((), 0)
    data: list[Symbol] = []
    for mono, times in form.coefficients.items():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if symbol is not None and symbol.kind is SymbolKind.LOAD and times == 1:
            data.append(symbol)
        elif mono and (symbol is None or symbol.kind not in (SymbolKind.COUNTER, SymbolKind.THREAD) or times < 0):
            return None
    origin = data[0].origin if len(data) == 1 else None
    if margin <= 0 or not isinstance(origin, tuple) or not isinstance(origin[0], Root):
        return None
    root, size = origin[0], origin[0].element.size
    if root.kind is not RootKind.PARAM or not size:
        return None
    return data[0], root, polynomial(origin[1]).coefficients.get((), 0) % size, margin


def _of(facts: Facts) -> Iterator[Around]:
    for access in facts[trace].accesses:
        if not access.guards or access.root.kind is not RootKind.PARAM:
            continue
        for one in coordinates(access, tested_forms(access)):
            form, guard = one.moving + one.fixed, one.high.guard
            begun = _before(form) if guard is not None and not one.low.kept else None
            if begun is None or guard is None:
                continue
            symbol, root, byte, margin = begun
            if _asked(access, form, symbol):
                continue
            known: dict[Field, Found] = facts[stored_places]
            found = known.get((root.name, byte))
            if found is not None and found.least < margin and found.kernel != facts.kernel.function.name:
                yield Around(access, guard, found, margin)
                return


def _asked(access: Access, form: Polynomial, symbol: Symbol) -> bool:
    """Whether a guard asks more of a number from memory than whether a coordinate is below its end, or keeps what is
    added to it from being 0."""
    added = {s for atom in form.atoms for s in symbols(atom) if s is not symbol}
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.loop is None else ():
            if part.op in ("lt", "le") and polynomial(part.args[0]) == form:
                continue
            if symbol in symbols(part) or any(_from_below(part, one) for one in added):
                return True
    return False


around_stored = KernelAnalysis("around_stored", lambda facts: tuple(_of(facts)), needs=(trace, stored_places))
"""An :class:`Around` access of a kernel variant, the first one."""
