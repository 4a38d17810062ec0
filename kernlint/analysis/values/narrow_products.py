"""Products of an address that are made in 32 bits: see :mod:`kernlint.analysis.values.narrow`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.events import Access, Trace
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.products import (
    Product,
    bits,
    by_type,
    can_be_large,
    comparisons,
    is_size,
    products,
    widened_parts,
)
from kernlint.analysis.values.reach import Reach
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    subterms,
    symbols,
)
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import StructType

FACTORS = 3
"""A product of so many sizes and indices is the length of a volume, not of a line: it is what passes 2**31."""

ROWS = 4096
"""Elements from which on rows that loops of constant length go through are long enough to be multiplied out."""

BEGUN = 4
"""Loops in loops that move a pointer on."""

Factors = tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Wide:
    """A product that a kernel makes in 64 bits: in the place of an ``access``, or (None) in a test at ``span``."""

    product: Product
    span: Span
    access: Access | None


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of the place of an access that is computed in 32 bits and has products of what can be large."""

    access: Access
    term: Term
    products: tuple[Product, ...]


class Places:
    """The products of a kernel's places and tests, narrow and wide; ``scaled``: parts in which one factor that can be
    large, or the number of a round, is multiplied by a number in 32 bits; ``shifted``: powers of two in 32 bits;
    ``steps``: by what product in 32 bits a loop in 64 goes on, and where that is;
    ``divided``: what is divided in a place, as a sum that has wrapped does not come right again then."""

    def __init__(self, of: Trace, subscripts: Sequence[Access], wide_ids: bool) -> None:
        self.wide_ids = wide_ids
        self.accesses = subscripts
        self.parts: list[Part] = []
        self.scaled: list[Part] = []
        self.shifted: list[Part] = []
        self.steps: list[tuple[Part, Span]] = []
        self.wide: list[Wide] = []
        self.volumes: set[Access] = set()
        said: set[tuple[Term, tuple[Term, ...]]] = set()
        for access in subscripts:
            key = access.offset, tuple(guard.term for guard in access.guards)
            if key in said or access.offset.op in ("const", "sym"):
                continue
            said.add(key)
            for product in (one for place in _begun(access.offset) for one in _plain(products(place))):
                if (product.narrow is None or _but_for_sizes(product)) and not self._by_type(product):
                    self.wide.append(Wide(product, access.span, access))
                    if len(product.factors) >= FACTORS:
                        self.volumes.add(access)
            self.shifted += (Part(access, term, ()) for term in _counting(access.offset) if _power(term))
            self.steps += ((Part(access, step, ()), span) for step, span in _steps(access))
            for part in (one for place in _begun(access.offset) for one in widened_parts(place)):
                found = tuple(p for p in _plain(products(part)) if p.narrow is not None)
                if found:
                    self.parts.append(Part(access, part, found))
                elif any(p.scale > (1 if p.factors else ROWS) for p in products(part)):
                    self.scaled.append(Part(access, part, ()))
        self.divided = [*self._dividends()]
        if self.parts:
            for condition in of.conditions:
                for test in comparisons(condition.term):
                    for arg in test.args:
                        self.wide += [
                            Wide(product, condition.span, None)
                            for product in _plain(products(arg) if bits(arg) == 64 else [])
                            if product.narrow is None
                        ]

    def _dividends(self) -> Iterator[Part]:
        done: set[Term] = set()
        for access in self.accesses:
            for term in subterms(access.offset):
                if term.op not in ("div", "mod", "shr") or term.args[0] in done:
                    continue
                done.add(term.args[0])
                parts = (term.args[0],) if bits(term) < 64 else widened_parts(term.args[0]) if term.op != "mod" else ()
                for part in parts:
                    found = tuple(p for p in _plain(products(part)) if p.narrow is not None)
                    if found:
                        yield Part(access, part, found)

    def _by_type(self, product: Product) -> bool:
        return any(by_type(factor) for factor in product.factors)

    def on_purpose(self, wide: Wide) -> bool:
        """Whether somebody widened a factor to make the product in 64 bits, and not the library whose indices have
        them anyway."""
        if not wide.product.careful:
            return False
        ids = [factor for factor in wide.product.factors if factor.symbol in BLOCK or factor.symbol in THREAD]
        if not self.wide_ids or not ids:
            return True
        return wide.access is not None and any(widens_id(part, True) for part in subterms(wide.access.offset))

    def of_larger(self, wide: Wide) -> bool:
        """Whether the same place has a product of the same factors and more: of ``(row * length + item) * (words + 1)``
        the multiple of ``row * length`` is a number of items, and 64 bits are there for the words.  Or a product of the
        same sizes and more: of ``((size_t)item * rows + row) * length`` the rows are those of one item, and 64 bits are
        there for all items."""
        own, sizes = Counter(wide.product.factors), Counter(wide.product.sizes)
        return any(
            own < Counter(one.product.factors) or (sizes and sizes < Counter(one.product.sizes))
            for one in self.wide
            if one.access is wide.access
        )


