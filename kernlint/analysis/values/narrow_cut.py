"""Values of 64 bits that are cut to 32 on their way to an address: see :mod:`kernlint.analysis.values.narrow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import HostFacts, LaunchFact, host
from kernlint.analysis.trace.events import Access
from kernlint.analysis.trace.kernels import KernelTraces, kernel_traces
from kernlint.analysis.values.narrow_hosted import passed
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import Places, told, widens_id
from kernlint.analysis.values.products import PLACE, added, bits, by_type, can_be_large, factors, signed
from kernlint.analysis.values.repacked import repacked
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    symbols,
)
from kernlint.tree.nodes import Cast, FunctionDecl, Member, Ref
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import strip_casts, walk


def cut(subscripts: Sequence[Access], wide_ids: bool) -> Iterator[Narrow]:
    """Products in 64 bits that are cut before they are used."""
    careful = next((a for a in subscripts if any(True for _ in _cared(a.offset))), None)
    kept = {symbol: one for one in reversed(subscripts) for symbol in _multiplied_whole(one.offset)}
    for access in subscripts:
        stack = [access.offset]
        while stack:
            at = stack.pop()
            if at.op == "cast" and bits(at) == 32 and bits(at.args[0]) == 64:
                inside = at.args[0]
                if any(
                    _large(product) and (not wide_ids or not _by_ids(product) or widens_id(product, True))
                    for product in (() if repacked(inside) else added(inside))
                ):
                    other = careful or next((kept[one] for one in symbols(inside) if one in kept), None)
                    weak = other is None and by_type(inside)
                    yield Narrow(inside, access.span, "cut", other=other, use=access, weak=weak)
                continue
            if at.op in PLACE:
                stack.extend(at.terms)


def _large(product: Term) -> bool:
    """Whether two or more factors of a multiplication can be large, and nothing keeps it below one of them."""
    parts = factors(product)
    return sum(any(map(can_be_large, symbols(part))) for part in parts) > 1 and not _share(parts)


def _share(parts: Sequence[Term]) -> bool:
    """Whether factors are the size of a share and which share it is, so that their product is less than what was shared
    out: ``n / parts * part``, or ``block % (n / size) * size``."""
    for one in parts:
        shared: Term | None = None
        if one.op == "div":
            shared = one.args[0] if any(_numbered(other, one.args[1]) for other in parts if other is not one) else None
        elif one.op == "mod":
            count = plain(one.args[1])
            if count.op == "div" and any(plain(other) == plain(count.args[1]) for other in parts if other is not one):
                shared = count.args[0]
        if shared is not None and not any(_large(each) for each in added(shared)):
            return True
    return False


def _numbered(one: Term, count: Term) -> bool:
    """Whether ``one`` is a number below ``count``: of a thread or block of so many, or a remainder."""
    one, count = plain(one), plain(count)
    for ids, sizes in ((BLOCK, GRID_DIM), (THREAD, BLOCK_DIM)):
        if one.symbol in ids and count.symbol in sizes and ids.index(one.symbol) == sizes.index(count.symbol):
            return True
    return one.op == "mod" and plain(one.args[1]) == count


def _cared(offset: Term) -> Iterator[Term]:
    """Products with the block's index that were widened in time."""
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.op == "mul" and bits(at) == 64 and at.args[1].value is None and set(symbols(at)) & set(BLOCK):
            yield at
        if at.op in PLACE and (at.op != "cast" or bits(at.args[0]) == 64):
            stack.extend(at.terms)


def _by_ids(product: Term) -> bool:
    """Whether the index of a thread is in a product."""
    return any(s in BLOCK or s in THREAD for s in symbols(product))


def cut_factors(places: Places, seen: Sequence[LaunchFact], function: FunctionDecl) -> Iterator[Narrow]:
    """Products in 32 bits of an index and a parameter that has 64, and is cut to be multiplied: as by a helper that
    takes an ``int``.  Where another place of the kernel multiplies the same as it is, or such ones and nobody has
    written the cut, they come to more; else the type may be the one that lengths have everywhere."""
    if not places.parts:
        return
    kept = {symbol: one for one in reversed(places.accesses) for symbol in _multiplied_whole(one.offset)}
    other = next((one for symbol, one in kept.items() if signed(symbol.term)), None)
    for part in places.parts:
        for product in part.products:
            lost = next((one for one in _cut_in(told(product)) if not _passed_narrow(one, seen)), None)
            if lost is not None and any(map(_counts, product.factors)):
                shown = kept.get(lost) or (other if signed(lost.term) and not _cut_by_word(lost, function) else None)
                yield Narrow(
                    told(product), part.access.span, "factor", other=shown, use=part.access, weak=shown is None
                )
                break


