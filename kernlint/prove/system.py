"""Polynomials over numbered variables with bounds and facts, and the one question asked of them: is this >= 0?

A polynomial is a dict from monomials (sorted tuples of variable numbers, with repetition) to non-zero integers.
Everything here is about mathematical integers; what may wrap is the translator's concern.

Reasons for ``p >= 0``, tried in this order:

* private variables, last first, are replaced by their bounds (a lower one where the coefficient is positive, an
  upper one where it is negative), then shared ones by their constant bounds;
* ``p - m * f >= 0`` for a known fact ``f >= 0`` and a monomial ``m`` of non-negative variables, chosen so that a
  negative monomial of ``p`` cancels.  Scaling rounds: for integers ``a * p + (a - 1) >= 0`` implies ``p >= 0``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from kernlint.symbolic.polynomial import divided

Monomial = tuple[int, ...]
Poly = dict[Monomial, int]

MAX_MONOMIALS = 160
"""Polynomials that grow beyond this are given up."""


class GivenUp(Exception):
    """A budget of the algebra is spent."""


def constant(value: int) -> Poly:
    """The polynomial of one number."""
    return {(): value} if value else {}


def add(p: Poly, q: Poly, factor: int = 1) -> Poly:
    """``p + factor * q``."""
    out = dict(p)
    for mono, value in q.items():
        total = out.get(mono, 0) + factor * value
        if total:
            out[mono] = total
        else:
            out.pop(mono, None)
    return out


def multiply(p: Poly, q: Poly) -> Poly:
    """``p * q``; raises :class:`GivenUp` when it has too many monomials."""
    if len(p) == 1 and () in p:
        return scale(q, p[()])
    if len(q) == 1 and () in q:
        return scale(p, q[()])
    out: Poly = {}
    for a, x in p.items():
        for b, y in q.items():
            mono = tuple(sorted(a + b)) if a and b else a or b
            total = out.get(mono, 0) + x * y
            if total:
                out[mono] = total
            else:
                del out[mono]
    if len(out) > MAX_MONOMIALS:
        raise GivenUp
    return out


def scale(p: Poly, factor: int) -> Poly:
    """``factor * p``."""
    if factor == 1:
        return p
    return {mono: value * factor for mono, value in p.items()} if factor else {}


def split(p: Poly, mono: Monomial, factor: int) -> tuple[Poly, Poly]:
    """(A, B) with ``p = factor * mono * A + B``, monomial by monomial."""
    quotient: Poly = {}
    rest: Poly = {}
    for m, value in p.items():
        left = divided(m, mono) if value % factor == 0 else None
        if left is None:
            rest[m] = value
        else:
            quotient[left] = value // factor
    return quotient, rest


def _increase(p: Poly, mono: Monomial, value: int) -> None:
    total = p.get(mono, 0) + value
    if total:
        p[mono] = total
    else:
        p.pop(mono, None)


class System:
    """Variables with bounds, substitutions and facts.

    ``lows``/``tops``: constant bounds (None: none).  ``highs``: an upper bound that may be a polynomial in other
    variables.  ``order``: the private variables; a bound of one mentions only shared ones and earlier ones.
    """

    __slots__ = ("_memo", "_negative", "facts", "highs", "images", "lows", "order", "shared", "steps", "tops")

    def __init__(self, steps: int) -> None:
        self.lows: list[int | None] = []
        self.tops: list[int | None] = []
        self.highs: list[Poly | None] = []
        self.shared: list[bool] = []
        self.order: list[int] = []
        self.images: dict[int, Poly] = {}
        self.facts: list[Poly] = []
        self.steps = steps
        self._memo: dict[tuple[frozenset[tuple[Monomial, int]], int], bool] = {}
        self._negative: dict[int, list[tuple[Monomial, int]]] = {}

    # -- building ----------------------------------------------------------------------------------------------------

    def variable(
        self,
        shared: bool,
        low: int | None = None,
        top: int | None = None,
        high: Poly | None = None,
        before: int | None = None,
    ) -> int:
        """A new variable; a private one stands last in the order, or just before the variable ``before``."""
        index = len(self.lows)
        self.lows.append(low)
        self.tops.append(top)
        self.highs.append(high)
        self.shared.append(shared)
        if not shared:
            self.order.insert(len(self.order) if before is None else self.order.index(before), index)
        return index

    def fact(self, p: Poly) -> None:
        """Learn ``p >= 0``."""
        if p and not (len(p) == 1 and p.get((), -1) >= 0) and p not in self.facts:
            self.facts.append(p)
            self._memo.clear()

    def substitute(self, var: int, image: Poly) -> None:
        """Replace ``var`` by ``image`` everywhere; its bounds become facts about the image."""
        low, top, high = self.lows[var], self.tops[var], self.highs[var]
        image = self.apply(image)
        step = {var: image}
        self.images = {v: _replaced(p, step) for v, p in self.images.items()}
        self.images[var] = image
        if var in self.order:
            self.order.remove(var)
        facts = {frozenset(f.items()): f for f in (_replaced(f, step) for f in self.facts)}
        self.facts = [f for f in facts.values() if any(f) or f.get((), 0) < 0]
        self.highs = [None if h is None else _replaced(h, step) for h in self.highs]
        self._memo.clear()
        self._negative.clear()
        learnt = [] if low is None else [add(image, constant(-low))]
        if high is not None:
            learnt.append(add(self.apply(high), image, -1))
        elif top is not None:
            learnt.append(add(constant(top), image, -1))
        for fact in learnt:
            if not self.plain(fact):
                self.fact(fact)

    def apply(self, p: Poly) -> Poly:
        """``p`` under the substitutions made so far."""
        images = self.images
        if not images or not any(var in images for mono in p for var in mono):
            return p
        return _replaced(p, images)

    def tighten(self) -> None:
        """Sharpen the constant bounds of variables by the facts; give private ones their upper bounds."""
        for _ in range(2):
            for fact in self.facts:
                self._tighten(fact)
        for fact in self.facts:
            for mono, value in fact.items():
                if value == -1 and len(mono) == 1:
                    var = mono[0]
                    if not self.shared[var] and self.highs[var] is None and self._earlier(fact, var):
                        self.highs[var] = add(fact, {mono: 1})
        self._memo.clear()

    def _earlier(self, fact: Poly, var: int) -> bool:
        at = self.order.index(var) if var in self.order else -1
        return all(
            self.shared[v] or (v in self.order and self.order.index(v) < at) or (v == var and m == (var,))
            for m in fact
            for v in m
        )

    def _tighten(self, fact: Poly) -> None:
        bounds = {mono: self._most(mono, value) for mono, value in fact.items()}
        missing = [mono for mono, most in bounds.items() if most is None]
        if len(missing) > 1:
            return
        total = sum(most for most in bounds.values() if most is not None)
        for mono, value in fact.items():
            if len(mono) != 1 or (missing and missing[0] != mono):
                continue
            rest = total - (bounds[mono] or 0)  # value * var >= -rest
            var = mono[0]
            low, top = self.lows[var], self.tops[var]
            if value > 0:
                bound = -(rest // value)
                if low is None or bound > low:
                    self.lows[var] = bound
            else:
                bound = rest // -value
                if top is None or bound < top:
                    self.tops[var] = bound

    def _most(self, mono: Monomial, value: int) -> int | None:
        """Greatest value of ``value * mono``, or None."""
        for var in mono:
            low = self.lows[var]
            if len(mono) > 1 and (low is None or low < 0):
                return None
            bound = self.tops[var] if value > 0 else low
            if bound is None:
                return None
            value *= bound
        return value

    # -- asking ------------------------------------------------------------------------------------------------------

    def positive(self, mono: Monomial) -> bool:
        """Whether every variable of ``mono`` is known to be >= 0."""
        for var in mono:
            low = self.lows[var]
            if low is None or low < 0:
                return False
        return True

    def lower(self, p: Poly) -> Poly | None:
        """A lower bound of ``p`` without private variables, or None."""
        for var in reversed(self.order):
            hit = [mono for mono in p if var in mono]
            rounds = 0
            while hit:
                rounds += 1
                bounded = self._without_variable(p, hit, var) if rounds < 5 else None
                if bounded is None:
                    return None
                p = bounded
                hit = [mono for mono in p if var in mono]
        return p

    def _without_variable(self, p: Poly, hit: list[Monomial], var: int) -> Poly | None:
        """``p`` with one ``var`` of each monomial of ``hit`` replaced by its bound; None when a sign is open."""
        low, high = self.lows[var], self.highs[var]
        if high is None and self.tops[var] is not None:
            high = constant(self.tops[var] or 0)
        out = dict(p)
        for mono in hit:
            del out[mono]
        for mono in hit:
            value = p[mono]
            at = mono.index(var)
            rest = mono[:at] + mono[at + 1 :]
            if rest and not self.positive(rest):
                return None
            if value > 0:
                if low is None:
                    return None
                if low:
                    _increase(out, rest, value * low)
            elif high is None:
                return None
            else:
                for other, weight in high.items():
                    product = tuple(sorted(rest + other)) if rest and other else rest or other
                    _increase(out, product, value * weight)
        return out

    def plain(self, p: Poly) -> bool:
        """Whether the constant bounds of the variables alone make ``p >= 0``."""
        total = 0
        for mono, value in p.items():
            least = self._least(mono, value)
            if least is None:
                return self._shifted(p)
            total += least
        return total >= 0 or self._shifted(p)

    def _least(self, mono: Monomial, value: int) -> int | None:
        """Smallest value of ``value * mono``, or None."""
        for var in mono:
            low = self.lows[var]
            if len(mono) > 1 and (low is None or low < 0):
                return None
            bound = low if value > 0 else self.tops[var]
            if bound is None:
                return None
            value *= bound
        return value

    def _shifted(self, p: Poly) -> bool:
        """Whether all coefficients are >= 0 once every variable counts from its lower bound."""
        lows = self.lows
        gains = [mono for mono, value in p.items() if value > 0 and any(lows[var] for var in mono)]
        for mono, value in p.items():  # a negative monomial needs a positive multiple of it to make up for it
            if value < 0 and not any(len(gain) > len(mono) and divided(gain, mono) for gain in gains):
                return False
        images: dict[int, Poly] = {}
        for mono in p:
            for var in mono:
                low = self.lows[var]
                if low is None:
                    return False
                if low:
                    images[var] = {(var,): 1, (): low}
        return bool(images) and all(value >= 0 for value in _replaced(p, images).values())

    def nonneg(self, p: Poly, depth: int = 3) -> bool:
        """Whether ``p >= 0`` can be shown; raises :class:`GivenUp` when the steps are spent."""
        if not any(p):
            return p.get((), 0) >= 0
        return any(self._shown(p, reach) for reach in range(depth + 1))  # short reasons first

    def _shown(self, p: Poly, depth: int) -> bool:
        if not any(p):
            return p.get((), 0) >= 0
        key = (frozenset(p.items()), depth)
        done = self._memo.get(key)
        if done is None:
            self.steps -= 1
            if self.steps < 0:
                raise GivenUp
            self._memo[key] = False  # a circular reason is no reason
            done = self._memo[key] = self._nonneg(p, depth)
        return done

    def _nonneg(self, p: Poly, depth: int) -> bool:
        bound = self.lower(p)
        if bound is not None and self.plain(bound):
            return True
        if bound is not p and self.plain(p):
            return True
        if not depth:
            return False
        if bound is not None and bound != p:
            for fact in self.facts:
                if self._over_shared(fact) and any(self._shown(q, depth - 1) for q in self._without(bound, fact)):
                    return True
        return any(self._shown(q, depth - 1) for fact in self.facts for q in self._without(p, fact))

    def _over_shared(self, fact: Poly) -> bool:
        return all(self.shared[var] for mono in fact for var in mono)

    def _without(self, p: Poly, fact: Poly) -> Iterator[Poly]:
        """Polynomials whose sign decides that of ``p`` given ``fact >= 0``."""
        negative = self._negative.get(id(fact))
        if negative is None:
            negative = self._negative[id(fact)] = [entry for entry in fact.items() if entry[1] < 0]
        for mono, value in p.items():
            if value < 0:
                length = len(mono)
                for other, weight in negative:
                    if len(other) <= length and (other or (not mono and self._affordable(p, fact))):
                        rest = divided(mono, other) if other != mono else ()
                        if rest is not None and (not rest or self.positive(rest)):
                            yield _combined(p, value, fact, weight, rest)
            elif mono and fact.get(mono, 0) > 0:
                yield _combined(p, value, fact, fact[mono], ())

    def _affordable(self, p: Poly, fact: Poly) -> bool:
        """Whether taking ``fact`` off ``p`` brings in nothing that is unbounded."""
        for mono, weight in fact.items():
            if weight > 0 and mono and p.get(mono, 0) <= 0:
                bounded = all(self.tops[var] is not None or self.highs[var] is not None for var in mono)
                if not bounded and not any(other.get(mono, 0) < 0 for other in self.facts):
                    return False
        return True

    def zero(self, p: Poly) -> bool:
        """Whether ``p == 0`` can be shown."""
        return not p or (self.nonneg(p) and self.nonneg(scale(p, -1)))

    def contradictory(self) -> bool:
        """Whether the facts exclude each other: ``-1 >= 0`` follows from them."""
        return any(self._nonneg(constant(-1), reach) for reach in (1, 2, 3))

    def within(self, p: Poly, limit: Poly) -> bool:
        """Whether ``0 <= p < limit`` can be shown."""
        return self.nonneg(add(add(limit, p, -1), constant(-1))) and self.nonneg(p)


def _replaced(p: Poly, images: dict[int, Poly]) -> Poly:
    out: Poly = {}
    for mono, value in p.items():
        if not any(var in images for var in mono):
            total = out.get(mono, 0) + value
            if total:
                out[mono] = total
            else:
                out.pop(mono, None)
            continue
        product: Poly = {tuple(var for var in mono if var not in images): value}
        for var in mono:
            if var in images:
                product = multiply(product, images[var])
        out = add(out, product)
        if len(out) > MAX_MONOMIALS:
            raise GivenUp
    return out


def _combined(p: Poly, value: int, fact: Poly, weight: int, rest: Monomial) -> Poly:
    shared = gcd(value, weight)
    ours, theirs = abs(weight) // shared, abs(value) // shared
    out = {mono: number * ours for mono, number in p.items()} if ours > 1 else dict(p)
    for mono, number in fact.items():
        product = tuple(sorted(rest + mono)) if rest and mono else rest or mono
        _increase(out, product, -theirs * number)
    if ours > 1:
        _increase(out, (), ours - 1)
    return out