def widens_id(product: Term, wide_ids: bool) -> bool:
    """Whether the number of a thread or block is widened to be multiplied; where it has 64 bits anyway (``wide_ids``),
    one that an ``int`` has kept."""
    if product.op != "mul" or bits(product) != 64:
        return False
    for arg in product.args:
        inner = arg.args[0] if arg.op == "cast" else arg
        of_id = plain(arg).symbol in BLOCK or plain(arg).symbol in THREAD
        if inner is not arg and bits(inner) == 32 and of_id and (inner.op == "cast" or not wide_ids):
            return True
    return False


def _but_for_sizes(product: Product) -> bool:
    """Whether a product is made in 64 bits on purpose of an index and the number of elements of a row or plane, which
    has been made in 32 before."""
    part = products(product.narrow) if product.narrow is not None else []
    size = len(part) == 1 and len(part[0].factors) == 2 and all(map(is_size, part[0].factors))
    return product.careful and size and len(product.factors) > FACTORS


def _begun(place: Term) -> Iterator[Term]:
    """A place, and what a pointer began with that loops in loops have moved on to it."""
    todo, seen = [place], set[Symbol]()
    while todo:
        at = todo.pop()
        yield at
        for symbol in at.symbols if len(seen) < BEGUN else ():
            moved = symbol.kind is SymbolKind.PHI and bits(symbol.term) == 64
            if moved and symbol.init is not None and symbol not in seen:
                seen.add(symbol)
                todo.append(symbol.init)


def _counting(place: Term) -> Iterator[Term]:
    """What a place is made of, but for masks of 32 bits: the one that is taken, or counted, may be the sign's too."""
    todo = [place]
    while todo:
        at = todo.pop()
        yield at
        if at.op != "call" and (at.op not in ("and", "or", "xor", "not") or bits(at) == 64):
            todo += at.terms


def _power(term: Term) -> bool:
    """Whether a number is shifted by an amount that is none, in fewer than 64 bits."""
    return term.op == "shl" and term.args[0].value is not None and term.args[1].value is None and 0 < bits(term) < 64


def _steps(access: Access) -> Iterator[tuple[Term, Span]]:
    """The products in 32 bits that are widened to be multiplied by the number of a loop's round."""
    for term in subterms(access.offset) if access.loops else ():
        if term.op != "mul" or bits(term) != 64:
            continue
        for step, rounds in (term.args, term.args[::-1]):
            inner = step.args[0] if step.op == "cast" else step
            loop = next((loop for loop in access.loops if plain(rounds).symbol is loop.counter), None)
            if loop is not None and inner.op == "mul" and bits(inner) == 32:
                yield inner, loop.condition_span or access.span


def _plain(found: Sequence[Product]) -> Iterator[Product]:
    """The products of two or more factors that can be large."""
    return (product for product in found if len(product.factors) > 1)


