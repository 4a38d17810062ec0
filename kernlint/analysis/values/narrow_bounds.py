"""Numbers of elements that are made in 32 bits and end a loop, or a test, of an index that has 64.

``for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < d * h * w; ...)`` stops early where the
product wraps: no subscript is too large then, but elements are left out.  That somebody has widened the block's number
says that there may be so many; where indices have 64 bits anyway, a comment has to.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.values.narrow_amounts import Amounts
from kernlint.analysis.values.narrow_elsewhere import place_of, written_in
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import FACTORS, Places, told
from kernlint.analysis.values.products import bits, comparisons, is_size, products
from kernlint.symbolic.terms import BLOCK, Term, plain, subterms, symbols
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import IntType


def bounds(places: Places, amounts: Amounts, function: FunctionDecl) -> Iterator[Narrow]:
    """The products in 32 bits of sizes that an index of the grid in 64 bits is compared with."""
    asked: set[Term] = set()
    for access in places.accesses:
        for guard in access.guards:
            if guard.term in asked:
                continue
            asked.add(guard.term)
            for test in comparisons(guard.term):
                index, count = test.args
                while count.op == "cast" and bits(count.args[0]) >= 32:
                    count = count.args[0]
                if bits(index) != 64 or bits(count) != 32 or not _of_grid(index):
                    continue
                for product in products(count):
                    if product.narrow is None or not all(map(is_size, product.factors)):
                        continue
                    large = len(product.factors) >= FACTORS and _widened(index) and not places.wide_ids
                    if large or _said_to_be_more(told(product), amounts):
                        whole = count if count.op == "mul" else told(product)
                        span = place_of(whole, [*written_in(function)]) or guard.span
                        yield Narrow(whole, span, "bound", use=access)


def _of_grid(index: Term) -> bool:
    """Whether an index is that of a thread of the grid, which has not been made in 32 bits."""
    whole = index.op != "cast" or bits(index.args[0]) == 64
    return whole and not set(BLOCK).isdisjoint(symbols(index))


def _widened(index: Term) -> bool:
    """Whether somebody widened a block's number to make an index."""
    made = (part for part in subterms(index) if part.op == "mul" and bits(part) == 64)
    return any(arg.op == "cast" and plain(arg).symbol in BLOCK for part in made for arg in part.args)


def _said_to_be_more(product: Term, amounts: Amounts) -> bool:
    """Whether a comment counts more elements than the type of a product holds."""
    kind = product.type
    return isinstance(kind, IntType) and any(len(one) == 1 and one[0] > kind.high for one in amounts)
