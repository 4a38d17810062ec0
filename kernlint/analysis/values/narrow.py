"""Places in memory that are computed in 32 bits although what they count has 64.

What is looked at are values, not spellings: the part of an address that was computed in 32 bits before it was widened
(through helpers, variables, pointers moved ahead), or that was computed in 64 and cut.  That it gets too large is
never guessed; something in sight has to say so:

``count``    it is compared, either way round, with a count of 64 bits, which it can never reach
``twin``     the same product is made in 64 bits in another address of the kernel
``cut``      it was made in 64 bits from factors that were widened, and cut to 32 on its way
``grid``     the launch in sight makes its grid of a product in 64 bits, and nothing of 32 bits bounds the index
``host``     the launch in sight multiplies the same arguments, which it has in 64 bits, in 64 bits for its grid
``volume``   a product of three or more sizes, where another subscript of the kernel is widened in time
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    plain,
    subterms,
    symbols,
)
from kernlint.tree.types import IntType, Space

FACTORS = 3
"""A product of so many sizes and indices is the length of a volume, not of a line: it is what passes 2**31."""

PLACE = frozenset({"add", "sub", "mul", "neg", "shl", "cast", "select"})
"""Operations whose operands are parts of a place; what a quotient is taken of is none."""

LARGE = frozenset({SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.BLOCK})
"""What can be large: the block's size and loop counters of tiles are not."""


@dataclass(frozen=True, slots=True, eq=False)
class Narrow:
    """A part of an address that wraps.  ``index``: the part; ``span``: where to tell of it; ``evidence``: see the
    module's account.  ``count``: the count of 64 bits; ``other``: the access that shows how it should be; ``use``: an
    access that takes the part up; ``weak``: the evidence may be a habit (``size_t n``) and no care."""

    index: Term
    span: Span
    evidence: str
    count: Term | None = None
    other: Access | None = None
    use: Access | None = None
    weak: bool = False


def bits(term: Term) -> int:
    """Bits of an integer term, 0 for others."""
    return term.type.bits if isinstance(term.type, IntType) else 0


def _compute(facts: Facts) -> tuple[Narrow, ...]:
    of = facts[trace]
    subscripts = [access for access in of.accesses if access.root.space is Space.GLOBAL]
    seen: tuple[LaunchFact, ...] = facts[launches]
    found: list[Narrow] = []
    said: set[Term] = set()
    for one in (
        *_counted(of, subscripts, seen),
        *_twins(subscripts),
        *_cut(subscripts, facts.module.language),
        *_gridded(subscripts, seen),
        *_hosted(subscripts, seen),
        *_volumes(subscripts),
    ):
        if one.index not in said:
            said.add(one.index)
            found.append(one)
    return tuple(found)


# --------------------------------------------------------------------------------------------------------- counts


