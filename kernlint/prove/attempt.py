"""One attempt at an algebraic proof: facts from guards, equations from a meeting, and what follows from them.

For a pair of accesses the difference ``D`` of their offsets is written as a polynomial.  They meet only if ``D``
lies within the accesses' sizes, which, after dividing by the greatest common divisor, mostly means ``D = 0``.
From ``D = M * A + B`` with ``|B| < M`` follow ``A = 0`` and ``B = 0`` (mixed radix); an equation of two variables
identifies them.  When the equations leave the two threads no difference, or contradict the bounds and guards,
there is no pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import gcd

from kernlint.prove.cases import Case
from kernlint.prove.hints import is_scalar
from kernlint.prove.meet import WARP
from kernlint.prove.query import Bounds, Launch, Overlap, Query
from kernlint.prove.system import Monomial, Poly, add, constant, multiply, scale, split
from kernlint.prove.translate import SHARED, Suspect, Suspects, Translator
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, SymbolKind, Term
from kernlint.tree.types import IntType

ROUNDS = 60
"""Equations looked at before a proof is given up."""


def free_axes(launch: Launch) -> list[int]:
    """Axes along which a block may have more than one thread."""
    return [axis for axis in range(3) if launch.block[axis] != 1]


class Attempt:
    """One attempt to prove one case."""

    def __init__(self, query: Query, case: Case, steps: int, positive: bool = False, warps: bool = True) -> None:
        self.query = query
        self.case = case
        self.translator = Translator(query, case.sides, case.premises, steps)
        self.translator.positive_scalars = positive
        self.system = self.translator.system
        self.warps = warps
        self.suspects: set[Suspect] = set()
        self.clean: dict[tuple[Term, int], Suspects] = {}
        self.different: list[Poly] = []

    def run(self, direction: int = 0) -> bool:
        """Whether the case is proved.  ``direction``: assume that the first thread has the greater (1) or smaller
        (-1) index along the only axis, which has to be shown for both."""
        if isinstance(self.query, Overlap):
            return self._overlap(self.query, direction)
        assert isinstance(self.query, Bounds)
        self._learn()
        offset, first = self.translator.poly(self.case.sides[0].offset, 0)
        assert self.case.extent is not None
        extent, second = self.translator.poly(self.case.extent, 0)
        self.suspects |= first | second
        system = self.system
        self._resolve()
        system.tighten()
        room = add(add(system.apply(extent), system.apply(offset), -1), constant(-self.query.access.size))
        if system.nonneg(system.apply(offset)) and system.nonneg(room):
            return True
        return system.contradictory()

    # -- facts -------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        """Read the premises and guards; those with quotients after the others, smallest divisors first."""
        late: list[tuple[Term, int]] = []
        todo = [(premise, SHARED) for premise in self.case.premises]
        for at, side in enumerate(self.case.sides):
            todo += [(fact, at) for fact in side.facts]
        for fact, at in todo:
            if _has_quotient(fact):
                late.append((fact, at))
            else:
                self._assume(fact, at)
        self._launch_facts()
        quotients = [
            (_weight(part), at, part)
            for term, at in (*late, *((side.offset, at) for at, side in enumerate(self.case.sides)))
            for part in _quotients(term)
        ]
        for _, at, part in sorted(quotients, key=lambda entry: entry[0]):
            self.translator.poly(part, at)
        for fact, at in late:
            self._assume(fact, at)

    def _assume(self, fact: Term, side: int) -> None:
        if fact.op == "land":
            for arg in fact.args:
                self._assume(arg, side)
            return
        if fact.op not in ("lt", "le", "eq", "ne") or not all(isinstance(a.type, IntType) for a in fact.args):
            return
        left, first = self.translator.poly(fact.args[0], side)
        right, second = self.translator.poly(fact.args[1], side)
        suspects = first | second
        self.suspects |= suspects
        self.clean[fact, side] = suspects
        left = self.system.apply(left)
        gap = add(right, left, -1)
        if fact.op == "eq":
            self.translator.equations.append(gap)
        elif fact.op == "ne":
            self.translator.unequal.append(gap)
        else:
            self.system.fact(add(gap, constant(-1)) if fact.op == "lt" else gap)

    def _launch_facts(self) -> None:
        """The product of the block's dimensions is bounded."""
        launch = self.query.launch
        free = [axis for axis in range(3) if launch.block[axis] is None]
        dims = [v for v, symbol in self.translator.names.items() if symbol.kind is SymbolKind.BLOCK_DIM]
        if len(dims) > 1 and free:
            fixed = 1
            for dim in launch.block:
                fixed *= dim or 1
            self.system.fact({tuple(sorted(dims)): -fixed, (): launch.max_threads})

    def _resolve(self) -> None:
        """Use equations among the guards and premises to replace variables; sharpen by ``!=``."""
        system = self.system
        for equation in self.translator.equations:
            left = system.apply(equation)
            var = self._unit(left)
            if var is not None:
                value = left[(var,)]
                system.substitute(var, scale(add(left, {(var,): -value}), -value))
            else:
                system.fact(left)
                system.fact(scale(left, -1))
        system.tighten()
        for gap in self.translator.unequal:
            for sign in (1, -1):
                signed = scale(system.apply(gap), sign)
                if system.nonneg(signed, 1):
                    system.fact(add(signed, constant(-1)))

    def _unit(self, p: Poly) -> int | None:
        """A variable that ``p`` holds once, with coefficient 1 or -1: private ones first."""
        best: int | None = None
        for mono, value in p.items():
            if len(mono) == 1 and value in (1, -1):
                var = mono[0]
                if sum(m.count(var) for m in p) == 1 and (best is None or self._rank(var) < self._rank(best)):
                    best = var
        return best

    def _rank(self, var: int) -> tuple[int, int]:
        symbol = self.translator.names.get(var)
        scalar = symbol is not None and is_scalar(symbol)
        return (0 if not self.system.shared[var] else 1 if scalar else 2, -var)

    # -- pairs -------------------------------------------------------------------------------------------------------

    def _overlap(self, query: Overlap, direction: int) -> bool:
        translator, system = self.translator, self.system
        axes = free_axes(query.launch)
        self._threads(query, axes, direction)
        work = self._warps(query, axes)
        self._learn()
        a, b = self.case.sides
        first, suspects = translator.poly(a.offset, 0)
        second, more = translator.poly(b.offset, 1)
        self.suspects |= suspects | more
        first = system.apply(first)
        self._resolve()
        difference = add(system.apply(first), system.apply(second), -1)
        equation = self._meeting(difference, a.size, b.size)
        if equation is None:
            return True
        return self._solve([*work, equation])

    def _threads(self, query: Overlap, axes: Iterable[int], direction: int) -> None:
        """What would be different about the two threads."""
        translator = self.translator
        if query.within != "blocks":
            for axis in axes:
                ours, theirs = (translator.symbol(THREAD[axis], at) for at in (0, 1))
                lesser, greater = (theirs, ours) if direction > 0 else (ours, theirs)
                if direction and any(greater):  # else the guards leave it one value only
                    gap = self.system.variable(False, 0)
                    ((mono, _),) = greater.items()
                    self.system.substitute(mono[0], add(lesser, {(gap,): 1, (): 1}))
                    ours, theirs = self.system.apply(ours), self.system.apply(theirs)
                self.different.append(add(ours, theirs, -1))
        if query.within != "block":
            for axis in range(3):
                ours, theirs = (translator.symbol(BLOCK[axis], at) for at in (0, 1))
                self.different.append(add(ours, theirs, -1))

    def _warps(self, query: Overlap, axes: list[int]) -> list[Poly]:
        """Equations that the warp options give; with two different warps only the warps need to differ."""
        if not self.warps or not (query.exclude_same_warp or query.require_same_warp):
            return []
        translator, system = self.translator, self.system
        digits = []
        for at in (0, 1):
            linear: Poly = {}
            for axis in reversed(axes):
                dim = translator.symbol(BLOCK_DIM[axis], SHARED)
                linear = add(multiply(linear, dim), translator.symbol(THREAD[axis], at))
            found = translator.digits(linear, constant(WARP))
            if found is None:
                return []
            digits.append(found)
        warps = add(system.apply(digits[0][0]), system.apply(digits[1][0]), -1)
        if query.require_same_warp:
            self.different = [add(system.apply(digits[0][1]), system.apply(digits[1][1]), -1), *self.different]
            return [warps]
        if query.within == "block":
            self.different = [warps]
        return []

    def _meeting(self, difference: Poly, ours: int, theirs: int) -> Poly | None:
        """The equation under which bytes [0, ours) and [difference, ...) share one; None when they cannot."""
        system = self.system
        if self._positive(add(difference, constant(1 - theirs)), 0) or self._positive(
            add(scale(difference, -1), constant(1 - ours)), 0
        ):
            return None
        common = 0
        for mono, value in difference.items():
            if mono:
                common = gcd(common, value)
        rest = difference.get((), 0)
        values = [v for v in range(1 - ours, theirs) if (v - rest) % common == 0] if common else []
        if not common:
            return {} if -ours < rest < theirs else None
        if not values:
            return None
        if len(values) == 1:
            return add(difference, constant(-values[0]))
        slack = system.variable(False, 0, len(values) - 1)
        return add(add(difference, constant(-values[0])), {(slack,): -common})

    def _solve(self, work: list[Poly]) -> bool:
        """Whether the equations ``work`` (each = 0) have no solution with two different threads."""
        system = self.system
        stuck: set[frozenset[tuple[Monomial, int]]] = set()
        kept: list[Poly] = []
        for _ in range(ROUNDS):
            if not work:
                if any(self._nonzero(system.apply(d), 2) for d in kept):
                    return True
                if not self._eliminate(kept, work):
                    break
                stuck.clear()
                kept = []
                continue
            d = self._reduced(system.apply(work.pop(0)))
            if d is None:
                return True
            if not d:
                continue
            if self._identify(d, work):
                work += kept
                kept = []
                stuck.clear()
                continue
            if self._nonzero(d, 0):
                return True
            parts = self._parts(d)
            if parts is not None:
                work[:0] = parts
                continue
            key = frozenset(d.items())
            if key not in stuck:
                stuck.add(key)
                kept.append(d)
        if all(system.zero(system.apply(p)) for p in self.different):
            return True
        return system.contradictory() or any(self._nonzero(system.apply(d), 3) for d in kept)

    def _positive(self, p: Poly, depth: int) -> bool:
        return self.system.nonneg(add(p, constant(-1)), depth)

    def _nonzero(self, p: Poly, depth: int) -> bool:
        """Whether the bounds and facts exclude ``p = 0``."""
        return self._positive(p, depth) or self._positive(scale(p, -1), depth)

    def _reduced(self, d: Poly) -> Poly | None:
        """``d`` without common factors; None when ``d = 0`` is impossible."""
        while d:
            first = next(iter(d))
            common = next(
                (v for v in first if (self.system.lows[v] or 0) >= 1 and all(v in mono for mono in d)),
                None,
            )
            if common is None:
                break
            d = split(d, (common,), 1)[0]
        divisor = 0
        for mono, value in d.items():
            if mono:
                divisor = gcd(divisor, value)
        if not divisor:
            return None if d else d
        if d.get((), 0) % divisor:
            return None
        return {mono: value // divisor for mono, value in d.items()} if divisor > 1 else d

    def _identify(self, d: Poly, work: list[Poly]) -> bool:
        """Use ``x - y = 0`` to replace a variable, or what it says about two xors."""
        if len(d) != 2 or sorted(d.values()) != [-1, 1] or not all(len(mono) == 1 for mono in d):
            return False
        (x,), (y,) = d
        xors = self.translator.xors
        if x in xors and y in xors:
            ours = [self.system.apply(p) for p in xors[x]]
            theirs = [self.system.apply(p) for p in xors[y]]
            left = self.translator._cancelled(ours + theirs)
            if len(left) == 2:
                work.insert(0, add(left[0], left[1], -1))
        # the later private variable goes, so that its bounds may speak of the other; an xor stays, for what it knows
        keep, gone = (x, y) if (x in xors, self._rank(x)) > (y in xors, self._rank(y)) else (y, x)
        self.system.substitute(gone, {(keep,): 1})
        self._twist()
        return True

    def _twist(self) -> None:
        """Combine xors of xors anew once variables were identified: ``(t ^ m) ^ m`` is t."""
        translator, system = self.translator, self.system
        for var, parts in list(translator.xors.items()):
            if var in system.images:
                continue
            fresh = translator._cancelled([q for p in parts for q in translator._xor_parts(system.apply(p))])
            if len(fresh) < 2:
                image = fresh[0] if fresh else {}
                if not any(var in mono for mono in image):
                    system.substitute(var, image)

    def _eliminate(self, kept: list[Poly], work: list[Poly]) -> bool:
        """Solve one stuck equation for a private variable; its bounds then speak of the others."""
        for index, d in enumerate(kept):
            left = self.system.apply(d)
            var = self._unit(left)
            if var is not None and not self.system.shared[var]:
                value = left[(var,)]
                self.system.substitute(var, scale(add(left, {(var,): -value}), -value))
                work += [p for i, p in enumerate(kept) if i != index]
                if not work:
                    work.append({})
                return True
        return False

    def _parts(self, d: Poly) -> list[Poly] | None:
        """B and A of ``d = M * A + B`` with ``|B| < M``."""
        candidates: set[tuple[Monomial, int]] = set()
        for mono, value in d.items():
            shared = tuple(v for v in mono if self.system.shared[v])
            for count in range(1, len(shared) + 1):
                for part in combinations(shared, count):
                    candidates |= {(part, 1), (part, abs(value))}
            if abs(value) > 1:
                candidates.add(((), abs(value)))
        for mono, factor in sorted(candidates, key=lambda entry: (len(entry[0]), entry[1], entry[0])):
            quotient, rest = split(d, mono, factor)
            if quotient and rest:
                limit = add({mono: factor}, constant(-1))
                if self.system.nonneg(add(limit, rest, -1)) and self.system.nonneg(add(limit, rest)):
                    return [rest, quotient]
        return None


_QUOTIENTS = frozenset({"div", "mod", "shr", "and"})


def _has_quotient(term: Term) -> bool:
    return term.op in _QUOTIENTS or any(_has_quotient(arg) for arg in term.terms)


def _quotients(term: Term) -> list[Term]:
    out = [part for arg in term.terms for part in _quotients(arg)]
    if term.op in _QUOTIENTS:
        out.append(term)
    return out


def _weight(term: Term) -> tuple[int, int, int]:
    """Inner quotients first, then numbers as divisors, small before great, so that digits nest."""
    value = term.args[1].value
    if value is not None and term.op == "shr" and 0 <= value < 64:
        value = 1 << value
    return len(_quotients(term.args[0])), 0 if value is not None else term.args[1].size, value or 0
