"""Products in 32 bits of what the host multiplies in 64: see :mod:`kernlint.analysis.values.narrow`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.admitted_sizes import admitted_values, bounded, relevant
from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.values import StructValue
from kernlint.analysis.values.narrow_amounts import Amounts, beyond_amounts
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import Factors, Places, chosen, told
from kernlint.analysis.values.products import Product, bits, factors, products
from kernlint.analysis.values.reach import BEYOND
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, GRID_DIM, SymbolKind, Term, plain, symbols
from kernlint.tree.types import IntType

FITS_32 = 1 << 31
"""Elements of which 32 bits hold every index, with a sign."""

MOST_DIVISORS = 8
"""A limit that is divided by more sizes is not looked at."""


def allocated(places: Places, seen: Sequence[LaunchFact], amounts: Amounts) -> Iterator[Narrow]:
    """Products of what the host multiplies in 64 bits, of 32-bit factors that it widens, to count elements; or bytes,
    where comments say that there are so many."""
    for fact in seen if places.parts else ():
        counted = _counted_on_host(fact)
        in_bytes = _counted_on_host(fact, in_bytes=True) if amounts else {}
        if not counted and not in_bytes:
            continue
        images = {name: _whole(value) for name, value in _images(fact)}
        grid = tuple(plain(size) for size in fact.grid or ())
        for part in places.parts:
            tested = {
                images.get(symbol.name)
                for guard in part.access.guards
                for symbol in symbols(guard.term)
                if symbol.kind is SymbolKind.PARAM
            }
            for product in part.products:
                passed = [images.get(size.args[0].name) for size in product.sizes if size.op == "sym"]
                given = Counter(one for one in passed if one is not None)
                if not given or None in passed or not any(map(chosen, product.factors)):
                    continue
                large = in_bytes if beyond_amounts(product.factors, amounts, part.term) else {}
                for extents, by_habit in (*counted.items(), *((extents, False) for extents in large)):
                    left = Counter(extents) - given
                    rest = list(left.elements())
                    known = len(rest) == len(extents) - sum(given.values())
                    if known and rest and all(one in tested or _of_grid(one, product, grid) for one in rest):
                        yield Narrow(told(product), part.access.span, "host", use=part.access, weak=by_habit)
                        break


def held_to_32_bits(places: Places, seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Products of a block's number and the length of its part of an array, which the host has checked to be a number of
    32 bits and no less, where the array has been made for as many parts as there are blocks, multiplied in 64 bits:
    that a part may be as long as 32 bits count says that all of them are longer."""
    for fact in seen if places.parts else ():
        images = dict(_images(fact))
        kept = {part for guard in fact.guards for part in _held_to_type(guard.term)}
        grid = tuple(plain(size) for size in fact.grid or ())
        for part in places.parts if kept else ():
            size = dict(fact.extents).get(part.access.root.name)
            if size is None or bits(size) < 64:
                continue
            for product in part.products:
                lengths = [images.get(one.args[0].name) for one in product.sizes if one.op == "sym"]
                length = lengths[0] if len(lengths) == 1 and len(product.factors) == 2 else None
                if length is None or length not in kept or not any(map(chosen, product.factors)):
                    continue
                whole, row = _factors(size), _factors(length)
                parts = list((whole - row).elements())
                if parts and row <= whole and all(_of_grid(one, product, grid) for one in parts):
                    yield Narrow(told(product), part.access.span, "host", use=part.access)


def _factors(size: Term) -> Counter[Term]:
    """The factors of a size, without conversions and numbers."""
    return Counter(plain(factor) for factor in factors(plain(size)))


def _held_to_type(guard: Term) -> Iterator[Term]:
    """What a check of the host keeps from being larger than a type of 32 bits holds, and lets be as large."""
    for part in conjuncts(guard):
        most = part.args[1].value if part.op in ("lt", "le") else None
        if most is not None and most - (part.op == "lt") in (FITS_32 - 1, 2 * FITS_32 - 1):
            yield plain(part.args[0])


