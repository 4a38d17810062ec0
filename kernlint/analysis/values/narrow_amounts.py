"""Products in 32 bits that pass what 32 bits hold where there is as much data as comments say.

Comments seldom name the parameter: ``up to 1M tokens, 128 heads of size 128`` beside ``token * num_heads * head_size``.
What they say of names is asked by :meth:`Reach.beyond_comments`; here it is the number of extents that a sentence has.
An index with as many factors that can be large, one of which the block or data choose, goes through all of them.  What
is a place within a row or plane that was widened is smaller than these; the start of a part, the same for a whole
block, of which the places were widened is larger.  With one extent said of two, or of one with a number of small
parts, somebody must have cared as well: by widening the number of bytes on the host, or the same number of parts for
another length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from kernlint.analysis.trace.events import Access
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import Factors, Part, Places
from kernlint.analysis.values.products import Product, bits, can_be_large, is_size, products
from kernlint.analysis.values.reach import Reach
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, GRID_DIM, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import IntType

Amounts = Sequence[tuple[int, ...]]
"""The extents that sentences of comments state, each the largest first."""

BEYOND = 1 << 42
"""Elements that no memory holds."""


def amounted(places: Places, amounts: Amounts, reach: Reach) -> Iterator[Narrow]:
    """The parts that get too large for their type where extents are as large as a sentence says."""
    if not amounts:
        return
    for part in places.parts:
        for product in part.products:
            said = _said(part, product, amounts) or _in_all(part, product, places, amounts)
            said = said or _over_grid(part, product.factors, amounts)
            if said and _outermost(part, product):
                yield Narrow(part.term, part.access.span, "amounts", use=part.access, value=said)
                break
    for part in places.scaled:
        said = _over_grid(part, (), amounts)
        if said and all(len(one.factors) < 2 for one in products(part.access.offset)):
            yield Narrow(part.term, part.access.span, "amounts", use=part.access, value=said)
            continue
        for low, high, term in _of_parts(part, reach):
            most = max((prod(one) for one in amounts if high * prod(one) > _limit(part.term)), default=0)
            if most and high * most < BEYOND and _cared_for(low, part.access, places):
                yield Narrow(term, part.access.span, "amounts", use=part.access, value=high * most)
                break


def beyond_amounts(factors: Factors, amounts: Amounts, narrow: Term) -> bool:
    """Whether a product of extents passes its type, where each is as large as the one that a sentence states, or all
    are as it states them."""
    return any(
        _limit(narrow) < (one[0] ** len(factors) if len(one) == 1 else prod(one)) < BEYOND
        for one in amounts
        if len(one) in (1, len(factors))
    )


def _said(part: Part, product: Product, amounts: Amounts) -> int:
    """What a product comes to by a sentence that states as many extents as it has factors, 0 if it fits."""
    if not any(map(_chosen, product.factors)) or not any(map(is_size, product.factors)):
        return 0
    values = [prod(one) * product.scale for one in amounts if len(one) == len(product.factors)]
    return max((value for value in values if _limit(part.term) < value < BEYOND), default=0)


def _over_grid(part: Part, large: Factors, amounts: Amounts) -> int:
    """As :func:`_said`, of the number of a block in a grid of several axes (``blockIdx.y * gridDim.x + blockIdx.x``):
    as many rows as there are blocks along the others are a factor too."""
    most = 0
    for factors, times in polynomial(part.term).coefficients.items():
        along = [GRID_DIM.index(one.symbol) for one in factors if one.symbol in GRID_DIM]
        rows = any(one.symbol in BLOCK and BLOCK.index(one.symbol) not in along for one in factors)
        if along and rows and not Counter(large) - Counter(factors):
            count = len(along) + sum(any(map(can_be_large, symbols(factor))) for factor in factors)
            most = max([most, *(prod(one) * times for one in amounts if len(one) == count)])
    return most if _limit(part.term) < most < BEYOND else 0


def _in_all(part: Part, product: Product, places: Places, amounts: Amounts) -> int:
    """How many elements there are by a sentence, where they are more than the type holds and no index of the kernel has
    more factors than this one; else 0."""
    all_ = max((one[0] for one in amounts if len(one) == 1 and one[0] > _limit(part.term)), default=0)
    if not all_ or all_ >= BEYOND or not any(_chosen(factor) for each in part.products for factor in each.factors):
        return 0
    others = [other for each in places.parts for other in each.products] + [each.product for each in places.wide]
    return all_ if all(len(other.factors) <= len(product.factors) for other in others) else 0


def _chosen(factor: Term) -> bool:
    """Whether the block or data choose a factor."""
    return any(s in BLOCK or (s.kind is SymbolKind.LOAD and can_be_large(s)) for s in symbols(factor))


def _outermost(part: Part, product: Product) -> bool:
    """Whether nothing of the same place was widened that a product may be the inside of: but for what moves with the
    thread, where the product is the same for the whole block."""
    if any(len(other.factors) > len(product.factors) for other in part.products):
        return False
    wide = [one for one in products(part.access.offset) if len(one.factors) > 1 and one.narrow is None]
    if any(map(_of_thread, product.factors)):
        return not wide
    return all(one.careful and any(map(_of_thread, one.factors)) for one in wide)


def _of_thread(factor: Term) -> bool:
    kinds = {symbol.kind for symbol in symbols(factor)}
    return SymbolKind.THREAD in kinds or any(
        s.kind is SymbolKind.LOAD and s.uniformity is not None and _varies(s) for s in symbols(factor)
    )


def _varies(symbol: object) -> bool:
    origin = getattr(symbol, "origin", None)
    place = origin[1] if isinstance(origin, tuple) and len(origin) > 1 else None
    return isinstance(place, Term) and any(s.kind is SymbolKind.THREAD for s in symbols(place))


def _limit(term: Term) -> int:
    kind = term.type
    return kind.high if isinstance(kind, IntType) else 0


def _of_parts(part: Part, reach: Reach) -> Iterator[tuple[Term, int, Term]]:
    """(number of a part, the largest one, product) of the products of a size and a number that is bounded."""
    for term in subterms(part.term):
        if term.op != "mul" or bits(term) != 32:
            continue
        for number, size in (term.args, term.args[::-1]):
            alone = [p for p in products(size) if p.factors]
            if len(alone) != 1 or not is_size(plain(size)) or any(p.factors for p in products(number)):
                continue
            most = reach.most(part.access, number)
            if most is not None and most > 1 and symbols(number):
                yield number, most, term


def _cared_for(number: Term, access: Access, places: Places) -> bool:
    """Whether the kernel widens the same number of a part to multiply it by another length."""
    return any(
        term.op == "mul"
        and bits(term) == 64
        and any(arg.op == "cast" and plain(arg) == plain(number) for arg in term.args)
        for other in places.accesses
        for term in subterms(other.offset)
    )
