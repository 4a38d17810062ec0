"""The products that make up a place, whatever order and brackets they are written in, and how wide each is computed.

``x + w * (y + h * z)`` is the sum of ``x``, ``w * y`` and ``w * h * z``.  What counts in a product are the factors that
can be large: sizes, places that data choose, numbers of blocks, counters of loops that go up to a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.trace.events import LoopContext
from kernlint.record import dataclass
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, symbols
from kernlint.tree.types import IntType

PLACE = frozenset({"add", "sub", "mul", "neg", "shl", "cast", "select"})
"""Operations whose operands are parts of a place; what a quotient is taken of is none."""

MANY = 48
"""Products of one place; a place of more is not taken apart."""

_LARGE = frozenset({SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.BLOCK})
_COUNTING = frozenset({SymbolKind.COUNTER, SymbolKind.PHI})


@dataclass(frozen=True, slots=True)
class Product:
    """One product of a place.

    ``factors``: those that can be large, without conversions, sorted; ``scale``: the constant in it.  ``narrow``: the
    multiplication of large factors in fewer than 64 bits (None: all are made in 64).  ``careful``: a factor of fewer
    bits was widened to be multiplied, which somebody wrote on purpose.
    """

    factors: tuple[Term, ...]
    scale: int = 1
    narrow: Term | None = None
    careful: bool = False

    @property
    def sizes(self) -> tuple[Term, ...]:
        """The factors that arguments alone make."""
        return tuple(factor for factor in self.factors if is_size(factor))


def bits(term: Term) -> int:
    """Bits of an integer term, 0 for others."""
    return term.type.bits if isinstance(term.type, IntType) else 0


def can_be_large(symbol: Symbol) -> bool:
    """Whether nothing but its type, of more than 8 bits, keeps a symbol small: no index in the block, no block's size,
    no counter of a loop of constant length."""
    if symbol.kind in _COUNTING:
        return _goes_far(symbol)
    if isinstance(symbol.type, IntType) and symbol.type.bits <= 8:
        return False  # no factor of any weight
    return symbol.kind in _LARGE and not (symbol.kind is SymbolKind.LOAD and symbol.uniformity is Uniformity.GRID)


def _goes_far(counter: Symbol) -> bool:
    """Whether the loop of a counter, or of a variable in it, ends at an argument or at what data say."""
    loop = counter.origin
    if not isinstance(loop, LoopContext) or loop.condition is None:
        return False
    ends = (SymbolKind.PARAM, SymbolKind.LOAD)
    return any(symbol.kind in ends for symbol in symbols(loop.condition))


def is_size(factor: Term) -> bool:
    """Whether a factor is made of arguments alone."""
    found = symbols(factor)
    return bool(found) and all(
        s.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE)
        or (s.kind is SymbolKind.LOAD and s.uniformity is Uniformity.GRID)
        for s in found
    )


def products(term: Term) -> list[Product]:
    """The products that are added up to ``term``; empty where there are too many."""
    found = _products(term)
    return found if found is not None else []


def _products(term: Term) -> list[Product] | None:
    op = term.op
    if op == "const":
        value = term.args[0]
        return [Product((), value)] if isinstance(value, int) else None
    if op in ("add", "sub"):
        return _sum(term.args)
    if op == "neg":
        return _products(term.args[0])
    if op == "select":
        return _sum(term.args[1:])
    if op == "cast" and bits(term) and bits(term.args[0]):
        if bits(term) < bits(term.args[0]) and bits(term) < 64:
            return [_atom(term)]
        return _products(term.args[0])
    if op == "shl" and term.args[1].value is not None:
        inside = _products(term.args[0])
        return inside and [Product(p.factors, p.scale << term.args[1].value, p.narrow, p.careful) for p in inside]
    if op == "mul":
        return _multiplied(term)
    return [_atom(term)]


def _atom(term: Term) -> Product:
    while term.op == "cast" and bits(term.args[0]):
        term = term.args[0]
    large = any(can_be_large(symbol) for symbol in symbols(term))
    return Product((term,) if large else ())


def _sum(args: Sequence[Term]) -> list[Product] | None:
    out: list[Product] = []
    for arg in args:
        found = _products(arg)
        if found is None or len(out) + len(found) > MANY:
            return None
        out += found
    return out


def _multiplied(term: Term) -> list[Product] | None:
    left, right = (_products(arg) for arg in term.args)
    if left is None or right is None or len(left) * len(right) > MANY:
        return None
    wide = bits(term) >= 64
    widened = [arg.op == "cast" and bits(arg.args[0]) == 32 for arg in term.args]
    out: list[Product] = []
    for a in left:
        for b in right:
            joins = bool(a.factors) and bool(b.factors)
            narrow = a.narrow or b.narrow
            if narrow is None and joins and not wide:
                narrow = term
            careful = a.careful or b.careful or (joins and wide and any(widened) and not by_type(term))
            factors = tuple(sorted((*a.factors, *b.factors), key=_order))
            out.append(Product(factors, a.scale * b.scale, narrow, careful))
    return out


def by_type(term: Term) -> bool:
    """Whether a parameter of 64 bits made a product wide, and not the one who wrote it: strides in bytes come as
    ``size_t`` from everywhere, which says little of how much data there is."""
    found = (symbol for symbol in symbols(term) if symbol.kind is SymbolKind.PARAM)
    return any(isinstance(symbol.type, IntType) and symbol.type.bits == 64 for symbol in found)


def _order(term: Term) -> tuple[str, int]:
    return (term.args[0].name if term.op == "sym" else f"~{term.op}", hash(term))


def widened_parts(offset: Term) -> Iterator[Term]:
    """The largest parts of a place that were computed in 32 bits before they were widened; not those that were widened
    to be multiplied."""
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.op == "cast" and bits(at) == 64 and bits(at.args[0]) == 32:
            if at.args[0].op in PLACE:
                yield at.args[0]
        elif at.op == "mul":
            stack.extend(arg for arg, other in (at.args, at.args[::-1]) if other.value is not None)
        elif at.op in PLACE:
            stack.extend(at.terms)


def factors(term: Term) -> list[Term]:
    """The factors of a product that are no constants (conversions looked through); a product in fewer bits, widened
    when it was done, is one factor."""
    out: list[Term] = []
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "mul" and at.type.size == term.type.size:
            stack.extend(at.args)
        elif at.op == "cast" and isinstance(at.args[0].type, IntType):
            stack.append(at.args[0])
        elif at.op != "const":
            out.append(at)
    return out


def rounded_down(index: Term) -> bool:
    """Whether a product is a number without its remainder (``i / n * n``), which is no larger than the number."""
    term = plain(index)
    if term.op != "mul":
        return False
    return any(
        plain(whole).op == "div" and plain(plain(whole).args[1]) == plain(size)
        for whole, size in (term.args, term.args[::-1])
    )


def added(term: Term) -> Iterator[Term]:
    """The multiplications that are added up to a value; what is subtracted (``i - i / n * n``) makes it smaller."""
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == bits(term):
            yield at
        elif at.op == "add":
            stack.extend(at.args)
        elif at.op == "select":
            stack.extend(at.args[1:])
        elif at.op == "cast" and bits(at.args[0]) == bits(at):
            stack.append(at.args[0])


def signed(term: Term) -> bool:
    """Whether a term has a signed integer type."""
    return isinstance(term.type, IntType) and term.type.signed


def comparisons(term: Term) -> Iterator[Term]:
    """The comparisons by size that a truth is made of."""
    if term.op in ("land", "lor", "lnot"):
        for arg in term.terms:
            yield from comparisons(arg)
    elif term.op in ("lt", "le"):
        yield term