def elements_of(access: Access, factors_: Factors) -> int:
    """How many elements of an array one step of a product is worth."""
    size = access.root.element.size or 1
    return max((p.scale // size for p in products(access.offset) if p.factors == factors_), default=1)


# -------------------------------------------------------------------------------------------------------- numbers


def numbered(places: Places, reach: Reach) -> Iterator[Narrow]:
    """Parts that a launch in sight lets get too large, by the numbers that it gives or checks.  (Of what is multiplied
    by numbers alone nothing else says so.)"""
    parts = (*places.parts, *places.scaled, *places.shifted, *places.divided)
    for part, span in (*((part, part.access.span) for part in parts), *places.steps):
        found = reach.exceeded(part.access, part.term) or reach.beyond_admitted(part.access, part.term)
        if found is not None:
            one = Narrow(part.term, span, "numbers", use=part.access, values=found.values, value=found.value)
            yield one if reach.launched else replace(one, tested=True)


def commented(places: Places, reach: Reach) -> Iterator[Narrow]:
    """Parts that get too large where sizes are as large as comments of the file say, and what is divided in one."""
    if not reach.told_by_comments:
        return
    for part in (*places.parts, *places.scaled, *places.divided):
        found = reach.beyond_comments(part.access, part.term)
        if found is not None:
            yield Narrow(
                part.term, part.access.span, "comments", use=part.access, values=found.values, value=found.value
            )


# -------------------------------------------------------------------------------------------- others of the kernel


def twins(places: Places, seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Products in 32 bits that another address has in 64, or a smaller one: of rows below ``height``, where these are
    of the height itself."""
    wide: dict[Factors, Access] = {}
    for one in places.wide:
        counted = one.product.careful or not any(map(_rounds, one.product.factors))
        if one.access is not None and counted and not places.of_larger(one):
            wide.setdefault(one.product.factors, one.access)
    for part in places.parts if wide else ():
        for product in part.products:
            other = wide.get(product.factors)
            if other is not None and other is not part.access:
                # Care with an array of which each of these takes more elements says nothing of this one.
                weak = elements_of(part.access, product.factors) < elements_of(other, product.factors)
                yield Narrow(told(product), part.access.span, "twin", other=other, use=part.access, weak=weak)
                continue
            smaller = next((one for one in places.wide if _whole_of(product, one, part, places, seen)), None)
            if smaller is not None:
                yield Narrow(told(product), part.access.span, "twin", other=smaller.access, use=part.access)


def _rounds(factor: Term) -> bool:
    """Whether a factor is the number of a loop's round: a pointer that moves on in each makes the product, and nobody
    has widened it."""
    return factor.symbol is not None and factor.symbol.kind in (SymbolKind.COUNTER, SymbolKind.TRIPS)


def _whole_of(product: Product, one: Wide, part: Part, places: Places, seen: Sequence[LaunchFact]) -> bool:
    """Whether a product of sizes is the length of what ``one`` is a place in, in the same array: a factor that was
    widened there is an index, kept below the size that stands for it here."""
    theirs, access = one.product, one.access
    if access is None or access.root is not part.access.root or len(theirs.factors) != len(product.factors):
        return False
    if len(product.sizes) != len(product.factors) or not places.on_purpose(one):
        return False
    sizes = list((Counter(product.factors) - Counter(theirs.factors)).elements())
    places_ = list((Counter(theirs.factors) - Counter(product.factors)).elements())
    if len(sizes) != 1 or len(places_) != 1 or is_size(places_[0]):
        return False
    ((size,), (place,)) = sizes, places_
    for guard in access.guards:
        for test in conjuncts(guard.term):
            if test.op == "lt" and plain(test.args[1]) == size:
                steps = [value for mono, value in polynomial(test.args[0]).coefficients.items() if place in mono]
                if steps and product.scale * steps[0] >= theirs.scale:
                    return True
    if place.symbol not in BLOCK or size.symbol is None or product.scale < theirs.scale:
        return False
    axis = BLOCK.index(place.symbol)
    grids = [plain(fact.grid[axis]) if fact.grid is not None and axis < len(fact.grid) else None for fact in seen]
    given = [fact.argument(size.symbol.name) for fact in seen]
    return bool(seen) and all(
        grid is not None and isinstance(value, Term) and plain(value) == grid
        for grid, value in zip(grids, given, strict=True)
    )


def told(product: Product) -> Term:
    """The multiplication in 32 bits of a product."""
    assert product.narrow is not None
    return product.narrow


def rows(places: Places) -> Iterator[Narrow]:
    """Rows of a length that the kernel multiplies in 64 bits elsewhere, for other rows or for a count of elements:
    data, or the block, say which row it is here."""
    for part in places.parts:
        for product in part.products:
            sizes = product.sizes
            if not sizes or not any(map(chosen, product.factors)) or _by_blocks(product):
                continue
            wanted = Counter(sizes)
            if _in_item(part.access, wanted, places):
                continue
            for one in places.wide:
                theirs = one.product
                if one.access is None:
                    fits = len(theirs.factors) > 1 and not wanted - Counter(theirs.factors)
                    fits = fits and all(map(is_size, theirs.factors))
                else:
                    fits = one.access is not part.access and Counter(theirs.sizes) == wanted
                    fits = fits and places.on_purpose(one) and len(theirs.factors) > len(sizes)
                    fits = fits and not places.of_larger(one)
                if fits:
                    weak = one.access is not None and elements_of(part.access, product.factors) < elements_of(
                        one.access, theirs.factors
                    )
                    weak = weak or (one.access is not None and _of_a_table(product, part.access, theirs, one.access))
                    yield Narrow(
                        told(product),
                        part.access.span,
                        "rows",
                        other=one.access,
                        use=part.access,
                        weak=weak,
                        shown=one.span,
                    )
                    break


def _by_blocks(product: Product) -> bool:
    """Whether a size has a part in how much a block takes (``blockIdx.x * (blockDim.x - 2 * radius)``): the product is
    the first coordinate of a block, and the size no length of a row."""
    return any(
        not set(BLOCK_DIM).isdisjoint(symbols(arg)) and any(size in subterms(arg) for size in product.sizes)
        for arg in told(product).args
        if isinstance(arg, Term) and set(BLOCK).isdisjoint(symbols(arg))
    )


def _of_a_table(product: Product, access: Access, theirs: Product, other: Access) -> bool:
    """Whether data say which row it is here, and the number of a thread or block elsewhere, in another array: there may
    be as many rows of that as there are threads, and of these as many as somebody has made kinds of."""
    rows, others = product.factors, theirs.factors
    return (
        access.root is not other.root
        and any(map(_looked_up, rows))
        and not any(map(_looked_up, others))
        and any(symbol in BLOCK or symbol in THREAD for factor in others for symbol in symbols(factor))
    )


def _looked_up(factor: Term) -> bool:
    return factor.symbol is not None and factor.symbol.kind is SymbolKind.LOAD


def _in_item(access: Access, row: Counter[Term], places: Places) -> bool:
    """Whether the row is one of an item that the same place has found in 64 bits (``item * rows * length``): it is
    as large as an item, and not as all that there is."""
    wide = (Counter(one.product.sizes) for one in places.wide if one.access is access)
    return any(item > row for item in wide)


def chosen(factor: Term) -> bool:
    """Whether data or the block say what a factor is."""
    symbol = factor.symbol
    if symbol is None:
        return False
    return symbol in BLOCK or (symbol.kind is SymbolKind.LOAD and can_be_large(symbol))


def wide_ids(language: str, function: FunctionDecl) -> bool:
    """Whether indices of threads have 64 bits whoever asks for them: OpenCL's are of type ``size_t``, and so is the
    ``i`` that CuPy declares around an element-wise operation (``ptrdiff_t``)."""
    given = (param.type for param in function.params)
    return language == "opencl" or any(isinstance(one, StructType) and one.name == INDEXER for one in given)


INDEXER = "cupy_indexer"
"""The type of CuPy's ``_ind`` (:mod:`kernlint.frontends.clang.python.snippets`)."""
