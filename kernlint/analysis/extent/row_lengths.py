"""Lengths of rows that the host chooses, where the kernel takes for granted that its rows are as long as what it puts
there.

Memory is made for ``items * length`` elements, each thread has the row of an item, and touches places in it that rest
on no thread: constants (``row[18]``), places up to a number of the kernel's own (``y[i * 22 + k]``), or up to another
argument.  Where nothing says how that goes with the length, callers know: a length that is too short for the kernel
shows nothing.  A place that is beyond the memory however long the rows are is one that no caller makes right.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

LONGER = 64
"""How many times longer rows are tried."""

_OF_THREADS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


def longer_rows(access: Access, size: Term, view: LaunchView, env: dict[Symbol, int]) -> dict[Symbol, int] | None:
    """The values ``env`` of the host's variables with longer rows; None where an access is in no row of a length that
    callers choose."""
    lengths = [one for one in _factors(polynomial(size)) if one in env and not _said(one, access, view)]
    free = [one for one in lengths if _in_rows(access, one, view)]
    return {**env, **{one: env[one] * LONGER for one in free}} if free else None


def _factors(form: Polynomial) -> Iterable[Symbol]:
    """The variables that stand beside another one in each product of a size."""
    alone: set[Symbol] = set()
    found: dict[Symbol, None] = {}
    for mono in form.coefficients:
        for at, atom in enumerate(mono):
            others = {symbol for other in (*mono[:at], *mono[at + 1 :]) for symbol in symbols(other)}
            for symbol in symbols(atom):
                if atom.symbol is not symbol or not others - {symbol}:
                    alone.add(symbol)
                found[symbol] = None
    return [symbol for symbol in found if symbol not in alone]


def _said(length: Symbol, access: Access, view: LaunchView) -> bool:
    """Whether something speaks of a length: the sizes of the launch, a check, or a test of which thread it is."""
    terms = [*(view.fact.grid or ()), *(view.fact.block or ()), *(view.fact.threads or ()), *view.checks]
    if any(length in symbols(term) for term in terms):
        return True
    told = _arguments(length, view)
    tests = (set(symbols(guard.term)) for guard in access.guards)
    return any(found & told and any(symbol.kind in _OF_THREADS for symbol in found) for found in tests)


def _arguments(length: Symbol, view: LaunchView) -> set[Symbol]:
    return {symbol for symbol, image in view.images if symbol not in BLOCK_DIM and length in symbols(image)}


def _in_rows(access: Access, length: Symbol, view: LaunchView) -> bool:
    """Whether each thread has a row, in which its place says nothing of the thread: rows lie as far apart as the
    ``length`` says, or a constant number of elements where the kernel does not know it."""
    passed = _arguments(length, view)
    parts = polynomial(access.offset).coefficients
    apart = {
        mono: value for mono, value in parts.items() if not any(s in passed for atom in mono for s in atom.symbols)
    }
    if len(apart) < len(parts):
        return not any(symbol.kind in _OF_THREADS for mono in apart for atom in mono for symbol in atom.symbols)
    own = abs(parts.get((THREAD[0].term,), 0))
    return own > (access.size or own) and not any(symbol in passed for symbol in side(access).symbols)
