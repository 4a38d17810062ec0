"""What facts over integers say of the ranges of terms: narrowed forwards and backwards until nothing changes.

Made for host code: it is taken to compute without overflow, so that ``(n + 255) / 256 == 4`` says that n is from 769 to
1024, and ``min(n, 256) == 512`` that there is no such n.  Ranges are sound under that premise, and no more than ranges:
that no contradiction is found does not say that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import lru_cache

from kernlint.symbolic.apart import apart
from kernlint.symbolic.clamps import branches
from kernlint.symbolic.intervals import leading_zeros
from kernlint.symbolic.terms import Symbol, Term, negate
from kernlint.tree.types import IntType, Type

Range = tuple[int, int]

FAR = 1 << 200
"""Beyond all values of machine integers."""

EVERYTHING: Range = (-FAR, FAR)

ROUNDS = 12
"""Times that all facts are looked at."""


MANY = 12
"""Facts from which on those that have nothing to do with each other are looked at, and remembered, by themselves."""


class Contradiction(Exception):
    """No values satisfy the facts."""


def narrowed(facts: Iterable[Term], known: Mapping[Symbol, int]) -> Narrowing | None:
    """Ranges under which all ``facts`` are true and symbols have the values ``known``; None: there are none."""
    facts = tuple(facts)
    try:
        if known or len(facts) < MANY:
            return Narrowing(facts, known)
        groups = [_narrowed(group) for group in apart(facts)]
        return None if None in groups else Narrowing.joined(facts, [one for one in groups if one is not None])
    except Contradiction:
        return None
    except RecursionError:  # too deep to be told: everything is possible
        return Narrowing((), known)


@lru_cache(maxsize=4096)
def _narrowed(facts: tuple[Term, ...]) -> Narrowing | None:
    """The ranges of facts that others are asked about together with again, one call after the other."""
    try:
        return Narrowing(facts, {})
    except Contradiction:
        return None


def told(ranges: Narrowing, known: Mapping[Symbol, int], facts: tuple[Term, ...] = ()) -> Narrowing | None:
    """``ranges`` when symbols have the values ``known`` besides, and ``facts`` hold; None: there are none."""
    try:
        return ranges.told(known, facts)
    except Contradiction:
        return None
    except RecursionError:  # too deep to be told: everything is possible
        return ranges


class Narrowing:
    """Ranges of terms under ``facts``.  Making one raises :class:`Contradiction`."""

    def __init__(self, facts: tuple[Term, ...], known: Mapping[Symbol, int]) -> None:
        self.ranges: dict[Term, Range] = {}
        self.overflowing: set[Term] = set()
        self._current: dict[Term, Range] = {}
        """What :meth:`of` says of terms, as long as no range in them is narrowed."""
        self._changed: list[Term] = []
        """Terms whose ranges became narrower in the round."""
        self._denials: dict[Term, Term] = {}
        self._facts: tuple[Term, ...] = ()
        self._places: dict[Term, int] = {}
        """The place of each fact among all."""
        self._around: dict[Term, tuple[Term, ...]] = {}
        """The terms of which a term is an argument."""
        self._learn(facts)
        for symbol, value in known.items():
            self._meet(symbol.term, (value, value))
        self._settle(range(len(facts)))

    @classmethod
    def joined(cls, facts: tuple[Term, ...], parts: Iterable[Narrowing]) -> Narrowing:
        """The ranges of all ``facts`` by those of ``parts`` of them, of which none speaks of what another does."""
        whole = cls((), {})
        whole._facts = facts
        for at, fact in enumerate(facts):
            whole._places.setdefault(fact, at)
        for part in parts:
            whole.ranges.update(part.ranges)
            whole.overflowing |= part.overflowing
            whole._current.update(part._current)
            whole._denials.update(part._denials)
            whole._around.update(part._around)
        return whole

    def told(self, known: Mapping[Symbol, int], facts: tuple[Term, ...] = ()) -> Narrowing:
        """The ranges when symbols have the values ``known`` besides, and ``facts`` hold.  Raises
        :class:`Contradiction`."""
        more = copy(self)
        more.ranges, more.overflowing = dict(self.ranges), set(self.overflowing)
        more._current, more._changed = dict(self._current), []
        if facts:
            more._places, more._around = dict(self._places), dict(self._around)
            more._learn(facts)
        for symbol, value in known.items():
            more._meet(symbol.term, (value, value))
        new = range(len(self._facts), len(more._facts))
        more._settle(sorted({*more._touched(), *new}))
        return more

    def _learn(self, facts: tuple[Term, ...]) -> None:
        """Take down ``facts`` and how they are made."""
        todo: list[Term] = []
        for at, fact in enumerate(facts, len(self._facts)):
            self._places.setdefault(fact, at)  # the same fact a second time says nothing
            todo.append(fact)
        self._facts += facts
        seen: set[Term] = set()
        while todo:
            term = todo.pop()
            if term not in seen:
                seen.add(term)
                for arg in term.terms:
                    if arg.op == "const":
                        continue
                    around = self._around.get(arg, ())
                    if term not in around:
                        self._around[arg] = (*around, term)
                    todo.append(arg)

    def _settle(self, todo: Iterable[int]) -> None:
        """Narrow by the facts ``todo``, and by what is changed by that."""
        for _ in range(ROUNDS):
            self._changed.clear()
            for at in todo:
                fact = self._facts[at]
                self.of(fact)
                self._say(fact, True)
            if not self._changed:
                break
            todo = self._touched()

    def _touched(self) -> list[int]:
        """The facts that speak of what has changed: for all others nothing is new."""
        todo = list(self._changed)
        seen = set(todo)
        found = []
        while todo:
            term = todo.pop()
            at = self._places.get(term)
            if at is not None:
                found.append(at)
            for outer in self._around.get(term, ()):
                if outer not in seen:
                    seen.add(outer)
                    todo.append(outer)
        return sorted(found)

    def of(self, term: Term) -> Range:
        """The range of ``term``: computed from its parts, met with what is known of it as a whole."""
        if term.op == "const":
            value = term.args[0]
            return (value, value) if isinstance(value, int) else EVERYTHING
        if term.op == "sym":
            return self._known(term)
        current = self._current.get(term)
        if current is None:
            current = self._current[term] = self._met(term)
        return current

    def _met(self, term: Term) -> Range:
        found = self._known(term)
        raw = self._computed(term)
        if raw is not None:
            low, high = max(found[0], raw[0]), min(found[1], raw[1])
            if low > high:
                if not _meets(raw, *_range(term.type)):
                    self.overflowing.add(term)  # against the premise: nothing is made of it
                    return found
                raise Contradiction
            if (low, high) != found:
                self.ranges[term] = low, high
                self._changed.append(term)
            return low, high
        return found

    def _forget(self, term: Term) -> None:
        """Forget what :meth:`of` has said of ``term`` and of whatever it is a part of."""
        current, around = self._current, self._around
        current.pop(term, None)
        todo = [term]
        while todo:
            for outer in around.get(todo.pop(), ()):
                if current.pop(outer, None) is not None:  # else nothing is kept that was made of it
                    todo.append(outer)

    def value(self, term: Term) -> int | None:
        """The only value of ``term``, if there is but one."""
        low, high = self.of(term)
        return low if low == high else None

    # ------------------------------------------------------------------------------------------------- forwards

    def _known(self, term: Term) -> Range:
        known = self.ranges.get(term)
        if known is not None:
            return known
        low, high = _range(term.type)
        if term.op == "sym":
            symbol = term.args[0]
            low = low if symbol.low is None else max(low, symbol.low)
            high = high if symbol.high is None else min(high, symbol.high)
        return low, high

    def _computed(self, term: Term) -> Range | None:
        op, args = term.op, term.args
        if op == "call":
            return leading_zeros(term, self.of(args[1])) if len(args) == 2 else None
        if op == "select":
            return self._selected(self.of(args[0]), *branches(term, self.of))
        of = self.of
        if len(args) == 2:
            first, second = of(args[0]), of(args[1])
            made = _ARITHMETIC.get(op)
            if made is not None:
                if not isinstance(term.type, IntType):
                    return None
                return made(first, _downward(term, second) if op == "add" else second)
            if op in _COMPARISONS:
                return _compared(op, first, second)
            return _joined(op, _truth(first), _truth(second)) if op in ("land", "lor") else None
        parts = [of(arg) for arg in args]
        if op == "cast":
            return parts[0] if isinstance(term.type, IntType) and isinstance(args[0].type, IntType) else None
        if op == "lnot":
            return {True: (0, 0), False: (1, 1), None: (0, 1)}[_truth(parts[0])]
        return (-parts[0][1], -parts[0][0]) if op == "neg" and isinstance(term.type, IntType) else None

    @staticmethod
    def _selected(cond: Range, then: Range, other: Range) -> Range:
        truth = _truth(cond)
        if truth is not None:
            return then if truth else other
        return min(then[0], other[0]), max(then[1], other[1])

    # ------------------------------------------------------------------------------------------------ backwards

    def _meet(self, term: Term, wanted: Range) -> Range:
        known = self._known(term)
        low, high = max(known[0], wanted[0]), min(known[1], wanted[1])
        if low > high:
            raise Contradiction
        if (low, high) != known:
            self.ranges[term] = low, high
            self._changed.append(term)
            self._forget(term)
        return low, high

    def _say(self, fact: Term, truth: bool) -> None:
        """``fact`` is true, or false."""
        op = fact.op
        if op == "lnot":
            self._say(fact.args[0], not truth)
        elif op in ("land", "lor"):
            a, b = fact.args
            if truth is (op == "land"):
                self._say(a, truth)
                self._say(b, truth)
            elif _truth(self.of(a)) is (not truth):
                self._say(b, truth)
            elif _truth(self.of(b)) is (not truth):
                self._say(a, truth)
        elif op in ("lt", "le", "eq", "ne"):
            if op in ("eq", "ne"):  # ranges have no holes: that two terms differ is kept as the truth of the comparison
                denial = self._denials.get(fact)
                if denial is None:
                    denial = self._denials[fact] = negate(fact)
                for one, holds in ((fact, truth), (denial, not truth)):
                    self._meet(one, (int(holds), int(holds)))
            self._compare(*_normal(op, fact.args[0], fact.args[1], truth))
        elif op == "const":
            if bool(fact.args[0]) is not truth:
                raise Contradiction
        elif not truth:
            self._ask(fact, (0, 0))
        else:
            low, high = self.of(fact)
            self._ask(fact, (1 if low == 0 else low, -1 if high == 0 else high))

    def _compare(self, op: str, a: Term, b: Term) -> None:
        (a_low, a_high), (b_low, b_high) = self.of(a), self.of(b)
        if op == "eq":
            self._ask(a, (b_low, b_high))
            self._ask(b, self.of(a))
        elif op == "ne":
            for one, (low, high), (other_low, other_high) in (
                (a, (a_low, a_high), (b_low, b_high)),
                (b, (b_low, b_high), (a_low, a_high)),
            ):
                if other_low == other_high:
                    self._ask(one, (low + (low == other_low), high - (high == other_low)))
        else:
            strict = int(op == "lt")
            self._ask(a, (a_low, b_high - strict))
            self._ask(b, (self.of(a)[0] + strict, b_high))

    def _ask(self, term: Term, wanted: Range) -> None:
        """``term`` is in the range ``wanted``."""
        if term.op == "const":
            value = term.args[0]
            if isinstance(value, int) and not wanted[0] <= value <= wanted[1]:
                raise Contradiction
            return
        low, high = self._meet(term, wanted)
        back = _BACK.get(term.op)
        if back is not None and isinstance(term.type, IntType) and term not in self.overflowing:
            back(self, term, low, high)

    def _back_sum(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        c, d = _downward(term, self.of(b))
        self._ask(a, (low - d, high - c))
        if b.op != "const":
            e, f = self.of(a)
            self._ask(b, (low - f, high - e))

    def _back_difference(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        c, d = self.of(b)
        self._ask(a, (low + c, high + d))
        e, f = self.of(a)
        self._ask(b, (e - high, f - low))

    def _back_product(self, term: Term, low: int, high: int) -> None:
        for one, other in (term.args, term.args[::-1]):
            c, d = self.of(other)
            if c > 0:
                bottom = -(-low // d) if low > 0 else -(-low // c)
                top = high // c if high >= 0 else high // d
                self._ask(one, (bottom, top))

    def _back_quotient(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        c, d = self.of(b)
        if c > 0:
            bottom = low * c if low > 0 else low * d - (d - 1)
            top = high * d + d - 1 if high >= 0 else high * c
            self._ask(a, (bottom, top))

    def _back_shift(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        if b.value is None or not 0 <= b.value < 64:
            return
        unit = 1 << b.value
        if term.op == "shr":
            self._ask(a, (low * unit, high * unit + unit - 1))
        else:
            self._ask(a, (-(-low // unit), high // unit))

    def _back_remainder(self, term: Term, low: int, high: int) -> None:
        a, unit = term.args[0], self.value(term.args[1])
        if unit is not None and term.op == "and":
            unit = unit + 1 if unit >= 0 and unit & (unit + 1) == 0 else None
        if unit is None or unit < 1:
            return
        start, end = self.of(a)
        if low == high and start >= 0:  # the first and the last that leave this remainder
            self._ask(a, (start + (low - start) % unit, end - (end - low) % unit))
        elif start >= 0 and end < unit:
            self._ask(a, (low, high))

    def _back_least(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        for one, other in ((a, b), (b, a)):
            top = high if self.of(other)[0] > high else FAR
            self._ask(one, (low, top))

    def _back_most(self, term: Term, low: int, high: int) -> None:
        a, b = term.args
        for one, other in ((a, b), (b, a)):
            bottom = low if self.of(other)[1] < low else -FAR
            self._ask(one, (bottom, high))

    def _back_cast(self, term: Term, low: int, high: int) -> None:
        if isinstance(term.args[0].type, IntType):
            self._ask(term.args[0], (low, high))

    def _back_negative(self, term: Term, low: int, high: int) -> None:
        self._ask(term.args[0], (-high, -low))

    def _back_choice(self, term: Term, low: int, high: int) -> None:
        cond, then, other = term.args
        known = _truth(self.of(cond))
        if known is None:
            if not _meets(self.of(then), low, high):
                known = False
            elif not _meets(self.of(other), low, high):
                known = True
            if known is not None:
                self._say(cond, known)
        if known is not None:
            self._ask(then if known else other, (low, high))

    def _back_truth(self, term: Term, low: int, high: int) -> None:
        if low > 0 or high < 1:
            self._say(term, low > 0)


_BACK: dict[str, Callable[[Narrowing, Term, int, int], None]] = {
    "add": Narrowing._back_sum,
    "sub": Narrowing._back_difference,
    "mul": Narrowing._back_product,
    "div": Narrowing._back_quotient,
    "shr": Narrowing._back_shift,
    "shl": Narrowing._back_shift,
    "mod": Narrowing._back_remainder,
    "and": Narrowing._back_remainder,
    "min": Narrowing._back_least,
    "max": Narrowing._back_most,
    "cast": Narrowing._back_cast,
    "neg": Narrowing._back_negative,
    "select": Narrowing._back_choice,
    **dict.fromkeys(("lt", "le", "eq", "ne", "land", "lor", "lnot"), Narrowing._back_truth),
}


_COMPARISONS = frozenset({"lt", "le", "eq", "ne"})

_ranges: dict[tuple[int, bool], Range] = {}
"""The values of machine integers, by their bits and whether they are signed."""


def _range(type_: Type) -> Range:
    if not isinstance(type_, IntType):
        return EVERYTHING
    key = type_.bits, type_.signed
    known = _ranges.get(key)
    if known is None:
        known = _ranges[key] = type_.low, type_.high
    return known


def _meets(one: Range, low: int, high: int) -> bool:
    return one[0] <= high and low <= one[1]


def _truth(one: Range) -> bool | None:
    return True if one[0] > 0 or one[1] < 0 else False if one == (0, 0) else None


def _compared(op: str, a: Range, b: Range) -> Range:
    if op == "lt":
        return (1, 1) if a[1] < b[0] else (0, 0) if a[0] >= b[1] else (0, 1)
    if op == "le":
        return (1, 1) if a[1] <= b[0] else (0, 0) if a[0] > b[1] else (0, 1)
    same, apart = a[0] == a[1] == b[0] == b[1], not _meets(a, *b)
    if op == "ne":
        same, apart = apart, same
    return (1, 1) if same else (0, 0) if apart else (0, 1)


def _joined(op: str, a: bool | None, b: bool | None) -> Range:
    decided = op == "lor"
    if decided in (a, b):
        return int(decided), int(decided)
    return (0, 1) if None in (a, b) else (int(not decided), int(not decided))


def _normal(op: str, a: Term, b: Term, truth: bool) -> tuple[str, Term, Term]:
    """The comparison that is true where this one is as ``truth`` says."""
    if truth:
        return op, a, b
    if op in ("eq", "ne"):
        return ("ne" if op == "eq" else "eq"), a, b
    return ("le" if op == "lt" else "lt"), b, a


def _downward(term: Term, of: Range) -> Range:
    """The second summand of an unsigned sum: ``x - 1`` is kept as ``x + (2**bits - 1)``."""
    kind, low = term.type, of[0]
    if isinstance(kind, IntType) and not kind.signed and low == of[1] and low >> (kind.bits - 1):
        return low - (1 << kind.bits), low - (1 << kind.bits)
    return of


def _multiplied(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _divided(a: Range, b: Range) -> Range | None:
    if b[0] <= 0:  # by whatever is not 0, nothing grows
        most = max(-a[0], a[1])
        return -most, most
    corners = [abs(x) // y * (-1 if x < 0 else 1) for x in a for y in b]
    if a[0] <= 0 <= a[1]:
        corners.append(0)
    return min(corners), max(corners)


def _remaining(a: Range, b: Range) -> Range | None:
    if b[0] <= 0:  # what is left of a number has its sign
        return min(a[0], 0), max(a[1], 0)
    if a[0] == a[1] and b[0] == b[1]:
        value = abs(a[0]) % b[0] * (-1 if a[0] < 0 else 1)
        return value, value
    if a[0] < 0:
        return 1 - b[1], b[1] - 1
    return a if a[1] < b[0] else (0, min(a[1], b[1] - 1))


def _shifted(a: Range, b: Range) -> Range | None:
    if not 0 <= b[0] <= b[1] < 64:
        return None
    return min(a[0] << b[0], a[0] << b[1]), max(a[1] << b[0], a[1] << b[1])


def _shifted_back(a: Range, b: Range) -> Range | None:
    return (a[0] >> b[0], a[1] >> b[0]) if b[0] == b[1] and 0 <= b[0] < 64 else None


def _masked(a: Range, b: Range) -> Range | None:
    if a[0] == a[1] and b[0] == b[1]:
        return a[0] & b[0], a[0] & b[0]
    return (0, min(a[1], b[1])) if a[0] >= 0 and b[0] >= 0 else None


_ARITHMETIC: dict[str, Callable[[Range, Range], Range | None]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _multiplied,
    "div": _divided,
    "mod": _remaining,
    "shl": _shifted,
    "shr": _shifted_back,
    "and": _masked,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
}
