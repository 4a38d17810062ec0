"""What a kernel's widening of a block's index says of how many blocks there are."""

from __future__ import annotations

from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Trace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, Term, plain, subterms, symbols
from kernlint.tree.types import IntType


def widened(kernel: Trace, axis: int) -> bool:
    """Whether a kernel turns the block's index along an axis into 64 bits to multiply it with numbers of 32."""
    seen: set[int] = set()
    for access in kernel.accesses:
        for part in subterms(access.offset):
            if id(part) in seen or part.op != "mul":
                continue
            seen.add(id(part))
            for one, other in (part.args, part.args[::-1]):
                wide = one.op == "cast" and isinstance(one.type, IntType) and one.type.bits == 64
                if wide and plain(one.args[0]).symbol is BLOCK[axis] and narrow(other):
                    return True
    return False


def of_planes(view: LaunchView, axis: int, kernel: Trace) -> bool:
    """Whether each block along an axis has a plane, whose rows the blocks along x take: the index is widened for the
    elements of all planes, which are many where planes are few."""
    across = set(symbols(view.fact.grid[0])) if view.fact.grid is not None else set()
    rows = {symbol for symbol, image in view.images if across & set(symbols(image))}
    planes = (
        {plain(factor).symbol for factor in product}
        for access in kernel.accesses
        for product in polynomial(access.offset).coefficients
        if len(product) > 2
    )
    return any(BLOCK[axis] in plane and rows & plane for plane in planes)


def narrow(term: Term) -> bool:
    """Whether all that a number is made of has 32 bits, and something is."""
    found = symbols(term)
    return bool(found) and all(isinstance(symbol.type, IntType) and symbol.type.bits <= 32 for symbol in found)
