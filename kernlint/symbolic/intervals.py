"""Intervals of terms in machine integers: sound under wrap-around.

An interval is a pair (low, high), both inclusive; None stands for *no bound known* on that side (only for terms
that are no integers: an integer term is at least bounded by its type).  Where an operation may leave its type the
result is the type's whole range, so the interval of ``n - 1`` for an unsigned ``n`` that may be 0 holds 2**32 - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernlint.symbolic.terms import Symbol, Term
from kernlint.tree.types import IntType

Bound = tuple[int | None, int | None]
"""(low, high), inclusive; None: not known."""

Bounds = Callable[[Symbol], Bound]
"""Bounds of a symbol's value; may answer (None, None)."""


def declared(symbol: Symbol) -> Bound:
    """The bounds that the symbol itself carries."""
    return symbol.low, symbol.high


def interval(term: Term, bounds: Bounds = declared) -> Bound:
    """Values that ``term`` can have where its symbols stay within ``bounds``.

    An empty meeting of bounds (which says that the point is never reached) is reported as the bounds' own.
    """
    return Ranges(bounds).of(term)


def may_wrap(term: Term, bounds: Bounds = declared) -> bool:
    """Whether any operation of ``term`` can leave its machine type (conversions that lose value count)."""
    ranges = Ranges(bounds)
    return any(ranges.wraps(part) for part in _parts(term))


def refine(guards: Iterable[Term], bounds: Bounds = declared) -> Bounds:
    """``bounds`` narrowed by those ``guards`` that compare a symbol with something of known range.

    Guards are truth-valued terms that hold.  Conversions that keep the value are seen through.
    """
    found: dict[Symbol, tuple[int | None, int | None]] = {}

    def narrowed(symbol: Symbol) -> Bound:
        low, high = bounds(symbol)
        more = found.get(symbol)
        if more is not None:
            low = more[0] if low is None else low if more[0] is None else max(low, more[0])
            high = more[1] if high is None else high if more[1] is None else min(high, more[1])
        return low, high

    facts = [part for guard in guards for part in _conjuncts(guard)]
    for _ in range(2):  # a second round lets `i < m` profit from a later `m < 16`
        ranges = Ranges(narrowed)
        for fact in facts:
            for symbol, low, high in _learned(fact, ranges):
                old = found.get(symbol, (None, None))
                found[symbol] = (
                    low if old[0] is None else old[0] if low is None else max(old[0], low),
                    high if old[1] is None else old[1] if high is None else min(old[1], high),
                )
    return narrowed


def _conjuncts(guard: Term) -> list[Term]:
    if guard.op == "land":
        return _conjuncts(guard.args[0]) + _conjuncts(guard.args[1])
    return [guard]


def _learned(fact: Term, ranges: Ranges) -> list[tuple[Symbol, int | None, int | None]]:
    op = fact.op
    if op not in ("lt", "le", "eq", "ne"):
        return []
    out: list[tuple[Symbol, int | None, int | None]] = []
    strict = 1 if op == "lt" else 0
    for side in (0, 1):
        place, offset = _place(fact.args[side], ranges)
        if place is None:
            continue
        low, high = ranges.of(fact.args[1 - side])
        if op == "ne":
            here_low, here_high = ranges.of(fact.args[side])
            if low is not None and low == high:
                if low == here_low:
                    out.append((place, low + 1 - offset, None))
                elif low == here_high:
                    out.append((place, None, low - 1 - offset))
            continue
        bottom = None if low is None or (op != "eq" and side == 0) else low + strict - offset
        top = None if high is None or (op != "eq" and side == 1) else high - strict - offset
        out.append((place, bottom, top))
    return out


def _place(term: Term, ranges: Ranges) -> tuple[Symbol | None, int]:
    """The symbol and the constant of a term ``symbol + constant`` that cannot wrap."""
    offset = 0
    while True:
        if term.op == "cast" and isinstance(term.args[0].type, IntType) and not ranges.wraps(term):
            term = term.args[0]
        elif term.op == "add" and term.args[1].op == "const" and not ranges.wraps(term):
            offset += term.args[1].args[0]
            term = term.args[0]
        else:
            return (term.symbol, offset)


