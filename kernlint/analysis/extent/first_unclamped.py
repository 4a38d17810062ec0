"""Places made of numbers in floating point that a loop clamps in every further round, and that nothing clamps in the
first.

``before = cell(start); for (...) { at = min(max(cell(point), 0), n - 1); sum += image[before]; before = at; }``: who
clamps the cells of all further points knows that a point may lie outside, and the first one is made just as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.record import dataclass
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType

MOST = 64
"""Parts of a place that are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstUnclamped:
    """An ``access`` at a place that a variable of a loop holds, which is clamped in all rounds but the first."""

    access: Access

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} in the first round of the loop at a place that is not "
            "clamped: the places of all further rounds are made of numbers in floating point as that one is, and "
            "clamped",
            (),
            "what the first place is made of may lie outside as that of the others may",
            "clamp the first place too",
        )


def _pairs(first: Term, step: Term) -> tuple[int, set[Term]] | None:
    """How many clamps there are around parts of ``step`` and not around those of ``first``, and the numbers in floating
    point of which parts of ``first`` are made; None where the two are not made in one way."""
    clamps, reals, left = 0, set[Term](), [(first, step)]
    for _ in range(MOST):
        if not left:
            return clamps, reals
        one, other = left.pop()
        one, other = plain(one), plain(other)
        if one == other:
            continue
        if isinstance(one.type, FloatType) and isinstance(other.type, FloatType):
            reals.add(one)
            continue
        if other.op in ("min", "max") and one.op not in ("min", "max"):
            inner = [part for part in other.terms if _of_reals(part)]
            if len(inner) != 1:
                return None
            clamps += 1
            left.append((one, inner[0]))
            continue
        if one.op != other.op or len(one.terms) != len(other.terms) or not one.terms:
            return None
        left.extend(zip(one.terms, other.terms, strict=True))
    return None


def _of_reals(term: Term) -> bool:
    """Whether a whole number is made of data in floating point."""
    return any(isinstance(part.type, FloatType) and part.symbols for part in subterms(term))


def _compared(access: Access, first: Term, reals: set[Term], place: Term) -> bool:
    """Whether a test that the access stands under speaks of how large the first place is, or what it is made of."""
    own = {s for part in reals for s in symbols(part) if s.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN)}
    for guard in access.guards:
        for part in subterms(guard.term):
            if part.op in ("lt", "le"):
                inside = set(subterms(part))
                if place in inside or first in inside or own & set(symbols(part)):
                    return True
    return False


def _held(offset: Term) -> Iterator[tuple[Term, Term, Term]]:
    """(variable, first, further) of what a loop holds, where that stands in an offset with sums and factors alone
    around it."""
    stack = [offset]
    while stack:
        at = stack.pop()
        symbol = at.symbol
        if symbol is not None and symbol.kind is SymbolKind.PHI and symbol.init is not None and symbol.step is not None:
            yield at, symbol.init, symbol.step
        elif at.op == "select" and _in_first_round(at.args[0]):
            yield at, at.args[1], at.args[2]
        elif at.op in ("add", "mul", "shl", "cast"):
            stack.extend(at.terms)


def _in_first_round(condition: Term) -> bool:
    """Whether a condition holds in the first round of a loop and in no other."""
    if condition.op != "eq":
        return False
    left, right = map(plain, condition.args)
    symbol = left.symbol if right.value == 0 else right.symbol if left.value == 0 else None
    return symbol is not None and symbol.kind is SymbolKind.COUNTER


def _compute(facts: Facts) -> tuple[FirstUnclamped, ...]:
    found: dict[Term, FirstUnclamped] = {}
    for access in facts[trace].accesses:
        if access.root.kind not in (RootKind.PARAM, RootKind.LOADED):
            continue
        for place, first, further in _held(access.offset):
            made = _pairs(first, further) if place not in found else None
            if made is not None and made[0] and made[1] and not _compared(access, first, made[1], place):
                found[place] = FirstUnclamped(access)
    return tuple(found.values())


first_unclamped = KernelAnalysis("first_unclamped", _compute, needs=(trace,))
"""Each :class:`FirstUnclamped` access of a kernel variant, a loop's variable once."""
