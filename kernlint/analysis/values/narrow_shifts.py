"""Powers of two that are made in 32 bits and widened when they are done: see :mod:`kernlint.analysis.values.narrow`.

``mask |= 1 << bit`` has an ``int`` on its left whatever the mask's type is: from bit 32 on nothing is right (the shift
is undefined in C, and wraps around in OpenCL C), and bit 31 makes a number with a sign, of which the upper half is
ones.  How far the amount goes say the numbers of the loop, the mask or the remainder that it is made by; what arguments
or data leave open says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.trace.events import Access, LoopContext, Trace
from kernlint.analysis.values.narrow_elsewhere import terms_of
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.products import bits
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Binary, Cast, Expr, IntLit
from kernlint.tree.types import IntType
from kernlint.tree.walk import walk

_AROUND = frozenset({"add", "sub", "or", "and", "xor", "neg", "not"})
"""What is done to a power of two before it is widened: ``(1 << n) - 1``, ``~(1 << n)``."""


def shifted_late(of: Trace, facts: Facts) -> Iterator[Narrow]:
    """The numbers that are shifted by 32 bits and more before they are widened."""
    written = [*_written(facts)]
    if len(written) != 1:  # which of several is meant, a term does not say
        written = [one for one in written if not isinstance(one.rhs, IntLit)]
    seen: set[Term] = set()
    for access in of.accesses if written else ():
        values = (access.value,) if access.value is not None else ()
        for term in (access.offset, *values, *(guard.term for guard in access.guards)):
            parts = [*terms_of(term, seen)]
            chosen = {symbol for at in parts if at.op == "select" for symbol in symbols(at.args[0])}
            for at in parts:
                if at.op == "cast" and bits(at) == 64 and bits(at.args[0]) == 32:
                    for shift in _shifts(at.args[0]):
                        if chosen.isdisjoint(symbols(shift.args[1])) and bits(shift) <= _most(access, shift) < 64:
                            most = _most(access, shift)
                            yield Narrow(shift, written[0].span, "shift", use=access, value=most)


def _shifts(term: Term) -> Iterator[Term]:
    todo = [term]
    while todo:
        at = todo.pop()
        if at.op == "shl" and bits(at) == 32 and at.args[1].value is None:
            yield at
        elif at.op in _AROUND:
            todo += at.terms


def _most(access: Access, shift: Term) -> int:
    """The largest amount of a shift by the tests of an access, and the ends of the loops that it counts the rounds of;
    0 where these are left in other ways too."""
    amount = shift.args[1]
    loops = {s.origin for s in symbols(amount) if s.kind in (SymbolKind.COUNTER, SymbolKind.PHI)}
    around = [loop for loop in loops if isinstance(loop, LoopContext)]
    if any(loop.left_by for loop in around):
        return 0
    inside = not loops or any(loop in access.loops for loop in around)
    ends = [loop.condition for loop in around if loop.condition is not None]
    ranges = narrowed((*(side(access).facts if inside else ()), *ends), {})
    return ranges.of(amount)[1] if ranges is not None else 0


def _written(facts: Facts) -> Iterator[Binary]:
    """The shifts in 32 bits in the text of a kernel and its helpers that are widened when they are done."""
    for function in facts.reached:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Cast) and _width(node) == 64:
                yield from (
                    part
                    for part in walk(node.operand)
                    if isinstance(part, Binary) and part.op == "<<" and _width(part) == 32
                )


def _width(expr: Expr) -> int:
    return expr.type.bits if isinstance(expr.type, IntType) else 0
