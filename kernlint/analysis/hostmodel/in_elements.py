"""Calls of libraries that count in elements: given bytes, or more elements than their memory has.

The size of a type among the factors of a count says that it is one of bytes.  Memory whose allocation is in sight is
compared with what the call goes through, transforms by the plan that they are given.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.hostmodel.places import Extent, extent_of
from kernlint.analysis.hostmodel.sizes import exceeds
from kernlint.analysis.hostmodel.written import size_factors
from kernlint.analysis.trace.events import ApiEvent
from kernlint.analysis.trace.values import PointerValue, Value, as_term
from kernlint.apis.libraries import AS_IT_IS, PLANS, TRANSFORMS, Counts, Matrices, counts_of, matrices_of, of_fft
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, binary, cast, const, plain, symbols
from kernlint.tree.nodes import Expr
from kernlint.tree.types import I64, FloatType, IntType, PointerType, StructType, VectorType
from kernlint.tree.walk import strip_casts

Misfit = tuple[ApiEvent, str, str, Span | None]
"""Call, message, how to mend it, and where the memory is allocated."""

_SIZED = (IntType, FloatType, VectorType, StructType)


def in_elements(walk: HostWalk) -> Iterator[Misfit]:
    """What does not fit of the calls in a walk."""
    plans: dict[Term, ApiEvent] = {}
    for api in walk.trace.apis:
        counts = counts_of(api.node.name)
        if counts is not None:
            yield from _counted(api, counts, walk)
            continue
        if api.node.name.startswith("thrust::"):
            yield from _ranges(api, walk)
            continue
        matrices = matrices_of(api.node.name)
        if matrices is not None:
            yield from _leading(api, matrices)
            continue
        last = of_fft(api.node.name)
        if last in PLANS:
            made = api.after[0] if api.after and not last.startswith("Make") else api.args[0] if api.args else None
            if isinstance(made, Term):
                plans[made] = api
        elif last in TRANSFORMS and len(api.args) > 2:
            plan = plans.get(as_term(api.args[0]))
            if plan is not None:
                yield from _transformed(api, last, plan, walk)


def _counted(api: ApiEvent, counts: Counts, walk: HostWalk) -> Iterator[Misfit]:
    if max(counts.counts) >= len(api.args) or (counts.unit is not None and counts.unit >= len(api.args)):
        return
    nodes = api.node.args
    widths = {at: _width(nodes[at], api, counts) for at, _ in counts.memory if at < len(nodes)}
    factors = [size for at in counts.counts for size in size_factors(nodes[at])]
    unit = as_term(api.args[counts.unit]).value if counts.unit is not None else None
    known = {*(width for width in widths.values() if width > 1), *((unit,) if unit is not None else ())}
    if any(factor in known for factor in factors):
        message = "this counts elements, and the number that is given has the size of one as a factor: it counts bytes"
        yield api, message, "leave out the size of an element", None
        return
    for at, step in counts.memory:
        if at >= len(nodes) or not counts.held:
            continue
        if step is not None and (step >= len(api.args) or as_term(api.args[step]).value != 1):
            continue
        width = unit if unit is not None else widths[at]
        if width > 0:
            needed = _whole(tuple(_number(api.args[one]) for one in counts.counts), width)
            yield from _beyond(api, api.args[at], needed, walk)


def _width(pointer: Expr, api: ApiEvent, counts: Counts) -> int:
    """Bytes of an element behind a pointer; 0 where they are not known."""
    if counts.width is not None:
        return counts.width
    bare = strip_casts(pointer)
    kind = bare.type.pointee if isinstance(bare.type, PointerType) else None
    return (kind.size or 0) if isinstance(kind, _SIZED) else 0


def _ranges(api: ApiEvent, walk: HostWalk) -> Iterator[Misfit]:
    """A range of an algorithm that ends behind the memory it begins in."""
    for value in api.args:
        behind = extent_of(value, walk.allocations) if isinstance(value, PointerValue) else None
        if behind is None or behind.row is not None or not exceeds(polynomial(behind.offset), polynomial(behind.size)):
            continue
        message = (
            f"a range ends {words(behind.offset)} bytes behind the beginning, of {words(behind.size)} that are there"
        )
        yield api, message, "count elements: a pointer moves on by these", behind.span
        return


def _leading(api: ApiEvent, matrices: Matrices) -> Iterator[Misfit]:
    """A leading dimension that is less than the rows of its matrix, or another size of the call than these are."""
    if max(max(at, rows, turned) for _, at, _, rows, turned in matrices.of) >= len(api.args):
        return
    sizes = {plain(as_term(api.args[at])) for _, _, _, *both in matrices.of for at in both}
    for name, at, transposed, rows, turned in matrices.of:
        how = as_term(api.args[transposed]).value if transposed is not None else 0
        if how is None:
            continue
        wanted, given = (plain(as_term(api.args[one])) for one in (rows if how in AS_IT_IS else turned, at))
        other = given in sizes and given != wanted and all(map(_chosen, (given, wanted)))
        checked = any({*symbols(given), *symbols(wanted)} & {*symbols(guard.term)} for guard in api.guards)
        if exceeds(polynomial(cast(wanted, I64)), polynomial(cast(given, I64))) or (other and not checked):
            message = (
                f"the leading dimension of {name} is {words(given)}, and its columns have {words(wanted)} elements"
            )
            where = "where that is more, the call fails" if given.value is None else "the call fails"
            yield api, f"{message}: {where}", f"pass {words(wanted)}", None
            return


def _chosen(size: Term) -> bool:
    """Whether a size is a variable that callers choose."""
    return size.symbol is not None and size.symbol.kind is SymbolKind.PARAM


def _transformed(api: ApiEvent, name: str, plan: ApiEvent, walk: HostWalk) -> Iterator[Misfit]:
    """A transform of more than one of its two arrays has."""
    (extents, batch), transform = PLANS[of_fft(plan.node.name)], TRANSFORMS[name]
    if max(*extents, batch or 0) >= len(plan.args):
        return
    *outer, last = (plain(as_term(plan.args[at])) for at in extents)
    if batch is not None:
        outer.append(as_term(plan.args[batch]))
    if not isinstance(last.type, IntType):
        return
    half = binary("add", cast(binary("div", last, const(2, last.type), last.type), I64), const(1, I64), I64)
    for at, halved, width in ((1, transform.half_in, transform.into), (2, transform.half_out, transform.out)):
        yield from _beyond(api, api.args[at], _whole((*outer, half if halved else last), width), walk)


def _beyond(api: ApiEvent, value: Value, needed: Term, walk: HostWalk) -> Iterator[Misfit]:
    behind: Extent | None = extent_of(value, walk.allocations)
    if behind is None or behind.row is not None:
        return
    wanted: Polynomial = polynomial(needed) + polynomial(behind.offset)
    if exceeds(wanted, polynomial(behind.size)):
        there = words(behind.size)
        message = f"{words(needed)} bytes are gone through, of {there} that are allocated"
        yield api, message, "allocate as many elements as the call is for", behind.span


def _number(value: Value) -> Term:
    return cast(as_term(value), I64)


def _whole(counts: tuple[Term, ...], width: int) -> Term:
    """Bytes of as many elements as a product says."""
    whole = const(width, I64)
    for count in counts:
        whole = binary("mul", whole, cast(count, I64), I64)
    return whole
