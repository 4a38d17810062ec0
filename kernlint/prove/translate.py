"""From machine terms to polynomials over a :class:`System`.

``/``, ``%``, shifts and masks become *digits*: ``x = d * q + r`` with ``0 <= r < d``.  Where ``x`` is a single
private variable it is replaced by its digits, so that a whole index is spoken of in digits.

The polynomials mean what the terms mean only where nothing wraps.  Operations for which intervals cannot exclude
it are the *suspects* of a translation; the caller shows them innocent or prints them as assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from kernlint.prove.hints import is_scalar, launch_bounds
from kernlint.prove.query import Overlap, Query, Side, is_shared
from kernlint.prove.system import Monomial, Poly, System, add, constant, multiply, scale, split
from kernlint.record import dataclass
from kernlint.symbolic.intervals import Ranges, refine
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

SHARED = 2
"""The ``side`` under which shared symbols are filed; 0 and 1 are the two accesses."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operation that may wrap, on one side."""

    term: Term
    side: int


Suspects = frozenset[Suspect]
NONE: Suspects = frozenset()


class Translator:
    """One attempt at one query (after case splits): variables, facts, equations and suspects."""

    def __init__(self, query: Query, sides: tuple[Side, ...], premises: Iterable[Term], steps: int) -> None:
        self.query = query
        self.sides = sides
        self.premises = tuple(premises)
        self.system = System(steps)
        self.launch = query.launch
        self.known = self.launch.known()
        bounds = launch_bounds(self.launch)
        self.ranges = [Ranges(refine((*self.premises, *side.facts), bounds)) for side in sides]
        if not sides:
            self.ranges = [Ranges(refine(self.premises, bounds))]
        self.equations: list[Poly] = []
        self.unequal: list[Poly] = []
        self.atoms: dict[tuple[object, ...], int] = {}
        self.xors: dict[int, tuple[Poly, ...]] = {}
        self.assumed_positive: dict[Symbol, None] = {}
        self.positive_scalars = False
        self.names: dict[int, Symbol] = {}
        self._variables: dict[tuple[Symbol, int], Poly] = {}
        self._memo: dict[tuple[Term, int], tuple[Poly, Suspects]] = {}
        self._digits: dict[tuple[frozenset[tuple[Monomial, int]], Monomial, int], tuple[Poly, Poly]] = {}
        self._powers: dict[frozenset[tuple[Monomial, int]], tuple[int, int]] = {}
        self._tied: dict[tuple[Symbol, int], tuple[Symbol, int]] = {}
        if isinstance(query, Overlap):
            for ours, theirs, shift in query.tied:
                self._tied[ours, 0] = (theirs, shift)
                self._tied[theirs, 1] = (theirs, 0)

    # -- symbols -----------------------------------------------------------------------------------------------------

    def symbol(self, symbol: Symbol, side: int) -> Poly:
        """The value of ``symbol`` for the thread of ``side``."""
        value = self.known.get(symbol)
        if value is not None:
            return constant(value)
        shift = 0
        tied = self._tied.get((symbol, side))
        if tied is not None:
            symbol, shift = tied
            side = SHARED
        elif side != SHARED and is_shared(symbol, self.query):
            side = SHARED
        poly = self._variables.get((symbol, side))
        if poly is None:
            poly = self._variables[symbol, side] = self._new(symbol, side)
        return add(poly, constant(shift)) if shift else self.system.apply(poly)

    def _new(self, symbol: Symbol, side: int) -> Poly:
        low, top = self._range(symbol, side)
        high: Poly | None = None
        if symbol.kind is SymbolKind.THREAD:
            if top == 0:
                return {}
            high = add(self.symbol(BLOCK_DIM[symbol.axis], SHARED), constant(-1))
        elif symbol.kind is SymbolKind.BLOCK:
            high = add(self.symbol(GRID_DIM[symbol.axis], SHARED), constant(-1))
        if low is not None and low == top:
            return constant(low)
        system = self.system
        if side == SHARED and high is not None:  # the block both threads are in
            var = system.variable(True, low, top)
            system.fact(add(high, {(var,): 1}, -1))
        else:
            var = system.variable(side == SHARED, low, top, high)
        self.names[var] = symbol
        if symbol.kind is SymbolKind.COUNTER and side == SHARED:
            least = max((-shift for key, shift in self._tied.values() if key is symbol), default=0)
            system.lows[var] = max(low or 0, least)
        return {(var,): 1}

    def _range(self, symbol: Symbol, side: int) -> tuple[int | None, int | None]:
        low: int | None = None
        top: int | None = None
        tied = symbol.kind is SymbolKind.COUNTER and side == SHARED
        for at, ranges in enumerate(self.ranges):
            if side not in (at, SHARED) or (tied and at != len(self.ranges) - 1):
                continue
            here, there = ranges.of(symbol.term)
            low = here if low is None else low if here is None else max(low, here)
            top = there if top is None else top if there is None else min(top, there)
        if isinstance(symbol.type, IntType):
            low = None if low == symbol.type.low and symbol.type.signed else low
            top = None if top == symbol.type.high and symbol.type.bits > 16 else top
        if self.positive_scalars and side == SHARED and (low is None or low < 1) and is_scalar(symbol):
            self.assumed_positive[symbol] = None
            low = 1
        return low, top

    # -- terms -------------------------------------------------------------------------------------------------------

    def poly(self, term: Term, side: int) -> tuple[Poly, Suspects]:
        """``term`` as a polynomial, and which operations must not wrap for that."""
        key = (term, side)
        done = self._memo.get(key)
        if done is None:
            done = self._memo[key] = self._translate(term, side)
        poly, suspects = done
        return self.system.apply(poly), suspects

    def _translate(self, term: Term, side: int) -> tuple[Poly, Suspects]:
        op, args = term.op, term.args
        if op == "const" and isinstance(args[0], int):
            return constant(args[0]), NONE
        if op == "sym" and isinstance(term.type, IntType):
            return self.symbol(args[0], side), NONE
        if not isinstance(term.type, IntType) or not all(isinstance(arg.type, IntType) for arg in term.terms):
            return self._opaque(term, side), NONE
        if op in ("add", "sub", "mul"):
            a, first = self.poly(args[0], side)
            b, second = self.poly(args[1], side)
            if op == "add" and args[1].op == "const" and self._of(side).downward(term):
                b = constant(args[1].args[0] - (1 << term.type.bits))
            poly = multiply(a, b) if op == "mul" else add(a, b, 1 if op == "add" else -1)
            return poly, self._suspects(term, side, first | second if first or second else NONE)
        if op == "neg":
            a, first = self.poly(args[0], side)
            return scale(a, -1), self._suspects(term, side, first)
        if op == "cast":
            return self._cast(term, side, term.type)
        if op in ("shl", "shr", "div", "mod", "and", "or", "xor", "not"):
            return self._bits(term, side, term.type)
        parts = [self.poly(arg, side) for arg in term.terms]
        suspects = NONE.union(*(more for _, more in parts))
        polys = [poly for poly, _ in parts]
        if op in ("min", "max") and not self._of(side).wraps(term):
            var = self._atom(op, polys, term, side)
            for poly in polys:
                self.system.fact(scale(add({(var,): 1}, poly, -1), -1 if op == "min" else 1))
            return {(var,): 1}, suspects
        name = (
            (op, args[0], args[1].type) if op == "call" and len(args) > 1 else (op, *args[:1]) if op == "call" else op
        )
        return {(self._atom(name, polys, term, side),): 1}, suspects

    def _suspects(self, term: Term, side: int, inner: Suspects) -> Suspects:
        return inner | {Suspect(term, side)} if self._of(side).wraps(term) else inner

    def _of(self, side: int) -> Ranges:
        return self.ranges[min(side, len(self.ranges) - 1)]

    def _cast(self, term: Term, side: int, kind: IntType) -> tuple[Poly, Suspects]:
        inner = term.args[0]
        poly, suspects = self.poly(inner, side)
        if not self._of(side).wraps(term):
            return poly, suspects
        if kind.bits < 32:
            if not kind.signed and kind.bits > 1:  # keeps the low bits on purpose
                digits = self.digits(poly, constant(1 << kind.bits))
                if digits is not None:
                    return digits[1], suspects
            return {(self._atom(("cast", kind), [poly], term, side),): 1}, suspects
        return poly, suspects | {Suspect(term, side)}

    def _bits(self, term: Term, side: int, kind: IntType) -> tuple[Poly, Suspects]:
        op, args = term.op, term.args
        a, suspects = self.poly(args[0], side)
        system = self.system
        if op == "not":
            return add(constant(-1 if kind.signed else kind.high), a, -1), suspects
        b, more = self.poly(args[1], side)
        suspects = suspects | more if suspects or more else NONE
        number = b.get((), 0) if not any(b) else None
        result: Poly | None = None
        if op == "shl":
            power = self._power(b, number, kind.bits)
            if power is not None:
                return multiply(a, power), self._suspects(term, side, suspects)
        elif op == "shr":
            power = self._power(b, number, kind.bits)
            digits = None if power is None else self.digits(a, power)
            result = None if digits is None else digits[0]
        elif op in ("div", "mod"):
            if self._divisor(b) and (not args[0].type.signed or system.nonneg(a)):
                digits = self.digits(a, b)
                result = None if digits is None else digits[0 if op == "div" else 1]
        elif op == "and":
            result = self._masked(a, b, number, kind)
            if result is None and not any(a):
                result = self._masked(b, a, a.get((), 0), kind)
        elif op == "or":
            result = self._joined(a, b)
        elif op == "xor":
            result = self._flipped(a, b, term, side)
        if result is not None:
            self._clamp(result, term, side)
            return result, suspects
        var = self._atom(op, [a, b], term, side)
        if op in ("and", "or") and system.nonneg(a) and system.nonneg(b):
            for poly in (a, b):
                system.fact(scale(add(poly, {(var,): 1}, -1), 1 if op == "and" else -1))
        return {(var,): 1}, suspects

    def _clamp(self, result: Poly, term: Term, side: int) -> None:
        """Give a variable that stands for ``term`` the upper bound that intervals know."""
        if len(result) == 1:
            ((mono, value),) = result.items()
            if value == 1 and len(mono) == 1 and self.system.tops[mono[0]] is None:
                self.system.tops[mono[0]] = self._of(side).of(term)[1]

    def _power(self, b: Poly, number: int | None, bits: int) -> Poly | None:
        """``2 ** b`` as a number times a variable."""
        if number is not None:
            return constant(1 << number) if 0 <= number < bits else None
        offset = b.get((), 0)
        base = {mono: value for mono, value in b.items() if mono}
        key = frozenset(base.items())
        if key not in self._powers:
            var = self.system.variable(all(self.system.shared[v] for m in base for v in m), 1)
            self._powers[key] = (var, offset)
        var, first = self._powers[key]
        return {(var,): 1 << (offset - first)} if 0 <= offset - first < bits else None

    def _divisor(self, b: Poly) -> bool:
        """Whether ``b`` is positive; a plain scalar argument of unknown sign is taken to be."""
        if self.system.nonneg(add(b, constant(-1))):
            return True
        if len(b) == 1 and next(iter(b.values())) == 1:
            (mono,) = b
            scalars = [self.names.get(var) for var in mono]
            if all(scalar is not None and is_scalar(scalar) for scalar in scalars):
                for var, scalar in zip(mono, scalars, strict=True):
                    if scalar is not None and (self.system.lows[var] or 0) < 1:
                        self.assumed_positive[scalar] = None
                        self.system.lows[var] = 1
                return True
        return False

    def _masked(self, a: Poly, b: Poly, number: int | None, kind: IntType) -> Poly | None:
        """``a & b`` where ``b`` is one run of set bits, or a power of two less one."""
        if number is None:
            digits = self.digits(a, add(b, constant(1))) if self._is_power(add(b, constant(1))) else None
            return None if digits is None else digits[1]
        if number == 0:
            return {}
        zeros = (number & -number).bit_length() - 1
        low = self.digits(a, constant(1 << zeros)) if zeros else (a, {})
        if low is None:
            return None
        rest = number >> zeros
        if number == kind.wrap(-1 << zeros):  # all bits from `zeros` on
            return scale(low[0], 1 << zeros)
        if number < 0 or rest & (rest + 1):
            return None
        high = self.digits(low[0], constant(rest + 1))
        return None if high is None else scale(high[1], 1 << zeros)

    def _is_power(self, p: Poly) -> bool:
        powers = {var for var, _ in self._powers.values()}
        return len(p) == 1 and all(
            len(mono) == 1 and mono[0] in powers and value & (value - 1) == 0 for mono, value in p.items()
        )

    def _joined(self, a: Poly, b: Poly) -> Poly | None:
        """``a | b`` of numbers without a common bit."""
        for upper, lower in ((a, b), (b, a)):
            if not upper:
                return lower
            bits = min((value & -value).bit_length() - 1 for value in upper.values())
            if bits and self.system.within(lower, constant(1 << bits)):
                return add(upper, lower)
        return None

    def _flipped(self, a: Poly, b: Poly, term: Term, side: int) -> Poly | None:
        """``a ^ b``: a complement within few bits, or a variable that knows what was combined."""
        for value, mask in ((a, b), (b, a)):
            number = mask.get((), 0) if not any(mask) else 0
            if number > 0 and number & (number + 1) == 0 and self.system.within(value, constant(number + 1)):
                return add(mask, value, -1)
        parts = self._cancelled([*self._xor_parts(a), *self._xor_parts(b)])
        if not parts:
            return {}
        if len(parts) == 1:
            return parts[0]
        return {(self._xor(parts, term, side),): 1}

    def _xor_parts(self, p: Poly) -> tuple[Poly, ...]:
        if len(p) == 1:
            ((mono, value),) = p.items()
            if value == 1 and len(mono) == 1 and mono[0] in self.xors:
                return tuple(self.system.apply(part) for part in self.xors[mono[0]])
        return (p,)

    @staticmethod
    def _cancelled(parts: list[Poly]) -> tuple[Poly, ...]:
        left: list[Poly] = []
        for part in parts:
            if part in left:
                left.remove(part)
            elif part:
                left.append(part)
        return tuple(sorted(left, key=lambda p: sorted(p.items())))

    def _xor(self, parts: tuple[Poly, ...], term: Term, side: int) -> int:
        key = ("xor", *(frozenset(part.items()) for part in parts))
        var = self.atoms.get(key)
        if var is None:
            low = 0 if all(self.system.nonneg(part) for part in parts) else None
            shared = all(self.system.shared[v] for part in parts for m in part for v in m)
            top = self._of(side).of(term)[1]
            var = self.atoms[key] = self.system.variable(shared, low, top)
            self.xors[var] = parts
        return var

    def _atom(self, name: object, polys: list[Poly], term: Term, side: int) -> int:
        key = (name, term.type, *(frozenset(poly.items()) for poly in polys))
        var = self.atoms.get(key)
        if var is None:
            low, top = self._of(side).of(term)
            shared = all(self.system.shared[v] for poly in polys for m in poly for v in m)
            if isinstance(term.type, IntType) and term.type.bits >= 32:
                low = None if low == term.type.low and term.type.signed else low
                top = None if top == term.type.high else top
            var = self.atoms[key] = self.system.variable(shared, low, top)
        return var

    def _opaque(self, term: Term, side: int) -> Poly:
        """A term that has parts which are no integers."""
        home = SHARED if all(is_shared(s, self.query) for s in symbols(term)) else side
        return {(self._atom((term, home), [], term, side),): 1}

    # -- digits ------------------------------------------------------------------------------------------------------

    def digits(self, x: Poly, d: Poly) -> tuple[Poly, Poly] | None:
        """(q, r) with ``x = q * d + r`` and ``0 <= r < d``, for ``d >= 1``; None when there is no form for it."""
        system = self.system
        x, d = system.apply(x), system.apply(d)
        if not x:
            return {}, {}
        if len(d) != 1:
            d = self._alias(d)
        ((mono, factor),) = d.items()
        if factor <= 0:
            return None
        if not mono and factor == 1:
            return x, {}
        key = (frozenset(x.items()), mono, factor)
        done = self._digits.get(key)
        if done is None:
            done = self._digits[key] = self._divide(x, d, mono, factor)
        return system.apply(done[0]), system.apply(done[1])

    def _alias(self, d: Poly) -> Poly:
        """A variable for a divisor of several terms."""
        key = ("alias", frozenset(d.items()))
        var = self.atoms.get(key)
        if var is None:
            system = self.system
            var = self.atoms[key] = system.variable(all(system.shared[v] for m in d for v in m), 1)
            system.fact(add({(var,): 1}, d, -1))
            system.fact(add(d, {(var,): 1}, -1))
        return {(var,): 1}

    def _divide(self, x: Poly, d: Poly, mono: Monomial, factor: int) -> tuple[Poly, Poly]:
        system = self.system
        quotient, rest = split(x, mono, factor)
        if system.within(rest, d):
            return quotient, rest
        if quotient and system.nonneg(rest):  # whole multiples of the divisor stand aside
            digits = self.digits(rest, d)
            if digits is not None:
                return add(quotient, digits[0]), digits[1]
        for part, number in _divisors(mono, factor):
            quotient, rest = split(x, part, number)
            if quotient and system.within(rest, {part: number}):
                left = list(mono)
                for var in part:
                    left.remove(var)
                digits = self.digits(quotient, {tuple(left): factor // number})
                if digits is not None:
                    return digits[0], add(multiply(digits[1], {part: number}), rest)
        return self._fresh(x, d, mono, factor)

    def _fresh(self, x: Poly, d: Poly, mono: Monomial, factor: int) -> tuple[Poly, Poly]:
        system = self.system
        low = 0 if system.nonneg(x) else None
        if len(x) == 1:
            ((only, value),) = x.items()
            if value == 1 and len(only) == 1 and only[0] in system.order and low == 0:
                return self._substituted(only[0], d, mono, factor)
        var = system.variable(all(system.shared[v] for p in (x, d) for m in p for v in m), low)
        rest = add(x, multiply({(var,): 1}, d), -1)
        if not mono:
            most = [system._most(m, value) for m, value in x.items()]
            if None not in most:
                system.tops[var] = sum(m for m in most if m is not None) // factor
        if not system.shared[var]:
            for fact in system.facts:  # x <= limit over shared variables bounds the quotient
                limit = add(add(fact, x), constant(1))
                if all(system.shared[v] for m in limit for v in m):
                    quotient, left = split(limit, mono, factor)
                    if not left:
                        system.highs[var] = add(quotient, constant(-1))
                        break
                    if system.within(left, d):
                        system.highs[var] = quotient
                        break
        system.fact(rest)
        system.fact(add(add(d, rest, -1), constant(-1)))
        return {(var,): 1}, rest

    def _substituted(self, var: int, d: Poly, mono: Monomial, factor: int) -> tuple[Poly, Poly]:
        """Replace a private variable by its two digits."""
        system = self.system
        high, top = system.highs[var], system.tops[var]
        if high is None and top is not None:
            high = constant(top)
        upper: Poly | None = None
        exact = False
        if high is not None:
            quotient, rest = split(add(high, constant(1)), mono, factor)
            exact = not rest
            upper = add(quotient, constant(-1)) if exact else None
        most = top // factor if top is not None and not mono else None
        q = system.variable(False, 0, most, upper, before=var)
        r = system.variable(False, 0, factor - 1 if not mono else None, add(d, constant(-1)), before=var)
        if exact:
            system.highs[var] = None
            system.tops[var] = None
        system.substitute(var, add(multiply({(q,): 1}, d), {(r,): 1}))
        return {(q,): 1}, {(r,): 1}


def _divisors(mono: Monomial, factor: int) -> list[tuple[Monomial, int]]:
    """Proper divisors of ``factor * mono`` that are a product of its variables or a number."""
    out: list[tuple[Monomial, int]] = []
    for count in range(1, len(mono) + 1):
        for part in sorted(set(combinations(mono, count))):
            if (part, 1) != (mono, factor):
                out.append((part, 1))
    if factor > 1 and factor <= 1 << 16:
        numbers = [1 << i for i in range(1, 17)] if factor & (factor - 1) == 0 else range(2, factor + 1)
        out += [((), number) for number in numbers if factor % number == 0 and (number < factor or mono)]
    return out
