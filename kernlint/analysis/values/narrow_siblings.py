"""Products that are made in 32 bits here, and in 64 by another kernel of the file, for the same rows.

``blockIdx.x * cols`` in one kernel and ``(int64_t)blockIdx.x * cols`` in its sibling are about one matrix: somebody has
found that its rows do not fit, and mended one of the two.  Sizes are the same where launches of both in one host
function pass the same for them, and else where they are parameters of one name.  Of volumes in one array, of three
factors or more, it is enough that all but the number of the volume are the same: a caller counts in one kernel what a
loop counts in the other.  So it is of rows that a caller counts, where launches of both pass one array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, ModuleAnalysis, ModuleFacts
from kernlint.analysis.launching.launches import HostFacts, LaunchFact, host
from kernlint.analysis.trace.events import Access
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.analysis.trace.values import PointerValue
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import FACTORS, Places, wide_ids, widens_id
from kernlint.analysis.values.products import Product, bits, comparisons
from kernlint.record import dataclass
from kernlint.symbolic.terms import BLOCK, Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Binary, Cast, FunctionDecl
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True, eq=False)
class Careful:
    """A product that ``kernel`` widens on purpose: rows that ``by`` counts, of so many ``sizes`` (by their names), or
    volumes (None) that one of ``sizes`` or a loop counts.  ``elements``: how many elements of the array one step is
    worth."""

    kernel: str
    by: object
    sizes: tuple[str, ...]
    factors: int
    elements: int
    access: Access


def _widens(function: FunctionDecl) -> bool:
    """Whether a function widens a factor to multiply it, as far as its text says."""
    return function.body is not None and any(
        isinstance(node, Binary)
        and node.op == "*"
        and isinstance(node.type, IntType)
        and node.type.bits == 64
        and any(isinstance(side, Cast) and _bits(side.operand.type) == 32 for side in (node.lhs, node.rhs))
        for node in walk(function.body)
    )


def _bits(type_: object) -> int:
    return type_.bits if isinstance(type_, IntType) else 0


def _rows(product: Product) -> tuple[object, tuple[str, ...]] | None:
    """What counts the rows of a product, the block's index or data of a parameter (None: a loop, or one of the sizes),
    and the names of its sizes; None where it is anything else."""
    counts: list[object] = []
    sizes: list[str] = []
    for factor in product.factors:
        symbol = factor.symbol
        if symbol is None:
            return None
        if symbol.kind is SymbolKind.PARAM and bits(factor) == 32:
            sizes.append(symbol.name)
        elif symbol in BLOCK:
            counts.append(symbol)
        elif symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
            counts.append(symbol.origin[0].name)
        elif symbol.kind is SymbolKind.COUNTER:
            counts.append(None)
        else:
            return None
    if not sizes or len(counts) > 1 or len(product.factors) < 2:
        return None
    return counts[0] if counts else None, tuple(sorted(sizes))


def _same_rows(one: Careful, rows: tuple[object, tuple[str, ...]], factors: int, access: Access) -> bool:
    """Whether a careful product is one of such rows, in whatever array, or of such volumes in this one."""
    by, sizes = rows
    if by is not None or (one.by is not None and factors >= FACTORS):
        return (one.by, one.sizes) == rows
    if factors < FACTORS:
        return len(sizes) > 1 and bool(set(one.sizes) & set(sizes))
    common = sum((Counter(one.sizes) & Counter(sizes)).values())
    return one.access.root.name == access.root.name and one.factors == factors and common >= factors - 1


def _step(access: Access, product: Product) -> int:
    return max(product.scale // (access.root.element.size or 1), 1)


def _compute(facts: ModuleFacts) -> tuple[Careful, ...]:
    kernels = facts.module.kernels
    if not 1 < len(kernels) <= KERNELS:
        return ()
    language = facts.module.language
    found: list[Careful] = []
    for kernel in kernels:
        function = kernel.variants[0]
        if not _widens(function):
            continue
        of = facts[kernel_traces].of(function)
        accesses = [access for access in of.accesses if access.root.space is Space.GLOBAL]
        places = Places(of, accesses, wide_ids(language, function))
        for one in places.wide:
            rows = _rows(one.product)
            if rows is not None and one.access is not None and places.on_purpose(one):
                step = _step(one.access, one.product)
                factors = len(one.product.factors)
                found.append(Careful(kernel.function.name, *rows, factors, step, one.access))
    return tuple(found)


careful_siblings = ModuleAnalysis("careful_siblings", _compute, needs=(kernel_traces,))
"""Each :class:`Careful` product of the kernels of a file."""


def _counts_with_care(facts: ModuleFacts) -> tuple[str, ...]:
    kernels = facts.module.kernels
    if not 1 < len(kernels) <= KERNELS:
        return ()
    careful = (kernel for kernel in kernels if _widens(kernel.variants[0]))
    wide = facts.module.language == "opencl"
    return tuple(
        kernel.function.name
        for kernel in careful
        if any(
            widens_id(made, wide) and bits(count) == 64 and any(map(_wide_parameter, symbols(count)))
            for condition in facts[kernel_traces].of(kernel.variants[0]).conditions
            for test in comparisons(condition.term)
            for index, count in (test.args, test.args[::-1])
            for made in subterms(index)
        )
    )


def _wide_parameter(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.PARAM and bits(symbol.term) == 64


careful_counts = ModuleAnalysis("careful_counts", _counts_with_care, needs=(kernel_traces,))
"""The kernels of a file that widen a block's number to compare their index with a parameter of 64 bits."""