def _parts(term: Term) -> list[Term]:
    seen: dict[int, Term] = {}
    stack = [term]
    while stack:
        at = stack.pop()
        if id(at) not in seen:
            seen[id(at)] = at
            stack.extend(at.terms)
    return list(seen.values())


class Ranges:
    """Intervals of many terms under the same bounds, each computed once."""

    __slots__ = ("_bounds", "_memo", "_wrapping")

    def __init__(self, bounds: Bounds = declared) -> None:
        self._bounds = bounds
        self._memo: dict[Term, Bound] = {}
        self._wrapping: set[Term] = set()

    def of(self, term: Term) -> Bound:
        """Interval of ``term``."""
        done = self._memo.get(term)
        if done is None:
            done = self._memo[term] = self._compute(term)
        return done

    def wraps(self, term: Term) -> bool:
        """Whether the last operation of ``term`` can leave its type."""
        self.of(term)
        return term in self._wrapping

    def fits(self, term: Term) -> bool:
        """Whether the last operation of ``term`` stays within its type."""
        return not self.wraps(term)

    def downward(self, term: Term) -> bool:
        """Whether the sum ``x + c`` of an unsigned type is to be read as ``x - (2**bits - c)``: its literal reading
        may leave the type."""
        kind, high = term.type, self.of(term.args[0])[1]
        if not isinstance(kind, IntType) or high is None or not _negative_in_disguise(term.args[1], kind):
            return False
        return bool(high + term.args[1].args[0] > kind.high)

    def _compute(self, term: Term) -> Bound:
        op, kind = term.op, term.type
        if op == "const":
            value = term.args[0]
            return (value, value) if isinstance(value, int) else (None, None)
        if not isinstance(kind, IntType):
            return self._bounds(term.args[0]) if op == "sym" else (None, None)
        if op == "sym":
            low, high = self._bounds(term.args[0])
            low = kind.low if low is None or low < kind.low else low
            high = kind.high if high is None or high > kind.high else high
            return (low, high) if low <= high else (kind.low, kind.high)
        raw = self._operation(term, op, kind)
        if raw is None:
            return kind.low, kind.high
        low, high = raw
        if low < kind.low or high > kind.high:
            self._wrapping.add(term)
            return (0, 1) if kind.bits == 1 else (kind.low, kind.high)
        return low, high

    def _operation(self, term: Term, op: str, kind: IntType) -> tuple[int, int] | None:
        """Range before wrapping; None when nothing is known but the type."""
        args = term.args
        if op in ("lt", "le", "eq", "ne"):
            return self._comparison(op, args[0], args[1])
        if op in ("land", "lor", "lnot"):
            truths = [self._whole(arg) for arg in args]
            return self._logical(op, truths)
        if op == "select":
            return self._select(args)
        if op == "call":
            return self._call(term)
        ranges = [self._whole(arg) for arg in args]
        if any(r is None for r in ranges):
            return None
        (a, b), *rest = [r for r in ranges if r is not None]
        if op == "cast":
            return a, b
        if op == "neg":
            return -b, -a
        if op == "not":
            if not kind.signed:
                return (kind.high - b, kind.high - a) if a >= 0 and b <= kind.high else None
            return ~b, ~a
        c, d = rest[0]
        if op == "add" and args[1].op == "const" and b + d > kind.high and _negative_in_disguise(args[1], kind):
            return a + c - (kind.high + 1), b + d - (kind.high + 1)
        if op == "mod":
            return self._modulo(a, b, c, d)
        return _binary(op, a, b, c, d, kind)

    def _whole(self, term: Term) -> tuple[int, int] | None:
        low, high = self.of(term)
        return None if low is None or high is None else (low, high)

    def _comparison(self, op: str, left: Term, right: Term) -> tuple[int, int]:
        a, b = self._whole(left), self._whole(right)
        if a is None or b is None:
            return 0, 1
        if op == "lt":
            return (1, 1) if a[1] < b[0] else (0, 0) if a[0] >= b[1] else (0, 1)
        if op == "le":
            return (1, 1) if a[1] <= b[0] else (0, 0) if a[0] > b[1] else (0, 1)
        same = a[0] == a[1] == b[0] == b[1]
        apart = a[1] < b[0] or b[1] < a[0]
        if op == "ne":
            same, apart = apart, same
        return (1, 1) if same else (0, 0) if apart else (0, 1)

    @staticmethod
    def _logical(op: str, truths: list[tuple[int, int] | None]) -> tuple[int, int]:
        known = [
            None if r is None else True if r[0] > 0 or r[1] < 0 else False if r == (0, 0) else None for r in truths
        ]
        if op == "lnot":
            return (0, 1) if known[0] is None else (int(not known[0]), int(not known[0]))
        decided = op == "lor"
        if decided in known:
            return int(decided), int(decided)
        return (0, 1) if None in known else (1 - int(decided), 1 - int(decided))

    def _select(self, args: tuple[Term, ...]) -> tuple[int, int] | None:
        cond = self._whole(args[0])
        then, other = self._whole(args[1]), self._whole(args[2])
        if cond == (0, 0):
            return other
        if cond is not None and (cond[0] > 0 or cond[1] < 0):
            return then
        if then is None or other is None:
            return None
        return min(then[0], other[0]), max(then[1], other[1])

    def _call(self, term: Term) -> tuple[int, int] | None:
        args = term.args
        if len(args) != 2 or not isinstance(args[1].type, IntType):
            return None
        bits, number = args[1].type.bits, self._whole(args[1])
        zeros = leading_zeros(term, number) if number is not None else None
        if zeros is not None:
            return zeros
        if str(args[0]) in ("popcount", "clz", "ctz", "ffs"):
            return 0, bits
        return None

    @staticmethod
    def _modulo(a: int, b: int, c: int, d: int) -> tuple[int, int] | None:
        if c <= 0:
            return None
        if a >= 0:
            return (a, b) if b < c else (0, min(b, d - 1))
        return (max(a, 1 - d), 0 if b < 0 else min(b, d - 1))


