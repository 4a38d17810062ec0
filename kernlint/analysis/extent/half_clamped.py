"""Coordinates that data choose, of which one is clamped at both ends, and its like at one end alone.

``max(min((int)floor(u), nu - 1), 0)`` beside ``min((int)floor(v), nv - 1)`` in one index, with ``u`` and ``v`` made the
same way: who clamps the one to 0 knows of positions before the first cell, and the other is made of such a one too.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.record import dataclass
from kernlint.symbolic.terms import SymbolKind, Term, negate, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

_LESSER = frozenset({"min", "fmin", "fminf"})
_GREATER = frozenset({"max", "fmax", "fmaxf"})
_CLAMPS = frozenset({"min", "max", "select", "call"})
_DATA = frozenset({SymbolKind.LOAD})


@dataclass(frozen=True, slots=True, eq=False)
class HalfClamped:
    """An access at a coordinate that is clamped at one end; ``below``: the end that is not is 0."""

    access: Access
    below: bool

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        may, one, past = ("negative", "above", "below 0") if self.below else ("too large", "below", "past their ends")
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that may be {may}: another one in the "
            f"index, made of data in the same way, is clamped at both ends, and this one only from {one}",
            (),
            f"the data put both coordinates {past}, as the clamp of the other says",
            f"clamp this coordinate {'to 0' if self.below else 'to its last value'} too",
        )


def _of_data(term: Term) -> bool:
    return any(symbol.kind in _DATA for symbol in symbols(term))


def _ends(term: Term) -> tuple[Term, bool, bool]:
    """(what is clamped, whether it is clamped from below, and from above)."""
    below = above = False
    while True:
        term = plain(term)
        name, parts = (str(term.args[0]) if term.op == "call" else term.op), term.terms
        if name == "clamp" and len(parts) == 3:
            return plain(parts[0]), True, True
        if name == "select":
            found = _selected(term)
            if found is None:
                return term, below, above
            term, lower = found
        elif (name in _LESSER or name in _GREATER) and len(parts) == 2 and sum(map(_of_data, parts)) == 1:
            term, lower = parts[0] if _of_data(parts[0]) else parts[1], name in _GREATER
        else:
            return term, below, above
        below, above = below or lower, above or not lower


def _selected(term: Term) -> tuple[Term, bool] | None:
    """(what is clamped, whether from below) of ``x < 0 ? 0 : x`` and the like."""
    cond, then, other = term.args
    for test, kept, end in ((cond, other, then), (negate(cond), then, other)):
        if test.op not in ("lt", "le") or _of_data(end) or not _of_data(kept):
            continue
        if plain(test.args[0]) == plain(kept):
            return kept, True  # it is small: the end takes its place
        if plain(test.args[1]) == plain(kept):
            return kept, False
    return None


def _alike(one: Term, other: Term, part: bool = False) -> bool:
    """Whether two numbers are made the same way of data.  ``part``: they are what an argument is taken from, so that
    they may be anything."""
    if one.op == "sym" or other.op == "sym":
        kinds = [term.symbol.kind if term.symbol is not None else None for term in (one, other)]
        if kinds[0] == kinds[1]:
            return str(one.type) == str(other.type)
    elif one.op == other.op and one.type == other.type and len(one.terms) == len(other.terms):
        same = one.op != "call" or one.args[0] == other.args[0]
        apart = one.op == "sub" and all(_shifts(term) for term in (one, other))
        if one.op == "const":
            return True
        pairs = enumerate(zip(one.terms, other.terms, strict=True))
        if same and all(_alike(mine, theirs, apart and not at) for at, (mine, theirs) in pairs):
            return True
    return part and all(isinstance(term.type, FloatType) and _of_data(term) for term in (one, other))


def _shifts(term: Term) -> bool:
    """Whether an argument is taken from what has nothing to do with it."""
    left, right = term.args
    taken = set(symbols(right))
    return bool(taken) and not _of_data(right) and not taken & set(symbols(left))


def _negative(term: Term, core: Term) -> bool:
    """Whether a coordinate, made whole of a number in floating point, is kept signed on the way out of its clamps."""
    while term is not core:
        if term.op == "cast" and isinstance(term.type, IntType) and not term.type.signed:
            return False
        term = next((part for part in term.terms if core is part or core in subterms(part)), core)
    return isinstance(core.type, FloatType)


def _coordinates(access: Access) -> list[tuple[Term, Term, bool, bool]]:
    """(coordinate, what is clamped, whether from below, and from above) of what is added to make an index."""
    out = []
    found = elements(access)
    for mono, value in found[0].coefficients.items() if found is not None else ():
        moving = [atom for atom in mono if _of_data(atom)]
        if value > 0 and len(moving) == 1:
            core, below, above = _ends(moving[0])
            if below or above:
                out.append((moving[0], core, below, above))
    return out


def _of(access: Access) -> HalfClamped | None:
    found = _coordinates(access) if any(part.op in _CLAMPS for part in subterms(access.offset)) else []
    asked = {symbol for guard in access.guards for symbol in symbols(guard.term)} if len(found) > 1 else set()
    for coordinate, core, below, above in found:
        if (below and above) or not _negative(coordinate, core):
            continue
        mine = {symbol for symbol in symbols(core) if symbol.kind in _DATA}
        for other, beside, *both in found:
            if all(both) and _negative(other, beside) and core != beside and not mine & asked and _alike(core, beside):
                return HalfClamped(access, above)
    return None


def _compute(facts: Facts) -> tuple[HalfClamped, ...]:
    found: dict[Root, HalfClamped] = {}
    for access in facts[trace].accesses:
        if access.root not in found and access.root.kind is not RootKind.VARIABLE:
            one = _of(access)
            if one is not None:
                found[access.root] = one
    return tuple(found.values())


half_clamped = KernelAnalysis("half_clamped", _compute, needs=(trace,))
"""A :class:`HalfClamped` for each array of a kernel variant that has one, in order of the walk."""
