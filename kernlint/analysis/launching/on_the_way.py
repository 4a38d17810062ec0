"""Values of a launch as they are where it is made.

A function that fails early joins, where it ends, the ways of failure and of success, and its caller goes on with the
latter alone: of ``failed ? 0 : padded`` there is only ``padded`` left under the check ``!failed``.  What a way has left
uninitialised nobody uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from kernlint.analysis.trace.events import Guard
from kernlint.analysis.trace.values import NEVER_SET, PointerValue, StructValue, Value
from kernlint.symbolic.terms import SymbolKind, Term, binary, const, negate, replaced, select, subterms, with_parts
from kernlint.tree.types import IntType

ROUNDS = 3
"""How often checks are read anew with what others have told."""

MOST = 64
"""Truths of one launch that are taken apart."""


class OnTheWay:
    """What the checks before a launch leave of values that rest on conditions.  ``named``: terms that have a name of
    their own, also in the checks."""

    def __init__(self, guards: Iterable[Guard], named: Mapping[Term, Term] = MappingProxyType({})) -> None:
        self._named = named
        self._true: set[Term] = set()
        self._guards = [guard.term for guard in guards]
        self._ready = False
        self._memo: dict[Term, Term] = {}

    def value(self, value: Value) -> Value:
        """A number, a pointer or a structure as it is there."""
        if isinstance(value, Term):
            return self.term(value)
        if isinstance(value, PointerValue):
            offset = self.term(value.offset)
            return value if offset is value.offset else value.moved(offset)
        if isinstance(value, StructValue):
            fields = tuple((name, self.value(part)) for name, part in value.fields)
            same = all(a[1] is b[1] for a, b in zip(fields, value.fields, strict=True))
            return value if same else StructValue(value.type, fields)
        return value

    def term(self, term: Term) -> Term:
        """A number as it is there."""
        if not term.terms:
            return term
        if self._named:
            term = replaced(term, self._named)
        known = self._memo.get(term)
        if known is None:
            known = self._memo[term] = self._left(term)
        return known

    def size(self, term: Term) -> Term:
        """A size of a grid or a block: where one side of a condition makes it none, and nothing is launched, it is what
        the other side makes it."""
        term = self.term(term)
        some = _made_some(term)
        return term if some is None else self.size(some)

    def _left(self, term: Term) -> Term:
        if term.op == "select":
            cond, then, other = term.args
            if _never_set(then) or _never_set(other):
                return self.term(other if _never_set(then) else then)
            decided = self._decided(cond)
            if decided is not None:
                return self.term(then if decided else other)
            first, second = self.term(then), self.term(other)
            same = first is then and second is other
            return term if same else select(cond, first, second, term.type)
        return with_parts(term, tuple(map(self.term, term.terms)))

    def _decided(self, cond: Term) -> bool | None:
        if not self._ready:
            self._ready = True
            for _ in range(ROUNDS):
                known = len(self._true)
                for guard in self._guards:
                    self._take(guard)
                if len(self._true) == known:
                    break
        return self._truth(cond)

    def _truth(self, cond: Term) -> bool | None:
        if cond.value is not None:
            return bool(cond.value)
        cond = _of_zero(cond)
        if cond in self._true:
            return True
        if negate(cond) in self._true:
            return False
        if cond.op in ("land", "lor"):
            sides = [self._truth(part) for part in cond.args]
            settles = cond.op == "lor"
            if settles in sides:
                return settles
            return None if None in sides else not settles
        return None

    def _take(self, truth: Term) -> None:
        if len(self._true) >= MOST:
            return
        if truth.op == "land":
            for part in truth.args:
                self._take(part)
        elif truth.op == "lor" and False in (sides := [self._truth(part) for part in truth.args]):
            self._take(truth.args[1 - sides.index(False)])
        elif truth.op == "select" and any(part.value == 0 for part in truth.args[1:]):
            cond, then, other = truth.args
            self._take(negate(cond) if then.value == 0 else cond)
            self._take(other if then.value == 0 else then)
        else:
            self._true.add(_of_zero(truth))


def _of_zero(cond: Term) -> Term:
    """A condition; a status that is compared with zero is so in whatever type of no fewer bits."""
    if cond.op not in ("eq", "ne") or cond.args[1].value != 0:
        return cond
    asked = cond.args[0]
    while asked.op == "cast" and isinstance(asked.type, IntType) and _bits(asked.args[0]) <= asked.type.bits:
        asked = asked.args[0]
    if asked is cond.args[0] or not isinstance(asked.type, IntType):
        return cond
    return binary(cond.op, asked, const(0, asked.type), cond.type)


def _bits(term: Term) -> int:
    return term.type.bits if isinstance(term.type, IntType) else MOST_BITS


MOST_BITS = 1 << 10
"""More bits than a number has."""


@lru_cache(maxsize=256)
def _made_some(term: Term) -> Term | None:
    """A size as the one side of the first condition makes it of which the other makes it none; None: there is none.
    Launches in a row are made of the same sizes."""
    for part in dict.fromkeys(part for part in subterms(term) if part.op == "select"):
        for way, other in (part.args[1:], part.args[:0:-1]):
            if way.value is not None and (made := replaced(term, {part: way}).value) is not None and made <= 0:
                return replaced(term, {part: other})
    return None


def _never_set(term: Term) -> bool:
    symbol = term.symbol
    return symbol is not None and symbol.kind is SymbolKind.UNKNOWN and symbol.name.startswith(NEVER_SET)