def counted_with_care(facts: Facts) -> bool:
    """Whether another kernel of the file has an index of the grid widened for a count of 64 bits."""
    return any(name != facts.kernel.function.name for name in facts[careful_counts])


def siblings(places: Places, facts: Facts) -> Iterator[Narrow]:
    """Narrow products of rows that another kernel of the file multiplies in 64 bits."""
    for part in places.parts:
        for product in part.products:
            rows = _rows(product)
            if rows is None:
                continue
            own = facts.kernel.function.name
            known: tuple[Careful, ...] = facts[careful_siblings]  # walks kernels: asked for when it may say something
            factors = len(product.factors)
            alike = (one for one in known if one.kernel != own and _same_rows(one, rows, factors, part.access))
            counted = rows[0] is None and factors < FACTORS
            other = next(
                (
                    one
                    for one in alike
                    if (_same_array(one, part.access, rows[1], facts) if counted else _same_sizes(one, rows[1], facts))
                ),
                None,
            )
            if other is not None:
                assert product.narrow is not None
                weak = _step(part.access, product) < other.elements
                yield Narrow(
                    product.narrow, part.access.span, "sibling", other=other.access, use=part.access, weak=weak
                )


def _together(one: Careful, facts: Facts) -> list[tuple[LaunchFact, LaunchFact]]:
    """Launches of this kernel and the careful one in one host function."""
    known: HostFacts = facts[host]
    own = facts.kernel.function.name
    return [
        (mine, theirs)
        for mine in known.launches
        for theirs in known.launches
        if mine.name == own and theirs.name == one.kernel and mine.host is theirs.host
    ]


def _same_array(one: Careful, access: Access, sizes: Sequence[str], facts: Facts) -> bool:
    """Whether launches of both kernels pass one array, and the same for the sizes that both products have."""
    return any(
        _pointed(mine, access) is not None
        and _pointed(mine, access) == _pointed(theirs, one.access)
        and all(_passed(mine, s) == _passed(theirs, s) is not None for s in set(sizes) & set(one.sizes))
        for mine, theirs in _together(one, facts)
    )


def _pointed(launch: LaunchFact, access: Access) -> tuple[object, Term] | None:
    """The object, and the place in it, that a launch passes for the array of an access."""
    value = launch.argument(access.root.name)
    return (value.root, plain(value.offset)) if isinstance(value, PointerValue) else None


def _same_sizes(one: Careful, sizes: Sequence[str], facts: Facts) -> bool:
    """Whether launches of both kernels in one host function, where there are such, pass the same for the sizes."""
    pairs = _together(one, facts)
    return not pairs or any(all(_passed(mine, s) == _passed(theirs, s) for s in sizes) for mine, theirs in pairs)


def _passed(launch: LaunchFact, name: str) -> Term | None:
    value = launch.argument(name)
    return plain(value) if isinstance(value, Term) else None