def _cut_by_word(symbol: Symbol, function: FunctionDecl) -> bool:
    """Whether somebody has written that a parameter is cut, and knows that it is small."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, Cast) and node.explicit and isinstance(node.type, IntType) and node.type.bits == 32:
            inside = strip_casts(node.operand)
            name = inside.decl.name if isinstance(inside, Ref) else inside.field if isinstance(inside, Member) else ""
            if name and name == symbol.name.rpartition(".")[2]:
                return True
    return False


def passed_in_32(places: Places, seen: Sequence[LaunchFact], facts: Facts) -> Iterator[Narrow]:
    """Products of an index and what a launch in sight has in 64 bits and passes in 32, where another kernel that it
    launches gets the same whole, and multiplies it."""
    for fact in seen if places.parts else ():
        cut_ = {
            name: value.args[0]
            for name, value in passed(fact)
            if value.op == "cast" and bits(value) == 32 and bits(value.args[0]) == 64
        }
        for part in places.parts if cut_ else ():
            for product in part.products:
                names = [one.symbol.name for one in product.sizes if one.symbol is not None]
                given = next((cut_[name] for name in names if name in cut_), None)
                if given is None or not symbols(given) or not any(map(_counts, product.factors)):
                    continue
                other = next(_whole_in_another(plain(given), fact, facts), None)
                if other is not None:
                    yield Narrow(told(product), part.access.span, "sibling", other=other, use=part.access)
                    break


def _whole_in_another(given: Term, fact: LaunchFact, facts: Facts) -> Iterator[Access]:
    """Places of other kernels, launched in the same function, that multiply what they get for ``given`` in 64 bits."""
    known: KernelTraces = facts[kernel_traces]
    launched: HostFacts = facts[host]
    whole = {
        (one.name, name)
        for one in launched.launches
        if one.host is fact.host and one.name != fact.name
        for name, value in passed(one)
        if bits(value) == 64 and plain(value) == given
    }
    for kernel, of in known.compared() if whole else ():
        for access in of.accesses:
            found = _multiplied_whole(access.offset) if access.root.space is Space.GLOBAL else ()
            if any((kernel.function.name, one.name) in whole for one in found):
                yield access


def _multiplied_whole(place: Term) -> Iterator[Symbol]:
    """The parameters of 64 bits that are multiplied as they are in a place, by what can be large."""
    for term in _parts(place):
        if term.op == "mul" and bits(term) == 64:
            for one, by in (term.args, term.args[::-1]):
                if _wide_parameter(one.symbol) and any(map(can_be_large, symbols(by))):
                    assert one.symbol is not None
                    yield one.symbol


def _parts(place: Term) -> Iterator[Term]:
    """What a place is made of in 64 bits all the way."""
    stack = [place]
    while stack:
        at = stack.pop()
        yield at
        if at.op in PLACE and bits(at) == 64:
            stack.extend(at.terms)


def _wide_parameter(symbol: Symbol | None) -> bool:
    return symbol is not None and symbol.kind is SymbolKind.PARAM and bits(symbol.term) == 64


def _cut_in(narrow: Term) -> Iterator[Symbol]:
    """The parameters of 64 bits that are cut to 32 to be factors of a product."""
    for factor in narrow.args:
        while factor.op == "cast" and bits(factor) == bits(factor.args[0]):
            factor = factor.args[0]
        if factor.op == "cast" and bits(factor) == 32 and bits(factor.args[0]) == 64:
            symbol = plain(factor).symbol
            if symbol is not None and _wide_parameter(symbol):
                yield symbol


def _counts(factor: Term) -> bool:
    """Whether a factor is an index, and no size."""
    return any(symbol.kind is not SymbolKind.PARAM for symbol in symbols(factor))


def _passed_narrow(symbol: Symbol, seen: Sequence[LaunchFact]) -> bool:
    """Whether each launch in sight passes a value of 32 bits for a parameter of 64."""
    given = [fact.argument(symbol.name) for fact in seen]
    return bool(given) and all(
        isinstance(value, Term) and value.op == "cast" and bits(value.args[0]) <= 32 for value in given
    )
