"""Where the suspicions stand that excuses are asked about."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access
from kernlint.source import Span


def of_access(access: Access) -> tuple[Span, ...]:
    """The access."""
    return (access.span,)


def of_pair(pair: Pair) -> tuple[Span, ...]:
    """Both accesses."""
    return pair.first.span, pair.second.span


def of_accesses(accesses: tuple[Access, Access]) -> tuple[Span, ...]:
    """Each of them."""
    return tuple(access.span for access in accesses)
