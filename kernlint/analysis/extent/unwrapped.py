"""Places that a loop brings into a table in every further round, and that nothing brings there in the first.

A probe of a hash table goes on with ``slot = (slot + 1) & (capacity - 1)``; where it begins is a hash, a number of all
bits that its type has.  Each round but the first stays in the table.  A beginning that is read from memory or passed as
it stands is a place already.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.places import chosen
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import IntType, Space

LARGE = (1 << 31) - 1
"""What a number has to reach to be one of all bits."""

_MIXED = frozenset({"xor", "mul", "add", "sub", "shl", "or"})


@dataclass(frozen=True, slots=True, eq=False)
class Unwrapped:
    """An access whose index begins with ``first``, and goes on below ``bound`` (a mask or a size)."""

    access: Access
    first: Term
    bound: Term


def _bound(step: Term) -> Term | None:
    """The mask or size that keeps the next value of a loop's variable small."""
    step = plain(step)
    if step.op == "and":
        return next((arg for arg in step.args if chosen(arg)), None)
    return step.args[1] if step.op == "mod" and chosen(step.args[1]) else None


def _mixed(first: Term) -> bool:
    """Whether a number is made of data by operations that fill all of its bits."""
    first = plain(first)
    if first.op == "call" and str(first.args[0]).startswith("after"):
        first = plain(first.args[1])  # what a loop has made
    if first.symbol is not None and first.symbol.kind is SymbolKind.PHI and first.symbol.step is not None:
        first = plain(first.symbol.step)
    if first.op not in _MIXED or not isinstance(first.type, IntType) or first.type.bits > 32:
        return False
    data = any(s.kind in (SymbolKind.LOAD, SymbolKind.PARAM, SymbolKind.UNKNOWN) for s in symbols(first))
    fills = any(part.op == "xor" or (part.op == "mul" and _odd(part)) for part in _in_full(first))
    high = interval(first)[1]
    return data and fills and (high is None or high >= LARGE)


_SMALLER = frozenset({"mod", "and", "shr", "div", "min"})


def _in_full(term: Term) -> Iterator[Term]:
    """The parts of a term of which all bits get into it: none below a remainder, a mask or a shift down."""
    stack, seen = [term], set[Term]()
    while stack:
        at = stack.pop()
        if at not in seen and at.op not in _SMALLER:
            seen.add(at)
            yield at
            stack.extend(at.terms)


def _odd(product: Term) -> bool:
    """Whether a product is with a large number, as hashes are made."""
    return any((arg.value or 0) > 1 << 16 for arg in product.args)


def _compute(facts: Facts) -> tuple[Unwrapped, ...]:
    found: list[Unwrapped] = []
    said: set[Symbol] = set()
    for access in facts[trace].accesses:
        if access.root.space is not Space.GLOBAL:
            continue
        for symbol in symbols(access.offset):
            if symbol.kind is not SymbolKind.PHI or symbol in said or symbol.init is None or symbol.step is None:
                continue
            bound = _bound(symbol.step)
            first = plain(symbol.init)
            if bound is None or not _mixed(first) or not _as_it_is(access.offset, symbol):
                continue
            if not any(first in subterms(guard.term) for guard in access.guards):
                said.add(symbol)
                found.append(Unwrapped(access, first, bound))
    return tuple(found)


def _as_it_is(offset: Term, symbol: Symbol) -> bool:
    """Whether a symbol stands in an offset with sums and factors alone around it."""
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.symbol is symbol:
            return True
        if at.op in ("add", "mul", "shl", "cast"):
            stack.extend(at.terms)
    return False


unwrapped = KernelAnalysis("unwrapped", _compute, needs=(trace,))
"""Each :class:`Unwrapped` access of a kernel variant, a loop's variable once."""
