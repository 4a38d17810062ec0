"""Indices that are kept in 8 or 16 bits: see :mod:`kernlint.analysis.values.narrow`.

``const short row = f * STATIONS + s`` is made in 32 bits and cut when it is kept.  What the kernel itself tests
against numbers, or a launch in sight gives or checks, says how far it goes; data say nothing, and of numbers without a
sign what is cut on purpose (``(uchar)key``, a step of a hash) is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.trace.events import Access
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.reach import Reach
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, subterms, symbols
from kernlint.tree.nodes import Cast, IntLit
from kernlint.tree.types import IntType
from kernlint.tree.walk import walk

SHORT = (8, 16)
"""Bits of numbers that most arrays have more elements than."""

_COUNTS = frozenset(
    {
        SymbolKind.THREAD,
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.COUNTER,
        SymbolKind.PARAM,
        SymbolKind.OFFSET,
    }
)
"""What says where a thread is, and how much there is."""


def shortened(facts: Facts, subscripts: Sequence[Access], reach: Reach) -> Iterator[Narrow]:
    """Parts of addresses that are cut to 8 or 16 bits and get larger than these hold."""
    tried: set[tuple[Term, tuple[Term, ...]]] = set()
    for access in subscripts:
        for part in subterms(access.offset) if access.offset.op not in ("const", "sym") else ():
            if not _cut(part) or not _on_its_own(part, access):
                continue
            key = part, tuple(guard.term for guard in access.guards)
            if key in tried or _on_purpose(part, facts):
                continue
            tried.add(key)
            found = reach.beyond_short(access, part)
            if found is not None:
                yield Narrow(part, access.span, "short", use=access, values=found.values, value=found.value)


def _cut(part: Term) -> bool:
    """Whether a term is a number of a wider type, made of places and sizes alone, in 8 or 16 bits."""
    if part.op != "cast" or not isinstance(part.type, IntType) or part.type.bits not in SHORT:
        return False
    wide = part.args[0].type
    found = symbols(part)
    return (
        isinstance(wide, IntType)
        and wide.high > part.type.high
        and bool(found)
        and all(symbol.kind in _COUNTS for symbol in found)
    )


def _on_its_own(part: Term, access: Access) -> bool:
    """Whether a part is more than the number of an entry in a table that 8 bits without a sign are enough for."""
    kind = part.type
    if not isinstance(kind, IntType) or kind.signed or kind.bits > 8:
        return True
    return len(polynomial(access.offset).coefficients) > 1


def _on_purpose(part: Term, facts: Facts) -> bool:
    """Whether the kernel casts numbers to the type of a part, which has no sign, in so many words."""
    kind, body = part.type, facts.function.body
    if body is None or not isinstance(kind, IntType) or kind.signed:
        return False
    return any(
        isinstance(node, Cast) and node.explicit and node.type == kind and not isinstance(node.operand, IntLit)
        for node in walk(body)
    )
