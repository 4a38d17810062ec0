"""Products in 32 bits that get larger than one that the kernel makes in 64 on purpose.

``((size_t)tap * out_h + y) * out_w`` was widened for fear of ``taps * out_h * out_w`` elements; then ``channel * out_h
* out_w * taps``, made in 32 bits in the same sum or in another one, has all of these factors and more.  What is
compared are the sizes that products go up to: an index stands for the size that tests or its loop keep it below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Access
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import ROWS, Factors, Part, Places, Wide, elements_of, told
from kernlint.analysis.values.products import Product, bits, can_be_large, is_size, products, rounded_down
from kernlint.analysis.values.reach import times
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, SymbolKind, Term, plain, subterms, symbols


def dominated(places: Places) -> Iterator[Narrow]:
    """Parts of which a product has all the factors of one that was widened on purpose, and one more."""
    careful = [one for one in places.wide if places.on_purpose(one)] if places.parts else []
    limits: dict[Access, dict[Term, Term]] = {}
    for part in places.parts if careful else ():
        mine = limits.setdefault(part.access, _limits(part.access))
        for product in part.products:
            one = next((one for one in careful if _larger(part, product, one, mine, limits)), None)
            if one is not None:
                assert product.narrow is not None
                # Where the first two factors give back a number without its remainder, the others make it large.
                index = part.term if rounded_down(product.narrow) else product.narrow
                theirs = elements_of(one.access, one.product.factors) if one.access is not None else 1
                weak = elements_of(part.access, product.factors) < theirs
                yield Narrow(index, part.access.span, "larger", use=part.access, weak=weak, shown=one.span)
                break


def pitched(places: Places) -> Iterator[Narrow]:
    """Parts in which the block's number is multiplied by how far rows lie apart, where another place has it widened to
    be multiplied by how long rows are: these lie as far apart as they are long at least, in bytes or elements."""
    lengths: dict[tuple[Term, Term], Wide] = {}
    for one in places.wide:
        row, size = _row_and_size(one.product.factors)
        if row is not None and size is not None and one.access is not None and places.on_purpose(one):
            lengths.setdefault((row, size), one)
    for part in places.parts if lengths else ():
        for product in part.products:
            row, pitch = _row_and_size(product.factors)
            if row is None or pitch is None or row.symbol not in BLOCK:
                continue
            found = next(
                (
                    one
                    for (of, size), one in lengths.items()
                    if of == row and size != pitch and _goes_along(part.access, size, told(product))
                ),
                None,
            )
            if found is not None:
                yield Narrow(part.term, part.access.span, "larger", use=part.access, shown=found.span)
                break


def _row_and_size(factors: Factors) -> tuple[Term | None, Term | None]:
    """What counts rows, and a size, of a product of these two."""
    sizes = [factor for factor in factors if is_size(factor)]
    rows = [factor for factor in factors if not is_size(factor)]
    return (rows[0], sizes[0]) if len(sizes) == len(rows) == 1 else (None, None)


def _goes_along(access: Access, size: Term, rows: Term) -> bool:
    """Whether an access goes through so many elements of a row, each at least as far from the next as the unit that the
    place has a product of ``rows`` in is long."""
    place = polynomial(access.offset)
    step = max(times(place, polynomial(rows)), 1)
    return any(
        test.op in ("lt", "le")
        and size in _lesser(plain(test.args[1]))
        and times(place, polynomial(test.args[0])) >= step
        for test in _tests(access)
    )


def scaled(places: Places) -> Iterator[Narrow]:
    """Parts in which the block's number is multiplied by a number, and another place has it widened to be multiplied by
    a smaller one."""
    least: dict[Term, tuple[int, Access]] = {}
    for access in places.accesses if places.scaled else ():
        for product in products(access.offset):
            times = product.scale // (access.root.element.size or 1)
            if len(product.factors) == 1 and times > 1 and _widened(product.factors[0], access):
                known = least.setdefault(product.factors[0], (times, access))
                if times < known[0]:
                    least[product.factors[0]] = times, access
    for part in places.scaled if least else ():
        for product in products(part.term):
            factor = product.factors[0] if len(product.factors) == 1 else None
            found = least.get(factor) if factor is not None else None
            if found is not None and product.scale > max(found[0], ROWS) and part.access is not found[1]:
                yield Narrow(part.term, part.access.span, "larger", use=part.access, shown=found[1].span)
                break


def _widened(factor: Term, access: Access) -> bool:
    """Whether the number of a block is widened in a place, and multiplied afterwards."""
    if factor.symbol not in BLOCK:
        return False
    wide = (part for part in subterms(access.offset) if part.op == "mul" and bits(part) == 64)
    return any(arg.op == "cast" and plain(arg) == factor for part in wide for arg in part.args)


def _larger(
    part: Part, product: Product, one: Wide, mine: dict[Term, Term], limits: dict[Access, dict[Term, Term]]
) -> bool:
    """Whether a product goes at least as far as a careful one, with a factor more than that has."""
    if len(product.factors) <= len(one.product.factors):
        return False
    theirs = limits.setdefault(one.access, _limits(one.access)) if one.access is not None else {}
    wanted = Counter(theirs.get(factor, factor) for factor in one.product.factors)
    return _matched(wanted, product.factors, mine)


def _matched(wanted: Counter[Term], factors: Factors, limits: dict[Term, Term]) -> bool:
    """Whether each factor that is wanted is one of ``factors`` or what one of these goes up to; what is left over can
    be large as it stands."""
    left = list(factors)
    for want in wanted.elements():
        at = next((f for f in left if f == want), None) or next((f for f in left if limits.get(f) == want), None)
        if at is None:
            return False
        left.remove(at)
    return all(any(map(can_be_large, symbols(factor))) for factor in left)


def _limits(access: Access) -> dict[Term, Term]:
    """The sizes that tests before an access, and the loops around it, keep indices below."""
    out: dict[Term, Term] = {}
    for test in _tests(access):
        if test.op in ("lt", "le"):
            place, size = map(plain, test.args)
            for each in _lesser(size):
                for index in _counting(place):
                    out.setdefault(index, each)
    return out


def _tests(access: Access) -> list[Term]:
    """The tests before an access, and those of the loops around it."""
    tests = [part for guard in access.guards for part in conjuncts(guard.term)]
    return tests + [part for loop in access.loops if loop.condition is not None for part in conjuncts(loop.condition)]


def _lesser(limit: Term) -> Iterator[Term]:
    """The sizes that a limit is none greater than: itself, or what the minimum of it and others is made of."""
    parts = limit.args if limit.op == "min" else (limit,)
    yield from (part for part in map(plain, parts) if is_size(part))


def _counting(place: Term) -> Iterator[Term]:
    """The index that a place is, or those that count it up from a start (``start + k``)."""
    if place.symbol is not None:
        if place.symbol.kind is not SymbolKind.PARAM:
            yield place
    elif place.op == "add":
        parts = map(plain, place.args)
        yield from (part for part in parts if part.symbol is not None and part.symbol.kind is SymbolKind.COUNTER)
