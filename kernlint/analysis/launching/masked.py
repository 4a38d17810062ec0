"""Global sizes that are rounded by a mask of bits, which makes a multiple of a power of two alone."""

from __future__ import annotations

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.events import Root
from kernlint.analysis.trace.tables import column
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, plain, subterms
from kernlint.tree.types import I64, IntType


def masked_by(launch: LaunchFact, axis: int) -> tuple[Term, int] | None:
    """The size of the work-groups whose number less one is masked out of the global size, with a value of it that is
    no power of two: its own, or one in the constant table that it is read from.  None where there is none."""
    if launch.block is None or launch.threads is None:
        return None
    group = launch.block[axis]
    for part in subterms(launch.threads[axis]):
        if part.op == "and" and any(_leaves(mask, group) for mask in part.terms):
            odd = next((value for value in _values(group) if value > 0 and value & (value - 1)), None)
            return (group, odd) if odd is not None else None
    return None


def _leaves(mask: Term, group: Term) -> bool:
    """Whether a mask is ``~(group - 1)``."""
    if mask.value is not None and group.value is not None and isinstance(mask.type, IntType):
        return mask.value == mask.type.wrap(-group.value)
    if mask.op != "not":
        return False
    return polynomial(plain(mask.terms[0])) + polynomial(const(1, I64)) == polynomial(plain(group))


def _values(group: Term) -> tuple[int, ...]:
    """What a size may be, as far as the source says."""
    if group.value is not None:
        return (group.value,)
    number = plain(group).symbol
    if not isinstance(number, Symbol) or number.kind is not SymbolKind.LOAD:
        return ()
    root, offset = number.origin
    return column(root, offset) if isinstance(root, Root) and isinstance(offset, Term) else ()