def leading_zeros(call: Term, number: tuple[int, int]) -> tuple[int, int] | None:
    """How many zeros a call counts in front of a number in a range: the larger it is, the fewer; None: it counts
    none, or the number may be negative."""
    kind = call.args[1].type
    if str(call.args[0]) != "clz" or not isinstance(kind, IntType) or number[0] < 0:
        return None
    return kind.bits - min(number[1], kind.high).bit_length(), kind.bits - number[0].bit_length()


def _negative_in_disguise(value: Term, kind: IntType) -> bool:
    """Whether adding the constant takes something off: ``x - 1`` of an unsigned x is kept as ``x + (2**bits - 1)``."""
    return not kind.signed and bool(value.args[0] >> (kind.bits - 1))


def _binary(op: str, a: int, b: int, c: int, d: int, kind: IntType) -> tuple[int, int] | None:
    if op == "add":
        return a + c, b + d
    if op == "sub":
        return a - d, b - c
    if op == "mul":
        corners = (a * c, a * d, b * c, b * d)
        return min(corners), max(corners)
    if op == "div":
        return _quotient(a, b, c, d)
    if op == "min":
        return min(a, c), min(b, d)
    if op == "max":
        return max(a, c), max(b, d)
    if op in ("shl", "shr"):
        c, d = max(c, 0), min(d, kind.bits - 1)  # other counts are undefined
        if c > d:
            return None
        if op == "shr":
            return min(a >> c, a >> d), max(b >> c, b >> d)
        return min(a << c, a << d), max(b << c, b << d)
    if a < 0 and c < 0 and op == "and":
        return None
    if op == "and":  # at least one side is not negative, and bounds the result
        return 0, min(b, d) if a >= 0 and c >= 0 else b if a >= 0 else d
    if a < 0 or c < 0:
        return None
    top = (1 << max(b, d).bit_length()) - 1
    return (max(a, c) if op == "or" else 0), top


def _quotient(a: int, b: int, c: int, d: int) -> tuple[int, int] | None:
    """Truncating division; a divisor that may be 0 counts as not 0, for the result is undefined there."""
    divisors = [x for x in (c, d) if x] + [x for x in (-1, 1) if c <= x <= d]
    if not divisors:
        return None
    corners = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x in (a, b) for y in divisors]
    if a <= 0 <= b:
        corners.append(0)
    return min(corners), max(corners)