def _counted(of: Trace, subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Indices of the grid in 32 bits that are compared with a count of 64."""
    for condition in of.conditions:
        for test in _comparisons(condition.term):
            for index, count in (test.args, test.args[::-1]):
                part = _narrow_part(index)
                if part is None or not _wide_count(count) or _narrow_in_launches(count, seen):
                    continue
                use = next((a for a in subscripts if any(at == part for at in subterms(a.offset))), None)
                if use is not None:
                    kind = part.type
                    assert isinstance(kind, IntType)
                    # 2**32 threads and a size_t, which is what sizes are by habit, say nothing of how large they get.
                    weak = not kind.signed and _by_habit(count) and not _product_in_launches(count, seen)
                    yield Narrow(part, condition.span, "count", count, use=use, weak=weak)


def _comparisons(term: Term) -> Iterator[Term]:
    if term.op in ("land", "lor", "lnot"):
        for arg in term.terms:
            yield from _comparisons(arg)
    elif term.op in ("lt", "le"):
        yield term


def _narrow_part(index: Term) -> Term | None:
    """The index of the grid in 32 bits that was widened in (or as) a side of a comparison in 64."""
    if bits(index) != 64:
        return None
    stack = [index]
    while stack:
        at = stack.pop()
        if at.op == "cast" and bits(at.args[0]) == 32 and bits(at) == 64 and _is_grid_index(at.args[0]):
            return at.args[0]  # type: ignore[no-any-return]
        if at.op in PLACE and at.op != "select":
            stack.extend(at.terms)
    return None


def _is_grid_index(term: Term) -> bool:
    """Whether a value grows with the number of threads of the grid: beyond 32 bits, if there are so many."""
    for part in subterms(term):
        found = set(symbols(part)) if part.op in ("mul", "shl") else set()
        if BLOCK[0] in found and found & set(BLOCK_DIM):
            return bool(set(symbols(term)) & set(THREAD)) or part is not term
    return False


def _wide_count(count: Term) -> bool:
    if bits(count) != 64:
        return False
    return any(s.kind is SymbolKind.PARAM and isinstance(s.type, IntType) and s.type.bits == 64 for s in symbols(count))


def _narrow_in_launches(count: Term, seen: Sequence[LaunchFact]) -> bool:
    """Whether every launch in sight passes a 32-bit value for the count."""
    given = _given(count, seen)
    return bool(given) and all(term is not None and term.op == "cast" and bits(term.args[0]) <= 32 for term in given)


def _given(count: Term, seen: Sequence[LaunchFact]) -> list[Term | None]:
    """What the launches in sight pass for a count."""
    symbol = plain(count).symbol
    if symbol is None:
        return []
    passed = [launch.argument(symbol.name) for launch in seen]
    return [value if isinstance(value, Term) else None for value in passed]


def _product_in_launches(count: Term, seen: Sequence[LaunchFact]) -> bool:
    """Whether a launch in sight passes a product made in 64 bits: that is what large counts come from."""
    return any(term is not None and _wide_product(term) for term in _given(count, seen))


def _wide_product(term: Term) -> bool:
    return any(part.op == "mul" and bits(part) == 64 and len(factors(part)) > 1 for part in subterms(term))


def _by_habit(count: Term) -> bool:
    """Whether a count is an unsigned parameter of 64 bits as it stands (``size_t n``)."""
    inner = plain(count)
    return inner.op == "sym" and isinstance(inner.type, IntType) and not inner.type.signed


def _gridded(subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Indices of the grid in 32 bits, where the grid in sight is made of a product in 64."""
    wide = [fact for fact in seen if fact.grid is not None and _wide_product(fact.grid[0])]
    if not wide:
        return
    for access in subscripts:
        for part in _widened(access.offset):
            ids = any(BLOCK[0].term in (found := factors(product)) and len(found) > 1 for product in _added(part))
            if not ids or not _is_grid_index(part) or _bounded_in_32(access, part):
                continue
            yield Narrow(part, access.span, "grid", use=access, weak=not _signed(part))


def _hosted(subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Products in 32 bits of arguments that the host has, and multiplies, in 64."""
    for fact in seen:
        counted: set[Symbol] = set()
        for part in (at for size in fact.grid or () for at in subterms(size)):
            if part.op == "mul" and bits(part) == 64 and len(factors(part)) > 1:
                counted.update(symbols(part))
        wide = {name for name, value in fact.arguments if isinstance(value, Term) and _wide_symbol(value) in counted}
        for access in subscripts if len(wide) > 1 else ():
            for part in _widened(access.offset):
                for product in _added(part):
                    found = factors(product)
                    names = {f.args[0].name for f in found if f.op == "sym" and f.args[0].kind is SymbolKind.PARAM}
                    if len(names & wide) > 1 and any(f.symbol is None or f.symbol in BLOCK for f in found):
                        yield Narrow(product, access.span, "host", use=access)


def _wide_symbol(value: Term) -> Symbol | None:
    """The variable of 64 bits that is passed in fewer."""
    return value.args[0].symbol if value.op == "cast" and bits(value) <= 32 and bits(value.args[0]) == 64 else None


def _signed(term: Term) -> bool:
    return isinstance(term.type, IntType) and term.type.signed


def _bounded_in_32(access: Access, part: Term) -> bool:
    """Whether a test of the access keeps the index below something of 32 bits."""
    mine = set(symbols(part)) & set(BLOCK)
    for guard in access.guards:
        for test in _comparisons(guard.term):
            narrow = all(bits(arg) <= 32 or (arg.op == "cast" and bits(arg.args[0]) <= 32) for arg in test.args)
            if narrow and mine & set(symbols(test)):
                return True
    return False


# ------------------------------------------------------------------------------------------------------- products


def _widened(offset: Term) -> Iterator[Term]:
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


def _products(term: Term) -> Iterator[Term]:
    """The products in a place, of as many bits as it has."""
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == bits(term):
            yield at
        elif at.op in PLACE and (at.op != "cast" or bits(at.args[0]) == bits(at)):
            stack.extend(at.terms)


def _added(term: Term) -> Iterator[Term]:
    """The products that are added up to a value; what is subtracted (``i - i / n * n``) makes it smaller."""
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


def _form(product: Term) -> Polynomial | None:
    """A product of two or more values that can be large, in mathematical integers."""
    large = [factor for factor in factors(product) if _is_extent(factor)]
    return polynomial(product) if len(large) > 1 else None


def _wide_forms(access: Access) -> Iterator[Polynomial]:
    """The products of an address that were made in 64 bits of factors that were widened to that end."""
    stack = [access.offset]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == 64 and at.args[1].value is None and not _wide_by_type(at):
            form = _form(at)
            if form is not None:
                yield form
        if at.op in PLACE and (at.op != "cast" or bits(at.args[0]) == 64):
            stack.extend(at.terms)


def _twins(subscripts: Sequence[Access]) -> Iterator[Narrow]:
    """Products in 32 bits that another address has in 64."""
    wide: dict[Polynomial, Access] = {}
    for access in subscripts:
        for form in _wide_forms(access):
            wide.setdefault(form, access)
    if not wide:
        return
    for access in subscripts:
        for part in _widened(access.offset):
            for product in _products(part):
                narrow_form = _form(product)
                other = None if narrow_form is None else wide.get(narrow_form)
                if narrow_form is not None and other is not None and other is not access:
                    # Care with an array of which each of these takes more elements says nothing of this one.
                    weak = _elements(access, narrow_form) < _elements(other, narrow_form)
                    yield Narrow(product, access.span, "twin", other=other, use=access, weak=weak)


def _elements(access: Access, form: Polynomial) -> int:
    """How many elements of an array one step of a product is worth; very many where it is multiplied further."""
    (mono,) = form.coefficients if len(form.coefficients) == 1 else ((),)
    size = access.root.element.size or 1
    return polynomial(access.offset).coefficients.get(mono, 1 << 31) // size


def _cut(subscripts: Sequence[Access], language: str) -> Iterator[Narrow]:
    """Products in 64 bits that are cut before they are used."""
    careful = next((a for a in subscripts if any(True for _ in _cared(a.offset))), None)
    for access in subscripts:
        stack = [access.offset]
        while stack:
            at = stack.pop()
            if at.op == "cast" and bits(at) == 32 and bits(at.args[0]) == 64:
                inside = at.args[0]
                if any(_form(product) is not None and not _by_ids(product, language) for product in _added(inside)):
                    weak = careful is None and _wide_by_type(inside)
                    yield Narrow(inside, access.span, "cut", other=careful, use=access, weak=weak)
                continue
            if at.op in PLACE:
                stack.extend(at.terms)


def _cared(offset: Term) -> Iterator[Term]:
    """Products with the block's index that were widened in time."""
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == 64 and at.args[1].value is None and set(symbols(at)) & set(BLOCK):
            yield at
        if at.op in PLACE and (at.op != "cast" or bits(at.args[0]) == 64):
            stack.extend(at.terms)


def _by_ids(product: Term, language: str) -> bool:
    """Whether a product has 64 bits because OpenCL's indices do."""
    return language == "opencl" and any(s in BLOCK or s in THREAD for s in symbols(product))


def _volumes(subscripts: Sequence[Access]) -> Iterator[Narrow]:
    """Narrow products of many sizes beside a subscript that was widened in time."""
    widened = [(len(factors(found)), a) for a in subscripts if (found := _product(a.offset, 64)) is not None]
    if not widened:
        return
    least, wide = min(widened, key=lambda found: (found[0], found[1].order))
    said: set[Span] = set()
    for access in subscripts:
        product = _product(access.offset, 32)
        if product is not None and access.span not in said and not _product(access.offset, 64):
            said.add(access.span)
            # Care with the product of more sizes says nothing of a smaller one, nor does a type of the caller's.
            weak = len(factors(product)) < least or _wide_by_type(wide.offset)
            yield Narrow(product, access.span, "volume", other=wide, use=access, weak=weak)


def _wide_by_type(term: Term) -> bool:
    """Whether a 64-bit parameter made a product wide, and not the one who wrote it: strides in bytes come as
    ``size_t`` from everywhere, which says little of how much data there is."""
    found = [symbol for symbol in symbols(term) if symbol.kind is SymbolKind.PARAM]
    return any(isinstance(symbol.type, IntType) and symbol.type.bits == 64 for symbol in found)


def _product(offset: Term, width: int) -> Term | None:
    """The multiplication of ``width`` bits in ``offset`` with the most factors that vary, at least FACTORS.

    What a quotient or remainder is taken of is no part of the place: a count of tiles or a linear index, taken apart.
    """
    best: Term | None = None
    most = FACTORS - 1
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == width:
            large = [factor for factor in factors(at) if _is_extent(factor)]
            if len(large) > most and (width == 64 or _signed(at)):
                best, most = at, len(large)
        if at.op == "cast" and bits(at) and bits(at) < (at.args[0].type.size or 8) * 8:
            continue  # narrowed: the wide arithmetic below is of no use to the subscript
        if at.op in PLACE:
            stack.extend(at.terms)
    return best


def _is_extent(term: Term) -> bool:
    """Whether a factor can be large: it has a parameter, data or the block's index in it, not the block's size."""
    return any(_large(symbol) for symbol in symbols(term))


def _large(symbol: Symbol) -> bool:
    constant = symbol.kind is SymbolKind.LOAD and symbol.uniformity is Uniformity.GRID
    return symbol.kind in LARGE and not constant


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


narrow = KernelAnalysis("narrow", _compute, needs=(trace, launches))
"""Each :class:`Narrow` part of an address of a kernel variant, the strongest evidence first."""
