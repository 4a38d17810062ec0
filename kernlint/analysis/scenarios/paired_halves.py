"""Lengths that loops go through in pairs of halves, whose size doubles or halves from round to round.

``for (half = 1; half < n; half *= 2) for (base = 0; base < n; base += 2 * half) for (k = 0; k < half; ++k)`` combines
``x[base + k]`` with ``x[base + k + half]``: sorting networks, Hadamard and Fourier transforms.  Of a length that is no
power of two the last pair has no second half, and the kernel is not meant for it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from kernlint.prove.query import Side
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, is_one_bit, plain, subterms
from kernlint.tree.types import IntType


@functools.lru_cache(maxsize=1 << 10)
def paired_lengths(side: Side) -> tuple[Term, ...]:
    """The lengths, the same for all threads of the block, that loops around an access go through in that way."""
    if not any(guard.op == "lt" and guard.args[0].op in ("mul", "shl") for guard in side.facts):
        return ()
    tests = [guard for guard in side.facts if guard.op in ("lt", "le") and isinstance(guard.args[1].type, IntType)]
    found: dict[Term, None] = {}
    for test in tests:
        base, length = test.args
        shared = length.symbols and all(symbol.uniformity <= Uniformity.BLOCK for symbol in length.symbols)
        if test.op == "lt" and shared:
            half = _pairs_of(base)
            if half is not None and _ended_by(half, length, tests) and _below(half, tests):
                found[length] = None
    return tuple(found)


def _pairs_of(base: Term) -> Term | None:
    """The size by whose multiples a loop goes on: one that doubles (``1 << k``) or halves (``n >> k``)."""
    half: Term | None = None
    counted = 0
    todo = [base]
    while todo:
        part = plain(todo.pop())
        if part.op == "mul" or (part.op == "shl" and part.args[1].value is not None):
            todo += part.args
        elif part.symbol is not None and part.symbol.kind is SymbolKind.COUNTER:
            counted += 1
        elif part.op in ("shl", "shr", "div") and half is None:
            half = part
        elif part.value is None:
            return None
    return half if counted == 1 else None


def _ended_by(half: Term, length: Term, tests: Sequence[Term]) -> bool:
    """Whether the size doubles until it gets to the length, or is made of it by halving."""
    if half.op != "shl":
        return plain(length) in map(plain, subterms(half.args[0]))
    doubled = is_one_bit(half.args[0].value)
    return doubled and any(plain(test.args[0]) == half and test.args[1] == length for test in tests)


def _below(half: Term, tests: Sequence[Term]) -> bool:
    """Whether the inner loop goes through the elements of a half."""
    for test in tests:
        if test.op == "lt" and plain(test.args[0]).symbol is not None:
            limit = plain(test.args[1])
            if limit == half or (limit.op in ("shr", "div") and plain(limit.args[0]) == half):
                return True
    return False