def of_data(places: Places, seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Products of a row that data choose and the length of rows, in fewer bits than it takes to name each element of
    the array: with sizes as large as checks of the host let them be, the launch has more of them than that."""
    for fact in seen if places.parts else ():
        images = {name: _whole(value) for name, value in _images(fact)}
        extents = dict(fact.extents)
        for part in places.parts:
            kind, size = part.term.type, extents.get(part.access.root.name)
            if size is None or not isinstance(kind, IntType):
                continue
            for product in part.products:
                rows = [factor for factor in product.factors if _chosen_by_data(factor)]
                names = [one.symbol.name for one in product.factors if one.symbol is not None and one not in rows]
                lengths = [images[name] for name in names if name in images]
                if not rows or not lengths or len(rows) + len(lengths) != len(product.factors):
                    continue
                counted = (Counter(one.factors) for one in products(size))
                if not any(not Counter(lengths) - one and len(one) > len(lengths) for one in counted):
                    continue
                elements = _most(size, fact) // (part.access.root.element.size or 1)
                if kind.high + 1 < elements < BEYOND:
                    yield Narrow(told(product), part.access.span, "array", use=part.access, value=elements)
                    break


def _chosen_by_data(factor: Term) -> bool:
    """Whether a factor is a number from memory of which the kernel knows no bound but its type."""
    symbol = plain(factor).symbol
    return symbol is not None and symbol.kind is SymbolKind.LOAD and bits(factor) >= 32


def _most(size: Term, fact: LaunchFact) -> int:
    """A size with what it is made of as large as the checks before the launch let it be; 0 where one is not held."""
    asked = sorted(set(symbols(size)), key=lambda one: one.serial)
    checks = relevant(tuple(guard.term for guard in fact.guards), asked)
    if not asked or not all(bounded(one, checks) for one in asked):
        return 0
    return evaluate(size, admitted_values(asked, checks)) or 0


def _whole(size: Term) -> Term:
    """A size without a number that it is made a multiple of."""
    while size.op == "mul" and size.args[1].value is not None:
        size = plain(size.args[0])
    return size


def refused_beyond(one: Narrow, seen: Sequence[LaunchFact]) -> bool:
    """Whether every launch in sight stands behind a check that keeps the product of the sizes of a part, and of one
    more for each index in it, below what 32 bits hold; or, of an index of the grid, what the grid is made of."""
    if not seen:
        return False
    for fact in seen:
        small = [Counter(found) for guard in fact.guards for found in kept_small(guard.term)]
        if not small:
            return False
        images = dict(_images(fact))
        if one.evidence == "grid" and fact.grid is not None:
            made = [found.factors for found in products(plain(_count(fact.grid[0]))) if len(found.factors) > 1]
            if made and all(Counter(found) in small for found in made):
                continue
        several = [found for found in products(one.index) if len(found.factors) > 1]
        for found in several:
            sizes = Counter(images.get(size.symbol.name, size) for size in found.sizes if size.symbol is not None)
            places_ = len(found.factors) - sum(sizes.values())
            whole = (sum(kept.values()) - sum(sizes.values()) >= places_ for kept in small if not sizes - kept)
            if not any(whole):
                return False
        if not several:
            return False
    return True


def _count(blocks: Term) -> Term:
    """What is divided, rounded up, into a number of blocks."""
    blocks = plain(blocks)
    return _count(blocks.args[0]) if blocks.op in ("div", "shr") else blocks


def _images(fact: LaunchFact) -> Iterator[tuple[str, Term]]:
    """What a launch passes for the parameters of a kernel, without conversions."""
    return ((name, plain(value)) for name, value in passed(fact))


def passed(fact: LaunchFact) -> Iterator[tuple[str, Term]]:
    """What a launch passes for the parameters of a kernel, and for the fields of those that are structures."""
    for name, value in fact.arguments:
        if isinstance(value, Term):
            yield name, value
        elif isinstance(value, StructValue):
            yield from ((f"{name}.{field}", one) for field, one in value.fields if isinstance(one, Term))


def _of_grid(extent: Term, product: Product, grid: Sequence[Term]) -> bool:
    """Whether the launch has as many blocks as the host counts, along an axis of a product."""
    return any(
        factor.symbol is BLOCK[axis] and axis < len(grid) and grid[axis] == extent
        for factor in product.factors
        for axis in range(len(GRID_DIM))
    )


def _counted_on_host(fact: LaunchFact, in_bytes: bool = False) -> dict[Factors, bool]:
    """The extents that the host multiplies in 64 bits after widening them, without the size of an element: a number of
    bytes is made in 64 bits by habit (``in_bytes``: these); and without what it checks to be small, for which the check
    is made so.  With each, whether it is a ``size_t`` that only an allocation or the rounds of a loop ask for: what
    those functions take, and what goes through elements on the host, is written so by habit."""
    small = {product for guard in fact.guards for product in kept_small(guard.term)}
    out: dict[Factors, bool] = {}
    arguments = [value for _, value in passed(fact)]
    for elements, asked, term in (
        *((True, False, term) for term in arguments),
        *((True, _of_rounds(guard.term), guard.term) for guard in fact.guards),
        *((False, False, term) for term in fact.grid or ()),
        *((True, True, size) for _, size in fact.extents),
    ):
        for one in _multiplied(term):
            for product in products(one):
                wide = product.careful and product.narrow is None and len(product.factors) > 1
                if wide and (not elements or (product.scale == 1) is not in_bytes):
                    habit = asked and isinstance(one.type, IntType) and not one.type.signed
                    out[product.factors] = habit and out.get(product.factors, True)
    return {one: habit for one, habit in out.items() if one not in small}


def _of_rounds(guard: Term) -> bool:
    """Whether a condition is one of a loop's rounds."""
    return any(symbol.kind in (SymbolKind.COUNTER, SymbolKind.TRIPS, SymbolKind.PHI) for symbol in symbols(guard))


def kept_small(guard: Term) -> Iterator[Factors]:
    """The products that a check of the host keeps below a number that 32 bits hold; what the number is divided by for
    the check (``a * b <= INT_MAX / c``) is a factor of them."""
    for part in conjuncts(guard):
        if part.op not in ("lt", "le"):
            continue
        most, times = plain(part.args[1]), list[Term]()
        while most.op == "div" and len(times) < MOST_DIVISORS:
            divisor = most.args[1]
            by = [plain(factor) for factor in factors(divisor)]
            if len(by) > 1 and bits(divisor) < 64:
                break  # what wraps itself keeps nothing small
            times, most = times + by, plain(most.args[0])
        if most.value is not None and 0 <= most.value <= FITS_32:
            yield from ((*product.factors, *times) for product in products(part.args[0]) if product.narrow is None)


def _multiplied(term: Term) -> Iterator[Term]:
    """The whole multiplications in 64 bits in a term, but for those that are handed to calls."""
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == 64:
            yield at
        elif at.op != "call":
            stack.extend(at.terms)
