"""How far an access gets in the last rounds of loops, with arguments as large as the host lets them be."""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.reals import Reals, put_in
from kernlint.analysis.trace.events import Access, GuardKind, LoopContext
from kernlint.prove.query import Actor, Refuted
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, symbols

Env = dict[Symbol, int]

MOST = 4096
"""Numbers beyond are no sizes of arrays, but what a grid or a type may hold, unless the array itself is as large, or a
part of them (one bit of a word for each) makes a place near its end."""

NEAR = 2
"""Times the length of an array, and no more, is a number that is compared with it."""

LAST = 8
"""Iterations at the end of a loop that are looked at."""

FIRST: Env = {**dict.fromkeys((*THREAD, *BLOCK), 0), **dict.fromkeys((*BLOCK_DIM, *GRID_DIM), 1)}
"""The first thread of the first block."""

FEW = 64
"""Rounds of a loop that are made one by one; of more the last is searched for by halves."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A variable that each round of a loop adds ``step`` to, ``first`` at the beginning; ``rounds``: how many there
    have been."""

    first: Term
    step: Term
    rounds: Symbol


@dataclass(frozen=True, slots=True)
class Reach:
    """How far an access gets in the last rounds of ``loops``, with arguments in floating point as ``reals`` says;
    ``open_``: large values of arguments that nothing holds down, such as how many items there are."""

    access: Access
    place: Term
    extent: int
    loops: Mapping[Symbol, LoopContext]
    sums: Mapping[Symbol, Sum]
    reals: Reals
    open_: Env

    def last(self, values: Env) -> Refuted | None:
        """The last iterations of the loops, the arguments being as given."""
        at = dict(values)
        for symbol, loop in sorted(self.loops.items(), key=lambda item: item[0].serial):
            rounds = self._rounds(loop, at)
            if rounds is None or rounds <= int(symbol.kind is SymbolKind.COUNTER) - 1:
                return None
            at[symbol] = rounds - int(symbol.kind is SymbolKind.COUNTER)
            if at[symbol] < 0:
                return None
        for symbol, one in sorted(self.sums.items(), key=lambda item: item[0].serial):
            begin, step = (evaluate(put_in(term, self.reals), at) for term in (one.first, one.step))
            if begin is None or step is None:
                return None
            at[symbol] = begin + step * at[one.rounds]
        inner = max((s for s in self.loops if s.kind is SymbolKind.COUNTER), key=lambda s: s.serial, default=None)
        place, size = put_in(self.place, self.reals), self.access.size or 1
        large = any(value > MOST for symbol, value in values.items() if symbol.kind is SymbolKind.PARAM)
        most = self.extent * (NEAR - 1) if large and self.extent < size * MOST else size * MOST
        for back in range(min(LAST, at[inner] + 1) if inner is not None else 1):
            here = at if inner is None else at | {inner: at[inner] - back}
            last = evaluate(place, here)
            if last is None or not self.extent < last + size <= self.extent + most or not self._met(here):
                continue
            counters = tuple((s, value) for s, value in here.items() if s.kind is SymbolKind.COUNTER)
            trips = tuple((s, value) for s, value in here.items() if s.kind is SymbolKind.TRIPS)
            x, y, z = (values.get(symbol, 0) for symbol in THREAD)
            first = Actor((0, 0, 0), (x, y, z), last, counters, trips)
            passed = tuple((s, value) for s, value in values.items() if s.kind is SymbolKind.PARAM)
            passed += tuple((s, round(value)) for s, value in self.reals.items() if value == round(value))
            x, y, z = (values.get(symbol, 1) for symbol in BLOCK_DIM)
            return Refuted((x, y, z), (1, 1, 1), passed, first, extent=self.extent)
        return None

    def _rounds(self, loop: LoopContext, at: Mapping[Symbol, int]) -> int | None:
        assert loop.condition is not None
        condition = put_in(loop.condition, self.reals)
        most, low, step = max(MOST, *at.values()) if at else MOST, -1, 1
        while True:
            count = min(low + step, most)
            holds = evaluate(condition, {**at, loop.counter: count})
            if holds is None or (holds != 0 and count == most):
                return None
            if holds == 0 and step == 1:
                return count
            if holds == 0:
                step //= 2
            else:
                low, step = count, 1 if count < FEW else step * 2

    def _met(self, here: Mapping[Symbol, int]) -> bool:
        """Whether the tests before an access that speak of what decides its place hold."""
        for guard in self.access.guards:
            first = {guard.loop.counter: 0} if guard.kind is GuardKind.LOOP and guard.loop is not None else {}
            for part in conjuncts(put_in(guard.term, self.reals)):
                found = set(symbols(part))
                over = guard.kind is GuardKind.AFTER_LOOP  # that a loop ended says nothing of what comes behind it
                if over and any(symbol.kind is SymbolKind.TRIPS and symbol not in here for symbol in found):
                    continue
                value = evaluate(part, {**first, **here}) if found & here.keys() else 1
                if value is None and not any(symbol.kind is SymbolKind.LOAD for symbol in found):
                    value = evaluate(part, {**FIRST, **self.open_, **first, **here})
                if value == 0 or (value is None and not any(symbol.kind is SymbolKind.LOAD for symbol in found)):
                    return False
        return True
