"""Arguments that a kernel itself brings down to a number before it counts as far as they say.

``bins = 256 * min(channels, 3)`` is meant for three channels: the clamp is at its number in some launch, and an array
that is gone through that far must have room for it.  Where a launch in sight says what is passed, or the kernel asks
anything else of the argument, that decides and not the clamp.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.checked_limits import limits_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, plain, replaced, subterms, symbols


@lru_cache(maxsize=4096)
def _minima(term: Term) -> tuple[Term, ...]:
    return tuple(part for part in subterms(term) if part.op == "min")


def clamped_arguments(access: Access, views: Iterable[LaunchView]) -> dict[Term, Term]:
    """The clamps of arguments to numbers in the tests of an access, with these numbers."""
    found: dict[Term, Term] = {}
    terms = [guard.term for guard in access.guards]
    for part in (part for term in terms for part in _minima(term)):
        clamp = _clamp(part)
        if clamp is not None:
            found[part] = const(clamp[1], part.type)
    if not found:
        return found
    left = {symbol for term in terms for symbol in symbols(replaced(term, found))}
    known = {symbol for view in views for symbol in _known(view)}
    out = left | known | set(symbols(access.offset))
    return {part: top for part, top in found.items() if not out & set(symbols(part))}


def at_clamps(clamps: Iterable[Term]) -> tuple[tuple[Symbol, int], ...]:
    """The arguments under ``clamps``, each as large as its clamp lets it be."""
    return tuple(dict.fromkeys(clamp for part in clamps if (clamp := _clamp(part)) is not None))


def _clamp(part: Term) -> tuple[Symbol, int] | None:
    """(argument, number) of the lesser of an argument and a number."""
    for one, other in (part.args, part.args[::-1]):
        symbol, value = plain(one).symbol, other.value
        if symbol is not None and symbol.kind is SymbolKind.PARAM and value is not None and value > 0:
            return symbol, value
    return None


def _known(view: LaunchView) -> set[Symbol]:
    """The arguments of which a launch says more than that it passes a number."""
    tests = [part for check in view.checks for part in conjuncts(check)]
    out: set[Symbol] = set()
    for symbol, image in view.images:
        passed = plain(image).symbol
        if passed is None or passed.kind is not SymbolKind.PARAM or any(True for _ in limits_of(passed, tests)):
            out.add(symbol)
    return out
