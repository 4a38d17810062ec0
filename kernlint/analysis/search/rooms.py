"""How large sizes may be that loops over arrays in shared memory go up to: as large as the arrays have room for.

``for (i = tid; i < n; i += threads) tile[i] = x[i];`` over a ``tile`` of 256 elements says that ``n`` is at most 256:
more would leave the array, which is a fault of another kind, and most often the host sees to it that it does not
happen.  Where threads meet only with a greater ``n`` nobody wrote a race, in the tile or in rows of global memory.
The first part of dynamic shared memory is as large as the place at which the second one begins says.  So do arguments
in the address itself (``tile[threadIdx.x + radius]``) leave room for the last thread of a block.  Margins of a range
do not overlap (:mod:`~.margins`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import reduce

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.search.margins import margins
from kernlint.analysis.trace.events import Access, LoopContext, Root, Trace
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    plain,
    symbols,
)
from kernlint.tree.types import BOOL, I64, IntType, Space

MOST = 40
"""Accesses in loops that are looked at."""

_SIZES = frozenset({SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.TEMPLATE})

ARGUMENTS = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE})


class Rooms:
    """What the arrays of one kernel say of its sizes."""

    def __init__(self, of: Trace) -> None:
        self._of = of
        self._found: tuple[Term, ...] | None = None
        self._narrow: frozenset[Symbol] = frozenset()

    def said(self, mentioned: Iterable[Symbol]) -> tuple[Term, ...]:
        """The truths about sizes of which one symbol at least is ``mentioned``."""
        if self._found is None:
            apart = dict(margins(self._of))
            self._found = tuple(dict.fromkeys((*_limits(self._of), *apart)))
            self._narrow = frozenset(symbol for wide in apart.values() for symbol in wide)
        if not self._found:
            return ()
        known = set(mentioned)
        return tuple(limit for limit in self._found if not known.isdisjoint(limit.symbols))

    def narrow(self, mentioned: Iterable[Symbol]) -> tuple[Symbol, ...]:
        """Those ``mentioned`` that say how wide a margin is."""
        known = tuple(mentioned)
        return tuple(s for s in known if s in self._narrow) if self.said(known) else ()

    def passed(self, mentioned: Iterable[Symbol]) -> tuple[Term, ...]:
        """That pointers of which a kernel asks whether they are null are not, where it uses them without having asked
        as well."""
        asked = {s for s in mentioned if s.kind is SymbolKind.PARAM and isinstance(s.origin, Root)}
        return tuple(
            binary("ne", symbol.term, const(0, I64), BOOL) for symbol in asked if _used_anyhow(self._of, symbol)
        )


def _used_anyhow(of: Trace, address: Symbol) -> bool:
    """Whether there is an access behind a pointer that hangs on no test of it."""
    return any(
        access.root is address.origin and not any(address in guard.term.symbols for guard in access.guards)
        for access in of.accesses
    )


def _limits(of: Trace) -> Iterator[Term]:
    looked, seen = 0, set[object]()
    for access in of.accesses:
        extent = access.root.extent
        if access.root.space is not Space.SHARED or looked >= MOST:
            continue
        looked += bool(access.loops)
        if extent is None and not access.loops:
            continue
        known = (id(access.root), access.offset, access.size, access.guards, access.loops)
        if known in seen:
            continue
        seen.add(known)
        place = polynomial(access.offset)
        if extent is not None:
            yield from _of_last_thread(access, place, extent)
        if not access.loops:
            continue
        if extent is None:
            yield from _of_first_part(of, access, place)
            continue
        for loop in access.loops:
            for part in conjuncts(loop.condition) if loop.condition is not None else ():
                step = _step(place, part, loop)
                if step:
                    most = (extent - max(access.size or 1, 1)) // step + int(part.op == "lt")
                    size = cast(part.args[1], I64)
                    yield binary("le", size, const(most, I64), BOOL)
                    yield binary("le", const(0, I64), size, BOOL)  # as it is one


def _of_last_thread(access: Access, place: Polynomial, extent: int) -> Iterator[Term]:
    """What a fixed array says of the arguments that are added to the numbers of threads in it (``tile[threadIdx.x +
    radius]``): that the last thread of a block that gets there stays inside.  Tests that ask for more than a thread's
    number against a constant are taken to let it through, those that ask for the arguments to see to it."""
    added, others = [], Polynomial({})
    tests = [guard.term for guard in access.guards]
    for mono, value in place.coefficients.items():
        thread = mono[0].symbol if len(mono) == 1 else None
        if thread in THREAD and value > 0:
            last = _last(THREAD.index(thread), tests)
            if last is None:
                return
            added.append(binary("mul", last, const(value, I64), I64))
        elif (value < 0 and mono) or not all(_given(symbol) for atom in mono for symbol in atom.symbols):
            return
        else:
            others = others + Polynomial({mono: value})
    given = {symbol for mono in others.coefficients for atom in mono for symbol in atom.symbols}
    if not given or not added or any(not given.isdisjoint(test.symbols) for test in tests):
        return
    highest = reduce(lambda a, b: binary("add", a, b, I64), added, term_of(others))
    yield binary("le", highest, const(extent - max(access.size or 1, 1), I64), BOOL)


def _given(symbol: Symbol) -> bool:
    return symbol.kind in ARGUMENTS and symbol.uniformity <= Uniformity.GRID


def _last(axis: int, tests: Iterable[Term]) -> Term | None:
    """The number of the last thread along an axis that tests of numbers in the block let through; None where they ask
    in another way than below which constant it is."""
    last = binary("sub", cast(BLOCK_DIM[axis].term, I64), const(1, I64), I64)
    for test in tests:
        asked = set(test.symbols)
        if THREAD[axis] not in asked or not asked <= _IN_BLOCK:
            continue
        if test.op != "lt" or plain(test.args[0]).symbol is not THREAD[axis] or test.args[1].value is None:
            return None
        last = binary("min", last, const(test.args[1].value - 1, I64), I64)
    return last


_IN_BLOCK = frozenset({*THREAD, *BLOCK_DIM})


def _of_first_part(of: Trace, access: Access, place: Polynomial) -> Iterator[Term]:
    """What a loop over the first of two parts of an array says that data count: no more than what fits before the
    second one, which begins where arguments say."""
    begins = {begin(polynomial(other.offset)) for other in of.accesses if other.root is access.root}
    later = [one for one in begins if one]
    if begin(place) or len(later) != 1:
        return
    end = term_of(Polynomial(dict(later[0])))
    for loop in access.loops:
        for part in conjuncts(loop.condition) if loop.condition is not None else ():
            step = _step(place, part, loop)
            size = cast(part.args[1], I64)
            if step and any(symbol.kind is SymbolKind.LOAD for symbol in size.symbols):
                last = binary("sub", size, const(int(part.op == "lt"), I64), I64)
                yield binary("lt", binary("mul", last, const(step, I64), I64), end, BOOL)
                yield binary("le", const(0, I64), size, BOOL)


def begin(place: Polynomial, kinds: Collection[SymbolKind] = ARGUMENTS) -> frozenset[tuple[Monomial, int]]:
    """Where the part of an array begins that a place is in: what arguments (or symbols of other kinds) alone add."""
    return frozenset(
        (mono, value)
        for mono, value in place.coefficients.items()
        if mono and all(symbol.kind in kinds for atom in mono for symbol in atom.symbols)
    )


def _step(place: Polynomial, test: Term, loop: LoopContext) -> int:
    """Bytes between two places whose numbers a loop counts up to a size by; 0 where it does not."""
    if test.op not in ("lt", "le") or not all(isinstance(arg.type, IntType) for arg in test.args):
        return 0
    size = list(symbols(test.args[1]))
    if not size or not all(symbol.kind in _SIZES and symbol.uniformity <= Uniformity.BLOCK for symbol in size):
        return 0
    counted = polynomial(test.args[0]).coefficients
    monos = [mono for mono in counted if mono]
    if not any(loop.counter in atom.symbols for mono in monos for atom in mono):
        return 0
    ratios = {divmod(place.coefficients.get(mono, 0), counted[mono]) for mono in monos}
    if len(ratios) != 1:
        return 0
    ((step, rest),) = ratios
    others = (value for mono, value in place.coefficients.items() if mono not in counted)
    return step if rest == 0 and step > 0 and all(value >= 0 for value in others) else 0
