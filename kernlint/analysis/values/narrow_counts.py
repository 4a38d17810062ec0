"""Indices of the grid in 32 bits where counts and grids have 64: see :mod:`kernlint.analysis.values.narrow`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import LaunchFact, Sizes
from kernlint.analysis.trace.events import Access, Trace
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_siblings import counted_with_care
from kernlint.analysis.values.products import PLACE, added, bits, comparisons, factors, is_size, signed, widened_parts
from kernlint.analysis.values.reach import Reach
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import IntType, StructType

WARP = 32
"""Threads, at least, of a block whose size is a number."""


def counted(
    of: Trace, subscripts: Sequence[Access], seen: Sequence[LaunchFact], reach: Reach, facts: Facts
) -> Iterator[Narrow]:
    """Indices of the grid in 32 bits that are compared with a count of 64.  (OpenCL's kernels take no ``size_t``.)"""
    habits = facts.module.language != "opencl"
    for condition in of.conditions:
        for test in comparisons(condition.term):
            for index, count in (test.args, test.args[::-1]):
                part = _narrow_part(index)
                beyond = part is not None and _beyond(count, part)
                large = beyond or _wide_count(count) or (is_size(count) and _wide_product(count))
                if part is None or not large or _narrow_in_launches(count, seen):
                    continue
                used = ((a, at) for a in subscripts for at in subterms(a.offset))
                alike = {part, *_without_step(part)}
                use, part = next(((a, at) for a, at in used if at in alike), (None, part))
                if use is not None:
                    if _begins_rows(subscripts, alike):
                        continue
                    own = _from_its_begin(index, count)
                    weak = (bool(seen) or (habits and _by_habit(own))) and not _multiplied(own, seen)
                    weak = weak and not counted_with_care(facts)
                    weak = (weak or _cut_for_grids(seen)) and not (beyond or reach.counts_beyond(use, count, part))
                    yield Narrow(part, condition.span, "count", count, use=use, weak=weak)


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


def _from_its_begin(index: Term, count: Term) -> Term:
    """What an index counts up to by itself: the length of a row, where the row's begin is added to it and the test is
    against the row's end (``row * length + i < (row + 1) * length``)."""
    begin, end = polynomial(index).coefficients, polynomial(count).coefficients
    if len(end) < 2 or not any(mono and begin.get(mono) == factor for mono, factor in end.items()):
        return count
    return term_of(Polynomial({mono: factor for mono, factor in end.items() if begin.get(mono) != factor}))


def _without_step(part: Term) -> Iterator[Term]:
    """What a number is added to, or taken from: ``i + 4 <= n`` is a test of i."""
    while part.op in ("add", "sub") and part.args[1].value is not None:
        part = part.args[0]
        yield part


def _is_grid_index(term: Term) -> bool:
    """Whether a value grows with the number of threads of the grid: beyond 32 bits, if there are so many."""
    for part in _growing(term):
        found = set(symbols(part)) if part.op in ("mul", "shl") else set()
        threads = found & set(BLOCK_DIM) or any((arg.value or 0) >= WARP for arg in part.terms)
        if BLOCK[0] in found and threads:
            return bool(set(symbols(term)) & set(THREAD)) or part is not term
    return False


def _growing(term: Term) -> Iterator[Term]:
    """The parts of a value, but for what is divided in 64 bits: a remainder of that, or the number of a row, is no
    number of an item any more when it is cut to 32."""
    stack = [term]
    while stack:
        at = stack.pop()
        yield at
        if at.op not in ("div", "mod", "and", "shr") or bits(at) != 64:
            stack.extend(at.terms)


def _wide_count(count: Term) -> bool:
    if bits(count) != 64:
        return False
    return any(s.kind is SymbolKind.PARAM and isinstance(s.type, IntType) and s.type.bits == 64 for s in symbols(count))


def _beyond(count: Term, part: Term) -> bool:
    """Whether a count is a number that an index never gets to."""
    return count.value is not None and isinstance(part.type, IntType) and count.value > part.type.high


def _narrow_in_launches(count: Term, seen: Sequence[LaunchFact]) -> bool:
    """Whether every launch in sight passes a 32-bit value for the count."""
    given = _given(count, seen)
    return bool(given) and all(term is not None and term.op == "cast" and bits(term.args[0]) <= 32 for term in given)


def _cut_for_grids(seen: Sequence[LaunchFact]) -> bool:
    """Whether no grid in sight is a part of a size of 64 bits: sizes are cut to 32 on their way to it, as by a function
    that takes an ``int``, and the grid has no more threads than that."""
    return bool(seen) and not any(fact.grid is None or _of_wide_size(fact.grid[0]) for fact in seen)


def _of_wide_size(grid: Term) -> bool:
    """Whether a number of blocks is made of a size of 64 bits in that width, or may be: what is below a conversion to
    32 bits of anything but a sum, product or quotient was cut before."""
    stack = [plain(grid)]
    while stack:
        part = stack.pop()
        if bits(part) == 64 and symbols(part):
            return True
        cut = part.op == "cast" and bits(part) == 32 and plain(part).op in ("sym", "call")
        stack += () if cut else part.terms
    return False


def _given(count: Term, seen: Sequence[LaunchFact]) -> list[Term | None]:
    """What the launches in sight pass for a count."""
    symbol = plain(count).symbol
    if symbol is None:
        return []
    passed = [launch.argument(symbol.name) for launch in seen]
    return [value if isinstance(value, Term) else None for value in passed]


def _multiplied(count: Term, seen: Sequence[LaunchFact]) -> bool:
    """Whether a count is a product made in 64 bits, in the kernel or where a launch in sight passes it: that is what
    large counts come from.  A size that host code only hands on has 64 bits because sizes have (``size_t``, what a
    tensor answers), which says nothing of how large they get."""
    return _wide_product(count) or any(term is not None and _wide_product(term) for term in _given(count, seen))


def _begins_rows(subscripts: Sequence[Access], alike: Collection[Term]) -> bool:
    """Whether an index is that of a row of which a table of 32 bits says where it begins and ends (``p[i]``,
    ``p[i + 1]``): rows that are not empty are no more than their elements, which 32 bits count there."""
    places: dict[int, set[Polynomial]] = {}
    for access in subscripts:
        kind = access.root.element
        if isinstance(kind, IntType) and kind.bits <= 32 and any(at in alike for at in subterms(access.offset)):
            size = number(kind.size or 4)
            place = polynomial(access.offset)
            known = places.setdefault(id(access.root), set())
            if place + size in known or place - size in known:
                return True
            known.add(place)
    return False


def _wide_product(term: Term) -> bool:
    return any(
        part.op == "mul"
        and (bits(part) == 64 or any(map(_widened, part.args)))
        and not any(arg.value is not None for arg in part.args)
        and len(factors(part)) > 1
        for part in subterms(term)
    )


def _widened(factor: Term) -> bool:
    """Whether a factor is cast to 64 bits, in a product whose type a template leaves open."""
    while factor.op == "cast" and not bits(factor):
        factor = factor.args[0]
    return factor.op == "cast" and bits(factor) == 64


def _by_habit(count: Term) -> bool:
    """Whether a count is an unsigned parameter of 64 bits as it stands (``size_t n``), or what an accessor of PyTorch
    says of its tensor, whose sizes have 64 bits whatever they are."""
    inner = plain(count)
    if inner.symbol is None or not isinstance(inner.type, IntType):
        return False
    holder = getattr(inner.symbol.origin, "type", None)
    return not inner.type.signed or (isinstance(holder, StructType) and "TensorAccessor<" in holder.name)


def gridded(subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Indices of the grid in 32 bits, where the grid in sight is made of a product in 64."""
    wide = [fact for fact in seen if fact.grid is not None and _wide_product(fact.grid[0]) and not _folded(fact.grid)]
    if not wide:
        return
    said: set[Term] = set()
    cut = set[str]().union(*(_multiplied_for_grid(fact)[0] for fact in wide))
    for access in subscripts:
        for part in widened_parts(access.offset):
            if _of_block(part) and _is_grid_index(part) and not _bounded_in_32(access, part, cut):
                yield Narrow(part, access.span, "grid", use=access, weak=not signed(part))
        for part, wide_part in _taken_apart(access.offset):
            if part not in said and _is_grid_index(part) and not _bounded_in_32(access, part, cut):
                said.add(part)
                yield Narrow(part, access.span, "grid", use=access, weak=not signed(part) and not wide_part)


def _folded(grid: Sizes) -> bool:
    """Whether the blocks along x are what is left of a count that is divided by those along y: however many there are
    in all, x has a share that the host keeps small."""
    rows = plain(grid[1])
    return rows.value is None and any(at.op == "div" and plain(at.args[1]) == rows for at in subterms(grid[0]))


def _of_block(part: Term) -> bool:
    return any(
        BLOCK[0].term in (found := factors(product))
        and (len(found) > 1 or any((arg.value or 0) >= WARP for arg in product.args))
        for product in added(part)
    )


def _taken_apart(offset: Term) -> Iterator[tuple[Term, bool]]:
    """The numbers of items in 32 bits that are taken apart into rows and columns of a size that is an argument, and
    whether that is done in 64 bits: somebody has widened the number first."""
    for at in subterms(offset):
        if at.op not in ("div", "mod") or at.args[1].value is not None:
            continue
        of = {s.kind for s in symbols(at.args[1])}
        part, wide = at.args[0], bits(at) == 64
        while part.op == "cast" and bits(part) > 32 and bits(part.args[0]) >= 32:
            part = part.args[0]
        if of and of <= {SymbolKind.PARAM} and bits(part) == 32:
            yield part, wide


def apart(subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Numbers of items in 32 bits that are widened and taken apart into a row, tested against a size, and what is left
    of a row of another size: there are as many as the product of two sizes, and somebody has thought of that."""
    for access in () if seen else subscripts:
        divided = {
            part
            for guard in access.guards
            for test in comparisons(guard.term)
            for arg in test.args
            for part, wide in _taken_apart(arg)
            if wide and plain(arg).op == "div"
        }
        for part, wide in _taken_apart(access.offset) if divided else ():
            if wide and part in divided and _is_grid_index(part) and not _bounded_in_32(access, part):
                yield Narrow(part, access.span, "apart", use=access)
                break


def hosted(subscripts: Sequence[Access], seen: Sequence[LaunchFact]) -> Iterator[Narrow]:
    """Products in 32 bits of arguments that the host has, and multiplies, in 64."""
    for fact in seen:
        wide, deliberate = _multiplied_for_grid(fact)
        for access in subscripts if len(wide) > 1 else ():
            for part in widened_parts(access.offset):
                for product in added(part):
                    found = factors(product)
                    names = {f.args[0].name for f in found if f.op == "sym" and f.args[0].kind is SymbolKind.PARAM}
                    if len(names & wide) > 1 and any(f.symbol is None or f.symbol in BLOCK for f in found):
                        yield Narrow(product, access.span, "host", use=access, weak=not deliberate)


def _multiplied_for_grid(fact: LaunchFact) -> tuple[set[str], bool]:
    """The parameters that get in 32 bits what the host multiplies in 64 for its grid, and whether some of that has a
    sign."""
    counted: set[Symbol] = set()
    deliberate = False
    for part in (at for size in fact.grid or () for at in subterms(size)):
        if part.op == "mul" and bits(part) == 64 and len(factors(part)) > 1:
            counted.update(symbols(part))
            deliberate = deliberate or any(isinstance(s.type, IntType) and s.type.signed for s in symbols(part))
    given = ((name, value) for name, value in fact.arguments if isinstance(value, Term))
    return {name for name, value in given if _wide_symbol(value) in counted}, deliberate


def _wide_symbol(value: Term) -> Symbol | None:
    """The variable of 64 bits that is passed in fewer."""
    return value.args[0].symbol if value.op == "cast" and bits(value) <= 32 and bits(value.args[0]) == 64 else None


def _bounded_in_32(access: Access, part: Term, cut: Collection[str] = ()) -> bool:
    """Whether a test of the access keeps the index below something of 32 bits.  What is tested of a row keeps it from
    nothing: of so many rows there is a product.  Nor does a product of parameters that were ``cut`` to 32 bits, as
    that has wrapped too."""
    mine = set(symbols(part)) & set(BLOCK)
    for guard in access.guards:
        for test in comparisons(guard.term):
            narrow = all(bits(arg) <= 32 or (arg.op == "cast" and bits(arg.args[0]) <= 32) for arg in test.args)
            if any(_product_of(arg, cut) for arg in test.args):
                continue
            if narrow and any(mine & _outside_quotients(arg) for arg in test.args):
                return True
    return False


def _product_of(limit: Term, names: Collection[str]) -> bool:
    """Whether parameters of these names are multiplied with each other."""
    for part in subterms(limit) if names else ():
        if part.op == "mul" and bits(part) == 32:
            found = [one.symbol.name for one in factors(part) if one.symbol is not None]
            if sum(name in names for name in found) > 1:
                return True
    return False


def _outside_quotients(term: Term) -> set[Symbol]:
    """The symbols of a term, but for those that are divided by an argument."""
    found: set[Symbol] = set()
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "sym":
            found.add(at.args[0])
        elif at.op not in ("div", "mod") or {s.kind for s in symbols(at.args[1])} != {SymbolKind.PARAM}:
            stack.extend(at.terms)
    return found
