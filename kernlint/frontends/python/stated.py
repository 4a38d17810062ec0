"""Types of a kernel's parameters where no signature says them, by their uses and by what launches pass.

Types that nothing tells are taken to be single-precision floats; no finding rests on that.
"""

from __future__ import annotations

from kernlint.frontends.python.functions import Array, Stated
from kernlint.frontends.python.parameters import Use
from kernlint.frontends.python.values import COMPLEX128
from kernlint.tree.types import F32, F64, I64, U64, Field, StructType, Type, VectorType

STATE = VectorType(U64, 2)
"""What ``create_xoroshiro128p_states`` makes an array of: two words of 64 bits."""


def stated_of(use: Use | None, hint: Stated = None) -> Stated:
    """The type of a parameter by its uses, and by what a launch passes (``hint``)."""
    if isinstance(hint, Array):
        rank = max(hint.rank, (use.rank or 0) if use is not None else 0)
        return Array(hint.element, rank or 1, "C")
    if use is None or use.rank is None:
        if hint is not None:
            return hint
        return I64 if use is not None and use.whole else F64 if use is not None and use.compared else F32
    if use.fields and not use.whole and not use.states and not use.parts:
        return Array(_record(use.fields), use.rank, "C")
    element: Type = STATE if use.states else COMPLEX128 if use.parts else I64 if use.whole else F32
    return Array(element, use.rank, "C")


def _record(fields: dict[str, bool]) -> StructType:
    """A record with the fields that are taken of it, each of 64 bits."""
    parts = tuple(Field(name, I64 if whole else F64, 8 * at) for at, (name, whole) in enumerate(fields.items()))
    return StructType("record", parts, 8 * len(parts), 8)
